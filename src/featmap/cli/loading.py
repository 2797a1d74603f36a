"""Saved models, as commands ask them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..estimator import FeatMAP
    from ..explanation import Explanation


def answers_of(path: str) -> FeatMAP | Explanation:
    """A saved model, which answers in the columns of its table if it was made of one."""
    from ..estimator import FeatMAP

    return in_its_columns(FeatMAP.load(path))


def in_its_columns(model: FeatMAP) -> FeatMAP | Explanation:
    """What answers in the columns of the table that a model was made of, if it was made of one."""
    from ..preparation.pipelines import in_original_units

    return in_original_units(model) if hasattr(model, "recipe_") else model
