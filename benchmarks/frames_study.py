"""Does the paper's solver descend, and are its arrows true then? Beside aligned frames: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.frames_study`` prints the table and puts it there. All frames are
fitted to the same map, featMAP's at its default settings; medians over 500 rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from featmap import FeatMAP, explain
from featmap.explanation.arrows import KINDS, Arrows, fidelity, random_arrows
from featmap.explanation.neighborhoods import Neighborhoods
from featmap.explanation.points import Points
from featmap.explanation.regression import default_neighbors
from featmap.frames import map_covariances
from featmap.frames.paper import FrameLoss, cosine_graph, descend, random_rotations, rotations_onto_map
from featmap.frames.signs import consistent_signs
from featmap.run import Run
from featmap.tangents.alignment import connect
from featmap.values import Connection, Order
from lab.data.images import digits, load_images
from lab.data.manifolds import swiss_roll
from lab.data.parts import random_rows
from lab.pages import line, put_between, table

from .fidelity import OUT

BEGIN, END = "<!-- frames: begin -->", "<!-- frames: end -->"
HEAD = ("data", "loss", "D of edges", "of pairs", "chance", "equal frames", "paper", "aligned", "map")
N_ROWS, SCORED_ROWS, SEED = 2000, 500, 0


def data_sets() -> Iterator[tuple[str, np.ndarray]]:
    yield "swiss roll", swiss_roll(N_ROWS)
    yield "digits", digits().data
    images = load_images("MNIST")
    yield "MNIST, digit 1", images.data[images.target.astype(int) == 1][:N_ROWS]
    yield "Fashion-MNIST", load_images("Fashion-MNIST").data[:N_ROWS]


def connection_of(points: Points, run: Run) -> Connection:
    manifold, order = points.mapped.manifold, Order.of_the_rows(len(points))
    dim, center = points.embedding.shape[1], manifold.tangent_center
    return connect(manifold.space, manifold.tangents, manifold.graph, dim, center, order, run)


def descent(points: Points, connection: Connection, run: Run) -> list[str]:
    """The loss at the start and at the end of the solver, and how far apart frames are then."""
    manifold = points.mapped.manifold
    loss = FrameLoss(cosine_graph(manifold.graph, connection, manifold.n_neighbors, run))
    dim, n_points = points.embedding.shape[1], len(points)
    start, end = random_rotations(n_points, dim, np.random.default_rng(SEED)), descend(loss, dim, SEED, run)
    edges = loss.similar.sources, loss.similar.weights.indices
    pairs = np.random.default_rng(SEED).integers(n_points, size=(2, 100_000))
    distances = [1 - np.einsum("pca,pca->p", end[i], end[j]).mean() / dim for i, j in (edges, pairs)]
    return [f"{loss.value(start):,.0f} → {loss.value(end):,.0f}", *(f"{distance:.3f}" for distance in distances)]


def with_equal_frames(points: Points, connection: Connection, run: Run) -> Points:
    """Without negative samples the loss is smallest where all frames are equal: so here, turned onto the map."""
    graph, dim, n_points = points.mapped.manifold.graph, points.embedding.shape[1], len(points)
    equal = np.broadcast_to(np.eye(dim), (n_points, dim, dim))
    signs = consistent_signs(graph, connection)
    covariance = map_covariances(points.embedding, graph, connection, run)
    rotations, flips = rotations_onto_map(equal, signs, covariance, np.zeros(n_points, np.int32), 1)
    axes = (rotations @ equal * (signs * flips)[:, None, :]).astype(np.float32)
    return replace(points, frames=replace(points.frames, axes=axes))


def score(kind: Arrows, points: Points, row: np.ndarray, k: int) -> float:
    return float(fidelity(kind, points, row, Neighborhoods.around(points, row, k, points.mapped.copies))[0])


def cells(name: str, X: np.ndarray) -> list[str]:
    embedding = FeatMAP(random_state=SEED).fit(X).embedding_
    aligned, paper = (explain(X, embedding, frames=solver)._points for solver in ("aligned", "paper"))
    with Run(-1) as run:
        connection = connection_of(paper, run)
        found, equal = descent(paper, connection, run), with_equal_frames(paper, connection, run)
    rows, k = np.sort(random_rows(len(X), SCORED_ROWS)).astype(np.int32), default_neighbors(len(X))
    kinds = [(random_arrows, aligned), *((KINDS["frame"], points) for points in (equal, paper, aligned))]
    for kind, points in (*kinds, (KINDS["map"], aligned)):
        found.append(f"{np.median([score(kind, points, row, k) for row in rows[:, None]]):.3f}")
    return [name, *found]


def main() -> None:
    rows = []
    for name, X in data_sets():
        rows.append(cells(name, X))
        print(line(rows[-1]), flush=True)
    put_between(OUT, BEGIN, END, table(HEAD, rows))


if __name__ == "__main__":
    main()
