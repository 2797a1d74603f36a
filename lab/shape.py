"""Does a map keep the shape of each point's neighbourhood: long in the direction in which the data are long?

The 80 nearest rows of a point in the data are split at random into two halves. One half, about its mean, gives the
first two directions v_1, v_2 of the tangent space, and their directions on the map v_1^e, v_2^e by Procrustes: the
rotation or reflection that best turns the tangent coordinates into the coordinates on the map. The other half is
measured, about its mean: its log variances r_1, r_2 along v_1, v_2 in the data and along v_1^e, v_2^e on the map, and
the angle between v_1^e and the direction in which it is longest on the map.

The floor of each figure is the same with the map's coordinates shuffled among the rows of the first half. A frame
that knows nothing of the data still leans towards the long side of a cloud on the map, so that the floor of the angle
is below 45 degrees and that of the mean of r_1 − r_2 above 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from featmap.data.scaling import scale_data
from featmap.metrics.distances import DataDistances
from featmap.metrics.ranks import nearest
from featmap.run import Run

N_ROWS = 2000
N_NEIGHBORS = 80
SMALLEST_SQUARE = 1e-12  # of the first; below, a direction is rounding


@dataclass(frozen=True)
class Shape:
    """Means over points where nothing else is said, angles in degrees; ``*_floor`` with coordinates shuffled."""

    correlation: float  # of r_1 − r_2 in the data with r_1 − r_2 on the map, over points
    correlation_floor: float
    elongation_of_data: float  # mean of r_1 − r_2
    elongation: float
    elongation_floor: float
    angle: float
    angle_floor: float
    median_angle: float
    median_angle_floor: float
    n_points: int  # fewer than asked for if some have no variance along a direction


class Shapes:
    """Measures maps of one data set, whose own side is measured once."""

    def __init__(self, X: np.ndarray, n_rows: int = N_ROWS, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.permutation(len(X))[:n_rows]).astype(np.int32)
        near = rng.permuted(neighbors_of(X, rows), axis=1)
        self.fitted, self.measured = np.split(near[:, : near.shape[1] // 2 * 2], 2, axis=1)
        halves = zip(self.fitted, self.measured, strict=True)
        with threadpool_limits(1):  # small products, for which threads of the library cost more than they do
            sides = [tangent_coordinates(X[fitted], X[measured]) for fitted, measured in halves]
        self.coordinates, measured_coordinates = (np.array(side) for side in zip(*sides, strict=True))
        self.in_data = elongation(measured_coordinates)
        self.shuffles = rng.permuted(np.tile(np.arange(self.fitted.shape[1]), (len(rows), 1)), axis=1)

    def of(self, embedding: np.ndarray) -> Shape:
        """The shape of neighbourhoods on a map (m, 2)."""
        on_map, angle = self.along_frames(embedding, self.fitted)
        floor, angle_floor = self.along_frames(embedding, np.take_along_axis(self.fitted, self.shuffles, axis=1))
        known = np.isfinite(self.in_data) & np.isfinite(on_map) & np.isfinite(floor)
        in_data, on_map, floor = self.in_data[known], on_map[known], floor[known]
        return Shape(
            correlation=float(np.corrcoef(in_data, on_map)[0, 1]),
            correlation_floor=float(np.corrcoef(in_data, floor)[0, 1]),
            elongation_of_data=float(in_data.mean()),
            elongation=float(on_map.mean()),
            elongation_floor=float(floor.mean()),
            angle=float(angle[known].mean()),
            angle_floor=float(angle_floor[known].mean()),
            median_angle=float(np.median(angle[known])),
            median_angle_floor=float(np.median(angle_floor[known])),
            n_points=int(known.sum()),
        )

    def along_frames(self, embedding: np.ndarray, fitted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r_1 − r_2 on the map, and the angle in degrees between v_1^e and the long direction."""
        frames = procrustes(self.coordinates, centered(embedding[fitted]))
        measured = centered(embedding[self.measured])
        return elongation(measured @ frames), angle_between(longest_direction(measured), frames[:, :, 0])


def neighbors_of(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The nearest other rows of some rows in the data."""
    with Run(-1) as run:
        distances = DataDistances.within(scale_data(X))
        return nearest(distances, rows, min(N_NEIGHBORS, len(X) - 1), len(X), run)


def tangent_coordinates(fitted: np.ndarray, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both halves, each about its mean, along the first two directions of the first; 0 along one that is missing.

    Only inner products of rows are needed: the directions are the eigenvectors of those of the first half.
    """
    fitted, measured = centered(fitted), centered(measured)
    gram = fitted @ fitted.T
    squares, vectors = np.linalg.eigh(gram)
    squares, vectors = squares[:-3:-1], vectors[:, :-3:-1]
    exists = squares > SMALLEST_SQUARE * squares[0]
    factors = vectors / np.sqrt(np.where(exists, squares, np.inf))
    return gram @ factors, (measured @ fitted.T) @ factors


def centered(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    return rows - rows.mean(axis=-2, keepdims=True)


def procrustes(coordinates: np.ndarray, on_map: np.ndarray) -> np.ndarray:
    """The frames (points, 2, 2) whose columns are v_1^e and v_2^e."""
    left, _, right = np.linalg.svd(on_map.transpose(0, 2, 1) @ coordinates)
    return left @ right


def elongation(coordinates: np.ndarray) -> np.ndarray:
    """r_1 − r_2 of each point; not finite where a variance is 0."""
    variances = (coordinates**2).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(variances[:, 0]) - np.log(variances[:, 1])


def longest_direction(on_map: np.ndarray) -> np.ndarray:
    return np.linalg.eigh(on_map.transpose(0, 2, 1) @ on_map)[1][:, :, -1]


def angle_between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Degrees from 0 to 90 between lines."""
    return np.degrees(np.arccos(np.minimum(np.abs((first * second).sum(axis=1)), 1)))
