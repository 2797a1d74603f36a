"""The commands as a user types them: what they print, what they write, and how they end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

pytest.importorskip("click", reason="the command needs the extra cli")
pytest.importorskip("rich", reason="the command needs the extra cli")
pytest.importorskip("polars", reason="tables need the extra io")

import polars as pl

from featmap import FeatMAP
from featmap.cli import main
from featmap.errors import FeatmapError
from featmap.tables.files import read_column
from featmap.tables.given import dense
from featmap.tables.reading import read_source
from waiting import PATIENCE


def table(n_rows=260):
    """Two groups of patients, in columns of different units, with categories and gaps."""
    rng = np.random.default_rng(0)
    group = np.arange(n_rows) % 2
    ward = np.where(rng.random(n_rows) < 0.9, np.array(["north", "south"])[group], "east")
    glucose = np.round(rng.normal(95 + 80 * group, 9), 1)
    columns = {
        "patient": [f"P{row:03}" for row in range(n_rows)],
        "hospital": ["St. Mary"] * n_rows,
        "glucose_mg_dl": [None if row % 40 == 3 else value for row, value in enumerate(glucose.tolist())],
        "leukocytes_per_l": np.round(rng.normal(6e9 + 6e9 * group, 8e8), -7),
        "hba1c_percent": np.round(4 + glucose / 60 + rng.normal(0, 0.1, n_rows), 2),
        "noise": np.round(rng.normal(size=n_rows), 3),
        "ward": [None if row % 50 == 9 else value for row, value in enumerate(ward.tolist())],
        "diagnosis": np.array(["healthy", "diabetes"])[group],
    }
    return pl.DataFrame(columns)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    table().write_csv(folder / "patients.csv")
    fit = ["featmap", "fit", "patients.csv", "-o", "p.featmap", "--label", "diagnosis", "-q"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", fit)
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    return folder


@pytest.fixture
def call(folder, monkeypatch, capsys):
    """Runs a command: its code, and what it printed and said."""

    def run(*arguments):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["featmap", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture
def refused(call):
    """Runs a wrong command: it ends with 2 and prints nothing. What it said, whose last line is the error."""

    def run(*arguments):
        code, printed, said = call(*arguments)
        assert (code, printed) == (2, ""), (arguments, said)
        assert said.splitlines()[-1].startswith("featmap: ")
        assert sum(line.startswith("featmap: ") for line in said.splitlines()) == 1
        return said

    return run


def test_map_writes_a_page_and_prints_findings(call, folder):
    code, text, said = call("map", "patients.csv", "-o", "map.html", "--label", "diagnosis")
    assert code == 0
    assert "260 rows and 8 columns: 4 numbers and 1 category make 5 features." in text
    assert "260 rows" not in said  # once is enough
    assert said.splitlines()[-1].startswith("map.html has the map")
    assert "Left out: patient (a different value in each row), hospital (one value only)." in text
    assert "Label: diagnosis" in text
    assert "diagnosis: diabetes 130, healthy 130." in text
    assert re.search(r"^260 rows in \d islands\.", text, re.MULTILINE)
    assert re.search(r"^healthy.* \(\d+ rows\): .* \(right for \d+ of 100", text, re.MULTILINE)
    assert re.search(r"^diabetes.* \(\d+ rows\): ", text, re.MULTILINE)
    page = (folder / "map.html").read_text()
    assert '"levels":[null,null,null,null,["ward","east"]' in page
    assert '"name":"diagnosis","kind":"category"' in page
    assert '"P000"' in page


def test_map_describes_regions_without_a_label(call):
    code, text, _ = call("map", "patients.csv", "-o", "map.html", "--drop", "diagnosis", "-q")
    assert code == 0
    assert re.search(r"^260 rows in \d islands\.", text, re.MULTILINE)
    assert re.search(r" rows\): .*right for \d+ of 100", text)
    assert "diagnosis (as asked)" in text


def test_map_as_json_and_as_a_text_file(call, folder):
    code, text, said = call("map", "patients.csv", "--label", "diagnosis", "--json", "--text", "map.txt", "-q")
    found = json.loads(text)
    assert (code, said) == (0, "")
    assert found["page"] == "patients.html"
    assert {region["name"].partition(",")[0] for region in found["regions"]} == {"healthy", "diabetes"}
    assert sum(region["rows"] for region in found["regions"]) == 260
    assert max(region["precision"] or 0 for region in found["regions"]) > 0.9
    assert found["about"][0].startswith("260 rows and 8 columns")
    assert (folder / "map.txt").read_text().startswith("260 rows and 8 columns")
    assert (folder / "patients.html").exists()


def test_a_saved_model_is_that_of_the_library(folder, call):
    """One seed gives the map that Python gives, and new rows are placed as the pipeline places them."""
    from sklearn.pipeline import make_pipeline

    from featmap import Prepare

    frame = pl.read_csv(folder / "patients.csv")
    pipeline = make_pipeline(Prepare(label="diagnosis"), FeatMAP(random_state=0)).fit(frame)
    np.testing.assert_array_equal(FeatMAP.load(folder / "p.featmap").embedding_, pipeline[-1].embedding_)
    new = frame.head(5).with_columns(pl.col("glucose_mg_dl") + 5, diagnosis=pl.lit(None))
    new.write_csv(folder / "new.csv")
    code, text, _ = call("transform", "p.featmap", "new.csv")
    lines = text.splitlines()
    assert (code, lines[0]) == (0, "x,y,outlier_score")
    places = np.array([[float(number) for number in line.split(",")] for line in lines[1:]])
    np.testing.assert_allclose(places[:, :2], pipeline.transform(new), rtol=1e-6)
    call("transform", "p.featmap", "new.csv", "-o", "new.npy")
    np.testing.assert_allclose(np.load(folder / "new.npy"), places, rtol=1e-6)


def test_columns_of_new_rows_are_found_by_their_names(call, refused, folder):
    X, names = np.unique(load_iris().data, axis=0), np.array(load_iris().feature_names)
    np.savez(folder / "iris.npz", X=X, feature_names=names)
    np.savez(folder / "other.npz", X=X[:, ::-1], feature_names=names[::-1])
    np.savez(folder / "fewer.npz", X=X[:, 1:], feature_names=names[1:])
    for scale in ("--scale", "--no-scale"):
        assert call("fit", "iris.npz", "-o", "iris.featmap", scale, "-q")[0] == 0
        code, text, said = call("transform", "iris.featmap", "other.npz")
        assert (code, said) == (0, "")
        places = np.loadtxt(text.splitlines()[1:], delimiter=",")[:, :2]
        np.testing.assert_allclose(places, FeatMAP.load(folder / "iris.featmap").embedding_, rtol=1e-6)
        assert "no column 'sepal length (cm)'" in refused("transform", "iris.featmap", "fewer.npz")


def test_explain_a_row_by_its_id_or_number(call):
    by_id, by_number = (call("explain", "p.featmap", "--row", row) for row in ("P007", "7"))
    assert by_id == by_number
    code, text, _ = by_id
    assert code == 0
    assert text.startswith("Diabetes among diabetes (14 of 14)")  # the file knows the labels
    found = json.loads(call("explain", "p.featmap", "--row", "7", "--json")[1])
    assert (found["name"], found["kind"], found["place"]["label"]) == ("P007", "typical", "diabetes")
    assert found["sentence"] in text
    given = table()
    for difference in found["differences"]:
        assert difference["value"] == given[difference["feature"]][7]  # mg/dl, not standard deviations
    found = json.loads(call("explain", "p.featmap", "--row", "7", "--row", "9", "--json")[1])
    assert found["rows"] == [7, 9]


def test_explain_groups_and_contrasts(call, folder):
    labels = ("--labels", "patients.csv:diagnosis")
    by_file, by_model = (call("explain", "p.featmap", *one, "--group", "diabetes") for one in (labels, ()))
    assert by_file == by_model
    assert re.match(r"These rows \(130 rows\): .*(right for \d+ of 100|elsewhere)", by_file[1])
    code, text, _ = call("explain", "p.featmap", *labels, "--group", "diabetes", "--against", "healthy")
    assert code == 0
    assert text.startswith("diabetes (130 rows) against healthy (130 rows)")
    assert any(line.split()[0] == "glucose_mg_dl" for line in text.splitlines() if line.strip())
    found = json.loads(call("explain", "p.featmap", *labels, "--group", "diabetes", "--against", "rest", "--json")[1])
    assert [feature["feature"] for feature in found["features"]].count("noise") == 1
    assert sum(feature["feature"].startswith("ward: ") for feature in found["features"]) == 1


def test_pictures_are_written(call, folder):
    pytest.importorskip("matplotlib")
    labels = ("--labels", "patients.csv:diagnosis")
    for arguments in (
        ("explain", "p.featmap", "--row", "3"),
        ("explain", "p.featmap", *labels, "--group", "diabetes", "--against", "healthy"),
        ("plot", "p.featmap", *labels),
        ("plot", "p.featmap", "--feature", "glucose_mg_dl"),
        ("plot", "p.featmap", "--names"),
    ):
        assert call(*arguments, "-o", "picture.png")[0] == 0
        assert (folder / "picture.png").read_bytes().startswith(b"\x89PNG")
        (folder / "picture.png").unlink()
    assert "must be a .png, .svg or .pdf" in call("plot", "p.featmap", "-o", "picture.txt")[2]


def test_metrics_are_those_of_the_library(call, folder):
    from featmap import metrics

    model = FeatMAP.load(folder / "p.featmap")
    rows = model._points.mapped.data.as_given(model._points.mapped.data.matrix)
    found = json.loads(call("metrics", "p.featmap", "--json")[1])
    assert found["trustworthiness"] == pytest.approx(metrics.trustworthiness(rows, model.embedding_))
    assert "trustworthiness" in call("metrics", "p.featmap", "--labels", "patients.csv:diagnosis")[1]


def test_doctor_finds_nothing_wrong(call):
    code, text, _ = call("doctor")
    assert code == 0
    assert "numpy" in text
    assert "click" in text
    assert "compiled kernels" in text
    assert "the map keeps its neighbours" in text


def test_explore_shows_the_columns_of_the_table(call, monkeypatch):
    def served(answers, **options):
        assert str(answers.feature_names_in_[-1]) == "ward: south"
        assert options["labels"].texts[:2] == ["healthy", "diabetes"]
        assert options["title"] == "p"
        raise FeatmapError("it was served")

    monkeypatch.setattr("featmap.explorer.serve", served)
    assert call("explore", "p.featmap", "--labels", "patients.csv:diagnosis") == (2, "", "featmap: it was served\n")


def test_wrong_use_is_told_in_one_sentence_and_ends_with_2(refused, folder):
    (folder / "text.doc").write_text("x")
    (folder / "bad.parquet").write_text("x")
    (folder / "one.csv").write_text("a,b\n1,2\n")
    np.save(folder / "flat.npy", np.arange(4))
    FeatMAP(n_epochs=5, random_state=0).fit(load_iris().data).save(folder / "unlabelled.featmap")
    for arguments, words in (
        (("map", "no.csv"), "'no.csv' does not exist"),
        (("map", "text.doc"), "the file must be .csv, .tsv"),
        (("map", "bad.parquet"), "cannot be read as a table"),
        (("map", "one.csv"), "has 1 rows; a map needs at least 2"),
        (("map", "flat.npy"), "must hold numbers in rows and columns"),
        (
            ("map", "patients.csv", "--label", "kind"),
            "--label kind: patients.csv has no such column; there are 'patient', 'hospital'",
        ),
        (("map", "patients.csv", "-o", "no/map.html", "-q"), "no/map.html could not be written"),
        (("explain", "p.featmap"), "say which rows"),
        (("explain", "p.featmap", "--row", "P999"), "'P999' is not a name of a row"),
        (("explain", "unlabelled.featmap", "--group", "diabetes"), "--group needs --labels"),
        (("explain", "p.featmap", "--labels", "patients.csv:diagnosis", "--group", "flu"), "no row has this label"),
        (("transform", "p.featmap", "one.csv"), "has 1 rows"),
        (("transform", "p.featmap", "patients.csv", "-o", "x.txt"), ".csv or .npy"),
        (("plot", "p.featmap", "-o", "a.png", "--names", "--feature", "noise"), "give one of"),
    ):
        assert words in refused(*arguments)


def damaged(folder):
    """Files of every kind that are not what their names say, with a word of the error."""
    X = load_iris().data
    np.savez(folder / "whole.npz", X=X)
    np.save(folder / "whole.npy", X)
    whole = {ending: (folder / f"whole.{ending}").read_bytes() for ending in ("npy", "npz")}
    for name, content, words in (
        ("empty.npy", b"", "is empty"),
        ("empty.npz", b"", "is empty"),
        ("half.npz", whole["npz"][:900], "damaged"),
        ("half.npy", whole["npy"][:900], "damaged"),
        ("head.npy", whole["npy"][:20], "damaged"),
        ("archive.npy", whole["npz"], "ends in .npz"),
        ("array.npz", whole["npy"], "ends in .npy"),
    ):
        (folder / name).write_bytes(content)
        yield name, words
    np.save(folder / "rows.npy", np.empty((0, 5)))
    np.save(folder / "columns.npy", np.empty((5, 0)))
    yield "rows.npy", "has 0 rows"
    yield "columns.npy", "has no columns"


def test_damaged_arrays_are_told_in_one_sentence(refused, folder):
    for name, words in damaged(folder):
        commands = [("map", name), ("transform", "p.featmap", name)]
        if name.endswith(".npy") and name not in ("rows.npy", "columns.npy"):
            commands.append(("metrics", "p.featmap", "--labels", name))
        for arguments in commands:
            said = refused(*arguments)
            assert words in said
            assert said.count("\n") == 1


def test_labels_must_be_finite(refused, folder):
    X = load_iris().data
    y = np.where(np.arange(150) == 3, np.inf, 1.5)
    np.savez(folder / "infinite.npz", X=X, y=y)
    table().with_columns(size=pl.Series(np.resize(y, 260))).write_csv(folder / "infinite.csv")
    for arguments, name in (
        (("map", "infinite.npz", "--label", "y"), "y"),
        (("map", "infinite.csv", "--label", "size"), "size"),
        (("plot", "p.featmap", "-o", "a.png", "--labels", "infinite.csv:size"), "size"),
    ):
        assert f"{name!r} has infinite values" in refused(*arguments)


def test_outputs_are_checked_before_anything_is_read(refused, monkeypatch):
    def never(*_):
        raise AssertionError("it was read")

    monkeypatch.setattr("featmap.tables.reading.read_source", never)
    monkeypatch.setattr(FeatMAP, "load", never)
    outputs = [
        (("map", "patients.csv"), "-o", "map.html"),
        (("map", "patients.csv"), "--text", "map.txt"),
        (("map", "patients.csv"), "--model", "map.featmap"),
        (("fit", "patients.csv"), "-o", "map.featmap"),
        (("transform", "p.featmap", "patients.csv"), "-o", "places.csv"),
        (("explain", "p.featmap", "--row", "0"), "-o", "why.png"),
        (("plot", "p.featmap"), "-o", "map.png"),
    ]
    for command, option, name in outputs:
        said = refused(*command, option, f"no/{name}")
        assert f"no/{name} could not be written: there is no folder" in said
    monkeypatch.setattr("os.access", lambda _, mode, **__: mode != os.W_OK)
    for command, option, name in outputs:
        assert "is not writable" in refused(*command, option, name)


@pytest.mark.filterwarnings("default")
def test_quiet_says_nothing(call, folder, monkeypatch):
    import logging
    import warnings

    from featmap.tables import reading

    def noisy(path):
        warnings.warn("a warning", UserWarning, stacklevel=1)
        logging.getLogger("featmap").warning("a remark")
        return read_source(path)

    monkeypatch.setattr(reading, "read_source", noisy)
    code, _, said = call("fit", "patients.csv", "-o", "q.featmap")
    assert code == 0
    assert "featmap: warning: a warning" in said
    assert "featmap: a remark" in said
    assert call("fit", "patients.csv", "-o", "q.featmap", "-q") == (0, "", "")


def interrupt(*_):
    raise KeyboardInterrupt


def half_a_page(*_):
    yield b"<!doctype html>"
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("patched", "stopped", "whole"),
    [
        ("featmap.FeatMAP.save", interrupt, set()),
        ("featmap.explorer.html.pieces", half_a_page, {"stopped.featmap"}),
    ],
    ids=["before anything is written", "while the page is written"],
)
def test_ctrl_c_ends_with_130_and_leaves_no_half_file(call, folder, monkeypatch, patched, stopped, whole):
    before = {path.name for path in folder.iterdir()}
    monkeypatch.setattr(patched, stopped)
    code, printed, said = call("map", "patients.csv", "-o", "stopped.html", "--model", "stopped.featmap", "-q")
    assert (code, printed, said.strip()) == (130, "", "")
    assert {path.name for path in folder.iterdir()} - before == whole
    (folder / "stopped.featmap").unlink(missing_ok=True)


INTERRUPTED = """
import signal
from featmap.cli import main
from featmap.run.progress import Progress
signal.signal(signal.SIGINT, signal.default_int_handler)
Progress.step = lambda *_: signal.raise_signal(signal.SIGINT)
main()
"""


def test_a_real_ctrl_c_ends_the_process_with_130_and_nothing_is_said_or_left(folder):
    before = set(folder.iterdir())
    command = [sys.executable, "-c", INTERRUPTED, "map", "patients.csv", "-o", "stopped.html"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (result.returncode, result.stdout, result.stderr.strip()) == (130, "", "")
    assert set(folder.iterdir()) == before


def test_python_m_featmap(folder):
    result = subprocess.run([sys.executable, "-m", "featmap"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, "featmap: Missing command.\n")


def test_help_lists_commands_and_their_options(call):
    text = call("--help")[1]
    for command in ("map", "fit", "transform", "explain", "explore", "plot", "metrics", "doctor"):
        assert f"  {command}" in text
    assert "--label" in call("map", "-h")[1]


def test_the_shell_completes_commands_and_options(call, monkeypatch):
    for name, value in (("_FEATMAP_COMPLETE", "bash_complete"), ("COMP_WORDS", "featmap ex"), ("COMP_CWORD", "1")):
        monkeypatch.setenv(name, value)
    assert set(call()[1].split()) == {"plain,explain", "plain,explore"}


def test_tables_are_read_by_their_ending(tmp_path):
    frame = table(30)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_csv(tmp_path / "a.tsv", separator="\t")
    frame.write_csv(tmp_path / "a.csv", separator=";")
    for name in ("a.parquet", "a.tsv", "a.csv"):
        assert read_source(str(tmp_path / name)).values.columns == frame.columns
    (tmp_path / "gaps.csv").write_text("a;b;c\n1,5;x;NA\n2,5;;3\n?;y;4\n")
    values = read_source(str(tmp_path / "gaps.csv")).values
    assert values.rows() == [(1.5, "x", None), (2.5, None, 3), (None, "y", 4)]


def test_decimal_commas_are_seen_in_all_columns_and_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name;size;mass\nSt. Mary;3;4\nSt. Ann;3,5;-1,25\n")
    assert read_source(str(path)).values["mass"].to_list() == [4, -1.25]
    path.write_text("name;size\na,b;1.5\nc,d;2.5\n")
    assert read_source(str(path)).values.rows() == [("a,b", 1.5), ("c,d", 2.5)]
    path = tmp_path / "a.TSV"
    path.write_text("name\tsize\na\t1,5\nb\t2,5\n")
    assert read_source(str(path)).values.rows() == [("a", 1.5), ("b", 2.5)]


def test_a_column_is_found_whatever_separates_it(tmp_path):
    (tmp_path / "a.CSV").write_text("kind;size\nx;1,5\ny;2,5\n")
    assert read_column(f"{tmp_path / 'a.CSV'}:kind", 2).texts == ["x", "y"]
    (tmp_path / "names.txt").write_text("person\nAdams, Ann\nBell, Bob\n")
    assert read_column(str(tmp_path / "names.txt"), 2).texts == ["Adams, Ann", "Bell, Bob"]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_texts_that_are_not_utf_8_are_refused(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_text("größe,b\n1,2\n3,4\n", encoding=encoding)
    for read in (lambda: read_source(str(path)), lambda: read_column(f"{path}:b", 2)):
        with pytest.raises(FeatmapError, match="not a text in UTF-8"):
            read()


def test_arrays_are_read_with_what_is_known_of_their_rows(tmp_path):
    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "iris.npz", X=X, y=y)
    source = read_source(str(tmp_path / "iris.npz"))
    np.testing.assert_array_equal(source.values, X)
    np.testing.assert_array_equal(source.columns["y"], y)
    np.save(tmp_path / "pictures.npy", np.zeros((5, 4, 3), np.uint8))
    assert read_source(str(tmp_path / "pictures.npy")).image_shape == (4, 3)
    np.savez(tmp_path / "two.npz", a=X, b=X)
    with pytest.raises(FeatmapError, match="name the array with the data X"):
        read_source(str(tmp_path / "two.npz"))
    np.save(tmp_path / "object.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(FeatmapError, match="not an array of numbers"):
        read_source(str(tmp_path / "object.npy"))


def test_a_folder_of_images_becomes_pixels(call, tmp_path):
    pictures = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for kind, shade in (("dark", 40), ("light", 200)):
        (tmp_path / "in" / kind).mkdir(parents=True)
        for number in range(20):
            pixels = rng.integers(shade - 30, shade + 30, (40, 60)).astype(np.uint8)
            pictures.fromarray(pixels).save(tmp_path / "in" / kind / f"{number}.png")
    source = read_source(str(tmp_path / "in"))
    assert source.values.shape == (40, 21 * 32)
    assert source.image_shape == (21, 32)
    assert set(source.columns["folder"]) == {"dark", "light"}
    assert source.ids[0] == "dark/0.png"
    assert source.names[33] == "row 1, column 1"
    assert read_column(f"{tmp_path / 'in'}:folder", 40).texts[19:21] == ["dark", "light"]
    with pytest.raises(FeatmapError, match="pictures have the column 'folder' only"):
        read_column(f"{tmp_path / 'in'}:kind", 40)
    code, text, _ = call("map", str(tmp_path / "in"), "--label", "folder", "-q")
    assert code == 0
    assert "40 images as 32 x 21 grey pixels; they were scaled to this size." in text
    assert (tmp_path / "in.html").exists()
    (tmp_path / "in" / "broken.png").write_bytes(b"no picture")
    with pytest.raises(FeatmapError, match=r"broken\.png cannot be read as an image"):
        read_source(str(tmp_path / "in"))


def test_h5ad_is_read_with_genes_and_annotations(tmp_path):
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    X = sp.csr_matrix(np.random.default_rng(0).poisson(0.5, (60, 8)).astype(np.float32)).log1p()
    obs = pd.DataFrame({"kind": ["B", "T"] * 30}, index=[f"cell {row}" for row in range(60)])
    var = pd.DataFrame(index=[f"gene {h}" for h in range(8)])
    anndata.AnnData(X, obs, var).write_h5ad(tmp_path / "cells.h5ad")
    source = read_source(str(tmp_path / "cells.h5ad"))
    assert source.names[2] == "gene 2"
    assert source.ids[3] == "cell 3"
    assert source.columns["kind"].tolist()[:2] == ["B", "T"]
    np.testing.assert_array_equal(source.values.toarray(), X.toarray())
    anndata.AnnData(obs=obs, var=var).write_h5ad(tmp_path / "without.h5ad")
    with pytest.raises(FeatmapError, match="has no X"):
        read_source(str(tmp_path / "without.h5ad"))


def normalised(counts):
    """Counts as a map of cells takes them."""
    return np.log1p(10_000 * counts / np.maximum(np.nansum(counts, axis=1, keepdims=True), 1))


@pytest.mark.parametrize("as_matrix", [sp.csr_matrix, sp.csc_matrix, np.asarray], ids=lambda make: make.__name__)
def test_counts_of_cells_are_normalised_and_their_logarithms_taken(as_matrix, tmp_path):
    anndata = pytest.importorskip("anndata")
    counts = np.random.default_rng(0).poisson(0.5, (60, 8))
    counts[3] = 0
    anndata.AnnData(as_matrix(counts.astype(np.float32))).write_h5ad(tmp_path / "counts.h5ad")
    source = read_source(str(tmp_path / "counts.h5ad"))
    assert source.text.startswith("Counts were divided by their sum in each cell and multiplied by 10,000;")
    np.testing.assert_allclose(dense(source.values), normalised(counts), rtol=1e-6)


def test_a_map_of_cells_is_made_of_the_components_that_they_have(call, folder):
    """As featmap.tl makes it; scaled genes have components of their own."""
    anndata = pytest.importorskip("anndata")
    from featmap import tl

    adata = anndata.AnnData(np.random.default_rng(0).gamma(1.0, 1.0, (120, 70)).astype(np.float32))
    pca = PCA(10, random_state=0).fit(adata.X)
    adata.obsm["X_pca"], adata.varm["PCs"] = pca.transform(adata.X), pca.components_.T
    adata.write_h5ad(folder / "genes.h5ad")
    code, _, said = call("fit", "genes.h5ad", "-o", "genes.featmap")
    assert code == 0, said
    assert "Neighbours and map are made of 10 components in X_pca." in said
    fitted = FeatMAP.load(folder / "genes.featmap")
    np.testing.assert_allclose(fitted.pca, pca.components_.T, atol=1e-6)
    tl.featmap(adata, n_neighbors=15)
    np.testing.assert_array_equal((fitted.graph_ > 0).toarray(), (adata.obsp["featmap_connectivities"] > 0).toarray())
    said = call("fit", "genes.h5ad", "-o", "b.featmap", "--scale")[2]
    assert "standard deviation 1.\nNeighbours and map are made of 10 principal components.\n" in said
    assert "are made of 5 principal components." in call("fit", "genes.h5ad", "-o", "c.featmap", "--pca", "5")[2]
    adata.obsm["X_pca"] = adata.obsm["X_pca"] ** 2  # no longer of these genes
    adata.write_h5ad(folder / "genes.h5ad")
    adata.obsm["X_pca"] = sp.csr_matrix(adata.obsm["X_pca"])  # no array
    adata.write_h5ad(folder / "sparse.h5ad")
    assert read_source(str(folder / "sparse.h5ad")).components == 50
    assert "are made of 50 principal components." in call("fit", "genes.h5ad", "-o", "d.featmap")[2]


@pytest.mark.parametrize("as_matrix", [sp.csr_matrix, np.asarray], ids=lambda make: make.__name__)
def test_gaps_and_infinities_among_counts(as_matrix, call, refused, folder):
    """A gap has no part in the sum of its cell. An infinite value is refused as in any other file."""
    anndata = pytest.importorskip("anndata")
    counts = np.random.default_rng(0).poisson(2.0, (60, 8)).astype(np.float32) + 1
    counts[3, 2] = np.nan
    anndata.AnnData(as_matrix(counts)).write_h5ad(folder / "gap.h5ad")
    found = dense(read_source(str(folder / "gap.h5ad")).values)
    np.testing.assert_allclose(found, normalised(counts), rtol=1e-6)
    said = call("fit", "gap.h5ad", "-o", "gap.featmap")[2]
    assert said.startswith("Counts were divided")
    assert "Gaps: " in said
    counts[3, 2] = np.inf
    anndata.AnnData(as_matrix(counts)).write_h5ad(folder / "infinite.h5ad")
    assert "infinit" in refused("fit", "infinite.h5ad", "-o", "infinite.featmap")


def test_of_scaled_genes_the_raw_ones_are_read(tmp_path):
    anndata = pytest.importorskip("anndata")
    logs = np.log1p(np.random.default_rng(0).gamma(1.0, 1.0, (60, 8))).astype(np.float32)
    adata = anndata.AnnData(logs)
    adata.raw = adata
    adata = adata[:, :5].copy()
    adata.X = adata.X - adata.X.mean(axis=0)
    pca = PCA(3, random_state=0).fit(adata.X)
    adata.obsm["X_pca"], adata.varm["PCs"] = pca.transform(adata.X), pca.components_.T  # not of all genes
    adata.write_h5ad(tmp_path / "cells.h5ad")
    source = read_source(str(tmp_path / "cells.h5ad"))
    assert source.text == "X has negative values, so the values are those of raw."
    assert source.components is None
    np.testing.assert_array_equal(source.values, logs)
    assert len(source.names) == 8


@pytest.mark.parametrize(
    ("shades", "mode", "expected"),
    [
        (np.arange(0, 240, 12, np.uint8).reshape(4, 5), "RGBA", np.arange(0, 240, 12)),
        (np.array([[0, 300, 20_000, 65_535]], np.uint16), "I;16", [0, 1, 78, 255]),
    ],
    ids=["in colours", "of 16 bits"],
)
def test_grey_pictures_keep_their_shades(tmp_path, shades, mode, expected):
    pictures = pytest.importorskip("PIL.Image")
    for number in range(2):
        pictures.fromarray(shades).convert(mode).save(tmp_path / f"{number}.png")
    source = read_source(str(tmp_path))
    assert source.image_shape == shades.shape
    np.testing.assert_array_equal(source.values, [expected, expected])


def test_gaps_of_labels_are_those_of_tables(tmp_path):
    (tmp_path / "y.csv").write_text("kind,n\nNA,1\nb,NA\n,3\n")
    assert read_column(f"{tmp_path / 'y.csv'}:kind", 3).values.tolist() == [None, "b", None]
    assert np.isnan(read_column(f"{tmp_path / 'y.csv'}:n", 3).values[1])


def test_a_feature_is_looked_up_by_its_name_first(call, folder, monkeypatch):
    from featmap import plot

    asked = []
    monkeypatch.setattr(plot, "feature", lambda answers, feature, ax: asked.append(feature))
    columns = load_iris().data
    pl.DataFrame({name: columns[:, h] for h, name in enumerate(("5", "3", "a", "b"))}).write_csv(folder / "years.csv")
    assert call("fit", "years.csv", "-o", "years.featmap", "-q")[0] == 0
    for feature in ("5", "3", "2"):
        assert call("plot", "years.featmap", "-o", "years.png", "--feature", feature)[0] == 0
    assert asked == ["5", "3", 2]


def test_the_rest_are_rows_with_a_label(call, folder):
    labels = ["", *(["x", "y"][row % 2] for row in range(259))]
    (folder / "some.csv").write_text("\n".join(["kind", *labels]) + "\n")
    code, printed, said = call("explain", "p.featmap", "--labels", "some.csv", "--group", "x", "--against", "rest")
    assert code == 0, said
    assert printed.startswith("x (130 rows) against the rest (129 rows)")


@pytest.mark.filterwarnings("default")
def test_metrics_of_few_rows_leave_out_those_of_labels(call, folder):
    table(60).write_csv(folder / "few.csv")
    assert call("fit", "few.csv", "-o", "few.featmap", "--label", "diagnosis", "-q")[0] == 0
    code, printed, said = call("metrics", "few.featmap", "--labels", "few.csv:diagnosis", "--json")
    assert code == 0, said
    assert json.loads(printed) == json.loads(call("metrics", "few.featmap", "--json")[1])
    assert said == "featmap: warning: metrics: 60 rows are too few for scores of labels, which are left out\n"


def test_a_scaled_model_of_sparse_cells_places_new_ones(call, folder):
    anndata = pytest.importorskip("anndata")
    X = sp.csr_matrix(np.random.default_rng(0).poisson(0.5, (90, 8)).astype(np.float32)).log1p()
    anndata.AnnData(X).write_h5ad(folder / "cells.h5ad")
    assert call("fit", "cells.h5ad", "-o", "cells.featmap", "--scale", "-q")[0] == 0
    code, _, said = call("transform", "cells.featmap", "cells.h5ad", "-o", "cells.npy")
    assert code == 0, said
    model = FeatMAP.load(folder / "cells.featmap")
    expected = model.transform(model.recipe_.prepared(X.toarray(), [str(h) for h in range(8)]))
    np.testing.assert_array_equal(np.load(folder / "cells.npy")[:, :2], expected)


@pytest.mark.parametrize(
    ("package", "file", "extra"),
    [("polars", "a.csv", "io"), ("anndata", "a.h5ad", "anndata"), ("PIL", "pictures", "datasets")],
)
def test_a_missing_package_names_its_extra(package, file, extra, tmp_path, monkeypatch):
    if file == "pictures":
        (tmp_path / file).mkdir()
        for number in range(2):
            (tmp_path / file / f"{number}.png").write_bytes(b"")
    else:
        (tmp_path / file).write_text("a,b\n1,2\n")
    monkeypatch.setitem(sys.modules, "PIL.Image" if package == "PIL" else package, None)
    with pytest.raises(FeatmapError, match=rf"pip install 'featmap\[{extra}\]'"):
        read_source(str(tmp_path / file))
