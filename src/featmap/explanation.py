"""What a user asks of a map: importance, loadings, arrows, fidelity. For maps of any origin, and for new rows."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .arrows import KINDS, Arrows, draw_arrows, fidelity, random_arrows
from .contrast import Contrast, compare_groups, group_of, groups_of
from .errors import InvalidParameterError, MissingExtraError, warn
from .loadings import feature_importance, loadings
from .parallel import BLOCK, Workers
from .perturbation import FRACTIONS, Perturbation, perturb
from .regression import default_neighbors
from .rows import rows_of, up_to_translation
from .scene import Scene
from .turning import mean_consistency
from .values import DoubleArray, IntArray

PERTURBED_ROWS = 200
SCORED = {**KINDS, "random": random_arrows}


class Explanation:
    """The features behind some points of a map. A fitted `FeatMAP` answers the same questions with one of its own.

    Wherever ``rows`` are asked for, anything that indexes rows will do; by default all. ``explanation[rows]`` is the
    explanation of some of the points.

    Attributes
    ----------
    embedding_ : (n_points, n_components), their places on the map.
    frames_ : (n_points, n_components, n_components), column l is the direction of the local direction l.
    singular_values_ : (n_points, r), of the weighted neighbourhoods, in the data's units.
    intrinsic_dim_ : (n_points,), local directions that count.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn; the names only if the data had some.
    """

    def __init__(self, scene: Scene, feature_names: Sequence[str] | None = None, n_jobs: int | None = -1) -> None:
        self._scene = scene
        self._n_jobs = n_jobs
        self.embedding_ = scene.places
        self.frames_ = scene.frames.axes
        self.intrinsic_dim_ = scene.tangents.intrinsic_dim
        self.n_features_in_ = scene.ground.features.shape[1]
        if feature_names is not None:
            self.feature_names_in_ = np.asarray(feature_names, dtype=object)

    @property
    def singular_values_(self) -> np.ndarray:
        return self._scene.tangents.singular_values / self._scene.ground.features.scale

    def __len__(self) -> int:
        return len(self._scene)

    def __getitem__(self, rows: Any) -> Explanation:
        return Explanation(self._scene[self._rows(rows)], self._names, self._n_jobs)

    def __repr__(self) -> str:
        return f"Explanation({len(self)} points, {self.n_features_in_} features)"

    def feature_importance(self, rows: Any = None, *, out: np.ndarray | None = None) -> np.ndarray:
        """How much each feature varies within the tangent space of each row: (rows, features).

        The squares of a row sum to its intrinsic dimension; a feature that is locally constant has 0. With ``out``,
        a memory map for example, the result is written there block by block.
        """
        scene = self._scene
        with Workers(self._n_jobs) as workers:
            return feature_importance(scene.ground.features, scene.tangents, self._rows(rows), workers, out)

    def loadings(self, rows: Any = None) -> np.ndarray:
        """The leading local directions in terms of the features: (rows, features, n_components)."""
        scene, dim = self._scene, self.frames_.shape[1]
        with Workers(self._n_jobs) as workers:
            return loadings(scene.ground.features, scene.tangents, self._rows(rows), dim, workers)

    def arrows(self, rows: Any = None, kind: str = "tangent", n_neighbors: int | None = None) -> np.ndarray:
        """Where each feature points on the map around each row: (rows, features, n_components).

        ``kind="tangent"`` shows those of the features that vary within a row's tangent space as the map shows them;
        ``"map"`` how any feature changes on the map around a row: both in units of the data per unit of the map, from
        the ``n_neighbors`` nearest rows on the map (by default a tenth of all, at least 30 and at most 300).
        ``"frame"`` carries the leading local directions through the row's frame, as the paper does, without units.
        """
        draw = _known("arrows", kind, KINDS)
        k = self._n_near("arrows", n_neighbors)
        scale = 1.0 if kind == "frame" else self._scene.ground.features.scale
        return self._by_blocks(
            self._rows(rows),
            lambda points: np.swapaxes(draw_arrows(draw, self._scene, points, k)[0], 1, 2) / scale,
            (self.n_features_in_, self.embedding_.shape[1]),
            k,
        )

    def explained_variance(self, rows: Any = None, n_neighbors: int | None = None) -> np.ndarray:
        """R² of the map's arrows: which part of each feature's variance around each row the map accounts for."""
        k = self._n_near("explained_variance", n_neighbors)

        def task(points: IntArray) -> np.ndarray:
            slopes, moments = draw_arrows(KINDS["map"], self._scene, points, k)
            return moments.explained(slopes)

        return self._by_blocks(self._rows(rows), task, (self.n_features_in_,), k)

    def fidelity(self, rows: Any = None, kind: str = "tangent", n_neighbors: int | None = None) -> np.ndarray:
        """How true the arrows of each row are: the cosine between the changes they predict and the true ones.

        Over the ``n_neighbors`` nearest rows on the map, cross-fitted: arrows are scored on rows they were not
        fitted to. ``kind="map"`` is the ceiling, since no linear arrows are nearer to the data; ``kind="random"``,
        frames drawn by chance, is the floor.
        """
        draw = _known("fidelity", kind, SCORED)
        k = self._n_near("fidelity", n_neighbors)
        return self._by_blocks(self._rows(rows), lambda points: fidelity(draw, self._scene, points, k), (), k)

    def consistency(self, rows: Any = None) -> np.ndarray:
        """How little tangent spaces turn around each row: the mean cos Θ over the rows it is tied to in the graph.

        1 where all share the leading directions of this one, 0 where they have none in common; nan for a row that
        has no directions, among its copies for example.
        """
        scene = self._scene
        n_tied = max(1, round(scene.links.nnz / len(scene)))
        return self._by_blocks(self._rows(rows), lambda points: mean_consistency(scene, points), (), n_tied)

    def top_features(self, rows: Any = None, k: int = 10) -> np.ndarray:
        """Column numbers of the k most important features of each row, most important first: (rows, k)."""
        if not isinstance(k, numbers.Integral) or k < 1:
            raise InvalidParameterError(f"top_features(k={k!r}): must be an integer of at least 1")
        chosen = self._rows(rows)
        top = np.empty((len(chosen), min(int(k), self.n_features_in_)), np.int64)
        for start in range(0, len(chosen), BLOCK):
            importance = self.feature_importance(chosen[start : start + BLOCK])
            top[start : start + BLOCK] = np.argsort(-importance, axis=1, kind="stable")[:, :k]
        return top

    def contrast(
        self, a: Any, b: Any = None, *, labels: Any = None, n_permutations: int = 200, random_state: int = 0
    ) -> Contrast:
        """Which features tell two groups of rows apart: mean importance, difference of means, and how sure that is.

        ``a`` and ``b`` are rows (numbers or a mask, from a lasso for example), or with ``labels`` the labels of two
        groups; without ``b`` it is all the rest. P-values are those of a permutation test, with the permuted
        statistics of all features together as the reference of each; q-values control the false-discovery rate. A
        test knows nothing of how groups were found: of groups picked on the map its p-values are too small.
        """
        if not isinstance(n_permutations, numbers.Integral) or n_permutations < 1:
            raise InvalidParameterError(
                f"contrast(n_permutations={n_permutations!r}): must be an integer of at least 1"
            )
        first = group_of("contrast", a, labels, len(self))
        rest = np.setdiff1d(np.arange(len(self), dtype=np.int32), first)
        second = rest if b is None else group_of("contrast", b, labels, len(self))
        if len(second) < 2 or np.isin(first, second).any():
            raise InvalidParameterError("contrast(a, b): the groups must be apart, and each have at least 2 rows")
        both = np.concatenate([first, second])
        found = compare_groups(
            up_to_translation(self._scene.tangents.centers[both]),
            np.isin(both, first),
            self._mean_importance(first),
            self._mean_importance(second),
            self._written_names,
            self._scene.ground.features.scale,
            int(n_permutations),
            random_state,
        )
        return found if labels is None else replace(found, groups=(str(a), "the rest" if b is None else str(b)))

    def rank_features(self, labels: Any, *, n_permutations: int = 200, random_state: int = 0) -> dict[Any, Contrast]:
        """Every group of labels against the rest, but for groups of one row, which a warning names.

        What `contrast` says of p-values holds here too.
        """
        groups, sizes = groups_of("rank_features", labels)
        if (sizes < 2).any():
            warn(f"rank_features: left out groups of one row: {', '.join(map(str, groups[sizes < 2]))}")
        return {
            group: self.contrast(group, labels=labels, n_permutations=n_permutations, random_state=random_state)
            for group in groups[sizes > 1].tolist()
        }

    def perturbation(
        self, rows: Any = None, *, fractions: Sequence[float] = FRACTIONS, random_state: int = 0
    ) -> Perturbation:
        """How far points move on the map when important, random or unimportant features are taken from them.

        A feature is taken by setting it to the mean of the point's neighbourhood. By default of 200 random rows.
        """
        chosen = self._rows(rows)
        if rows is None and len(chosen) > PERTURBED_ROWS:
            chosen = np.sort(np.random.default_rng(random_state).choice(chosen, PERTURBED_ROWS, replace=False))
        steps = np.asarray(fractions, dtype=np.float64)
        if steps.ndim != 1 or len(steps) < 2 or not ((steps > 0) & (steps <= 1)).all() or (np.diff(steps) <= 0).any():
            raise InvalidParameterError(f"perturbation(fractions={fractions!r}): must rise from above 0 to at most 1")
        with Workers(self._n_jobs) as workers:
            return perturb(self._scene, chosen, steps, random_state, workers)

    def to_frame(self, rows: Any = None) -> Any:
        """The importance of all features as a pandas frame: a column for each feature, a line for each row."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise MissingExtraError("to_frame needs pandas: pip install pandas") from error
        chosen = self._rows(rows)
        lines = chosen if self._scene.rows is None else self._scene.rows[chosen]
        return DataFrame(self.feature_importance(chosen), index=lines, columns=self._written_names)

    @property
    def _names(self) -> Sequence[str] | None:
        return getattr(self, "feature_names_in_", None)

    @property
    def _written_names(self) -> list[str]:
        names = self._names
        return (
            [f"feature {h}" for h in range(self.n_features_in_)] if names is None else [str(name) for name in names]
        )

    def _mean_importance(self, rows: IntArray) -> DoubleArray:
        total = np.zeros(self.n_features_in_)
        for start in range(0, len(rows), BLOCK):
            total += self.feature_importance(rows[start : start + BLOCK]).sum(axis=0, dtype=np.float64)
        return total / len(rows)

    def _rows(self, rows: Any) -> IntArray:
        return rows_of(slice(None) if rows is None else rows, len(self))

    def _n_near(self, caller: str, n_neighbors: int | None) -> int:
        n_others = len(self._scene.ground.places) - 1
        if n_neighbors is None:
            return default_neighbors(n_others + 1)
        if not isinstance(n_neighbors, numbers.Integral) or not 4 <= n_neighbors <= n_others:
            raise InvalidParameterError(
                f"{caller}(n_neighbors={n_neighbors!r}): must be an integer from 4 to {n_others}, or None"
            )
        return int(n_neighbors)

    def _by_blocks(self, rows: IntArray, compute: Any, shape: tuple[int, ...], k: int) -> DoubleArray:
        out = np.empty((len(rows), *shape))  # in float64, since the data's units may be beyond float32

        def task(start: int, stop: int) -> None:
            out[start:stop] = compute(rows[start:stop])

        with Workers(self._n_jobs) as workers:
            workers.over_rows(len(rows), task, self._scene.ground.features.rows_per_block(k))
        return out


def _known(caller: str, kind: Any, kinds: dict[str, Arrows]) -> Arrows:
    if kind not in kinds:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): must be one of {', '.join(map(repr, kinds))}")
    return kinds[kind]
