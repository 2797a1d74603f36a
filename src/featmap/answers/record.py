"""One record for all rows: place, kind and differences, made in one pass over blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..run import Run
from ..values import BoolArray, DoubleArray, WholeArray
from .compared import Compared
from .differences import AROUND, NONE, Sources, Told, of_rows_without_label
from .features import Features
from .kinds import OUTLYING, kinds_of
from .place import Places
from .regions import Regions

BLOCK = 512


@dataclass(frozen=True, eq=False)
class Record:
    """What is known of every row before anyone asks."""

    kind: Annotated[WholeArray, "(m,)"]
    told: Told
    measures_like_around: BoolArray  # (m,) whether all features together speak for the rows around


def make_record(
    places: Places,
    regions: Regions,
    features: Features,
    compared: Compared | None,
    least: DoubleArray | None,
    run: Run,
) -> Record:
    """The record of all rows. ``least`` is the smallest count of each row, if features are counts."""
    told, like_around = _told_by_labels(len(places.near), features, compared, least, run)
    told_around = ((told.side == AROUND) & (told.feature != NONE)).any(axis=1)
    kind = kinds_of(places, regions, compared, told_around)
    has_label = np.zeros(len(kind), bool) if compared is None else compared.labels.codes >= 0
    rows = np.flatnonzero(~has_label | (kind == OUTLYING)).astype(np.int32)
    told.put(rows, _told_without_label(rows, places, features, least, run))
    return Record(kind, told, like_around)


def _told_by_labels(
    m: int, features: Features, compared: Compared | None, least: DoubleArray | None, run: Run
) -> tuple[Told, BoolArray]:
    if compared is None:
        return Told.nothing(m), np.zeros(m, bool)

    def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
        rows = np.arange(start, stop)
        has_label = compared.labels.codes[rows] >= 0
        told, like_around = Told.nothing(len(rows)), np.zeros(len(rows), bool)
        of_labelled, like_around[has_label] = compared.tell(features, rows[has_label], least)
        told.put(has_label, of_labelled)
        return told.feature, told.side, told.evidence, like_around

    feature, side, strength, like_around = run.by_blocks(m, body, BLOCK)
    return Told(feature, side, strength), like_around


def _told_without_label(
    rows: WholeArray, places: Places, features: Features, least: DoubleArray | None, run: Run
) -> Told:
    def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
        here = rows[start:stop]
        sources = Sources.of(features, here, least)
        told = of_rows_without_label(features, places, sources, here)
        return told.feature, told.side, told.evidence

    return Told(*run.by_blocks(len(rows), body, BLOCK))
