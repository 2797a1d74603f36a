"""Every class of values that a file may hold. No other class is written or read.

How a class is written follows from its fields and their annotations. A new field changes the format of files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import scipy.sparse as sp

from ..data.pca import Components
from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..explanation.points import MappedData
from ..layout.coarse import CoarseGraph
from ..layout.descent import State
from ..layout.levels import CoarseStart
from ..neighbors.exact import ExactSearch
from ..neighbors.given_distances import DistanceSearch
from ..neighbors.large import LargeSearch
from ..neighbors.list_search import ListSearch, Partition, Width
from ..neighbors.lists import Lists
from ..neighbors.other import CosineSearch, HellingerSearch, MetricSearch
from ..neighbors.quantizer import Quantizer
from ..neighbors.search import Search
from ..pipeline import Manifold
from ..preparation.origins import Origins
from ..preparation.prepare import Recipe
from ..run.progress import FitReport, StageReport
from ..values import Connection, Frames, Graph, Neighbors, Radii, SearchReport, Tangents
from .codecs import (
    FEATURE_NAMES,
    INTEGER,
    NUMBER,
    TEXT,
    TRUTH,
    Array,
    Codec,
    Either,
    Fields,
    List,
    OneOf,
    Optional,
    Parameter,
    Sparse,
    Table,
)

FLOAT, DOUBLE, INT = ("float32",), ("float64",), ("int32",)
CLASSES = {
    *(ScaledData, SparseRows, Components, Neighbors, SearchReport, Graph, Radii, Tangents, Connection, Frames),
    *(ExactSearch, LargeSearch, ListSearch, Partition, Lists, Quantizer, Width),
    *(CosineSearch, HellingerSearch, MetricSearch, DistanceSearch),
    *(CoarseGraph, CoarseStart, State, Manifold, MappedData, StageReport, FitReport, Origins, Recipe),
}
# Fields that are made again when they are needed, or that the model of a user never has.
NOT_STORED = {
    ScaledData: {"units"},
    Tangents: {"leading"},
    Partition: {"numbers"},
    MappedData: {"by_another_method"},
}


def fields_of(made: type, *, without: Collection[str] = ()) -> Fields:
    """The codec of a class, from its fields and their annotations."""
    kinds = get_type_hints(made, include_extras=True)
    names = [part.name for part in fields(made) if part.name not in {*NOT_STORED.get(made, ()), *without}]
    return Fields(made, {name: EXCEPTIONS.get((made, name)) or codec_of(kinds[name]) for name in names})


def codec_of(kind: Any) -> Codec:
    """The codec of an annotation. Of several classes it has those that a file may hold."""
    if kind in CODECS:
        return CODECS[kind]
    if kind in CLASSES:
        return fields_of(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:  # Annotated[NDArray[np.float32], "(m, k)"]
        array, shape = parts
        return Array(tuple(types_of_numbers(array)), tuple(re.findall(r"[^(), ][^(),]*", shape)))
    if origin in (Union, UnionType):
        some = [part for part in parts if part is not NoneType and (part in CLASSES or len(parts) == 2)]
        of = codec_of(some[0]) if len(some) == 1 else OneOf(tuple(fields_of(part) for part in some))
        return Optional(of) if NoneType in parts else of
    if origin in (Sequence, tuple):
        return List(codec_of(parts[0]), tuple if origin is tuple else list)
    raise TypeError(f"no file may hold {kind}")


def types_of_numbers(kind: Any) -> Iterator[str]:
    """The names of the numpy types in an annotation. Where they stand in it depends on the version of numpy."""
    if isinstance(kind, type) and issubclass(kind, np.generic):
        yield kind.__name__
    for part in get_args(kind):
        yield from types_of_numbers(part)


# Fields that may have more than a file may hold, or whose annotation cannot tell what they have.
EXCEPTIONS: dict[tuple[type, str], Codec] = {
    (SparseRows, "entries"): Sparse(FLOAT),
    (Connection, "rotations"): Array((*FLOAT, *INT), None),
    # Missing neighbours, and columns that are no point, are at infinity.
    (Neighbors, "distances"): Array(FLOAT, ("m", "k"), finite=False),
    (Lists, "blocks"): Array(FLOAT, ("blocks", "coordinates", "columns"), finite=False),
    (MetricSearch, "matrix"): Either(Array(None, ("m", "n")), Sparse(None)),
    (MetricSearch, "metric"): TEXT,
    (Manifold, "metric"): TEXT,
    (Origins, "sources"): FEATURE_NAMES,
}
CODECS: dict[Any, Codec] = {
    bool: TRUTH,
    int: INTEGER,
    float: NUMBER,
    str: TEXT,
    int | str: Parameter(),
    Mapping[str, Any]: Table(others=Parameter()),
    sp.csr_matrix: Sparse(FLOAT),
}
CODECS[Any] = Either(Array(FLOAT, ("m", "n")), fields_of(SparseRows))  # scaled rows, which have no other type
EUCLIDEAN = OneOf((fields_of(ExactSearch), fields_of(LargeSearch)))
EXCEPTIONS |= {(CosineSearch, "euclidean"): EUCLIDEAN, (HellingerSearch, "euclidean"): EUCLIDEAN}
OTHER_SEARCHES = (CosineSearch, HellingerSearch, MetricSearch, DistanceSearch)
CODECS[Search] = OneOf((*EUCLIDEAN.classes, *map(fields_of, OTHER_SEARCHES)))
