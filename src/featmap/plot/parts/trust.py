"""How far to trust the arrows of a map, in words."""

from __future__ import annotations

from .model import Model


def trust_caption(model: Model) -> str:
    """Return one sentence on how well the arrows of the map agree with the data."""
    return model.trust().sentence
