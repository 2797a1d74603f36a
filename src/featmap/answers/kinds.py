"""What sort of answer a row gets: decided for all rows, without a search."""

from __future__ import annotations

import numpy as np

from ..values import BoolArray, WholeArray
from .compared import MINORITY, Compared
from .place import Places
from .regions import Regions

PARTED, RESEMBLES, BETWEEN, OUTLYING, TYPICAL = range(5)
MISPLACED = 0.2  # share of the own label on the map
KIN = 0.5  # share of the own label, or of another island, in the data
FEW_KEPT = 3
UNUSUAL = 0.99


def kinds_of(places: Places, regions: Regions, compared: Compared | None, told_around: BoolArray) -> WholeArray:
    """The kind of each row; ``told_around`` says for which rows a feature speaks for the rows around: (m,)."""
    kind = np.full(len(places.near), TYPICAL, np.int32)
    kind[is_outlying(places)] = OUTLYING
    is_judged = np.zeros(len(kind), bool)
    if compared is not None:
        is_judged = compared.is_judged
        on_map, in_data = compared.places.share_on_map, compared.places.share_in_data
        is_misplaced = is_judged & (on_map < MISPLACED)
        kind[is_judged & (on_map < MINORITY)] = BETWEEN
        kind[is_misplaced & (in_data < KIN) & told_around] = RESEMBLES
        kind[is_misplaced & (in_data >= KIN)] = PARTED
    kind[~is_judged & is_parted(places, regions)] = PARTED
    return kind


def is_outlying(places: Places) -> BoolArray:
    """The one percent of the rows that are farthest from their nearest, relative to what is usual there."""
    return places.outlier > np.quantile(places.outlier, UNUSUAL)


def is_parted(places: Places, regions: Regions) -> BoolArray:
    """Half of its nearest rows in the data lie together in another island, and hardly any near it on the map."""
    if not regions.are_islands:
        return np.zeros(len(places.near), bool)
    return (2 * elsewhere(places, regions)[1] >= places.n) & (places.kept < FEW_KEPT)


def elsewhere(places: Places, regions: Regions) -> tuple[WholeArray, WholeArray]:
    """The other region in which most of a row's nearest rows in the data lie, and how many: (m,)."""
    m, n_regions = len(places.near), len(regions)
    region, n_there = np.full(m, -1, np.int32), np.zeros(m, np.int32)
    of_neighbors = regions.region[places.data]
    for number in range(n_regions):
        count = (of_neighbors == number).sum(axis=1)
        better = (count > n_there) & (regions.region != number)
        region[better], n_there[better] = number, count[better]
    return region, n_there
