"""FeatMAP of Dask arrays and frames: the local class with another fit, and lazy arrays about all rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import estimator as local
from ..checks.arguments import is_integer
from ..checks.inputs import NamedTable, check_form
from ..checks.parameters import check_parameters
from ..checks.settings import drawn_seed, fit_settings
from ..data.advice import rows_for_scales, warn_of_scales
from ..docstrings import shared_parameters
from ..errors import InvalidParameterError, StoreError, warn
from ..neighbors.list_search import COPIES_KEPT
from .blocks import Input, checked_input, is_dask, joined
from .cluster import patience, results
from .lazy import ModelFile, of_all_rows, placed

if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]

LOCAL_BELOW = 1_000_000  # rows; below, moving rows costs more than a second machine gains
ROWS_PER_PARTITION = 500_000
MOST_PARTITIONS = 64  # partitions exchange rows in pairs

ABOUT = """A map of data that are spread over a cluster.

The parameters, the map and all answers are those of `featmap.FeatMAP`: a fit on any number of workers of one kind
has the bytes of a local fit with the same seed. The rows stay on the workers of the cluster that Dask uses. Graph
and layout are made in the process that calls `fit`, on ``n_jobs`` threads: some 500 bytes a row reach it. The
model is written to a file, and opened there without being read as a whole. ``exchanged_bytes_`` tells how many
bytes partitions exchanged, by stage.

It takes the metrics ``"euclidean"`` and ``"cosine"``, dense and sparse rows, and ``pca``.

"""

documented = shared_parameters(
    """
X : dask array or dask frame of shape (n_samples, n_features)
    The data: finite numbers, in blocks of rows. Blocks of an array may be sparse CSR matrices.
y : None
    Ignored.
path : str, path or None, default=None
    The file of the model, on a file system that all workers can reach. Only a local fit needs none; if it is
    given one, the model is saved there too.
force : bool, default=False
    Whether fewer than a million rows are fitted on the cluster as well. By default they are brought here and
    fitted locally, which is faster.
n_partitions : int or None, default=None
    Into how many partitions the rows are divided. The result does not depend on it. By default a partition
    has about half a million rows.
callback : callable or None, default=None
    As in `featmap.FeatMAP.fit`.
checkpoint : str, path or None, default=None
    As in `featmap.FeatMAP.fit`. A process that is killed resumes from it.
"""
)


class FeatMAP(local.FeatMAP):
    # The parameters and attributes are documented once. Python 3.13 takes the indentation off a docstring itself.
    __doc__ = ABOUT + "Parameters\n" + cleandoc(local.FeatMAP.__doc__ or "").partition("Parameters\n")[2] + "\n"

    _fits_geometry = True  # the rows are here only while the fit runs

    @documented
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        path: StrPath | None = None,
        force: bool = False,
        n_partitions: int | None = None,
        callback: Callable[[str, int, int], object] | None = None,
        checkpoint: StrPath | None = None,
    ) -> FeatMAP:
        """Make the map of the data.

        Parameters
        ----------
        {X, y, path, force, n_partitions, callback, checkpoint}

        Returns
        -------
        FeatMAP
            The fitted estimator itself.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from featmap.dask import FeatMAP
        >>> X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.featmap")
        ...     FeatMAP(n_epochs=50, random_state=0).fit(X, path=path, force=True).embedding_.shape
        (300, 2)
        """
        check_parameters("FeatMAP", self.get_params(deep=False))
        patience()  # a wrong setting is refused at once
        file = _checked_path(path) if force or path is not None else None
        table = checked_input(X, "fit", 2)
        if table.shape[0] < LOCAL_BELOW and not force:
            warn(
                f"fit(X): X has {table.shape[0]:,} rows, and below {LOCAL_BELOW:,} the local fit is faster: they are "
                "brought to this machine and fitted here; force=True fits them on the cluster"
            )
            return self._fit_here(X, table, file, callback, checkpoint)
        fresh = copy(self)  # this estimator changes all at once or not at all
        fresh._fit_on_cluster(
            table, file or _checked_path(path), _checked_partitions(n_partitions, table), callback, checkpoint
        )
        self.__dict__ = fresh.__dict__
        return self

    @documented
    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        path: StrPath | None = None,
        force: bool = False,
        n_partitions: int | None = None,
        callback: Callable[[str, int, int], object] | None = None,
        checkpoint: StrPath | None = None,
    ) -> np.ndarray:
        """Make the map of the data and return it.

        Parameters
        ----------
        {X, y, path, force, n_partitions, callback, checkpoint}

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The map.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from featmap.dask import FeatMAP
        >>> X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.featmap")
        ...     FeatMAP(n_epochs=50, random_state=0).fit_transform(X, path=path, force=True).shape
        (300, 2)
        """
        self.fit(X, y, path=path, force=force, n_partitions=n_partitions, callback=callback, checkpoint=checkpoint)
        return self.embedding_

    def transform(self, X: Any) -> Any:
        """Place new rows on the map, as `featmap.FeatMAP.transform` does.

        Parameters
        ----------
        X : dask array or dask frame, or array-like, of shape (n_rows, n_features)
            New rows, with the columns of the fit.

        Returns
        -------
        dask array or ndarray of shape (n_rows, n_components)
            The positions of the rows. Those of Dask's data are lazy: workers compute them block by block.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from featmap.dask import FeatMAP
        >>> X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.featmap")
        ...     model = FeatMAP(n_epochs=50, random_state=0).fit(X, path=path, force=True)
        ...     bool((model.transform(X[:5]).compute() == model.embedding_[:5]).all())
        True
        """
        if not is_dask(X):
            return super().transform(X)
        check_is_fitted(self)
        table = checked_input(X, "transform", 1)
        check_form(self, table.example, "transform", reset=False)
        if not self._has_file:
            raise InvalidParameterError(
                "transform(X): this model was fitted here and has no file that workers could open; give the rows as "
                "an array, or fit with force=True and a path"
            )
        return placed(self._file, table.blocks, self.embedding_.shape[1])

    def feature_importance(self, rows: Any = None, *, out: np.ndarray | None = None) -> Any:
        """Give the importance of every feature, as `featmap.FeatMAP.feature_importance` does.

        Parameters
        ----------
        rows : array-like or None, default=None
            The rows to ask about. By default all of them.
        out : ndarray or None, default=None
            Where to write the importance of chosen rows.

        Returns
        -------
        dask array or ndarray of shape (n_rows, n_features)
            The importance. That of all rows is lazy: workers compute it block by block.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from featmap.dask import FeatMAP
        >>> X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.featmap")
        ...     model = FeatMAP(n_epochs=50, random_state=0).fit(X, path=path, force=True)
        ...     model.feature_importance().mean(axis=0).compute().shape
        (5,)
        """
        if rows is not None or out is not None or not self._has_file:
            return super().feature_importance(rows, out=out)
        self._check_features()
        shape = (len(self.embedding_), self.n_features_in_)
        return of_all_rows(self._file, "feature_importance", shape, np.float32)

    def arrows(self, rows: Any = None, kind: str = "blend", n_neighbors: int | None = None) -> Any:
        """Give the arrows of all features, as `featmap.FeatMAP.arrows` does.

        Parameters
        ----------
        rows : array-like or None, default=None
            The rows to ask about. By default all of them.
        kind : {"blend", "tangent", "map", "frame"}, default="blend"
            As in `featmap.FeatMAP.arrows`.
        n_neighbors : int or None, default=None
            As in `featmap.FeatMAP.arrows`.

        Returns
        -------
        dask array or ndarray of shape (n_rows, n_features, n_components)
            The arrows. Those of all rows are lazy: workers compute them block by block.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from featmap.dask import FeatMAP
        >>> X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.featmap")
        ...     model = FeatMAP(n_epochs=50, random_state=0).fit(X, path=path, force=True)
        ...     model.arrows()[:2].compute().shape
        (2, 5, 2)
        """
        if rows is not None or not self._has_file:
            return super().arrows(rows, kind, n_neighbors)
        super().arrows([], kind, n_neighbors)  # wrong options are refused at once
        shape = (len(self.embedding_), self.n_features_in_, self.embedding_.shape[1])
        return of_all_rows(self._file, "arrows", shape, np.float64, kind=kind, n_neighbors=n_neighbors)

    @classmethod
    def load(cls, path: StrPath) -> FeatMAP:
        """Read a model that `save`, a fit on a cluster or a local model has written.

        Parameters
        ----------
        path : str or path
            The file to read. Workers open it for lazy arrays, so they must be able to reach it.

        Returns
        -------
        FeatMAP
            The fitted model.

        Examples
        --------
        >>> import os, tempfile
        >>> import dask.array as da
        >>> from featmap.dask import FeatMAP
        >>> X = da.random.default_rng(0).normal(size=(300, 5), chunks=(100, 5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "map.featmap")
        ...     _ = FeatMAP(n_epochs=50, random_state=0).fit(X, path=path, force=True)
        ...     FeatMAP.load(path).feature_importance().shape
        (300, 5)
        """
        model = cast("FeatMAP", super().load(path))
        model._file = ModelFile.at(path)
        return model

    def _fit_here(self, X: Any, table: Input, path: Path | None, callback: Any, checkpoint: Any) -> FeatMAP:
        """Fit all rows in this process."""
        if hasattr(X, "columns"):
            from dask.dataframe.dispatch import concat

            rows = concat(list(results(X.to_delayed())))
        else:
            rows = joined(list(results(table.blocks.tables)))
        super().fit(rows, callback=callback, checkpoint=checkpoint)
        for name in ("_file", "exchanged_bytes_"):
            self.__dict__.pop(name, None)
        if path is not None:
            self._points.mapped.geometry  # noqa: B018 - into the file, so that no worker has to make it
            self.save(path)
            self._file = ModelFile.at(path)
        return self

    def _fit_on_cluster(self, table: Input, path: Path, n_partitions: int, callback: Any, checkpoint: Any) -> None:
        owner, parameters = "FeatMAP", self.get_params(deep=False)
        _refuse_on_cluster(parameters)
        check_form(self, table.example, "fit")
        self._remember(NamedTable(table.example))
        settings = fit_settings(owner, parameters, table.shape, drawn_seed(owner, self.random_state))

        from ..run import Run
        from .files import check_that_workers_see, scratch_folder
        from .pipeline import ClusterData, ClusterFit

        begun = settings, table.shape[0], table.digest, callback, checkpoint
        progress, kept, settings = self._begun(*begun, with_geometry=True)
        with scratch_folder(path) as folder, Run(self.n_jobs, progress, kept) as run:
            check_that_workers_see(folder)
            with run.timed("scaling"):
                if self.metric != "cosine":
                    compared = table.blocks.rows(rows_for_scales(table.shape))
                    warn_of_scales(compared, getattr(self, "feature_names_in_", None))
                rows = ClusterData.of(table, settings)
            fit = ClusterFit(rows, settings, n_partitions, folder, run)
            fitted, geometry = fit.fit_map()
            self._store(fitted, progress.report, geometry)
            self.save(path)
        self._open(path, dict(fit.exchanged))
        if fitted.is_complete:
            kept.finish()

    def _open(self, path: Path, exchanged: dict[str, int]) -> None:
        """Take all attributes from the file. Large arrays stay there until they are needed."""
        opened = local.FeatMAP.load(path)
        self._points = opened._points
        for name in (name for name in vars(opened) if name.endswith("_") and name in vars(self)):
            setattr(self, name, getattr(opened, name))
        self.exchanged_bytes_, self._file = exchanged, ModelFile.at(path)

    @property
    def _has_file(self) -> bool:
        """Whether the model is in a file that workers can open."""
        check_is_fitted(self)
        return hasattr(self, "_file")


def _checked_path(path: Any) -> Path:
    if path is None:
        raise InvalidParameterError(
            "fit(path=None): a fit on a cluster writes its model to a file; give a path on a file system that all "
            "workers can reach"
        )
    if not isinstance(path, str | os.PathLike):
        raise InvalidParameterError(f"fit(path={path!r}): must be the path of a file")
    path = Path(path).absolute()  # workers may run in another folder
    if not path.parent.is_dir():
        raise StoreError(f"fit(path=…): there is no folder {path.parent}; make it, or choose another path")
    if path.exists() and not path.is_file():
        raise StoreError(f"fit(path=…): {path} is not a file; choose another path")
    return path


def _checked_partitions(n_partitions: Any, table: Input) -> int:
    if n_partitions is None:
        return int(np.clip(-(-table.shape[0] // ROWS_PER_PARTITION), 2, MOST_PARTITIONS))
    if not is_integer(n_partitions, 1):
        raise InvalidParameterError(f"fit(n_partitions={n_partitions!r}): must be an integer of at least 1, or None")
    return n_partitions


def _refuse_on_cluster(parameters: dict[str, Any]) -> None:
    metric = parameters["metric"]
    if metric not in ("euclidean", "cosine"):
        raise InvalidParameterError(
            f"FeatMAP(metric={metric!r}): a cluster searches by 'euclidean' and 'cosine'; choose one of them, or fit "
            "with featmap.FeatMAP, which has all metrics"
        )
    for name in ("n_neighbors", "n_tangent_neighbors"):
        if (parameters[name] or 0) > COPIES_KEPT:
            raise InvalidParameterError(
                f"FeatMAP({name}={parameters[name]!r}): a cluster finds at most {COPIES_KEPT} neighbours; choose "
                "fewer, or fit with featmap.FeatMAP"
            )
    if parameters["precomputed_knn"] is not None:
        raise InvalidParameterError(
            "FeatMAP(precomputed_knn=…): a cluster finds neighbours itself; fit with featmap.FeatMAP to give them"
        )
