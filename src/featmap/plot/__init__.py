"""Pictures of a map and of its features, for a fitted `FeatMAP` or for the `Explanation` of any map.

Every function draws into the Axes given as ``ax``, or into a new figure, and returns the Axes. Nothing is shown until
``pyplot.show()`` is called. A picture of several panels has them as the ``child_axes`` of its Axes: they move with it
in any layout, and are removed when it is cleared. A scikit-learn pipeline whose last step is a fitted `FeatMAP` is
drawn as this last step.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import matplotlib as _matplotlib  # noqa: F401 - only to find out whether it is installed
except ImportError as error:
    raise MissingExtraError("featmap.plot needs matplotlib: pip install 'featmap[plot]'") from error

from .arrow_field import arrow_field
from .compare import compare
from .contrast import contrast
from .density import density
from .embedding import consistency, embedding, feature
from .features_on_map import features_on_map
from .findings import findings
from .importance import importance, saliency
from .local_frame import local_frame
from .perturbation import perturbation
from .why import why

__all__ = [
    "arrow_field",
    "compare",
    "consistency",
    "contrast",
    "density",
    "embedding",
    "feature",
    "features_on_map",
    "findings",
    "importance",
    "local_frame",
    "perturbation",
    "saliency",
    "why",
]
