"""What a fit gives up while it does not need it, and has again at the end with the same bytes."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from featmap import FeatMAP, pipeline, values
from featmap import neighbors as stage
from featmap.neighbors import large
from featmap.neighbors.list_search import ListSearch, UnfilledSearch


@pytest.fixture
def rows(monkeypatch):
    """Rows that are searched by lists, and for which these are given up."""
    monkeypatch.setattr(stage, "EXACT_BELOW", 500)
    monkeypatch.setattr(large, "LISTS_KEPT_UP_TO", 500)
    return np.random.default_rng(0).standard_normal((800, 6), dtype=np.float32)


def fitted(X, **given):
    return FeatMAP(n_epochs=4, random_state=0, **given).fit(X)


def search_of(model):
    search = model._points.mapped.manifold.search
    return getattr(search, "euclidean", search)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_lists_are_given_up_for_the_layout_and_filled_again(rows, metric, monkeypatch):
    seen = []
    monkeypatch.setattr(large.LargeSearch, "fill_lists", lambda search, run: seen.append(search))
    model = fitted(rows, metric=metric)
    assert isinstance(search_of(model).chosen, UnfilledSearch)
    assert seen == [search_of(model)]
    assert model.fit_report_.recall > 0.9
    monkeypatch.undo()
    monkeypatch.setattr(stage, "EXACT_BELOW", 500)
    expected = fitted(rows, metric=metric)
    new = rows[:20] + np.float32(0.1)
    assert np.array_equal(model.transform(new), expected.transform(new))  # filled when they are first used
    found, kept = search_of(model).chosen, search_of(expected).chosen
    assert isinstance(found, ListSearch)
    assert (found.width, found.recall) == (kept.width, kept.recall)
    for name in ("blocks", "first_blocks", "members"):
        lists = (getattr(search.partition.lists, name) for search in (found, kept))
        assert np.array_equal(*lists)


def test_free_memory_goes_back_before_the_stages_that_take_most(rows, monkeypatch):
    order = []
    monkeypatch.setattr(pipeline, "return_free_memory", lambda: order.append("returned"))
    monkeypatch.setattr(large.LargeSearch, "fill_lists", lambda search, run: order.append("lists"))
    model = FeatMAP(n_epochs=4, random_state=0)
    model.fit(rows, callback=lambda name, done, total: order.append(name) if done == 0 else None)
    for name in ("graph", "layout", "lists"):
        assert order[order.index(name) - 1] == "returned"


def test_a_fitted_model_has_its_lists(rows, tmp_path):
    model = fitted(rows)
    assert isinstance(search_of(model).chosen, ListSearch)
    model.save(tmp_path / "model")
    new = rows[:20] + np.float32(0.1)
    assert np.array_equal(FeatMAP.load(tmp_path / "model").transform(new), model.transform(new))


def test_filling_lists_again_is_a_stage_of_the_report(rows, capsys):
    heard = []
    report = fitted(rows, verbose=True).fit_report_
    assert [stage.stage for stage in report][-2:] == ["layout", "lists"]
    assert report[-1].seconds > 0
    assert "lists" in capsys.readouterr().err
    FeatMAP(n_epochs=4, random_state=0).fit(rows, callback=lambda *step: heard.append(step))
    assert heard[-2:] == [("lists", 0, 1), ("lists", 1, 1)]


def test_few_rows_keep_their_lists(rows, monkeypatch):
    monkeypatch.setattr(large, "LISTS_KEPT_UP_TO", len(rows))
    assert "lists" not in [stage.stage for stage in fitted(rows).fit_report_]
    monkeypatch.setattr(large.LargeSearch, "fill_lists", lambda search, run: None)
    assert isinstance(search_of(fitted(rows)).chosen, ListSearch)


def test_the_layout_holds_one_graph(rows, monkeypatch):
    """The graph in the order of the rows is gone while the map is made. It has the same bytes afterwards."""
    made, bytes_made = [], []
    make, descend = pipeline.neighborhood_graph, pipeline.descend

    def remembered(*arguments):
        made_graph = make(*arguments)
        made.append(weakref.ref(made_graph))
        bytes_made.extend(part.tobytes() for part in parts_of(made_graph.weights))
        return made_graph

    def watched(*arguments):
        assert made[0]() is None
        return descend(*arguments)

    monkeypatch.setattr(pipeline, "neighborhood_graph", remembered)
    monkeypatch.setattr(pipeline, "descend", watched)
    assert [part.tobytes() for part in parts_of(fitted(rows).graph_)] == bytes_made


def parts_of(matrix):
    return matrix.data, matrix.indices, matrix.indptr


@pytest.mark.parametrize("frames", ["aligned", "paper"])
def test_numbers_of_edges_may_take_64_bits(rows, frames, monkeypatch, tmp_path):
    """As those of more than 2³¹ edges do. Kernels compiled for them may round differently."""
    expected = fitted(rows, frames=frames)
    monkeypatch.setattr(values, "BEYOND_INT32", 0)
    model = fitted(rows, frames=frames)
    assert model.graph_.indptr.dtype == np.int64
    assert model.graph_.indices.dtype == np.int32
    np.testing.assert_allclose(model.embedding_, expected.embedding_, atol=0.01)
    np.testing.assert_array_equal(model.feature_importance(), expected.feature_importance())
    assert model.arrows().shape == expected.arrows().shape
    model.save(tmp_path / "model")
    assert np.array_equal(FeatMAP.load(tmp_path / "model").embedding_, model.embedding_)
