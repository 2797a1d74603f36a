"""Is it the rotation that importance shows in views of a rotating object?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..edges import correlations, gradient_magnitude, others_of_another_class


def views_in_order(objects: Bunch) -> np.ndarray:
    """Rows of the data: (objects, views), by angle."""
    by_angle = np.lexsort([objects.angle, objects.target])
    return by_angle.reshape(len(np.unique(objects.target)), -1)


def difference_images(objects: Bunch) -> np.ndarray:
    """For each view, the absolute difference of each pixel between the view before and the view after it."""
    views = views_in_order(objects)
    out = np.empty_like(objects.data)
    out[views] = np.abs(objects.data[np.roll(views, -1, axis=1)] - objects.data[np.roll(views, 1, axis=1)])
    return out


def correlations_with_importance(model: Any, objects: Bunch) -> dict[str, np.ndarray]:
    """What the importance of each view follows, over the pixels that vary in the data."""
    varying = objects.data.std(axis=0) > 0
    rows = np.arange(len(objects.data))
    importance = model.feature_importance()[:, varying]
    change = difference_images(objects)
    rivals = {
        "change between the views before and after": change,
        "gradient magnitude": gradient_magnitude(objects.data, objects.image_shape),
        "pixel intensity": objects.data,
        "change of another object": change[others_of_another_class(objects.target, rows)],
    }
    return {name: correlations(rival[:, varying], importance) for name, rival in rivals.items()}
