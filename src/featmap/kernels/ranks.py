"""The ranks of chosen entries within their row."""

import numpy as np

from .compilation import compiled


@compiled
def count_before(distances, columns, out):
    """out[q, j] = how many entries of row q come before its column columns[q, j], in the order (distance, column)."""
    n_named = columns.shape[1]
    named = np.empty(n_named)
    for q in range(distances.shape[0]):
        farthest = -np.inf
        for j in range(n_named):
            named[j] = distances[q, columns[q, j]]
            farthest = max(farthest, named[j])
            out[q, j] = 0
        for column in range(distances.shape[1]):
            distance = distances[q, column]
            if distance > farthest:
                continue
            for j in range(n_named):
                if distance < named[j] or (distance == named[j] and column < columns[q, j]):
                    out[q, j] += 1
