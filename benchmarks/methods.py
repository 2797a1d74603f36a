"""The methods compared: how each makes a two-dimensional map. Imports happen inside, so that they are timed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Stages = dict[str, float]
Mapper = Callable[[np.ndarray, int, int], tuple[np.ndarray, Stages]]


def featmap(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from featmap import FeatMAP

    model = FeatMAP(n_epochs=n_epochs, random_state=0, n_jobs=n_jobs).fit(X)
    return model.embedding_, {report.stage: report.cpu_seconds for report in model.fit_report_}


def featmap_unseeded(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from featmap import FeatMAP

    return FeatMAP(n_epochs=n_epochs, n_jobs=n_jobs).fit_transform(X), {}


def umap(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from umap import UMAP

    return UMAP(n_epochs=n_epochs, n_jobs=n_jobs).fit_transform(X), {}


def umap_seeded(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from umap import UMAP

    return UMAP(n_epochs=n_epochs, random_state=0, n_jobs=1).fit_transform(X), {}


def densmap(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from umap import UMAP

    return UMAP(n_epochs=n_epochs, densmap=True, n_jobs=n_jobs).fit_transform(X), {}


def opentsne(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from openTSNE import TSNE

    return np.asarray(TSNE(n_jobs=n_jobs, random_state=0).fit(X)), {}


def pacmap(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from pacmap import PaCMAP

    return PaCMAP(n_components=2).fit_transform(X), {}


def trimap(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from trimap import TRIMAP

    return TRIMAP(verbose=False).fit_transform(X), {}


def hnne(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from hnne import HNNE

    return HNNE(n_components=2).fit_transform(X), {}


def featuremap(X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, Stages]:
    from featuremap import FeatureMAP

    return FeatureMAP(n_epochs=n_epochs).fit_transform(X), {}


METHODS: dict[str, Mapper] = {
    "featMAP": featmap,
    "featMAP (unseeded)": featmap_unseeded,
    "UMAP": umap,
    "UMAP (seeded)": umap_seeded,
    "densMAP": densmap,
    "PaCMAP": pacmap,
    "TriMap": trimap,
    "h-NNE": hnne,
    "openTSNE": opentsne,
    "featuremap (authors)": featuremap,
}
