"""The findings of a map, as a short text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.rows import label_values
from ..data.units import Level
from ..explanation.contrast import DISCOVERED, Contrast
from ..explanation.numbers import named, number, percent
from ..explanation.why import whole
from ..preparation.columns import text_of

if TYPE_CHECKING:
    from ..explanation.mixin import ExplanationMixin
    from .fitting import Mapped

MOST_GROUPS, MOST_FEATURES = 12, 3
MOST_ALONE = 12  # columns that no other goes with are named in the text; JSON has all
FEWEST_OF_A_GROUP = 5  # rows of the smallest group that is described
MOST_CLUSTERED = 20_000  # rows; regions of larger maps are found by k-means
NEAR = 15  # nearest rows on the map that the label of a row is compared with
MOSTLY_OTHERS = 0.8  # part of these rows with another label, from which on a row is reported
MOST_SHOWN = 5  # columns that the map shows most of
LEAST_EFFECT = 0.2
EFFECT = "(Each group against all other rows; d is the difference of the means over the spread within groups.)"
SPREAD = (
    "(A spread is a standard deviation of the column; values lead from the mean of all rows to that of the region.)"
)


@dataclass(frozen=True)
class Group:
    """A group of rows and what sets it apart."""

    name: str
    n_rows: int
    features: tuple[str, ...]

    def __str__(self) -> str:
        apart = "; ".join(self.features) or "nothing that other columns go with"
        return f"{self.name} ({self.n_rows:,} rows): {apart}."


@dataclass(frozen=True)
class Findings:
    """The findings of a map, part by part."""

    prepared: str
    shown: tuple[tuple[str, float], ...]
    title: str
    groups: tuple[Group, ...]
    remark: str
    row: str
    alone: tuple[str, ...]
    trust: str

    def __str__(self) -> str:
        return "\n\n".join(self._parts())

    def _parts(self) -> Iterator[str]:
        yield f"What was done\n{_indented(self.prepared)}"
        shown = ", ".join(f"{name} ({percent(part)})" for name, part in self.shown) or "no column"
        yield f"What the map shows most of, with the part of its variance\n{_indented(shown)}"
        if len(self.groups) > 1:
            yield f"{self.title}\n" + _indented("\n".join([*map(str, self.groups), self.remark]))
        if self.row:
            yield f"A row among others\n{_indented(self.row)}"
        if self.alone:
            more = len(self.alone) - MOST_ALONE
            names = ", ".join(self.alone[:MOST_ALONE]) + (f" and {more:,} more" if more > 0 else "")
            yield f"Columns that no other column goes with; they may be noise\n{_indented(names)}"
        yield f"How far to trust the map\n{_indented(self.trust)}"

    def as_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "prepared": self.prepared.splitlines(),
            "shown": [{"feature": name, "part": part} for name, part in self.shown],
            "groups": [{"name": one.name, "rows": one.n_rows, "apart": list(one.features)} for one in self.groups],
            "row": self.row or None,
            "alone": list(self.alone),
            "trust": self.trust,
        }


def findings(mapped: Mapped, label_name: str | None) -> Findings:
    """What a map tells: what it shows, what its groups or regions are, and how far to trust it."""
    answers, row = mapped.answers, ""
    map_variance, backing = answers.map_variance(), answers.backing()
    shown: dict[str, float] = {}
    for h in map_variance.order:
        if map_variance.explained[h] > 0 and len(shown) < MOST_SHOWN:
            shown.setdefault(whole(map_variance.features[h]), float(map_variance.explained[h]))
    if mapped.label is None:
        title, groups, remark = "Regions of the map", _of_regions(answers), SPREAD
    else:
        values, missing = label_values("map", mapped.label, len(mapped.label), "label")
        texts = np.ma.array([text_of(value) for value in values], mask=missing)
        title, groups, remark = *_of_label(answers, texts, label_name or "label"), EFFECT
        row = _unlike_its_neighbours(answers, texts, mapped.is_empty)
    alone = dict.fromkeys(whole(name) for name in backing.alone) if backing.is_judged else {}
    known = {whole(name) for name in backing.features[backing.factors > 0]}
    return Findings(
        mapped.text,
        tuple(shown.items()),
        title,
        tuple(groups),
        remark,
        row,
        tuple(name for name in alone if name not in known),
        str(answers.trust()),
    )


def _of_label(answers: ExplanationMixin, texts: np.ma.MaskedArray, name: str) -> tuple[str, list[Group]]:
    """What sets the rows of each label apart from all others."""
    each, missing = texts.data, np.ma.getmaskarray(texts)
    names, counts = np.unique(texts.compressed(), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_GROUPS]
    described = [g for g in order if FEWEST_OF_A_GROUP <= counts[g] <= len(texts) - FEWEST_OF_A_GROUP]
    if len(described) == len(names) and not missing.any():
        found: dict[Any, Contrast] = answers.rank_features(each)  # at once, which is faster
    else:
        found = {
            names[g]: answers.contrast((each == names[g]) & ~missing, (each != names[g]) & ~missing)
            for g in described
        }
    groups = [Group(str(names[g]), int(counts[g]), tuple(_contrasts(found[names[g]]))) for g in described]
    more = "" if len(names) <= MOST_GROUPS else f" (the {MOST_GROUPS} largest of {len(names)})"
    return f"What sets each {name} apart{more}", groups


def _contrasts(found: Contrast) -> Iterator[str]:
    for h in found.order[:MOST_FEATURES]:
        size, change = found.effect_size[h], found.difference[h]
        if found.q_values[h] > DISCOVERED or abs(size) < LEAST_EFFECT:
            continue
        name = found.features[h]
        if isinstance(name, Level):
            often = "more" if change > 0 else "less"
            points = f"{round(100 * abs(change))} points"
            yield f"{name.category} is {name.level} {often} often, by {points} of 100 (d {size:+.1f})"
        else:
            yield f"{named(name)} is {'higher' if change > 0 else 'lower'} by {number(abs(change))} (d {size:+.1f})"


def _of_regions(answers: Any) -> list[Group]:
    """What sets regions of the map apart: dense groups of points, or parts of one large cloud."""
    codes = _regions(answers.embedding_)
    counts = np.bincount(codes[codes >= 0])
    middle, size = np.median(answers.embedding_, axis=0), np.ptp(answers.embedding_, axis=0)
    groups: list[Group] = []
    for code in np.argsort(-counts, kind="stable")[:MOST_GROUPS]:
        rows = np.flatnonzero(codes == code)
        name = f"Region {len(groups) + 1}, {_place(answers.embedding_[rows].mean(axis=0) - middle, size)}"
        lines = (
            one.in_words if isinstance(one.feature, Level) else f"{named(one.feature)} {one.place} ({one.values})"
            for one in answers.why(rows, k=MOST_FEATURES).apart
        )
        groups.append(Group(name, len(rows), tuple(lines)))
    return groups


def _regions(embedding: np.ndarray) -> np.ndarray:
    """A number for each row: its dense group, or −1; parts of the map where there are no two such groups."""
    from sklearn.cluster import HDBSCAN, KMeans

    n_rows = len(embedding)
    if n_rows <= MOST_CLUSTERED and n_rows >= 2 * FEWEST_OF_A_GROUP:
        size = int(np.clip(n_rows // 25, FEWEST_OF_A_GROUP, 200))
        codes = HDBSCAN(min_cluster_size=size, copy=True).fit_predict(embedding.astype(np.float64))
        if codes.max() >= 1 and (codes >= 0).mean() > 0.5:
            return codes
    n_parts = int(np.clip(n_rows // 20, 1, 5))
    return KMeans(n_parts, n_init=5, random_state=0).fit_predict(embedding.astype(np.float64))


def _place(offset: np.ndarray, size: np.ndarray) -> str:
    """Where on the map something is, in words."""
    if len(offset) != 2:
        return "at " + ", ".join(f"{one:.1f}" for one in offset)
    across = "left" if offset[0] < -size[0] / 8 else "right" if offset[0] > size[0] / 8 else ""
    along = "upper" if offset[1] > size[1] / 8 else "lower" if offset[1] < -size[1] / 8 else ""
    if across and along:
        return f"{along} {across}"
    return across or {"upper": "top", "lower": "bottom", "": "middle"}[along]


def _unlike_its_neighbours(answers: Any, texts: np.ma.MaskedArray, is_empty: np.ndarray) -> str:
    """The row that lies deepest among rows of another label, and why it is there."""
    each, missing = texts.data, np.ma.getmaskarray(texts)
    names, counts = np.unique(texts.compressed(), return_counts=True)
    if not 2 <= len(names) <= MOST_GROUPS or len(texts) <= NEAR:
        return ""
    near = answers._points.nearest_on_map(np.arange(len(texts), dtype=np.int32), NEAR)
    unlike = ((each[near] != each[:, None]) & ~missing[near]).mean(axis=1)
    unlike[missing | is_empty | np.isin(each, names[counts < FEWEST_OF_A_GROUP])] = 0
    row = int(unlike.argmax())
    if unlike[row] < MOSTLY_OTHERS:
        return ""
    others, found = np.unique(texts[near[row]].compressed(), return_counts=True)
    among = f"{each[row]} but {found.max()} of its {NEAR} nearest rows on the map are {others[found.argmax()]}"
    subject, _, rest = answers.why(row).sentence.partition(" lies among")
    return f"{subject} is {among}. It lies among{rest}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines() if line)
