"""A made survey: answers to questions of a choice each, one column of 0 and 1 for every answer."""

from __future__ import annotations

import numpy as np

N_CLASSES = 12
LEAST_ANSWERS, MOST_ANSWERS = 4, 6


def survey(n_rows: int = 12_000, n_questions: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """One-hot answers of persons from latent classes, and the class of each.

    A class has its own probabilities of the answers to each question. Given the class, answers are independent.
    """
    rng = np.random.default_rng(seed)
    latent = rng.integers(N_CLASSES, size=n_rows)
    return np.hstack([one_hot_answers(latent, rng) for _ in range(n_questions)]), latent


def one_hot_answers(latent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The answers of all persons to one question, (persons, answers)."""
    n_answers = rng.integers(LEAST_ANSWERS, MOST_ANSWERS, endpoint=True)
    probabilities = rng.dirichlet(np.ones(n_answers), N_CLASSES)
    bounds = probabilities.cumsum(axis=1)[latent, :-1]
    chosen = (rng.uniform(size=(len(latent), 1)) > bounds).sum(axis=1)
    return np.eye(n_answers, dtype=np.float32)[chosen]
