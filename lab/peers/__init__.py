"""featMAP and the methods it is compared with, each called in one place."""

from __future__ import annotations

from .packages import densmap, featmap, featmap_of_paper, fit_featmap, fit_umap, opentsne, pacmap, scalemap, umap
from .settings import Make, Settings
from .table import FEATMAP, PEERS, Method

__all__ = [
    "FEATMAP",
    "PEERS",
    "Make",
    "Method",
    "Settings",
    "densmap",
    "featmap",
    "featmap_of_paper",
    "fit_featmap",
    "fit_umap",
    "opentsne",
    "pacmap",
    "scalemap",
    "umap",
]
