"""Data sets as they are loaded: what they hold, and what is said of a folder that is not as it should be."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll
from sklearn.utils import Bunch

from featmap import DatasetError, FeatmapError, InvalidParameterError, datasets

PENGUIN_ARRAYS = {
    "X": np.arange(4.0 * 342, dtype=np.float32).reshape(342, 4),
    "species": np.repeat(["Gentoo", "Adelie"], [300, 42]),
    "island": np.full(342, "Dream"),
    "sex": np.full(342, "female"),
    "year": np.full(342, 2008, np.int16),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FEATMAP_DATA", str(tmp_path))
    return tmp_path


# Real data


@pytest.mark.parametrize(
    ("load", "file", "first", "counts"),
    [
        (datasets.load_mnist, "mnist", 5, [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]),
        (datasets.load_fashion_mnist, "fashion_mnist", 9, [7000] * 10),
    ],
)
def test_mnist(data_set, load, file, first, counts):
    data_set(file)
    images = load()
    assert images.data.shape == (70_000, 784)
    assert images.data.dtype == np.uint8
    assert (images.data.min(), images.data.max()) == (0, 255)
    assert images.target[0] == first
    np.testing.assert_array_equal(np.bincount(images.target), counts)
    assert len(images.target_names) == 10
    assert images.image_shape == (28, 28)
    assert images.feature_names[28 * 2 + 3] == "r2c3"
    X, y = load(subset="test", return_X_y=True)
    np.testing.assert_array_equal(X, images.data[60_000:])
    np.testing.assert_array_equal(y, images.target[60_000:])


def test_fashion_mnist_has_the_names_of_its_file(data_set):
    kept = data_set("fashion_mnist")
    assert datasets.load_fashion_mnist(subset="test").target_names == kept["class_names"].tolist()


def test_coil20(data_set):
    kept = data_set("coil20")
    images = datasets.load_coil20()
    np.testing.assert_array_equal(images.data.reshape(-1, *images.image_shape), kept["X"])
    np.testing.assert_array_equal(np.bincount(images.target), [0, *[72] * 20])
    np.testing.assert_array_equal(images.angle[:73], [*range(0, 360, 5), 0])
    assert len(images.feature_names) == 128 * 128
    assert images.feature_names[128 * 2 + 3] == "r2c3"


def test_cifar10(data_set):
    kept = data_set("cifar10_test")
    images = datasets.load_cifar10(subset="test")
    assert images.data.shape == (10_000, 3072)
    assert images.data.dtype == np.uint8
    np.testing.assert_array_equal(np.bincount(images.target), [1000] * 10)
    assert images.target_names == kept["class_names"].tolist()
    assert images.filename[0] == "mouser_s_001570.png"
    assert images.target_names[images.target[0]] == "cat"
    for subset in ("all", "train"):
        with pytest.raises(
            DatasetError, match=r"test set only, in another order .*subset='test', or unset FEATMAP_DATA"
        ):
            datasets.load_cifar10(subset=subset)


def assert_counts(cells, shape):
    assert cells.data.shape == shape
    assert cells.data.format == "csr"
    assert cells.data.dtype == np.int32
    assert cells.data.data.min() >= 1
    assert len(cells.feature_names) == len(set(cells.feature_names)) == shape[1]
    assert len(cells.target) == shape[0]
    assert cells.image_shape is None


def test_pbmc3k(data_set):
    data_set("pbmc3k")
    cells = datasets.load_pbmc3k()
    assert_counts(cells, (2638, 13714))
    assert dict(zip(*np.unique(cells.target, return_counts=True), strict=True)) == {
        "Naive CD4 T": 697,
        "Memory CD4 T": 483,
        "CD14+ Mono": 480,
        "B": 344,
        "CD8 T": 271,
        "FCGR3A+ Mono": 162,
        "NK": 155,
        "DC": 32,
        "Platelet": 14,
    }
    is_b = cells.target == "B"
    marker = cells.data[:, cells.feature_names.index("MS4A1")].toarray().ravel()
    assert marker[is_b].mean() > 20 * marker[~is_b].mean(), "genes and labels belong to their rows and columns"
    assert len(set(cells.barcode)) == 2638


def test_cells_kept_of_pbmc3k_pass_the_choice_made_of_downloaded_ones(data_set):
    data_set("pbmc3k")
    cells = datasets.load_pbmc3k()
    _, _, barcodes = datasets.pbmc._chosen(cells.data, np.array(cells.feature_names), cells.barcode)
    np.testing.assert_array_equal(barcodes, cells.barcode)


def test_paul15(data_set):
    kept = data_set("paul15")
    cells = datasets.load_paul15()
    assert_counts(cells, (2730, 3451))
    assert set(cells.target) == {f"{number}{kind}" for number, kind in enumerate(datasets.paul.CELL_TYPES, 1)}
    assert cells.root_cell == kept["root_cell"]
    assert cells.dpt_pseudotime[cells.root_cell] == cells.dpt_pseudotime.min() == 0
    assert cells.feature_names == sorted(cells.feature_names), "the order that downloaded genes have"


def test_pancreas(data_set):
    data_set("pancreas_e15_subset")
    cells = datasets.load_pancreas()
    assert_counts(cells, (739, 7192))
    assert len(set(cells.target)) == 8
    assert cells.unspliced.shape == cells.data.shape
    assert cells.unspliced.nnz == 563_203
    assert len(set(cells.barcode)) == 739


@pytest.mark.parametrize("n_samples", [10_000, 50_000])
def test_mammoth(data_set, n_samples):
    data_set("mammoth")
    mammoth = datasets.load_mammoth(n_samples=n_samples)
    assert mammoth.data.shape == (n_samples, 3)
    np.testing.assert_allclose(mammoth.data.min(axis=0), [61, -172, -22], atol=0.5)
    np.testing.assert_allclose(mammoth.data.max(axis=0), [569, 172, 170], atol=0.5)
    assert mammoth.target is None
    assert mammoth.feature_names == ["x", "y", "z"]


def test_olivetti_faces(data_set):
    kept = data_set("olivetti_faces")
    faces = datasets.load_olivetti_faces()
    assert faces.data.shape == (400, 4096)
    assert (faces.data.min(), faces.data.max()) == (0, 1)
    np.testing.assert_array_equal(faces.target, kept["y"])
    assert faces.image_shape == (64, 64)


def test_penguins(data_set):
    kept = data_set("penguins")
    penguins = datasets.load_penguins()
    np.testing.assert_array_equal(penguins.data, kept["X"])
    assert penguins.feature_names == kept["feature_names"].tolist()
    assert penguins.target_names == ["Adelie", "Chinstrap", "Gentoo"]
    np.testing.assert_array_equal(np.bincount(penguins.target), [151, 68, 123])
    assert set(penguins.year) == {2007, 2008, 2009}
    assert set(penguins.sex) == {"female", "male", "unknown"}


# What is the same for all


def test_swiss_roll():
    roll = datasets.load_swiss_roll(n_samples=200, noise=0.1, random_state=3)
    X, along = make_swiss_roll(200, noise=0.1, random_state=3)
    np.testing.assert_array_equal(roll.data, X)
    np.testing.assert_array_equal(roll.target, along)


def test_a_bunch_or_a_pair(folder):
    np.savez(folder / "penguins.npz", **PENGUIN_ARRAYS)
    penguins = datasets.load_penguins()
    assert isinstance(penguins, Bunch)
    assert penguins.DESCR.startswith("Palmer penguins")
    assert "CC0" in penguins.DESCR
    assert penguins.image_shape is None
    X, y = datasets.load_penguins(return_X_y=True)
    np.testing.assert_array_equal(X, PENGUIN_ARRAYS["X"])
    assert [penguins.target_names[code] for code in y[[0, 300]]] == ["Gentoo", "Adelie"]


@pytest.mark.parametrize("subset", ["validation", None, ["train"]])
@pytest.mark.parametrize("load", [datasets.load_mnist, datasets.load_fashion_mnist, datasets.load_cifar10])
def test_unknown_subset(load, subset):
    with pytest.raises(InvalidParameterError, match=rf"{load.__name__}\(subset=.*must be 'all', 'train' or 'test'"):
        load(subset=subset)


@pytest.mark.parametrize("n_samples", [0, 5000, "10k"])
def test_mammoths_of_other_sizes(n_samples):
    with pytest.raises(InvalidParameterError, match=r"load_mammoth\(n_samples=.*must be 10_000 or 50_000"):
        datasets.load_mammoth(n_samples=n_samples)


def test_public_names():
    assert all(callable(getattr(datasets, name)) for name in datasets.__all__)
    assert len(datasets.__all__) == 11


# The folder


def test_a_missing_file(folder):
    with pytest.raises(DatasetError, match=r"mnist\.npz is missing there.*unset FEATMAP_DATA to download"):
        datasets.load_mnist()


def test_the_pancreas_has_no_home(folder, monkeypatch):
    with pytest.raises(DatasetError, match=r"pancreas_e15_subset\.npz is missing there.*GSE132188") as caught:
        datasets.load_pancreas()
    assert "unset" not in str(caught.value)
    monkeypatch.delenv("FEATMAP_DATA")
    with pytest.raises(DatasetError, match=r"cannot download .*FEATMAP_DATA.*pancreas_e15_subset\.npz.*GSE132188"):
        datasets.load_pancreas()


def damaged_files():
    content = io.BytesIO()
    np.savez(content, **PENGUIN_ARRAYS)
    whole = content.getvalue()
    single = io.BytesIO()
    np.save(single, PENGUIN_ARRAYS["X"])
    flipped = bytearray(whole)
    flipped[400] ^= 255
    return {
        "empty": b"",
        "cut short": whole[:-100],
        "half": whole[: len(whole) // 2],
        "text": b"<html></html>",
        "one array": single.getvalue(),
        "a bit rotten": bytes(flipped),
    }


@pytest.mark.parametrize("kind", damaged_files())
def test_a_damaged_file(folder, kind):
    (folder / "penguins.npz").write_bytes(damaged_files()[kind])
    with pytest.raises(
        DatasetError, match=r"penguins\.npz cannot be read .*put a good copy there, or unset FEATMAP_DATA"
    ):
        datasets.load_penguins()


def test_a_file_without_one_of_its_arrays(folder):
    np.savez(folder / "penguins.npz", **{name: array for name, array in PENGUIN_ARRAYS.items() if name != "year"})
    with pytest.raises(DatasetError, match=r"penguins\.npz cannot be read .*year"):
        datasets.load_penguins()


def test_a_file_with_other_shapes(folder):
    np.savez(folder / "penguins.npz", **(PENGUIN_ARRAYS | {"X": np.zeros((342, 5), np.float32)}))
    with pytest.raises(DatasetError, match=r"X has shape \(342, 5\), expected \(342, 4\)"):
        datasets.load_penguins()


def test_pickled_arrays_are_not_loaded(folder):
    np.savez(folder / "penguins.npz", **(PENGUIN_ARRAYS | {"island": np.array(["Dream"] * 342, object)}))
    with pytest.raises(DatasetError, match=r"penguins\.npz cannot be read .*allow_pickle"):
        datasets.load_penguins()


def test_the_folder_needs_no_extra_packages(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    np.savez(folder / "penguins.npz", **PENGUIN_ARRAYS)
    assert datasets.load_penguins().data.shape == (342, 4)


def test_errors_are_of_the_family():
    assert issubclass(DatasetError, FeatmapError)
    assert issubclass(DatasetError, OSError)


# The page on the folder

PAGE = Path(__file__).parent.parent / "docs" / "datasets.md"
LINES = re.findall(r"^\| `(load_\w+)` \| `(\w+\.npz)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_lists_every_loader_that_reads_a_file():
    assert {"load_swiss_roll", *(loader for loader, _, _ in LINES)} == {
        name for name in datasets.__all__ if name.startswith("load_")
    }


@pytest.mark.parametrize(("loader", "file", "_"), LINES, ids=[loader for loader, _, _ in LINES])
def test_the_page_has_the_files_that_are_read(loader, file, _, folder):
    options = {"subset": "test"} if loader == "load_cifar10" else {}
    with pytest.raises(DatasetError, match=rf"{file} is missing there"):
        getattr(datasets, loader)(**options)


@pytest.mark.parametrize(("loader", "file", "arrays"), LINES, ids=[loader for loader, _, _ in LINES])
def test_the_page_has_arrays_of_those_files(loader, file, arrays, data_set):
    kept = data_set(file.removesuffix(".npz"))
    named = [name for name in re.findall(r"`(\w+)`", arrays) if not name.endswith("_")]
    assert set(named) <= set(kept)
    for name, shape in re.findall(r"`(\w+)` \(([\d, ]+)\)", arrays):
        assert kept[name].shape == tuple(int(size) for size in shape.split(","))
