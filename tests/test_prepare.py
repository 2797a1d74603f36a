"""Prepare: what becomes of each column, as scikit-learn's steps and in words."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP, Prepare, in_original_units
from featmap.checks.inputs import NamedTable
from featmap.errors import FeatmapError, InvalidDataError, InvalidParameterError
from featmap.preparation.prepare import Recipe

pd = pytest.importorskip("pandas")
N_ROWS = 120


@pytest.fixture(scope="module")
def frame():
    """Every kind of column."""
    rng = np.random.default_rng(0)
    length = rng.normal(40, 5, N_ROWS)
    length[[3, 50]] = np.nan
    island = rng.choice(["Biscoe", "Dream", "Torgersen"], N_ROWS).astype(object)
    island[[7, 8, 9]] = None
    return pd.DataFrame(
        {
            "patient": [f"P{row}" for row in range(N_ROWS)],
            "sample_id": rng.permutation(N_ROWS) + 1000,
            "length_mm": length,
            "mass_g": rng.integers(2500, 6000, N_ROWS),
            "island": island,
            "smokes": rng.random(N_ROWS) < 0.3,
            "site": "Palmer",
            "empty": np.nan,
            "seen": pd.date_range("2024-01-01", periods=N_ROWS),
            "notes": [f"seen by doctor {row % 97}" for row in range(N_ROWS)],
            "species": rng.choice(["Adelie", "Gentoo"], N_ROWS),
            "quality": rng.integers(0, 3, N_ROWS),
        }
    )


@pytest.fixture(scope="module")
def prepared(frame):
    return Prepare(label="species", drop=["quality"]).fit(frame)


def test_each_column_has_a_role_and_a_reason(prepared):
    roles = {role.name: (role.use, role.reason) for role in prepared.roles_}
    assert roles["patient"] == roles["sample_id"] == ("id", "a different value in each row")
    assert roles["length_mm"] == roles["mass_g"] == ("number", "")
    assert roles["island"] == roles["smokes"] == ("category", "")
    assert roles["site"] == ("left out", "one value only")
    assert roles["empty"] == ("left out", "no values")
    assert roles["seen"] == ("left out", "dates")
    assert roles["notes"][1].startswith("free text")
    assert roles["species"] == ("label", "")
    assert roles["quality"] == ("left out", "as asked")


def test_values_are_those_of_scikit_learns_steps(frame, prepared):
    found = prepared.transform(frame)
    numbers = frame[["length_mm", "mass_g"]]
    expected = StandardScaler().fit_transform(SimpleImputer(strategy="median").fit_transform(numbers))
    np.testing.assert_array_equal(found[:, :2], expected)
    island = frame.island.fillna(frame.island.mode()[0])
    assert prepared.get_feature_names_out().tolist()[2:] == [
        *("island: Biscoe", "island: Dream", "island: Torgersen", "smokes: False", "smokes: True")
    ]
    for column, level in enumerate(("Biscoe", "Dream", "Torgersen"), start=2):
        np.testing.assert_array_equal(found[:, column], island == level)
    np.testing.assert_array_equal(found[:, 6], frame.smokes)


def test_it_says_what_it_did(prepared):
    text = str(prepared)
    assert "120 rows and 12 columns: 2 numbers and 2 categories make 4 features." in text
    assert "patient (a different value in each row)" in text
    assert "site (one value only)" in text
    assert "Label: species. It has no part in the map." in text
    assert "island (3 values), smokes (2 values) have one column" in text
    assert "Gaps: 5 values in 2 columns" in text
    assert "length_mm (2), island (3)" in text
    assert "mean 0 and standard deviation 1" in text
    assert repr(prepared) == "Prepare(drop=['quality'], label='species')"


def test_a_column_without_a_name_is_told_as_such(frame):
    frame = frame.rename(columns={"patient": ""})
    assert "a column without a name (a different value in each row)" in str(Prepare().fit(frame))


def test_rows_with_more_gaps_than_values_are_told(frame):
    emptied = frame.copy()
    emptied.loc[5, ["length_mm", "mass_g", "island"]] = None
    found = Prepare().fit(emptied)
    assert found.gaps_of_rows_[5] == 3
    assert "1 row has more gaps than values" not in str(found)  # of six columns
    found = Prepare().fit(emptied[["length_mm", "mass_g", "island", "smokes"]])
    assert "1 row has more gaps than values" in str(found)


def test_numbers_stay_as_they_are_without_scale(frame):
    found = Prepare(scale=False).fit(frame)
    assert found.transform(frame)[0, 1] == frame.mass_g[0]
    assert "as they were given" in str(found)


def test_the_input_is_not_changed(frame):
    before = frame.copy(deep=True)
    Prepare().fit(frame).transform(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_polars_and_pandas_give_the_same(frame, prepared):
    polars = pytest.importorskip("polars")
    columns = {name: [None if pd.isna(value) else value for value in frame[name]] for name in frame.columns}
    columns["seen"] = [day.to_pydatetime() for day in frame.seen]
    theirs = polars.DataFrame(columns)
    found = Prepare(label="species", drop=["quality"]).fit(theirs)
    assert [(role.name, role.use) for role in found.roles_] == [(role.name, role.use) for role in prepared.roles_]
    np.testing.assert_array_equal(found.transform(theirs), prepared.transform(frame))
    assert found.set_output(transform="polars").transform(theirs).columns == prepared.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "written",
    ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%fZ", "%H:%M"],
)
def test_dates_that_are_written_as_texts_are_dates(frame, written):
    """As pandas.read_csv leaves them. On many days of few they would be a category of many values."""
    days = pd.date_range("2024-01-01", periods=30, freq="7h").strftime(written)
    texts = frame.assign(seen=days.to_numpy()[np.arange(N_ROWS) % 30])
    texts.loc[3, "seen"] = None
    roles = {role.name: (role.use, role.reason) for role in Prepare().fit(texts).roles_}
    assert roles["seen"] == ("left out", "dates")
    others = texts.assign(seen=texts.seen.mask(texts.index == 5, "unknown"))
    assert {role.name: role.use for role in Prepare().fit(others).roles_}["seen"] == "category"


def test_types_of_pandas_make_no_difference(frame, prepared):
    other = frame.assign(
        mass_g=frame.mass_g.astype("Int64"),
        island=frame.island.astype("category"),
        smokes=frame.smokes.astype("boolean"),
        length_mm=frame.length_mm.astype("Float64"),
        species=frame.species.astype("string"),
    )
    found = Prepare(label="species", drop=pd.Series(["quality"])).fit(other)
    np.testing.assert_array_equal(found.transform(other), prepared.transform(frame))


def test_arrays_have_numbered_or_given_names():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:, 1] = 7
    assert Prepare().fit(X).get_feature_names_out().tolist() == ["x0", "x2"]
    assert Prepare(names=["a", "b", "c"]).fit(X).get_feature_names_out().tolist() == ["a", "c"]
    np.testing.assert_allclose(Prepare().fit(X).transform(X).std(axis=0), 1)


def test_it_is_a_transformer_of_scikit_learn(frame, prepared):
    again = clone(prepared)
    assert not hasattr(again, "steps_")
    found = again.set_output(transform="pandas").fit_transform(frame)
    assert list(found.columns) == prepared.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found, prepared.transform(frame))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(prepared)).transform(frame), prepared.transform(frame))


def test_new_rows_may_lack_columns_that_are_not_used_and_have_new_values(frame, prepared):
    new = frame.loc[[0, 1], ["island", "mass_g", "length_mm", "smokes"]].assign(island=["Anvers", None])
    found = prepared.transform(new)
    np.testing.assert_array_equal(found[0, 2:5], 0)
    assert found[1, 2:5].sum() == 1
    np.testing.assert_array_equal(found[:, :2], prepared.transform(frame)[:2, :2])
    with pytest.raises(InvalidDataError, match="no column 'island'"):
        prepared.transform(frame.drop(columns="island"))
    with pytest.raises(FeatmapError, match=r"^transform\(X\): sparse"):
        prepared.transform(sp.eye(4, format="csr"))
    with pytest.raises(FeatmapError, match="'mass_g' had numbers in the fit"):
        prepared.transform(frame.assign(mass_g="heavy"))


def test_columns_of_another_kind_are_refused_and_spellings_of_true_are_one(frame, prepared):
    written = frame.assign(smokes=["TRUE" if one else "false" for one in frame.smokes])
    np.testing.assert_array_equal(prepared.transform(written), prepared.transform(frame))
    np.testing.assert_array_equal(Recipe.of(prepared).prepared(written), prepared.transform(frame))
    for name, had in (("mass_g", "numbers"), ("island", "categories")):
        dates = frame.assign(**{name: frame.seen})
        for transform in (prepared.transform, Recipe.of(prepared).prepared):
            with pytest.raises(FeatmapError, match=f"'{name}' had {had} in the fit; now it has dates"):
                transform(dates)


def test_objects_are_what_they_hold(frame):
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 3, N_ROWS)
    objects = pd.DataFrame(
        {
            "grade": pd.Categorical(grades),
            "count": pd.Series([np.int64(one) for one in grades * 7], dtype=object),
            "price": [Decimal(f"{one}.25") for one in grades],
            "day": [date(2024, 1, 1 + one) for one in grades],
        }
    )
    found = Prepare().fit(objects)
    assert [role.use for role in found.roles_] == ["category", "number", "number", "left out"]
    assert found.roles_[3].reason == "dates"
    assert found.get_feature_names_out().tolist() == ["count", "price", "grade: 0", "grade: 1", "grade: 2"]


def test_the_asked_id_names_the_rows_with_all_its_digits(frame):
    long = 2**60 + np.arange(N_ROWS)
    for ids in (pd.Series(long), pd.Series(long, dtype=object), pd.Series(long.astype(str))):
        found = Prepare(id="number").fit(frame.assign(number=ids))
        assert found.ids_.tolist() == [str(one) for one in long]
    assert Prepare().fit(frame.assign(record_id=long).drop(columns=["patient", "sample_id"])).ids_[1] == str(
        2**60 + 1
    )
    assert Prepare(id="x0").fit(np.column_stack([long, long % 7])).ids_[1] == str(2**60 + 1)
    assert Prepare(id="sample_id").fit(frame).ids_[0] == str(frame.sample_id[0])
    with pytest.raises(InvalidParameterError, match=r"id='island'.*3 rows have no value"):
        Prepare(id="island").fit(frame)
    with pytest.raises(InvalidParameterError, match=r"id='seen'.*dates"):
        Prepare(id="seen").fit(frame)


def test_rare_values_of_a_category_are_one():
    rng = np.random.default_rng(0)
    towns = [f"town {number}" for number in rng.zipf(1.5, 500).clip(max=90)]
    frame = pd.DataFrame({"town": towns, "size": rng.normal(size=500)})
    found = Prepare().fit(frame)
    names = found.get_feature_names_out().tolist()
    assert len(names) == 1 + 30
    assert names[-1] == "town: (other)"
    values = found.transform(frame)
    np.testing.assert_array_equal(values[:, 1:].sum(axis=1), 1)
    rare = ~frame.town.isin([name.removeprefix("town: ") for name in names[1:-1]])
    np.testing.assert_array_equal(values[:, -1] == 1, rare)


def test_wrong_use_is_told(frame):
    for parameters, words in (
        ({"label": "kind"}, "label='kind'.*no such column"),
        ({"id": "kind"}, "id='kind'"),
        ({"drop": ["kind"]}, "drop='kind'"),
        ({"drop": "site"}, "list of names"),
    ):
        with pytest.raises(InvalidParameterError, match=words):
            Prepare(**parameters).fit(frame)
    with pytest.raises(InvalidDataError, match="'length_mm' has infinite values"):
        Prepare().fit(frame.assign(length_mm=frame.length_mm.where(frame.length_mm > 35, np.inf)))
    with pytest.raises(InvalidDataError, match="no column is left"):
        Prepare().fit(frame[["patient", "site", "seen"]])
    with pytest.raises(InvalidDataError, match="several columns are called 'a'"):
        Prepare().fit(pd.DataFrame(np.eye(3), columns=["a", "a", "b"]))
    with pytest.raises(FeatmapError, match="sparse"):
        Prepare().fit(sp.eye(4, format="csr"))
    for line in (np.arange(4.0), pd.Series(np.arange(4.0))):
        with pytest.raises(FeatmapError, match="shape"):
            Prepare().fit(line)
    with pytest.raises(InvalidDataError, match="X has 3 columns, but there are 2 names"):
        Prepare(names=["a", "b"]).fit(np.eye(3))


def test_a_recipe_prepares_as_the_transformer_does(frame, prepared):
    """To the bit, gaps, new values and rare values included."""
    recipe = Recipe.of(prepared)
    new = frame.iloc[::-1].astype({"smokes": object})
    new.loc[0, "island"] = "Anvers"
    new.loc[1, ["length_mm", "smokes"]] = None
    np.testing.assert_array_equal(recipe.prepared(new), prepared.transform(new))
    rng = np.random.default_rng(0)
    towns = [f"town {number}" for number in rng.zipf(1.5, 500).clip(max=90)]
    table = pd.DataFrame({"town": towns, "size": rng.normal(size=500)})
    table.loc[9, "town"] = None
    rare = Prepare().fit(table)
    np.testing.assert_array_equal(Recipe.of(rare).prepared(table), rare.transform(table))


@pytest.fixture(scope="module")
def saved(frame, prepared, tmp_path_factory):
    """A model of a prepared table, and its file."""
    model, path = FeatMAP(n_epochs=30, random_state=0, n_jobs=1), tmp_path_factory.mktemp("saved") / "m.featmap"
    names, recipe = frame.patient.tolist(), Recipe.of(prepared)
    model.fit(NamedTable(prepared.transform(frame), row_names=names, recipe=recipe)).save(path)
    return model, path


def test_a_saved_model_answers_in_the_columns_of_its_table(frame, prepared, saved):
    loaded, pipeline = FeatMAP.load(saved[1]), make_pipeline(prepared, saved[0])
    assert str(in_original_units(loaded).why("P4")) == str(in_original_units(pipeline).why(4))
    assert loaded.recipe_.text == str(prepared)
    new = frame.iloc[:4].assign(mass_g=4000)
    np.testing.assert_array_equal(in_original_units(loaded, new).arrows(), in_original_units(pipeline, new).arrows())


def test_names_and_recipe_are_those_of_the_last_fit(frame, prepared, saved):
    loaded = FeatMAP.load(saved[1]).fit(prepared.transform(frame))
    assert not hasattr(loaded, "recipe_")
    assert not hasattr(loaded, "row_names_in_")


def test_a_wrong_recipe_is_refused(saved, tmp_path):
    loaded = FeatMAP.load(saved[1])
    loaded.recipe_ = replace(loaded.recipe_, missing=loaded.recipe_.missing[1:])
    with pytest.raises(FeatmapError, match="recipe_"):
        loaded.save(tmp_path / "m.featmap")
