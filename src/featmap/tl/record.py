"""Where a map is kept in an AnnData, in the manner of scanpy: plain arrays and plain parameters, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from anndata import AnnData

from ..docstrings import shared_parameters
from ..errors import InvalidDataError, InvalidParameterError
from ..estimator import FeatMAP
from ..store.digests import digest_of
from .inputs import compared_rows

KEY = "featmap"
PLAIN_TYPES = (bool, int, float, str, np.bool_, np.integer, np.floating)
documented = shared_parameters(
    """
adata : AnnData
    The cells, with a map that `featmap.tl.featmap` made.
key : str, default="featmap"
    The key of the map in ``adata.uns``.
"""
)


@dataclass(frozen=True)
class MapKeys:
    """The keys of a map, and how it was made."""

    key: str
    embedding_key: str
    frames_key: str
    connectivities_key: str
    distances_key: str
    params: Mapping[str, Any]

    @classmethod
    def new(cls, key_added: str | None, params: Mapping[str, Any]) -> MapKeys:
        """The keys of a new map: those of scanpy's ``key_added``, which is followed exactly."""
        key = KEY if key_added is None else key_added
        return cls(
            key,
            embedding_key="X_featmap" if key_added is None else key_added,
            frames_key=f"{key}_frames",
            connectivities_key=f"{key}_connectivities",
            distances_key=f"{key}_distances",
            params=params,
        )

    @classmethod
    def read(cls, caller: str, adata: AnnData, key: str) -> MapKeys:
        """The record of a map that `featmap` made of these cells and genes."""
        kept = adata.uns.get(key)
        if not isinstance(kept, Mapping) or "embedding_key" not in kept:
            raise InvalidParameterError(
                f"{caller}(key={key!r}): there is no map in adata.uns[{key!r}]; make one by featmap.tl.featmap(adata)"
            )
        record = cls(key, **{name: kept[name] for name in cls.__dataclass_fields__ if name != "key"})
        made_of = tuple(int(record.params[name]) for name in ("n_obs", "n_vars"))
        if made_of != adata.shape:
            raise InvalidDataError(
                f"{caller}(adata): the map in adata.uns[{key!r}] is of {made_of[0]} cells and {made_of[1]} genes, "
                f"and adata has {adata.n_obs} and {adata.n_vars}; run featmap.tl.featmap on this part, or ask "
                "before you take it"
            )
        return record

    def write(self, adata: AnnData, model: FeatMAP, distances: sp.csr_matrix) -> None:
        """Keep a fitted model and its distances. `scanpy.tl.leiden(neighbors_key=key)` finds its graph."""
        adata.obsm[self.embedding_key] = model.embedding_
        adata.obsm[self.frames_key] = model.frames_
        adata.obsp[self.connectivities_key] = model.graph_
        adata.obsp[self.distances_key] = distances
        adata.uns[self.key] = {name: value for name, value in vars(self).items() if name != "key"}


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What a file can hold of parameters: numbers and texts. What is not said is the default."""
    return {name: value for name, value in parameters.items() if isinstance(value, PLAIN_TYPES)}


def mark_of_features(X: Any, distances: sp.csr_matrix) -> str:
    """A digest of the values of some cells. It is the same for any kind of matrix and any order of cells and genes.

    Distances to neighbours choose the cells, because they go with the cells into another order.
    """
    order = np.argsort(np.asarray(distances.astype(np.float64).sum(axis=1)).ravel(), kind="stable")
    values = X[np.sort(order[compared_rows(len(order))])]  # files are read in the order of their rows
    dense = np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
    return digest_of(np.unique(np.sort(dense, axis=1), axis=0))
