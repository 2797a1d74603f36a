"""How the experiment on single cells ranks genes and counts markers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from experiments.single_cells.claims import at_least_as_many, best_of_all, better_than_chance
from experiments.single_cells.markers import MARKERS, markers_of, missing
from experiments.single_cells.rankings import (
    CONTRAST,
    HIGHER,
    IMPORTANCE,
    OURS,
    TOP,
    VARIANCE,
    WILCOXON,
    found_by_chance,
    found_in_top,
    highest_in,
    median_ranks,
    rank_genes,
)
from featmap import FeatMAP

N_GENES = 40
RAISED, LOWERED, NOISY = 7, 11, 23


def test_markers_are_found_by_name_once_each_and_those_that_are_not_there_are_told():
    genes = ["X", "MS4A1", "CD79B", "PPBP"]
    markers = markers_of("PBMC 3k", genes)
    assert markers["B"] == [1, 2]
    assert markers["Platelet"] == [3]
    assert "CD3D" in missing("PBMC 3k", genes)
    assert "PPBP" not in missing("PBMC 3k", genes)
    lists = [names.split() for types in MARKERS.values() for names in types.values()]
    assert all(len(set(names)) == len(names) for names in lists)


def test_only_the_first_genes_count_and_ranks_begin_with_one():
    order = {"a method": {"a type": np.arange(100)}}
    markers = {"a type": [0, TOP - 1, TOP]}
    assert found_in_top(order, markers) == {"a method": {"a type": 2}}
    assert median_ranks(order, markers) == {"a method": TOP}


def test_chance_finds_its_share():
    markers = {"a type": list(range(30)), "another": list(range(10))}
    mean, rarely = found_by_chance(markers, 200)
    assert mean == pytest.approx(40 * TOP / 200, rel=0.02)
    assert mean < rarely < 3 * mean


def test_a_gene_is_highest_where_its_mean_is():
    logs = sp.csr_matrix([[0.0, 3.0, 1.0], [0.0, 3.0, 0.0], [4.0, 0.0, 0.0]])
    assert highest_in(logs, np.array(["a", "a", "b"]), [0, 1, 2]) == ["b", "a", "a"]


def test_planted_genes_are_ranked_first():
    pytest.importorskip("scanpy", reason="Wilcoxon's test is Scanpy's: pip install scanpy")
    rng = np.random.default_rng(0)
    types = np.repeat(["a", "b", "c"], 40)
    logs = rng.uniform(1, 2, size=(120, N_GENES))
    logs[types == "a", RAISED] += 3
    logs[types == "a", LOWERED] -= 5
    logs[:, NOISY] = rng.uniform(-9, 9, 120)
    orders = rank_genes(FeatMAP(random_state=0, n_epochs=20).fit(logs), sp.csr_matrix(logs), types)
    assert set(orders) == {*OURS, WILCOXON, VARIANCE}
    assert all(sorted(order) == list(range(N_GENES)) for types in orders.values() for order in types.values())
    assert orders[CONTRAST]["a"][:2].tolist() == [LOWERED, RAISED]
    assert orders[HIGHER]["a"][0] == RAISED
    assert orders[WILCOXON]["a"][0] == RAISED
    assert orders[WILCOXON]["a"][-1] == LOWERED
    assert orders[VARIANCE]["b"][0] == NOISY
    assert orders[IMPORTANCE]["b"][0] == NOISY


@pytest.mark.parametrize(("found", "holds"), [(4, False), (5, False), (6, True)])
def test_a_tie_with_another_method_is_not_won(found, holds):
    figures = {"a set": {"found in all": dict.fromkeys(OURS, found) | {WILCOXON: 5, VARIANCE: 1}}}
    assert best_of_all(figures).holds is holds


def test_a_claim_must_hold_on_every_set():
    def one(importance: int) -> dict:
        return {
            "found in all": {IMPORTANCE: importance, WILCOXON: 5},
            "markers in all": 9,
            "found by chance": 1.0,
            "found by one chance in a hundred": 4.0,
        }

    good, bad = {"a": one(5), "b": one(6)}, {"a": one(5), "b": one(4)}
    compared = ("Importance", IMPORTANCE, "Wilcoxon's test", WILCOXON)
    assert at_least_as_many(good, *compared).holds
    assert not at_least_as_many(bad, *compared).holds
    assert better_than_chance(good).holds
    assert not better_than_chance(bad).holds
