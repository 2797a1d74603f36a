"""The codec of a class of values follows from its fields and their annotations. A new field changes the format."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..data.scaling import ScaledData
from ..data.sparse import Matrix, SparseRows
from ..explanation.points import MappedData
from ..neighbors.exact import ExactSearch
from ..neighbors.given_distances import DistanceSearch
from ..neighbors.large import LargeSearch
from ..neighbors.list_search import Partition, UnfilledSearch
from ..neighbors.other import CosineSearch, HellingerSearch, MetricSearch
from ..neighbors.search import Search
from ..values import MAY_BE_INFINITE, Tangents
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
# Fields that are made again when they are needed, or that the model of a user never has.
NOT_STORED = {
    ScaledData: {"units"},
    Tangents: {"leading"},
    Partition: {"numbers"},
    MappedData: {"by_another_method", "deferred"},
}
# Kinds of a field that no saved model has: the lists of a search are filled after a fit, and functions are refused.
NEVER_STORED = (UnfilledSearch, Callable[..., Any])


def fields_of(made: type, *, without: Collection[str] = ()) -> Fields:
    """The codec of a class, from its fields and their annotations."""
    kinds, left_out = get_type_hints(made, include_extras=True), {*NOT_STORED.get(made, ()), *without}
    return Fields(made, {part.name: codec_of(kinds[part.name]) for part in fields(made) if part.name not in left_out})


def codec_of(kind: Any) -> Codec:
    """The codec of an annotation."""
    if kind in CODECS:
        return CODECS[kind]
    if isinstance(kind, type) and is_dataclass(kind):
        return fields_of(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:  # Annotated[NDArray[np.float32], "(m, k)"]
        array, shape, *rest = parts
        sizes = None if "..." in shape else tuple(re.findall(r"[^(), ][^(),]*", shape))
        return Array(tuple(types_of_numbers(array)), sizes, finite=MAY_BE_INFINITE not in rest)
    if origin in (Union, UnionType):
        stored = [part for part in parts if part is not NoneType and part not in NEVER_STORED]
        of = codec_of(stored[0]) if len(stored) == 1 else OneOf(tuple(fields_of(part) for part in stored))
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


CODECS: dict[Any, Codec] = {
    bool: TRUTH,
    int: INTEGER,
    float: NUMBER,
    str: TEXT,
    int | str: Parameter(),
    Mapping[str, Any]: Table(others=Parameter()),
    NDArray[np.object_]: FEATURE_NAMES,
    sp.csr_matrix: Sparse(FLOAT),
    np.ndarray | sp.csr_matrix: Either(Array(None, ("m", "n")), Sparse(None)),  # rows as the user gave them
}
CODECS[Matrix] = Either(Array(FLOAT, ("m", "n")), fields_of(SparseRows))  # scaled rows, which have no other type
CODECS[Search] = codec_of(ExactSearch | LargeSearch | CosineSearch | HellingerSearch | MetricSearch | DistanceSearch)
