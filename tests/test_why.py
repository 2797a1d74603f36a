"""Why is this row here? The lists, their text, and what noise does to them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import (
    Change,
    FeatMAP,
    Hidden,
    InvalidParameterError,
    InvalidRowsError,
    Prepare,
    SetApart,
    Trust,
    Unlike,
    Why,
    explain,
    in_original_units,
)
from featmap.data.units import Level
from featmap.explanation.numbers import number
from featmap.explanation.why import direction_of


@pytest.fixture(scope="module")
def table():
    """Breast cancer in its own units, with five columns of noise."""
    frame = load_breast_cancer(as_frame=True).data
    noise = np.random.default_rng(0).normal(size=(len(frame), 5))
    return frame.join(pd.DataFrame(noise, columns=[f"noise {column}" for column in range(5)]))


@pytest.fixture(scope="module")
def scaled(table):
    return StandardScaler().set_output(transform="pandas").fit_transform(table)


@pytest.fixture(scope="module")
def patients(scaled):
    return FeatMAP(n_epochs=200, random_state=0).fit(scaled)


@pytest.fixture(scope="module")
def named(scaled):
    """200 patients with names."""
    return FeatMAP(n_epochs=20, random_state=0).fit(scaled[:200].set_axis([f"patient {row}" for row in range(200)]))


@pytest.fixture(scope="module")
def plane():
    """A flat map whose first axis is the feature east, its second north; noise in two features more."""
    rng = np.random.default_rng(1)
    Y = rng.uniform(-1, 1, size=(1500, 2))
    columns = {
        "east": Y[:, 0],
        "also east": Y[:, 0] + 0.02 * rng.normal(size=1500),
        "north": Y[:, 1],
        "south": -Y[:, 1],
        "level": 0.15 * rng.normal(size=1500),
        "noise": 0.1 * rng.normal(size=1500),
    }
    X = pd.DataFrame(columns)
    X["like level"] = X["level"] + 0.02 * rng.normal(size=1500)
    return explain(X, Y), X, Y


def near_the_right_edge(X, Y):
    return int(np.argmin(np.abs(Y - [0.8, 0.0]).sum(axis=1) + np.abs(X["level"])))


def test_the_lists_of_a_point_of_a_plane(plane):
    """At the right edge east is high. Others change as drawn; those that the map does not know are hidden."""
    explanation, X, Y = plane
    row = near_the_right_edge(X, Y)
    why = explanation.why(row)
    assert {line.feature for line in why.apart[:2]} == {"east", "also east"}
    assert all(line.z > 1 for line in why.apart[:2])
    assert why.apart[0].own == pytest.approx(X["east"][row], abs=1e-5) or why.apart[0].feature == "also east"
    directions = {line.feature: line.direction for line in why.changes}
    assert directions["east"] == "to the right"
    assert directions["north"] == "upwards"
    assert directions["south"] == "downwards"
    assert "level" not in directions
    assert {line.feature for line in why.hidden} == {"level", "like level"}


def test_values_are_those_of_the_rows_around(plane):
    explanation, X, Y = plane
    row = near_the_right_edge(X, Y)
    why = explanation.why(row)
    line = next(line for line in why.apart if line.feature == "east")
    near = np.argsort(np.linalg.norm(Y - Y[row], axis=1))[1:60]
    assert line.mean == pytest.approx(X["east"][near].mean(), abs=0.1)
    assert line.overall == pytest.approx(X["east"].mean(), abs=1e-5)
    assert line.spread == pytest.approx(X["east"].std(), rel=0.01)
    change = next(line for line in why.changes if line.feature == "south")
    assert X["south"][near].min() <= change.low < line.mean
    assert change.high - change.low == pytest.approx(2 * X["south"][near].std(), rel=0.4)


def test_in_the_middle_nothing_is_apart(plane):
    explanation, X, _ = plane
    why = explanation.why(int(np.argmin(np.abs(X).sum(axis=1))))
    assert why.apart == ()
    assert ", in the middle of the data" in why.sentence


def test_noise_is_in_none_of_the_lists(patients):
    for row in range(0, 569, 40):
        why = patients.why(row)
        listed = [line.feature for found in (why.apart, why.unlike, why.changes, why.hidden) for line in found]
        assert listed
        assert not any(feature.startswith("noise") for feature in listed)
        assert all(feature.startswith("noise") for feature in why.alone)


def test_a_group_is_told_by_its_mean(patients):
    labels = load_breast_cancer().target
    malignant = patients.why(labels == 0)
    assert malignant.subject == f"These {int((labels == 0).sum())} rows"
    assert all(line.z > 0 for line in malignant.apart)
    assert len(malignant.rows) == (labels == 0).sum()
    benign = patients.why(np.flatnonzero(labels))
    assert all(line.z < 0 for line in benign.apart)


def test_new_rows_and_rows_with_names(scaled, patients, named):
    assert named.why("patient 7").subject == "Row patient 7"
    assert patients.explain(scaled[:3] + 0.1).why(2).subject == "Row 2"
    assert patients.explain(scaled[:3]).why(1).apart == patients.why(1).apart


def test_features_without_names_are_told_by_their_columns(model):
    why = model.why(0)
    assert f"whose feature {why.apart[0].column} is" in why.sentence
    assert f"  feature {why.changes[0].column} grows" in str(why)


def test_slices_masks_and_tuples_name_rows(patients, table):
    assert patients.why(slice(0, 5)) == patients.why([0, 1, 2, 3, 4])
    index = pd.MultiIndex.from_product([["a", "b"], range(50)])
    model = FeatMAP(n_epochs=5, random_state=0).fit(np.log1p(table.abs())[:100].set_axis(index))
    assert model.why(("b", 3)).rows == (53,)


def test_groups_in_another_order_are_refused(named):
    groups = pd.Series(np.arange(200) // 10, index=[f"patient {row}" for row in range(200)])
    assert named.trust(groups=groups).n_rows == 100
    with pytest.raises(InvalidRowsError, match="groups"):
        named.trust(groups=groups[::-1])


def test_sparse_and_dense_rows_have_the_same_answer(rng):
    X = rng.poisson(0.5, size=(300, 20)) * 1.0
    X[:100, :5] += rng.poisson(3, size=(100, 5))
    dense, sparse = (FeatMAP(n_epochs=30, random_state=0).fit(data) for data in (X, sp.csr_matrix(X)))
    assert [line.feature for line in dense.why(3).apart] == [line.feature for line in sparse.why(3).apart]
    z, z_of_sparse = ([line.z for line in model.why(3).apart] for model in (dense, sparse))
    np.testing.assert_allclose(z, z_of_sparse, rtol=1e-5)


def test_the_number_of_features_is_bounded(patients):
    why = patients.why(0, k=2)
    assert len(why.apart) == len(why.changes) == 2
    assert len(why.hidden) <= 2


def example(**changed):
    trust = Trust(0.8, 0.5, 0.4, 0.98, 0.7, 100, 500, 2, True)
    apart = SetApart("worst area", 23, 1940.2, 880.6, 569.4, 2019.0, 1.86, 1.86)
    change = Change("texture", 1, 0.45, 17.12, 22.4, (1.0, 0.1))
    hidden = Hidden("smoothness", 4, 0.5, 0.01)
    parts = {"apart": (apart,), "unlike": (), "changes": (change,), "hidden": (hidden,), "alone": ()}
    return Why("Row 0", (0,), 40.2, **{**parts, **changed}, trust=trust)


def test_the_text_can_be_read_aloud():
    why = example(alone=("noise", 7))
    assert why.sentence == (
        "Row 0 lies among 40 rows whose worst area is 1.9 spreads above all (881 → 1,940); to the right texture "
        "grows; smoothness varies here, but the map does not show it."
    )
    text = str(why)
    assert text.startswith(why.sentence)
    assert "texture grows to the right (17.1 → 22.4, R² 0.45)" in text
    assert "no other feature goes with it: noise, feature 7." in text
    assert text.endswith(why.trust.sentence)
    assert repr(why) == text


SMOOTH = Unlike("smoothness error", 14, 0.03113, 0.01077, 0.003, 6.79, 2.9)


def test_what_sets_the_row_itself_apart_is_said_where_there_is_something():
    assert "the row itself" not in str(example())
    why = example(unlike=(SMOOTH,))
    said = (
        "the row itself is unlike them: its smoothness error is 0.03113, theirs 0.01077; to the right texture grows"
    )
    assert said in why.sentence
    line = "smoothness error: 0.03113, theirs 0.01077 (6.8 spreads above them)"
    assert f"\nWhat sets the row itself apart from them:\n  {line}\nWhat changes across" in str(why)
    assert f"<p>What sets the row itself apart from them</p><ul><li>{line}</li></ul>" in why._repr_html_()


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        (Unlike(7, 7, -2.0, 1.0, 1.0, -3.0, -2.0), "feature 7: -2.00, theirs 1.00 (3.0 spreads below them)", None),
        (Unlike(Level("island", "Dream"), 5, 1.0, 0.03, 0.5, 2.0, 2.0), "island: Dream (3 % of theirs)", None),
        (
            Unlike(Level("island", "Biscoe"), 4, 0.0, 0.97, 0.5, -2.0, -2.0),
            "island: not Biscoe (97 % of theirs)",
            "its island is not Biscoe (97 % of theirs)",
        ),
    ],
)
def test_a_value_of_its_own_in_words(line, text, words):
    assert str(line) == text
    assert words is None or line.in_words == words


def test_a_row_with_values_of_another_kind(patients, scaled):
    """A benign tumour with the smoothness of no other, on the same map: that alone is told, and not of a group."""
    scaled = scaled.copy()
    row = next(row for row in range(569) if load_breast_cancer().target[row] and not patients.why(row).unlike)
    scaled.loc[row, "worst smoothness"] += 9
    changed = explain(scaled, patients.embedding_)
    (line,) = changed.why(row).unlike
    assert line.feature == "worst smoothness"
    assert line.own == pytest.approx(scaled.loc[row, "worst smoothness"], rel=1e-5)
    assert line.own > line.mean + 5 * line.spread
    assert changed.why([row]).unlike == (line,)
    assert changed.why([row, row + 1]).unlike == ()
    assert changed.why(row, k=1).unlike == (line,)


def test_a_category_of_its_own_is_told_once_by_what_the_row_has():
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=300)
    frame = pd.DataFrame(rng.normal(size=(3, 5))[group] * 4 + rng.normal(size=(300, 5)), columns=list("abcde"))
    frame["kind"] = np.array(["x", "y", "z"])[group]
    row = int(np.flatnonzero(group == 0)[7])
    frame.loc[row, "kind"] = "z"
    model = in_original_units(make_pipeline(Prepare(), FeatMAP(n_epochs=100, random_state=0)).fit(frame))
    (line,) = model.why(row).unlike
    assert (line.feature.category, line.feature.level) == ("kind", "z")
    assert str(line).startswith("kind: z (")


def test_empty_lists_are_said():
    text = str(example(apart=(), changes=(), hidden=()))
    assert "in the middle of the data" in text
    assert text.count("  nothing") == 3


def test_notebooks_get_html_without_markup_of_the_data():
    html = example(alone=("<b>bold</b>",))._repr_html_()
    assert "<li>worst area: 1.9 spreads above all" in html
    assert "<b>bold</b>" not in html
    assert "&lt;b&gt;bold" in html


def test_lists_become_a_frame():
    frame = example(unlike=(SMOOTH,)).to_frame()
    assert frame["question"].tolist() == ["apart", "unlike", "changes", "hidden"]
    assert frame["feature"].tolist() == ["worst area", "smoothness error", "texture", "smoothness"]
    assert frame["z"].notna().tolist() == [True, False, False, False]
    assert frame["away"].notna().tolist() == [False, True, False, False]
    assert len(example(apart=(), changes=(), hidden=()).to_frame()) == 0


@pytest.mark.parametrize(
    ("arrow", "words"),
    [
        ((1, 0), "to the right"),
        ((1, 1), "to the upper right"),
        ((0, 2), "upwards"),
        ((-1, 0.1), "to the left"),
        ((-1, -1), "to the lower left"),
        ((0.1, -3), "downwards"),
        ((-2,), "to the left"),
        ((0.1, -2, 1), "down axis 2"),
    ],
)
def test_directions_in_words(arrow, words):
    assert direction_of(arrow) == words


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        *((1940.2, 0, "1,940"), (17.4321, 0, "17.4"), (0.012345, 0, "0.0123"), (-1e-9, 1, "0.00")),
        *((880.6, 569.0, "881"), (2.0625, 0.99, "2.06"), (0, 0, "0"), (3e12, 0, "3.00e+12")),
        *((2.5e-7, 1e-7, "2.50e-07"), (math.inf, 0, "inf"), (1, math.inf, "1.00"), (1.0000123, 1e-5, "1.0000123")),
    ],
)
def test_numbers_have_the_digits_that_count(value, spread, text):
    assert number(value, spread) == text


@pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning")
@pytest.mark.parametrize("shape", [(2, 3), (5, 1), (12, 9)])
def test_a_handful_of_rows_has_an_answer(shape, rng):
    model = FeatMAP(n_epochs=3, random_state=0).fit(rng.normal(size=shape))
    assert str(model.why(0)).startswith("Row 0 lies among")
    assert "nan" not in str(model.why([0, 1]))


def test_a_row_without_neighbours_has_an_answer():
    X = np.vstack([np.kron(np.eye(2, dtype=bool), np.ones((20, 4), bool)), np.eye(8, dtype=bool)[:1] * False])
    X = np.hstack([X, np.zeros((41, 1), bool)])
    X[40, 8] = True
    with pytest.warns(UserWarning, match="1 of 41 rows have no neighbours"):
        model = FeatMAP(metric="jaccard", n_neighbors=5, n_epochs=5, random_state=0).fit(X)
    why = model.why(40)
    assert why.apart == why.unlike == why.changes == ()
    assert "nan" not in str(why)


def test_wrong_questions_are_refused(patients):
    with pytest.raises(InvalidParameterError, match=r"why\(k=0\)"):
        patients.why(0, k=0)
    with pytest.raises(InvalidParameterError, match=r"why\(feature_names=…\): .* 35; got 2"):
        patients.why(0, feature_names=["a", "b"])
    with pytest.raises(InvalidRowsError, match="at least one row"):
        patients.why([])
    with pytest.raises(InvalidRowsError):
        patients.why(9999)
