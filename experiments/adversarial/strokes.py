"""How much of what matters in a digit lies off its stroke."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import binary_dilation

from ..report import Claim
from .resampling import mean_interval

NEAR = np.ones((1, 3, 3), bool)  # a pixel and the eight around it, within one image


def share_off_stroke(importance: np.ndarray, clean: np.ndarray) -> np.ndarray:
    """The part of each row's squared importance on pixels more than one away from all ink of the clean image."""
    near = binary_dilation(clean.reshape(-1, 28, 28) > 0, NEAR).reshape(clean.shape)
    squares = importance.astype(np.float64) ** 2
    return np.where(near, 0, squares).sum(axis=1) / squares.sum(axis=1)


def study_strokes(importances: dict[str, np.ndarray], clean: np.ndarray) -> tuple[list[Claim], dict[str, Any]]:
    """``importances`` are those of the same 1s "before" and "after" the attack and after a "random" step."""
    shares = {name: share_off_stroke(importance, clean) for name, importance in importances.items()}
    means = {name: mean_interval(values) for name, values in shares.items()}
    gained = mean_interval(shares["after"] - shares["before"])
    beyond_chance = mean_interval(shares["after"] - shares["random"])
    claims = [
        Claim(
            "The saliency of attacked 1s shows important features besides the digit's edge",
            f"squared importance off the stroke: {means['after'].value:.1%} after the attack, "
            f"{means['before'].value:.1%} before; difference {gained}",
            gained.low > 0,
        ),
        Claim(
            "Control: there are more of them than after a random step of the same size",
            f"{means['after'].value:.1%} after the attack, {means['random'].value:.1%} after a random step; "
            f"difference {beyond_chance}",
            beyond_chance.low > 0,
        ),
    ]
    figures = {**means, "after minus before": gained, "after minus random": beyond_chance}
    return claims, {name: interval.figures for name, interval in figures.items()}
