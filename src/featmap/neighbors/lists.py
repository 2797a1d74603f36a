"""Lists of points, stored as kernels scan them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ..kernels.search import BLOCK_COLUMNS, NO_KEY, scan_lists
from ..run import Run
from ..values import MAY_BE_INFINITE, FloatArray, IntArray
from .search import Found

BLOCKS_AT_ONCE = 16  # of lists that are filled again


@dataclass(frozen=True)
class Lists:
    """Lists of points. Each is stored by columns, in blocks of a fixed number, the last filled up with infinity."""

    blocks: Annotated[FloatArray, "(blocks, coordinates, columns)", MAY_BE_INFINITE]
    first_blocks: Annotated[NDArray[np.int64], "(lists + 1,)"]  # where each list begins
    members: Annotated[IntArray, "(blocks, columns)"]  # the number of the point in a column, −1 for none

    def __len__(self) -> int:
        return len(self.first_blocks) - 1

    @property
    def places(self) -> np.ndarray:
        """The columns that hold points, list by list; those of the first block come first."""
        return np.flatnonzero(self.members.ravel() >= 0)

    @property
    def n_members(self) -> int:
        return int((self.members >= 0).sum())

    @classmethod
    def fill(cls, points: FloatArray, numbers: IntArray, homes: IntArray, n_lists: int, run: Run) -> Lists:
        """Put every point, under its number, into the list that is its home."""
        sizes = np.bincount(homes, minlength=n_lists)
        first_blocks = np.append(0, np.cumsum(-(-sizes // BLOCK_COLUMNS)))
        order = np.argsort(homes, kind="stable")
        positions = np.empty(len(points), np.int64)
        positions[order] = np.arange(len(points)) + np.repeat(
            first_blocks[:-1] * BLOCK_COLUMNS - (np.cumsum(sizes) - sizes), sizes
        )
        blocks = np.full((first_blocks[-1], points.shape[1], BLOCK_COLUMNS), np.inf, np.float32)
        members = np.full((first_blocks[-1], BLOCK_COLUMNS), -1, np.int32)

        def task(start: int, stop: int) -> None:
            block, column = np.divmod(positions[start:stop], BLOCK_COLUMNS)
            blocks[block, :, column] = points[start:stop]
            members[block, column] = numbers[start:stop]

        run.over_rows(len(points), task)
        return cls(blocks, first_blocks, members)

    @classmethod
    def refilled(
        cls,
        first_blocks: np.ndarray,
        members: IntArray,
        points: Callable[[IntArray], FloatArray],
        n_coordinates: int,
        run: Run,
    ) -> Lists:
        """Lists whose members are known. ``points`` gives the coordinates of some of these."""
        blocks = np.full((len(members), n_coordinates, BLOCK_COLUMNS), np.inf, np.float32)

        def task(start: int, stop: int) -> None:
            block, column = np.nonzero(members[start:stop] >= 0)
            blocks[start + block, :, column] = points(members[start + block, column])

        run.over_rows(len(members), task, BLOCKS_AT_ONCE)
        return cls(blocks, first_blocks, members)

    def points_at(self, places: np.ndarray) -> FloatArray:
        """The coordinates of the points in some columns."""
        block, column = np.divmod(places, BLOCK_COLUMNS)
        return self.blocks[block, :, column]

    def nearest(self, points: FloatArray, lists: IntArray, n_wanted: int) -> Found:
        """The nearest members of each point's lists, by (float32 squared distance, number). List −1 is none."""
        keys = np.full((len(points), n_wanted), NO_KEY, np.int64)
        # The nearest list first, since its members rule out most of the others'.
        for part in (lists[:, :1], lists[:, 1:]):
            # Sorted here, since numba takes a second to compile a sort.
            order, width = np.argsort(part, axis=None, kind="stable"), max(part.shape[1], 1)
            visited = part.ravel()[order]
            scan_lists(points, order // width, visited, self.blocks, self.first_blocks, self.members, keys)
        # The low half of a key is the number, the high half the bits of the distance.
        return keys.astype(np.int32), (keys >> 32).astype(np.int32).view(np.float32)
