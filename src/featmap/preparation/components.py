"""Points of a map of principal components, as points of a map of the columns that the components were made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.decomposition import PCA

from ..data.pca import Components
from ..data.scaling import scale_data
from ..errors import InvalidParameterError
from ..explanation.points import Points
from ..values import DoubleArray


def with_columns(points: Points, pca: PCA) -> Points:
    """The same points, whose features are what the components keep of the columns: X̂ = ZW + mean.

    Neighbourhoods and tangent spaces stay those of the components Z. W has orthonormal rows, so that distances and
    angles between rows of X̂ are those of Z, and arrows of columns are those of components times W.
    """
    if pca.whiten:
        raise InvalidParameterError(
            "in_original_units: PCA(whiten=True) changes the scale of its components, so that importance "
            "cannot be told for columns; leave whiten out"
        )
    mapped = points.mapped
    manifold = mapped.manifold
    if manifold.components is not None:
        raise InvalidParameterError("in_original_units: give either a step PCA or pca=… of the map, not both")
    columns = scale_data(_columns(manifold.data.as_given(manifold.data.matrix), pca))
    directions = np.ascontiguousarray(pca.components_.T, np.float64)
    mapped = replace(mapped, manifold=replace(manifold, data=columns, components=Components(directions)))
    values = columns.prepare(_columns(manifold.data.as_given(points.values), pca))
    return replace(points, mapped=mapped, values=values)


def _columns(components: DoubleArray, pca: PCA) -> DoubleArray:
    return components @ pca.components_.astype(np.float64) + pca.mean_
