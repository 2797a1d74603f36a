"""What can go wrong, by name. Every message says which argument is meant and what to do."""

import inspect
import warnings

PASSED_OVER = ("featmap", "sklearn", "joblib")  # packages whose frames lie between a warning and the user's line


class FeatmapError(Exception):
    """The root of all errors that featmap raises on purpose."""


class InvalidParameterError(FeatmapError, ValueError):
    """A parameter has a value that no fit could use."""


class InvalidRowsError(InvalidParameterError, IndexError):
    """Rows are asked for that are not there, or not in a list."""


class InvalidDataError(FeatmapError, ValueError):
    """The data, or neighbours that came with it, cannot be used."""


class InvalidDataTypeError(InvalidDataError, TypeError):
    """The data do not hold numbers, or are not a table."""


class NotEnoughMemoryError(FeatmapError, MemoryError):
    """A fit would need more memory than there is."""


class DatasetError(FeatmapError, OSError):
    """A data set cannot be had: a file is missing or damaged, or its home cannot be reached."""


class StoreError(FeatmapError, OSError):
    """A file with a model or a checkpoint cannot be read or written, or is not the one that is meant."""


class FitStopped(FeatmapError, RuntimeError):
    """A callback stopped the fit before there was a map."""


class MissingExtraError(FeatmapError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class FeatmapWarning(UserWarning):
    """The fit went on, with something other than what was asked for."""


def warn(message: str) -> None:
    """Give a FeatmapWarning that names the user's line, however deep in a fit it comes up."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED_OVER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, FeatmapWarning, stacklevel=level)
