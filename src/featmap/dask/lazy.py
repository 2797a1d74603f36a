"""Lazy arrays about all rows of a model, computed block by block by workers that open its file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np

from ..errors import StoreError
from ..estimator import FeatMAP
from .blocks import Blocks
from .cluster import each

BYTES_OF_BLOCK = 2**26  # of a lazy array


@dataclass(frozen=True)
class ModelFile:
    """The file of a model, which workers open. They refuse it after another model has been written there."""

    path: str
    changed: int  # when the model was written, in nanoseconds

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> ModelFile:
        path = str(Path(path).resolve())
        return cls(path, _changed(path))

    def model(self) -> FeatMAP:
        """Return the model, which each worker opens once."""
        if _changed(self.path) != self.changed:
            raise StoreError(
                f"{self.path} has been written again since this model was fitted or loaded; load it again, and save "
                "every model to a file of its own"
            )
        return _opened(self)


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError as error:
        raise StoreError(
            f"the file of the model, {path}, cannot be opened ({error.strerror or error}); keep it where all workers "
            "can reach it"
        ) from error


@lru_cache(maxsize=1)
def _opened(file: ModelFile) -> FeatMAP:
    model = FeatMAP.load(file.path).set_params(n_jobs=None)  # the cluster has the threads
    deferred = model._points.mapped.deferred
    deferred.n_jobs, deferred.verbose = None, False  # if nobody asked before the model was saved
    vars(model).pop("feature_names_in_", None)  # blocks have none; those of the whole table have been checked
    return model


def of_all_rows(file: ModelFile, method: str, shape: tuple[int, ...], dtype: Any, **options: Any) -> da.Array:
    """Return what a method of the model gives for all rows, as a lazy array."""
    blocks = ("auto", *(-1 for _ in shape[1:]))
    chunks = da.core.normalize_chunks(blocks, shape, limit=BYTES_OF_BLOCK, dtype=np.dtype(dtype))
    meta = np.empty((0,) * len(shape), dtype)
    return da.map_blocks(_of_block, file, method, options, chunks=chunks, meta=meta)


def _of_block(file: ModelFile, method: str, options: dict[str, Any], block_info: Any = None) -> np.ndarray:
    rows = np.arange(*block_info[None]["array-location"][0])
    return getattr(file.model(), method)(rows, **options)


def placed(file: ModelFile, blocks: Blocks, dim: int) -> da.Array:
    """Return the positions of new rows on the map, as a lazy array."""
    lengths = np.diff(blocks.starts)
    parts = each(blocks.tables, _placed, file)
    return da.concatenate(
        [da.from_delayed(part, (int(length), dim), np.float32) for part, length in zip(parts, lengths, strict=True)]
    )


def _placed(block: Any, file: ModelFile) -> np.ndarray:
    return file.model().transform(block)
