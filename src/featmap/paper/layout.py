"""The layout as printed: neighbours first, and in the last epochs the density along the frames as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ..checks.settings import Settings
from ..data.sparse import Matrix
from ..frames import make_frame_fitter
from ..layout.descent import State, descend
from ..layout.forces import Attraction, Force, Repulsion
from ..layout.similarity import Curve
from ..layout.units import Units
from ..pipeline import Fitted, approximate, find_start, make_ready_for_new_rows, tangent_spaces
from ..run import Run
from ..tangents.alignment import connect
from ..values import FloatArray, Frames, Geometry, Graph
from .force import AnisotropicDensity
from .radii import data_radii, log_radii

PART_WITH_DENSITY = 0.3  # q, the last part of the epochs


@dataclass(frozen=True)
class PaperSettings(Settings):
    """The parameters of `PaperFeatMAP`, with what the paper has for the others of `FeatMAP`."""

    density_weight: float  # λ


def fit_as_printed(X: Matrix, settings: PaperSettings, run: Run) -> tuple[Fitted, Geometry]:
    """X → neighbours → graph → tangent spaces → frames → a map whose density follows them."""
    manifold, dim = approximate(X, settings, run), settings.n_components
    tangents = run.stage("tangents", tangent_spaces, manifold, dim, centers=manifold.space.matrix)
    curve, plan = Curve.fit(settings.min_dist, settings.spread), settings.plan(X.shape[0])
    order, graph, start = find_start(manifold, settings, curve, plan, run)
    kind = dim, settings.tangent_center, settings.frames
    connection = run.stage("alignment", partial(connect, manifold.space, tangents, graph, *kind), order)
    tangents = tangents.without_leading()
    fit = make_frame_fitter(settings.frames, graph, connection, settings.n_neighbors, settings.seed, run)
    neighbors = order.positions[manifold.neighbors.indices[order.rows]]
    data_logs = order.into_layout(log_radii(data_radii(tangents.singular_values, dim)))

    def density_along(frames: Frames) -> AnisotropicDensity:
        weight = settings.density_weight * float(graph.degrees.sum())
        return AnisotropicDensity(neighbors, frames.axes, data_logs, curve, weight)

    with run.timed("layout"):
        state = run.kept("layout", partial(State.start, start))
        frames = descend_as_printed(state, graph, curve, fit, density_along, plan.full, settings, run)
    make_ready_for_new_rows(manifold, run)
    fitted = Fitted(manifold, order.into_rows(state.embedding), 0.0, state.epoch, state.epoch == plan.full)
    return fitted, Geometry(tangents, replace(frames, axes=order.into_rows(frames.axes)))


def descend_as_printed(
    state: State,
    graph: Graph,
    curve: Curve,
    fit: Callable[[FloatArray], Frames],
    density_along: Callable[[Frames], AnisotropicDensity],
    n_epochs: int,
    settings: PaperSettings,
    run: Run,
) -> Frames:
    """Run all epochs, and return the frames. They are turned onto the map as it is when density begins, and stay."""
    known, density_from = (graph, curve, Units.equal(graph)), n_epochs - round(PART_WITH_DENSITY * n_epochs)
    forces: list[Force] = [Attraction(*known), Repulsion(*known, settings.seed)]
    if not descend(state, forces, density_from, n_epochs, run):
        return fit(state.embedding)
    frames = run.kept("frames", partial(fit, state.embedding))
    if settings.density_weight > 0:
        forces.append(density_along(frames))
    descend(state, forces, n_epochs, n_epochs, run)
    return frames
