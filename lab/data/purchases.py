"""A made table with heavy tails: how often customers bought each kind of goods."""

from __future__ import annotations

import numpy as np

N_KINDS = 8
PREFERENCE = 0.3  # of Dirichlet's distribution over goods: a kind of customers buys few of them often
USUAL, SPREAD = 20, 1.5  # the median of how many things a customer buys, and the deviation of its logarithm


def purchases(n_rows: int = 4000, n_goods: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Counts of customers by goods, and the kind of each customer.

    A kind has its own shares of goods, and a customer of any kind buys one thing or thousands. Given both, counts are
    Poisson's: customers who buy little are near each other whatever their kind, those who buy much far apart.
    """
    rng = np.random.default_rng(seed)
    kind = rng.integers(N_KINDS, size=n_rows)
    shares = rng.dirichlet(np.full(n_goods, PREFERENCE), N_KINDS)
    wanted = USUAL * rng.lognormal(0, SPREAD, n_rows)
    return rng.poisson(wanted[:, None] * shares[kind]).astype(np.float32), kind
