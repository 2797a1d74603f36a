"""Are answers about rows right, and do promises hold? `python -m benchmarks.answers_study chosen`, or confirmed.

Definitions were chosen on the sets called chosen; the others confirm them. Each measure is beside its target.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from featmap import FeatMAP, Prepare
from featmap.answers.asking import MapAnswers
from featmap.answers.evidence import REST
from featmap.answers.making import drawn_by_model
from featmap.answers.moves import LEAST_PART
from featmap.answers.table import Table
from featmap.answers.values import Move, Why
from lab.data.cells import log_counts
from lab.data.confirmation import load_kmnist, load_letters
from lab.data.folder import data_file
from lab.data.loaders import CELLS

OUT = Path("build/answers")
MOST_ROWS = 200  # of a set, whose whole answers are read
TELLS = np.log(3)


@dataclass(frozen=True)
class Subject:
    """A data set with labels."""

    name: str
    X: Any
    y: np.ndarray
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def is_table(self) -> bool:
        return not sp.issparse(self.X) and "image_shape" not in self.known


def chosen() -> Iterator[Subject]:
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        data = load()
        yield Subject(name, data.data, data.target_names[data.target], {"names": list(data.feature_names)})
    with np.load(data_file("penguins.npz")) as arrays:
        known = {"names": arrays["feature_names"].tolist()}
        yield Subject("penguins", arrays["X"].astype(float), arrays["species"], known)
    digits = load_digits()
    yield Subject("digits", digits.data, digits.target.astype(str), {"image_shape": (8, 8)})
    for name, load in CELLS.items():
        cells = load()
        yield Subject(name, log_counts(name), cells.target, {"names": cells.feature_names, "unit": "cell"})


def confirmed() -> Iterator[Subject]:
    for name in ("segment", "satellite"):
        with np.load(data_file(f"{name}.npz")) as arrays:
            known = {"names": arrays["feature_names"].tolist()}
            yield Subject(name, arrays["X"].astype(float), arrays["y"].astype(str), known)
    letters = load_letters()
    yield Subject("letters", letters.data.astype(float), letters.target.astype(str), {"names": letters.feature_names})
    kmnist = load_kmnist()
    yield Subject("kmnist", kmnist.data.astype(float), kmnist.target.astype(str), {"image_shape": kmnist.image_shape})


def answers_of(subject: Subject, X: Any = None, y: Any = None, seed: int = 0) -> MapAnswers:
    """Fit a map as the front door would."""
    X, y = (subject.X if X is None else X), (subject.y if y is None else y)
    model = FeatMAP(random_state=seed, pca=50 if sp.issparse(X) else None)
    known = subject.known
    if subject.is_table:
        names = known["names"] + [f"noise {number}" for number in range(X.shape[1] - len(known["names"]))]
        prepared = Prepare(names=names, id=None).fit(X)
        Z = prepared.transform(X)
        used = [names.index(role.name) for role in prepared.roles_ if role.use == "number"]
        table = Table.of_array(X[:, used], names=[names[column] for column in used], unit=known.get("unit", "row"))
        drawn = drawn_by_model(model.fit(Z), lambda rows: _prepared(prepared, X, used, rows), Z)
        return MapAnswers(table, drawn, y)
    prepare = (lambda rows: sp.csr_matrix(rows, dtype=np.float32)) if sp.issparse(X) else None
    return MapAnswers(Table.of_array(X, **known), drawn_by_model(model.fit(X), prepare, X), y)


def _prepared(prepared: Prepare, X: np.ndarray, used: list[int], rows: np.ndarray) -> np.ndarray:
    whole = np.repeat(X[:1], len(rows), axis=0)
    whole[:, used] = rows
    return prepared.transform(whole)


def planted(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Rows deep in one group get 2, 4 or 6 columns of a row of another until a new map moves them."""
    if not subject.is_table:
        return {}
    rng = np.random.default_rng(0)
    compared, values = answers.compared, answers.table.values
    deep = np.flatnonzero((compared.places.share_on_map == 1) & compared.is_judged)
    first = wrong = moved = 0
    names = answers.table.names
    for row in rng.choice(deep, _trials(subject, 24), replace=False):
        other = rng.choice(deep[answers.labels.codes[deep] != answers.labels.codes[row]])
        for size in (2, 4, 6):
            columns = rng.choice(values.shape[1], min(size, values.shape[1] - 1), replace=False)
            changed = subject.X.copy()
            at = [subject.known["names"].index(names[column]) for column in columns]
            changed[row, at] = subject.X[other, at]
            again = answers_of(subject, changed)
            if again.compared.places.share_on_map[row] >= 0.2:
                continue
            moved += 1
            named = next(iter(again.why(int(row)).differences), None)
            if named is not None:
                is_planted = {named.feature, *named.alike, *named.against} & {names[column] for column in columns}
                first += bool(is_planted)
                wrong += not is_planted
            break
    return {"planted moved": moved, "planted first": first, "planted wrong": wrong}


def _trials(subject: Subject, most: int) -> int:
    size = subject.X.shape[0]
    return most if size < 1000 else most // 2 if size < 5000 else most // 4


def truth(answers: MapAnswers, rows: np.ndarray) -> np.ndarray:
    """Evidence of counts in twelve bins alone, without their neighbours: what one would count by hand."""
    compared = answers.compared
    evidence, own = compared.evidence, compared.labels.codes[rows]
    other = np.where(compared.places.around[rows] >= 0, compared.places.around[rows], REST)
    in_a, n_a, in_b, n_b = evidence._counts_of(rows, own, other, evidence.counts)
    p_a, p_b = ((n + 0.5) / (total + 0.5 * evidence.n_bins) for n, total in ((in_a, n_a), (in_b, n_b)))
    return np.where(evidence.codes[rows] >= 0, np.log(p_a / p_b), 0)


def misplaced(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Rows drawn among another class: is the first feature that is said to speak for their own class right?"""
    compared, features = answers.compared, answers.ground.features
    is_misplaced = compared.is_judged & (compared.places.share_on_map < 0.2)
    rows = np.flatnonzero(is_misplaced)
    told = truth(answers, rows)
    exists = np.where(features.may_differ, told, 0).max(axis=1, initial=0) > TELLS
    right = wrong = 0
    for at, row in enumerate(rows):
        own = [one for one in answers.rows.differences(int(row)) if one.side == "own"]
        if own and exists[at]:
            value = told[at, features.names.index(own[0].feature)]
            right += value > TELLS
            wrong += value < 0
    without = MapAnswers(answers.table, answers.drawn)
    without.__dict__["ground"] = answers.ground
    named = without.record.told.feature[:, 0]
    blind = sum(named[row] >= 0 and told[at, named[row]] > TELLS for at, row in enumerate(rows) if exists[at])
    ordinary = ~is_misplaced & compared.is_judged
    return {
        "misplaced": len(rows),
        "misplaced with a feature": int(exists.sum()),
        "right own first": right,
        "wrong side first": wrong,
        "right without labels": int(blind),
        "ordinary": int(ordinary.sum()),
        "ordinary talked about": int((named[ordinary] >= 0).sum()),
    }


def flipped(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """3 % of labels flipped: precision at as many rows, beside cleanlab with a random forest."""
    rng = np.random.default_rng(1)
    names, codes = np.unique(subject.y, return_inverse=True)
    n = max(round(0.03 * len(codes)), 3)
    rows = rng.choice(len(codes), n, replace=False)
    wrong = codes.copy()
    wrong[rows] = (codes[rows] + rng.integers(1, len(names), n)) % len(names)
    found = answers.labelled(names[wrong]).doubtful_rows[:n]
    peer = by_cleanlab(answers.ground.features.values, wrong)
    scores = {"flips found": np.isin(found, rows).mean() * len(found) / n}
    return scores if peer is None else {**scores, "flips found by cleanlab": np.isin(peer[:n], rows).mean()}


def by_cleanlab(values: np.ndarray, codes: np.ndarray) -> np.ndarray | None:
    try:
        from cleanlab.filter import find_label_issues
        from cleanlab.rank import get_label_quality_scores
    except ImportError:
        return None
    forest = RandomForestClassifier(100, random_state=0, n_jobs=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    probabilities = cross_val_predict(forest, values, codes, cv=folds, method="predict_proba")
    issues = find_label_issues(codes, probabilities, n_jobs=1)
    quality = get_label_quality_scores(codes, probabilities)
    return np.argsort(np.where(issues, quality, 1 + quality), kind="stable")


def nothing(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Permuted labels have no doubtful rows, random selections no rules, and rows of shuffled tables no moves."""
    rng = np.random.default_rng(2)
    doubtful = [len(answers.labelled(rng.permutation(subject.y)).doubtful_rows) for _ in range(3)]
    m = len(subject.y)
    sizes = rng.integers(max(m // 50, 10), m // 2, 10)
    rules = sum(answers.rule(rng.choice(m, size, replace=False)) is not None for size in sizes)
    found = {"permuted doubtful": sum(doubtful), "random selections": len(sizes), "rules of random selections": rules}
    if subject.is_table:
        shuffled = rng.permuted(subject.X, axis=0)
        again = answers_of(subject, shuffled)
        rows = rng.choice(m, 10, replace=False)
        moves = [isinstance(again._move(int(row), None, False), Move) for row in rows]
        found |= {"shuffled rows": len(rows), "moves of shuffled rows": sum(moves)}
    return found


def promises(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Rules of regions are found on seven tenths of the rows, and kept by the others, which are placed later."""
    if sp.issparse(subject.X):
        return {}
    rng = np.random.default_rng(3)
    m = len(subject.y)
    later = np.isin(np.arange(m), rng.choice(m, round(0.3 * m), replace=False))
    values = answers.table.values
    part = answers_of(subject, subject.X[~later], subject.y[~later])
    prepared = part.drawn.prepare(values[later])
    mapped = part.drawn.mapped
    from featmap.explanation.placement import place_rows
    from featmap.run import Run

    with Run(-1) as run:
        places = place_rows(prepared, mapped.manifold, mapped.embedding, run)
    nearest = mapped.search.tree.query(places)[1]
    region = part.ground.regions.region[nearest]
    gaps = []
    for number in range(len(part.ground.regions)):
        rule = part.regions.rule(number)
        met = None if rule is None else rule.matches(values[later])
        if met is not None and met.sum() >= 10:
            gaps.append(rule.precision - (region[met] == number).mean())
    return {"rules": len(gaps), "promised minus kept": float(np.sum(gaps)), "size of that": float(np.abs(gaps).sum())}


def moves(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Moves of misplaced rows, and whether two new maps confirm them."""
    if answers.mover.hindrance:
        return {}
    compared = answers.compared
    rows = np.flatnonzero(compared.is_judged & (compared.places.share_on_map < 0.2))
    rows = np.random.default_rng(4).permutation(rows)[:100]
    found = confirmed = verified = 0
    for row in rows:
        move = answers.counterfactual(int(row))
        found += move is not None
        if move is not None and verified < _trials(subject, 12):
            refits = answers.counterfactual(int(row), verify=True).refits
            verified += 1
            confirmed += all(count >= LEAST_PART * move.n for _, count in refits)
    return {"rows for moves": len(rows), "moves": found, "verified": verified, "confirmed": confirmed}


def noise(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Five columns of noise are appended. Are they named anywhere in an answer?"""
    if not subject.is_table:
        return {}
    rng = np.random.default_rng(5)
    m, spread = len(subject.y), subject.X.std()
    columns = [
        rng.normal(size=m),
        rng.uniform(size=m),
        rng.exponential(size=m),
        rng.normal(size=m),
        rng.uniform(size=m),
    ]
    again = answers_of(subject, np.column_stack([subject.X, *(spread * column for column in columns)]))
    rows = rng.choice(m, min(m, MOST_ROWS), replace=False)
    blind = MapAnswers(again.table, again.drawn)
    blind.__dict__["ground"] = again.ground
    named = sum("noise " in str(one.why(int(row))) for row in rows for one in (again, blind))
    return {"answers with noise": 2 * len(rows), "noise named": named}


def stability(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """Another seed's map: the same kind, and the same feature first, with labels and without."""
    again = answers_of(subject, seed=1)
    pairs = [(answers, again), tuple(without_labels(one) for one in (answers, again))]
    found: dict[str, float] = {"rows": len(subject.y)}
    for kind, (one, other) in zip(("", " without labels"), pairs, strict=True):
        found[f"same kind{kind}"] = int((one.record.kind == other.record.kind).sum())
        first = [record.told.feature[:, 0] for record in (one.record, other.record)]
        told = (first[0] >= 0) & (first[1] >= 0)
        found[f"told on both{kind}"] = int(told.sum())
        found[f"same first{kind}"] = int((first[0] == first[1])[told].sum())
    return found


def without_labels(answers: MapAnswers) -> MapAnswers:
    blind = MapAnswers(answers.table, answers.drawn)
    blind.__dict__["ground"] = answers.ground
    return blind


def reading(subject: Subject, answers: MapAnswers) -> dict[str, Any]:
    """How long answers are, and how much the features of one part say the same."""
    rows = np.random.default_rng(6).choice(len(subject.y), min(MOST_ROWS, len(subject.y)), replace=False)
    whys = [answers.why(int(row)) for row in rows]
    return {
        "words": [len(str(why).split()) for why in whys],
        "words of sentence": [len(why.sentence.split()) for why in whys],
        "association": max((_association(answers, why) for why in whys), default=0.0),
    }


def _association(answers: MapAnswers, why: Why) -> float:
    """The largest of two features that speak for the same side."""
    names, most = answers.ground.features.names, 0.0
    for side in ("own", "around"):
        chosen = [names.index(one.feature) for one in why.differences if one.side == side]
        pairs = np.abs(answers.ground.features.association[np.ix_(chosen, chosen)])
        most = max(most, float(np.triu(pairs, 1).max(initial=0.0)))
    return most


def times(subject: Subject, answers: MapAnswers) -> dict[str, float]:
    """CPU time of the record and of findings, in that of the fit."""
    start = time.process_time()
    again = answers_of(subject)
    fit = time.process_time()
    _ = again.record
    record = time.process_time()
    words = len(str(again.findings()).split())
    findings = time.process_time()
    again.why(0)
    first = time.perf_counter()
    again.why(0)
    return {
        "fit": fit - start,
        "record": record - fit,
        "findings": findings - record,
        "words of findings": words,
        "next why": time.perf_counter() - first,
    }


MEASURES: tuple[Callable[[Subject, MapAnswers], dict[str, Any]], ...] = (
    times,
    reading,
    misplaced,
    nothing,
    promises,
    stability,
    flipped,
    noise,
    moves,
    planted,
)


def report(found: dict[str, dict[str, Any]]) -> str:
    """The table of the targets, pooled over the sets."""
    total: dict[str, float] = defaultdict(float)
    for figures in found.values():
        for name, value in figures.items():
            if not isinstance(value, list):
                total[name] += value
    flips, peer = (
        [one[name] for one in found.values() if name in one] for name in ("flips found", "flips found by cleanlab")
    )
    words, of_sentence = (
        [count for one in found.values() for count in one.get(name, [])] for name in ("words", "words of sentence")
    )

    def part(name: str, of: str) -> str:
        return f"{total[name] / total[of]:.3f} ({total[name]:g} of {total[of]:g})" if total[of] else "–"

    ratios = ", ".join(f"{name} {one['record'] / one['fit']:.2f}" for name, one in found.items())
    lines = [
        (
            "planted: a planted feature first; a wrong one",
            part("planted first", "planted moved") + "; " + part("planted wrong", "planted moved"),
            "≥ .93; ≤ .05",
        ),
        (
            "misplaced: right own first; wrong side first",
            part("right own first", "misplaced with a feature")
            + "; "
            + part("wrong side first", "misplaced with a feature"),
            "≥ .66; ≤ .01",
        ),
        (
            "without labels: right first; ordinary talked about",
            part("right without labels", "misplaced with a feature")
            + "; "
            + part("ordinary talked about", "ordinary"),
            "≥ .24; ≤ .15",
        ),
        ("noise named", part("noise named", "answers with noise"), "0"),
        (
            "flips: precision; cleanlab",
            f"{np.mean(flips):.3f}; " + (f"{np.mean(peer):.3f}" if peer else "not installed"),
            "not below",
        ),
        ("permuted labels: doubtful rows", f"{total['permuted doubtful']:g}", "0"),
        ("random selections: rules", part("rules of random selections", "random selections"), "0"),
        ("shuffled tables: moves", part("moves of shuffled rows", "shuffled rows"), "≤ .01"),
        (
            "rules: promised − kept; its size",
            part("promised minus kept", "rules") + "; " + part("size of that", "rules"),
            "≤ .01; ≤ .05",
        ),
        ("moves confirmed by two new maps", part("confirmed", "verified"), "≥ .9"),
        (
            "misplaced rows with a move",
            "; ".join(
                f"{name} {one['moves']}/{one['rows for moves']}" for name, one in found.items() if "moves" in one
            ),
            "all, .89, .22",
        ),
        (
            "another seed: same kind; same first; without labels",
            part("same kind", "rows")
            + "; "
            + part("same first", "told on both")
            + "; "
            + part("same first without labels", "told on both without labels"),
            "≥ .95; ≥ .90; ≥ .6",
        ),
        (
            "words: median, most; of sentence: median, most",
            f"{np.median(words):g}, {max(words)}; {np.median(of_sentence):g}, {max(of_sentence)}",
            "≤ 35, 60; ≤ 22",
        ),
        (
            "association of features in one part, at most",
            f"{max(one['association'] for one in found.values()):.2f}",
            ".5",
        ),
        ("record in units of the fit", ratios, "≤ .3; ≤ .8"),
        (
            "findings, CPU s; words",
            "; ".join(f"{name} {one['findings']:.2f} s, {one['words of findings']:g}" for name, one in found.items()),
            "≤ 1; ≤ 400",
        ),
        ("next why, ms", "; ".join(f"{name} {1000 * one['next why']:.1f}" for name, one in found.items()), "≤ 5"),
    ]
    return "\n".join(
        ["| measure | found | target |", "|---|---|---|", *(f"| {' | '.join(line)} |" for line in lines)]
    )


def main(which: str) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, Any]] = {}
    for subject in {"chosen": chosen, "confirmed": confirmed}[which]():
        answers = answers_of(subject)
        found[subject.name] = {}
        for measure in MEASURES:
            start = time.perf_counter()
            found[subject.name] |= measure(subject, answers)
            print(f"{subject.name}: {measure.__name__} {time.perf_counter() - start:.0f} s", flush=True)
        (OUT / f"{which}.json").write_text(json.dumps(found, indent=1, default=float))
    text = report(found)
    (OUT / f"{which}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "chosen")
