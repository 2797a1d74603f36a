"""Do the views of a rotating object form a loop on the map?

A loop keeps the order of the views, has no gap, and goes around something. Each condition is tested on its own:

- in order: of the pairs of consecutive views (the last and the first among them) at least 80 % are among each other's
  four nearest within the object, as many as lie within two steps on a loop;
- closed: no step from view to view is longer than a quarter of the largest distance between two views;
- around a hole: the area that the polygon of the views encloses is at least a quarter of their convex hull's.

A milder measure, which decides nothing: whether the views are a ring, in any order and however often they go around.
A ring has a hole: an empty circle with views on all sides of its centre, whose radius is at least 0.4 of half the
largest distance between two views. Few clouds without form have one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, Delaunay, Voronoi
from scipy.spatial.distance import cdist

N_NEAR = 4
LEAST_IN_ORDER = 0.8
LONGEST_STEP = 0.25
LEAST_AREA = 0.25
LEAST_HOLE = 0.4
WIDEST_GAP = np.pi / 2  # between the directions of views, from the centre of a hole


@dataclass(frozen=True)
class Loop:
    """What makes a loop of the views of one object, in their order."""

    in_order: float
    longest_step: float
    enclosed: float
    hole: float

    @property
    def is_in_order(self) -> bool:
        return self.in_order >= LEAST_IN_ORDER

    @property
    def is_closed(self) -> bool:
        return self.longest_step <= LONGEST_STEP

    @property
    def has_a_hole(self) -> bool:
        return self.enclosed >= LEAST_AREA

    @property
    def is_ring(self) -> bool:
        return self.hole >= LEAST_HOLE

    @property
    def is_found(self) -> bool:
        return self.is_in_order and self.is_closed and self.has_a_hole

    @property
    def figures(self) -> dict[str, float]:
        return {name: round(value, 3) for name, value in vars(self).items()}


def loop_of(views: np.ndarray) -> Loop:
    distances = cdist(views, views)
    steps = np.linalg.norm(np.roll(views, -1, axis=0) - views, axis=1)
    longest_step = float(steps.max() / distances.max())
    return Loop(pairs_in_order(distances), longest_step, enclosed_part(views), largest_hole(views))


def pairs_in_order(distances: np.ndarray) -> float:
    """The part of consecutive views that are among each other's nearest."""
    nearest = distances.argsort(axis=1, kind="stable")[:, 1 : N_NEAR + 1]
    is_near = np.zeros(distances.shape, bool)
    np.put_along_axis(is_near, nearest, True, axis=1)
    views = np.arange(len(distances))
    following = np.roll(views, -1)
    return float(np.mean(is_near[views, following] & is_near[following, views]))


def enclosed_part(views: np.ndarray) -> float:
    """Area of the polygon by that of the hull; what an eight goes around both ways cancels out."""
    x, y = (views - views.mean(axis=0)).T
    area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    return float(area / ConvexHull(views).volume)


def largest_hole(views: np.ndarray) -> float:
    """The radius of the largest empty circle among the views, by half the largest distance between two of them.

    Such circles are centred where three views are equally near.
    """
    centers = Voronoi(views).vertices
    centers = centers[Delaunay(views).find_simplex(centers) >= 0]
    steps = views - centers[:, None]
    angles = np.sort(np.arctan2(steps[..., 1], steps[..., 0]), axis=1)
    gaps = np.diff(angles, axis=1, append=angles[:, :1] + 2 * np.pi).max(axis=1)
    radii = np.linalg.norm(steps, axis=2).min(axis=1)[gaps <= WIDEST_GAP]
    return float(2 * radii.max(initial=0) / cdist(views, views).max())
