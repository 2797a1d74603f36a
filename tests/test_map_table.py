"""`map_table` and the map that knows its table: what goes in, what it says, new rows, files, and errors."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytest.importorskip("pandas", reason="frames need pandas")

from functools import partial

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder

import featmap
from featmap import FeatMAP, PaperFeatMAP, TableMap, explain, in_original_units, map_table
from featmap.answers.place import Places
from featmap.answers.values import Region, Why
from featmap.errors import FeatmapError, InvalidDataError, InvalidParameterError, InvalidRowsError, StoreError
from featmap.preparation.known import KnownColumn
from featmap.store.model import KIND
from featmap.tables.table_map import load
from files import rewritten, with_array
from waiting import PATIENCE

QUICK = {"n_epochs": 30}


def mixed(n_rows=260):
    """Two groups of patients, in columns of different units, with categories, gaps and what no map is made of."""
    rng = np.random.default_rng(0)
    group = np.arange(n_rows) % 2
    ward = np.where(rng.random(n_rows) < 0.9, np.array(["north", "south"])[group], "east").astype(object)
    ward[9::50] = None
    frame = pd.DataFrame(
        {
            "patient": [f"P{row:03}" for row in range(n_rows)],
            "hospital": "St. Mary",
            "glucose": np.round(rng.normal(95 + 80 * group, 9), 1),
            "ward": ward,
            "leukocytes": np.round(rng.normal(6e9 + 6e9 * group, 8e8), -7),
            "visits": rng.integers(1, 9, n_rows),
            "empty": np.where(np.arange(n_rows) % 5 == 0, 1.5 + group, np.nan),
            "admitted": pd.date_range("2024-01-01", periods=n_rows),
            "diagnosis": np.array(["healthy", "diabetes"])[group],
        }
    )
    frame.loc[3::40, "glucose"] = np.nan
    return frame


def tumours():
    cancer = load_breast_cancer(as_frame=True)
    return cancer.data.assign(diagnosis=cancer.target_names[cancer.target])


@pytest.fixture(scope="module")
def of_tumours():
    return map_table(tumours(), label="diagnosis", unit="tumour")


@pytest.fixture(scope="module")
def of_patients():
    return map_table(mixed(), label="diagnosis", unit="patient", drop=["visits"], **QUICK)


def test_a_table_of_numbers(of_tumours):
    """The map is that of the pipeline, and it says what was done and speaks in the units of the table."""
    frame = tumours()
    pipeline = make_pipeline(featmap.Prepare(label="diagnosis"), FeatMAP(random_state=0)).fit(frame)
    np.testing.assert_array_equal(of_tumours.embedding_, pipeline[-1].embedding_)
    said = str(of_tumours)
    assert "569 rows and 31 columns: 30 numbers make 30 features." in said
    assert "Label: diagnosis. It has no part in the map." in said
    assert "diagnosis: benign 357, malignant 212." in said
    assert said.splitlines()[-1].startswith("Around a typical tumour the map keeps ")
    assert repr(of_tumours) == "TableMap(569 tumours, 30 columns, label diagnosis)"
    why = of_tumours.why(213)
    assert isinstance(why, Why)
    assert (why.unit, why.place.label) == ("tumour", "malignant")
    for difference in why.differences:
        assert difference.value == frame[difference.feature][213]
    assert len(str(of_tumours.findings()).split()) <= 400
    assert len(of_tumours.to_frame()) == 569


def test_several_rows_are_a_region_with_a_rule(of_tumours):
    frame = tumours()
    region = of_tumours.why(frame["diagnosis"] == "malignant")
    assert isinstance(region, Region)
    assert region.size == 212
    rule = of_tumours.rule(np.flatnonzero(frame["diagnosis"] == "malignant"))
    found = rule.matches(frame)
    np.testing.assert_array_equal(frame.query(rule.query).index, np.flatnonzero(found))
    assert (frame["diagnosis"][found] == "malignant").mean() > 0.8


def test_categories_and_gaps(of_patients):
    frame = mixed()
    said = str(of_patients)
    assert "Gaps: " in said
    assert "empty (more gaps than values)" in said
    assert "hospital (one value only)" in said
    own = of_patients.known.own
    assert own.names == ("glucose", "ward", "leukocytes")
    np.testing.assert_array_equal(own.numbers[:, 0], frame["glucose"])  # gaps stay gaps
    wards = [None if code != code else own.levels[1][int(code)] for code in own.numbers[:, 1]]
    assert wards == [None if pd.isna(ward) else ward for ward in frame["ward"]]
    assert of_patients.row_names_in_[7] == "P007"
    assert str(of_patients.why("P007")) == str(of_patients.why(7))
    assert of_patients.why("P007").name == "P007"
    assert {column.name for column in of_patients.known.columns} == {"visits", "ward", "empty"}


def test_own_values_become_the_rows_of_the_fit_again(of_patients):
    """What moves a row puts its values through the same preparation, gaps and categories too."""
    of_patients.why(0)
    answers = of_patients._asked[""]
    data = of_patients.model._points.mapped.data
    made = answers.drawn.prepare(answers.table.values)
    np.testing.assert_allclose(made, data.as_given(data.matrix), atol=1e-6)
    row = answers.drawn.as_given(answers.table.values[7], 7)
    given = mixed().loc[7]
    assert row.index.tolist() == ["glucose", "ward", "leukocytes", "visits", "empty"]
    assert row.tolist()[:4] == [given[name] for name in row.index[:4]]


def test_rare_values_of_a_category_are_one_level():
    rng = np.random.default_rng(0)
    city = np.array([f"city {number}" for number in rng.integers(0, 60, 400)], object)
    found = map_table(pd.DataFrame({"city": city, "x": rng.normal(size=400), "y": rng.normal(size=400)}), **QUICK)
    found.why(0)
    answers, data = found._asked[""], found.model._points.mapped.data
    assert data.shape[1] == 32
    np.testing.assert_allclose(answers.drawn.prepare(answers.table.values), data.as_given(data.matrix), atol=1e-6)


def test_sparse_genes():
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], 100)
    rates = rng.gamma(0.4, 1.0, (3, 300))[kind]
    X = sp.csr_matrix(rng.poisson(rates).astype(np.float32)).log1p()
    names = [f"gene {h}" for h in range(300)]
    kept = X.copy()
    found = map_table(X, np.array(["B", "NK", "T"])[kind], names=names, unit="cell", pca=50, **QUICK)
    assert "Neighbours and map are made of 50 principal components." in str(found)
    assert found.why(0).place.label == "B"
    assert found.why(0).unit == "cell"
    assert sp.issparse(found._asked[""].table.values)
    np.testing.assert_allclose(found._asked[""].table.values.toarray(), X.toarray(), atol=1e-5)
    np.testing.assert_array_equal(found.transform(X[:5]), found.embedding_[:5])
    assert (kept != X).nnz == 0


def test_images():
    images, digits = load_digits(return_X_y=True)
    found = map_table(images[:400].reshape(-1, 8, 8), digits[:400], **QUICK)
    assert found.known.image_shape == (8, 8)
    assert (found.known.unit, found.known.label.levels) == ("image", None)
    assert found.why(0).unit == "image"
    assert found.labels.tolist() == digits[:400].tolist()
    frame = pd.DataFrame(images[:400]).add_prefix("p").assign(digit=digits[:400])
    frame["file"], frame["source"] = [f"image {row}" for row in range(400)], "scan"
    asked = {"label": "digit", "id": "file", "drop": ["source"], "image_shape": (8, 8), "unit": "image"}
    same = map_table(frame, **asked, **QUICK)
    np.testing.assert_array_equal(same.embedding_, found.embedding_)
    assert same.why("image 7").row == 7
    with pytest.raises(InvalidParameterError, match=r"image_shape=\(7, 8\)"):
        map_table(images, image_shape=(7, 8))


def test_labels_may_be_missing():
    frame = mixed()
    frame.loc[:19, "diagnosis"] = None
    found = map_table(frame, "diagnosis", **QUICK)
    assert "diagnosis: diabetes 120, healthy 120; 20 without." in str(found)
    assert found.labels[:2].tolist() == [None, None]
    assert found.why(0).place.label is None
    assert found.why(30).place.label == "healthy"
    with pytest.raises(InvalidDataError, match="no row has a label"):
        map_table(frame.assign(diagnosis=np.nan), "diagnosis")


@pytest.mark.parametrize("label", [None, "kind"])
def test_one_label_or_none(label):
    frame = mixed().assign(kind="patient")
    found = map_table(frame.drop(columns="diagnosis"), label, **QUICK)
    assert found.why(0).sentence
    assert str(found.findings())
    assert ("kind: patient 260." in str(found)) == (label is not None)


def test_labels_given_to_a_question(of_patients):
    """They are those of this question only, and computed once for each content."""
    wards = mixed()["ward"].fillna("none")
    asked = of_patients.why(5, labels=wards)
    assert asked.place.label == wards[5]
    kept = of_patients._asked
    assert str(of_patients.why(5, labels=wards.tolist())) == str(asked)
    assert of_patients.why(5).place.label == "diabetes"
    of_patients.why(6, labels=wards)
    assert len(kept) == 2


def test_numbers_as_labels():
    iris = load_iris(as_frame=True)
    found = map_table(iris.data, "petal width (cm)", unit="flower", **QUICK)
    assert "petal width (cm): 0.1 to 2.5, half of them up to 1.3." in str(found)
    assert "fifths" in str(found.findings())
    assert "petal width (cm)" not in found._asked[""].table.names


def test_new_rows_come_as_they_are(of_patients):
    frame = mixed()
    new = frame.head(4)[["ward", "glucose", "leukocytes"]]  # in another order, without what is not used
    np.testing.assert_allclose(of_patients.transform(new), of_patients.embedding_[:4], atol=1e-5)
    assert of_patients.outlier_score(new).shape == (4,)
    answers = of_patients.explain(new)
    assert len(answers) == 4
    assert list(answers.feature_names_in_) == list(of_patients.feature_names_in_)
    with pytest.raises(FeatmapError, match="no column 'glucose'"):
        of_patients.transform(new.drop(columns="glucose"))


def test_it_is_the_same_after_a_file(of_patients, of_tumours, tmp_path):
    for found, rows in ((of_patients, (0, 9)), (of_tumours, (213, 500))):
        found.save(tmp_path / "m.featmap")
        again = load(tmp_path / "m.featmap")
        assert (repr(again), str(again)) == (repr(found), str(found))
        assert [str(again.why(row)) for row in rows] == [str(found.why(row)) for row in rows]
        assert str(again.findings()) == str(found.findings())
        pd.testing.assert_frame_equal(again.to_frame(), found.to_frame())
        np.testing.assert_array_equal(FeatMAP.load(tmp_path / "m.featmap").embedding_, found.embedding_)
    copied = pickle.loads(pickle.dumps(of_patients))
    assert str(copied.why(9)) == str(of_patients.why(9))


def test_a_fresh_process_gives_the_same_answer(of_patients, tmp_path):
    of_patients.save(tmp_path / "m.featmap")
    mixed().head(3).to_csv(tmp_path / "new.csv", index=False)
    code = "import featmap; m = featmap.load('m.featmap'); print(m.why(9)); print(m.transform('new.csv')[2].tolist())"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True)
    *answer, place = result.stdout.splitlines()
    assert "\n".join(answer) == str(of_patients.why(9))
    np.testing.assert_allclose([float(part) for part in place.strip("[]").split(",")], of_patients.embedding_[2])


KNOWN = ("attributes", "table_")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (with_array(*KNOWN, "label", "numbers", made=lambda codes: codes[1:]), "table_"),
        (with_array(*KNOWN, "label", "numbers", made=lambda codes: codes + 1), "levels without a text"),
        (with_array(*KNOWN, "own", "numbers", made=lambda values: values[:, 1:]), "own values"),
        (with_array(*KNOWN, "own", "numbers", made=lambda values: values.astype(np.float32)), "float64"),
        (lambda content, arrays: content["attributes"]["table_"].update(unit=3), "text"),
    ],
)
def test_what_does_not_belong_together_is_refused(of_patients, tmp_path, change, words):
    of_patients.save(tmp_path / "m.featmap")
    rewritten(tmp_path / "m.featmap", KIND, change)
    with pytest.raises(StoreError, match=words):
        load(tmp_path / "m.featmap")


def test_a_saved_model_without_a_table_is_loaded_too(tmp_path):
    iris = load_iris()
    model = FeatMAP(random_state=0, **QUICK).fit(iris.data)
    model.save(tmp_path / "iris.featmap")
    found = load(tmp_path / "iris.featmap").labelled(iris.target_names[iris.target], unit="flower")
    assert str(found.why(0)) == str(model.labelled(iris.target_names[iris.target], unit="flower").why(0))


def test_frames_of_polars_and_files_give_the_same(of_patients, tmp_path):
    pl = pytest.importorskip("polars")
    frame = mixed()
    asked = {"label": "diagnosis", "unit": "patient", "drop": ["visits"], **QUICK}
    of_polars = map_table(pl.from_pandas(frame), **asked)
    frame.to_csv(tmp_path / "patients.csv", index=False)
    of_file = map_table(tmp_path / "patients.csv", **asked)
    for found in (of_polars, of_file):
        np.testing.assert_array_equal(found.embedding_, of_patients.embedding_)
        assert str(found.why(9)) == str(of_patients.why(9))
        assert str(found) == str(of_patients)


def test_arrays_with_names_are_tables():
    iris = load_iris()
    found = map_table(iris.data, iris.target_names[iris.target], names=iris.feature_names, **QUICK)
    assert "Scale: each number has mean 0" in str(found)
    np.testing.assert_allclose(found.transform(iris.data[:3]), found.embedding_[:3], atol=1e-5)
    as_it_is = map_table(iris.data, **QUICK)
    assert "150 rows and 4 columns of numbers. They are used as they are." in str(as_it_is)
    assert "column 3" in " ".join(as_it_is._map_answers().table.names)


def test_rules_match_the_array_that_was_given():
    """Also where columns of it had no part in the map."""
    X, y = load_breast_cancer(return_X_y=True)
    table = np.column_stack([np.ones(len(X)), X[:, :10]])
    found = map_table(table, y.astype(bool), scale=True, **QUICK)
    is_benign = y == 1
    meets = found.rule(is_benign).matches(table)
    assert is_benign[meets].mean() > 0.8
    np.testing.assert_allclose(found.transform(table[:3]), found.embedding_[:3], atol=1e-5)


def test_cells_of_an_anndata():
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    kind = np.repeat(["B", "T"], 80)
    counts = rng.poisson(rng.gamma(0.5, 2.0, (2, 80))[np.repeat([0, 1], 80)]).astype(np.float32)
    obs = pd.DataFrame({"kind": pd.Categorical(kind)}, index=[f"cell {row}" for row in range(160)])
    adata = anndata.AnnData(counts, obs)
    found = map_table(adata, "kind", **QUICK)
    assert found.known.unit == "cell"
    assert "Counts were divided by their sum" in str(found)
    assert found.why("cell 3").place.label == "B"
    np.testing.assert_array_equal(adata.X, counts)
    np.testing.assert_array_equal(found.transform(adata[:3]), found.embedding_[:3])


def test_the_index_of_a_frame_names_the_rows():
    frame = mixed().drop(columns="patient").set_axis([f"row {row}" for row in range(260)])
    found = map_table(frame, "diagnosis", **QUICK)
    assert found.why("row 4").row == 4


def test_rows_of_one_group_are_in_one_fold():
    """A column that tells groups apart makes rules that hold for no other group."""
    frame = mixed().assign(visit=np.arange(260) // 4)
    found = map_table(frame, "diagnosis", groups="visit", **QUICK)
    found.why(0)
    together = found._asked[""].ground.together
    assert "visit" not in found.known.own.names
    assert all(len(set(together[start : start + 4])) == 1 for start in range(0, 260, 4))


def test_the_input_is_never_changed():
    frame = mixed()
    kept = frame.copy(deep=True)
    found = map_table(frame, "diagnosis", **QUICK)
    found.why(0), found.findings(), found.transform(frame)
    pd.testing.assert_frame_equal(frame, kept)
    iris = load_iris().data
    iris.setflags(write=False)
    map_table(iris, names=list("abcd"), **QUICK).findings()


def test_labelled_makes_the_same_object_of_the_parts():
    iris = load_iris(as_frame=True)
    species = pd.Series(iris.target_names[iris.target], name="species")
    model = FeatMAP(random_state=0, **QUICK).fit(iris.data)
    found = model.labelled(species, unit="flower")
    assert isinstance(found, TableMap)
    assert not hasattr(model, "table_")  # the model stays as it is
    assert "150 flowers and 4 columns." in str(found)
    assert found.why(0).place.label == "setosa"
    assert found.labelled(None, unit="iris").why(0).unit == "iris"
    of_another = explain(iris.data, model.embedding_).labelled(species)
    assert of_another.why(0).place.label == "setosa"
    for question in (lambda: of_another.counterfactual(0), lambda: of_another.transform(iris.data)):
        with pytest.raises(InvalidParameterError):
            question()
    for part in (model.explain(iris.data.iloc[:5] + 0.1), explain(iris.data, model.embedding_)[::-1]):
        with pytest.raises(InvalidParameterError, match="some rows of a map"):
            part.labelled(None)


def test_labelled_answers_of_a_pipeline_are_in_original_units():
    iris = load_iris(as_frame=True)
    pipeline = make_pipeline(StandardScaler(), FeatMAP(random_state=0, **QUICK)).fit(iris.data)
    found = in_original_units(pipeline).labelled(iris.target_names[iris.target])
    found.why(0)
    answers = found._asked[""]
    np.testing.assert_allclose(answers.table.values, iris.data, atol=1e-5)
    prepared = answers.drawn.prepare(iris.data.to_numpy())
    np.testing.assert_allclose(prepared, pipeline[0].transform(iris.data), atol=1e-9)
    with pytest.raises(InvalidParameterError, match="give new rows to the pipeline"):
        found.transform(iris.data)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"label": "kind"}, r"map_table\(label='kind'\): the table has no such column; there are 'patient'"),
        ({"label": "diagnosis", "id": "nr"}, r"map_table\(id='nr'\)"),
        ({"drop": ["nothing"]}, r"map_table\(drop='nothing'\)"),
        ({"groups": "family"}, r"map_table\(groups='family'\)"),
        ({"label": ["a", "b"]}, r"must have one label per row"),
        ({"n_neighbours": 10}, r"map_table\(n_neighbours=…\): there is no such parameter"),
        ({"n_neighbors": 1}, r"FeatMAP\(n_neighbors=1\)"),
        ({"names": ["a"]}, "has names of its own"),
        ({"scale": "yes"}, r"map_table\(scale='yes'\)"),
        ({"unit": 3}, r"map_table\(unit=3\)"),
    ],
)
def test_wrong_arguments_are_told_at_once(given, words):
    frame, began = mixed(), time.process_time()
    with pytest.raises(FeatmapError, match=words):
        map_table(frame, **given)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": [1, 2]}, "give pandas.DataFrame"),
        (pd.Series([1.0, 2.0]), "give a table"),
        ("nothing.csv", "No such file|could not|does not exist|nothing.csv"),
        ("table.doc", "the file must be"),
        (np.zeros(5), "rows and columns"),
        ([[1, 2], [3]], "one length"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}).iloc[:0], "has 0 rows"),
    ],
)
def test_what_is_no_table_is_refused(table, words):
    with pytest.raises((FeatmapError, OSError), match=words):
        map_table(table)


def test_answers_of_all_cells_go_to_obs():
    anndata = pytest.importorskip("anndata")
    digits = load_digits()
    obs = pd.DataFrame({"digit": digits.target[:300].astype(str)}, index=[f"cell {row}" for row in range(300)])
    adata = anndata.AnnData(digits.data[:300], obs)
    featmap.tl.featmap(adata, use_rep="X", **QUICK)
    found = featmap.tl.model(adata, label="digit")
    assert (found.known.unit, found.known.label.name) == ("cell", "digit")
    assert found.why("cell 5").place.label == "digit 5"
    written = featmap.tl.answers(adata, "digit", copy=True)
    record = found.to_frame()
    np.testing.assert_array_equal(written.obs["featmap_kept"], record["kept"])
    assert written.obs["featmap_kind"].tolist() == record["kind"].tolist()
    np.testing.assert_array_equal(written.obs["featmap_doubtful"], record["is_doubtful"])
    assert list(adata.obs) == ["digit"]
    featmap.tl.answers(adata, key_added="map")
    assert list(adata.obs) == ["digit", "map_kind", "map_kept"]
    with pytest.raises(FeatmapError, match="not a column"):
        featmap.tl.model(adata, label="kind")


def test_labels_in_another_order_are_refused(of_patients):
    """They would be read by position, although their index names other rows."""
    frame = mixed().drop(columns="patient").set_axis([f"row {row}" for row in range(260)])
    diagnosis = frame.pop("diagnosis")
    turned = diagnosis[::-1]
    for parameter in ("label", "groups"):
        with pytest.raises(InvalidRowsError, match=rf"{parameter}: the index is that of the data in another order"):
            map_table(frame, **{parameter: turned})
    by_name = mixed().set_index("patient")["ward"].fillna("none")
    with pytest.raises(InvalidRowsError, match="label: the index"):
        map_table(mixed().drop(columns="diagnosis"), by_name[::-1])
    assert of_patients.why(5, labels=by_name).place.label == by_name.iloc[5]
    for question in (partial(of_patients.why, 5), of_patients.to_frame):
        with pytest.raises(InvalidRowsError, match="labels: the index"):
            question(labels=by_name[::-1])


@pytest.mark.parametrize(
    "options", [{"drop": "first"}, {"handle_unknown": "ignore", "categories": [["north", "south"]]}]
)
def test_a_row_without_a_level_has_a_gap(options):
    """An encoder that leaves out a level, or does not know one, makes a row of zeros."""
    frame = mixed()[["glucose", "leukocytes", "ward"]].fillna({"glucose": 100.0, "ward": "east"})
    encoder = OneHotEncoder(sparse_output=False, **options)
    steps = ColumnTransformer([("levels", encoder, ["ward"])], remainder=StandardScaler())
    pipeline = make_pipeline(steps, FeatMAP(random_state=0, **QUICK)).fit(frame)
    found = in_original_units(pipeline).labelled(mixed()["diagnosis"])
    found.why(0)
    answers = found._asked[""]
    place = answers.table.names.index("ward")
    levels, codes = answers.table.levels[place], answers.table.values[:, place]
    texts = [None if code != code else levels[int(code)] for code in codes]
    assert texts == [None if ward == "east" else ward for ward in frame["ward"]]
    np.testing.assert_allclose(answers.drawn.prepare(answers.table.values), steps.transform(frame), atol=1e-9)
    assert str(found.findings())


def test_levels_that_are_scaled_after_the_encoder_are_made_again_as_they_were():
    frame = mixed()[["glucose", "leukocytes", "ward"]].fillna({"glucose": 100.0, "ward": "east"})
    encoded = ColumnTransformer([("levels", OneHotEncoder(sparse_output=False), ["ward"])], remainder="passthrough")
    pipeline = make_pipeline(encoded, StandardScaler(), FeatMAP(random_state=0, **QUICK)).fit(frame)
    found = in_original_units(pipeline).labelled(mixed()["diagnosis"])
    found.why(0)
    answers = found._asked[""]
    expected = pipeline[:-1].transform(frame)
    np.testing.assert_allclose(answers.drawn.prepare(answers.table.values), expected, atol=1e-5)


def test_a_model_of_the_paper_is_loaded_too(tmp_path):
    iris = load_iris()
    model = PaperFeatMAP(random_state=0, **QUICK).fit(iris.data)
    found = model.labelled(iris.target_names[iris.target], unit="flower")
    found.save(tmp_path / "iris.featmap")
    again = load(tmp_path / "iris.featmap")
    assert type(again.model) is PaperFeatMAP
    assert str(again.why(0)) == str(found.why(0))


@pytest.mark.parametrize("groups", [[-261.0, -260.0, -1.0], [0.0, 0.5, 1.0]])
def test_rows_without_a_group_stay_alone(groups):
    """Whatever the numbers of the groups are."""
    of_rows = np.array([*groups, *[np.nan] * 257])
    plain = map_table(mixed(), "diagnosis", **QUICK)
    found = map_table(mixed(), "diagnosis", groups=of_rows, **QUICK)
    plain.why(0), found.why(0)
    np.testing.assert_array_equal(
        pd.factorize(found._asked[""].ground.together)[0], pd.factorize(plain._asked[""].ground.together)[0]
    )


def test_distances_are_no_table():
    words = "metric='precomputed': this map was made of distances"
    with pytest.raises(InvalidParameterError, match=words):  # before the table is read
        map_table("no such file.csv", metric="precomputed")


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[s]", "datetime64[D]"])
def test_dates_as_labels(kind):
    """They are read as days, with the time if it is not midnight, and NaT is a gap."""
    days = np.array(["2024-03-01", "2024-03-02", "2024-03-01", "NaT"], kind)
    for labels in (days, pd.Series(days)):
        column = KnownColumn.of_values("labels", "admitted", labels, 4)
        assert column.tolist() == ["2024-03-01", "2024-03-02", "2024-03-01", None]
    times = np.array(["2024-03-01T08:30", "2024-03-02"], "datetime64[ns]")
    assert KnownColumn.of_values("labels", "admitted", times, 2).tolist() == ["2024-03-01T08:30", "2024-03-02"]


def test_dates_are_labels_of_answers(of_patients):
    days = np.array(["2024-03-01", "2024-03-02"], "datetime64[ns]")[np.arange(260) % 2]
    assert of_patients.why(0, labels=days).place.label == "2024-03-01"


def test_places_are_computed_once():
    """What a printed map says and its answers share them."""
    iris = load_iris()
    found = map_table(iris.data, iris.target_names[iris.target], **QUICK)
    assert "Around a typical row" in str(found)
    found.why(0)
    mapped = found._points.mapped
    assert Places.of(mapped) is Places.of(mapped)
    assert found._asked[""].ground.places is mapped.known("places")
