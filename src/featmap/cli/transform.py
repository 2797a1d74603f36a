"""``featmap transform``: new rows on a map."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..checks.arguments import listed
from ..errors import InvalidDataError, InvalidParameterError
from .options import DATA, MODEL
from .reading import Source, read_source


@click.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="A .csv or .npy file; by default CSV is printed."
)
def transform(model: str, data: str, output: str | None) -> None:
    """Place the rows of DATA on the map of a saved MODEL.

    Every row gets its place and an outlier score: about 1 is usual, much more is unlike all rows of the model.
    """
    from ..estimator import FeatMAP
    from ..store.replacing import replacing
    from .fitting import shown_on_stderr
    from .output import check_outputs

    if output is not None and Path(output).suffix.lower() not in (".csv", ".npy"):
        raise InvalidParameterError(f"-o {output}: the file must be a .csv or .npy file")
    check_outputs(output)
    loaded, source = FeatMAP.load(model), read_source(data)
    if source.text:
        click.echo(source.text, err=True)
    with shown_on_stderr(quiet=False):
        rows = _as_fitted(loaded, source)
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # they were compared
        places = np.column_stack([loaded.transform(rows), loaded.outlier_score(rows)])
    if output is None:
        click.echo(_csv(places), nl=False)
        return
    with replacing(Path(output)) as file:
        if Path(output).suffix.lower() == ".npy":
            np.save(file, places)
        else:
            file.write(_csv(places).encode())


def _as_fitted(model: Any, source: Source) -> Any:
    """Rows of a file, prepared as those of the fit were, with columns in their order."""
    from .fitting import dense

    recipe = getattr(model, "recipe_", None)
    if recipe is not None:
        return recipe.prepared(dense(source.values), source.names)
    names = getattr(model, "feature_names_in_", None)
    if source.is_table:
        return source.values if names is None else _chosen(source.values, source.values.columns, names, source)
    return (
        source.values
        if names is None or source.names is None
        else _chosen(source.values, source.names, names, source)
    )


def _chosen(values: Any, known: Sequence[str], names: np.ndarray, source: Source) -> Any:
    missing = [name for name in names if name not in known]
    if missing:
        raise InvalidDataError(f"{source.path} has no column {listed(missing)}, which the model was fitted to")
    places = {name: place for place, name in enumerate(known)}
    return values[:, [places[name] for name in names]]


def _csv(places: np.ndarray) -> str:
    names = [*"xyz"[: places.shape[1] - 1]] if places.shape[1] <= 4 else [f"y{h}" for h in range(places.shape[1] - 1)]
    text = io.StringIO()
    np.savetxt(text, places, fmt="%.9g", delimiter=",", header=",".join([*names, "outlier_score"]), comments="")
    return text.getvalue()
