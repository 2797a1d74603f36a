"""How sure a median is, and whether one measurement exceeds others of the same points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

N_DRAWS = 1000
PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Median:
    """A median, and the interval that holds 95 % of the medians of data drawn again."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3f} [{self.low:.3f}, {self.high:.3f}]"

    @property
    def figures(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in vars(self).items()}


def median_of(values: np.ndarray, groups: np.ndarray | None = None) -> Median:
    """Values are drawn again one by one, or by whole groups where those of a group depend on each other."""
    rng = np.random.default_rng(0)
    members = np.array_split(values, len(values)) if groups is None else members_of(values, groups)
    draws = rng.integers(len(members), size=(N_DRAWS, len(members)))
    medians = [np.median(np.concatenate([members[number] for number in draw])) for draw in draws]
    low, high = np.percentile(medians, PERCENTILES)
    return Median(float(np.median(values)), float(low), float(high))


def members_of(values: np.ndarray, groups: np.ndarray) -> list[np.ndarray]:
    return [values[groups == group] for group in np.unique(groups)]


@dataclass(frozen=True)
class Contest:
    """One measurement against controls, all of the same points: medians, and those of the paired differences."""

    first: str
    medians: dict[str, Median]
    leads: dict[str, Median]

    @property
    def is_won(self) -> bool:
        """Whether the interval of every paired difference is above 0."""
        return all(lead.low > 0 for lead in self.leads.values())

    @property
    def said(self) -> str:
        controls = [f"{name} {self.medians[name].median:.3f} (lead {lead})" for name, lead in self.leads.items()]
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
