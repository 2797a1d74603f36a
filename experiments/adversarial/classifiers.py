"""The same study with other classifiers, to see whether a finding depends on the weights of one network."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from featmap import FeatMAP

from ..report import Claim
from .attack import attacked_with, other_settings
from .reading import study_reading
from .resemblance import Clean, Ones, study_targets


def attacked_ones(digits: Bunch, after: FeatMAP, random_importance: np.ndarray) -> Ones:
    is_one = digits.target == 1
    return Ones(after.feature_importance(is_one), digits.data[is_one], digits.predicted[is_one], random_importance)


def study_classifiers(
    quick: bool, clean: Clean, random_importance: np.ndarray, n_least: int
) -> tuple[Claim, dict[str, Any]]:
    """Classifiers of other seeds, attacked in the same way."""
    figures, words, holds = {}, [], []
    for settings in other_settings(quick):
        digits = attacked_with(settings)
        after = FeatMAP(random_state=0).fit(digits.data)
        targets = study_targets(attacked_ones(digits, after, random_importance), clean, n_least)
        leads = {target.digit: target.importance.lead for target in targets}
        holds += [lead.low > 0 for lead in leads.values()]
        said = ", ".join(f"1 → {digit} {lead.value:.3f}" for digit, lead in leads.items())
        words.append(f"seed {settings.seed}: {said or 'too few examples'}")
        _, reading = study_reading(digits)
        figures[f"seed {settings.seed}, {settings.n_epochs} epochs"] = {
            "reading": reading,
            "1s read as": {str(target.digit): target.figures for target in targets},
        }
    claim = (
        "With classifiers of other seeds, too, mean importance is more similar to that of the digit read than of 1"
    )
    return Claim(claim, "; ".join(words), bool(holds) and all(holds)), figures
