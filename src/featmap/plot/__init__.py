"""Pictures of a map and its features: of a fitted `FeatMAP`, or of the `Explanation` of any map.

Every function draws into the Axes it is given, or into a new figure, and returns the Axes; none shows anything. A
picture of several panels leaves the Axes empty but for the panels, which are its ``child_axes``: they take its place
in any layout, and go when it is cleared.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import matplotlib as _matplotlib  # noqa: F401 - only to learn whether it is there
except ImportError as error:
    raise MissingExtraError("featmap.plot needs matplotlib: pip install 'featmap[plot]'") from error

from .coloured import alignment, feature
from .curves import perturbation
from .densities import density
from .field import arrow_field
from .frame import local_frame
from .groups import contrast
from .importance import importance_bar, importance_heatmap
from .pixels import saliency, saliency_montage
from .point import explain_point
from .points import embedding
from .side_by_side import compare, density_strip

__all__ = [
    "alignment",
    "arrow_field",
    "compare",
    "contrast",
    "density",
    "density_strip",
    "embedding",
    "explain_point",
    "feature",
    "importance_bar",
    "importance_heatmap",
    "local_frame",
    "perturbation",
    "saliency",
    "saliency_montage",
]
