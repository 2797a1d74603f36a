"""One function for each package: rows (m, n) and settings to a map (m, 2).

Packages are imported when a map is made: benchmarks time that import, and a package that is not used need not be
installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .settings import Make, Settings


def fit_featmap(X: np.ndarray, settings: Settings, **options: Any) -> Any:
    """The fitted model, for those who want more of it than the map."""
    from featmap import FeatMAP

    if settings.n_epochs is not None:
        options["n_epochs"] = settings.n_epochs
    if settings.neighbors is not None:
        options["precomputed_knn"] = settings.neighbors
    model = FeatMAP(metric=settings.metric, random_state=settings.seed, n_jobs=settings.n_jobs, **options)
    return model.fit(X)


def featmap(**options: Any) -> Make:
    def make(X: np.ndarray, settings: Settings) -> np.ndarray:
        return fit_featmap(X, settings, **options).embedding_

    return make


def featmap_of_paper(X: np.ndarray, settings: Settings) -> np.ndarray:
    """The paper's method as it is printed, which has Euclidean distances and searches its neighbours itself."""
    from featmap import FeatMAP

    options = {} if settings.n_epochs is None else {"n_epochs": settings.n_epochs}
    return FeatMAP.paper(random_state=settings.seed, n_jobs=settings.n_jobs, **options).fit_transform(X)


def fit_umap(X: np.ndarray, settings: Settings, **options: Any) -> Any:
    """The fitted model, for those who want more of it than the map."""
    from umap import UMAP

    return UMAP(**options_of_umap(settings), **options).fit(X)


def options_of_umap(settings: Settings) -> dict[str, Any]:
    """The names that umap-learn, and a package made from its code, have for what is set for all methods."""
    n_jobs = settings.n_jobs if settings.seed is None else 1  # seeded, it runs on one thread in any case, and warns
    own = {"metric": settings.metric, "n_epochs": settings.n_epochs, "random_state": settings.seed, "n_jobs": n_jobs}
    return own if settings.neighbors is None else own | {"precomputed_knn": settings.neighbors}


def umap(X: np.ndarray, settings: Settings) -> np.ndarray:
    return fit_umap(X, settings).embedding_


def densmap(**options: Any) -> Make:
    def make(X: np.ndarray, settings: Settings) -> np.ndarray:
        return fit_umap(X, settings, densmap=True, **options).embedding_

    return make


def scalemap(**options: Any) -> Make:
    """ScaleMAP (Poorna and Cicerone, arXiv 2605.30597): umap-learn's program with displacements in local units."""

    def make(X: np.ndarray, settings: Settings) -> np.ndarray:
        from scaleMAP import UMAP

        return UMAP(scalemap=True, **options_of_umap(settings), **options).fit(X).embedding_

    return make


def pacmap(X: np.ndarray, settings: Settings) -> np.ndarray:
    from pacmap import PaCMAP

    return PaCMAP(random_state=settings.seed).fit_transform(X)


def trimap(X: np.ndarray, settings: Settings) -> np.ndarray:
    """TriMap has no seed of its own; its triplets come from numpy's global generator."""
    from trimap import TRIMAP

    if settings.seed is not None:
        np.random.seed(settings.seed)  # noqa: NPY002
    return TRIMAP(verbose=False).fit_transform(X)


def hnne(X: np.ndarray, settings: Settings) -> np.ndarray:
    from hnne import HNNE

    return HNNE(n_components=2, random_state=settings.seed).fit_transform(X)


def tsne(X: np.ndarray, settings: Settings) -> np.ndarray:
    from sklearn.manifold import TSNE

    return TSNE(random_state=settings.seed, n_jobs=settings.n_jobs).fit_transform(X)


def opentsne(X: np.ndarray, settings: Settings) -> np.ndarray:
    """FIt-SNE's interpolation, where there are enough rows for it to pay."""
    from openTSNE import TSNE

    return np.asarray(TSNE(random_state=settings.seed, n_jobs=settings.n_jobs).fit(X))


def featuremap(X: np.ndarray, settings: Settings) -> np.ndarray:
    """The program of the paper's authors."""
    from featuremap import FeatureMAP

    return FeatureMAP(n_epochs=settings.n_epochs, random_state=settings.seed).fit_transform(X)


def spacemap(X: np.ndarray, settings: Settings) -> np.ndarray:
    from .spacemap import spacemap as make

    return make(X, 0 if settings.seed is None else settings.seed)
