"""Models in files of the first format, which featmap 0.1.0 wrote.

There a fit made tangent spaces and frames, which now are beside the map, and density was a penalty.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .codecs import expect

PENALTY = {"density_weight", "density_anisotropy", "density_terms", "density_fraction"}


def of_first_format(model: Any, attributes: Collection[str]) -> dict[str, Any]:
    """The content of such a file as it would be now, with those of its attributes that models still have."""
    parts = _with(model, "parameters", "mapped", "attributes")
    parameters, mapped = _with(parts["parameters"], *PENALTY), _with(parts["mapped"], "manifold", "frames")
    manifold, frames = _with(mapped["manifold"], "tangents"), _with(mapped["frames"], "solver")
    tangents = _without(_with(manifold["tangents"], "radii"), {"radii"})
    # Nothing is drawn any more where there are frames already, so any seed will do.
    manifold = {**_without(manifold, {"tangents"}), "frame_solver": frames["solver"], "seed": 0}
    known = {name: value for name, value in _with(parts["attributes"]).items() if name in attributes}
    return {
        **parts,
        "parameters": {**_without(parameters, PENALTY), "density": None},
        "mapped": {**_without(mapped, {"frames"}), "manifold": manifold},
        "geometry": {"tangents": tangents, "frames": frames},
        "attributes": {**known, "density_": 0.0},  # the units of that layout were all equal
    }


def _with(node: Any, *names: str) -> dict[str, Any]:
    """A part of the tree, which has to have these parts."""
    expect(isinstance(node, dict) and set(names) <= set(node), node, f"a mapping with {', '.join(sorted(names))}")
    found: dict[str, Any] = node
    return found


def _without(node: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name not in names}
