"""Does what matters in an attacked 1 look like what matters in the digit it is taken for?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..bootstrap import Interval
from ..edges import correlations
from .resampling import interval_of_draws, mean_draws


@dataclass(frozen=True)
class Resemblance:
    """Draws of the correlation of some 1s' mean with the mean of clean 1s, and with that of another clean digit."""

    to_one: np.ndarray
    to_digit: np.ndarray

    @property
    def lead_draws(self) -> np.ndarray:
        return self.to_digit - self.to_one

    @cached_property
    def lead(self) -> Interval:
        """How much more they resemble the digit than the 1."""
        return interval_of_draws(self.lead_draws)

    @property
    def figures(self) -> dict[str, Any]:
        draws = {"with 1": self.to_one, "with digit": self.to_digit, "lead": self.lead_draws}
        return {name: interval_of_draws(part).figures for name, part in draws.items()}


@dataclass(frozen=True)
class Target:
    """The 1s that are read as one digit, beside their controls."""

    digit: int
    n_examples: int
    importance: Resemblance
    images: Resemblance
    unfooled: Resemblance | None  # importance of attacked 1s still read as 1, if there are any
    random: Resemblance  # importance of 1s after a random step
    nearest: int  # the other digit whose importance theirs is most like

    @cached_property
    def excess(self) -> Interval | None:
        """The lead of the fooled ones over that of those not fooled."""
        if self.unfooled is None:
            return None
        return interval_of_draws(self.importance.lead_draws - self.unfooled.lead_draws)

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "examples": self.n_examples,
            "importance": self.importance.figures,
            "mean images": self.images.figures,
            "importance, attacked but still read as 1": self.unfooled and self.unfooled.figures,
            "importance, random step": self.random.figures,
            "lead over those still read as 1": self.excess and self.excess.figures,
            "most similar other digit": self.nearest,
        }


@dataclass(frozen=True)
class Ones:
    """Importance and images of attacked 1s, what they are read as, their importance after a random step instead."""

    importance: np.ndarray
    images: np.ndarray
    predicted: np.ndarray
    random_importance: np.ndarray

    def targets(self, n_least: int) -> list[int]:
        """The digits that enough of them are read as."""
        digits, counts = np.unique(self.predicted, return_counts=True)
        return [int(digit) for digit, count in zip(digits, counts, strict=True) if digit != 1 and count >= n_least]


@dataclass(frozen=True)
class Clean:
    """Draws of the mean importance and the mean image of every digit before the attack."""

    importance: dict[int, np.ndarray]
    images: dict[int, np.ndarray]


def clean_digits(importance: np.ndarray, images: np.ndarray, labels: np.ndarray) -> Clean:
    # Draws of different digits have different seeds, or digits with as many examples would be drawn alike.
    digits = np.unique(labels).tolist()
    return Clean(*({d: mean_draws(rows[labels == d], seed=1 + d) for d in digits} for rows in (importance, images)))


def study_targets(ones: Ones, clean: Clean, n_least: int) -> list[Target]:
    """All digits that enough 1s are read as."""
    withstood = ones.importance[ones.predicted == 1]
    unfooled = mean_draws(withstood, seed=20) if len(withstood) else None
    random = mean_draws(ones.random_importance, seed=21)
    return [_study(ones, clean, digit, unfooled, random) for digit in ones.targets(n_least)]


def _study(ones: Ones, clean: Clean, digit: int, unfooled: np.ndarray | None, random: np.ndarray) -> Target:
    fooled = ones.predicted == digit
    importance, images = (mean_draws(rows[fooled]) for rows in (ones.importance, ones.images))

    def resemblance(draws: np.ndarray, digits: dict[int, np.ndarray]) -> Resemblance:
        return Resemblance(correlations(draws, digits[1]), correlations(draws, digits[digit]))

    others = {d: correlations(importance[:1], means[:1])[0] for d, means in clean.importance.items() if d != 1}
    return Target(
        digit,
        int(fooled.sum()),
        resemblance(importance, clean.importance),
        resemblance(images, clean.images),
        None if unfooled is None else resemblance(unfooled, clean.importance),
        resemblance(random, clean.importance),
        max(others, key=others.__getitem__),
    )
