"""A beam search for the conditions that tell some rows from all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import BoolArray, DoubleArray, WholeArray
from .cuts import ABOVE, AT_MOST, IS, Cut, Cuts

WIDTH = 8  # rules that are made longer at each length
MOST_CONDITIONS = 3
GAIN = 0.03  # in F, which each further condition must bring
MOST_FEATURES = 30  # that take part after the first condition: the best alone
OF_ONE_SET = 2  # rules of the same features among those that are made longer


@dataclass(frozen=True)
class Found:
    """Conditions with their F, and the rows that meet them."""

    cuts: tuple[Cut, ...]
    score: float
    rows: WholeArray


def best_rule(cuts: Cuts, is_wanted: BoolArray, weights: DoubleArray, rows: WholeArray) -> tuple[Cut, ...]:
    """The conditions with the largest F = 2·both/(wanted + met) over some rows; none if nothing helps."""
    wanted = float(weights[rows] @ is_wanted[rows])
    beam = [Found((), 0.0, rows)]
    chosen: WholeArray = np.arange(len(cuts.features))
    best = beam[0]
    for length in range(MOST_CONDITIONS):
        scored = [(start, _scores(cuts, is_wanted, weights, start.rows, wanted, chosen)) for start in beam]
        if length == 0:
            chosen = _best_alone(scored[0][1], chosen)
        beam = _longer(cuts, scored, np.arange(len(cuts.features)) if length == 0 else chosen)
        if not beam or (length > 0 and beam[0].score < best.score + GAIN):
            break
        best = beam[0]
    return best.cuts


def _scores(
    cuts: Cuts, is_wanted: BoolArray, weights: DoubleArray, rows: WholeArray, wanted: float, chosen: WholeArray
) -> dict[str, DoubleArray]:
    """F of the rows that meet each further condition: for each thing to ask, (features, codes), 0 if not possible."""
    met, both = _tables(cuts, is_wanted, weights, rows, chosen)
    at_most, both_at_most = met.cumsum(axis=1), both.cumsum(axis=1)
    all_met, all_both = at_most[:, -1:], both_at_most[:, -1:]
    number = np.arange(met.shape[1])
    n_codes, is_category = cuts.n_codes[chosen, None], cuts.is_category[chosen, None]
    is_threshold, is_level = ~is_category & (number < n_codes - 1), is_category & (number < n_codes)
    return {
        AT_MOST: np.where(is_threshold, _f(both_at_most, at_most, wanted), 0),
        ABOVE: np.where(is_threshold, _f(all_both - both_at_most, all_met - at_most, wanted), 0),
        IS: np.where(is_level, _f(both, met, wanted), 0),
    }


def _f(both: DoubleArray, met: DoubleArray, wanted: float) -> DoubleArray:
    return 2 * both / np.maximum(wanted + met, 1e-12)


def _tables(
    cuts: Cuts, is_wanted: BoolArray, weights: DoubleArray, rows: WholeArray, chosen: WholeArray
) -> tuple[DoubleArray, DoubleArray]:
    """The weight of the rows with each code, and of the wanted rows among them: (features, codes), gaps left out."""
    cells = cuts.cells[rows][:, chosen].ravel()
    n_cells, f = cuts.width * len(cuts.features), len(chosen)
    weight = weights[rows]
    met = np.bincount(cells, np.repeat(weight, f), n_cells)
    both = np.bincount(cells, np.repeat(weight * is_wanted[rows], f), n_cells)
    return tuple(table.reshape(-1, cuts.width)[chosen, 1:] for table in (met, both))  # type: ignore[return-value]


def _best_alone(scores: dict[str, DoubleArray], chosen: WholeArray) -> WholeArray:
    alone = np.max([table.max(axis=1) for table in scores.values()], axis=0)
    return np.sort(chosen[np.argsort(-alone, kind="stable")[:MOST_FEATURES]])


def _longer(cuts: Cuts, scored: list[tuple[Found, dict[str, DoubleArray]]], chosen: WholeArray) -> list[Found]:
    """The best rules that are one condition longer, at most two of the same features."""
    candidates: dict[tuple[Cut, ...], tuple[float, Found, Cut]] = {}
    for start, scores in scored:
        for score, cut in _best_cuts(scores, chosen):
            if _may_join(cuts, start.cuts, cut):
                key = tuple(sorted((*start.cuts, cut)))
                if score > candidates.get(key, (0.0,))[0]:
                    candidates[key] = (score, start, cut)
    beam: list[Found] = []
    n_of_set: dict[frozenset[int], int] = {}
    for key, (score, start, cut) in sorted(candidates.items(), key=lambda item: (-item[1][0], item[0])):
        of_set = frozenset(one.feature for one in key)
        n_of_set[of_set] = n_of_set.get(of_set, 0) + 1
        if n_of_set[of_set] <= OF_ONE_SET:
            beam.append(Found(key, score, start.rows[cuts.meets((cut,), start.rows)]))
        if len(beam) == WIDTH:
            break
    return beam


def _best_cuts(scores: dict[str, DoubleArray], chosen: WholeArray) -> list[tuple[float, Cut]]:
    """More conditions than the beam is wide, since some of them may not join a rule."""
    found = []
    for asks, table in scores.items():
        flat = table.ravel()
        most = min(3 * WIDTH, len(flat))
        for cell in np.argpartition(-flat, most - 1)[:most]:
            if flat[cell] > 0:
                feature, number = divmod(int(cell), table.shape[1])
                found.append((float(flat[cell]), Cut(int(chosen[feature]), asks, number)))
    return found


def _may_join(cuts: Cuts, others: tuple[Cut, ...], cut: Cut) -> bool:
    """No condition twice, and no two features that go together."""
    for other in others:
        if other.feature == cut.feature:
            if other.asks == cut.asks:
                return False
        elif cuts.is_alike[other.feature, cut.feature]:
            return False
    return True
