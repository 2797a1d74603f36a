"""How well terms of the map agree with those of the data: the value, its slopes, and averages over the graph."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap.layout.agreement import Agreement, Averages
from featmap.layout.edges import Edges
from featmap.layout.similarity import Curve
from stages import as_graph


def random_edges(rng, run, m=40, alone=()):
    """A graph in which some points have no edges."""
    P = np.triu(rng.random((m, m)) * (rng.random((m, m)) < 0.2), 1)
    P[0, 1:] = 0.3
    P = (P + P.T).astype(np.float32)
    P[list(alone)] = P[:, list(alone)] = 0
    graph = as_graph(P)
    return P, Edges.of(graph, np.ones(graph.weights.nnz, np.uint8), Curve(1.5, 0.9))


def test_averages_equal_their_twin(rng, run):
    P, edges = random_edges(rng, run, alone=[3, 7])
    averages, terms = Averages.over(edges, run), rng.normal(size=(2, 40))
    np.testing.assert_allclose(averages.of(terms, run), reference.averaged(terms.T, P).T, rtol=1e-5, atol=1e-6)
    transposed = reference.averaged(np.eye(40), P).T @ terms.T
    np.testing.assert_allclose(averages.slopes(terms, run), transposed.T, rtol=1e-5, atol=1e-6)


def test_slopes_are_those_of_the_value(rng, run):
    """By finite differences of the twin, in which points without neighbours are left out from the beginning."""
    alone = np.array([3, 7])
    others = np.setdiff1d(np.arange(40), alone)
    P, edges = random_edges(rng, run, alone=alone)
    P = P[np.ix_(others, others)].astype(np.float64)
    data, on_map = rng.normal(size=(2, 2, 40))
    agreement = Agreement.with_data(data, edges, run)

    def value(terms):
        own = reference.correlations(data[:, others].T, terms)
        return (
            own / 2
            + reference.correlations(reference.averaged(data[:, others].T, P), reference.averaged(terms, P)) / 2
        )

    assert agreement.value(on_map, run) == pytest.approx(value(on_map[:, others].T), abs=1e-6)
    slopes = agreement.slopes(on_map, run)
    numeric = reference.finite_differences(lambda terms: value(terms).sum(), on_map[:, others].T)
    np.testing.assert_allclose(slopes[:, others].T, numeric, atol=1e-5 * np.abs(numeric).max())
    assert (slopes[:, alone] == 0).all()


def test_half_of_the_agreement_is_that_of_averages(rng, run):
    """Points in pairs with the same neighbours: noise of opposite sign within a pair changes no average."""
    P = np.zeros((40, 40), np.float32)
    pairs = np.arange(0, 40, 2)
    P[pairs, (pairs + 2) % 40] = P[pairs, (pairs + 3) % 40] = 0.5
    P[pairs + 1, (pairs + 2) % 40] = P[pairs + 1, (pairs + 3) % 40] = 0.5
    graph = as_graph(P + P.T)
    edges = Edges.of(graph, np.ones(graph.weights.nnz, np.uint8), Curve(1.5, 0.9))
    data = np.repeat(rng.normal(size=(1, 20)), 2, axis=1)
    noise = 3 * rng.normal(size=(1, 20, 1)) * np.array([1.0, -1.0])
    noisy = data + noise.reshape(1, 40)
    agreement = Agreement.with_data(data, edges, run)
    expected = (reference.correlations(data.T, noisy.T) + agreement.value(data, run) * 2) / 2
    expected -= reference.correlations(data.T, data.T) / 2
    assert agreement.value(noisy, run) == pytest.approx(expected, abs=1e-5)
    assert agreement.value(noisy, run)[0] > reference.correlations(data.T, noisy.T)[0] + 0.1
