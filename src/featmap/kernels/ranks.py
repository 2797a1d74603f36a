"""Where named entries of a row stand in its order."""

import numpy as np

from .compilation import compiled


@compiled
def count_before(distances, columns, out):
    """How many entries of a row come before each of the named columns, by (distance, column)."""
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
