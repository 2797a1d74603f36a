"""The explorer: a page on which a map is looked at and asked why its points are where they are.

A record holds what the page needs, and one HTML file holds record and page. `answers` gives the numbers of the page
from Python.
"""

from .serving import serve

__all__ = ["serve"]
