"""The public surface: what a user calls, by the name under which a user calls it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import featmap
from featmap.explanation import Explanation
from featmap.explanation.backing import Backing
from featmap.explanation.contrast import Contrast, FeatureRanking
from featmap.explanation.map_variance import MapVariance
from featmap.explanation.perturbation import Perturbation

# Methods return these; users do not construct them, so their constructors are not public.
RESULTS = (Explanation, Backing, Contrast, MapVariance, FeatureRanking, Perturbation)


def public_surface() -> Iterator[tuple[str, Any]]:
    """Functions, classes, and the methods and properties of classes. Errors and warnings have no parameters."""
    named = [(name, getattr(featmap, name)) for name in featmap.__all__]
    for package in featmap._SUBPACKAGES:
        module = getattr(featmap, package)
        named += [(f"{package}.{name}", getattr(module, name)) for name in module.__all__]
    named += [(result.__name__, result) for result in RESULTS if result.__name__ not in featmap.__all__]
    for name, value in named:
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value) and not issubclass(value, Exception):
            yield name, value
            yield from members(name, value)


def members(name: str, owner: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties which this package writes; those of scikit-learn are documented there."""
    ours = (base for base in owner.__mro__ if base.__module__.startswith("featmap."))
    written = {member: value for base in ours for member, value in vars(base).items() if not member.startswith("_")}
    for member, value in written.items():
        if inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod):
            yield f"{name}.{member}", getattr(owner, member)
