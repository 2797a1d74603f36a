"""Loops over the lines that arrows are made of: their products, their mixture, and where arrows are kept."""

from .compilation import compiled, compiled_sums
from .products import TILE, add_products


@compiled_sums
def products_of_lines(lines, out):
    """out[p, v, w] = lines[p, v]·lines[p, w]."""
    n_lines = lines.shape[1]
    for p in range(lines.shape[0]):
        for v in range(n_lines):
            for w in range(n_lines):
                out[p, v, w] = 0
        add_products(lines[p], lines.shape[2], out[p])
        for v in range(n_lines):
            for w in range(v):
                out[p, w, v] = out[p, v, w]


@compiled_sums
def mix_lines(lines, combinations, others, mixtures, sets, out):
    """out[p] = u αL + v H, with L = lines[p], α = combinations[p] and H = others[p].

    The mixture of feature h is (u, v) = mixtures[p, sets[h]]; if there is one set only, it is that of all features.
    """
    n_points, n_arrows, n_features = out.shape
    for p in range(n_points):
        for c in range(n_arrows):
            line, other = out[p, c], others[p, c]
            for h in range(n_features):
                line[h] = 0
            for v in range(0, lines.shape[1], TILE):
                one, two, three = lines[p, v], lines[p, v + 1], lines[p, v + 2]
                a, b, d = combinations[p, c, v], combinations[p, c, v + 1], combinations[p, c, v + 2]
                for h in range(n_features):
                    line[h] += a * one[h] + b * two[h] + d * three[h]
            if len(sets) == 1:
                own, beside = mixtures[p, sets[0], 0], mixtures[p, sets[0], 1]
                for h in range(n_features):
                    line[h] = own * line[h] + beside * other[h]
            else:
                for h in range(n_features):
                    line[h] = mixtures[p, sets[h], 0] * line[h] + mixtures[p, sets[h], 1] * other[h]


@compiled
def place_lines(lines, rows, out):
    """out[rows[p], h, c] = lines[p, c, h]: numpy copies a transposed array several times more slowly."""
    for p in range(lines.shape[0]):
        arrows = out[rows[p]]
        for c in range(lines.shape[1]):
            line = lines[p, c]
            for h in range(line.shape[0]):
                arrows[h, c] = line[h]
