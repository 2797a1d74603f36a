"""The record of a map and the HTML file that holds it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA

from explorer import head_of_file
from featmap import FeatMAP, InvalidDataError, InvalidParameterError, StoreError, explain
from featmap.data.scaling import scale_data
from featmap.explorer import coding, html
from featmap.explorer.carrying import carried, carried_in_16_bits
from featmap.explorer.hashing import hashed, sampled
from featmap.values import Order
from hostile import HOSTILE


class Elements(HTMLParser):
    """The text of every element that has an id, as a browser would read it."""

    def __init__(self, text):
        super().__init__()
        self.found, self.at, self.title, self.policy, self.runs = {}, None, "", "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.at = attrs.get("id", tag)
        self.found[self.at] = ""
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag == "script" and "type" not in attrs:
            self.runs.append(self.at)

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        if self.at:
            self.found[self.at] += data


def read(path):
    """The elements of a page on which no script runs but its own."""
    page = Elements(path.read_text(encoding="utf-8"))
    assert page.runs == ["script"]
    return page


def part_of(path, name, dtype):
    bytes_ = gzip.decompress(base64.b64decode(read(path).found[f"featmap-part-{name}"]))
    return np.frombuffer(bytes_, dtype)


def test_hashes_are_written_down_and_look_random():
    """`web/src/core/hash.ts` gives the same: these numbers must never change."""
    assert hashed(0, np.arange(4)).tolist() == [2926543089, 2692512407, 242732726, 2115752334]
    assert hashed(7, np.array([70_000])).tolist() == [1785657897]
    assert sampled(np.arange(100, dtype=np.int32), 5, 0).tolist() == [2, 15, 73, 85, 96]
    numbers = hashed(1, np.arange(100_000)) / 2**32
    assert abs(numbers.mean() - 0.5) < 0.005
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.01
    assert len(np.unique(hashed(2, np.arange(100_000)))) > 99_990


def test_neighbours_are_decoded_to_what_they_were(rng):
    order = Order.of(rng.permutation(50).astype(np.int32))
    indices = rng.integers(0, 50, (50, 4)).astype(np.int32)
    part = coding.neighbours("n", indices, order)
    planes = np.frombuffer(gzip.decompress(part.compressed), np.uint8).reshape(4, -1).T
    zigzag = np.ascontiguousarray(planes).view("<u4").reshape(50, 4).astype(np.int64)
    steps = (zigzag >> 1) ^ -(zigzag & 1)
    back = np.empty_like(indices)
    back[order.rows] = order.rows[np.arange(50)[:, None] + steps]
    np.testing.assert_array_equal(back, indices)


@pytest.mark.parametrize(
    ("first", "type_"),
    [
        *(([0, 255], "u8"), ([-5, 100], "i8"), ([0, 256], "u16"), ([0, -256], "i16")),
        *(([0, 70_000], "f32"), ([0, 0.5], "f32")),
    ],
)
def test_whole_numbers_are_carried_as_they_are(first, type_):
    rows = np.array([first, [3, 7], [9, 9]])
    dense, sparse = carried(scale_data(rows)), carried(scale_data(sp.csr_matrix(rows)))
    assert dense.parts[0].type == sparse.parts[0].type == type_
    assert dense.is_exact
    if type_ != "f32":
        dtype = f"<{type_[0]}{int(type_[1:]) // 8}"
        np.testing.assert_array_equal(np.frombuffer(gzip.decompress(dense.parts[0].compressed), dtype), rows.ravel())


def test_rounding_to_16_bits_is_within_half_a_step(rng):
    data = scale_data(rng.normal(size=(300, 5)) * [1, 10, 0.1, 1, 0])
    found = carried_in_16_bits(data)
    width = np.ptp(data.matrix, axis=0)
    assert (np.abs(found.data.matrix - data.matrix) <= width / 65535 * 0.51 + 1e-7).all()
    assert (found.data.matrix[:, 4] == data.matrix[:, 4]).all()


def test_the_head_says_what_the_file_holds(iris, iris_model, tmp_path):
    path = tmp_path / "iris.html"
    other = PCA(2).fit_transform(iris.data)
    columns = pd.DataFrame({"length": iris.data.iloc[:, 0], "kind": np.array(["a", "b", None])[np.arange(150) % 3]})
    iris_model.to_html(path, labels=iris.target, columns=columns, maps={"PCA": other}, title="Iris")
    head = head_of_file(path)
    assert head["format"] == "featmap-record/1"
    assert head["featureNames"] == iris.feature_names
    assert [column["name"] for column in head["columns"]] == ["target", "length", "kind"]
    assert [column["kind"] for column in head["columns"]] == ["category", "number", "category"]
    assert head["columns"][2]["categories"] == ["a", "b"]
    assert part_of(path, "column2", "u1").tolist() == [0, 1, 255] * 50
    assert head["maps"] == [{"name": "PCA", "part": "map0"}]
    np.testing.assert_array_equal(part_of(path, "map0", "<f4").reshape(-1, 2), other.astype(np.float32))
    np.testing.assert_array_equal(part_of(path, "places", "<f4").reshape(-1, 2), iris_model.embedding_)
    assert head["seed"] == 0
    assert head["parameters"]["n_epochs"] == "50"
    assert "contains the data" in head["notes"][0]
    assert "contains the data" in read(path).found["p"]
    assert head["trust"]["sentence"] == iris_model.trust().sentence


def test_one_model_gives_one_file(iris, iris_model, tmp_path):
    for name in ("a.html", "b.html"):
        iris_model.to_html(tmp_path / name, labels=iris.target)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_only_the_pages_own_script_and_style_may_run(iris_model, tmp_path):
    iris_model.to_html(tmp_path / "page.html")
    page = read(tmp_path / "page.html")
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.found[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page.policy
    assert "default-src 'none'" in page.policy
    assert "unsafe" not in page.policy
    assert "http" not in page.policy
    assert not re.search(r"(src|href)=", html.PAGE)  # nothing is loaded from anywhere


@pytest.fixture(scope="module")
def few_rows():
    return FeatMAP(n_epochs=5, n_neighbors=5, random_state=0).fit(load_iris().data[:40])


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_title_and_label_stay_strings(few_rows, text, tmp_path):
    path = tmp_path / "page.html"
    few_rows.to_html(path, labels=[text, "b"] * 20, columns={text: np.arange(40)}, title=text)
    head = json.loads(read(path).found["featmap-head"])
    assert text in head["columns"][0]["categories"]
    assert head["columns"][1]["name"] == text
    assert head["title"] == text


def test_hostile_features_and_ids_stay_strings(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(len(HOSTILE), len(HOSTILE))), columns=pd.Index(HOSTILE, dtype=object))
    model = FeatMAP(n_epochs=5, n_neighbors=5, random_state=0).fit(rows)
    model.to_html(tmp_path / "page.html", ids=HOSTILE)
    head = json.loads(read(tmp_path / "page.html").found["featmap-head"])
    assert head["featureNames"] == HOSTILE
    assert head["ids"] == HOSTILE


def test_chosen_rows_and_features_are_all_that_is_there(iris, tmp_path):
    data = iris.data.rename(index=lambda i: f"flower {i}")
    model = FeatMAP(n_epochs=20, random_state=0).fit(data)
    path, features = tmp_path / "page.html", ["petal length (cm)", "sepal length (cm)"]
    model.to_html(path, rows=slice(0, 100), features=features, labels=iris.target)
    head = head_of_file(path)
    assert (head["nRows"], head["nFeatures"]) == (100, 2)
    assert head["featureNames"] == ["sepal length (cm)", "petal length (cm)"]
    assert head["ids"][99] == "flower 99"
    assert head["columns"][0]["categories"] == ["0", "1", "2"]
    assert len(part_of(path, "column0", "u1")) == 100
    assert "100 of 150 rows" in head["notes"][1]
    assert "2 of 4 features" in head["notes"][2]
    text = path.read_text(encoding="utf-8")
    assert "flower 100" not in text
    assert "petal width" not in text


def test_chosen_rows_keep_the_components(iris):
    """Weights of a metric are those of the model's components."""
    kwds = {"w": np.array([1.0, 10.0])}
    parameters = {"pca": 2, "metric": "minkowski", "metric_kwds": kwds, "n_epochs": 20, "random_state": 0}
    model = FeatMAP(**parameters).fit(iris.data)
    part = html.part_of(model._answers, np.arange(50, 100), None)
    whole, kept = (points.mapped.manifold.components for points in (model._points, part.points))
    np.testing.assert_array_equal(kept.directions, whole.directions)


def test_chosen_features_keep_the_graph(iris_model, tmp_path):
    iris_model.to_html(tmp_path / "all.html")
    iris_model.to_html(tmp_path / "some.html", features=[0, 2, 3])
    all_, some = (read(tmp_path / name).found for name in ("all.html", "some.html"))
    for part in ("featmap-part-neighbours", "featmap-part-places"):
        assert all_[part] == some[part]


def test_an_explanation_can_be_written_but_not_of_new_rows(iris, iris_model, tmp_path):
    other = explain(iris.data, PCA(2).fit_transform(iris.data))
    other.to_html(tmp_path / "other.html")
    assert head_of_file(tmp_path / "other.html")["maker"] == "Explanation"
    other[:60].to_html(tmp_path / "part.html")
    assert head_of_file(tmp_path / "part.html")["nRows"] == 60
    with pytest.raises(InvalidParameterError, match="new rows"):
        iris_model.explain(iris.data + 0.1).to_html(tmp_path / "new.html")


def test_what_is_too_large_is_refused_with_advice(iris_model, tmp_path, monkeypatch):
    monkeypatch.setattr(html, "MOST_BYTES", 1000)
    (tmp_path / "page.html").write_text("old")
    with pytest.raises(InvalidParameterError, match=r"MB.*rows=.*features=.*featmap explore"):
        iris_model.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "old"


def test_sparse_data_are_carried_sparse(tmp_path):
    rows = sp.csr_matrix(load_digits().data[:200])
    model = FeatMAP(n_epochs=5, random_state=0).fit(rows)
    model.to_html(tmp_path / "page.html")
    assert head_of_file(tmp_path / "page.html")["data"]["form"] == "sparse"
    np.testing.assert_array_equal(part_of(tmp_path / "page.html", "x", "u1"), rows.data)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"labels": [0, 1]}, InvalidDataError, "labels"),
        ({"columns": [0, 1]}, InvalidParameterError, "columns"),
        ({"columns": {"a": [1]}}, InvalidDataError, "columns"),
        ({"ids": ["a"]}, InvalidDataError, "ids"),
        ({"image_shape": (2, 3)}, InvalidParameterError, "image_shape"),
        ({"image_shape": "2x2"}, InvalidParameterError, "image_shape"),
        ({"maps": {"a": np.zeros((3, 2))}}, InvalidDataError, "maps"),
        ({"maps": [1]}, InvalidParameterError, "maps"),
        ({"rows": [0]}, InvalidParameterError, "at least 2 rows"),
        ({"features": []}, InvalidParameterError, "at least one feature"),
        ({"features": ["no such"]}, InvalidParameterError, "no such"),
    ],
)
def test_wrong_arguments_are_refused(iris_model, tmp_path, arguments, error, match):
    with pytest.raises(error, match=match):
        iris_model.to_html(tmp_path / "page.html", **arguments)
    assert not (tmp_path / "page.html").exists()


def test_a_folder_is_not_replaced(iris_model, tmp_path):
    with pytest.raises(StoreError):
        iris_model.to_html(tmp_path)
