"""Groups of rows compared feature by feature: what `contrast` and `rank_features` compute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import false_discovery_control

from ..checks.arguments import checked_count, listed, shown
from ..checks.rows import check_order, grouped
from ..data.scaling import ScaledData
from ..data.sparse import up_to_translation
from ..data.units import first_of_each, joined
from ..errors import InvalidParameterError, InvalidRowsError, warn
from ..run import Run
from ..run.progress import SHARES_OF_CONTRAST, Progress
from ..run.threads import BLOCK
from ..tangents.axes import feature_importance
from ..values import DoubleArray, IntArray
from .comparison import Difference, GroupComparison
from .contrast import Contrast, FeatureRanking

if TYPE_CHECKING:
    from .answers import Answers

DECIMALS = 9  # of an effect size: those of the two levels of a category differ by rounding only
DESCRIBED_ROWS = 10_000  # of a group: so many suffice for ranks and for the mean importance


def contrast(answers: Answers, a: Any, b: Any, labels: Any, n_permutations: int | None, seed: int) -> Contrast:
    _check_counts("contrast", n_permutations, seed)
    check_order("labels", labels, answers.row_names)
    first = _group(answers, a, labels)
    rest = np.setdiff1d(np.arange(len(answers.points), dtype=np.int32), first)
    second = rest if b is None else _group(answers, b, labels)
    if len(second) < 2:
        raise InvalidParameterError(f"contrast(a): at least 2 other rows are needed; there are {len(rest)}")
    if np.isin(first, second).any():
        raise InvalidParameterError("contrast(a, b): the groups must have no row in common")
    rows = np.sort(np.concatenate([first, second]))
    codes = np.where(np.isin(rows, first), 0, 1).astype(np.int32)
    found = _compared(answers, rows, codes, [0], n_permutations, seed)[0]
    return found if labels is None else replace(found, groups=(str(a), "the rest" if b is None else str(b)))


def rank_features(answers: Answers, labels: Any, n_permutations: int | None, seed: int) -> FeatureRanking:
    _check_counts("rank_features", n_permutations, seed)
    check_order("labels", labels, answers.row_names)
    groups = grouped("rank_features", labels, len(answers.points))
    alone = groups.sizes < 2
    if alone.all():
        raise InvalidParameterError("rank_features(labels=…): no label has at least 2 rows")
    if len(answers.points) - groups.sizes.max() < 2:
        raise InvalidParameterError("rank_features(labels=…): at most one row has another label; give more groups")
    if alone.any():
        warn(f"rank_features: groups of one row are left out: {listed(groups.names[alone].tolist())}")
    chosen = np.flatnonzero(~alone).tolist()
    rows = np.arange(len(answers.points), dtype=np.int32)
    found = _compared(answers, rows, groups.codes, chosen, n_permutations, seed)
    names = groups.names[chosen].tolist()
    return FeatureRanking(
        {name: replace(one, groups=(str(name), "the rest")) for name, one in zip(names, found, strict=True)}
    )


def _compared(
    answers: Answers,
    rows: IntArray,
    codes: IntArray,
    groups: list[int],
    n_permutations: int | None,
    seed: int,
) -> list[Contrast]:
    """Some groups of the rows, each against all others."""
    features = answers.points.features(slice(None) if len(rows) == len(answers.points) else rows)
    described = _described(codes, seed)
    with Run(answers.n_jobs, Progress(verbose=answers.verbose, stages=SHARES_OF_CONTRAST)) as run:
        with run.timed("importance"):
            importance = _mean_importance(answers, [rows[part] for part in described], run)
        with run.timed("permutations"):
            matrix = up_to_translation(features.matrix)
            comparison = GroupComparison.of(matrix, codes, described, n_permutations, seed, run)
            step = _Steps(run, len(groups) * comparison.work)
            found = [comparison.difference(group, run, step) for group in groups]
    return [
        _contrast(answers, features, comparison, importance, group, difference)
        for group, difference in zip(groups, found, strict=True)
    ]


class _Steps:
    """Tells a run how far it is, from the parts of the work that are done."""

    def __init__(self, run: Run, total: int) -> None:
        self.run, self.done, self.total = run, 0, total

    def __call__(self, n_more: int) -> None:
        self.done += n_more
        self.run.step(self.done, self.total)


def _contrast(
    answers: Answers,
    features: ScaledData,
    comparison: GroupComparison,
    importance: DoubleArray,
    group: int,
    found: Difference,
) -> Contrast:
    n_a, n_rows = int(comparison.sizes[group]), len(comparison.codes)
    of_others = np.delete(importance, group, axis=1) @ np.delete(comparison.sizes, group)
    groups = answers.data.groups
    said = most_different_of_each(found.effect_size, groups)
    p_values = of_features(found.p_values, groups)[said]
    return Contrast(
        answers.names_or_numbers[said],
        difference=features.in_units(found.means)[said],
        effect_size=found.effect_size[said],
        auc=found.auc[said],
        p_values=p_values,
        q_values=false_discovery_control(p_values),
        statistic=found.statistic[said],
        importance_a=importance[said, group],
        importance_b=(of_others / (n_rows - n_a))[said],
        sizes=(n_a, n_rows - n_a),
        n_permutations=comparison.n_permutations,
    )


def most_different_of_each(effect_size: DoubleArray, groups: IntArray | None) -> IntArray:
    """For each feature of the user, the column with the largest effect size; the first of equal ones."""
    sizes = np.round(np.abs(effect_size), DECIMALS)
    return np.sort(first_of_each(np.argsort(-sizes, kind="stable"), groups)).astype(np.int32)


def of_features(p_values: DoubleArray, groups: IntArray | None) -> DoubleArray:
    """p-values that pay for the choice of one of the levels of a category: times their number, at most 1."""
    return p_values if groups is None else np.minimum(p_values * np.bincount(groups)[groups], 1)


def _described(codes: IntArray, seed: int) -> list[IntArray]:
    """The rows of each group, of a large one a random sample."""
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(codes == group).astype(np.int32) for group in range(codes.max() + 1)]
    return [
        rows if len(rows) <= DESCRIBED_ROWS else np.sort(rng.choice(rows, DESCRIBED_ROWS, replace=False))
        for rows in groups
    ]


def _mean_importance(answers: Answers, groups: list[IntArray], run: Run) -> DoubleArray:
    """The mean over each group of points, of a category that of its columns together: (n, groups)."""
    means = np.zeros((answers.data.shape[1], len(groups)))
    n_rows, done = sum(map(len, groups)), 0
    for group, rows in enumerate(groups):
        for start in range(0, len(rows), BLOCK):
            some = rows[start : start + BLOCK]
            found = feature_importance(answers.space, answers.points.tangents, some, run, None, answers.components)
            means[:, group] += joined(found, answers.data.groups).sum(axis=0, dtype=np.float64) / len(rows)
            done += len(some)
            run.step(done, n_rows)
    return means


def _check_counts(caller: str, n_permutations: Any, seed: Any) -> None:
    if n_permutations is not None:
        checked_count(caller, "n_permutations", n_permutations, 1)
    checked_count(caller, "random_state", seed, 0)


def _group(answers: Answers, chosen: Any, labels: Any) -> IntArray:
    """The rows of a group: those with a label, or those asked for."""
    if labels is None:
        return _group_of_rows(answers, chosen)
    groups = grouped("contrast", labels, len(answers.points))
    rows = groups.rows_of(chosen)
    if len(rows) < 2:
        raise InvalidParameterError(
            f"contrast(a, b): a group needs at least 2 rows; the label {chosen!r} has {len(rows)}; there are the "
            f"labels {listed(groups.names.tolist())}"
        )
    return rows


def _group_of_rows(answers: Answers, chosen: Any) -> IntArray:
    advice = "; if it is a label, give the labels of all rows as labels=…"
    try:
        rows = np.unique(answers.rows(chosen))
    except InvalidRowsError as error:
        raise InvalidRowsError(f"contrast(a, b): {error}{advice}") from error
    if len(rows) < 2:
        raise InvalidParameterError(
            f"contrast(a, b): a group needs at least 2 rows; {shown(chosen)} has {len(rows)}{advice}"
        )
    return rows
