"""The methods by name, with the package that each one needs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec

from . import packages
from .settings import Make


@dataclass(frozen=True)
class Method:
    """How a map is made, the module that makes it, and the package of that module (None: this repository)."""

    make: Make
    module: str
    package: str | None

    @property
    def is_installed(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def source(self) -> str:
        return f"{self.package} {version(self.package)}" if self.package else "a baseline of our own"


FEATMAP = Method(packages.featmap(), "featmap", "featmap")
PEERS = {
    "UMAP": Method(packages.umap, "umap", "umap-learn"),
    "densMAP": Method(packages.densmap(), "umap", "umap-learn"),
    "ScaleMAP": Method(packages.scalemap(), "scaleMAP", "scalemap"),
    "PaCMAP": Method(packages.pacmap, "pacmap", "pacmap"),
    "TriMap": Method(packages.trimap, "trimap", "trimap"),
    "h-NNE": Method(packages.hnne, "hnne", "hnne"),
    "openTSNE": Method(packages.opentsne, "openTSNE", "openTSNE"),
    "t-SNE": Method(packages.tsne, "sklearn", "scikit-learn"),
    "featuremap (authors)": Method(packages.featuremap, "featuremap", "featuremap"),
    "SpaceMAP": Method(packages.spacemap, "lab.peers.spacemap", None),
}
