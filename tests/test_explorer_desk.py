"""Answers in Python, as server and notebook give them: exact, and without all rows in memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from featmap import FeatMAP
from featmap.data.sparse import up_to_translation
from featmap.explanation.table import Table
from featmap.explorer import answers, sums
from featmap.explorer.desk import desk_of
from featmap.explorer.wire import packed, unpacked
from featmap.run import Run

N_ROWS, N_FEATURES = 3000, 1200  # more than blocks and what kernels work in take on two threads


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES)).astype(np.float32)


@pytest.fixture(scope="module")
def saved(rows, tmp_path_factory):
    """A model in a file."""
    path = tmp_path_factory.mktemp("desk") / "model.featmap"
    FeatMAP(n_epochs=10, random_state=0).fit(rows).save(path)
    return path


@pytest.fixture(scope="module")
def saved_sparse(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("desk") / "sparse.featmap"
    FeatMAP(n_epochs=10, random_state=0).fit(sp.csr_matrix(np.where(rows > 0, rows, 0))).save(path)
    return path


def peak_bytes(ask):
    tracemalloc.start()
    try:
        ask()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "column", "what": {"kind": "feature", "feature": 7}, "rows": None},
        {"kind": "column", "what": {"kind": "kept"}, "rows": None},
        {"kind": "contrast", "a": np.arange(0, N_ROWS, 2, dtype=np.int32), "b": None},
    ],
    ids=lambda question: question.get("what", question)["kind"],
)
def test_no_answer_needs_all_rows_in_memory(saved, question, monkeypatch):
    monkeypatch.setattr(sums, "BLOCK_VALUES", 2**15)
    monkeypatch.setattr(answers, "ROWS_AT_ONCE", 100)
    desk = desk_of(FeatMAP.load(saved), "explore")
    desk.ask(packed(question))  # what is kept for later questions is made by the first one
    assert peak_bytes(lambda: desk.ask(packed(question))) < N_ROWS * N_FEATURES * 4 / 2


def test_a_contrast_of_sparse_rows_does_not_need_all_of_them_in_memory(saved_sparse, monkeypatch):
    monkeypatch.setattr(sums, "BLOCK_VALUES", 2**14)
    monkeypatch.setattr(answers, "MOST_DESCRIBED", 20)  # their neighbours are made dense, whatever the data's size
    desk = desk_of(FeatMAP.load(saved_sparse), "explore")
    question = packed({"kind": "contrast", "a": np.arange(0, N_ROWS, 2, dtype=np.int32), "b": None})
    desk.ask(question)
    bytes_of_stored = N_ROWS * N_FEATURES / 2 * (4 + 4)
    assert peak_bytes(lambda: desk.ask(question)) < bytes_of_stored / 2


def test_the_record_for_drawing_has_no_data(saved):
    desk = desk_of(FeatMAP.load(saved), "explore")
    assert not {"x", "neighbours", "weights", "order"} & set(desk.parts)
    assert sum(map(len, desk.parts.values())) < N_ROWS * N_FEATURES / 10
    assert desk.head["notes"] == []
    assert {part["name"] for part in desk.head["parts"]} == set(desk.parts)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sums_over_groups_do_not_depend_on_blocks_or_threads(make, metric, monkeypatch):
    data = np.where(load_iris().data > 2, load_iris().data, 0)
    points = FeatMAP(n_epochs=10, metric=metric, random_state=0).fit(make(data))._points
    rows = np.arange(10, 150, dtype=np.int32)
    codes = (rows % 3 == 0).astype(np.int32)
    found = []
    for block, n_jobs in ((2**20, 1), (60, 1), (60, 2)):
        monkeypatch.setattr(sums, "BLOCK_VALUES", block)
        with Run(n_jobs) as run:
            found.append(sums.group_sums(points, rows, codes, run))
    for other in found[1:]:
        np.testing.assert_allclose(other.powers, found[0].powers, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(other.means, found[0].means, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found[1].powers, found[2].powers)
    np.testing.assert_allclose(
        found[0].means[0] / found[0].scale + points.mapped.data.center, data[rows[codes == 0]].mean(axis=0), rtol=1e-6
    )


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sums_of_sparse_rows_are_those_of_the_librarys_table(metric, monkeypatch):
    data = np.where(load_iris().data > 2, load_iris().data, 0)
    points = FeatMAP(n_epochs=10, metric=metric, random_state=0).fit(sp.csr_matrix(data))._points
    rows = np.arange(60, 150, dtype=np.int32)  # among which some features have no zeros
    codes = (rows % 3 == 0).astype(np.int32)
    monkeypatch.setattr(sums, "BLOCK_VALUES", 60)
    with Run(2) as run:
        found = sums.group_sums(points, rows, codes, run)
    expected = Table.of(up_to_translation(points.features(rows).matrix)).sums(codes, 2)
    np.testing.assert_allclose(found.powers, expected, rtol=1e-12, atol=1e-12)


def test_answers_lose_nothing_on_the_way(saved):
    model = FeatMAP.load(saved)
    desk = desk_of(model, "explore")
    sent = unpacked(desk.ask(packed({"kind": "point", "row": 9})))
    own = answers.point(model._answers, 9)
    assert sent.keys() == own.keys()
    for name, value in own.items():
        np.testing.assert_array_equal(sent[name], np.ravel(value) if np.ndim(value) else value)
