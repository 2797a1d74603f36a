"""The page's answers are the library's, whoever gives them: the file, under node, the server, or the notebook."""

from __future__ import annotations

from functools import cache
from string import ascii_lowercase

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import false_discovery_control
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from explorer import (
    ask_file,
    ask_notebook,
    ask_page,
    ask_python,
    ask_server,
    compare_around,
    compare_column,
    compare_contrast,
    compare_neighbours,
    compare_point,
    head_of_file,
)
from featmap import Explanation, FeatMAP, Prepare, explain, in_original_units
from featmap.datasets import load_penguins
from featmap.explorer import html
from featmap.explorer.hashing import sampled

N_POINTS = 6  # of every case
MANY_POINTS = 50  # before a release, and of real data
PLANTED = (0, 5, 20, 143, 343)  # rows with values of their own; asked about too in the two cases that have them
QUICK = {"n_epochs": 20, "random_state": 0}


def digits():
    return FeatMAP(**QUICK).fit(load_digits().data)


def penguins():
    rows = load_penguins().data
    return FeatMAP(**QUICK).fit((rows - rows.mean(axis=0)) / rows.std(axis=0))


def cosine():
    return FeatMAP(metric="cosine", **QUICK).fit(load_digits().data[:400])


def sparse_cosine():
    return FeatMAP(metric="cosine", **QUICK).fit(sp.csr_matrix(load_digits().data[:300]))


def sparse_and_offset():
    """Columns whose median is not 0, one that stores everything, and values that are not whole numbers."""
    rows = load_digits().data[:300] * np.float32(0.3)
    return FeatMAP(**QUICK).fit(sp.csr_matrix(rows + (np.arange(64) == 5)))


def constant_features():
    rows = load_digits().data[:400].copy()
    rows[:, ::4] = 7
    rows[:200, 1] = 3
    return FeatMAP(**QUICK).fit(rows)


def duplicates():
    rows = load_digits().data[:400].copy()
    rows[:130] = rows[130:260]
    rows[:30] = rows[0]
    return FeatMAP(**QUICK).fit(rows)


def few_rows():
    """So few that all arrows share a mixture."""
    return FeatMAP(**QUICK).fit(load_digits().data[:250])


def unconnected():
    """Rows that have nothing in common with any other."""
    rows = np.pad(load_digits().data[:300], ((0, 2), (0, 2)))
    rows[300, 64] = rows[301, 65] = 5
    return FeatMAP(metric="cosine", **QUICK).fit(rows)


def components():
    return FeatMAP(pca=12, **QUICK).fit(load_digits().data[:400])


def half_without_loadings(n_rows=500):
    """Components of every second pixel: the others are features that the tangent spaces do not know."""
    rows = load_digits().data[:n_rows]
    directions = np.zeros((64, 12))
    directions[::2] = PCA(12).fit(rows[:, ::2]).components_.T
    return FeatMAP(pca=directions, **QUICK).fit(rows)


def few_rows_without_loadings():
    """So few that all arrows share two mixtures."""
    return half_without_loadings(250)


def three_dimensions():
    rows = load_digits().data[:400]
    return FeatMAP(n_components=3, n_tangent_neighbors=25, **QUICK).fit(rows)


def about_the_point():
    rows = load_digits().data[:400]
    return FeatMAP(n_components=1, tangent_center="point", intrinsic_dim=3, **QUICK).fit(rows)


def another_method():
    rows = load_digits().data[:400]
    return explain(rows, PCA(2).fit_transform(rows))


def prepared_table():
    """Columns of different units, categories of two and three values: answers are in the units of the table."""
    pandas = pytest.importorskip("pandas")
    penguins = load_penguins()
    frame = pandas.DataFrame(penguins.data * [1, 10, 0.1, 0.01], columns=penguins.feature_names)
    frame["species"], frame["is_long"] = np.array(penguins.target_names)[penguins.target], frame.iloc[:, 2] > 20
    return in_original_units(make_pipeline(Prepare(), FeatMAP(**QUICK)).fit(frame))


def values_of_their_own():
    """Three groups. Every fifth row has a far value of one column, every twentieth the category of another group."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    group, every = rng.integers(3, size=400), np.arange(400)
    rows = 6 * rng.normal(size=(3, 26))[group] + rng.normal(size=(400, 26))
    rows[every[::5], every[::5] // 5 % 26] += rng.choice([-1, 1], 80) * rng.uniform(10, 40, 80)
    frame = pandas.DataFrame(rows, columns=list(ascii_lowercase))
    frame["kind"] = np.array(["x", "y", "z"])[np.where(every % 20 == 3, (group + 1) % 3, group)]
    return in_original_units(make_pipeline(Prepare(), FeatMAP(**QUICK)).fit(frame))


def independent_columns():
    """No feature is judged; one row in five has a far value of one column."""
    rows = np.random.default_rng(0).normal(size=(400, 40))
    far = np.arange(0, 400, 5)
    rows[far, far // 5 % 40] += 12
    return FeatMAP(**QUICK).fit(rows)


def rare_counts():
    """A small group has counts that are rare in others, where they are far from the rest and tell little."""
    rng = np.random.default_rng(3)
    group = rng.choice(4, 800, p=[0.03, 0.32, 0.32, 0.33])
    marked = np.repeat(rng.poisson(np.array([0.2, 4.0])[np.eye(4, dtype=int)[group]]), 4, axis=1)
    rare = rng.poisson(np.where(group[:, None] == 0, 0.5, 0.005), (800, 60))
    rows = np.log1p(np.column_stack([marked + rng.poisson(0.5, marked.shape), rare]))
    return explain(sp.csr_matrix(rows), 20 * rng.normal(size=(4, 2))[group] + rng.normal(size=(800, 2)))


CASES = [
    *(prepared_table, rare_counts, values_of_their_own, independent_columns, digits, penguins, cosine),
    *(sparse_cosine, sparse_and_offset, constant_features, duplicates, few_rows, unconnected, components),
    *(half_without_loadings, few_rows_without_loadings, three_dimensions, about_the_point, another_method),
]
KINDS_OF_COLUMNS = ["feature", "importance", "explained", "arrow", "fidelity", "dimension"]
KINDS_OF_COLUMNS += ["densityOfData", "densityOfMap", "kept", "torn", "false"]


def questions_of(model, n_points, more):
    """Points, groups, contrasts, columns and neighbours; the hash draws their rows."""
    n_rows, n_features = len(model.embedding_), model.n_features_in_
    every = np.arange(n_rows, dtype=np.int32)
    first, second, some = (sampled(every, size, seed).tolist() for size, seed in ((40, 1), (25, 2), (12, 3)))
    second = [row for row in second if row not in first]
    feature = int(np.argmax(model.map_variance().explained))
    alone = np.flatnonzero(~model._points.is_connected)
    return [
        *({"kind": "point", "row": int(row)} for row in [*sampled(every, n_points, 4), *more, *alone]),
        {"kind": "group", "rows": some},
        {"kind": "group", "rows": [5]},
        {"kind": "contrast", "a": first, "b": second},
        {"kind": "contrast", "a": first, "b": None},
        *(
            {"kind": "column", "what": {"kind": kind, "feature": feature % n_features}, "rows": some}
            for kind in KINDS_OF_COLUMNS
        ),
        {"kind": "column", "what": {"kind": "feature", "feature": 0}, "rows": None},
        *({"kind": "neighbours", "row": int(row)} for row in [*some[:4], *alone]),
    ]


@cache
def prepared(make, *arguments, n_points=N_POINTS):
    """A model, questions, and the library's answers to them."""
    return asked(make(*arguments), n_points, PLANTED if make in (values_of_their_own, independent_columns) else ())


def asked(model, n_points=N_POINTS, more=()):
    questions = questions_of(model, n_points, more)
    return model, questions, [ask_python(model, question) for question in questions]


def check(ask, prepared, folder):
    """Whoever is asked gives the library's answers."""
    model, questions, expected = prepared
    compare(model, questions, ask(model, questions, folder), expected)


def compare(model, questions, found, expected):
    for question, answer, own in zip(questions, found, expected, strict=True):
        kind = question["kind"]
        if kind == "point":
            compare_point(model, answer, own)
        elif kind == "group":
            compare_around(model, answer, own)
            assert answer["nCompared"] == own["nCompared"]
        else:
            COMPARISONS[kind](answer, own)


COMPARISONS = {"contrast": compare_contrast, "column": compare_column, "neighbours": compare_neighbours}
ANSWERED_BY_PYTHON = [ask_server, ask_notebook]
EVERY_WAY = pytest.mark.parametrize("ask", [ask_file, *ANSWERED_BY_PYTHON], ids=lambda ask: ask.__name__)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("n_points", [N_POINTS, pytest.param(MANY_POINTS, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_the_file_gives_the_librarys_answers(make, n_points, tmp_path):
    check(ask_file, prepared(make, n_points=n_points), tmp_path)


@pytest.mark.parametrize("ask", ANSWERED_BY_PYTHON, ids=lambda ask: ask.__name__)
@pytest.mark.parametrize("make", [unconnected, prepared_table], ids=lambda make: make.__name__)
@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_server_and_notebook_give_the_librarys_answers(ask, make, tmp_path):
    """They compute with the library, so that two cases show whether all kinds of answers arrive as they are."""
    check(ask, prepared(make), tmp_path)


@pytest.mark.parametrize("make", [values_of_their_own, independent_columns], ids=lambda make: make.__name__)
def test_some_of_the_compared_rows_are_unlike_those_around_them(make):
    model, questions, expected = prepared(make)
    points = [answer for question, answer in zip(questions, expected, strict=True) if question["kind"] == "point"]
    unlike = {answer["row"] for answer in points if len(answer["unlike"])}
    assert len(unlike & {0, 5, 20}) >= 2  # far values
    assert len(unlike - set(PLANTED)) < N_POINTS / 2
    told = {int(feature) for answer in points for feature in answer["unlike"]}
    if make is values_of_their_own:
        assert {feature >= 26 for feature in told} == {True, False}  # numbers and the category
    else:
        assert not model.backing().is_judged


def test_categories_are_compared_as_contrast_compares_them():
    """Each by the level that differs most, with p times the number of levels, q over features, joined importances."""
    model, questions, expected = prepared(prepared_table)
    for question, own in zip(questions, expected, strict=True):
        if question["kind"] != "contrast":
            continue
        found = model.contrast(question["a"], question["b"], n_permutations=9)
        told = np.sort(own["order"])
        assert model.feature_names_in_[told].tolist() == found.features.tolist()
        n_levels = np.bincount(model._points.mapped.data.groups)[model._points.mapped.data.groups]
        p_values = np.minimum(ask_python(model._made_by, question)["p"] * n_levels, 1)
        np.testing.assert_allclose(own["p"], p_values, rtol=1e-6)
        np.testing.assert_allclose(own["q"][told], false_discovery_control(p_values[told]), rtol=1e-6)
        in_order = np.abs(own["effectSize"][own["order"]])
        np.testing.assert_allclose(in_order, np.abs(found.effect_size[found.order]), rtol=1e-6)
        np.testing.assert_allclose(own["importanceA"][told], found.importance_a, rtol=1e-6)


def mnist(data_set):
    return FeatMAP(n_epochs=60, random_state=0).fit(data_set("mnist")["X_train"].reshape(-1, 784)[:5000])


def sparse_cells(data_set):
    read = data_set("pbmc3k")
    counts = sp.csr_matrix((read["data"], read["indices"], read["indptr"]), tuple(read["shape"]))
    scaled = counts.multiply(1e4 / np.asarray(counts.sum(axis=1))).tocsr().log1p().astype(np.float32)
    return FeatMAP(n_epochs=60, random_state=0).fit(scaled)


@EVERY_WAY
@pytest.mark.slow
@pytest.mark.parametrize("make", [mnist, sparse_cells], ids=lambda make: make.__name__)
@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_answers_about_real_data(ask, make, data_set, tmp_path):
    check(ask, prepared(make, data_set, n_points=MANY_POINTS), tmp_path)


@pytest.mark.parametrize(
    "chosen", [{"rows": range(0, 300, 2)}, {"features": range(10, 50)}], ids=["rows", "features"]
)
def test_a_file_of_a_part_gives_the_answers_of_that_part(chosen, model, tmp_path):
    model.to_html(tmp_path / "page.html", **chosen)
    rows, features = (np.array(chosen[name], np.int32) if name in chosen else None for name in ("rows", "features"))
    part = Explanation(html.part_of(model._answers, rows, features).points)
    _, questions, expected = asked(part)
    compare(part, questions, ask_page(tmp_path / "page.html", questions), expected)


def test_rounded_data_err_by_no_more_than_the_file_says(tmp_path, monkeypatch):
    rows = load_digits().data[:300] + np.random.default_rng(0).normal(size=(300, 64))
    model = FeatMAP(**QUICK).fit(rows)
    model.to_html(tmp_path / "exact.html")
    monkeypatch.setattr(html, "MOST_BYTES", (tmp_path / "exact.html").stat().st_size - 1)
    model.to_html(tmp_path / "page.html")
    stated = head_of_file(tmp_path / "page.html")["data"]
    assert not stated["isExact"]
    assert "16 bits" in stated["text"]
    questions = [{"kind": "point", "row": row} for row in range(0, 300, 20)]
    for question, answer in zip(questions, ask_page(tmp_path / "page.html", questions), strict=True):
        expected = ask_python(model, question)
        longest = np.linalg.norm(expected["arrows"], axis=1).max()
        apart = np.linalg.norm(answer["arrows"].reshape(-1, 2) - expected["arrows"], axis=1).max()
        assert 0 < np.abs(answer["importance"] - expected["importance"]).max() <= stated["error"]["importance"]
        assert apart <= stated["error"]["arrows"] * longest
        assert np.abs(answer["explained"] - expected["explained"]).max() <= stated["error"]["explained"]


@EVERY_WAY
def test_wrong_questions_are_refused(ask, model, tmp_path):
    questions = [
        {"kind": "point", "row": 300},
        {"kind": "point", "row": -1},
        {"kind": "group", "rows": []},
        {"kind": "group", "rows": [0, 4000]},
        {"kind": "contrast", "a": [0], "b": None},
        {"kind": "contrast", "a": [0, 1], "b": [1, 2]},
        {"kind": "column", "what": {"kind": "feature", "feature": 64}, "rows": None},
    ]
    found = ask(model, questions, tmp_path)
    assert all(isinstance(answer, RuntimeError) for answer in found)
    assert [str(answer) for answer in found[:2]] == ["There is no row 300.", "There is no row -1."]


def test_a_feature_that_the_map_cannot_show_is_hidden(rng, tmp_path):
    """Two features that know each other but have nothing to do with the map."""
    rows = load_digits().data[:600]
    planted = 10 * rng.normal(size=(600, 1)) + rng.normal(size=(600, 2))
    explained = explain(np.hstack([rows, planted]), PCA(2).fit_transform(rows))
    explained.to_html(tmp_path / "page.html")
    found = ask_page(tmp_path / "page.html", [{"kind": "point", "row": row} for row in range(0, 600, 60)])
    assert all({64, 65} <= set(answer["hidden"].tolist()) for answer in found)
    assert not any({64, 65} & set(answer["changes"].tolist()) for answer in found)


def test_shuffled_rows_have_hardly_any_arrow(rng, tmp_path):
    rows = load_digits().data[:800]
    explained = explain(rng.permuted(rows, axis=0), PCA(2).fit_transform(rows))
    explained.to_html(tmp_path / "page.html")
    found = ask_page(tmp_path / "page.html", [{"kind": "point", "row": row} for row in range(0, 800, 10)])
    assert np.mean([len(answer["changes"]) > 0 for answer in found]) <= 0.05
    assert "poor" in head_of_file(tmp_path / "page.html")["trust"]["sentence"]
