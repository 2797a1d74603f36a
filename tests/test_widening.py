"""The search is as wide as it needs to be: recall is measured, reported, and kept with the model."""

from __future__ import annotations

import itertools
import re
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from featmap import FeatMAP
from featmap import neighbors as stage
from featmap.data.scaling import scale_data
from featmap.errors import FeatmapWarning
from featmap.neighbors import find_neighbors, large
from featmap.neighbors.exact import ExactSearch
from featmap.neighbors.large import LargeSearch, ThisMachine, ladder, search_wide_enough, shared_remainder
from featmap.neighbors.list_search import ListSearch
from featmap.neighbors.quantizer import make_quantizer
from featmap.run import Run
from lab.data.survey import survey


def spread(n_rows, n_features, power, seed=0):
    """Normal rows whose standard deviations fall as a power of the number of the feature."""
    rows = np.random.default_rng(seed).standard_normal((n_rows, n_features), dtype=np.float32)
    return rows * np.arange(1, n_features + 1, dtype=np.float32) ** -power


def recall_of_others(search, matrix, k, run, seed=5):
    """On other rows than those by which the search was widened."""
    rows = np.random.default_rng(seed).choice(matrix.shape[0], 300, replace=False)
    found, _ = search.nearest(matrix[rows], k, run)
    true, _ = ExactSearch(matrix).nearest(matrix[rows], k, run)
    is_found = (true[:, :, None] == found[:, None, :]).any(axis=2)
    return is_found[true != rows[:, None]].mean()


@pytest.fixture
def small_is_large(monkeypatch):
    """Products cost much, so that a few thousand rows are searched as millions are."""
    monkeypatch.setattr(large, "MULTIPLIED", 1e3)


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize(("power", "n_features"), [(0.5, 50), (0.25, 50), (0.5, 100), (0.4, 300)])
def test_the_promise_is_kept(power, n_features, run):
    """With all coordinates and with a remainder, on rows that had no part in the choice."""
    matrix = spread(6000, n_features, power)
    search = search_wide_enough(ThisMachine(matrix), 15, run)
    assert isinstance(search, ListSearch)
    assert search.recall >= 0.95
    assert recall_of_others(search, matrix, 15, run) > 0.94


@pytest.mark.usefixtures("small_is_large")
def test_the_first_width_that_finds_enough_is_taken(run, monkeypatch):
    matrix = spread(6000, 50, 0.05)
    tried = []
    recall = large._recall

    def noted(search, *arguments):
        tried.append((search.width, recall(search, *arguments)))
        return tried[-1][1]

    monkeypatch.setattr(large, "_recall", noted)
    search = search_wide_enough(ThisMachine(matrix), 15, run)
    assert len(tried) > 1
    assert [found >= 0.95 for _, found in tried] == [False] * (len(tried) - 1) + [True]
    assert (search.width, search.recall) == tried[-1]


@pytest.mark.parametrize("n_features", [3, 64, 65, 200, 1000])
def test_the_ladder_only_widens(n_features):
    steps = [(number, width) for number, widths in ladder(n_features) for width in widths]
    for (fewer, narrow), (more, wide) in itertools.pairwise(steps):
        assert more >= fewer
        assert wide.n_probes > narrow.n_probes or more > fewer
        assert wide.candidates_per_neighbor > narrow.candidates_per_neighbor or more > fewer
    assert steps[0][0] == 64
    assert steps[-1][0] == min([number for number in (64, 128, 256) if number >= n_features], default=256)


def test_a_search_that_costs_as_much_as_all_pairs_is_exact(run):
    """Distances between one-hot rows are mostly noise, which few coordinates do not tell."""
    matrix = survey(12_000)[0]
    assert isinstance(search_wide_enough(ThisMachine(matrix), 15, run), ExactSearch)
    search = LargeSearch(matrix, 15)
    search.nearest(matrix[:3], 15, run)
    assert isinstance(search.chosen, ExactSearch)


def test_noise_is_searched_as_widely_as_it_goes_and_a_warning_names_the_recall(run, monkeypatch):
    monkeypatch.setattr(large, "MULTIPLIED", 1e3)
    monkeypatch.setattr(large, "LADDER", ((8, 0, 1), (16, 1, 2)))
    matrix = np.random.default_rng(0).standard_normal((8000, 100), dtype=np.float32)
    with pytest.warns(FeatmapWarning, match=r"precomputed_knn") as caught:
        search = search_wide_enough(ThisMachine(matrix), 15, run)
    assert search.recall < 0.95
    assert f"finds {search.recall:.2f} of them" in str(caught[0].message)
    assert search.report.recall == search.recall
    assert re.fullmatch(r"40 of \d+ lists along 16 coordinates, 5 candidates for each neighbour", search.report.way)


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_the_choice_does_not_depend_on_threads(make):
    data = scale_data(make(np.where(spread(4000, 90, 0.3) > 0, spread(4000, 90, 0.3), 0)))
    chosen = []
    for n_jobs in (1, 2):
        with Run(n_jobs) as run:
            search = LargeSearch(data.matrix, 12)
            found = find_neighbors(search, data.matrix, 11, run)
            chosen.append((search.chosen.width, search.chosen.recall, search.chosen.quantizer.shared, found))
    assert chosen[0][:3] == chosen[1][:3]
    assert np.array_equal(chosen[0][3].indices, chosen[1][3].indices)
    assert np.array_equal(chosen[0][3].distances, chosen[1][3].distances)


def test_the_report_tells_recall_and_width(monkeypatch, tmp_path):
    monkeypatch.setattr(stage, "EXACT_BELOW", 500)
    X = spread(800, 6, 0.5)
    model = FeatMAP(n_epochs=2, random_state=0).fit(X)
    report = model.fit_report_
    assert 0.95 <= report.recall <= 1
    assert report.search.way == "7 of 7 lists along 8 coordinates"
    assert repr(report).splitlines()[-1] == f"recall {report.recall:.3f} of neighbours: {report.search.way}"
    assert str(report.search) in report._repr_html_()
    model.save(tmp_path / "model")
    assert FeatMAP.load(tmp_path / "model").fit_report_ == report


def test_the_report_of_an_exact_search_and_of_given_neighbors(rng):
    X = rng.normal(size=(60, 4))
    model = FeatMAP(n_epochs=2, random_state=0, metric="manhattan").fit(X)
    assert model.fit_report_.recall == 1
    assert model.fit_report_.search.way == "exact"
    given = FeatMAP(n_epochs=2, random_state=0, metric="manhattan", precomputed_knn=model.neighbors_).fit(X)
    assert given.fit_report_.recall is None
    assert "recall" not in repr(given.fit_report_)


def test_new_rows_are_searched_as_widely_as_those_of_the_fit(run):
    """The width is chosen once, for the number of neighbours that the fit asks for."""
    data = scale_data(spread(4000, 20, 0.25))
    search = LargeSearch(data.matrix, 31)
    search.nearest(data.matrix[:5], 3, run)
    chosen = search.chosen
    assert chosen.width == search_wide_enough(ThisMachine(data.matrix), 31, run).width
    search.nearest(data.matrix[:5], 40, run)
    assert search.chosen is chosen


def test_a_fit_widens_for_the_neighbors_that_it_asks_for(monkeypatch):
    monkeypatch.setattr(stage, "EXACT_BELOW", 500)
    model = FeatMAP(n_neighbors=9, n_tangent_neighbors=20, n_epochs=2, random_state=0).fit(spread(600, 4, 0.5))
    assert model._points.mapped.manifold.search.k == 20


def test_wide_sparse_rows_are_compared_a_few_at_a_time(run, monkeypatch, rng):
    """Three thousand rows of text would otherwise be made dense at once."""
    matrix = scale_data(sp.csr_matrix(np.where(rng.random((200, 5000)) < 0.01, 1.0, 0.0))).matrix
    quantizer = make_quantizer(200, matrix.__getitem__, 16, run)
    near = rng.integers(200, size=(40, 12))
    compared = quantizer, matrix[:40], matrix[near.ravel()], near != np.arange(40)[:, None], run
    together = shared_remainder(*compared)
    monkeypatch.setattr(large, "BYTES_OF_REMAINDERS", 2**20)
    tracemalloc.start()
    found = shared_remainder(*compared)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == pytest.approx(together, rel=1e-5)
    assert 0 < found < 1
    assert peak < 2**23 < 4 * near.size * 5000
