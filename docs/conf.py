"""Configuration of Sphinx. `make docs` builds the site into build/docs; a warning is an error there."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

import featmap  # noqa: E402
from surface import members, public_surface  # noqa: E402 - what is public has one home, in tests/


def own_members(name: str, owner: type) -> list[tuple[str, str]]:
    """The kind and the name of each method and property which this package writes for a class."""
    return [
        ("property" if inspect.isdatadescriptor(value) else "method", full_name.rpartition(".")[2])
        for full_name, value in members(name, owner)
    ]


def stay_on_the_site(app: Any, page: str, source: list[str]) -> None:
    """Links out of docs/ lead to files in the repository, which the site does not have: name the files instead."""
    source[0] = re.sub(r"\[([^]]+)\]\(\.\./([^)#]+)[^)]*\)", name_of_file, source[0])


def name_of_file(link: re.Match[str]) -> str:
    text, path = link.groups()
    return text if path in text else f"{text} (`{path}`)"


def setup(app: Any) -> None:
    app.connect("source-read", stay_on_the_site)


project = "featMAP"
author = "The featMAP developers"
project_copyright = f"2026, {author}"
version = release = featmap.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_templates", "generated/live"]
templates_path = ["_templates"]

myst_heading_anchors = 3

autosummary_context = {
    "own_members": {
        f"featmap.{name}": own_members(name, value) for name, value in public_surface() if inspect.isclass(value)
    }
}
numpydoc_show_class_members = False  # the template of a class lists those that this package writes
autodoc_typehints = "none"  # docstrings have the types

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "generated/gallery",
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "featMAP"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["generated/live"]  # pages of the explorer
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "live": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}
WITHOUT_SECTIONS = ("index", "quickstart", "live", "reading", "questions", "faq", "comparison")
html_sidebars = {page: [] for page in WITHOUT_SECTIONS}
