"""A map from coarse to fine: few groups first, then the groups that they are made of, down to groups of points.

The coarsest level brings far parts of the map to their places and has most epochs. Each finer one starts from the map
before it, spread over its groups, and needs a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..data.scaling import ScaledData
from ..run import Run
from ..values import FloatArray, Graph, IntArray
from .coarse import CoarseGraph, coarsen, spread
from .descent import State, descend
from .edges import Edges
from .forces import Attraction, Force, Repulsion
from .similarity import Curve
from .start import finished, principal_components, smoothed_components

FEW = 25_000  # groups that are not joined any more
# Groups are not joined either if more than this part of them is left: few have edges, or all to the same hub.
MOST_LEFT = 0.5


@dataclass(frozen=True)
class CoarseStart:
    """Coarser and coarser graphs, and where the map of the coarsest starts."""

    levels: Sequence[CoarseGraph]  # groups of points, groups of these, and so on
    embedding: FloatArray  # (groups of the last level, d')


def coarse_start(data: ScaledData, graph: Graph, dim: int, seed: int, run: Run) -> CoarseStart:
    """The levels, and a start of the map of the coarsest from smoothed principal components of its centres."""
    levels = coarser_graphs(graph, seed, run)
    components = principal_components(data.matrix[points_at_centers(levels)], dim, run)
    return CoarseStart(levels, finished(smoothed_components(components, levels[-1].graph, run), seed))


def coarser_graphs(graph: Graph, seed: int, run: Run) -> list[CoarseGraph]:
    """Groups of points, groups of these, and so on, until they are few or cannot be joined."""
    levels = [coarsen(graph, seed, run)]
    while len(levels[-1].centers) > FEW:
        coarser = coarsen(levels[-1].graph, seed, run)
        if len(coarser.centers) > MOST_LEFT * len(coarser.groups):
            break
        levels.append(coarser)
    return levels


def points_at_centers(levels: Sequence[CoarseGraph]) -> IntArray:
    """The points at the centres of the coarsest groups."""
    points = levels[0].centers
    for level in levels[1:]:
        points = points[level.centers]
    return points


def descend_by_levels(
    state: State, start: CoarseStart, graph: Graph, curve: Curve, epochs: Sequence[int], seed: int, run: Run
) -> FloatArray:
    """A map of all points, from coarse to fine. ``epochs`` has those of each level, in the order of the levels.

    The state is that of one level, which its number of points tells. A descent that is resumed goes on there.
    """
    for number, level in reversed([*enumerate(start.levels)]):
        if len(state.embedding) < len(level.centers):
            state.begin_again(spread(state.embedding, start.levels[number + 1], level.graph, seed, run))
        if len(state.embedding) == len(level.centers):
            edges = Edges.without_neighbors(level.graph, curve)
            forces: tuple[Force, ...] = Attraction(edges), Repulsion(edges, seed)
            n_epochs, before, after = epochs[number], sum(epochs[number + 1 :]), sum(epochs[:number])
            descend(state, forces, n_epochs, n_epochs, run, before, after)
    return spread(state.embedding, start.levels[0], graph, seed, run)
