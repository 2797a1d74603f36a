"""What keeps tangent arrows from the ceiling? Their part of it when one thing is changed at a time: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.fidelity_study`` prints the table and puts it there. COIL-20 is at
32 × 32 pixels and PBMC has its 1,000 most variable genes, so that tangent spaces of a hundred points are quick;
medians over 100 rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from featmap import FeatMAP, explain
from featmap.explanation.arrows import KINDS, Arrows, fidelity
from featmap.explanation.points import Points
from featmap.explanation.regression import Moments, default_neighbors
from featmap.tangents.axes import axes
from lab.data.cells import few_genes
from lab.data.images import digits, small_coil20
from lab.data.manifolds import swiss_roll
from lab.data.parts import random_rows
from lab.pages import line, put_between, table

from .fidelity import OUT

BEGIN, END = "<!-- study: begin -->", "<!-- study: end -->"
N_ROWS = 100
MAP_NEIGHBORS = (30, 60)  # and the default
N_NEAR = 14  # tangent spaces beside a point's own

# The rows whose tangent spaces count at a point, of those that are not scored.
Centers = Callable[[Points, int, np.ndarray], np.ndarray]


def own(points: Points, point: int, scored: np.ndarray) -> np.ndarray:
    return np.array([point], np.int32)


def near_in_data(points: Points, point: int, scored: np.ndarray) -> np.ndarray:
    return np.append(points.tangents.neighbors[point], np.int32(point))


def near_on_map(points: Points, point: int, scored: np.ndarray) -> np.ndarray:
    near = points.nearest_on_map(own(points, point, scored), 2 * N_NEAR + 2)[0]
    return np.append(near[~np.isin(near, scored)][:N_NEAR], np.int32(point))


def within(centers_of: Centers, whole_span: bool = False) -> Arrows:
    """The map's arrows within some tangent spaces: sums of projections, or projections onto their span."""

    def arrows(points: Points, chosen: np.ndarray, moments: Moments, left_out: Any) -> np.ndarray:
        slopes = moments.slopes()
        for found, point, scored in zip(slopes, chosen, left_out, strict=True):
            V = directions(points, centers_of(points, int(point), scored), len(found))
            if whole_span:
                _, sizes, V = np.linalg.svd(V, full_matrices=False)
                V = V[sizes > 1e-4 * sizes[0]]
            found[:] = found @ V.T @ V
        return slopes

    return arrows


def directions(points: Points, centers: np.ndarray, n_least: int) -> np.ndarray:
    """The directions that count, of several tangent spaces: (directions, features)."""
    tangents = points.mapped.tangents
    n_axes = np.maximum(tangents.intrinsic_dim[centers], n_least)
    V = axes(points.mapped.data, tangents, centers, int(n_axes.max())).astype(float)
    return V[np.arange(V.shape[1]) < n_axes[:, None]]


# What is changed: the tangent spaces, or how arrows are found within them.
TRIED: dict[str, tuple[dict[str, Any], Arrows]] = {
    "as it is": ({}, KINDS["tangent"]),
    "30 points": ({"n_tangent_neighbors": 30}, KINDS["tangent"]),
    "50 points": ({"n_tangent_neighbors": 50}, KINDS["tangent"]),
    "100 points": ({"n_tangent_neighbors": 100}, KINDS["tangent"]),
    "2 directions": ({"intrinsic_dim": 2}, KINDS["tangent"]),
    "all directions": ({"intrinsic_dim": N_NEAR}, KINDS["tangent"]),
    "own space": ({}, within(own)),
    "near on map": ({}, within(near_on_map)),
    "span": ({}, within(near_in_data, whole_span=True)),
}
HEAD = ("data", "K", "ceiling", *TRIED)


def data_sets() -> Iterator[tuple[str, np.ndarray]]:
    yield "swiss roll", swiss_roll()
    yield "digits", digits().data
    yield "COIL-20", small_coil20().data
    yield "PBMC 3k", few_genes("PBMC 3k")


def rows_of(name: str, X: np.ndarray) -> Iterator[list[str]]:
    embedding = FeatMAP(random_state=0).fit(X).embedding_
    rows = np.sort(random_rows(len(X), N_ROWS)).astype(np.int32)
    sizes = (*MAP_NEIGHBORS, default_neighbors(len(X)))
    found: dict[int, list[float]] = {k: [] for k in sizes}
    for options, kind in (({}, KINDS["map"]), *TRIED.values()):
        points = explain(X, embedding, **options)._points
        for k in sizes:
            found[k].append(np.median([fidelity(kind, points, row, k) for row in rows[:, None]]))
    for k, (ceiling, *values) in found.items():
        yield [name, str(k), f"{ceiling:.3f}", *(f"{value / ceiling:.2f}" for value in values)]


def main() -> None:
    rows = []
    for name, X in data_sets():
        for cells in rows_of(name, X):
            print(line(cells), flush=True)
            rows.append(cells)
    put_between(OUT, BEGIN, END, table(HEAD, rows))


if __name__ == "__main__":
    main()
