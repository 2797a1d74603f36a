"""What all loaders answer: a Bunch as scikit-learn's loaders do, or data and target alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InvalidParameterError

SUBSETS = {"all": ("train", "test"), "train": ("train",), "test": ("test",)}
CHANNELS = (" red", " green", " blue")


def answer(
    return_X_y: bool,
    *,
    data: Any,
    target: Any,
    feature_names: list[str],
    DESCR: str,
    image_shape: tuple[int, ...] | None = None,
    **more: Any,
) -> Any:
    """A Bunch of all that is known, or the pair (data, target)."""
    if return_X_y:
        return data, target
    from sklearn.utils import Bunch  # here, because it imports pandas where there is one

    return Bunch(
        data=data, target=target, feature_names=feature_names, image_shape=image_shape, DESCR=DESCR.strip(), **more
    )


def parts_of(caller: str, subset: Any) -> tuple[str, ...]:
    """The parts of a data set that a subset stands for, in their order."""
    if not isinstance(subset, str) or subset not in SUBSETS:
        raise InvalidParameterError(f"{caller}(subset={subset!r}): must be 'all', 'train' or 'test'")
    return SUBSETS[subset]


def pixel_names(height: int, width: int, channels: tuple[str, ...] = ("",)) -> list[str]:
    """r2c3 for the pixel in row 2 and column 3, with its channel where there are several."""
    return [f"r{row}c{column}{channel}" for row in range(height) for column in range(width) for channel in channels]


def counts_of(arrays: dict[str, np.ndarray], prefix: str = "") -> sp.csr_matrix:
    """The matrix cells × genes of a file that keeps its parts."""
    parts = tuple(arrays[prefix + name] for name in ("data", "indices", "indptr"))
    return sp.csr_matrix(parts, shape=(len(arrays["indptr"]) - 1, len(arrays["genes"])))
