"""The kernel of the start: means over neighbours on the graph."""

from .compilation import compiled


@compiled
def average_neighbors(embedding, indptr, indices, weights, start, stop, out):
    """Σ_j P_ij y_j/Σ_j P_ij for every point. A point without edges keeps its place."""
    dim = embedding.shape[1]
    for point in range(start, stop):
        first, last = indptr[point], indptr[point + 1]
        if first == last:
            out[point] = embedding[point]
            continue
        out[point] = 0.0
        total = 0.0
        for edge in range(first, last):
            total += weights[edge]
            for axis in range(dim):
                out[point, axis] += weights[edge] * embedding[indices[edge], axis]
        for axis in range(dim):
            out[point, axis] /= total
