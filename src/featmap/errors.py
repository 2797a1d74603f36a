"""The errors and warnings of featmap. Every message names the argument and says what to do."""

import inspect
import warnings

PASSED_OVER = ("featmap", "sklearn", "joblib")  # packages whose frames lie between a warning and the line of the user


class FeatmapError(Exception):
    """The base class of all errors that featmap raises on purpose."""


class InvalidParameterError(FeatmapError, ValueError):
    """A parameter has a value that is not allowed."""


class InvalidRowsError(InvalidParameterError, IndexError):
    """The rows asked for do not exist, or are not given as a list."""


class InvalidDataError(FeatmapError, ValueError):
    """The data, or the neighbours given with them, cannot be used."""


class InvalidDataTypeError(InvalidDataError, TypeError):
    """The data are not numbers, or are not a table."""


class NotEnoughMemoryError(FeatmapError, MemoryError):
    """A fit would need more memory than is available."""


class DatasetError(FeatmapError, OSError):
    """A data set cannot be loaded: a file is missing or damaged, or its source cannot be reached."""


class StoreError(FeatmapError, OSError):
    """A file with a model or a checkpoint cannot be read or written, or is not the file that is expected."""


class FitStopped(FeatmapError, RuntimeError):
    """A callback stopped the fit before there was a map."""


class ClusterError(FeatmapError, RuntimeError):
    """A fit on a cluster cannot go on, since its workers are gone or die again and again."""


class MissingExtraError(FeatmapError, ImportError):
    """An optional package is missing. The message names the extra that installs it."""


class FeatmapWarning(UserWarning):
    """The fit continued, but not exactly as asked for."""


def warn(message: str) -> None:
    """Issue a FeatmapWarning that names the line of the user, from any depth of a fit."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PASSED_OVER:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, FeatmapWarning, stacklevel=level)
