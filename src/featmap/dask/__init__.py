"""featMAP for data that outgrow one machine: a fit on a Dask cluster, with the bytes of the local fit."""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise MissingExtraError("featmap.dask needs dask: pip install 'featmap[dask]'") from error

from .estimator import FeatMAP

__all__ = ["FeatMAP"]
