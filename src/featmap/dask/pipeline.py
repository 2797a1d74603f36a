"""The method on a cluster: neighbours and tangent spaces on workers, graph and layout in the process that calls.

The stages are those of `featmap.pipeline`, and their bodies are the same functions. What differs is who holds the
rows: partitions on workers, between which queries, rows of neighbours and their axes are exchanged. Graph, layout and
frames need a few hundred bytes a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.settings import Settings, is_given
from ..data.advice import rows_for_noise, warn_of_noise
from ..data.pca import Components, rows_for_components
from ..data.scaling import ScaledData
from ..data.sparse import Matrix
from ..graph import warn_of_unconnected
from ..neighbors import EXACT_BELOW
from ..neighbors.large import search_wide_enough
from ..neighbors.search import without_self
from ..pipeline import Fitted, Manifold, frames_on_map, lay_out, neighborhood_graph, tangent_weights
from ..run import Run
from ..values import Connection, Geometry, Graph, Neighbors, Order, Tangents, sorted_csr
from .blocks import Input, ScaledBlocks, scaled_blocks
from .cluster import results
from .files import search_in_files, table_in_files
from .search import AllPairs, ClusterSearch, Workers
from .tangents import GraphInFiles, PartitionedTangents

FIRST_COORDINATES = 64  # of lists that only divide the rows among partitions


@dataclass(frozen=True)
class ClusterData:
    """The data on workers: the features, and the space of neighbourhoods, features or principal components."""

    data: ScaledBlocks
    space: ScaledBlocks
    components: Components | None

    @classmethod
    def of(cls, table: Input, settings: Settings) -> ClusterData:
        """Scale the data, and compute their principal components if ``pca`` is given."""
        blocks, with_unit_rows = table.blocks, settings.metric == "cosine"
        pca: Any = settings.pca
        if pca is None:
            if not with_unit_rows:
                warn_of_noise(blocks.rows(rows_for_noise(blocks.n_rows)))
            space = scaled_blocks(blocks, table.n_features, with_unit_rows=with_unit_rows)
            return cls(space, space, None)
        if is_given(pca):
            components = Components(pca)
        else:
            sample = blocks.rows(rows_for_components(table.shape, table.is_sparse))
            components = Components.of_sample(sample, pca)
        in_components = blocks.mapped(_components_of, components)
        space = scaled_blocks(in_components, components.n_components, with_unit_rows=with_unit_rows)
        return cls(scaled_blocks(blocks, table.n_features, with_unit_rows=with_unit_rows), space, components)


def _components_of(table: Matrix, components: Components) -> Matrix:
    with Run(None) as run:
        return components.of(table, run)


@dataclass
class ClusterFit:
    """A fit whose rows are on workers. Partitions are computed when a stage first needs them."""

    cluster_data: ClusterData
    settings: Settings
    n_partitions: int
    folder: Path  # for arrays that workers and this process share
    run: Run
    exchanged: Counter[str] = field(default_factory=Counter)  # bytes by stage

    def fit_map(self) -> tuple[Fitted, Geometry]:
        """Fit a map, as `featmap.pipeline.fit_map` does, with its tangent spaces and frames.

        They are made at once, since the rows are here only while the fit runs.
        """
        settings, run = self.settings, self.run
        neighbors = run.stage("neighbors", self._find_neighbors)
        graph = run.stage("graph", neighborhood_graph, neighbors, settings)
        warn_of_unconnected(graph, settings.metric)
        manifold = Manifold.of(
            settings,
            data=self.data,
            space=self.space,
            components=self.cluster_data.components,
            search=search_in_files(self.search, self.space.matrix, settings, self.folder),
            neighbors=neighbors,
            graph=graph,
        )
        partitioned = cache(partial(self._neighborhoods, manifold))  # by the first stage that needs it
        tangents = run.stage("tangents", self._find_tangents, manifold, partitioned, centers=self.space.matrix)
        fitted = lay_out(manifold, settings, run)

        def align(order: Order, run: Run) -> Connection:
            return connection_of(partitioned(), fitted.manifold.graph, order)

        return fitted, Geometry(tangents, frames_on_map(fitted.manifold, tangents, fitted.embedding, run, align))

    @cached_property
    def space(self) -> ScaledData:
        """The space of neighbourhoods, in files that are read when they are needed."""
        return self.cluster_data.space.with_matrix(
            table_in_files(self.cluster_data.space.matrix, self.folder / "space")
        )

    @cached_property
    def data(self) -> ScaledData:
        """The features, in such files as well."""
        if self.cluster_data.components is None:
            return self.space
        return self.cluster_data.data.with_matrix(table_in_files(self.cluster_data.data.matrix, self.folder / "data"))

    @cached_property
    def search(self) -> ClusterSearch | AllPairs:
        """The search for neighbours, which divides the rows among partitions."""
        space = self.cluster_data.space
        workers = Workers(space.matrix, space.n_features, self.n_partitions)
        if space.matrix.n_rows <= EXACT_BELOW:
            return workers.in_lists(FIRST_COORDINATES, self.run).all_pairs()
        found: ClusterSearch | AllPairs = search_wide_enough(workers, self.settings.n_others + 1, self.run)
        return found

    def _find_neighbors(self, run: Run) -> Neighbors:
        k, n_rows = self.settings.n_others, self.cluster_data.space.matrix.n_rows
        indices, distances = np.empty((n_rows, k), np.int32), np.empty((n_rows, k), np.float32)
        done = 0
        for rows, found, lengths, n_bytes in self.search.nearest_of_all(k + 1):
            lengths = lengths**2 / 2 if self.settings.metric == "cosine" else lengths
            near = without_self(found, lengths, k, rows)
            indices[rows], distances[rows] = near.indices, near.distances
            self.exchanged["neighbors"] += n_bytes
            done += len(rows)
            run.step(done, n_rows)
        return Neighbors(indices, distances)

    def _find_tangents(
        self, manifold: Manifold, partitioned: Callable[[], PartitionedTangents], run: Run
    ) -> Tangents:
        weights, neighbors = tangent_weights(manifold, run), manifold.neighbors
        singular_values = np.empty((len(weights), min(neighbors.k, self.space.shape[1])), np.float32)
        intrinsic_dim = np.empty(len(weights), np.int32)
        for rows, found in partitioned().tangents():
            singular_values[rows], intrinsic_dim[rows] = found.singular_values, found.intrinsic_dim
        center = self.settings.tangent_center
        return Tangents(self.space.matrix, neighbors.indices, weights, center, singular_values, intrinsic_dim)

    def _neighborhoods(self, manifold: Manifold) -> PartitionedTangents:
        """Write what partitions need of the graph, and return their tangent spaces and alignment as tasks."""
        partitions, weights = self.search.partitions, tangent_weights(manifold, self.run)
        rows = list(results([part.numbers for part in partitions.parts]))
        indices = manifold.neighbors.indices
        graph_files = GraphInFiles.write(self.folder, rows, indices, weights, manifold.graph)
        return PartitionedTangents(partitions, rows, graph_files, self.settings, self.exchanged)


def connection_of(partitioned: PartitionedTangents, graph: Graph, order: Order) -> Connection:
    """Return the connection on all edges, in the order of the layout."""
    edges = graph.weights
    numbers = sorted_csr(np.arange(edges.nnz), edges.indices, edges.indptr)
    arrays: dict[str, np.ndarray] = {}
    for rows, part in partitioned.connections():
        of_rows = numbers[rows].data
        for name, values in vars(part).items():
            if values is not None:
                whole = arrays.setdefault(name, np.empty((edges.nnz, *values.shape[1:]), values.dtype))
                whole[of_rows] = values
    return Connection(**arrays)[order.edges_into_layout(graph)]
