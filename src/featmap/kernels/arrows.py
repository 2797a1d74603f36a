"""Loops over the lines that arrows are made of: their products, their mixture, and where arrows are kept."""

from .compilation import compiled, compiled_sums, part_sums

LINES_AT_ONCE = 3  # lines come in multiples of it


@compiled_sums
def products_of_lines(lines, out):
    """out[p, v, w] = lines[p, v]·lines[p, w]."""
    n_lines = lines.shape[1]
    for p in range(lines.shape[0]):
        for v in range(0, n_lines, LINES_AT_ONCE):
            for w in range(0, v + 1, LINES_AT_ONCE):
                _products_of_three(lines[p], v, w, out[p])
        for v in range(n_lines):
            for w in range(v):
                out[p, w, v] = out[p, v, w]


@part_sums
def _products_of_three(lines, v, w, out):
    a0, a1, a2, b0, b1, b2 = lines[v], lines[v + 1], lines[v + 2], lines[w], lines[w + 1], lines[w + 2]
    s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0
    for h in range(a0.shape[0]):
        s00 += a0[h] * b0[h]
        s01 += a0[h] * b1[h]
        s02 += a0[h] * b2[h]
        s10 += a1[h] * b0[h]
        s11 += a1[h] * b1[h]
        s12 += a1[h] * b2[h]
        s20 += a2[h] * b0[h]
        s21 += a2[h] * b1[h]
        s22 += a2[h] * b2[h]
    out[v, w], out[v, w + 1], out[v, w + 2] = s00, s01, s02
    out[v + 1, w], out[v + 1, w + 1], out[v + 1, w + 2] = s10, s11, s12
    out[v + 2, w], out[v + 2, w + 1], out[v + 2, w + 2] = s20, s21, s22


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
            for v in range(0, lines.shape[1], LINES_AT_ONCE):
                one, two, three = lines[p, v], lines[p, v + 1], lines[p, v + 2]
                a, b, d = combinations[p, c, v], combinations[p, c, v + 1], combinations[p, c, v + 2]
                for h in range(n_features):
                    line[h] += a * one[h] + b * two[h] + d * three[h]
            if len(sets) == 1:
                own, beside = mixtures[p, 0, 0], mixtures[p, 0, 1]
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
