"""Shapes of images whose pixels are features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import InvalidParameterError

Shape = tuple[int, int, int]  # height, width, channels


def checked_shape(caller: str, image_shape: Any, n_features: int) -> Shape:
    """Return height, width and channels of images with one pixel per feature."""
    shape = tuple(np.atleast_1d(image_shape).tolist())
    whole = all(isinstance(length, int) and length > 0 for length in shape)
    if len(shape) not in (2, 3) or not whole or math.prod(shape) != n_features:
        raise InvalidParameterError(
            f"{caller}(image_shape={image_shape!r}): image_shape must be (height, width) or "
            f"(height, width, channels) with one value per feature; the model has {n_features} features"
        )
    height, width, channels = (*shape, 1)[:3]
    return height, width, channels
