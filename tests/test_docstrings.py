"""Every public parameter is explained where users look for it. `make lint` checks the form of docstrings."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from featmap.docstrings import shared_parameters
from surface import RESULTS, public_surface

CALLABLES = {
    name: value for name, value in public_surface() if not isinstance(value, property) and value not in RESULTS
}


def documented_parameters(docstring: str | None) -> set[str]:
    """Names in the section "Parameters" of a numpydoc docstring: ``a, b : type``."""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^[A-Z][\w ]*\n-+$|\Z)", inspect.cleandoc(docstring or ""), re.M | re.S
    )
    lines = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", section[1], re.M) if section else []
    return {name for line in lines for name in line.split(", ")}


def test_the_section_is_read():
    docstring = """Add.

    Parameters
    ----------
    a, b : int
        Note: both.
    c : {"d", "e"}, default="d"
        What.

    Returns
    -------
    total : int
    """
    assert documented_parameters(docstring) == {"a", "b", "c"}
    assert documented_parameters("Add.") == documented_parameters(None) == set()


def test_the_surface_is_seen_whole():
    assert {"FeatMAP", "FeatMAP.fit", "FeatMAP.load", "FeatMAP.arrows", "Explanation.arrows"} <= set(CALLABLES)
    assert {"explain", "Contrast.top", "metrics.Benchmark.score", "plot.embedding", "datasets.load_mnist"} <= set(
        CALLABLES
    )
    assert not any("._" in name for name in CALLABLES)
    assert "FeatMAP.set_params" not in CALLABLES


def test_shared_descriptions_stand_in_the_place_of_names():
    documented = shared_parameters(
        """
a : int
    What a is,
    at length.
b : str
    What b is.
"""
    )

    @documented
    def add(a, b):
        """Add.

        Parameters
        ----------
        {b, a}
        """

    described = "b : str\n    What b is.\na : int\n    What a is,\n    at length."
    assert inspect.getdoc(add) == f"Add.\n\nParameters\n----------\n{described}"
    assert documented(lambda: None).__doc__ is None  # as with python -OO
    with pytest.raises(KeyError, match="c"):

        @documented
        def unknown():
            """{c}"""


def test_modules_with_shared_descriptions_can_be_imported_without_docstrings():
    code = "import featmap; featmap.FeatMAP, featmap.explorer, featmap.plot, featmap.metrics"
    subprocess.run([sys.executable, "-OO", "-c", code], check=True)


# They take all parameters of `FeatMAP`, as functions of scanpy take those of what they call.
FORWARDING = {"map_table", "tl.featmap"}


@pytest.mark.parametrize("name", CALLABLES)
def test_every_public_parameter_is_named_in_its_docstring(name):
    parameters = inspect.signature(CALLABLES[name]).parameters
    hidden = [each for each, value in parameters.items() if value.kind == value.VAR_KEYWORD]
    assert not hidden or name in FORWARDING, "** hides parameters"
    assert all(f"**{each} : " in CALLABLES[name].__doc__ for each in hidden)
    expected = set(parameters) - {"self", "cls", *hidden}
    assert documented_parameters(CALLABLES[name].__doc__) == expected
