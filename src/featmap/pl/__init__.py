"""Pictures of a map that is kept in an AnnData, in the conventions of scanpy's ``pl``.

They are those of `featmap.plot`, which draws more: ``model = featmap.tl.model(adata)`` is what its functions take.
Every function draws into the Axes given as ``ax``, or into a new figure, and returns the Axes.
"""

from __future__ import annotations

from ..errors import MissingExtraError

try:
    import anndata as _anndata  # noqa: F401 - only to find out whether it is installed
except ImportError as error:
    raise MissingExtraError("featmap.pl needs anndata: pip install 'featmap[anndata,plot]'") from error

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from anndata import AnnData
from matplotlib.axes import Axes
from matplotlib.colors import is_color_like, to_hex
from pandas import CategoricalDtype, Series

from .. import plot
from ..errors import InvalidParameterError
from ..plot.embedding import draw_labelled_map
from ..plot.parts.canvas import PLAIN_TEXT, axes_or_new
from ..plot.parts.cloud import Cloud
from ..plot.parts.colours import Categories, RowLabels, read_labels, widen_by_legend
from ..tl.asking import rebuilt
from ..tl.contents import KEY, checked_adata, checked_column, documented, features_of, record_of

__all__ = ["arrows", "embedding", "features_on_map", "why"]

N_COLUMNS = 4  # of maps side by side, as scanpy has
PANEL_SIZE = (4.4, 3.8)  # of one of them, in inches


@documented
def embedding(
    adata: AnnData,
    color: str | Sequence[str] | None = None,
    *,
    layer: str | None = None,
    key: str = KEY,
    ax: Axes | None = None,
) -> Axes | list[Axes]:
    """Draw the map, coloured by a column of ``obs`` or by a gene, or once for each of several.

    ``scanpy.pl.embedding(adata, basis="featmap", color=...)`` works as well. Cells that are near on the map are
    similar. Distances between separate groups are not to be trusted. A categorical column such as ``louvain`` has the
    colours of ``adata.uns["louvain_colors"]``, as in scanpy, if there is one valid colour for each category. Else
    categories have the colours of `featmap.plot`. Nothing is written to ``uns``.

    Parameters
    ----------
    {adata}
    color : str, list of str or None, default=None
        A column of ``adata.obs``, or a gene, whose values are then the colours. A list of them gives a map for each,
        side by side.
    layer : str or None, default=None
        The layer with the values of the gene. By default the features of the map: ``adata.X``, or the `layer` that
        `featmap.tl.featmap` was given.
    {key}
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure. Several maps need a new one.

    Returns
    -------
    matplotlib.axes.Axes or list of them
        The Axes of the map; a list if `color` is one.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> adata = anndata.AnnData(X[:300], obs={"digit": y[:300].astype(str)})
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> ax = featmap.pl.embedding(adata, color="digit")
    >>> len(ax.get_legend().get_texts())
    10
    """
    caller = "featmap.pl.embedding"
    record = record_of(caller, checked_adata(caller, adata), key)
    layer = layer or record["params"].get("layer")
    places = np.asarray(adata.obsm[record["embedding_key"]])
    if color is not None and not isinstance(color, str) and np.iterable(color):
        if ax is not None:
            raise InvalidParameterError(f"{caller}(ax=…): several colours need a figure of their own; leave ax out")
        return _panels(places, [(str(one), _colours(caller, adata, one, layer)) for one in color])
    colours = None if color is None else _colours(caller, adata, color, layer)
    is_new = ax is None
    ax = axes_or_new(ax)
    _draw(places, colours, ax, f"featMAP of {adata.n_obs:,} cells")
    if is_new:
        widen_by_legend(ax)
    return ax


def _panels(places: np.ndarray, colours: list[tuple[str, RowLabels]]) -> list[Axes]:
    """A map for each colour, named after it."""
    from matplotlib import pyplot

    if not colours:
        raise InvalidParameterError("featmap.pl.embedding(color=[]): name at least one column of adata.obs or gene")
    n_columns = min(len(colours), N_COLUMNS)
    n_rows = -(-len(colours) // n_columns)
    size = PANEL_SIZE[0] * n_columns, PANEL_SIZE[1] * n_rows
    _, grid = pyplot.subplots(n_rows, n_columns, figsize=size, layout="constrained", squeeze=False)
    for spare in grid.ravel()[len(colours) :]:
        spare.remove()
    panels = [axes_or_new(ax) for ax in grid.ravel()[: len(colours)]]
    for (name, one), ax in zip(colours, panels, strict=True):
        _draw(places, one, ax, name)
    return panels


def _draw(places: np.ndarray, colours: RowLabels | None, ax: Axes, title: str) -> None:
    draw_labelled_map(Cloud(ax, places, colours), colours)
    ax.set_title(title, fontsize="medium", **PLAIN_TEXT)


def _colours(caller: str, adata: AnnData, color: Any, layer: str | None) -> RowLabels:
    """The values of a column or a gene, with the colours that scanpy keeps of them."""
    values = _values(caller, adata, color, layer)
    labels = read_labels(caller, values, adata.n_obs)
    known = _kept_colours(adata, color, values)
    if known is None or not isinstance(labels, Categories):
        return labels
    return replace(labels, colours=[known[name] for name in labels.names])


def _values(caller: str, adata: AnnData, color: Any, layer: str | None) -> Series:
    """A column of obs, or the values of a gene."""
    if not isinstance(color, str):
        raise InvalidParameterError(f"{caller}(color={color!r}): color must be a column of adata.obs, or a gene")
    if color in adata.obs or color not in adata.var_names:
        return checked_column(caller, adata, color)
    column = adata.var_names.get_loc(color)
    if not isinstance(column, int):
        raise InvalidParameterError(
            f"{caller}: {color!r} is the name of several genes; give them names of their own: "
            "adata.var_names_make_unique()"
        )
    values = features_of(caller, adata, layer)[:, [column]]
    return Series(np.asarray(values.toarray() if sp.issparse(values) else values).ravel(), name=color)


def _kept_colours(adata: AnnData, column: str, values: Series) -> dict[str, str] | None:
    """The colours that scanpy keeps of a categorical column, by category; None if there is not one for each."""
    kept = adata.uns.get(f"{column}_colors")
    if not isinstance(values.dtype, CategoricalDtype) or isinstance(kept, str) or not np.iterable(kept):
        return None
    categories, colours = values.dtype.categories, list(kept)
    if len(colours) != len(categories) or not all(is_color_like(colour) for colour in colours):
        return None
    return {str(name): to_hex(colour, keep_alpha=True) for name, colour in zip(categories, colours, strict=True)}


@documented
def arrows(adata: AnnData, gene: str, *, grid: int = 25, key: str = KEY, ax: Axes | None = None) -> Axes:
    """Draw where on the map a gene is high, and in which directions it increases.

    Colours are the values of the gene among the features of the map. There are no arrows where its change is no more
    than chance.

    Parameters
    ----------
    {adata}
    gene : str
        The name of a gene.
    grid : int, default=25
        Cells of a grid along the wider side of the map, from 2 to 60, each of which has at most one arrow.
    {key}
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map, as those of `featmap.plot.arrow_field`.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> featmap.pl.arrows(adata, "28", grid=10).get_title().splitlines()[0]
    'Where 28 increases'
    """
    return plot.arrow_field(rebuilt("featmap.pl.arrows", adata, key), gene, grid=grid, ax=ax)


@documented
def features_on_map(adata: AnnData, *, k: int = 12, n_names: int = 3, key: str = KEY, ax: Axes | None = None) -> Axes:
    """Draw the names of the genes that set regions of the map apart, at their places.

    ↑ before a name means that the gene is higher in this region than on the whole map, ↓ that it is lower. A region
    has at least as many cells as the map has ``n_neighbors``.

    Parameters
    ----------
    {adata}
    k : int, default=12
        How many regions are named at most, from 1 to 40.
    n_names : int, default=3
        How many genes are named in each region at most, from 1 to 5.
    {key}
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map, as those of `featmap.plot.features_on_map`.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> ax = featmap.pl.features_on_map(adata, k=5)
    """
    model = rebuilt("featmap.pl.features_on_map", adata, key)
    return plot.features_on_map(model, scale="units", k=k, n_names=n_names, ax=ax)


@documented
def why(
    adata: AnnData, cell: int | str, *, color: str | None = None, k: int = 5, key: str = KEY, ax: Axes | None = None
) -> Axes:
    """Draw why one cell is where it is: what `featmap.tl.why` says, on a page.

    Parameters
    ----------
    {adata}
    cell : int or str
        The number or the name of the cell.
    color : str or None, default=None
        A column of ``adata.obs`` or a gene: the colours of the map, as in `embedding`.
    k : int, default=5
        The largest number of genes with an arrow, and with a bar, from 1 to 15.
    {key}
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, as those of `featmap.plot.why`.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> len(featmap.pl.why(adata, "7").child_axes)
    3
    """
    caller = "featmap.pl.why"
    if np.ndim(cell) != 0:
        raise InvalidParameterError(f"{caller}(cell=…): cell must be one cell; featmap.tl.why answers about groups")
    layer = record_of(caller, checked_adata(caller, adata), key)["params"].get("layer")
    # Labels that have been read, with their colours; to everyone else they are an array.
    colours: Any = None if color is None else _colours(caller, adata, color, layer)
    return plot.why(rebuilt(caller, adata, key), cell, labels=colours, k=k, ax=ax)
