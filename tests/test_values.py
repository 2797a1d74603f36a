"""The values check their own mathematics when they are made, and print themselves in a line."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.values import Connection, Embedding, Frames, Graph, Neighbors, Tangents

m, k, r, dim = 5, 3, 2, 2
INDICES = np.zeros((m, k), np.int32)
ROWS = np.zeros((m, 4), np.float32)
EYES = np.broadcast_to(np.eye(dim, dtype=np.float32), (m, dim, dim))
SIGMA = np.tile([2.0, 1.0], (m, 1))

GOOD = {
    "Neighbors(5 points, 3 each)": lambda: Neighbors(INDICES, np.tile(np.float32([0, 1, 2]), (m, 1))),
    "Graph(5 points, 5 directed edges)": lambda: Graph(sp.csr_matrix(np.eye(m, dtype=np.float32))),
    "Tangents(5 points, 2 directions from 3 neighbours)": lambda: Tangents(
        ROWS, INDICES, np.zeros((m, k, r)), SIGMA, np.ones(m, np.int32), np.ones(m)
    ),
    "Connection(4 edges, 2 directions)": lambda: Connection(
        np.zeros((4, 2, 2), np.float32), np.zeros((4, 2, 2), np.float32), np.zeros((4, 2), np.float32)
    ),
    "Frames(5 points, 2 × 2)": lambda: Frames(EYES),
    "Embedding(5 points in 2 dimensions)": lambda: Embedding(
        np.zeros((m, dim), np.float32), Frames(EYES), np.zeros((m, dim)), np.zeros((m, dim))
    ),
}


@pytest.mark.parametrize("text", GOOD)
def test_they_print_themselves(text):
    assert repr(GOOD[text]()) == text


@pytest.mark.parametrize(
    "make",
    [
        lambda: Neighbors(INDICES, np.zeros((m, k + 1), np.float32)),
        lambda: Neighbors(INDICES, np.tile(np.float32([2, 1, 0]), (m, 1))),
        lambda: Graph(sp.csr_matrix(np.ones((2, 3), np.float32))),
        lambda: Graph(sp.csr_matrix(2 * np.eye(m, dtype=np.float32))),
        lambda: Tangents(ROWS, INDICES, np.zeros((m, k, r)), SIGMA[:, ::-1], np.ones(m, np.int32), np.ones(m)),
        lambda: Tangents(ROWS, INDICES, np.zeros((m, k + 1, r)), SIGMA, np.ones(m, np.int32), np.ones(m)),
        lambda: Connection(np.zeros((4, 2, 2)), np.zeros((4, 3, 3)), np.zeros((4, 2))),
        lambda: Frames(2 * EYES),
        lambda: Frames(np.zeros((m, 2, 3))),
        lambda: Embedding(np.zeros((m, 3), np.float32), Frames(EYES), np.zeros((m, 3)), np.zeros((m, 3))),
    ],
)
def test_they_refuse_what_they_are_not(make):
    with pytest.raises(ValueError, match=r"Neighbors|Graph|Tangents|Connection|Frames|Embedding"):
        make()
