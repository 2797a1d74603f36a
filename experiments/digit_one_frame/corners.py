"""Where a stroke has its corners, and how far pixels are from them."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter, maximum_filter, sobel
from scipy.spatial.distance import cdist

from ..edges import gradient_magnitude

N_PIXELS = 10
STROKE = 0.5  # of the brightest value: pixels above are of the stroke itself
HARRIS_WEIGHT = 0.05
LEAST_RESPONSE = 0.1  # of an image's largest corner response
WINDOW = 5  # pixels; a corner has the largest response of the window around it


def corner_response(image: np.ndarray) -> np.ndarray:
    """The corner response of Harris and Stephens, which is large where the image changes along both axes."""
    down, across = sobel(image, 0), sobel(image, 1)
    yy, xx, xy = (gaussian_filter(product, 1.0) for product in (down**2, across**2, down * across))
    return xx * yy - xy**2 - HARRIS_WEIGHT * (xx + yy) ** 2


def corners(image: np.ndarray) -> np.ndarray:
    """Positions of the corners, (corners, 2). The ends of a stroke have corners, too."""
    response = corner_response(image)
    is_peak = (response == maximum_filter(response, WINDOW)) & (response > LEAST_RESPONSE * response.max())
    return np.argwhere(is_peak)


def stroke_ends(image: np.ndarray) -> np.ndarray:
    """The two pixels of the stroke that lie furthest along its longest extent: (2, 2)."""
    stroke = np.argwhere(image > STROKE * image.max())
    along = (stroke - stroke.mean(axis=0)) @ np.linalg.svd(stroke - stroke.mean(axis=0), full_matrices=False)[2][0]
    return stroke[[along.argmin(), along.argmax()]]


def chosen_pixels(image: np.ndarray, important: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Ten pixels each: the most important, those with the largest gradient, and random ones of the stroke."""
    gradient = gradient_magnitude(image.reshape(1, -1), image.shape)[0]
    stroke = np.flatnonzero(image > STROKE * image.max())
    numbers = {
        "important pixels": important,
        "pixels of largest gradient": np.argsort(-gradient, kind="stable")[:N_PIXELS],
        "random pixels of the stroke": rng.choice(stroke, N_PIXELS, replace=False),
    }
    return {name: np.stack(np.unravel_index(each, image.shape), axis=1) for name, each in numbers.items()}


def distances_to_nearest(pixels: np.ndarray, targets: np.ndarray) -> np.ndarray:
    return cdist(pixels, targets).min(axis=1)


def distances(images: np.ndarray, important: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """By choice of pixels: how far each is from the nearest corner and from the nearer end, (images, pixels)."""
    rng = np.random.default_rng(0)
    chosen = [chosen_pixels(image, pixels, rng) for image, pixels in zip(images, important, strict=True)]
    at_corners, at_ends = [corners(image) for image in images], [stroke_ends(image) for image in images]
    return from_targets(chosen, at_corners), from_targets(chosen, at_ends)


def from_targets(chosen: list[dict[str, np.ndarray]], targets: list[np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: np.array([distances_to_nearest(of[name], at) for of, at in zip(chosen, targets, strict=True)])
        for name in chosen[0]
    }


def mean_by_digit(far: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: each.mean(axis=1) for name, each in far.items()}


def shares_within(radius: float, far: dict[str, np.ndarray]) -> dict[str, float]:
    return {name: round(float(np.mean(each <= radius)), 4) for name, each in far.items()}
