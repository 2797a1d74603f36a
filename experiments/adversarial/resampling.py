"""Means of examples with what they would be of other examples: every figure gets an interval from the same draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

N_DRAWS = 1000
PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Interval:
    """A value, and the interval of 95 % of its bootstrap draws."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = (round(each, 3) + 0.0 for each in (self.value, self.low, self.high))  # no negative 0
        return f"{value:.3f} [{low:.3f}, {high:.3f}]"

    @property
    def figures(self) -> dict[str, float]:
        return {name: round(value, 4) + 0.0 for name, value in vars(self).items()}


def interval_of(draws: np.ndarray) -> Interval:
    """Of the value itself, which comes first, and its draws."""
    low, high = np.percentile(draws[1:], PERCENTILES)
    return Interval(float(draws[0]), float(low), float(high))


def mean_draws(examples: np.ndarray, seed: int = 0) -> np.ndarray:
    """The mean of the examples, then the means of as many drawn again: (1 + draws, features)."""
    n_examples = len(examples)
    counts = np.random.default_rng(seed).multinomial(n_examples, np.full(n_examples, 1 / n_examples), size=N_DRAWS)
    return np.vstack([examples.mean(axis=0, dtype=np.float64), counts @ examples.astype(np.float64) / n_examples])


def mean_interval(values: np.ndarray) -> Interval:
    return interval_of(mean_draws(values[:, None])[:, 0])


def correlations(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pearson's, of each row of the one with the same row of the other."""
    a, b = (each - each.mean(axis=1, keepdims=True) for each in (a, b))
    return (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
