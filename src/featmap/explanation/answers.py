"""Computes what `ExplanationMixin` documents, for the points of a map. Loaded with the first question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.counts import checked_count
from ..checks.extras import pandas_for
from ..checks.rows import checked_rows
from ..errors import InvalidParameterError
from ..run import Run
from ..run.threads import BLOCK
from ..tangents.axes import feature_importance, loadings
from ..tangents.consistency import mean_consistency
from ..values import DoubleArray, IntArray
from .arrows import KINDS, Arrows, draw_arrows, fidelity, random_arrows
from .contrast import Contrast, FeatureRanking
from .groups import contrast, rank_features
from .perturbation import Perturbation, perturb
from .points import Points
from .regression import default_neighbors

FEWEST_CROSS_FITTED = 4  # of a regression that can be cross-fitted
PERTURBED_ROWS = 200
SCORED = {**KINDS, "random": random_arrows}


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

    def contrast(self, a: Any, b: Any, labels: Any, n_permutations: int | None, random_state: int) -> Contrast:
        return contrast(self, a, b, labels, n_permutations, random_state)

    def rank_features(self, labels: Any, n_permutations: int | None, random_state: int) -> FeatureRanking:
        return rank_features(self, labels, n_permutations, random_state)

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
        return pandas.DataFrame(self.feature_importance(chosen), index=index, columns=self.names_or_numbers)

    def rows(self, rows: Any) -> IntArray:
        """The numbers of the rows asked for; None asks for all."""
        return checked_rows(slice(None) if rows is None else rows, len(self.points), self.row_names)

    @property
    def names_or_numbers(self) -> np.ndarray:
        return np.arange(self.data.shape[1]) if self.feature_names is None else self.feature_names

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
