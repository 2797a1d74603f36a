"""Questions to all rows of a model, answered in blocks by workers that open its file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed

from ..errors import StoreError
from ..estimator import FeatMAP
from .blocks import Blocks
from .cluster import each

BYTES_OF_ANSWER = 2**26  # of a block of rows


@dataclass(frozen=True)
class ModelFile:
    """The file of a model, which workers open. If another model is written there, it gives no answers any more."""

    path: str
    changed: int  # when the model was written, in nanoseconds

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> ModelFile:
        path = str(Path(path).resolve())
        return cls(path, _changed(path))

    def model(self) -> FeatMAP:
        """The model, opened once by each worker."""
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
    vars(model).pop("feature_names_in_", None)  # blocks have none; those of the whole table have been checked
    return model


def _answer(file: ModelFile, question: str, start: int, stop: int, options: dict[str, Any]) -> np.ndarray:
    return getattr(file.model(), question)(np.arange(start, stop), **options)


def of_all_rows(file: ModelFile, question: str, shape: tuple[int, ...], dtype: Any, **options: Any) -> da.Array:
    """The answers of a method of the model that takes rows, for all rows, as a lazy array."""
    n_rows, row_bytes = shape[0], int(np.prod(shape[1:], dtype=np.int64)) * np.dtype(dtype).itemsize
    step = max(1, BYTES_OF_ANSWER // max(row_bytes, 1))
    ask = delayed(_answer, pure=True)
    blocks = [
        da.from_delayed(
            ask(file, question, start, min(start + step, n_rows), options),
            (min(start + step, n_rows) - start, *shape[1:]),
            dtype,
        )
        for start in range(0, n_rows, step)
    ]
    return da.concatenate(blocks)


def placed(file: ModelFile, blocks: Blocks, dim: int) -> da.Array:
    """The positions of new rows on the map, as a lazy array."""
    lengths = np.diff(blocks.starts)
    parts = each(blocks.tables, _placed, file)
    return da.concatenate(
        [da.from_delayed(part, (int(length), dim), np.float32) for part, length in zip(parts, lengths, strict=True)]
    )


def _placed(block: Any, file: ModelFile) -> np.ndarray:
    return file.model().transform(block)
