"""Computes what `ExplanationMixin` documents, for the points of a map. Loaded with the first question."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..checks.arguments import checked_count, checked_rate, pandas_for
from ..checks.rows import check_order, checked_rows, grouped
from ..data.units import first_of_each
from ..errors import InvalidParameterError, InvalidRowsError
from ..run import Run
from ..run.threads import BLOCK
from ..tangents.axes import feature_importance, loadings
from ..tangents.consistency import mean_consistency
from ..values import DoubleArray, IntArray
from .apart import Comparison
from .arrows import (
    KINDS,
    SCORED,
    arrows_of_rows,
    explained_variance,
    fidelity,
    frame_arrows_of,
    points_at_once,
    scored,
)
from .asking_why import answer
from .backing import Backing, backing
from .chance import beats_chance
from .contrast import Contrast, FeatureRanking
from .dependence import joined_with_groups
from .groups import contrast, rank_features
from .map_variance import MapVariance, explained_by_map
from .mixin import SAMPLE
from .neighborhoods import Neighborhoods
from .ordering import checked_order
from .points import Points
from .regression import default_neighbors
from .trust import Trust, measure_trust
from .why import Why

FEWEST_CROSS_FITTED = 4  # of a regression that can be cross-fitted
SAMPLED_ROWS = 1000


class Answers:
    """Answers about points of a map. Names are None where the data had none."""

    def __init__(
        self,
        points: Points,
        feature_names: np.ndarray | None,
        row_names: np.ndarray | None,
        n_jobs: int | None,
        verbose: bool = False,
    ) -> None:
        self.points = points
        self.data, self.space = points.mapped.data, points.mapped.space
        self.components = points.mapped.manifold.components
        self.dim = points.embedding.shape[1]
        self.feature_names = feature_names
        self.row_names = row_names
        self.n_jobs = n_jobs
        self.verbose = verbose

    def feature_importance(self, rows: Any, out: np.ndarray | None = None) -> np.ndarray:
        with Run(self.n_jobs) as run:
            return feature_importance(self.space, self.points.tangents, self.rows(rows), run, out, self.components)

    def loadings(self, rows: Any) -> np.ndarray:
        with Run(self.n_jobs) as run:
            return loadings(self.space, self.points.tangents, self.rows(rows), self.dim, run, self.components)

    def arrows(self, rows: Any, kind: str, n_neighbors: int | None) -> DoubleArray:
        _check_kind("arrows", kind, KINDS)
        near, chosen = self._near("arrows", n_neighbors), self.rows(rows)
        if kind == "frame":  # it needs no rows around, and its arrows have no unit
            frames = partial(frame_arrows_of, self.points)
            return self._by_blocks(chosen, frames, self.data.rows_per_block(self.points.tangents.neighbors.shape[1]))
        with Run(self.n_jobs) as run:
            return arrows_of_rows(kind, self.points, chosen, *near, run)

    def significant_arrows(self, rows: Any, n_neighbors: int | None, rate: float, groups: Any) -> np.ndarray:
        checked_rate("significant_arrows", rate)
        near = self._near("significant_arrows", n_neighbors, groups)

        def of_block(chosen: IntArray, around: Neighborhoods) -> np.ndarray:
            shown = explained_variance(self.points, chosen, around) > 0
            return shown & beats_chance(self.points, chosen, around, rate)

        return self._around_rows(rows, near, of_block).astype(bool)

    def explained_variance(self, rows: Any, n_neighbors: int | None, groups: Any) -> DoubleArray:
        near = self._near("explained_variance", n_neighbors, groups)
        return self._around_rows(self._or_sample(rows), near, partial(explained_variance, self.points))

    def fidelity(self, rows: Any, kind: str, n_neighbors: int | None, groups: Any) -> DoubleArray:
        _check_kind("fidelity", kind, SCORED)
        near = self._near("fidelity", n_neighbors, groups)
        score = partial(fidelity, scored(kind, self.points, *near), self.points)
        return self._around_rows(self._or_sample(rows), near, score)

    def trust(self, kind: str, n_neighbors: int | None, groups: Any) -> Trust:
        _check_kind("trust", kind, KINDS)
        mapped, (k, units) = self.points.mapped, self._near("trust", n_neighbors, groups)

        def measured() -> Trust:
            with Run(self.n_jobs) as run:
                trust = measure_trust(mapped, kind, k, units, run)
            return replace(trust, by_another_method=mapped.by_another_method)

        return mapped.kept(("trust", kind, k), measured) if groups is None else measured()

    @property
    def known_trust(self) -> Trust | None:
        """The trust in the arrows that are drawn by default, if it has been measured."""
        mapped = self.points.mapped
        return mapped.known(("trust", "blend", default_neighbors(len(mapped.embedding))))

    def why(self, rows: Any, k: int, groups: Any, feature_names: Any) -> Why:
        checked_count("why", "k", k, 1)
        near = self._near("why", None, groups)
        chosen = np.unique(self.rows([rows] if self._is_one_row(rows) else rows))
        if not len(chosen):
            raise InvalidRowsError("why(rows=…): at least one row is needed")
        trust = self.trust("blend", None, groups)
        with Run(self.n_jobs) as run:
            comparison = Comparison.of(self.points.mapped, run)
            names = self.names_or_numbers if feature_names is None else self._checked_names(feature_names)
            return answer(self.points, chosen, self._subject(chosen), names, k, near, comparison, trust, run)

    def _is_one_row(self, rows: Any) -> bool:
        """Whether a number or a name is asked for. Names of an index with levels are tuples."""
        if isinstance(rows, tuple) and self.row_names is not None:
            return any(name == rows for name in self.row_names)
        return np.ndim(rows) == 0 and not isinstance(rows, slice)

    def _checked_names(self, names: Any) -> np.ndarray:
        given = np.array([str(name) for name in names] if np.ndim(names) == 1 else [], dtype=object)
        if len(given) != self.data.shape[1]:
            raise InvalidParameterError(
                f"why(feature_names=…): feature_names must have one name per feature, {self.data.shape[1]}; "
                f"got {len(given)}"
            )
        return given

    def _subject(self, rows: IntArray) -> str:
        if len(rows) > 1:
            return f"These {len(rows):,} rows"
        named = self.points.numbers[rows] if self.row_names is None else self.row_names[rows]
        return f"Row {named[0]}"

    def consistency(self, rows: Any) -> DoubleArray:
        points = self.points
        dim = min(self.dim, points.tangents.n_directions)
        n_links = max(1, round(points.links.nnz / len(points)))

        def of_block(chosen: IntArray) -> np.ndarray:
            links = points.links[chosen]
            return mean_consistency(self.space, points.tangents, chosen, links, points.mapped.tangents, dim)

        return self._by_blocks(self.rows(rows), of_block, self.data.rows_per_block(n_links))

    def backing(self) -> Backing:
        with Run(self.n_jobs) as run:
            return replace(backing(self.points.mapped, run), features=self.names_or_numbers)

    def map_variance(self) -> MapVariance:
        with Run(self.n_jobs) as run:
            explained = explained_by_map(self.points.mapped, run)
        return MapVariance(self.names_or_numbers, explained, self.backing())

    def top_features(self, rows: Any, k: int, by: str) -> np.ndarray:
        groups = self.data.groups
        n_features = self.data.shape[1] if groups is None else len(np.unique(groups))
        k = min(checked_count("top_features", "k", k, 1), n_features)
        make_score = checked_order(by)
        chosen = self.rows(rows)
        score = make_score(self)
        top = np.empty((len(chosen), k), np.int64)
        for start in range(0, len(chosen), BLOCK):
            scores = score(chosen[start : start + BLOCK])
            order = np.argsort(-scores, axis=1, kind="stable")
            top[start : start + BLOCK] = (
                order[:, :k] if groups is None else [first_of_each(line, groups)[:k] for line in order]
            )
        return top if self.feature_names is None else self.feature_names[top]

    def contrast(self, a: Any, b: Any, labels: Any, n_permutations: int | None, random_state: int) -> Contrast:
        return contrast(self, a, b, labels, n_permutations, random_state)

    def rank_features(self, labels: Any, n_permutations: int | None, random_state: int) -> FeatureRanking:
        return rank_features(self, labels, n_permutations, random_state)

    def to_frame(self, rows: Any) -> Any:
        pandas = pandas_for("to_frame")
        chosen = self.rows(rows)
        numbers = self.points.numbers[chosen]
        # From a list pandas finds the type of the index again: integers, dates, or pairs for an index of levels.
        index = pandas.Index((numbers if self.row_names is None else self.row_names[chosen]).tolist())
        return pandas.DataFrame(self.feature_importance(chosen), index=index, columns=self.names_or_numbers)

    def rows(self, rows: Any) -> IntArray:
        """The numbers of the rows asked for; None asks for all."""
        return checked_rows(slice(None) if rows is None else rows, len(self.points), self.row_names)

    def sampled_rows(self) -> IntArray:
        """Rows that stand for all of them: all of a small map, random ones of a large map, always the same."""
        n_points = len(self.points)
        if n_points <= SAMPLED_ROWS:
            return np.arange(n_points, dtype=np.int32)
        return np.sort(np.random.default_rng(0).choice(n_points, SAMPLED_ROWS, replace=False)).astype(np.int32)

    def _or_sample(self, rows: Any) -> Any:
        return self.sampled_rows() if isinstance(rows, str) and rows == SAMPLE else rows

    @property
    def names_or_numbers(self) -> np.ndarray:
        return np.arange(self.data.shape[1]) if self.feature_names is None else self.feature_names

    def _near(self, caller: str, n_neighbors: int | None, groups: Any = None) -> tuple[int, IntArray]:
        """How many rows are near a point on the map, and which rows depend on each other: see `Neighborhoods`."""
        mapped = self.points.mapped
        n_rows = len(mapped.embedding)
        if n_neighbors is None:
            k = default_neighbors(n_rows)
        else:
            k = checked_count(caller, "n_neighbors", n_neighbors, FEWEST_CROSS_FITTED, n_rows - 1)
        if groups is None:
            return k, mapped.copies
        if len(self.points) == n_rows:  # these are the rows of the data, so their names are known
            check_order("groups", groups, self.row_names)
        return k, joined_with_groups(mapped.copies, grouped(caller, groups, n_rows, "groups").codes)

    def _around_rows(
        self,
        rows: Any,
        near: tuple[int, IntArray],
        of_block: Callable[[IntArray, Neighborhoods], np.ndarray],
    ) -> DoubleArray:
        """Call ``of_block`` with the neighbourhoods of each block of rows, and join the results."""

        def of_rows(chosen: IntArray) -> np.ndarray:
            return of_block(chosen, Neighborhoods.around(self.points, chosen, *near))

        return self._by_blocks(self.rows(rows), of_rows, points_at_once(self.points, near[0]))

    def _by_blocks(self, rows: IntArray, of_block: Callable[[IntArray], np.ndarray], block: int) -> DoubleArray:
        """The results of all blocks, in float64: values in units of the data may be beyond float32."""

        def body(start: int, stop: int) -> tuple[DoubleArray]:
            return (np.asarray(of_block(rows[start:stop]), np.float64),)

        with Run(self.n_jobs) as run:
            return run.by_blocks(len(rows), body, block)[0]


def _check_kind(caller: str, kind: Any, kinds: Collection[str]) -> None:
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): kind must be one of {', '.join(map(repr, kinds))}")
