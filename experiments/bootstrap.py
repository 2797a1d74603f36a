"""How sure a figure is, and whether one measurement exceeds others of the same points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

N_DRAWS = 1000
PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Interval:
    """A value, and the interval that holds 95 % of what it is for data drawn again."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = (round(each, 3) + 0.0 for each in (self.value, self.low, self.high))  # no negative 0
        return f"{value:.3f} [{low:.3f}, {high:.3f}]"

    @property
    def figures(self) -> dict[str, float]:
        return {name: round(value, 4) + 0.0 for name, value in vars(self).items()}


def interval_of(value: float, draws: ArrayLike) -> Interval:
    low, high = np.percentile(draws, PERCENTILES)
    return Interval(float(value), float(low), float(high))


def median_of(values: np.ndarray, groups: np.ndarray | None = None) -> Interval:
    """The median and its interval; values are drawn one by one, or by groups if those of a group are dependent."""
    rng = np.random.default_rng(0)
    members = np.array_split(values, len(values)) if groups is None else members_of(values, groups)
    draws = rng.integers(len(members), size=(N_DRAWS, len(members)))
    medians = [np.median(np.concatenate([members[number] for number in draw])) for draw in draws]
    return interval_of(np.median(values), medians)


def members_of(values: np.ndarray, groups: np.ndarray) -> list[np.ndarray]:
    return [values[groups == group] for group in np.unique(groups)]


@dataclass(frozen=True)
class Contest:
    """One measurement against controls, all of the same points: medians, and those of the paired differences."""

    first: str
    medians: dict[str, Interval]
    leads: dict[str, Interval]

    @property
    def is_won(self) -> bool:
        """Whether the interval of every paired difference is above 0."""
        return all(lead.low > 0 for lead in self.leads.values())

    @property
    def said(self) -> str:
        controls = [f"{name} {self.medians[name].value:.3f} (lead {lead})" for name, lead in self.leads.items()]
        return f"{self.first} {self.medians[self.first]}; " + "; ".join(controls)

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "median": {name: median.figures for name, median in self.medians.items()},
            f"lead of {self.first}": {name: lead.figures for name, lead in self.leads.items()},
        }


def contest(values: dict[str, np.ndarray], groups: np.ndarray | None = None) -> Contest:
    """The first of the measurements against all others."""
    first, *controls = values
    return Contest(
        first,
        {name: median_of(each, groups) for name, each in values.items()},
        {name: median_of(values[first] - values[name], groups) for name in controls},
    )
