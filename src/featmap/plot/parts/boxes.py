"""Places for boxes of text: none overlaps another, each as near as possible to what it names."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

N_DIRECTIONS = 24
N_DISTANCES = 40
N_COMPARED = 150  # free places, the cheapest ones, that are compared by what they would cover
STEP = 0.5  # distances are tried in steps of so many heights of the box
TURN = 2.0  # price of the direction opposite to the wanted one, in heights of the box
OUTSIDE = 1e3  # a box that finds no free place overlaps others rather than leaving the room
COVER = 3.0  # price of covering something that should stay visible, in heights of the box


@dataclass(frozen=True)
class Wish:
    """Where a box would like to be: at its anchor, or beside it if there is something to keep clear of.

    ``clear`` is the distance of the box from the anchor. ``away`` is the direction in which the box should lie from
    there; (0, 0) if any will do. With ``clear=None`` the anchor is in the middle of the box.
    """

    anchor: np.ndarray
    size: np.ndarray
    clear: float | None = None
    away: np.ndarray = field(default_factory=lambda: np.zeros(2))


def place_boxes(wishes: list[Wish], room: np.ndarray, visible: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the centres of the boxes, and whether all of them are within the room and overlap nowhere.

    ``room`` has the lower left and the upper right corner, shape (2, 2). ``visible`` are places that boxes should
    not cover, shape (n_places, 2). Boxes are placed one after the other, so the first ones get the best places. A box
    for which there is no free place is put where it overlaps others least.
    """
    centres = np.empty((len(wishes), 2))
    sizes = np.array([wish.size for wish in wishes]).reshape(-1, 2)
    all_free = True
    for number, wish in enumerate(wishes):
        candidates, prices = _candidates(wish)
        outside = _outside(candidates, wish.size, room)
        overlap = _overlap(candidates, wish.size, centres[:number], sizes[:number])
        forbidden = OUTSIDE * outside + overlap
        cheapest = np.lexsort((prices, forbidden))[:N_COMPARED]
        cheapest = cheapest[forbidden[cheapest] <= forbidden[cheapest[0]]]
        covered = COVER * wish.size[1] * _covered(candidates[cheapest], wish.size, visible)
        best = cheapest[(prices[cheapest] + covered).argmin()]
        all_free &= bool(forbidden[best] <= 0)
        centres[number] = candidates[best]
    return centres, all_free


def _candidates(wish: Wish) -> tuple[np.ndarray, np.ndarray]:
    """Return centres around the anchor, and what each of them costs: its distance, and the turn from ``away``."""
    angles = 2 * np.pi * np.arange(N_DIRECTIONS) / N_DIRECTIONS
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    height = float(wish.size[1])
    steps = STEP * height * np.arange(N_DISTANCES)
    if wish.clear is None:
        distances = np.tile(steps, (N_DIRECTIONS, 1))
    else:
        distances = steps + (wish.clear + _to_border(directions, wish.size))[:, None]
    turn = TURN * height * (np.linalg.norm(wish.away) - directions @ wish.away) / 2
    centres = wish.anchor + distances[:, :, None] * directions[:, None]
    return centres.reshape(-1, 2), (steps + turn[:, None]).ravel()


def _to_border(directions: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return how far it is from the centre of a box to its border in each direction."""
    return (size / 2 / np.maximum(np.abs(directions), 1e-9)).min(axis=1)


def _outside(centres: np.ndarray, size: np.ndarray, room: np.ndarray) -> np.ndarray:
    """Return how far each box sticks out of the room, times its height, to be compared with areas."""
    beyond = np.maximum(room[0] - (centres - size / 2), 0) + np.maximum(centres + size / 2 - room[1], 0)
    return beyond.sum(axis=1) * size[1]


def _overlap(centres: np.ndarray, size: np.ndarray, others: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the area of other boxes that each box covers."""
    gaps = np.abs(centres[:, None] - others) - (size + sizes) / 2
    return np.prod(np.maximum(-gaps, 0), axis=2).sum(axis=1)


def _covered(centres: np.ndarray, size: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the number of places that each box covers."""
    return (np.abs(centres[:, None] - places) < size / 2).all(axis=2).sum(axis=1)
