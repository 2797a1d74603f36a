"""Every class of values that a file may hold, field by field. No other class is written or read."""

from __future__ import annotations

from typing import Any

from ..data.pca import Components
from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..explanation.points import MappedData
from ..layout.coarse import CoarseGraph
from ..layout.descent import State
from ..layout.levels import CoarseStart
from ..neighbors.exact import ExactSearch
from ..neighbors.given_distances import DistanceSearch
from ..neighbors.hellinger import HellingerSearch
from ..neighbors.large import LargeSearch
from ..neighbors.list_search import ListSearch, Partition, Width
from ..neighbors.lists import Lists
from ..neighbors.other import CosineSearch, MetricSearch
from ..neighbors.quantizer import Quantizer
from ..pipeline import Manifold
from ..preparation.origins import Origins
from ..preparation.prepare import Recipe
from ..run.progress import FitReport, StageReport
from ..values import Connection, Frames, Graph, Neighbors, Radii, SearchReport, Tangents
from .schema.arrays import Array, Matrix, Sparse
from .schema.classes import OneOf, Record
from .schema.codec import Arrays, Codec, Collected
from .schema.containers import Entries, List, Optional, Table
from .schema.parameters import Parameter
from .schema.plain import FeatureNames, Integer, Number, Text, Truth

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
QUANTIZER = Record(Quantizer, {"directions": Array(FLOAT, 2), "cells": LISTS, "centers": LISTS, "shared": Number()})
EXACT_SEARCH = Record(ExactSearch, {"matrix": ROWS})
LIST_SEARCH = Record(
    ListSearch,
    {
        "quantizer": QUANTIZER,
        "partition": Record(Partition, {"matrix": ROWS, "lists": LISTS}),
        "width": Record(Width, {"n_probes": Integer(), "candidates_per_neighbor": Number()}),
        "recall": Number(),
    },
)
CHOSEN_SEARCH = Optional(OneOf((EXACT_SEARCH, LIST_SEARCH)))
EUCLIDEAN = OneOf((EXACT_SEARCH, Record(LargeSearch, {"matrix": ROWS, "k": Integer(), "chosen": CHOSEN_SEARCH})))
SEARCH = OneOf(
    (
        *EUCLIDEAN.records,
        Record(CosineSearch, {"euclidean": EUCLIDEAN}),
        Record(HellingerSearch, {"euclidean": EUCLIDEAN}),
        Record(MetricSearch, {"matrix": Matrix(None), "metric": Text(), "kwds": Entries(Parameter())}),
        Record(DistanceSearch, {"n_rows": Integer()}),
    )
)
NEIGHBORS = Record(Neighbors, {"indices": Array(INT, 2), "distances": Array(FLOAT, 2)})
GRAPH = Record(Graph, {"weights": Sparse(FLOAT)})
RADII = Record(Radii, {"total": Array(DOUBLE, 1), "along": Array(DOUBLE, 2), "centered": Array(DOUBLE, 2)})
LOCAL_SVD: dict[str, Codec] = {
    "neighbors": Array(INT, 2),
    "weights": Array(FLOAT, 2),
    "center": Text(),
    "singular_values": Array(FLOAT, 2),
    "intrinsic_dim": Array(INT, 1),
    "radii": RADII,
}
TANGENTS = Record(Tangents, {"centers": ROWS, **LOCAL_SVD})
CONNECTION = Record(
    Connection,
    {
        "rotations": Array((*FLOAT, *INT), None),
        "steps": Array(FLOAT, 2),
        "kept_products": Optional(Array(FLOAT, 3)),
    },
)
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
COARSE_GRAPH = Record(CoarseGraph, {"centers": Array(INT, 1), "groups": Array(INT, 1), "graph": GRAPH})
COARSE_START = Record(CoarseStart, {"levels": List(COARSE_GRAPH), "embedding": Array(FLOAT, 2)})
STATE = Record(
    State,
    {
        "embedding": Array(FLOAT, 2),
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


SEARCH_REPORT = Record(SearchReport, {"recall": Number(), "way": Text()})


class Report:
    """The time and memory that each stage of a fit took, and how neighbours were searched."""

    parts = Table({"stages": STAGE_REPORTS, "search": Optional(SEARCH_REPORT)})

    def encode(self, value: Any, arrays: Collected) -> Any:
        return self.parts.encode({"stages": value, "search": value.search}, arrays)

    def decode(self, node: Any, arrays: Arrays) -> FitReport:
        return FitReport(**self.parts.decode(node, arrays))


REPORT = Report()


class Levels:
    """The values of categories, and None for numbers."""

    levels = List(Optional(Text()))

    def encode(self, value: Any, arrays: Collected) -> Any:
        return self.levels.encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return tuple(self.levels.decode(node, arrays))


ORIGINS = Record(
    Origins,
    {"sources": FeatureNames(), "levels": Levels(), "factor": Array(DOUBLE, 1), "offset": Array(DOUBLE, 1)},
)
RECIPE = Record(Recipe, {"origins": ORIGINS, "missing": Array(DOUBLE, 1), "text": Text()})
