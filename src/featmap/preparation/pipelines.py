"""Answers about a map of prepared data, in the columns and units that the data had before."""

from __future__ import annotations

from typing import Any

from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..checks.rows import row_names
from ..data.sparse import SparseRows
from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from ..explanation import Explanation
from ..explanation.points import Points
from .components import with_columns
from .origins import Origins
from .recipe import Recipe
from .tracing import follow


def in_original_units(pipeline: Pipeline, X: Any = None) -> Explanation:
    """Explain the map of a fitted pipeline in the columns that went into it, in their own units.

    A `FeatMAP` behind a scaler knows only scaled columns, and its answers are in standard deviations. Here means,
    values and arrows are in the units of the data again, mm or kg. The columns that an encoder made of a category
    count as one feature: lists name a category once, by the value that differs most, and its importance is the root
    of the sum of squares. Arrays, of arrows for example, have one entry for each column that the map was made of, so
    that each value of a category has its own. What has no unit stays as it is: R², importance, effect sizes, p-values
    (those of a category are multiplied by the number of its values).

    Parameters
    ----------
    pipeline : Pipeline or FeatMAP
        A fitted pipeline that ends in a `FeatMAP`, or a model that ``featmap fit`` saved. The steps before may be a
        `Prepare`, scikit-learn's StandardScaler, MinMaxScaler, RobustScaler, MaxAbsScaler, SimpleImputer,
        OneHotEncoder, ColumnTransformer, pipelines of these, and selections of columns. The last of them may be a
        PCA: answers are then about what its components keep of the columns.
    X : DataFrame or array-like of shape (n_rows, n_columns), default=None
        New rows to explain, with the columns of the fit. By default the rows of the fit.

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
    """
    model, steps = _parts(pipeline)
    pca = steps.pop() if steps and isinstance(steps[-1], PCA) else None
    recipe: Recipe | None = getattr(model, "recipe_", None) if pipeline is model else None
    origins = _origins(steps[0] if steps else pca or model, steps) if recipe is None else recipe.origins
    answered: FeatMAP | Explanation
    if X is None:
        answered, names = model, getattr(model, "row_names_in_", None)
    else:
        given = _prepared(pipeline, recipe, X)
        answered, names = model.explain(given), row_names(X)
    points = _checked_points(answered)
    points = points if pca is None else with_columns(points, pca)
    answers = Explanation(points.in_units(origins.units), origins.names, names, model.n_jobs, bool(model.verbose))
    answers._made_by = model
    return answers


def _prepared(pipeline: Pipeline | FeatMAP, recipe: Recipe | None, X: Any) -> Any:
    """New rows as the model takes them."""
    if recipe is not None:
        return recipe.prepared(X)
    is_alone = not isinstance(pipeline, Pipeline) or len(pipeline) == 1
    return X if is_alone else pipeline[:-1].transform(X)


def _origins(first: Any, steps: list[Any]) -> Origins:
    """The columns after all steps, of those that the first one was given."""
    names = getattr(first, "feature_names_in_", None)
    origins = Origins.of([f"x{number}" for number in range(first.n_features_in_)] if names is None else names)
    for step in steps:
        origins = follow(step, origins)
    return origins


def _checked_points(model: FeatMAP | Explanation) -> Points:
    points = model._points
    data = points.mapped.data
    if data.unit_rows:
        raise InvalidParameterError(
            'in_original_units(pipeline): with metric="cosine" rows have length 1, so that columns have no units; '
            "ask the model itself, pipeline[-1]"
        )
    if isinstance(data.matrix, SparseRows):
        raise InvalidParameterError(
            "in_original_units(pipeline): the columns of sparse data are not followed; ask the model itself, "
            "pipeline[-1]"
        )
    return points


def _parts(pipeline: Any) -> tuple[FeatMAP, list[Any]]:
    last = pipeline[-1] if isinstance(pipeline, Pipeline) else pipeline
    if not isinstance(last, FeatMAP):
        raise InvalidParameterError(
            f"in_original_units(pipeline): give a fitted pipeline that ends in a FeatMAP; got {type(last).__name__}"
        )
    check_is_fitted(last)
    steps = [step for _, step in pipeline.steps[:-1]] if isinstance(pipeline, Pipeline) else []
    return last, [step for step in steps if step is not None and step != "passthrough"]
