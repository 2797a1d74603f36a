"""Every question about the rows of one map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..checks.arguments import listed, pandas_for
from ..errors import InvalidParameterError, InvalidRowsError
from ..run import SERIAL, Run
from ..run.threads import one_library_thread
from ..values import BoolArray, DoubleArray, WholeArray
from .about_columns import about_columns
from .compared import Compared
from .doubt import doubtful_rows
from .features import Features
from .labels import Labels
from .moves import Mover
from .naming import RegionAnswers
from .place import Places
from .record import Record, make_record
from .regions import Regions, find_regions
from .row_answers import RowAnswers
from .rules import RuleFinder
from .table import Drawn, Table
from .values import BETWEEN, KINDS, PARTED, RESEMBLES, Findings, Move, Region, Rule, Why

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_DOUBTFUL = 100  # rows that findings answer


@dataclass(frozen=True, eq=False)
class Ground:
    """What does not depend on labels."""

    places: Places
    regions: Regions
    features: Features
    together: WholeArray  # (m,) the same number for copies of a row
    least: DoubleArray | None  # (m,) of counts: the smallest of each row above 0

    @classmethod
    def of(cls, table: Table, drawn: Drawn, run: Run) -> Ground:
        places = Places.of(drawn.mapped)
        regions = find_regions(drawn.mapped.embedding, drawn.mapped.manifold.n_neighbors)
        features = Features.of(table, places, drawn.mapped.copies, run)
        return cls(places, regions, features, drawn.mapped.copies, smallest_counts(table))


class MapAnswers:
    """Answers about the rows of one map, by the values and labels that a person knows them by.

    Parameters
    ----------
    table : Table
        The values of the rows.
    drawn : Drawn
        The map of the rows.
    labels : array-like of shape (m,) or None, default=None
        A label for each row; None or NaN where it is not known. Numbers with many values are cut into fifths.
    n_jobs : int or None, default=-1
        The number of threads. Answers never depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> from featmap.answers.asking import MapAnswers
    >>> from featmap.answers.table import Drawn, Table
    >>> iris = load_iris()
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
    >>> table = Table.of_array(iris.data, names=iris.feature_names, unit="flower")
    >>> answers = MapAnswers(table, Drawn(model._points.mapped, lambda rows: rows), iris.target_names[iris.target])
    >>> print(answers.why(0).sentence)
    Setosa among setosa (14 of 14): petal ... (cm) (and 2 that go with it) ..., usually ...
    """

    def __init__(self, table: Table, drawn: Drawn, labels: Any = None, n_jobs: int | None = -1) -> None:
        self.table = table
        self.drawn = drawn
        self.labels = None if labels is None else labels if isinstance(labels, Labels) else Labels.of(labels)
        self.n_jobs = n_jobs
        m = len(drawn.mapped.embedding)
        if table.shape[0] != m:
            raise InvalidParameterError(f"the table has {table.shape[0]} rows, and the map {m}")
        if self.labels is not None and len(self.labels) != m:
            raise InvalidParameterError(f"labels: there are {len(self.labels)}, and the map has {m} rows")

    def labelled(self, labels: Any) -> MapAnswers:
        """The same map with other labels. What does not depend on labels is not computed again."""
        answers = MapAnswers(self.table, self.drawn, labels, self.n_jobs)
        answers.__dict__["ground"] = self.ground
        return answers

    @cached_property
    def ground(self) -> Ground:
        """What does not depend on labels, made by the first question."""
        with Run(self.n_jobs) as run:
            return Ground.of(self.table, self.drawn, run)

    @cached_property
    def compared(self) -> Compared | None:
        """The labels with what is typical of their rows; None without labels."""
        if self.labels is None:
            return None
        with one_library_thread():
            return Compared.of(self.ground.features, self.labels, self.ground.places)

    @cached_property
    def record(self) -> Record:
        """Place, kind and differences of all rows, made by the first question."""
        ground = self.ground
        parts = ground.places, ground.regions, ground.features, self.compared, ground.least
        with Run(self.n_jobs) as run:
            return make_record(*parts, run)

    @cached_property
    def finder(self) -> RuleFinder:
        return RuleFinder(self.ground.features, self.ground.together)

    @cached_property
    def regions(self) -> RegionAnswers:
        ground = self.ground
        embedding = self.drawn.mapped.embedding
        return RegionAnswers(ground.regions, embedding, ground.features, self.finder, self.labels, self.table.unit)

    @cached_property
    def rows(self) -> RowAnswers:
        ground = self.ground
        return RowAnswers(
            self.table, ground.places, ground.features, ground.least, self.compared, self.record, self.regions
        )

    @cached_property
    def mover(self) -> Mover:
        return Mover(self.table, self.drawn, self.ground.features, self.ground.places, SERIAL)

    def why(self, rows: Any, *, target: Any = None, verify: bool = False) -> Why | Region:
        """Why a row lies where it lies; of several rows, what they have in common.

        A move is looked for if the row lies among others, or if a target is given.
        """
        if not isinstance(rows, Integral):
            return self.regions.answer_of_rows(self._mask(rows))
        row = self._row(rows)
        why = self.rows.answer(row)
        if target is None and why.kind not in (PARTED, RESEMBLES, BETWEEN):
            return why
        found = self._move(row, target, verify)
        return replace(why, no_move=found) if isinstance(found, str) else replace(why, move=found)

    def rule(self, rows: Any) -> Rule | None:
        """What tells some rows from all others, or None if no rule holds."""
        return self.finder.find(self._mask(rows))

    def counterfactual(self, row: int, *, target: Any = None, verify: bool = False) -> Move | None:
        """What would move a row among others, or None if no change of up to three groups does.

        The target is a label or the name of a region. By default it is the row's own label if the row lies among
        others, and the nearest other region if not.
        """
        if self.mover.hindrance:
            raise InvalidParameterError(f"counterfactual: {self.mover.hindrance}")
        found = self._move(self._row(row), target, verify)
        return None if isinstance(found, str) else found

    def findings(self) -> Findings:
        """The regions of the map, doubtful rows, and what to know about columns."""
        ground = self.ground
        doubtful = self.doubtful_rows
        not_followed: tuple[str, ...] = ()
        if self.labels is not None and self.compared is not None:
            pairs = zip(self.labels.names, self.compared.places.is_followed, strict=True)
            not_followed = tuple(name for name, is_followed in pairs if not is_followed)
        return Findings(
            self.table.unit,
            len(ground.places.near),
            ground.places.n,
            int(np.median(ground.places.kept)),
            ground.regions.are_islands,
            tuple(self.regions.answer(number) for number in range(len(ground.regions))),
            tuple(self.rows.answer(int(row)) for row in doubtful[:MOST_DOUBTFUL]),
            len(doubtful),
            not_followed,
            tuple(about_columns(self.table, ground.features, ground.places, self.compared)),
            (self.labels.note,) if self.labels is not None and self.labels.note else (),
        )

    @cached_property
    def doubtful_rows(self) -> WholeArray:
        """Rows that lie among others than those of their label, the least probable label first."""
        if self.labels is None or self.compared is None:
            return np.empty(0, np.int32)
        values, together = self.ground.features.values, self.ground.together
        return doubtful_rows(values, self.labels.codes, self.compared.is_odd, together)

    def to_frame(self) -> DataFrame:
        """One line for every row: kind, place, and the feature that is named first."""
        places, told = self.ground.places, self.record.told.feature[:, 0]
        names = np.array([*self.ground.features.names, None], object)
        columns: dict[str, Any] = {
            "row": [self.table.name_of(row) for row in range(len(told))],
            "kind": np.array(KINDS, object)[self.record.kind],
            "region": np.array([self.regions.name(number) for number in range(len(self.regions.regions))], object)[
                self.ground.regions.region
            ],
            "kept": places.kept,
            "n": places.n,
            "feature": names[told],
        }
        if self.labels is not None and self.compared is not None:
            of_labels = np.array([*self.labels.names, None], object)
            compared = self.compared.places
            columns |= {
                "label": of_labels[self.labels.codes],
                "on_map": compared.on_map,
                "in_data": compared.in_data,
                "around": of_labels[compared.around],
                "is_doubtful": np.isin(np.arange(len(told)), self.doubtful_rows),
            }
        return pandas_for("to_frame").DataFrame(columns)

    def _move(self, row: int, target: Any, verify: bool) -> Move | str:
        is_member, name = self._target(row, target)
        return self.mover.find(row, is_member, name, verify)

    def _target(self, row: int, target: Any) -> tuple[BoolArray, str]:
        """The rows among which a row is to lie, and what they are called."""
        region = self.ground.regions.region
        is_misplaced = self.compared is not None and bool((self.compared.is_judged & self.compared.is_odd)[row])
        if target is None and self.labels is not None and is_misplaced:
            own = int(self.labels.codes[row])
            return self.labels.codes == own, self.labels.names[own]
        if target is None:
            number = self.rows.nearest_other_region(row)
            return region == number, self.regions.name(number)
        code = None if self.labels is None else self.labels.number_of(target)
        if self.labels is not None and code is not None:
            return self.labels.codes == code, self.labels.names[code]
        names = [self.regions.name(number) for number in range(len(self.ground.regions))]
        if target not in names:
            known = [*(self.labels.names if self.labels is not None else ()), *names]
            raise InvalidParameterError(
                f"target={target!r}: there is no such label or region; there are {listed(dict.fromkeys(known))}"
            )
        return region == names.index(target), target

    def _row(self, row: Any) -> int:
        m = self.table.shape[0]
        if not isinstance(row, Integral) or not -m <= int(row) < m:
            raise InvalidRowsError(f"row={row!r}: give the number of one of the {m:,} rows, which count from 0")
        return int(row) % m

    def _mask(self, rows: Any) -> BoolArray:
        """Which rows are meant by numbers, a mask or a slice."""
        is_member = np.zeros(self.table.shape[0], bool)
        chosen = rows if isinstance(rows, slice) else np.asarray(rows)
        try:
            if isinstance(chosen, slice) or chosen.size:
                is_member[chosen] = True
        except IndexError as error:
            raise InvalidRowsError(f"rows: there are {len(is_member):,} rows, which count from 0; {error}") from error
        if not is_member.any():
            raise InvalidRowsError("rows: there are none; give at least one")
        return is_member


def smallest_counts(table: Table) -> DoubleArray | None:
    """The smallest stored value of each row of counts: what a single read is."""
    if not table.are_counts:
        return None
    values = sp.csr_matrix(table.values)
    stored = np.where(values.data > 0, values.data, np.inf)
    least = np.zeros(values.shape[0])
    has_any = np.diff(values.indptr) > 0
    least[has_any] = np.minimum.reduceat(stored, values.indptr[:-1][has_any])
    return np.where(np.isfinite(least), least, 0.0)
