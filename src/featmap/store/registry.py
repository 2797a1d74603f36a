"""Every class of values that a file may hold, field by field. No other class is written or read."""

from __future__ import annotations

from typing import Any

from ..data.pca import Components
from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..explanation.points import MappedData
from ..layout.descent import State
from ..neighbors.exact import ExactSearch
from ..neighbors.lists import ListIndex, Lists, ListSearch
from ..neighbors.other import CosineSearch, MetricSearch
from ..pipeline import Manifold
from ..run.progress import FitReport, StageReport
from ..values import Connection, Frames, Graph, Neighbors, Radii, Tangents
from .schema.arrays import Array, Matrix, Sparse
from .schema.classes import OneOf, Record
from .schema.codec import Arrays, Codec, Collected
from .schema.containers import List, Optional
from .schema.parameters import Parameter
from .schema.plain import Integer, Number, Text, Truth

FLOAT, DOUBLE, INT = ("float32",), ("float64",), ("int32",)
SPARSE_ROWS = Record(SparseRows, {"entries": Sparse(FLOAT), "zeros": Array(FLOAT, 1)})


class Rows:
    """Scaled rows, dense or sparse."""

    dense = Array(FLOAT, 2)

    def encode(self, value: Any, arrays: Collected) -> Any:
        return (SPARSE_ROWS if isinstance(value, SparseRows) else self.dense).encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return (SPARSE_ROWS if isinstance(node, dict) else self.dense).decode(node, arrays)


ROWS = Rows()
SCALED_DATA = Record(
    ScaledData,
    {"matrix": ROWS, "center": Array(DOUBLE, 1), "scale": Number(), "lengths": Optional(Array(DOUBLE, 1))},
)
LISTS = Record(Lists, {"blocks": Array(FLOAT, 3), "first_blocks": Array(("int64",), 1), "members": Array(INT, 2)})
LIST_INDEX = Record(ListIndex, {"directions": Array(FLOAT, 2), "centers": LISTS, "lists": LISTS})
EUCLIDEAN = OneOf(
    (
        Record(ExactSearch, {"matrix": ROWS}),
        Record(ListSearch, {"matrix": ROWS, "index": Optional(LIST_INDEX)}),
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
RADII = Record(Radii, {"total": Array(DOUBLE, 1), "along": Array(DOUBLE, 2), "centered": Array(DOUBLE, 2)})
LOCAL_SVD: dict[str, Codec] = {
    "neighbors": Array(INT, 2),
    "weights": Array(FLOAT, 2),
    "factors": Array(DOUBLE, 3),
    "singular_values": Array(DOUBLE, 2),
    "intrinsic_dim": Array(INT, 1),
    "radii": RADII,
}
TANGENTS = Record(Tangents, {"centers": ROWS, **LOCAL_SVD})
CONNECTION = Record(Connection, {"products": Array(FLOAT, 3), "rotations": Array(FLOAT, 3), "steps": Array(FLOAT, 2)})
FRAMES = Record(Frames, {"axes": Array(FLOAT, 3), "covariance_size": Number(), "solver": Text()})
COMPONENTS = Record(Components, {"directions": Array(DOUBLE, 2)})
MANIFOLD = Record(
    Manifold,
    {
        "data": SCALED_DATA,
        "space": SCALED_DATA,
        "components": Optional(COMPONENTS),
        "search": SEARCH,
        "neighbors": NEIGHBORS,
        "graph": GRAPH,
        "tangents": TANGENTS,
        "metric": Text(),
        "n_neighbors": Integer(),
        "n_tangent_neighbors": Integer(),
        "tangent_center": Text(),
        "intrinsic_dim": Parameter(),
        "has_given_neighbors": Truth(),
    },
)
MAPPED_DATA = Record(MappedData, {"manifold": MANIFOLD, "embedding": Array(FLOAT, 2), "frames": FRAMES})
STATE = Record(
    State,
    {
        "transposed": Array(FLOAT, 2),
        "gradient_mean": Array(FLOAT, 2),
        "gradient_square": Array(FLOAT, 2),
        "axes": Array(FLOAT, 3),
        "epoch": Integer(),
    },
)
STAGE_REPORTS = List(
    Record(
        StageReport,
        {"stage": Text(), "seconds": Number(), "cpu_seconds": Number(), "peak_memory_mb": Number()},
    )
)


class Report:
    """The time and memory that each stage of a fit took."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return STAGE_REPORTS.encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> FitReport:
        return FitReport(STAGE_REPORTS.decode(node, arrays))


REPORT = Report()
