"""The map of a table: answers in the words of the table, about its rows and about new ones."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..answers.values import Findings, Move, Region, Rule, Why
from ..checks.rows import check_order, row_names
from ..data.sparse import digest_of
from ..docstrings import shared_parameters
from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from ..explanation import Explanation
from ..explanation.mixin import ExplanationMixin
from ..paper.estimator import PaperFeatMAP
from ..preparation.known import KnownColumn, KnownTable
from ..preparation.pipelines import in_original_units
from ..store.model import load_model
from .engine import answers_of
from .fitted import as_fitted
from .taking import taken
from .told import lines_of, many

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes
    from pandas import DataFrame

    from ..answers.asking import MapAnswers
    from ..explorer.widget import ExplorerWidget

    StrPath = str | PathLike[str]

documented = shared_parameters(
    """
rows : array-like, slice or name
    Rows: numbers that count from 0, a mask, or names if the rows have some.
target : label or None, default=None
    The label or region among whose rows the row should lie. By default its own label if it lies elsewhere, else the
    nearest other region.
verify : bool, default=False
    Whether to make the map again with the changed row in its place, twice, and to count.
labels : array-like of shape (n_rows,) or None, default=None
    Other labels of the rows. By default those of the table.
table : DataFrame, array-like, sparse matrix, AnnData, str or path
    New rows, with the columns of the table. Columns that have no part in the map may be missing in a frame.
"""
)

MAKERS: dict[str, type[FeatMAP]] = {"FeatMAP": FeatMAP, "PaperFeatMAP": PaperFeatMAP}  # whose files `load` reads


class TableMap(Explanation):
    """The map of a table, with answers in the words of the table.

    `featmap.map_table` makes one of a table, and `FeatMAP.labelled` of a fitted model. It answers all questions of an
    `Explanation` as well.

    Parameters
    ----------
    explanation : Explanation
        The rows of a map.
    known : KnownTable
        What is known of these rows.
    model : FeatMAP or None, default=None
        The model that made the map. Without one there is no place for new rows.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_rows, n_components)
        The rows on the map.
    model : FeatMAP or None
        The model that made the map.
    known : KnownTable
        What is known of the rows: the label, the unit, own values, what was done with the columns.
    n_features_in_ : int
        The number of columns that the map was made of.

    Examples
    --------
    >>> import featmap
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> species = iris.target_names[iris.target]
    >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
    >>> found.labels[:2].tolist()
    ['setosa', 'setosa']
    >>> found.transform(iris.data.head(3)).shape
    (3, 2)
    """

    def __init__(self, explanation: Explanation, known: KnownTable, model: FeatMAP | None = None) -> None:
        super().__init__(explanation._points, *_names_of(explanation), explanation.n_jobs, explanation.verbose)
        self.known = known
        self.model = self._made_by = model
        self._asked: dict[str, MapAnswers] = {}

    @classmethod
    def _of(cls, model: FeatMAP, known: KnownTable) -> TableMap:
        """Make one of a fitted model, which stays as it is."""
        own = copy(model)
        own.table_ = known
        return cls(explained(own), known, own)

    @property
    def labels(self) -> np.ndarray | None:
        """The label of each row, or None if there are none."""
        return None if self.known.label is None else self.known.label.values

    def __repr__(self) -> str:
        n_columns = self.n_features_in_ if self.known.own is None else len(self.known.own.names)
        label = "" if self.known.label is None else f", label {self.known.label.name}"
        return f"TableMap({many(len(self), self.known.unit)}, {n_columns} columns{label})"

    def __str__(self) -> str:
        return "\n".join(lines_of(self))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_asked": {}}

    @documented
    def why(  # type: ignore[override] # the questions of Explanation become these
        self, rows: Any, *, target: Any = None, verify: bool = False, labels: ArrayLike | None = None
    ) -> Why | Region:
        """Say why a row lies where it lies; of several rows, what they have in common.

        Parameters
        ----------
        {rows, target, verify, labels}

        Returns
        -------
        Why or Region
            The answer about a row, or about several. Print it to read it.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
        >>> print(found.why(0))
        Setosa among setosa ...
        """
        return self._map_answers(labels).why(self._chosen(rows), target=target, verify=verify)

    @documented
    def rule(self, rows: Any, *, labels: ArrayLike | None = None) -> Rule | None:
        """Find a short rule that tells some rows from all others.

        Parameters
        ----------
        {rows, labels}

        Returns
        -------
        Rule or None
            The rule, with how often it is right for rows that did not choose it; None if no rule holds.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
        >>> rule = found.rule(species == "setosa")
        >>> bool(rule.precision > 0.9)
        True
        """
        return self._map_answers(labels).rule(self._chosen(rows))

    @documented
    def counterfactual(
        self, row: Any, *, target: Any = None, verify: bool = False, labels: ArrayLike | None = None
    ) -> Move | None:
        """Find the least change that puts a row among other rows.

        Parameters
        ----------
        row : int or name
            The row.
        {target, verify, labels}

        Returns
        -------
        Move or None
            One change of up to three groups of columns; None if no such change moves the row.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
        >>> move = found.counterfactual(0, target="versicolor")
        """
        return self._map_answers(labels).counterfactual(self._chosen(row), target=target, verify=verify)

    @documented
    def findings(self, *, labels: ArrayLike | None = None) -> Findings:
        """Tell what the map shows: its regions, rows whose label is doubtful, and what to know about columns.

        Parameters
        ----------
        {labels}

        Returns
        -------
        Findings
            Regions, rows and columns. Printed, it has at most 400 words.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
        >>> print(found.findings())
        150 flowers in ...
        """
        return self._map_answers(labels).findings()

    @documented
    def to_frame(self, *, labels: ArrayLike | None = None) -> DataFrame:  # type: ignore[override]
        """Give one line for every row as a pandas DataFrame: its kind, its place, and in what it differs first.

        Parameters
        ----------
        {labels}

        Returns
        -------
        DataFrame
            One line for each row.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
        >>> len(found.to_frame())
        150
        """
        return self._map_answers(labels).to_frame()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the map with the labels of its rows.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes of the map.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> ax = featmap.map_table(iris.data, species, n_epochs=50).plot()
        """
        from .. import plot

        return plot.embedding(self, self.labels, ax=ax)

    @documented
    def transform(self, table: Any) -> np.ndarray:
        """Place new rows of the table on the map.

        Parameters
        ----------
        {table}

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            The positions of the rows, as `FeatMAP.transform` gives them.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, n_epochs=50)
        >>> bool((found.transform(iris.data.head(3)) == found.embedding_[:3]).all())
        True
        """
        return self._of_new_rows("transform", table)

    @documented
    def outlier_score(self, table: Any) -> np.ndarray:
        """Tell how far new rows are from those of the map.

        Parameters
        ----------
        {table}

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores, as `FeatMAP.outlier_score` gives them: 1 is usual.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, n_epochs=50)
        >>> bool(found.outlier_score(10 * iris.data.head(1))[0] > 5)
        True
        """
        return self._of_new_rows("outlier_score", table)

    @documented
    def explain(self, table: Any) -> Explanation:
        """Explain new rows: their positions on the map, and which columns matter there.

        Parameters
        ----------
        {table}

        Returns
        -------
        Explanation
            Answers about the new rows, in the columns of the table.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, n_epochs=50)
        >>> found.explain(iris.data.head(3))
        Explanation(3 points, 4 features)
        """
        points = self._of_new_rows("explain", table)._points.in_units(self._points.mapped.data.units)
        made = Explanation(points, self._answers.feature_names, row_names(table), self.n_jobs, self.verbose)
        made._made_by = self.model
        return made

    def to_html(
        self,
        path: StrPath,
        *,
        labels: ArrayLike | None = None,
        columns: Any = None,
        ids: ArrayLike | None = None,
        image_shape: tuple[int, ...] | None = None,
        maps: Mapping[str, ArrayLike] | None = None,
        features: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        title: str | None = None,
    ) -> None:
        """Write one HTML file in which the map can be explored, as `Explanation.to_html` does.

        What is not given is that of the table: the labels, further columns, the names of the rows, the shape of
        images. **The file contains the data.**

        Parameters
        ----------
        path : str or path
            Where to write. A file that is there is replaced as a whole.
        labels : array-like of shape (n_samples,) or None, default=None
            A label for each row, by which the map is coloured at first.
        columns : DataFrame, dict or None, default=None
            More columns with one value for each row, to colour and filter by.
        ids : array-like of shape (n_samples,) or None, default=None
            Names of the rows.
        image_shape : tuple of int or None, default=None
            Height and width, and 3 for colours, of pictures whose pixels are the features.
        maps : dict or None, default=None
            Other maps of the same rows by name, each of shape (n_samples, 2), to look at beside this one.
        features : array-like or None, default=None
            Columns that the file contains: numbers, a mask, or names. By default all.
        rows : array-like, slice or None, default=None
            Rows that the file contains. By default all.
        title : str or None, default=None
            The title of the page.

        Examples
        --------
        >>> import os, tempfile
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, n_epochs=50)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.to_html(os.path.join(folder, "iris.html"))
        """
        said = self._said(labels, columns, ids, image_shape)
        super().to_html(path, **said, maps=maps, features=features, rows=rows, title=title)

    def explore(
        self,
        *,
        labels: ArrayLike | None = None,
        columns: Any = None,
        ids: ArrayLike | None = None,
        image_shape: tuple[int, ...] | None = None,
        maps: Mapping[str, ArrayLike] | None = None,
        title: str | None = None,
        height: int = 640,
    ) -> ExplorerWidget:
        """Explore the map in a cell of a notebook, as `Explanation.explore` does.

        Parameters
        ----------
        labels : array-like of shape (n_samples,) or None, default=None
            A label for each row. By default that of the table.
        columns : DataFrame, dict or None, default=None
            More columns with one value for each row. By default those of the table that had no part.
        ids : array-like of shape (n_samples,) or None, default=None
            Names of the rows. By default those of the table.
        image_shape : tuple of int or None, default=None
            Height and width, and 3 for colours, of pictures. By default that of the table.
        maps : dict or None, default=None
            Other maps of the same rows by name, each of shape (n_samples, 2).
        title : str or None, default=None
            The title of the page.
        height : int, default=640
            The height of the page on the screen, in pixels.

        Returns
        -------
        ExplorerWidget
            The widget, which a notebook shows.

        Examples
        --------
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> widget = featmap.map_table(iris.data, species, n_epochs=50).explore()
        """
        said = self._said(labels, columns, ids, image_shape)
        return super().explore(**said, maps=maps, title=title, height=height)

    def save(self, path: StrPath) -> None:
        """Write the map with all that is known of its table to a file, which `featmap.load` reads.

        The file holds plain data: the columns that the map was made of, the label, and columns that can colour it.
        `FeatMAP.load` reads the model in it.

        Parameters
        ----------
        path : str or path
            Where to write. A file that is there is replaced as a whole.

        Examples
        --------
        >>> import os, tempfile
        >>> import featmap
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> species = iris.target_names[iris.target]
        >>> found = featmap.map_table(iris.data, species, n_epochs=50)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(os.path.join(folder, "iris.featmap"))
        ...     again = featmap.load(os.path.join(folder, "iris.featmap"))
        >>> again
        TableMap(150 rows, 4 columns, label label)
        """
        model = copy(self._model_for("save"))
        model.table_ = self.known
        model.save(path)

    def _chosen(self, rows: Any) -> Any:
        """The number of a row, or the numbers of several."""
        if self._answers._is_one_row(rows):
            return int(self._answers.rows([rows])[0])
        return np.unique(self._answers.rows(rows))

    def _map_answers(self, labels: Any = None) -> MapAnswers:
        """Answers about all rows, with the labels of the table or with others; the last of each content are kept."""
        if "" not in self._asked:
            names = self._answers.feature_names, self._answers.row_names
            self._asked[""] = answers_of(self._points, *names, self.known, self.model)
        if labels is None:
            return self._asked[""]
        check_order("labels", labels, self._answers.row_names)
        name = str(getattr(labels, "name", None) or "label")
        label = KnownColumn.of_values("labels", name, labels, len(self))
        mark = f"{name} {label.levels} {digest_of(label.numbers)}"
        if mark not in self._asked:
            self._asked = {"": self._asked[""], mark: self._asked[""].labelled(label)}
        return self._asked[mark]

    def _model_for(self, caller: str) -> FeatMAP:
        if self.model is None:
            raise InvalidParameterError(f"{caller}: there is no model behind this map; make it by featmap.map_table")
        return self.model

    def _of_new_rows(self, question: str, table: Any) -> Any:
        """What the model answers about new rows."""
        model = self._model_for(question)
        if self._points.mapped.data.units is not None and not hasattr(self.model, "recipe_"):
            raise InvalidParameterError(f"{question}: this map is that of a pipeline; give new rows to the pipeline")
        given = taken(question, table)
        if not given.is_frame and given.names is None and len(self.known.order) == given.values.shape[1]:
            given = replace(given, names=list(self.known.order))
        rows = as_fitted(model, given)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names")  # they were compared
            return getattr(model, question)(rows)

    def _said(self, labels: Any, columns: Any, ids: Any, image_shape: Any) -> dict[str, Any]:
        """What a page is given: what was said, else what is known."""
        known = {column.name: column.values for column in self.known.columns}
        return {
            "labels": self.known.label if labels is None else labels,
            "columns": known if columns is None else columns,
            "ids": ids,
            "image_shape": self.known.image_shape if image_shape is None else image_shape,
        }


def load(path: StrPath) -> TableMap:
    """Read a map that `TableMap.save` or `FeatMAP.save` has written.

    Parameters
    ----------
    path : str or path
        The file to read.

    Returns
    -------
    TableMap
        The map with all that was known of its table, and the same answers.

    Examples
    --------
    >>> import os, tempfile
    >>> import featmap
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> species = iris.target_names[iris.target]
    >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.save(os.path.join(folder, "iris.featmap"))
    ...     featmap.load(os.path.join(folder, "iris.featmap"))
    TableMap(150 flowers, 4 columns, label label)
    """
    saved = load_model(path, {name: made_by._get_param_names() for name, made_by in MAKERS.items()})
    model = MAKERS[saved.made_by]._of_saved(saved)
    return TableMap._of(model, getattr(model, "table_", KnownTable()))


def explained(model: FeatMAP) -> Explanation:
    """The rows of a fitted model, in the columns of the table if it knows them."""
    if hasattr(model, "recipe_") and not model._points.mapped.data.unit_rows:
        return in_original_units(model)
    return Explanation(model._points, *_names_of(model), model.n_jobs, bool(model.verbose))


def _names_of(asked: ExplanationMixin) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The names of features and rows, if there are some."""
    return getattr(asked, "feature_names_in_", None), getattr(asked, "row_names_in_", None)
