"""Read the inputs of a map from an AnnData, and read and write the map itself, as scanpy does.

A map is made of features, a representation with its loadings, and neighbours. It is kept as plain arrays and plain
parameters, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from anndata import AnnData

from ..checks.arguments import listed
from ..checks.inputs import check_table
from ..checks.settings import are_orthonormal, is_given
from ..data.sparse import digest_of
from ..docstrings import shared_parameters
from ..errors import InvalidDataError, InvalidParameterError
from ..estimator import FeatMAP

THE_FEATURES = "X"  # a representation that is the features themselves
# Where scanpy keeps the loadings of obsm["X_pca"]. Those of sc.pp.pca(key_added="name") are in varm["name"].
LOADINGS_OF_PCA = "PCs"
DEFAULT_COMPONENTS = 50  # of the features, where a representation has no loadings
COMPARED_ROWS = 100
SAME_PLACE = 1e-3  # of the range of a representation
KEY = "featmap"
PLAIN_TYPES = (bool, int, float, str, np.bool_, np.integer, np.floating)
documented = shared_parameters(
    """
adata : AnnData
    The cells, with a map that `featmap.tl.featmap` made.
key : str, default="featmap"
    The key of the map in ``adata.uns``.
copy : bool, default=False
    Whether to write to a copy and return it.
"""
)


@dataclass(frozen=True)
class MapInputs:
    """The inputs of a map: features, coordinates of the cells in a representation, and the loadings between them."""

    X: Any
    places: np.ndarray | None  # (n_obs, q) in the representation; None if that is the features themselves
    pca: Any  # the loadings (n_vars, q), or how many principal components of X tangent spaces are of, or None

    @classmethod
    def read(
        cls, caller: str, adata: AnnData, use_rep: str, layer: str | None, n_components: int | None
    ) -> MapInputs:
        X = features_of(caller, adata, layer)
        if use_rep == THE_FEATURES:
            return cls(X, None, n_components)
        places = representation_of(caller, adata, use_rep)
        loadings = loadings_of(adata, use_rep, X, places[:, :n_components])
        if loadings is None:
            return cls(X, places, n_components or min(DEFAULT_COMPONENTS, *adata.shape))
        return cls(X, places[:, :n_components], loadings)

    @property
    def has_loadings(self) -> bool:
        return is_given(self.pca)


def checked_adata(caller: str, adata: Any) -> AnnData:
    if not isinstance(adata, AnnData):
        raise InvalidParameterError(
            f"{caller}(adata=…): adata must be an AnnData; got {type(adata).__name__}; "
            "featmap.FeatMAP().fit(X) takes other tables"
        )
    return adata


def checked_column(caller: str, adata: AnnData, name: Any) -> Any:
    """A column of obs."""
    if not isinstance(name, str) or name not in adata.obs:
        columns = listed(adata.obs.columns.tolist()) if len(adata.obs.columns) else "no columns"
        raise InvalidParameterError(f"{caller}: {name!r} is not a column of adata.obs, which has {columns}")
    return adata.obs[name]


def features_of(caller: str, adata: AnnData, layer: str | None) -> Any:
    """X or a layer. A sparse matrix in a file is read; a dense one is left there, since a fit reads it."""
    if layer is not None and layer not in adata.layers:
        layers = [name for name in adata.layers if name is not None]  # anndata 0.13 has X there, under None
        raise InvalidParameterError(f"{caller}(layer={layer!r}): adata has {listed(layers) or 'no layers'}")
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise InvalidParameterError(f"{caller}(layer=None): adata.X is None; name a layer of log-normalised genes")
    return X.to_memory() if hasattr(X, "to_memory") else X


def name_of_features(layer: str | None) -> str:
    return "X" if layer is None else f"layer {layer!r}"


def representation_of(caller: str, adata: AnnData, use_rep: str) -> np.ndarray:
    """An array of obsm."""
    if use_rep not in adata.obsm:
        first = "run scanpy.pp.pca(adata) first" if use_rep == "X_pca" else f"it has {listed(list(adata.obsm))}"
        raise InvalidParameterError(
            f"{caller}(use_rep={use_rep!r}): adata.obsm has no {use_rep!r}; {first}, or give use_rep='X', pca=50"
        )
    return check_table(adata.obsm[use_rep], caller, f"obsm[{use_rep!r}]")


def loadings_key(use_rep: str) -> str:
    return LOADINGS_OF_PCA if use_rep == "X_pca" else use_rep


def loadings_of(adata: AnnData, use_rep: str, X: Any, places: np.ndarray) -> np.ndarray | None:
    """The orthonormal loadings that made the places of X; None if there are none, or they are of other values."""
    key = loadings_key(use_rep)
    if key not in adata.varm:
        return None
    directions = np.asarray(adata.varm[key])
    if directions.ndim != 2 or directions.shape[1] < places.shape[1] or directions.dtype.kind not in "biuf":
        return None
    directions = directions[:, : places.shape[1]]
    if not are_orthonormal(directions):
        return None
    rows = compared_rows(len(places))
    offsets = places[rows] - np.asarray(X[rows] @ directions)  # equal, but for rounding: a PCA subtracts the centre
    is_same = np.ptp(offsets, axis=0).max() <= SAME_PLACE * np.ptp(places[rows], axis=0).max()
    return directions if is_same else None


def compared_rows(n_rows: int) -> np.ndarray:
    """Up to 100 row numbers, evenly spread over all rows."""
    return np.unique(np.linspace(0, n_rows - 1, COMPARED_ROWS).astype(int))


@dataclass(frozen=True)
class GivenNeighbors:
    """Neighbours that scanpy.pp.neighbors found, and how."""

    distances: Any
    n_neighbors: int
    metric: Any  # of the representation that they were found in
    n_components: int | None  # how many components of X_pca they were found in, if it was not in all

    @classmethod
    def read(cls, caller: str, adata: AnnData, key: str) -> GivenNeighbors:
        record = _mapping(adata.uns.get(key))
        params = _mapping(record.get("params"))
        distances = adata.obsp.get(record.get("distances_key", "distances"))
        if "n_neighbors" not in params or distances is None:
            raise InvalidParameterError(
                f"{caller}(neighbors_key={key!r}): adata.uns[{key!r}] names no neighbours; run "
                "scanpy.pp.neighbors(adata), whose key is 'neighbors', or leave neighbors_key out"
            )
        n_components = params.get("n_pcs") if params.get("use_rep", "X_pca") == "X_pca" else None
        metric = params.get("metric", "euclidean")
        # n_pcs=0 stands for the genes themselves.
        return cls(sp.csr_matrix(distances), int(params["n_neighbors"]), metric, n_components or None)


def _mapping(value: Any) -> Mapping[str, Any]:
    """A value of uns, or an empty mapping if it is anything else."""
    return value if isinstance(value, Mapping) else {}


def record_of(caller: str, adata: AnnData, key: str) -> Mapping[str, Any]:
    """What `write_map` wrote to ``uns`` about a map of these cells and genes."""
    record = _mapping(adata.uns.get(key))
    if "embedding_key" not in record:
        raise InvalidParameterError(
            f"{caller}(key={key!r}): there is no map in adata.uns[{key!r}]; make one by featmap.tl.featmap(adata)"
        )
    made_of = tuple(int(record["params"][name]) for name in ("n_obs", "n_vars"))
    if made_of != adata.shape:
        raise InvalidDataError(
            f"{caller}(adata): the map in adata.uns[{key!r}] is of {made_of[0]} cells and {made_of[1]} genes, "
            f"and adata has {adata.n_obs} and {adata.n_vars}; run featmap.tl.featmap on this part, or ask "
            "before you take it"
        )
    return record


def write_map(
    adata: AnnData, key_added: str | None, model: FeatMAP, distances: sp.csr_matrix, params: Mapping[str, Any]
) -> None:
    """Write a map, its graph and its record under the keys that scanpy's ``key_added`` stands for.

    `scanpy.tl.leiden(neighbors_key=key)` finds the graph by the record.
    """
    key = KEY if key_added is None else key_added
    record = {
        "embedding_key": "X_featmap" if key_added is None else key_added,
        "connectivities_key": f"{key}_connectivities",
        "distances_key": f"{key}_distances",
        "params": params,
    }
    adata.obsm[record["embedding_key"]] = model.embedding_
    adata.obsp[record["connectivities_key"]] = model.graph_
    adata.obsp[record["distances_key"]] = distances
    adata.uns[key] = record


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a file can hold: numbers and texts. Others have their defaults."""
    return {name: value for name, value in parameters.items() if isinstance(value, PLAIN_TYPES)}


def mark_of_features(X: Any, distances: sp.csr_matrix) -> str:
    """A digest of the values of some cells. It is the same for any kind of matrix and any order of cells and genes.

    Distances to neighbours choose the cells, because they go with the cells into another order.
    """
    order = np.argsort(np.asarray(distances.astype(np.float64).sum(axis=1)).ravel(), kind="stable")
    values = X[np.sort(order[compared_rows(len(order))])]  # files are read in the order of their rows
    dense = np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
    return digest_of(np.unique(np.sort(dense, axis=1), axis=0))
