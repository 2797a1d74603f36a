"""Pictures of a map that is kept in an AnnData, in the conventions of scanpy's ``pl``.

They are those of `featmap.plot`, which draws more: ``model = featmap.tl.model(adata)`` is what its functions take.
Every function draws into the Axes given as ``ax``, or into a new figure, and returns the Axes.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import anndata as _anndata  # noqa: F401 - only to find out whether it is installed
except ImportError as error:
    raise MissingExtraError("featmap.pl needs anndata: pip install 'featmap[anndata,plot]'") from error

from .drawing import arrows, embedding, features_on_map, why

__all__ = ["arrows", "embedding", "features_on_map", "why"]
