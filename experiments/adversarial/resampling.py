"""Means of examples with what they would be of other examples: every figure gets an interval from the same draws."""

from __future__ import annotations

import numpy as np

from ..bootstrap import N_DRAWS, Interval, interval_of


def interval_of_draws(draws: np.ndarray) -> Interval:
    """The interval of a value that comes first in ``draws``, followed by its draws."""
    return interval_of(draws[0], draws[1:])


def mean_draws(examples: np.ndarray, seed: int = 0) -> np.ndarray:
    """The mean of the examples, then the means of as many drawn again: (1 + draws, features)."""
    n_examples = len(examples)
    counts = np.random.default_rng(seed).multinomial(n_examples, np.full(n_examples, 1 / n_examples), size=N_DRAWS)
    return np.vstack([examples.mean(axis=0, dtype=np.float64), counts @ examples.astype(np.float64) / n_examples])


def mean_interval(values: np.ndarray) -> Interval:
    return interval_of_draws(mean_draws(values[:, None])[:, 0])
