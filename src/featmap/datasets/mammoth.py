"""The mammoth: a shape in space that everybody knows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..errors import InvalidParameterError
from .answers import answer
from .download import published
from .folder import kept_arrays

MAMMOTH = """
Points of the 3D scan of a woolly mammoth's skeleton, 10,000 or 50,000. There are no labels: the target is None.

Smithsonian Institution, 3D Digitization (CC0); sampled for Coenen, Pearce: Understanding UMAP, after an idea of
M. Noichl; also used by Wang et al., JMLR 22 (2021), whose files are the ones downloaded.
No checksum of these files was published: downloads come from a fixed commit and only their shape is checked.
"""
# Published file and the columns in it that are x, y and z.
FILES = {10_000: ("mammoth_3d.json", [0, 1, 2]), 50_000: ("mammoth_3d_50k.json", [1, 2, 0])}


def load_mammoth(*, n_samples: int = 10_000, return_X_y: bool = False) -> Any:
    """Load 10,000 or 50,000 points of the mammoth; the target is None."""
    if n_samples not in FILES:
        raise InvalidParameterError(f"load_mammoth(n_samples={n_samples!r}): must be 10_000 or 50_000")
    name = f"X_{n_samples // 1000}k"
    arrays = kept_arrays("mammoth.npz", {name: (n_samples, 3)})
    points = _downloaded(n_samples) if arrays is None else arrays[name]
    return answer(return_X_y, data=points, target=None, feature_names=["x", "y", "z"], DESCR=MAMMOTH)


def _downloaded(n_samples: int) -> np.ndarray:
    file, columns = FILES[n_samples]
    with published("mammoth", file) as path:
        points = np.array(json.loads(path.read_bytes()), np.float32)
        if points.shape != (n_samples, 3):
            raise ValueError(f"shape {points.shape}, expected {(n_samples, 3)}")
    return np.ascontiguousarray(points[:, columns])
