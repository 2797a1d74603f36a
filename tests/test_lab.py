"""What benchmarks and experiments share: files, tables, parts of data, methods; and the commands that pages name."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from experiments.figures import EXPERIMENTS
from experiments.maps import COMPARED, METHODS
from featmap import FeatMAP
from lab.data.images import load_images
from lab.data.labelled import CHOOSING, CONFIRMING, labelled
from lab.data.parts import part_of, random_part
from lab.files import replacing, write_text
from lab.pages import put_between, table
from lab.pieces import pieces_per_class
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


def test_a_part_of_ten_thousand_is_always_the_same_and_in_order(data_set):
    data_set("mnist")
    whole, part = load_images("MNIST"), labelled("MNIST 10k")
    rows = np.sort(np.random.default_rng(0).choice(70_000, 10_000, replace=False))
    np.testing.assert_array_equal(part.data, whole.data[rows])
    np.testing.assert_array_equal(part.target, whole.target[rows])
    assert part.data.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "file", "shape"), [("KMNIST", "kmnist_test", (10_000, 784)), ("letters", "letters", (20_000, 16))]
)
def test_sets_for_confirmation_are_rows_of_float32(name, file, shape, data_set):
    data_set(file)
    data = labelled(name)
    assert data.data.dtype == np.float32
    assert data.data.shape == shape
    assert len(data.target) == len(data.data)


def test_no_set_is_for_choosing_and_for_confirming():
    assert not set(CHOOSING) & set(CONFIRMING)


def test_quality_has_the_accuracy_of_ten_neighbors_beside_the_metrics(rng):
    labels = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 3)) + 20 * labels[:, None]
    scores = Quality(X, labels).of(X[:, :2])
    assert scores[TEN_NEIGHBORS] == 1
    assert {"trustworthiness", "continuity", "density_correlation", "knn_accuracy"} <= set(scores)


def test_every_method_compared_can_be_made():
    assert set(COMPARED) <= set(METHODS)


def test_naming_the_methods_imports_none_of_their_packages():
    """Benchmarks time the import together with the first fit."""
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
    """From the spectrum of the graph it fell into three."""
    X, y = load_digits(return_X_y=True)
    assert pieces_per_class(FeatMAP(random_state=seed).fit_transform(X), y)[1] == 2
