"""How far to trust the arrows of a map, in words."""

from __future__ import annotations

import numpy as np

from .model import Model
from .sample import some_of

SCORED_ROWS = 100
GOOD, FAIR = 0.5, 0.25  # median fidelity from which arrows are good, and fair
ADVICE = {
    "good": "read them one by one",
    "fair": "read only the strongest",
    "poor": "do not read them",
}


def trust_caption(model: Model) -> str:
    """Return one sentence on how well the arrows of the map agree with the data."""
    fidelity = float(np.median(model.fidelity(some_of(np.arange(len(model.embedding_)), SCORED_ROWS))))
    word = "good" if fidelity >= GOOD else "fair" if fidelity >= FAIR else "poor"
    return f"The arrows of this map are {word} ({fidelity:.2f} of 1): {ADVICE[word]}."
