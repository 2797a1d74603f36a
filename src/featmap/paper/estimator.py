"""PaperFeatMAP: the printed method as an estimator, which shares the code of FeatMAP and answers what it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..checks.parameters import check_each, integer
from ..checks.settings import fit_settings
from ..estimator import FeatMAP

if TYPE_CHECKING:
    from ..data.sparse import Matrix
    from ..pipeline import Fitted
    from ..run import Run
    from ..values import DoubleArray, Geometry
    from .layout import PaperSettings

OWN_RULES = {"n_epochs": (integer(1), "must be an integer of at least 1; the paper has 500")}


class PaperFeatMAP(FeatMAP):
    """The method as the paper prints it, for comparisons. `FeatMAP` is what we recommend.

    A graph of neighbours, tangent spaces about each point, frames that keep the cosine distances of neighbouring
    tangent spaces, and a map that lowers CE(P‖Q)/Z − λ Σ_l Corr(r°_l, r^e_l): cross-entropy in all epochs, and in the
    last 30 % the correlation of log radii R°_il = σ_il² of the data with R^e_il = Σ_j Q_ij (z_ij·v^e_il)²/Σ_j Q_ij of
    the map, along each direction of the frames.

    Parameters
    ----------
    n_neighbors : int, default=15
        The size of a neighbourhood, the row itself included.
    n_components : int, default=2
        The number of dimensions of the map.
    density_weight : float, default=0.5
        The weight λ of the correlation of radii. 0 is UMAP's objective.
    n_epochs : int, default=500
        The number of steps of the layout. Density acts in the last 30 % of them.
    random_state : int, RandomState or None, default=None
        The seed of the map. One seed gives the same bytes on any number of threads.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Results never depend on it.
    verbose : bool, default=False
        Whether to show a bar with the stage and the time left.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map Y, in float32.
    frames_ : ndarray of shape (n_samples, n_components, n_components)
        The embedded tangent space V_i^e of each row. Column l shows its local direction l on the map.
    radii_ : ndarray of shape (n_samples, n_components)
        r°_il = log σ_il², the log radii of the data along each direction, in units of the data.
    embedding_radii_ : ndarray of shape (n_samples, n_components)
        r^e_il = log R^e_il, the log radii of the map along each direction of the frames.
    radius_correlation_ : ndarray of shape (n_components,)
        Corr(r°_l, r^e_l) along each direction. The loss holds it, so it is no measure of how good the map is.
    graph_ : CSR matrix of shape (n_samples, n_samples)
        The weights P_ij of the neighbourhood graph.
    neighbors_ : tuple of (indices, distances)
        The nearest others of each row, both of shape (n_samples, n_others), distances in units of the data.
    singular_values_ : ndarray of shape (n_samples, r)
        σ_il, the singular values of the weighted neighbourhoods, in units of the data.
    intrinsic_dim_ : ndarray of shape (n_samples,)
        How many local directions count for feature importance: enough for 90 % of the local variance.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features. Only if the data had names that are strings.
    n_epochs_ : int
        The number of epochs run; fewer than asked for if a callback stopped the layout.
    fit_report_ : FitReport
        Seconds, CPU seconds and peak memory of each stage, and the recall of the search for neighbours.

    Notes
    -----
    Where the print is silent or contradicts itself, this was chosen:

    - *Graph.* P̃_j|i = exp(−max(0, d_ij − dist_i)/γ_i). The print has no maximum and does not say what γ_i is: it is
      UMAP's, for which the P̃_j|i of a row sum to log2(n_neighbors). Distances are Euclidean.
    - *Radii of the data.* σ_il² is not divided by anything, as it is printed. The print takes the logarithm of radii
      that may be 0. Here a radius of the data or of the map counts as at least a thousandth of the median along its
      direction.
    - *Radii of the map.* The sum over j has no range in print. It is over the k nearest neighbours in the data, of
      which the print makes the cloud Y_i, and X_i as well.
    - *Frames.* cos Θ_ij is the nuclear norm of V_jᵀV_i over d', since the printed inner product depends on the
      arbitrary signs of singular vectors. Frames minimise KL(P‖Q) = ΣP(log P − log Q), whose sign is wrong in print,
      over the edges of the graph and random pairs, by steps on O(d'). The t-SNE that the supplement has "in practice"
      is not run.
    - *Rotation.* Cosines leave free how the frames of a connected part of the graph are turned as a whole. They are
      turned onto the map as it is when density begins, once, and stay as they are from then on.
    - *Loss.* The print has CE − λ Corr, and λ ≤ 0 where λ ≥ 0 is meant. Its gradient has the factor λZ/(m P_ij) for
      an edge that is drawn with probability P_ij/Z, and 1/(m − 1) in ∂Corr/∂z_ij besides. With both, density would
      vanish in large data, against the paper's own figures. So m is counted once: the expectation of the gradient is
      that of CE/Z − λ Corr, with Z = ΣP.
    - *Gradient.* Where it contradicts the printed loss, the loss rules: 1 + a s^b instead of 1 + s^b in the
      repulsion, whose sign in the rule of the descent is wrong, and ab instead of 2ab in the bracket of ∂r_i/∂z_ij.
    - *Repulsion* is from five random points for each edge that is drawn, with 1 − P_ij counted as 1, as in UMAP. The
      print has their mean instead of their sum, but says that λ = 0 is UMAP.
    - *Descent.* All edges are summed in each epoch, and Adam takes the step. The statistics of the correlation are
      those of the beginning of the epoch, as the print has it. λ is the same in all epochs with density. The start is
      that of `FeatMAP` with ``init="auto"`` and a number of epochs, and a and b of Q are UMAP's for ``min_dist=0.1``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> model = FeatMAP.paper(n_epochs=50, random_state=0).fit(load_iris().data)
    >>> model.frames_.shape, model.radii_.shape
    ((150, 2, 2), (150, 2))
    """

    # What the paper has for the other parameters of `FeatMAP`.
    metric = "euclidean"
    metric_kwds = None
    pca = None
    min_dist = 0.1
    spread = 1.0
    density = 0.0
    intrinsic_dim = "auto"
    n_tangent_neighbors = None
    tangent_center = "point"
    frames = "paper"
    init = "auto"
    precomputed_knn = None

    _fits_geometry = True

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        density_weight: float = 0.5,
        n_epochs: int = 500,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.density_weight = density_weight
        self.n_epochs = n_epochs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def radii_(self) -> DoubleArray:
        """The logarithms of σ_il², the squared radii of the data along each direction, in units of the data."""
        check_is_fitted(self)
        return self._points.mapped.space.log_squares_in_units(self._data_logs())

    @property
    def embedding_radii_(self) -> DoubleArray:
        """The logarithms of R^e_il, the squared radii of the map along each direction of the frames."""
        check_is_fitted(self)

        from ..layout.similarity import Curve
        from ..run import Run
        from .radii import log_radii, map_radii

        mapped, curve = self._points.mapped, Curve.fit(self.min_dist, self.spread)
        with Run(self.n_jobs) as run:
            neighbors = mapped.manifold.neighbors.indices
            _, radii = map_radii(mapped.embedding, neighbors, mapped.frames.axes, curve, run)
        return log_radii(radii)

    @property
    def radius_correlation_(self) -> DoubleArray:
        """The correlation of the log radii of the data and of the map, along each direction."""
        check_is_fitted(self)

        from .correlation import Correlation

        return Correlation.between(self._data_logs(), self.embedding_radii_).values

    def _data_logs(self) -> DoubleArray:
        from .radii import data_radii, log_radii

        return log_radii(data_radii(self._points.mapped.tangents.singular_values, self.embedding_.shape[1]))

    def _check_parameters(self, owner: str) -> None:
        super()._check_parameters(owner)
        check_each(owner, {"n_epochs": self.n_epochs}, OWN_RULES)

    def _settings(self, owner: str, shape: tuple[int, int], seed: int) -> PaperSettings:
        from .layout import PaperSettings

        parameters = {name: getattr(self, name) for name in FeatMAP._get_param_names()}
        return PaperSettings(**vars(fit_settings(owner, parameters, shape, seed)), density_weight=self.density_weight)

    def _fitted(self, X: Matrix, settings: Any, run: Run) -> tuple[Fitted, Geometry]:
        from .layout import fit_as_printed

        return fit_as_printed(X, settings, run)
