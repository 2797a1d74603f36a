"""featMAP: maps of data that keep their features.

Names are resolved when they are first used, so that importing this package is immediate.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import (
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
    from .estimator import FeatMAP, explain
    from .explanation import Explanation
    from .memory import estimate_memory

__version__ = "0.1.0"

_HOMES = {
    "DatasetError": "errors",
    "Explanation": "explanation",
    "FeatMAP": "estimator",
    "FeatmapError": "errors",
    "FeatmapWarning": "errors",
    "FitStopped": "errors",
    "InvalidDataError": "errors",
    "InvalidDataTypeError": "errors",
    "InvalidParameterError": "errors",
    "InvalidRowsError": "errors",
    "MissingExtraError": "errors",
    "NotEnoughMemoryError": "errors",
    "estimate_memory": "memory",
    "StoreError": "errors",
    "explain": "estimator",
}

__all__ = [
    "DatasetError",
    "Explanation",
    "FeatMAP",
    "FeatmapError",
    "FeatmapWarning",
    "FitStopped",
    "InvalidDataError",
    "InvalidDataTypeError",
    "InvalidParameterError",
    "InvalidRowsError",
    "MissingExtraError",
    "NotEnoughMemoryError",
    "StoreError",
    "__version__",
    "estimate_memory",
    "explain",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
