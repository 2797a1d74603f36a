"""Computes what `ExplanationMixin` documents, for the points of a map. Loaded with the first question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from ..checks.counts import checked_count
from ..checks.extras import pandas_for
from ..checks.labels import grouped
from ..checks.messages import listed, shown
from ..checks.rows import check_order, checked_rows
from ..data.sparse import up_to_translation
from ..errors import InvalidParameterError, InvalidRowsError, warn
from ..run import Run
from ..run.threads import BLOCK
from ..tangents.axes import feature_importance, loadings
from ..tangents.consistency import mean_consistency
from ..values import DoubleArray, IntArray
from .arrows import KINDS, Arrows, draw_arrows, fidelity, random_arrows
from .contrast import Contrast, FeatureRanking, difference_with_p_values
from .perturbation import Perturbation, perturb
from .points import Points
from .regression import default_neighbors

FEWEST_CROSS_FITTED = 4  # of a regression that can be cross-fitted
PERTURBED_ROWS = 200
SCORED = {**KINDS, "random": random_arrows}


class Answers:
    """Answers about points of a map. Names are None where the data had none."""

    def __init__(
        self, points: Points, feature_names: np.ndarray | None, row_names: np.ndarray | None, n_jobs: int | None
    ) -> None:
        self.points = points
        self.data, self.space = points.mapped.data, points.mapped.space
        self.components = points.mapped.manifold.components
        self.dim = points.embedding.shape[1]
        self.feature_names = feature_names
        self.row_names = row_names
        self.n_jobs = n_jobs

    def feature_importance(self, rows: Any, out: np.ndarray | None = None) -> np.ndarray:
        with Run(self.n_jobs) as run:
            return feature_importance(self.space, self.points.tangents, self.rows(rows), run, out, self.components)

    def loadings(self, rows: Any) -> np.ndarray:
        with Run(self.n_jobs) as run:
            return loadings(self.space, self.points.tangents, self.rows(rows), self.dim, run, self.components)

    def arrows(self, rows: Any, kind: str, n_neighbors: int | None) -> DoubleArray:
        draw = _known("arrows", kind, KINDS)
        k = self._n_near("arrows", n_neighbors)

        def of_block(chosen: IntArray) -> np.ndarray:
            drawn = np.swapaxes(draw_arrows(draw, self.points, chosen, k)[0], 1, 2)
            return drawn if kind == "frame" else self.data.in_units(drawn)

        return self._by_blocks(self.rows(rows), of_block, k)

    def explained_variance(self, rows: Any, n_neighbors: int | None) -> DoubleArray:
        k = self._n_near("explained_variance", n_neighbors)

        def of_block(chosen: IntArray) -> np.ndarray:
            slopes, moments = draw_arrows(KINDS["map"], self.points, chosen, k)
            return moments.explained(slopes)

        return self._by_blocks(self.rows(rows), of_block, k)

    def fidelity(self, rows: Any, kind: str, n_neighbors: int | None) -> DoubleArray:
        draw = _known("fidelity", kind, SCORED)
        k = self._n_near("fidelity", n_neighbors)
        return self._by_blocks(self.rows(rows), lambda chosen: fidelity(draw, self.points, chosen, k), k)

    def consistency(self, rows: Any) -> DoubleArray:
        points = self.points
        dim = min(self.dim, points.tangents.n_directions)
        n_links = max(1, round(points.links.nnz / len(points)))

        def of_block(chosen: IntArray) -> np.ndarray:
            links = points.links[chosen]
            return mean_consistency(self.space, points.tangents, chosen, links, points.mapped.tangents, dim)

        return self._by_blocks(self.rows(rows), of_block, n_links)

    def top_features(self, rows: Any, k: int) -> np.ndarray:
        k = min(checked_count("top_features", "k", k, 1), self.data.shape[1])
        chosen = self.rows(rows)
        top = np.empty((len(chosen), k), np.int64)
        for start in range(0, len(chosen), BLOCK):
            importance = self.feature_importance(chosen[start : start + BLOCK])
            top[start : start + BLOCK] = np.argsort(-importance, axis=1, kind="stable")[:, :k]
        return top if self.feature_names is None else self.feature_names[top]

    def contrast(self, a: Any, b: Any, labels: Any, n_permutations: int, random_state: int) -> Contrast:
        checked_count("contrast", "n_permutations", n_permutations, 1)
        checked_count("contrast", "random_state", random_state, 0)
        check_order("labels", labels, self.row_names)
        first = self._group(a, labels)
        rest = np.setdiff1d(np.arange(len(self.points), dtype=np.int32), first)
        second = rest if b is None else self._group(b, labels)
        if len(second) < 2:
            raise InvalidParameterError(f"contrast(a): at least 2 other rows are needed; there are {len(rest)}")
        if np.isin(first, second).any():
            raise InvalidParameterError("contrast(a, b): the groups must have no row in common")
        both = np.concatenate([first, second])
        features = self.points.features(both)
        rows = up_to_translation(features.matrix)
        difference, p_values = difference_with_p_values(rows, np.isin(both, first), n_permutations, random_state)
        found = Contrast(
            self._names_or_numbers,
            self._mean_importance(first),
            self._mean_importance(second),
            features.in_units(difference),
            p_values,
            false_discovery_control(p_values),
        )
        return found if labels is None else replace(found, groups=(str(a), "the rest" if b is None else str(b)))

    def rank_features(self, labels: Any, n_permutations: int, random_state: int) -> FeatureRanking:
        check_order("labels", labels, self.row_names)
        groups = grouped("rank_features", labels, len(self.points))
        alone = groups.sizes < 2
        if alone.all():
            raise InvalidParameterError("rank_features(labels=…): no label has at least 2 rows")
        if len(self.points) - groups.sizes.max() < 2:
            raise InvalidParameterError(
                "rank_features(labels=…): at most one row has another label; give more groups"
            )
        if alone.any():
            warn(f"rank_features: groups of one row are left out: {listed(groups.names[alone].tolist())}")
        return FeatureRanking(
            {
                group: self.contrast(group, None, labels, n_permutations, random_state)
                for group in groups.names[~alone].tolist()
            }
        )

    def perturbation(self, rows: Any, fractions: Sequence[float], random_state: int) -> Perturbation:
        checked_count("perturbation", "random_state", random_state, 0)
        chosen = self.rows(rows)
        if rows is None and len(chosen) > PERTURBED_ROWS:
            chosen = np.sort(np.random.default_rng(random_state).choice(chosen, PERTURBED_ROWS, replace=False))
        try:
            steps = np.asarray(fractions, dtype=np.float64)
        except (TypeError, ValueError):
            steps = np.empty(0)
        if steps.ndim != 1 or len(steps) < 2 or not ((steps > 0) & (steps <= 1)).all() or (np.diff(steps) <= 0).any():
            raise InvalidParameterError(
                f"perturbation(fractions={fractions!r}): fractions must be at least two numbers that rise, above 0 "
                "and at most 1"
            )
        with Run(self.n_jobs) as run:
            return perturb(self.points, chosen, steps, random_state, run)

    def to_frame(self, rows: Any) -> Any:
        pandas = pandas_for("to_frame")
        chosen = self.rows(rows)
        numbers = self.points.numbers[chosen]
        # From a list pandas finds the type of the index again: integers, dates, or pairs for an index of levels.
        index = pandas.Index((numbers if self.row_names is None else self.row_names[chosen]).tolist())
        return pandas.DataFrame(self.feature_importance(chosen), index=index, columns=self._names_or_numbers)

    def rows(self, rows: Any) -> IntArray:
        """The numbers of the rows asked for; None asks for all."""
        return checked_rows(slice(None) if rows is None else rows, len(self.points), self.row_names)

    @property
    def _names_or_numbers(self) -> np.ndarray:
        return np.arange(self.data.shape[1]) if self.feature_names is None else self.feature_names

    def _group(self, chosen: Any, labels: Any) -> IntArray:
        """The rows of a group: those with a label, or those asked for."""
        if labels is None:
            return self._group_of_rows(chosen)
        groups = grouped("contrast", labels, len(self.points))
        rows = groups.rows_of(chosen)
        if len(rows) < 2:
            raise InvalidParameterError(
                f"contrast(a, b): a group needs at least 2 rows; the label {chosen!r} has {len(rows)}; there are the "
                f"labels {listed(groups.names.tolist())}"
            )
        return rows

    def _group_of_rows(self, chosen: Any) -> IntArray:
        advice = "; if it is a label, give the labels of all rows as labels=…"
        try:
            rows = np.unique(self.rows(chosen))
        except InvalidRowsError as error:
            raise InvalidRowsError(f"contrast(a, b): {error}{advice}") from error
        if len(rows) < 2:
            raise InvalidParameterError(
                f"contrast(a, b): a group needs at least 2 rows; {shown(chosen)} has {len(rows)}{advice}"
            )
        return rows

    def _mean_importance(self, rows: IntArray) -> DoubleArray:
        total = np.zeros(self.data.shape[1])
        for start in range(0, len(rows), BLOCK):
            total += self.feature_importance(rows[start : start + BLOCK]).sum(axis=0, dtype=np.float64)
        return total / len(rows)

    def _n_near(self, caller: str, n_neighbors: int | None) -> int:
        n_others = len(self.points.mapped.embedding) - 1
        if n_neighbors is None:
            return default_neighbors(n_others + 1)
        return checked_count(caller, "n_neighbors", n_neighbors, FEWEST_CROSS_FITTED, n_others)

    def _by_blocks(self, rows: IntArray, of_block: Callable[[IntArray], np.ndarray], k: int) -> DoubleArray:
        """In float64, since the data's units may be beyond float32."""

        def body(start: int, stop: int) -> tuple[DoubleArray]:
            return (np.asarray(of_block(rows[start:stop]), np.float64),)

        with Run(self.n_jobs) as run:
            return run.by_blocks(len(rows), body, self.data.rows_per_block(k))[0]


def _known(caller: str, kind: Any, kinds: dict[str, Arrows]) -> Arrows:
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): kind must be one of {', '.join(map(repr, kinds))}")
    return kinds[kind]
