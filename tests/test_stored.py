"""Arrays of Zarr and HDF5: read once and in order, and the maps of the same numbers in memory."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from featmap import FeatMAP, InvalidDataError, InvalidDataTypeError, NotEnoughMemoryError, StoreError, explain, memory
from featmap.checks import stored
from featmap.checks.inputs import Columns, check_form, check_rows, read_rows

zarr = pytest.importorskip("zarr", reason="needs zarr: pip install 'featmap[test]'")
h5py = pytest.importorskip("h5py", reason="needs h5py: pip install 'featmap[test]'")

QUICK = {"n_neighbors": 6, "n_epochs": 4, "random_state": 0, "n_jobs": 1}
X = np.random.default_rng(0).normal(3, 2, (150, 5)).astype(np.float32)

pytestmark = pytest.mark.filterwarnings("ignore:.* of the variance:featmap.FeatmapWarning")


def in_zarr(folder, values, **options):
    array = zarr.open(str(folder / "X.zarr"), mode="w", shape=values.shape, dtype=values.dtype, **options)
    array[...] = values
    return array


def in_hdf5(folder, values, **options):
    return h5py.File(folder / "X.h5", "w").create_dataset("X", data=values, **options)


FORMS = {
    "zarr": lambda folder, values: in_zarr(folder, values, chunks=(40, 3)),
    "zarr, one chunk": lambda folder, values: in_zarr(folder, values, chunks=values.shape),
    "hdf5": in_hdf5,
    "hdf5 in chunks": lambda folder, values: in_hdf5(folder, values, chunks=(17, 2), compression="gzip"),
}


@pytest.fixture(params=FORMS)
def store(request, tmp_path):
    """A function that writes an array in one of the forms, and gives what the package reads of it."""
    folder = tmp_path / "source"
    folder.mkdir()
    return lambda values: FORMS[request.param](folder, values)


@pytest.fixture
def in_file(monkeypatch):
    """No data are small enough for memory."""
    monkeypatch.setattr(stored, "IN_MEMORY", 0)


def fit(X, **parameters):
    return FeatMAP(**{**QUICK, **parameters}).fit(X)


class Dataset:
    """As h5py's, by the name of its type and of its module. It tells which rows were read."""

    __module__ = "h5py._hl.dataset"

    def __init__(self, values, chunks=None):
        self.values, self.chunks, self.read = values, chunks, []
        self.shape, self.dtype = values.shape, values.dtype

    def __getitem__(self, rows):
        self.read.append((rows.start, rows.stop))
        return self.values[rows]


class Unreadable(Dataset):
    def __getitem__(self, rows):
        raise OSError("wrong checksum")


@pytest.mark.usefixtures("in_file")
@pytest.mark.parametrize("parameters", [{}, {"metric": "cosine"}, {"metric": "manhattan"}, {"pca": 3}], ids=str)
def test_they_have_the_map_of_the_same_numbers_in_memory(store, parameters):
    assert fit(store(X), **parameters).embedding_.tobytes() == fit(X, **parameters).embedding_.tobytes()


@pytest.mark.parametrize("limit", [0, 2**26], ids=["in a file", "in memory"])
@pytest.mark.parametrize("dtype", ["bool", "u1", "i2", "<i8", "f2", "<f4", ">f4", "f8", "g"])
def test_values_have_the_bits_that_numpy_reads(dtype, limit, monkeypatch, tmp_path):
    """Nothing is rounded: the type is that of the source. Longer floats become float64, as they do in arrays."""
    monkeypatch.setattr(stored, "IN_MEMORY", limit)
    values = (100 * X).astype(dtype)
    source = in_hdf5(tmp_path, values, chunks=(7, 2))
    read, expected = (check_rows(Columns(), form, "fit") for form in (source, values))
    assert type(read) is np.ndarray
    assert (read.dtype, read.tobytes()) == (expected.dtype, expected.tobytes())


@pytest.mark.usefixtures("in_file")
def test_all_that_takes_rows_takes_them(store):
    model, new = fit(X), X[:30] + 0.25
    array = store(new)
    assert np.array_equal(model.transform(array), model.transform(new))
    assert np.array_equal(model.outlier_score(array), model.outlier_score(new))
    assert np.array_equal(model.explain(array).arrows(), model.explain(new).arrows())
    assert np.array_equal(explain(array, new[:, :2]).arrows(), explain(new, new[:, :2]).arrows())


@pytest.mark.usefixtures("in_file")
def test_a_model_needs_the_file_no_more(tmp_path):
    source = in_hdf5(tmp_path, X)
    model = fit(source)
    source.file.close()
    (tmp_path / "X.h5").unlink()
    assert np.array_equal(model.transform(X), model.embedding_)
    assert np.array_equal(model.arrows([3]), fit(X).arrows([3]))


@pytest.mark.parametrize("limit", [0, 2**26], ids=["in a file", "in memory"])
@pytest.mark.parametrize("at_once", [1, 100, 1000, 2**24])
@pytest.mark.parametrize("chunks", [None, (1, 5), (40, 2), (150, 1)])
def test_every_row_is_read_once_in_order_and_by_whole_chunks(chunks, at_once, limit, monkeypatch):
    monkeypatch.setattr(stored, "IN_MEMORY", limit)
    monkeypatch.setattr(stored, "READ_AT_ONCE", at_once)
    source = Dataset(X, chunks)
    fit(source)
    starts, stops = zip(*source.read, strict=True)
    assert (starts[0], stops[-1]) == (0, len(X))
    assert starts[1:] == stops[:-1]
    rows = 1 if chunks is None else chunks[0]
    assert all(start % rows == 0 for start in starts)
    assert all(stop - start <= max(rows, at_once // 20) for start, stop in source.read)


def rows_of_blocks(source, shape=X.shape):
    return [part.stop - part.start for part in stored.StoredTable(source, shape, X.dtype)._blocks()]


def test_shards_are_read_as_a_whole_and_chunks_of_all_rows_in_parts_that_fit_in_memory(monkeypatch):
    blocks = rows_of_blocks(Dataset(X, (10**9, 1)), (10**9, 5))
    assert sum(blocks) == 10**9
    assert max(blocks) * 20 <= stored.MOST_AT_ONCE
    monkeypatch.setattr(stored, "READ_AT_ONCE", 1)
    source = Dataset(X, (10, 5))
    source.shards = (60, 5)
    assert rows_of_blocks(source) == [60, 60, 30]
    source.shards = None
    assert rows_of_blocks(source) == [10] * 15


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the file has a name until it is closed")
@pytest.mark.usefixtures("in_file")
def test_the_copy_is_beside_the_checkpoint_and_leaves_nothing_behind(tmp_path, monkeypatch):
    folders, seen = [], set()
    make = stored.TemporaryFile
    monkeypatch.setattr(stored, "TemporaryFile", lambda dir: folders.append(Path(dir)) or make(dir=dir))

    def look(stage, done, total):
        seen.update(path.name for path in tmp_path.iterdir())

    FeatMAP(**QUICK).fit(Dataset(X), callback=look, checkpoint=tmp_path / "fit")
    assert folders == [tmp_path]
    assert seen == {"fit"}
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(stored, "gettempdir", lambda: str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    fit(Dataset(X))
    assert folders[1:] == [tmp_path / "temporary"]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_small_data_take_no_file(monkeypatch):
    monkeypatch.setattr(stored, "TemporaryFile", lambda dir: pytest.fail("a file"))
    fit(Dataset(X))


def test_a_fit_goes_on_whatever_form_the_data_have(store, tmp_path, monkeypatch):
    monkeypatch.setattr("featmap.store.checkpoints.SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("featmap.store.checkpoints.MOST_OF_THE_TIME", np.inf)

    def stop(stage, done, total):
        if (stage, done) == ("layout", 2):
            raise KeyboardInterrupt

    array = store(X)
    for first, second in ((X, array), (array, X)):
        with pytest.raises(KeyboardInterrupt):
            FeatMAP(**QUICK).fit(first, callback=stop, checkpoint=tmp_path / "fit")
        resumed = FeatMAP(**QUICK).fit(second, checkpoint=tmp_path / "fit")
        assert resumed.embedding_.tobytes() == fit(X).embedding_.tobytes()


# What is refused, and when.


@pytest.mark.parametrize("limit", [0, 2**26], ids=["in a file", "in memory"])
@pytest.mark.parametrize(("value", "advice"), [(np.nan, "NaN; .*SimpleImputer"), (np.inf, "infinity")])
def test_numbers_that_are_not_finite_are_found_in_any_block(value, advice, limit, store, monkeypatch):
    monkeypatch.setattr(stored, "IN_MEMORY", limit)
    monkeypatch.setattr(stored, "READ_AT_ONCE", 1)
    with_hole = X.copy()
    with_hole[149, 4] = value
    with pytest.raises(InvalidDataError, match=rf"^fit\(X\): Input X contains {advice}"):
        fit(store(with_hole))


REFUSED = {
    "strings": (np.array([[b"a", b"b"]] * 5), "X holds strings; .*OneHotEncoder"),
    "objects": (np.array([["a", "b"]] * 5, h5py.string_dtype()), "type object are not numbers"),
    "records": (np.zeros((5, 2), [("a", "f4")]), "are not numbers"),
    "complex": (X + 0j, "real and imaginary parts"),
    "a list": (X[:, 0], "Expected 2D array, got 1D"),
    "a number": (X[0, 0], "Expected 2D array, got 0D"),
    "pictures": (X.reshape(150, 5, 1), "Expected 2D array, got 3D"),
    "no rows": (X[:0], "0 sample"),
    "one row": (X[:1], "1 sample.*minimum of 2"),
    "no columns": (X[:, :0], "0 feature"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_data_get_advice_before_they_are_read(case, tmp_path, stages_begun):
    values, advice = REFUSED[case]
    for source in (in_hdf5(tmp_path, values), Unreadable(np.asarray(values))):
        with pytest.raises(InvalidDataError, match=rf"^fit\(X\): .*{advice}"):
            fit(source)
    assert stages_begun == []


def test_groups_and_files_and_sparse_matrices_of_anndata_are_told_from_arrays(tmp_path):
    with h5py.File(tmp_path / "X.h5", "w") as file:
        for group in (file, file.create_group("group"), zarr.open_group(str(tmp_path / "X.zarr"), mode="w")):
            with pytest.raises(InvalidDataTypeError, match=r"^fit\(X\): .*give one of its arrays: X\['name'\]"):
                fit(group)
    backed = type("_CSRDataset", (type("BaseCompressedSparseDataset", (), {}),), {})()
    with pytest.raises(InvalidDataTypeError, match=r"^fit\(X\): .*give X\.to_memory\(\)"):
        fit(backed)


def test_other_columns_than_those_of_the_fit_are_refused_before_they_are_read():
    with pytest.raises(InvalidDataError, match=r"^transform\(X\): X has 4 features, but FeatMAP is expecting 5"):
        fit(X).transform(Unreadable(X[:, :4]))


def test_data_without_room_in_memory_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000)
    with pytest.raises(NotEnoughMemoryError, match=r"fit\(X\): it needs about"):
        fit(Unreadable(X))


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(
        InvalidDataError, match=r"^fit\(X\): rows 0 to 149 of X cannot be read \(wrong checksum\); see"
    ):
        fit(Unreadable(X))
    source = in_hdf5(tmp_path, X)
    source.file.close()
    with pytest.raises(
        InvalidDataError, match=r"^fit\(X\): X cannot be read .*; see that its file is open and whole$"
    ):
        fit(source)


@pytest.mark.usefixtures("in_file")
def test_a_disk_without_room_is_said_before_anything_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(stored.shutil, "disk_usage", lambda folder: SimpleNamespace(free=10))
    with pytest.raises(StoreError, match=r"^fit\(X\): a copy of X, .* GB, could not be written into .*no room"):
        fit(Unreadable(X))


@pytest.mark.usefixtures("in_file")
def test_a_disk_that_fills_up_ends_the_fit_with_advice(tmp_path, monkeypatch):
    class FullFile:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def write(self, block):
            raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(stored, "TemporaryFile", lambda dir: FullFile())
    with pytest.raises(StoreError, match=r"No space left on device\); fit\(checkpoint=…\) .*TMPDIR"):
        fit(Dataset(X))


@pytest.mark.usefixtures("in_file")
def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StoreError, match="nowhere"):
        FeatMAP(**QUICK).fit(Dataset(X), checkpoint=tmp_path / "nowhere" / "fit")


@pytest.mark.usefixtures("in_file")
def test_the_copy_takes_no_memory():
    table = read_rows(check_form(Columns(), Dataset(X), "fit"), "fit")
    assert isinstance(table.base, np.memmap)
