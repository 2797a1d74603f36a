"""What the classifier reads after the attack."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..report import Claim

PAPER_ACCURACY, PAPER_EIGHTS = 0.08, 0.43
NEAR_ACCURACY, NEAR_EIGHTS = 0.02, 0.05  # how near another classifier's figures have to come


def study_reading(digits: Bunch) -> tuple[list[Claim], dict[str, Any]]:
    before, after = (float(np.mean(read == digits.target)) for read in (digits.predicted_before, digits.predicted))
    counts, counts_of_ones = (
        np.bincount(read, minlength=10) for read in (digits.predicted, digits.predicted[digits.target == 1])
    )
    shares, most = (counts / counts.sum()).tolist(), int(counts.argmax())
    claims = [
        Claim(
            "The attack leaves LeNet an accuracy of 0.08",
            f"{after:.3f}; before the attack {before:.3f}",
            abs(after - PAPER_ACCURACY) <= NEAR_ACCURACY,
        ),
        Claim(
            "43 % of the attacked digits are read as 8",
            f"{shares[8]:.1%} are read as 8; most, {shares[most]:.1%}, as {most}",
            abs(shares[8] - PAPER_EIGHTS) <= NEAR_EIGHTS,
        ),
    ]
    return claims, {
        "accuracy before": round(before, 4),
        "accuracy after": round(after, 4),
        "attacked digits read as 0 to 9": counts.tolist(),
        "attacked 1s read as 0 to 9": counts_of_ones.tolist(),
    }
