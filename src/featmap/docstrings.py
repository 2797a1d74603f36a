"""Descriptions of parameters that several functions share, written once.

A package writes them as numpydoc does and makes a decorator of them:

    documented = shared_parameters('''
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    title : str or None, default=None
        The title.
    ''')

In the docstring of a function with this decorator, the line ``{ax, title}`` stands for both descriptions. It is
replaced when the function is defined, so that `help` and all tools that read ``__doc__`` see the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import indent
from typing import TypeVar

Documented = TypeVar("Documented", bound=Callable[..., object])

NAMES = re.compile(r"^( *)\{(\w+(?:, \w+)*)\}$", re.MULTILINE)
START_OF_DESCRIPTION = re.compile(r"^(?=\w)", re.MULTILINE)


def shared_parameters(descriptions: str) -> Callable[[Documented], Documented]:
    """A decorator that writes these descriptions into docstrings in the place of the names of parameters."""
    by_name = {
        text.split(" :")[0]: text.rstrip() for text in START_OF_DESCRIPTION.split(descriptions) if text.strip()
    }

    def whole(line: re.Match[str]) -> str:
        return "\n".join(indent(by_name[name], line[1]) for name in line[2].split(", "))

    def documented(function: Documented) -> Documented:
        if function.__doc__ is not None:  # it is None with `python -OO`
            function.__doc__ = NAMES.sub(whole, function.__doc__)
        return function

    return documented


# The page, which `to_html`, `explore` and `serve` show.
PAGE_PARAMETERS = """
labels : array-like of shape (n_samples,) or None, default=None
    A label for each row, by which the map is coloured at first. Missing labels are allowed. The name of a
    Series is shown.
columns : DataFrame, dict or None, default=None
    More columns with one value for each row, to colour and filter by.
ids : array-like of shape (n_samples,) or None, default=None
    Names of the rows. By default those of the data's index, or row numbers if there is none.
image_shape : tuple of int or None, default=None
    Height and width, and 3 for colours, of pictures whose pixels are the features.
maps : dict or None, default=None
    Other maps of the same rows by name, each of shape (n_samples, 2), to look at beside this one.
title : str or None, default=None
    The title of the page.
"""
