"""Every class of values that may be in a file, field by field. What is not here is neither written nor read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..features import Features
from ..layout.descent import State
from ..manifold import Manifold
from ..neighbors import CosineSearch, ExactSearch, Lists, ListSearch, MetricSearch
from ..progress import StageReport
from ..rows import SparseRows
from ..scene import Ground
from ..values import Connection, Frames, Graph, Neighbors, Tangents
from .schema import (
    Array,
    Arrays,
    Codec,
    Collected,
    Integer,
    List,
    Matrix,
    Number,
    OneOf,
    Plain,
    Record,
    Sparse,
    Text,
    Truth,
)

FLOAT, DOUBLE, INT = ("float32",), ("float64",), ("int32",)
SPARSE_ROWS = Record(SparseRows, {"entries": Sparse(FLOAT), "zeros": Array(FLOAT, 1)})


class Rows:
    """Rows in unit size, dense or sparse."""

    dense = Array(FLOAT, 2)

    def encode(self, value: Any, arrays: Collected) -> Any:
        return (SPARSE_ROWS if isinstance(value, SparseRows) else self.dense).encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        if not isinstance(node, dict):
            return self.dense.decode(node, arrays)
        if "class" in node:  # in the first format sparse rows were not centred
            entries = Sparse(FLOAT).decode(node, arrays)
            return SparseRows(entries, np.zeros(entries.shape[1], np.float32))
        return SPARSE_ROWS.decode(node, arrays)


ROWS = Rows()
FEATURES = Record(Features, {"matrix": ROWS, "center": Array(DOUBLE, 1), "scale": Number(), "unit_rows": Truth()})
LISTS = Record(Lists, {"blocks": Array(FLOAT, 3), "first_blocks": Array(("int64",), 1), "members": Array(INT, 2)})
EUCLIDEAN = OneOf(
    (
        Record(ExactSearch, {"matrix": ROWS}),
        Record(ListSearch, {"matrix": ROWS, "directions": Array(FLOAT, 2), "centers": LISTS, "lists": LISTS}),
    )
)
SEARCH = OneOf(
    (
        *EUCLIDEAN.records,
        Record(CosineSearch, {"euclidean": EUCLIDEAN}),
        Record(MetricSearch, {"matrix": Matrix(None), "metric": Text()}),
    )
)
NEIGHBORS = Record(Neighbors, {"indices": Array(INT, 2), "distances": Array(FLOAT, 2)})
GRAPH = Record(Graph, {"weights": Sparse(FLOAT)})
LOCAL_SVD: dict[str, Codec] = {
    "neighbors": Array(INT, 2),
    "factors": Array(DOUBLE, 3),
    "singular_values": Array(DOUBLE, 2),
    "intrinsic_dim": Array(INT, 1),
    "weight_sums": Array(DOUBLE, 1),
}
TANGENTS = Record(Tangents, {"centers": ROWS, **LOCAL_SVD})
CONNECTION = Record(Connection, {"products": Array(FLOAT, 3), "turns": Array(FLOAT, 3), "steps": Array(FLOAT, 2)})
FRAMES = Record(Frames, {"axes": Array(FLOAT, 3), "covariance_size": Number()})
MANIFOLD = Record(
    Manifold,
    {
        "features": FEATURES,
        "search": SEARCH,
        "graph": GRAPH,
        "tangents": TANGENTS,
        "metric": Text(),
        "n_neighbors": Integer(),
        "n_tangent_neighbors": Integer(),
        "intrinsic_dim": Plain(),
        "mean_distance": Number(),
    },
)
GROUND = Record(Ground, {"manifold": MANIFOLD, "places": Array(FLOAT, 2), "frames": FRAMES})
STATE = Record(
    State,
    {
        "coordinates": Array(FLOAT, 2),
        "gradient_mean": Array(FLOAT, 2),
        "gradient_square": Array(FLOAT, 2),
        "epoch": Integer(),
    },
)
REPORTS = List(
    Record(
        StageReport,
        {"stage": Text(), "seconds": Number(), "cpu_seconds": Number(), "peak_memory_mb": Number()},
    )
)
