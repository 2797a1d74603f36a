"""Answers about a map of prepared data, in the columns and units that the data had before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..checks.rows import row_names
from ..data.pca import Components
from ..data.scaling import scale_data
from ..data.sparse import SparseRows
from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from ..explanation import Explanation
from ..explanation.points import Points
from ..values import DoubleArray
from .origins import Origins, follow
from .prepare import Recipe


def in_original_units(pipeline: Any, X: Any = None, *, preparation: Any = None) -> Explanation:
    """Explain the map of a fitted pipeline in the columns that went into it, in their own units.

    The map may also be of another method: give what ``explain(prepared, Y)`` returned, and the preparation.

    A `FeatMAP` behind a scaler knows only scaled columns, and its answers are in standard deviations. Here means,
    values and arrows are in the units of the data again, mm or kg. The columns that an encoder made of a category
    count as one feature: lists name a category once, by the value that differs most, and its importance is the root
    of the sum of squares. Arrays, of arrows for example, have one entry for each column that the map was made of, so
    that each value of a category has its own. What has no unit stays as it is: R², importance, effect sizes, p-values
    (those of a category are multiplied by the number of its values). Gaps that a step has filled count as values.

    Parameters
    ----------
    pipeline : Pipeline, FeatMAP or Explanation
        A fitted pipeline that ends in a `FeatMAP`, a model that ``featmap fit`` saved, or the `Explanation` of a map
        of prepared data. The steps before the map may be a `Prepare`, scikit-learn's StandardScaler, MinMaxScaler,
        RobustScaler, MaxAbsScaler, SimpleImputer, OneHotEncoder, ColumnTransformer, pipelines of these, and
        selections of columns. The last of them may be a PCA: answers are then about what its components keep of the
        columns.
    X : DataFrame or array-like of shape (n_rows, n_columns), default=None
        New rows to explain, with the columns of the fit. By default the rows of the fit. A map of another method has
        no place for new rows.
    preparation : Prepare, Pipeline or transformer, default=None
        The fitted steps that made the data of an `Explanation` of the table: a `Prepare`, a scaler, or a pipeline of
        them. Only with an `Explanation`; a pipeline has its own.

    Returns
    -------
    Explanation
        Answers about the rows, with all questions that a `FeatMAP` answers, and `to_html`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from featmap import FeatMAP, in_original_units
    >>> iris = load_iris(as_frame=True)
    >>> pipeline = make_pipeline(StandardScaler(), FeatMAP(n_epochs=50, random_state=0)).fit(iris.data)
    >>> answers = in_original_units(pipeline)
    >>> str(answers.why(0).apart[0])
    'petal length (cm): 1.3 spreads below all (3.76 → 1.4...)'

    The map of another method:

    >>> from sklearn.decomposition import PCA
    >>> from featmap import Prepare, explain
    >>> preparation = Prepare().fit(iris.data)
    >>> scaled = preparation.transform(iris.data)
    >>> answers = in_original_units(explain(scaled, PCA(2).fit_transform(scaled)), preparation=preparation)
    >>> answers.feature_names_in_.tolist()[0]
    'sepal length (cm)'
    """
    if isinstance(pipeline, Explanation):
        return _of_any_map(pipeline, X, preparation)
    if preparation is not None:
        raise InvalidParameterError(
            "in_original_units(preparation=…): a preparation goes with what explain(prepared, Y) returned; for a "
            "FeatMAP give make_pipeline(preparation, model)"
        )
    model, steps, pca = _parts(pipeline)
    recipe: Recipe | None = getattr(model, "recipe_", None) if pipeline is model else None
    origins = _origins(steps, pca or model) if recipe is None else recipe.origins
    answered: FeatMAP | Explanation = model
    names = getattr(model, "row_names_in_", None)
    if X is not None:
        prepared = X
        if recipe is not None:
            prepared = recipe.prepared(X)
        elif isinstance(pipeline, Pipeline) and len(pipeline) > 1:
            prepared = pipeline[:-1].transform(X)
        answered, names = model.explain(prepared), row_names(X)
    points = _checked_points(answered._points, "pipeline", "the model itself, pipeline[-1]")
    return _in_units(points, origins, pca, names, model, made_by=model)


def _of_any_map(explanation: Explanation, X: Any, preparation: Any) -> Explanation:
    """The map of any method in the columns that a preparation was given."""
    if not isinstance(preparation, BaseEstimator):
        raise InvalidParameterError(
            "in_original_units(explanation): give as preparation=… the fitted steps that made the data of the map, "
            f"such as Prepare().fit(table) or a scaler; got {type(preparation).__name__}"
        )
    if X is not None:
        raise InvalidParameterError(
            "in_original_units(explanation, X): the map of another method has no place for new rows; leave X out"
        )
    check_is_fitted(preparation)
    points = _checked_points(explanation._points, "explanation", "the explanation itself")
    if points.mapped.data.units is not None:
        raise InvalidParameterError("in_original_units(explanation): its answers are in original units already")
    steps, pca = _steps(preparation.steps if isinstance(preparation, Pipeline) else [("", preparation)])
    origins = _origins(steps, pca or explanation)
    _check_columns(explanation, origins, pca)
    return _in_units(points, origins, pca, getattr(explanation, "row_names_in_", None), explanation)


def _in_units(
    points: Points,
    origins: Origins,
    pca: PCA | None,
    names: Any,
    asked: FeatMAP | Explanation,
    made_by: FeatMAP | None = None,
) -> Explanation:
    """Answers in the columns that the steps were given, with the names of the rows."""
    points = points if pca is None else _with_columns(points, pca)
    points = points.in_units(origins.units)
    return Explanation(points, origins.names, names, asked.n_jobs, bool(asked.verbose), made_by)


def _check_columns(explanation: Explanation, origins: Origins, pca: PCA | None) -> None:
    """Whether the preparation gives the columns that the map was made of, as far as that can be known."""
    n_columns = len(origins) if pca is None else pca.n_components_
    if n_columns != explanation.n_features_in_:
        raise InvalidParameterError(
            f"in_original_units(explanation, preparation=…): the preparation gives {n_columns} columns, and the map "
            f"was made of {explanation.n_features_in_}; give the steps that made the data of the map"
        )
    names = getattr(explanation, "feature_names_in_", None)
    if pca is not None or names is None:
        return
    given, made = [str(name) for name in names], [str(name) for name in origins.names]
    if given != made and sorted(given) == sorted(made):
        raise InvalidParameterError(
            "in_original_units(explanation, preparation=…): the columns of the map are in another order than those "
            "of the preparation; explain what preparation.transform(table) gives"
        )


def _origins(steps: list[Any], last: Any) -> Origins:
    """The columns after these steps, of those that the first one was given, or the last if there are none."""
    first = steps[0] if steps else last
    names = getattr(first, "feature_names_in_", None)
    origins = Origins.of([f"x{number}" for number in range(first.n_features_in_)] if names is None else names)
    for step in steps:
        origins = follow(step, origins)
    return origins


def _checked_points(points: Points, argument: str, instead: str) -> Points:
    data = points.mapped.data
    if data.unit_rows:
        raise InvalidParameterError(
            f'in_original_units({argument}): with metric="cosine" rows have length 1, so that columns have no units; '
            f"ask {instead}"
        )
    if isinstance(data.matrix, SparseRows):
        raise InvalidParameterError(
            f"in_original_units({argument}): the columns of sparse data are not followed; ask {instead}"
        )
    return points


def _parts(pipeline: Any) -> tuple[FeatMAP, list[Any], PCA | None]:
    last = pipeline[-1] if isinstance(pipeline, Pipeline) else pipeline
    if not isinstance(last, FeatMAP):
        raise InvalidParameterError(
            f"in_original_units(pipeline): give a fitted pipeline that ends in a FeatMAP; got {type(last).__name__}. "
            "Of another method's map give what explain(prepared, Y) returns, with preparation=…"
        )
    check_is_fitted(last)
    return last, *_steps(pipeline.steps[:-1] if isinstance(pipeline, Pipeline) else [])


def _steps(named: list[tuple[str, Any]]) -> tuple[list[Any], PCA | None]:
    """Steps of a pipeline that do something, and the PCA after them if there is one."""
    steps = [step for _, step in named if step is not None and step != "passthrough"]
    return (steps[:-1], steps[-1]) if steps and isinstance(steps[-1], PCA) else (steps, None)


def _with_columns(points: Points, pca: PCA) -> Points:
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
