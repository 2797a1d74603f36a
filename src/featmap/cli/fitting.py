"""A map of a file: prepared, fitted with progress on stderr, and explained in the columns of the file."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..checks.arguments import listed
from ..checks.settings import is_given, n_components_of
from ..errors import InvalidParameterError, MissingExtraError
from ..estimator import FeatMAP
from ..preparation.columns import text_of
from ..preparation.pipelines import in_original_units
from ..preparation.prepare import Prepare
from ..preparation.recipe import Recipe
from .cells import stored
from .columns import check_finite
from .options import Asked
from .reading import Source

if TYPE_CHECKING:
    from ..explanation.mixin import ExplanationMixin


@dataclass(frozen=True)
class Mapped:
    """A fitted model, the explanation that speaks of the user's columns, and what is known of its rows."""

    model: FeatMAP
    answers: ExplanationMixin
    text: str  # what was done to the data
    label: Any  # one for each row, or None; a column of a table knows its name
    columns: dict[str, np.ndarray]
    ids: list[str] | None
    image_shape: tuple[int, ...] | None
    is_empty: np.ndarray  # (rows,) which have more gaps than values


def fitted(source: Source, asked: Asked, quiet: bool) -> Mapped:
    """The map of a file."""
    label = _label(source, asked)
    if label is not None:
        check_finite(str(asked.label), label)
    with shown_on_stderr(quiet, None):
        values, prepared, text = _prepared(source, asked)
    pca = _components(source, asked, is_prepared=prepared is not None)
    text = "\n".join(filter(None, [text, _said_of_components(pca)]))
    model = FeatMAP(n_neighbors=asked.n_neighbors, pca=pca, random_state=asked.seed, n_jobs=asked.n_jobs)
    with shown_on_stderr(quiet) as callback:
        model.fit(values, callback=callback)
    ids = source.ids if prepared is None or prepared.ids_ is None else prepared.ids_.tolist()
    if ids is not None:
        model.row_names_in_ = np.array(ids, dtype=object)
    is_empty = np.zeros(source.n_rows, bool)
    if prepared is None:
        if source.names is not None:
            model.feature_names_in_ = np.array(source.names, dtype=object)
        return Mapped(model, model, text, label, source.columns, ids, source.image_shape, is_empty)
    model.recipe_ = Recipe.of(prepared)
    is_empty = 2 * prepared.gaps_of_rows_ > len(set(model.recipe_.origins.sources))
    columns = {**source.columns, **_categories(source, prepared)}
    label = source.values[asked.label] if prepared.label_ is not None else label
    return Mapped(model, in_original_units(model), text, label, columns, ids, None, is_empty)


def _prepared(source: Source, asked: Asked) -> tuple[Any, Prepare | None, str]:
    """The values to fit, the preparation behind them if there is one, and what was done in words."""
    label = None if asked.label in source.columns else asked.label
    _check_names(source, [("--label", label), ("--id", asked.id), *(("--drop", name) for name in asked.drop)])
    if not source.is_table and not asked.scale and not _has_gaps(source.values):
        kind = "numbers" if source.image_shape is None else "pixels"
        size = f"{source.n_rows:,} rows and {source.values.shape[1]:,} columns of {kind}."
        return source.values, None, f"{size} {source.text or 'They are used as they are.'}"
    values = dense(source.values)
    scale = source.is_table if asked.scale is None else asked.scale
    prepared = Prepare(id=asked.id, drop=tuple(asked.drop), label=label, scale=scale, names=source.names).fit(values)
    return prepared.transform(values), prepared, "\n".join(filter(None, [source.text, str(prepared)]))


def _components(source: Source, asked: Asked, is_prepared: bool) -> Any:
    """What neighbours and map are made of. Directions of a file are those of its values before any preparation."""
    if asked.pca is not None:
        return asked.pca
    return n_components_of(source.components) if is_prepared else source.components


def _said_of_components(pca: Any) -> str:
    if pca is None:
        return ""
    kind = "components in X_pca" if is_given(pca) else "principal components"
    return f"Neighbours and map are made of {n_components_of(pca)} {kind}."


def dense(values: Any) -> Any:
    """Values of a file as a preparation takes them."""
    return values.toarray() if sp.issparse(values) else values


def _check_names(source: Source, asked: list[tuple[str, str | None]]) -> None:
    known = [*(source.values.columns if source.is_table else []), *source.columns]
    for option, name in asked:
        if name is not None and name not in known:
            there = f"there are {listed(known)}" if known else "it has no named columns"
            raise InvalidParameterError(f"{option} {name}: {source.path.name} has no such column; {there}")
        if name is not None and not source.is_table:
            raise InvalidParameterError(f"{option} {name}: this column is no feature; leave {option} out")


def _has_gaps(values: Any) -> bool:
    held = stored(values)
    return held.dtype.kind == "f" and bool(np.isnan(np.min(held, initial=0.0)))


def _label(source: Source, asked: Asked) -> np.ndarray | None:
    return source.columns.get(asked.label) if asked.label is not None else None


def _categories(source: Source, prepared: Prepare) -> dict[str, np.ndarray]:
    """The categories of a table, by which a page can be coloured."""
    if not source.is_table:
        return {}
    names = [role.name for role in prepared.roles_ if role.use == "category"]
    return {name: _texts(source.values[name].to_list()) for name in names}


def _texts(values: list[Any]) -> np.ndarray:
    return np.array([None if value is None else text_of(value) for value in values], dtype=object)


@contextmanager
def shown_on_stderr(quiet: bool, begun: str | None = "reading") -> Iterator[Callable[[str, int, int], object] | None]:
    """A callback that shows how far a fit is, on stderr, if its first stage has a name.

    Warnings and remarks are one sentence there. With ``quiet`` nothing is shown.
    """
    said = logging.NullHandler() if quiet else _Said()
    logging.getLogger("featmap").addHandler(said)
    try:
        with warnings.catch_warnings(), _bar(None if quiet or not sys.stderr.isatty() else begun) as callback:
            if quiet:
                warnings.simplefilter("ignore")
            warnings.showwarning = _warned
            yield callback
    finally:
        logging.getLogger("featmap").removeHandler(said)


@contextmanager
def _bar(begun: str | None) -> Iterator[Callable[[str, int, int], object] | None]:
    if begun is None:
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError as error:
        raise MissingExtraError("featmap needs rich: pip install 'featmap[cli]'") from error
    columns = TextColumn("{task.description:<12}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(begun, total=None)
        yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total)


class _Said(logging.Handler):
    """Puts what the library logs on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        print("featmap:", record.getMessage(), file=sys.stderr)


def _warned(message: Warning | str, *_: Any, **__: Any) -> None:
    print("featmap: warning:", " ".join(str(message).split()), file=sys.stderr)
