"""A map from coarse to fine: few groups first, then the groups that they are made of, down to groups of points.

The coarsest level brings far parts of the map to their places and has most epochs. Each finer one starts from the map
before it, spread over its groups, and needs a few. Groups have equal units, since those of the data gain nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from ..data.scaling import ScaledData
from ..run import Run
from ..values import FloatArray, Graph, IntArray, Order
from .coarse import CoarseGraph, coarsen, spread
from .descent import State, descend
from .forces import Attraction, Repulsion
from .order import order_along_map, order_by_groups
from .similarity import Curve
from .start import finished, principal_components, smoothed_components
from .units import Units

FEW = 25_000  # groups that are not joined any more
# Groups are not joined either if more than this part of them is left: few have edges, or all to the same hub.
MOST_LEFT = 0.5


@dataclass(frozen=True)
class CoarseStart:
    """Coarser and coarser graphs, and where the map of the coarsest starts."""

    levels: Sequence[CoarseGraph]  # groups of points, groups of these, and so on
    embedding: Annotated[FloatArray, "(groups of the last level, d')"]


def coarse_start(data: ScaledData, graph: Graph, dim: int, seed: int, run: Run) -> CoarseStart:
    """The levels, and a start of the map of the coarsest from smoothed principal components of its centres."""
    levels = coarser_graphs(graph, seed, run)
    components = principal_components(data.matrix[points_at_centers(levels)], dim, run)
    embedding = finished(smoothed_components(components, levels[-1].graph, run), seed)
    order = order_along_map(embedding)
    return CoarseStart(side_by_side(levels, order, run), order.into_layout(embedding))


def side_by_side(levels: Sequence[CoarseGraph], order: Order, run: Run) -> list[CoarseGraph]:
    """The same levels, with groups that belong to one coarser group side by side in memory.

    The coarsest groups are in the given order. The points of the first level keep theirs.
    """
    orders = [order]
    for level in reversed(levels[1:]):
        orders.insert(0, order_by_groups(level.groups, orders[0]))
    orders.insert(0, Order.of_the_rows(len(levels[0].groups)))
    return [in_orders(level, *ends, run) for level, ends in zip(levels, pairwise(orders), strict=True)]


def in_orders(level: CoarseGraph, points: Order, groups: Order, run: Run) -> CoarseGraph:
    """A level whose points and groups have these orders."""
    return CoarseGraph(
        points.positions[groups.into_layout(level.centers)],
        groups.positions[points.into_layout(level.groups)],
        groups.graph_into_layout(level.graph, run.over_rows),
    )


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
    state: State, start: CoarseStart, curve: Curve, epochs: Sequence[int], seed: int, run: Run
) -> FloatArray:
    """A map of the finest groups, from coarse to fine. ``epochs`` has those of each level, in their order.

    The state is that of one level, which its number of points tells. A descent that is resumed goes on there.
    """
    for number, level in reversed([*enumerate(start.levels)]):
        if len(state.embedding) < len(level.centers):
            coarser = start.levels[number + 1]
            state.begin_again(spread(state.embedding, coarser.groups, level.graph, seed, run))
        if len(state.embedding) == len(level.centers):
            known = level.graph, curve, Units.equal(level.graph)
            forces = Attraction(*known), Repulsion(*known, seed)
            n_epochs, before, after = epochs[number], sum(epochs[number + 1 :]), sum(epochs[:number])
            descend(state, forces, n_epochs, n_epochs, run, before, after)
    return state.embedding
