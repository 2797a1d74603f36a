"""Data sets as they are loaded: what they hold, and the errors for a folder with wrong files."""

from __future__ import annotations

import hashlib
import io
import math
import re
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from featmap import DatasetError, FeatmapError, InvalidParameterError, datasets
from lab.data import cell_files, confirmation

MNIST_TEST = {"X_test": np.zeros((10_000, 784), np.uint8), "y_test": np.arange(10_000, dtype=np.uint8) % 10}
PALMERPENGUINS = "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93"  # SHA-256, published by its users


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATMAP_DATA", str(tmp_path))
    return tmp_path


# Real data


@pytest.mark.parametrize(
    ("load", "first", "counts"),
    [
        (datasets.load_mnist, "5", [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]),
        (datasets.load_fashion_mnist, "Ankle boot", [7000] * 10),
    ],
)
def test_mnist(data_set, load, first, counts):
    stored = data_set(load.__name__.removeprefix("load_"))
    images = load()
    assert images.data.shape == (70_000, 784)
    assert images.data.dtype == np.uint8
    assert (images.data.min(), images.data.max()) == (0, 255)
    assert images.target_names[images.target[0]] == first
    np.testing.assert_array_equal(np.bincount(images.target), counts)
    assert images.target_names == stored.get("class_names", np.arange(10).astype(str)).tolist()
    assert images.image_shape == (28, 28)
    assert images.feature_names[28 * 2 + 3] == "r2c3"
    X, y = load(subset="test", return_X_y=True)
    np.testing.assert_array_equal(X, images.data[60_000:])
    np.testing.assert_array_equal(y, images.target[60_000:])


def test_coil20(data_set):
    stored = data_set("coil20")
    images = datasets.load_coil20()
    np.testing.assert_array_equal(images.data.reshape(-1, *images.image_shape), stored["X"])
    np.testing.assert_array_equal(np.bincount(images.target), [0, *[72] * 20])
    np.testing.assert_array_equal(images.angle[:73], [*range(0, 360, 5), 0])
    assert len(images.feature_names) == 128 * 128
    assert images.feature_names[128 * 2 + 3] == "r2c3"


def test_cifar10(data_set):
    stored = data_set("cifar10_test")
    images = datasets.load_cifar10(subset="test")
    assert images.data.shape == (10_000, 3072)
    assert images.data.dtype == np.uint8
    np.testing.assert_array_equal(np.bincount(images.target), [1000] * 10)
    assert images.target_names == stored["class_names"].tolist()
    assert images.filename[0] == "mouser_s_001570.png"
    assert images.target_names[images.target[0]] == "cat"


# Penguins, which come with the package


def test_penguins():
    penguins = datasets.load_penguins()
    assert penguins.data.shape == (342, 4)
    assert penguins.data.dtype == np.float32
    np.testing.assert_array_equal(penguins.data[0], np.float32([39.1, 18.7, 181, 3750]))
    np.testing.assert_array_equal(penguins.data[-1], np.float32([50.2, 18.7, 198, 3775]))
    assert penguins.feature_names == ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
    assert penguins.target_names == ["Adelie", "Chinstrap", "Gentoo"]
    np.testing.assert_array_equal(np.bincount(penguins.target), [151, 68, 123])
    named = [penguins.target_names[code] for code in penguins.target[[0, 151, -1]]]
    assert named == ["Adelie", "Gentoo", "Chinstrap"]
    assert set(penguins.island) == {"Biscoe", "Dream", "Torgersen"}
    assert dict(zip(*np.unique(penguins.year, return_counts=True), strict=True)) == {2007: 109, 2008: 114, 2009: 119}
    sexes = dict(zip(*np.unique(penguins.sex, return_counts=True), strict=True))
    assert sexes == {"female": 165, "male": 168, "unknown": 9}
    assert np.isfinite(penguins.data).all()


def test_the_table_of_penguins_is_the_published_one():
    table = files("featmap.datasets").joinpath("penguins.csv").read_bytes()
    assert hashlib.sha256(table).hexdigest() == PALMERPENGUINS
    _, *rows = table.decode().splitlines()
    assert len(rows) == 344
    assert sum(",NA,NA,NA,NA," in row for row in rows) == 2


def test_penguins_are_those_of_the_data_folder(data_set):
    stored = data_set("penguins")
    penguins = datasets.load_penguins()
    np.testing.assert_array_equal(penguins.data, stored["X"])
    np.testing.assert_array_equal(np.array(penguins.target_names)[penguins.target], stored["species"])
    for name in ("island", "sex", "year"):
        np.testing.assert_array_equal(penguins[name], stored[name])


def test_a_bunch_or_a_pair():
    penguins = datasets.load_penguins()
    assert isinstance(penguins, Bunch)
    assert penguins.DESCR.startswith("Palmer penguins")
    assert "CC0" in penguins.DESCR
    assert penguins.image_shape is None
    X, y = datasets.load_penguins(return_X_y=True)
    np.testing.assert_array_equal(X, penguins.data)
    np.testing.assert_array_equal(y, penguins.target)
    penguins.feature_names.clear()
    assert len(datasets.load_penguins().feature_names) == 4, "a bunch that was changed does not change the next"


# Parameters and names


@pytest.mark.parametrize("subset", ["validation", None, ["train"]])
@pytest.mark.parametrize("load", [datasets.load_mnist, datasets.load_fashion_mnist, datasets.load_cifar10])
def test_unknown_subset(load, subset):
    expected = rf"{load.__name__}\(subset=.*subset must be 'all', 'train' or 'test'"
    with pytest.raises(InvalidParameterError, match=expected):
        load(subset=subset)


@pytest.mark.parametrize("subset", ["all", "train"])
def test_the_folder_has_only_the_test_set_of_cifar10(folder, subset):
    with pytest.raises(DatasetError, match=r"only the test set, .*use subset='test', or unset FEATMAP_DATA"):
        datasets.load_cifar10(subset=subset)


def test_public_names_and_the_base_classes_of_the_error():
    assert all(callable(getattr(datasets, name)) for name in datasets.__all__)
    assert len(datasets.__all__) == 5
    assert issubclass(DatasetError, FeatmapError)
    assert issubclass(DatasetError, OSError)


# The folder


def test_what_is_not_downloaded_needs_no_extra_packages(folder, monkeypatch):
    """A file of the folder; penguins need not even that."""
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert datasets.load_penguins().data.shape == (342, 4)
    np.savez_compressed(folder / "mnist.npz", **MNIST_TEST)
    X, y = datasets.load_mnist(subset="test", return_X_y=True)
    assert X.shape == (10_000, 784)
    np.testing.assert_array_equal(y, MNIST_TEST["y_test"])


def test_a_missing_file(folder):
    with pytest.raises(DatasetError, match=r"mnist\.npz is missing in this folder.*unset FEATMAP_DATA to download"):
        datasets.load_mnist()


@cache
def damaged_files():
    content = io.BytesIO()
    np.savez_compressed(content, **MNIST_TEST)
    whole = content.getvalue()
    single = io.BytesIO()
    np.save(single, MNIST_TEST["y_test"])
    flipped = bytearray(whole)
    flipped[400] ^= 255
    return {
        "empty": b"",
        "truncated": whole[:-100],
        "half": whole[: len(whole) // 2],
        "text": b"<html></html>",
        "one array": single.getvalue(),
        "one byte flipped": bytes(flipped),
    }


@pytest.mark.parametrize("kind", damaged_files())
def test_a_damaged_file(folder, kind):
    (folder / "mnist.npz").write_bytes(damaged_files()[kind])
    expected = r"mnist\.npz cannot be read .*replace it with a good copy, or unset FEATMAP_DATA"
    with pytest.raises(DatasetError, match=expected):
        datasets.load_mnist(subset="test")


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"X_test": MNIST_TEST["X_test"]}, r"mnist\.npz cannot be read .*y_test"),
        (MNIST_TEST | {"y_test": np.array(["0"] * 10_000, object)}, r"mnist\.npz cannot be read .*allow_pickle"),
        (
            MNIST_TEST | {"X_test": np.zeros((10_000, 785), np.uint8)},
            r"X_test has shape \(10000, 785\), expected \(10000, 784\)",
        ),
    ],
    ids=["one is missing", "pickled", "other shape"],
)
def test_a_file_of_wrong_arrays(folder, arrays, says):
    np.savez_compressed(folder / "mnist.npz", **arrays)
    with pytest.raises(DatasetError, match=says):
        datasets.load_mnist(subset="test")


# Sets of experiments and benchmarks


@pytest.mark.parametrize(
    ("load", "file", "shape", "n_types", "marker", "kind"),
    [
        (cell_files.load_pbmc3k, "pbmc3k", (2638, 13714), 9, "MS4A1", "B"),
        (cell_files.load_paul15, "paul15", (2730, 3451), 19, "Pf4", "8Mk"),
    ],
)
def test_single_cells(data_set, load, file, shape, n_types, marker, kind):
    data_set(file)
    cells = load()
    assert cells.data.shape == shape
    assert cells.data.format == "csr"
    assert cells.data.dtype == np.int32
    assert cells.data.data.min() >= 1
    assert len(cells.feature_names) == len(set(cells.feature_names)) == shape[1]
    assert len(cells.target) == shape[0]
    assert len(set(cells.target)) == n_types
    counts = cells.data[:, cells.feature_names.index(marker)].toarray().ravel()
    is_kind = cells.target == kind
    assert counts[is_kind].mean() > 10 * counts[~is_kind].mean(), "genes and labels belong to their columns and rows"


@pytest.mark.parametrize(
    ("load", "file", "shape", "n_classes", "of_each"),
    [
        (confirmation.load_kmnist, "kmnist_test", (10000, 784), 10, 1000),
        (confirmation.load_letters, "letters", (20000, 16), 26, 734),
    ],
)
def test_sets_for_confirmation(data_set, load, file, shape, n_classes, of_each):
    data_set(file)
    loaded = load()
    assert loaded.data.shape == shape
    counts = np.unique(loaded.target, return_counts=True)[1]
    assert (len(counts), counts.min(), counts.sum()) == (n_classes, of_each, shape[0])
    if loaded.image_shape is None:
        assert len(set(loaded.feature_names)) == shape[1]
    else:
        assert math.prod(loaded.image_shape) == shape[1]


IN_FOLDER_ONLY = {
    cell_files.load_pbmc3k: "pbmc3k",
    cell_files.load_paul15: "paul15",
    confirmation.load_kmnist: "kmnist_test",
    confirmation.load_letters: "letters",
}


@pytest.mark.parametrize("load", IN_FOLDER_ONLY)
def test_sets_that_are_not_downloaded_need_the_folder(load, folder, monkeypatch):
    file = IN_FOLDER_ONLY[load] + r"\.npz"
    with pytest.raises(DatasetError, match=rf"FEATMAP_DATA=.*{file} is missing in this folder"):
        load()
    monkeypatch.delenv("FEATMAP_DATA")
    with pytest.raises(DatasetError, match=rf"FEATMAP_DATA is not set: .*folder that holds {file}"):
        load()


# The page on the folder

PAGE = (Path(__file__).parent.parent / "docs" / "datasets.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| `(load_\w+)` \| `(\w+\.npz)` \| (.*) \|$", PAGE, re.MULTILINE)


def test_the_page_lists_every_loader_that_reads_a_file():
    of_package = set(datasets.__all__) - {"load_penguins"}
    assert {loader for loader, _, _ in LINES} == of_package | {load.__name__ for load in IN_FOLDER_ONLY}


@pytest.mark.parametrize(("loader", "file", "_"), LINES, ids=[loader for loader, _, _ in LINES])
def test_the_page_has_the_files_that_are_read(loader, file, _, folder):
    options = {"subset": "test"} if loader == "load_cifar10" else {}
    load = getattr(datasets, loader, None) or {load.__name__: load for load in IN_FOLDER_ONLY}[loader]
    with pytest.raises(DatasetError, match=rf"{file} is missing in this folder"):
        load(**options)


@pytest.mark.parametrize(("loader", "file", "arrays"), LINES, ids=[loader for loader, _, _ in LINES])
def test_the_page_has_arrays_of_those_files(loader, file, arrays, data_set):
    stored = data_set(file.removesuffix(".npz"))
    assert set(re.findall(r"`(\w+)`", arrays)) <= set(stored)
    for name, shape in re.findall(r"`(\w+)` \(([\d, ]+)\)", arrays):
        assert stored[name].shape == tuple(int(size) for size in shape.split(","))
