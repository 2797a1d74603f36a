"""The data the benchmarks run on, by the name that a job has for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lab.data.documents import documents
from lab.data.images import digits, load_images
from lab.data.manifolds import curved_sheets, gaussian
from lab.data.survey import survey

GAUSSIAN = "gaussian"
SURVEY = "survey"
TFIDF = "tfidf"


@dataclass(frozen=True)
class Data:
    """Rows with the metric that fits them, and their labels where there are any."""

    X: Any  # (m, n), an array or a CSR matrix
    labels: np.ndarray | None = None
    metric: str = "euclidean"

    @property
    def mb(self) -> float:
        parts = (self.X.data, self.X.indices, self.X.indptr) if sp.issparse(self.X) else (self.X,)
        return sum(part.nbytes for part in parts) / 2**20


def load(name: str) -> Data:
    """The data of a job: a number is that many rows of curved sheets, "gaussian 1000" that many of a Gaussian."""
    if name.isdigit():
        return Data(*curved_sheets(int(name)))
    if name.startswith(GAUSSIAN):
        return Data(gaussian(rows_of(name)))
    if name == SURVEY:
        return Data(*survey())
    if name == TFIDF:
        return Data(*documents(), metric="cosine")
    images = load_images("MNIST") if name == "mnist" else digits()
    return Data(images.data, images.target)


def is_sized(name: str) -> bool:
    """Whether the data can have any number of rows."""
    return name.isdigit() or name.startswith(GAUSSIAN)


def rows_of(name: str) -> int:
    """How many rows data of any size have."""
    return int(name.split()[-1])


def title(name: str) -> str:
    """The name of the data as a reader knows them."""
    if not is_sized(name):
        return name
    return f"{'sheets' if name.isdigit() else 'Gaussian'}, {rows_of(name):,} rows"
