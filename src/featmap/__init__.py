"""featMAP: maps of data that keep their features.

Names and subpackages are resolved when they are first used, so that importing this package is immediate. Only the
errors are here at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    ClusterError,
    DatasetError,
    FeatmapError,
    FeatmapWarning,
    FitStopped,
    InvalidDataError,
    InvalidDataTypeError,
    InvalidParameterError,
    InvalidRowsError,
    MissingExtraError,
    NotEnoughMemoryError,
    StoreError,
)

if TYPE_CHECKING:
    from . import dask, datasets, explorer, metrics, pl, plot, tl
    from .estimator import FeatMAP
    from .explanation import Explanation
    from .explanation.any_map import explain
    from .explanation.backing import Backing
    from .explanation.contrast import Contrast, FeatureRanking
    from .explanation.map_variance import MapVariance
    from .explanation.perturbation import Perturbation
    from .explanation.trust import Trust
    from .explanation.why import Change, Hidden, SetApart, Unlike, Why
    from .memory import estimate_memory
    from .paper.estimator import PaperFeatMAP
    from .preparation.pipelines import in_original_units
    from .preparation.prepare import Prepare
    from .run.progress import FitReport
    from .tables.making import map_table
    from .tables.table_map import TableMap, load

__version__ = "0.2.0.dev0"

_SUBPACKAGES = ("dask", "datasets", "explorer", "metrics", "pl", "plot", "tl")
_HOMES = {
    "Backing": "explanation.backing",
    "Change": "explanation.why",
    "Contrast": "explanation.contrast",
    "Explanation": "explanation",
    "FeatMAP": "estimator",
    "FeatureRanking": "explanation.contrast",
    "FitReport": "run.progress",
    "Hidden": "explanation.why",
    "MapVariance": "explanation.map_variance",
    "PaperFeatMAP": "paper.estimator",
    "Perturbation": "explanation.perturbation",
    "Prepare": "preparation.prepare",
    "SetApart": "explanation.why",
    "TableMap": "tables.table_map",
    "Trust": "explanation.trust",
    "Unlike": "explanation.why",
    "Why": "explanation.why",
    "estimate_memory": "memory",
    "explain": "explanation.any_map",
    "in_original_units": "preparation.pipelines",
    "load": "tables.table_map",
    "map_table": "tables.making",
}

__all__ = [
    "Backing",
    "Change",
    "ClusterError",
    "Contrast",
    "DatasetError",
    "Explanation",
    "FeatMAP",
    "FeatmapError",
    "FeatmapWarning",
    "FeatureRanking",
    "FitReport",
    "FitStopped",
    "Hidden",
    "InvalidDataError",
    "InvalidDataTypeError",
    "InvalidParameterError",
    "InvalidRowsError",
    "MapVariance",
    "MissingExtraError",
    "NotEnoughMemoryError",
    "PaperFeatMAP",
    "Perturbation",
    "Prepare",
    "SetApart",
    "StoreError",
    "TableMap",
    "Trust",
    "Unlike",
    "Why",
    "__version__",
    "dask",
    "datasets",
    "estimate_memory",
    "explain",
    "explorer",
    "in_original_units",
    "load",
    "map_table",
    "metrics",
    "pl",
    "plot",
    "tl",
]


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
