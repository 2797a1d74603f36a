"""A map as the page receives it: a head, which is JSON, and parts, which are arrays. `web/src/record.ts` reads it.

The page computes from it what the library computes: it has the data, the map, each row's own neighbours with their
weights (the symmetric graph follows), and what is known of every feature over all rows.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..data.sparse import SparseRows
from ..data.units import Level
from ..explanation.answers import Answers
from ..explanation.arrows import drawn, scored
from ..explanation.backing import backing
from ..explanation.map_variance import explained_by_map
from ..explanation.points import Points, points_of_data
from ..explanation.regression import default_neighbors
from ..explanation.trust import Trust
from ..explanation.winsor import winsorised
from ..layout.order import order_along_map
from ..run import Run
from ..values import IntArray, Order
from .annotations import Annotations, Column
from .carrying import Carried
from .coding import Part, neighbours, planes, raw, steps

if TYPE_CHECKING:
    from .rounding import Errors

FORMAT = "featmap-record/1"
STAY_IN_PYTHON = "The data stay in Python, which answers."


@dataclass(frozen=True)
class Origin:
    """Where a map comes from: what made it, with which parameters, and what the file says of itself."""

    maker: str
    parameters: dict[str, str]
    seed: int | None
    report: tuple[str, ...]
    title: str
    notes: tuple[str, ...]
    rows: IntArray | None = None  # of the user's model, if the file has a part of them; likewise features
    features: IntArray | None = None


@dataclass(frozen=True)
class Record:
    """A head and parts."""

    head: dict[str, Any]
    parts: tuple[Part, ...]


def record_of(answers: Answers, said: Annotations, carried: Carried, errors: Errors | None, origin: Origin) -> Record:
    """The record of a map whose points are the rows of the data, with all that answers need."""
    points = answers.points
    order = order_along_map(points.embedding)
    parts = [
        raw("order", order.rows.astype(np.uint32)),
        *_to_draw(answers, said),
        *_chosen(origin),
        *_of_neighbours(points, order),
        *carried.parts,
    ]
    data = {
        "form": carried.form,
        "scale": carried.data.scale,
        "isExact": carried.is_exact,
        "text": carried.text,
        "error": None if errors is None else errors.as_json(),
    }
    return Record(_head(answers, said, origin, data, parts), tuple(parts))


def record_without_data(answers: Answers, said: Annotations, origin: Origin) -> Record:
    """What the page draws. Its questions are answered by Python, where the data are."""
    parts = list(_to_draw(answers, said))
    form = "sparse" if isinstance(answers.data.matrix, SparseRows) else "dense"
    data = {"form": form, "scale": answers.data.scale, "isExact": True, "text": STAY_IN_PYTHON, "error": None}
    return Record(_head(answers, said, origin, data, parts), tuple(parts))


def _to_draw(answers: Answers, said: Annotations) -> Iterator[Part]:
    """Places, the user's columns, further maps, and what is known of every feature."""
    yield raw("places", answers.points.embedding)
    yield from _columns(said.columns)
    yield from (raw(f"map{number}", map_) for number, map_ in enumerate(said.maps.values()))
    with Run(answers.n_jobs) as run:
        yield from _of_features(answers.points, run)


def _head(
    answers: Answers, said: Annotations, origin: Origin, data: dict[str, Any], parts: Sequence[Part]
) -> dict[str, Any]:
    return {
        **_of_origin(origin),
        **_of_map(answers.points),
        **_of_annotations(said, answers),
        "trust": _of_trust(answers.trust("blend", None, None)),
        "isJudged": answers.backing().is_judged,
        "mixtures": _mixtures(answers.points),
        "data": data,
        "parts": [part.head() for part in parts],
    }


def _of_origin(origin: Origin) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "versions": {"featmap": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "title": origin.title,
        "maker": origin.maker,
        "parameters": origin.parameters,
        "seed": origin.seed,
        "report": list(origin.report),
        "notes": list(origin.notes),
        "hasChosenRows": origin.rows is not None,
        "hasChosenFeatures": origin.features is not None,
    }


def _of_map(points: Points) -> dict[str, Any]:
    manifold, (n_rows, dim) = points.mapped.manifold, points.embedding.shape
    return {
        "nRows": n_rows,
        "nFeatures": points.mapped.data.shape[1],
        "nComponents": dim,
        "nNear": default_neighbors(n_rows),
        "nNeighbours": _n_near(points),
        "nTangentNeighbours": points.tangents.neighbors.shape[1],
        "metric": manifold.metric if isinstance(manifold.metric, str) else "a function",
        "tangentCenter": manifold.tangent_center,
        "intrinsicDim": manifold.intrinsic_dim if manifold.intrinsic_dim == "auto" else int(manifold.intrinsic_dim),
    }


def _of_annotations(said: Annotations, answers: Answers) -> dict[str, Any]:
    names = answers.feature_names
    return {
        "featureNames": None if names is None else [str(name) for name in names],
        "levels": _levels(answers),
        "ids": None if said.ids is None else list(said.ids),
        "imageShape": None if said.image_shape is None else list(said.image_shape),
        "columns": [
            {
                "name": column.name,
                "kind": "number" if column.categories is None else "category",
                "categories": list(column.categories or ()),
                "part": f"column{number}",
            }
            for number, column in enumerate(said.columns)
        ],
        "maps": [{"name": name, "part": f"map{number}"} for number, name in enumerate(said.maps)],
    }


def _levels(answers: Answers) -> list[list[str] | None] | None:
    """The category and the value of columns that are one of a category; None if features are columns as given."""
    if answers.data.units is None:
        return None
    names = answers.names_or_numbers
    return [[name.category, name.level] if isinstance(name, Level) else None for name in names]


def _of_trust(trust: Trust) -> dict[str, Any]:
    return {
        "shareOfFlat": trust.share_of_flat,
        "shareOfAll": trust.share_of_all,
        "fidelity": trust.fidelity,
        "trustworthiness": trust.trustworthiness,
        "densityCorrelation": trust.density_correlation,
        "nRows": trust.n_rows,
        "nRankedRows": trust.n_ranked_rows,
        "featuresAgree": trust.features_agree,
        "word": trust.word,
        "sentence": trust.sentence,
        "advice": trust.advice,
    }


def _mixtures(points: Points) -> dict[str, list[list[float]]] | None:
    """(u, v) of each set of features, where there are too few rows around a point to tell its own."""
    near = default_neighbors(len(points)), points.mapped.copies
    rows = points_of_data(points.mapped)
    both = {"drawn": drawn("blend", rows, *near), "scored": scored("blend", rows, *near)}
    mixtures = {name: draw.keywords["mixture"] for name, draw in both.items() if isinstance(draw, partial)}
    return {name: mixture[0].tolist() for name, mixture in mixtures.items()} or None


def _chosen(origin: Origin) -> Iterator[Part]:
    """The numbers that rows and features have in the user's model, where the file has a part of them."""
    for name, numbers in (("rowNumbers", origin.rows), ("featureNumbers", origin.features)):
        if numbers is not None:
            yield raw(name, numbers.astype(np.uint32))


def _columns(columns: Sequence[Column]) -> Iterator[Part]:
    for number, column in enumerate(columns):
        yield raw(f"column{number}", column.values)


def _of_features(points: Points, run: Run) -> Iterator[Part]:
    """What is known of every feature over all rows: scaled as the data are, and then in the units of the user."""
    mapped = points.mapped
    features, known = winsorised(mapped, run), backing(mapped, run)
    for name, values in (
        ("lowest", features.lowest),
        ("highest", features.highest),
        ("mean", features.mean),
        ("sd", features.sd),
        ("meanAsGiven", features.mean_as_given),
        ("overall", mapped.data.restore(features.mean_as_given)),
        ("spread", mapped.data.in_units(features.sd)),
        ("backing", known.values),
        ("factors", known.factors),
        ("mapExplained", explained_by_map(mapped, run)),
    ):
        yield raw(name, values)


def _of_neighbours(points: Points, order: Order) -> Iterator[Part]:
    """For each row its neighbours, their weights, and what is known of its neighbourhood."""
    mapped, tangents, k = points.mapped, points.tangents, _n_near(points)
    near = np.ascontiguousarray(tangents.neighbors[:, :k])
    yield neighbours("neighbours", near, order)
    if tangents.neighbors.shape[1] == k:
        yield planes("weights", tangents.weights)
    else:
        yield planes("weights", _edge_weights(points, near))
        yield neighbours("tangentNeighbours", tangents.neighbors, order)
        yield planes("tangentWeights", tangents.weights)
    if not points.has_edge.all():
        yield raw("hasEdge", points.has_edge.astype(np.uint8))
    yield raw("intrinsicDim", tangents.intrinsic_dim.astype(np.uint8 if tangents.n_directions < 256 else np.uint16))
    if len(mapped.distinct) < len(points):
        yield steps("units", mapped.copies)
    yield planes("densityOfData", density_of_data(points))
    if mapped.manifold.components is not None:
        yield planes("directions", mapped.manifold.components.directions.astype(np.float32))


def _n_near(points: Points) -> int:
    """How many neighbours a row has in the graph."""
    return min(points.mapped.manifold.n_neighbors - 1, points.tangents.neighbors.shape[1])


def _edge_weights(points: Points, near: np.ndarray) -> np.ndarray:
    from ..graph import weights_of_neighbors

    with Run(None) as run:
        return weights_of_neighbors(points.mapped.manifold.graph, near, run)


def density_of_data(points: Points) -> np.ndarray:
    """−½ log of the mean squared distance to the neighbours, in the units of the user; NaN where that is 0."""
    manifold = points.mapped.manifold
    distances = manifold.distances_in_units[:, : manifold.n_neighbors - 1]
    present = np.isfinite(distances)
    squares = np.where(present, distances, 0.0) ** 2
    means = squares.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return -0.5 * np.log(means, out=np.full(len(means), np.nan), where=means > 0).astype(np.float32)
