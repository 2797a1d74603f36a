"""The paper's claim on importance, and the controls that it has to stand."""

from __future__ import annotations

from typing import Any

from ..report import Claim
from .resemblance import Target


def claims_on_resemblance(targets: list[Target]) -> list[Claim]:
    eights = [target for target in targets if target.digit == 8]
    others = [target for target in targets if target.digit != 8]
    return [
        judged(
            "The mean importance of 1s read as 8 is more similar to that of clean 8s than of clean 1s",
            [(t, t.importance.lead, t.importance.lead.low > 0) for t in eights],
        ),
        judged(
            "So it is for the other digits that 1s are read as",
            [(t, t.importance.lead, t.importance.lead.low > 0) for t in others],
        ),
        judged(
            "Control: the mean images of these 1s are not more similar to that digit",
            [(t, t.images.lead, t.images.lead.low <= 0) for t in targets],
        ),
        judged(
            "Control: attacked 1s still read as 1 resemble that digit less, as if it were why 1s are misread",
            [(t, t.excess, t.excess.low > 0) for t in targets if t.excess is not None],
        ),
        judged(
            "Control: of all digits but 1, they resemble the one they are read as most",
            [(t, f"most similar to {t.nearest}", t.nearest == t.digit) for t in targets],
        ),
    ]


def judged(claim: str, measured: list[tuple[Target, Any, bool]]) -> Claim:
    """A claim that holds if it does for every digit that 1s are read as, and if there is one."""
    words = [f"1 → {target.digit}: {value}" for target, value, _ in measured]
    return Claim(claim, "; ".join(words) or "too few examples", bool(words) and all(holds for *_, holds in measured))
