"""What benchmarks and experiments share: files, tables, parts of data, methods; and the commands that pages name."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from experiments.figures import EXPERIMENTS
from experiments.maps import COMPARED, METHODS
from featmap import FeatMAP
from lab.data.confirmation import load_letters
from lab.data.images import load_images
from lab.data.parts import part_of, random_part
from lab.files import replacing, write_text
from lab.kept_maps import KeptMaps
from lab.pages import put_between, table
from lab.peers import PEERS
from lab.quality import TEN_NEIGHBORS, Quality

ROOT = Path(__file__).parent.parent
PAGES = [path for folder in (".", "docs", "benchmarks", "experiments") for path in (ROOT / folder).glob("*.md")]


def write_half(path):
    with replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError("stopped")


def test_a_file_keeps_its_text_when_writing_fails(tmp_path):
    path = tmp_path / "new folder" / "page.md"
    write_text(path, "whole")
    with pytest.raises(RuntimeError, match="stopped"):
        write_half(path)
    assert path.read_text() == "whole"
    assert [file.name for file in path.parent.iterdir()] == ["page.md"]


def test_a_table_fills_short_rows():
    assert table(("a", "b"), [["1"], ["2", "3"]]) == "| a | b |\n|---|---|\n| 1 |  |\n| 2 | 3 |"


def test_only_what_stands_between_the_marks_is_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before <!--b--> old <!--e--> after")
    put_between(page, "<!--b-->", "<!--e-->", "new\n")
    assert page.read_text() == "before <!--b-->\n\nnew\n\n<!--e--> after"


def test_a_part_has_the_same_rows_in_every_field():
    data = Bunch(
        data=np.arange(8).reshape(4, 2), target=np.arange(4), angle=np.arange(4) * 90, feature_names=list("ab")
    )
    part = part_of(data, np.array([3, 1]))
    assert part.data[:, 0].tolist() == [6, 2]
    assert part.target.tolist() == [3, 1]
    assert part.angle.tolist() == [270, 90]
    assert part.feature_names == ["a", "b"]
    assert len(data.target) == 4
    some = random_part(data, 3)
    assert len(set(some.target.tolist())) == 3
    assert (some.data[:, 0] == 2 * some.target).all()


@pytest.mark.parametrize(
    ("load", "file", "shape"),
    [(lambda: load_images("KMNIST"), "kmnist_test", (10_000, 784)), (load_letters, "letters", (20_000, 16))],
    ids=["KMNIST", "letters"],
)
def test_sets_for_confirmation_have_a_label_for_each_row(load, file, shape, data_set):
    data_set(file)
    data = load()
    assert data.data.shape == shape
    assert len(data.target) == len(data.data)


def test_kept_maps_are_made_once_with_their_cost(tmp_path):
    calls = []

    def make(X, settings):
        calls.append(settings.seed)
        return X[:, :2] + settings.seed

    method = replace(PEERS["UMAP"], make=make)
    kept = KeptMaps(tmp_path, {"a method": method}, lambda name: Bunch(data=np.ones((5, 3)) * len(name)))
    assert not kept.has("data", "a method", 3)
    for _ in range(2):
        np.testing.assert_array_equal(kept.load("data", "a method", 3), np.full((5, 2), 7))
    assert calls == [3]
    assert set(kept.cost("data", "a method", 3)) == {"seconds", "cpu_seconds"}


def test_quality_has_the_accuracy_of_ten_neighbors_beside_the_metrics(rng):
    labels = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 3)) + 20 * labels[:, None]
    scores = Quality(X, labels).of(X[:, :2])
    assert scores[TEN_NEIGHBORS] == 1
    assert {"trustworthiness", "continuity", "density_correlation", "knn_accuracy"} <= set(scores)


def test_every_method_compared_can_be_named_without_importing_its_package():
    """Benchmarks time the import together with the first fit."""
    assert set(COMPARED) <= set(METHODS)
    code = "import lab.peers, sys; print(*{'umap', 'numba', 'sklearn', 'openTSNE', 'pacmap'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_tells_to_run_exist(page):
    named = re.findall(r"python -m ((?:benchmarks|experiments)[\w.]*)", page.read_text())
    assert [module for module in named if find_spec(module) is None] == []
    assert re.findall(r"python (?:benchmarks|experiments)/", page.read_text()) == []


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_page_of_an_experiment_names_its_command(name):
    assert f"\npython -m experiments.figures {name}\n" in (ROOT / "experiments" / name / "README.md").read_text()
    assert find_spec(f"experiments.{name}.experiment") is not None


@pytest.mark.parametrize("seed", [0, 1])
def test_digit_one_of_the_default_map_is_in_two_pieces(seed):
    """From the spectrum of the graph it fell into three: points linked by steps of 5 % of the map's extent."""
    X, y = load_digits(return_X_y=True)
    embedding = FeatMAP(random_state=seed).fit_transform(X)
    step = 0.05 * np.ptp(np.quantile(embedding, (0.005, 0.995), axis=0), axis=0).max()
    linked = AgglomerativeClustering(n_clusters=None, distance_threshold=step, linkage="single")
    sizes = np.bincount(linked.fit_predict(embedding[y == 1].astype(float)))
    assert np.count_nonzero(sizes >= 0.05 * sizes.sum()) == 2
