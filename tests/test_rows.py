"""Rows and features by the names that the data came with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from featmap import FeatMAP, InvalidRowsError, explain, metrics, plot

QUICK = {"n_neighbors": 6, "n_epochs": 4, "random_state": 0, "n_jobs": 1}
TABLE = np.random.default_rng(0).normal(size=(40, 5))
CELLS = [f"cell {i}" for i in range(40)]
EVERY_SEVENTH = np.arange(40) % 7 == 0


def frame(index):
    return pd.DataFrame(TABLE, index=index, columns=list("abcde"))


@pytest.fixture(scope="module")
def model():
    return FeatMAP(**QUICK).fit(frame(CELLS))


# What can be asked for → the numbers of the rows that are meant.
ASKED = {
    "a name": ("cell 3", [3]),
    "names": (["cell 3", "cell 1", "cell 3"], [3, 1, 3]),
    "an array of names": (np.array(["cell 3", "cell 1"]), [3, 1]),
    "a pandas Index": (pd.Index(["cell 9", "cell 2"]), [9, 2]),
    "a part of the index": (frame(CELLS).index[5:8], [5, 6, 7]),
    "a Series of names": (pd.Series(["cell 2", "cell 4"], index=[7, 7]), [2, 4]),
    "a polars Series of names": (pl.Series(["cell 2"]), [2]),
    "a number": (3, [3]),
    "numbers": ([3, -1], [3, 39]),
    "a Series of numbers": (pd.Series([3, 4], index=["cell 8", "cell 9"]), [3, 4]),
    "a tuple": ((3, -1), [3, 39]),
    "a range": (range(2, 4), [2, 3]),
    "a slice": (slice(2, 4), [2, 3]),
    "a mask": (EVERY_SEVENTH, np.flatnonzero(EVERY_SEVENTH)),
    "a list as a mask": (EVERY_SEVENTH.tolist(), np.flatnonzero(EVERY_SEVENTH)),
    "a Series as a mask": (pd.Series(EVERY_SEVENTH, index=CELLS), np.flatnonzero(EVERY_SEVENTH)),
    "a nullable mask": (pd.Series(EVERY_SEVENTH, dtype="boolean"), np.flatnonzero(EVERY_SEVENTH)),
    "a polars mask": (pl.Series(EVERY_SEVENTH), np.flatnonzero(EVERY_SEVENTH)),
    "no rows": ([], []),
    "an empty Index": (pd.Index([]), []),
}


@pytest.mark.parametrize("case", ASKED)
def test_rows_can_be_asked_for_by_name_number_and_mask(case, model):
    rows, numbers = ASKED[case]
    expected = model.feature_importance()[np.asarray(numbers, int)]
    np.testing.assert_array_equal(model.feature_importance(rows), expected)
    assert model.to_frame(rows).index.tolist() == [CELLS[number] for number in numbers]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("cell X", r"rows: 'cell X' is not a name of a row \(the first is 'cell 0'\)"),
        (["cell 1", "first"], "rows: 'first' is not a name of a row"),
        (["cell 1", 3], "rows: 3 is not a name of a row"),
        (pd.Index([3]), "rows: 3 is not a name of a row"),
        ([["cell 1"], ["cell 2"]], r"rows: \['cell 1'\] is not a name of a row"),
        ([3, "cell 1"], r"rows=\[3, 'cell 1'\]: rows must be numbers from 0 to 39, a mask of 40 values, a slice of"),
        (np.ones(7, bool), "a mask of 40 values"),
        ([40], "numbers from 0 to 39"),
        (slice("cell 1", "cell 3"), "rows must be numbers"),
        ({"cell 1"}, "rows must be numbers"),
        ([None], "rows must be numbers"),
    ],
)
def test_rows_that_are_not_there_are_refused(rows, message, model):
    with pytest.raises(InvalidRowsError, match=message):
        model.feature_importance(rows)


def test_data_without_names_have_numbers_only():
    model = FeatMAP(**QUICK).fit(TABLE)
    assert not hasattr(model, "row_names_in_")
    with pytest.raises(
        InvalidRowsError, match=r"'a' is not a name of a row \(the data had no names for their rows; in a pipeline,"
    ):
        model.feature_importance("a")
    rows = pd.RangeIndex(3, 5)
    np.testing.assert_array_equal(model.feature_importance(rows), model.feature_importance([3, 4]))


def test_a_name_of_several_rows_is_refused_and_the_others_are_not():
    model = FeatMAP(**QUICK).fit(frame(["a", "a", *CELLS[2:]]))
    with pytest.raises(InvalidRowsError, match="'a' is the name of several rows; ask for rows by their numbers"):
        model.feature_importance(["cell 5", "a"])
    np.testing.assert_array_equal(model.feature_importance("cell 5"), model.feature_importance([5]))
    assert model.to_frame().index.tolist() == ["a", "a", *CELLS[2:]]


INDEXES = {
    "strings": pd.Index(CELLS),
    "integers that do not count the rows": pd.Index(np.random.default_rng(0).permutation(40)),
    "a range from 100": pd.RangeIndex(100, 140),
    "dates": pd.DatetimeIndex(pd.date_range("2020", periods=40).tolist()),
    "two levels": pd.MultiIndex.from_product([["x", "y"], range(20)]),
    "the usual": pd.RangeIndex(40),
}


@pytest.mark.parametrize("case", INDEXES)
def test_frames_keep_the_index(case):
    index = INDEXES[case]
    model = FeatMAP(**QUICK).fit(frame(index))
    pd.testing.assert_index_equal(model.to_frame().index, index, exact="equiv")
    pd.testing.assert_index_equal(model.to_frame([7, 3]).index, index[[7, 3]], exact="equiv")
    np.testing.assert_array_equal(model.feature_importance(index[[7, 3]]), model.feature_importance([7, 3]))
    new = model.explain(frame(index)[4:9])
    pd.testing.assert_index_equal(new.to_frame().index, index[4:9], exact="equiv")
    other = explain(frame(index), TABLE[:, :2])
    pd.testing.assert_index_equal(other[[7, 3]].to_frame().index, index[[7, 3]], exact="equiv")


def test_integers_count_rows_whatever_the_index_is():
    model = FeatMAP(**QUICK).fit(frame(INDEXES["integers that do not count the rows"]))
    np.testing.assert_array_equal(model.feature_importance([3, 4]), model.feature_importance()[3:5])


def test_a_date_is_a_name():
    model = FeatMAP(**QUICK).fit(frame(INDEXES["dates"]))
    day = INDEXES["dates"][5]
    for rows in (day, [day]):
        np.testing.assert_array_equal(model.feature_importance(rows), model.feature_importance([5]))


def test_every_question_takes_names(model):
    names, numbers = ["cell 3", "cell 30"], [3, 30]
    for question in ("feature_importance", "loadings", "arrows", "explained_variance", "fidelity", "consistency"):
        np.testing.assert_array_equal(getattr(model, question)(names), getattr(model, question)(numbers))
    np.testing.assert_array_equal(model.top_features(names), model.top_features(numbers))
    np.testing.assert_array_equal(metrics.perturbation(model, names).most, metrics.perturbation(model, numbers).most)


def test_new_rows_have_names_of_their_own(model):
    new = model.explain(frame([f"new {i}" for i in range(40)])[:3])
    assert list(new.row_names_in_) == ["new 0", "new 1", "new 2"]
    assert new[["new 2", "new 0"]].to_frame().index.tolist() == ["new 2", "new 0"]
    assert new[1].to_frame().index.tolist() == ["new 1"]
    with pytest.raises(InvalidRowsError, match="'cell 1' is not a name"):
        new.arrows("cell 1")


def test_names_come_back_from_a_file(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = FeatMAP.load(tmp_path / "model")
    pd.testing.assert_frame_equal(loaded.to_frame(), model.to_frame())
    np.testing.assert_array_equal(loaded.arrows("cell 7"), model.arrows([7]))
    assert loaded.top_features([0]).tolist() == model.top_features([0]).tolist()


def test_a_refit_forgets_the_names_of_rows():
    model = FeatMAP(**QUICK).fit(frame(CELLS)).fit(TABLE)
    assert not hasattr(model, "row_names_in_")
    assert model.to_frame([3]).index.tolist() == [3]


@pytest.mark.parametrize("make", [frame, lambda index: pl.DataFrame(TABLE, schema=list("abcde"))])
def test_top_features_are_named(make):
    data = make(CELLS)
    named, numbered = FeatMAP(**QUICK).fit(data), FeatMAP(**QUICK).fit(TABLE)
    numbers = numbered.top_features([0, 5], k=3)
    assert numbers.dtype.kind == "i"
    assert named.top_features([0, 5], k=3).tolist() == np.array(list("abcde"))[numbers].tolist()
    assert explain(data, TABLE[:, :2]).top_features([0, 5], k=3).shape == (2, 3)
    assert set(named.explain(data[:2]).top_features(k=5)[0]) == set("abcde")


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, y: model.contrast(0, 1, labels=y),
        lambda model, y: model.rank_features(y),
        lambda model, y: model.arrows(y == 1),
        lambda model, y: plot.embedding(model, y),
        lambda model, y: explain(named_table(), pd.DataFrame(model.embedding_, index=y.index)),
    ],
    ids=["contrast", "rank_features", "a mask", "plot", "a map"],
)
def test_an_index_in_another_order_is_refused(ask):
    X = named_table()
    model = FeatMAP(n_neighbors=6, n_epochs=5, random_state=0).fit(X)
    y = pd.Series(np.arange(len(X)) % 2, index=X.index)
    ask(model, y)
    with pytest.raises(InvalidRowsError, match="in another order"):
        ask(model, y.iloc[::-1])


def named_table():
    return pd.DataFrame(
        np.random.default_rng(0).normal(size=(40, 3)), index=[f"cell {number}" for number in range(40)]
    )
