"""Files of the folder that FEATMAP_DATA names, for data sets that are not downloaded."""

from __future__ import annotations

import os
from pathlib import Path

from featmap import DatasetError


def data_file(name: str) -> Path:
    folder = os.environ.get("FEATMAP_DATA")
    if not folder:
        raise DatasetError(f"FEATMAP_DATA is not set: it must name the folder that holds {name} (docs/datasets.md)")
    path = Path(folder) / name
    if not path.is_file():
        raise DatasetError(f"FEATMAP_DATA={folder}: {name} is missing in this folder (docs/datasets.md)")
    return path
