"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lend a temporary file, which takes the name ``path`` once it is complete; make the folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"part of {path.name}")  # numpy wants its suffix at the end
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text)


def save_embedding(path: Path, embedding: np.ndarray) -> None:
    with replacing(path) as temporary:
        np.save(temporary, np.asarray(embedding, np.float32))
