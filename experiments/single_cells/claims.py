"""What is claimed of the rankings; a claim holds if it does on every set."""

from __future__ import annotations

from typing import Any

from ..report import Claim
from .rankings import APART, HIGHER, IMPORTANCE, OURS, TOP, VARIANCE, WILCOXON


def claims_of(figures: dict[str, Any]) -> list[Claim]:
    return [
        better_than_chance(figures),
        at_least_as_many(figures, "Importance", IMPORTANCE, "plain variance", VARIANCE),
        at_least_as_many(figures, "Importance", IMPORTANCE, "Wilcoxon's test", WILCOXON),
        at_least_as_many(figures, "Contrast (genes higher in the type)", HIGHER, "Wilcoxon's test", WILCOXON),
        at_least_as_many(figures, "What sets cells apart", APART, "Wilcoxon's test", WILCOXON),
        best_of_all(figures),
    ]


def better_than_chance(figures: dict[str, Any]) -> Claim:
    measured = [
        f"{name}: {one['found in all'][IMPORTANCE]} of {one['markers in all']}, by chance "
        f"{one['found by chance']:.1f} and rarely more than {one['found by one chance in a hundred']:.0f}"
        for name, one in figures.items()
    ]
    return Claim(
        f"The {TOP} most important genes of a type hold more of its markers than chance would (1 %)",
        "; ".join(measured),
        all(one["found in all"][IMPORTANCE] > one["found by one chance in a hundred"] for one in figures.values()),
    )


def at_least_as_many(figures: dict[str, Any], first: str, method: str, second: str, other: str) -> Claim:
    totals = {name: one["found in all"] for name, one in figures.items()}
    measured = [
        f"{name}: {total[method]} against {total[other]} of {figures[name]['markers in all']}"
        for name, total in totals.items()
    ]
    return Claim(
        f"{first} finds at least as many markers as {second}",
        "; ".join(measured),
        all(total[method] >= total[other] for total in totals.values()),
    )


def best_of_all(figures: dict[str, Any]) -> Claim:
    measured, ahead = [], []
    for name, one in figures.items():
        total = one["found in all"]
        ours, plain = max(OURS, key=total.__getitem__), max((WILCOXON, VARIANCE), key=total.__getitem__)
        measured.append(f"{name}: {ours} {total[ours]}, {plain} {total[plain]}")
        ahead.append(total[ours] > total[plain])
    return Claim("Of all methods one of featMAP's finds most markers", "; ".join(measured), all(ahead))
