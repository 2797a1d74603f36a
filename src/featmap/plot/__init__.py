"""Pictures of a fitted map: the map itself, the local frame of a point, the importance of its pixels.

Every function draws into the Axes it is given, or into a new figure, and returns the Axes; none shows anything.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import matplotlib as _matplotlib  # noqa: F401 - only to learn whether it is there
except ImportError as error:
    raise MissingExtraError("featmap.plot needs matplotlib: pip install 'featmap[plot]'") from error

from .frame import local_frame
from .pixels import saliency
from .points import embedding

__all__ = ["embedding", "local_frame", "saliency"]
