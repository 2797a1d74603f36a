"""The swiss roll: a flat sheet, rolled up."""

from __future__ import annotations

from typing import Any

from .answers import answer

SWISS_ROLL = """
A swiss roll: points drawn at random from a flat sheet that is rolled up in space, with noise if asked for. The target
is how far along the roll a point lies. Made by scikit-learn's make_swiss_roll, not measured.

Marsland: Machine Learning, an Algorithmic Perspective, 2nd edition (2014).
"""


def load_swiss_roll(
    *, n_samples: int = 1500, noise: float = 0.0, random_state: Any = None, return_X_y: bool = False
) -> Any:
    """Make a swiss roll; the target is how far along the roll each point lies."""
    from sklearn.datasets import make_swiss_roll

    points, along = make_swiss_roll(n_samples, noise=noise, random_state=random_state)
    return answer(return_X_y, data=points, target=along, feature_names=["x", "y", "z"], DESCR=SWISS_ROLL)
