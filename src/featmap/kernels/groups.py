"""Ranks of values, added up by the groups of their rows."""

import numpy as np

from .compilation import compiled


@compiled
def _add_ranks(values, codes, zeros, weights, sums):
    """Add the weighted rank of each value to the sum of its group. Returns the weight of the commonest value.

    The rank of a value is the weight of all smaller values, and half of that of equal ones, itself included. Besides
    the values there are zeros, ``zeros[g]`` in group g. Each value of group g weighs ``weights[g]``.
    """
    order = np.argsort(values)
    n_values = len(values)
    weight_of_zeros = (zeros * weights).sum()
    zeros_are_due = weight_of_zeros > 0
    below, most, first = 0.0, 0.0, 0
    while first < n_values or zeros_are_due:
        at_zero = zeros_are_due and (first == n_values or values[order[first]] >= 0)
        value = 0.0 if at_zero else values[order[first]]
        equal = weight_of_zeros if at_zero else 0.0
        last = first
        while last < n_values and values[order[last]] == value:
            equal += weights[codes[order[last]]]
            last += 1
        rank = below + equal / 2
        for i in range(first, last):
            group = codes[order[i]]
            sums[group] += weights[group] * rank
        if at_zero:
            zeros_are_due = False
            for group in range(len(zeros)):
                sums[group] += weights[group] * zeros[group] * rank
        below += equal
        most = max(most, equal)
        first = last
    return most


@compiled
def rank_sums(table, codes, weights, start, stop, sums, commonest):
    """sums[h, g]: the weighted ranks of feature h in group g; commonest[h]: the weight of its commonest value.

    The table has a line for each feature, and codes are the groups of its columns.
    """
    no_zeros = np.zeros(len(weights), np.int64)
    for h in range(start, stop):
        sums[h] = 0
        commonest[h] = _add_ranks(table[h], codes, no_zeros, weights, sums[h])


@compiled
def sparse_rank_sums(indptr, indices, data, codes, weights, start, stop, sums, commonest):
    """The same for a table in CSR."""
    sizes = np.zeros(len(weights), np.int64)
    for code in codes:
        sizes[code] += 1
    for h in range(start, stop):
        first, last = indptr[h], indptr[h + 1]
        codes_here = codes[indices[first:last]]
        zeros = sizes.copy()
        for code in codes_here:
            zeros[code] -= 1
        sums[h] = 0
        commonest[h] = _add_ranks(data[first:last], codes_here, zeros, weights, sums[h])
