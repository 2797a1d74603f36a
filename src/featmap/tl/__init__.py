"""featMAP for single cells in AnnData, in the conventions of scanpy's ``tl``.

`featmap` makes a map and writes it into the AnnData. The other functions answer from what it wrote, so they work as
well after the AnnData has been written to a file and read again. The first question about an AnnData takes longer
than the next. `model` gives the model behind the map, which answers all other questions.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import anndata as _anndata  # noqa: F401 - only to find out whether it is installed
except ImportError as error:
    raise MissingExtraError("featmap.tl needs anndata: pip install 'featmap[anndata]'") from error

from .answering import answers
from .asking import importance, model, why
from .fitting import featmap
from .ranking import rank_features

__all__ = ["answers", "featmap", "importance", "model", "rank_features", "why"]
