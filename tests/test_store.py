"""Models in files: the same after loading, nothing run, every altered byte noticed, never half a file."""

from __future__ import annotations

import ast
import json
import mmap
import os
import pickle
import resource
import signal
import stat
import threading
import time
import tracemalloc
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib import import_module
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import featmap
from featmap import FeatMAP, FeatmapError, InvalidParameterError, StoreError
from featmap import neighbors as neighbors_stage
from featmap.store import container, replacing
from featmap.store.container import DIGEST_SIZE, PREAMBLE

STORED = Path(__file__).parent / "stored"
QUICK = {"n_epochs": 10, "random_state": 0, "n_jobs": 1}


def normal(m, n, seed=0):
    return np.random.default_rng(seed).normal(size=(m, n))


def counts(m, n):
    return sp.csr_matrix(np.random.default_rng(0).poisson(0.7, (m, n)).astype(np.float64))


def nearest(X, k):
    """Neighbours as a user might bring them."""
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    indices = np.argsort(squared, axis=1)[:, :k]
    return indices, np.sqrt(np.take_along_axis(squared, indices, axis=1))


CASES = {
    "dense": (normal(80, 6), {}),
    "sparse": (counts(80, 12), {}),
    "cosine": (normal(80, 6), {"metric": "cosine"}),
    "cosine, sparse": (counts(80, 12), {"metric": "cosine"}),
    "another metric, of integers": ((9 * normal(60, 5)).astype(np.int16), {"metric": "manhattan"}),
    "another metric, of a sparse array": (sp.csr_array(counts(60, 12)), {"metric": "manhattan"}),
    "duplicates": (np.repeat(normal(40, 4), 2, axis=0), {"n_neighbors": 8}),
    "one dimension": (normal(60, 5), {"n_components": 1}),
    "three dimensions": (normal(60, 5), {"n_components": 3, "frames": "paper"}),
    "start and neighbours given": (
        normal(60, 5),
        {"init": np.asfortranarray(normal(60, 2)), "precomputed_knn": nearest(normal(60, 5), 16)},
    ),
    "start as a list": (normal(60, 5), {"init": normal(60, 2).tolist()}),
    "larger tangents": (normal(60, 5), {"n_tangent_neighbors": 20, "intrinsic_dim": np.int64(2)}),
    "numbers of numpy": (normal(60, 5), {"n_neighbors": np.int32(9), "min_dist": np.float32(0.2)}),
    "a RandomState": (normal(60, 5), {"random_state": np.random.RandomState(3)}),
}


def fitted(name):
    X, parameters = CASES[name]
    return FeatMAP(**{**QUICK, **parameters}).fit(X)


def arrays_of(value):
    """A value as plain arrays and scalars, to compare it byte by byte."""
    if sp.issparse(value):
        return [type(value).__name__, value.shape, *map(arrays_of, (value.data, value.indices, value.indptr))]
    if isinstance(value, np.ndarray) and value.dtype != object:
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        return value.dtype.str, value.shape, order, value.tobytes()
    if isinstance(value, np.ndarray | list | tuple):
        return type(value), [arrays_of(item) for item in value]
    if isinstance(value, np.random.RandomState):
        return arrays_of(value.get_state())
    return type(value), value


def attributes_of(model):
    """Its parameters among them."""
    return {name: arrays_of(value) for name, value in vars(model).items() if name != "_scene"}


def answers(model, X):
    """All that can be asked of a model."""
    new, some = X[:7] * 2, slice(5, 15)
    explained = model.explain(new)
    asked = [model.transform(new), explained.embedding_, explained.frames_, explained.feature_importance()]
    for kind in ("tangent", "map", "frame"):
        asked += [model.arrows(some, kind), explained.arrows(kind=kind), model.fidelity(some, kind)]
    asked += [model.feature_importance(), model.loadings(), model.consistency(some), model.explained_variance(some)]
    asked += [model.perturbation([1, 2]).most, model.contrast(np.arange(9), n_permutations=9).p_values]
    return [arrays_of(np.asarray(answer)) for answer in asked]


@pytest.fixture(scope="module")
def small():
    """A model of few bytes."""
    return FeatMAP(n_neighbors=5, n_components=2, n_epochs=5, random_state=0, n_jobs=1).fit(normal(24, 3))


@pytest.fixture
def saved(small, tmp_path):
    path = tmp_path / "model.featmap"
    small.save(path)
    return path


@pytest.mark.parametrize("name", CASES)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    model = fitted(name)
    model.save(tmp_path / "model")
    loaded = FeatMAP.load(tmp_path / "model")
    assert list(loaded.get_params()) == list(model.get_params())
    assert attributes_of(loaded) == attributes_of(model)
    assert answers(loaded, CASES[name][0]) == answers(model, CASES[name][0])
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_texts_of_numpy_are_kept_as_texts(tmp_path):
    """A grid over an array of names gives such."""
    texts = {"metric": "manhattan", "init": "pca", "frames": "paper", "intrinsic_dim": "auto"}
    X = normal(30, 3)
    model = FeatMAP(**QUICK, **{name: np.str_(text) for name, text in texts.items()}).fit(X)
    model.save(tmp_path / "model")
    loaded = FeatMAP.load(tmp_path / "model")
    kept = {name: loaded.get_params()[name] for name in texts}
    assert kept == texts
    assert {type(text) for text in kept.values()} == {str}
    assert answers(loaded, X) == answers(model, X)


def test_a_loaded_model_with_lists_is_the_saved_one(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", 500)
    for X, metric in ((normal(800, 5), "euclidean"), (counts(800, 80), "cosine")):
        model = FeatMAP(**QUICK, metric=metric).fit(X)
        model.save(tmp_path / "model")
        loaded = FeatMAP.load(tmp_path / "model")
        assert arrays_of(loaded.transform(X[:50] * 2)) == arrays_of(model.transform(X[:50] * 2))
        assert attributes_of(loaded) == attributes_of(model)


def test_names_and_set_output_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(normal(60, 4), columns=["länge", "b", "c", "d"])
    model = FeatMAP(**QUICK).set_output(transform="pandas").fit(frame)
    model.save(tmp_path / "model")
    loaded = FeatMAP.load(tmp_path / "model")
    assert loaded.feature_names_in_.dtype == object
    assert list(loaded.feature_names_in_) == ["länge", "b", "c", "d"]
    pandas.testing.assert_frame_equal(loaded.transform(frame[:5]), model.transform(frame[:5]))
    with pytest.raises(ValueError, match="feature names"):
        loaded.transform(frame[["b", "c", "d", "länge"]])


def signatures():
    """For how many kinds of arguments kernels have been compiled."""
    modules = [import_module(f"featmap.kernels.{path.stem}") for path in (FILES / "kernels").glob("[a-z]*.py")]
    kernels = {id(item): item for module in modules for item in vars(module).values() if hasattr(item, "signatures")}
    return sum(len(kernel.signatures) for kernel in kernels.values())


FILES = Path(featmap.__file__).parent


def is_mapped(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, mmap.mmap)


@pytest.mark.parametrize("name", ["dense", "sparse", "cosine", "another metric, of integers"])
def test_mapped_arrays_answer_the_same_with_the_same_kernels(name, tmp_path, monkeypatch):
    monkeypatch.setattr(container, "MAPPED_FROM", 1)
    model, X = fitted(name), CASES[name][0]
    model.save(tmp_path / "model")
    expected, n_signatures = answers(model, X), signatures()
    loaded = FeatMAP.load(tmp_path / "model")
    assert is_mapped(loaded.embedding_)
    assert is_mapped(loaded.graph_.data)
    assert is_mapped(loaded._points.tangents.factors)
    assert answers(loaded, X) == expected
    assert signatures() == n_signatures > 0
    for again in (pickle.loads(pickle.dumps(loaded)), _through_joblib(loaded, tmp_path)):
        assert attributes_of(again) == attributes_of(model)
        assert answers(again, X) == expected


def _through_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


def test_large_arrays_are_mapped_and_small_ones_read(tmp_path):
    X = normal(2000, 70)
    model = FeatMAP(**{**QUICK, "n_epochs": 2}, init="pca").fit(X)
    model.save(tmp_path / "model")
    loaded = FeatMAP.load(tmp_path / "model")
    features = loaded._points.mapped.features
    assert features.matrix.nbytes < container.MAPPED_FROM
    assert not is_mapped(features.matrix)
    assert is_mapped(loaded._points.tangents.factors)
    assert (loaded._points.tangents.factors.ctypes.data % 64, features.matrix is loaded._points.tangents.centers) == (
        0,
        True,
    )


def test_changes_to_a_mapped_array_stay_in_memory(saved, monkeypatch):
    monkeypatch.setattr(container, "MAPPED_FROM", 1)
    before = saved.read_bytes()
    loaded = FeatMAP.load(saved)
    loaded.embedding_[:] = 7
    assert saved.read_bytes() == before
    assert (FeatMAP.load(saved).embedding_ != 7).all()


def test_a_model_can_be_saved_over_the_file_it_was_loaded_from(saved, small, monkeypatch):
    monkeypatch.setattr(container, "MAPPED_FROM", 1)
    loaded = FeatMAP.load(saved)
    loaded.save(saved)
    assert attributes_of(loaded) == attributes_of(FeatMAP.load(saved)) == attributes_of(small)


def test_a_loaded_model_can_be_cloned_and_fitted(saved, small):
    X = normal(24, 3)
    loaded = FeatMAP.load(saved)
    assert np.array_equal(clone(loaded).fit_transform(X), small.embedding_)
    assert np.array_equal(loaded.fit_transform(X), small.embedding_)


def test_unfitted_says_so(tmp_path):
    with pytest.raises(NotFittedError):
        FeatMAP().save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def distance(a, b):
    return float(np.abs(a - b).sum())


def test_what_no_file_can_hold_is_named_before_anything_is_written(small, tmp_path):
    X = normal(30, 3)
    model = FeatMAP(**QUICK, metric=distance).fit(X)
    with pytest.raises(InvalidParameterError, match=r"metric=.*distance.* is a function.*name of a metric"):
        model.save(tmp_path / "model")
    model.set_params(metric="euclidean")  # what it was fitted with is still the function
    with pytest.raises(InvalidParameterError, match="metric"):
        model.save(tmp_path / "model")
    odd = pickle.loads(pickle.dumps(small))
    odd.set_params(random_state=np.random.RandomState(np.random.PCG64()))
    with pytest.raises(StoreError, match=r"random_state.*PCG64"):
        odd.save(tmp_path / "model")
    odd.set_params(random_state=0)
    odd.embedding_ = odd.embedding_.astype(np.longdouble)
    with pytest.raises(StoreError, match=r"longdouble|float128"):
        odd.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_another_class_is_named(saved):
    class Other(FeatMAP):
        pass

    with pytest.raises(StoreError, match=r"model\.featmap.*is a FeatMAP, not a Other"):
        Other.load(saved)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        FeatMAP.load(tmp_path / "nothing")


def test_errors_are_featmaps_and_the_systems():
    assert issubclass(StoreError, FeatmapError)
    assert issubclass(StoreError, OSError)


# What is in a file.


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_is_refused_and_not_run(small, tmp_path):
    trap = tmp_path / "sprung"
    poison = pickle.dumps(Trap(trap))
    pickle.loads(poison)
    assert trap.exists(), "the trap works"
    trap.rmdir()
    np.save(tmp_path / "objects.npy", np.array([Trap(trap)], dtype=object))
    path = tmp_path / "model"
    small.save(path)
    header, body = taken_apart(path)
    for data in (
        poison,
        (tmp_path / "objects.npy").read_bytes(),
        container.MAGIC + poison,
        put_together(poison, body),
        put_together(header, poison),
        put_together({**header, "arrays": [["|O", "C", [1]]]}, poison),
    ):
        path.write_bytes(data)
        with pytest.raises(StoreError):
            FeatMAP.load(path)
    assert not trap.exists()


def test_the_code_of_files_cannot_run_what_it_reads():
    sources = [*(FILES / "store").glob("*.py"), FILES / "checkpoint.py"]
    assert len(sources) > 5
    for source in sources:
        for node in ast.walk(ast.parse(source.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            used = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
            for name in (*names, used):
                assert name not in {"pickle", "marshal", "importlib", "eval", "exec", "__import__", "loadtxt", "load"}


def taken_apart(path):
    """The header of a file, and the bytes of its arrays."""
    data = path.read_bytes()
    *_, header_size = PREAMBLE.unpack_from(data)
    end = PREAMBLE.size + header_size
    return json.loads(data[PREAMBLE.size : end]), data[end + -end % 64 : -DIGEST_SIZE]


def put_together(header, body, *, version=container.FORMAT, header_size=None):
    """A file with any header and a right checksum."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    end = PREAMBLE.size + len(text)
    padding = bytes(-end % 64)
    size = end + len(padding) + len(body) + DIGEST_SIZE
    beginning = PREAMBLE.pack(container.MAGIC, version, 0, size, len(text) if header_size is None else header_size)
    data = beginning + text + padding + body
    return data + blake2b(data, digest_size=DIGEST_SIZE).digest()


def test_put_together_makes_good_files(saved, small):
    saved.write_bytes(put_together(*taken_apart(saved)))
    assert attributes_of(FeatMAP.load(saved)) == attributes_of(small)


def entry(*values):
    """Set an array's entry in the table."""
    return lambda header: header["arrays"].__setitem__(0, list(values))


def inside(*path, to):
    """Set something in the tree."""

    def change(header):
        node = header["content"]
        for step in path[:-1]:
            node = node[step]
        assert path[-1] in node if isinstance(node, dict) else path[-1] < len(node)
        node[path[-1]] = to

    return change


MANIFOLD = ("ground", "manifold")
GRAPH = (*MANIFOLD, "graph", "weights")
FORGERIES = {
    "huge shape": entry("<f4", "C", [2**40, 2**10]),
    "overflowing shape": entry("<f8", "C", [2**61, 2**61]),
    "shape of huge numbers": entry("<f8", "C", [10**4000]),
    "negative shape": entry("<f4", "C", [-1, -24]),
    "shape of fractions": entry("<f4", "C", [24.0, 3.0]),
    "shape of truths": entry("<f4", "C", [True, True]),
    "shape of text": entry("<f4", "C", "24"),
    "many dimensions": entry("<f4", "C", [1] * 70),
    "no order": entry("<f4", "A", [24, 3]),
    "an offset": entry("<f4", "C", [24, 3], -64),
    "objects": entry("|O", "C", [24, 3]),
    "records": entry("|V8", "C", [24, 3]),
    "times": entry("<M8[ns]", "C", [24, 3]),
    "big-endian": entry(">f4", "C", [24, 3]),
    "type by name": entry("float32", "C", [24, 3]),
    "type as a list": entry(["<f4"], "C", [24, 3]),
    "no table": lambda header: header.update(arrays=None),
    "fewer arrays": lambda header: header["arrays"].pop(),
    "more arrays": lambda header: header["arrays"].append(["<f4", "C", [5]]),
    "another kind": lambda header: header.update(kind="checkpoint"),
    "no content": lambda header: header.pop("content"),
    "further keys": lambda header: header.update(run="me"),
    "list for content": lambda header: header.update(content=[]),
    "NaN": inside(*MANIFOLD, "features", "scale", to=float("nan")),
    "infinity": inside(*MANIFOLD, "mean_distance", to=float("inf")),
    "negative scale": inside(*MANIFOLD, "features", "scale", to=-1.0),
    "array out of range": inside("ground", "places", to=1000),
    "array before the first": inside("ground", "places", to=-1),
    "array by truth": inside("ground", "places", to=True),
    "array of another type": inside(*MANIFOLD, "tangents", "neighbors", to=0),
    "array of another shape": inside("ground", "frames", "axes", to=0),
    "another search": inside(*MANIFOLD, "search", to=["system", {"command": "true"}]),
    "search without a name": inside(*MANIFOLD, "search", to={"matrix": 0}),
    "a function": inside("parameters", "metric", to={"function": "os.system"}),
    "a list of functions": inside("parameters", "init", to={"list": [{"import": "os"}]}),
    "unknown parameter": inside("parameters", to={"n_neighbours": 15}),
    "unknown attribute": inside("attributes", to={"transform": 0}),
    "unknown output": inside("attributes", "n_epochs_", to="many"),
    "graph of huge shape": inside(*GRAPH, "shape", to=[10**12, 10**12]),
    "graph of another shape": inside(*GRAPH, "shape", to=[24, 20]),
    "graph of three dimensions": inside(*GRAPH, "shape", to=[24, 24, 1]),
    "graph of another class": inside(*GRAPH, "class", to="dok_matrix"),
    "graph of no class": inside(*GRAPH, "class", to=["csr_matrix"]),
    "too many neighbours": inside(*MANIFOLD, "n_neighbors", to=10**9),
    "no dimensions": inside(*MANIFOLD, "intrinsic_dim", to=0),
    "fewer features": inside("attributes", "n_features_in_", to=2),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_headers_are_refused(name, saved):
    header, body = taken_apart(saved)
    FORGERIES[name](header)
    saved.write_bytes(put_together(header, body))
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"model\.featmap"):
            FeatMAP.load(saved)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


SPARSE_FORGERIES = {
    "no zeros": lambda node: node.pop("zeros"),
    "zeros of another shape": lambda node: node.update(zeros=node["entries"]["data"]),
    "both formats": lambda node: node.update({"class": "csr_matrix"}),
}


@pytest.mark.parametrize("part", ["features", "tangents"])
@pytest.mark.parametrize("name", SPARSE_FORGERIES)
def test_forged_sparse_rows_are_refused(name, part, tmp_path):
    path = tmp_path / "model.featmap"
    fitted("sparse").save(path)
    header, body = taken_apart(path)
    manifold = header["content"]["ground"]["manifold"]
    SPARSE_FORGERIES[name](manifold[part]["matrix" if part == "features" else "centers"])
    path.write_bytes(put_together(header, body))
    with pytest.raises(StoreError, match=r"model\.featmap"):
        FeatMAP.load(path)


def test_a_graph_of_less_than_no_rows_is_refused(saved):
    """An empty indptr is as long as that of −1 rows would be."""
    contents = container.read_file(saved, "fitted model", mapped=False)
    graph = contents.content["ground"]["manifold"]["graph"]["weights"]
    graph.update(shape=[-1, 24], indptr=len(contents.arrays))
    forged = container.Contents(contents.content, [*contents.arrays, np.empty(0, np.int32)])
    container.write_file(saved, "fitted model", forged)
    with pytest.raises(StoreError, match=r"model\.featmap cannot be read: .*the shape of a CSR matrix"):
        FeatMAP.load(saved)


@pytest.mark.parametrize(
    "text", [b"[" * 10**6, b'{"a":' * 10**6, b"\xff\xfe", b"", b"{", b"NaN", b"9" * 10**5, b'"\\ud800"']
)
def test_headers_that_are_no_json_are_refused(text, saved):
    saved.write_bytes(put_together(text, b""))
    with pytest.raises(StoreError):
        FeatMAP.load(saved)


def test_nesting_is_refused(saved):
    header, body = taken_apart(saved)
    nested = json.dumps(header).replace('"auto"', '{"list":[' * 20_000 + "]}" * 20_000, 1).encode()
    saved.write_bytes(put_together(nested, body))
    with pytest.raises(StoreError, match="nested too deep"):
        FeatMAP.load(saved)


def test_a_header_longer_than_the_file_is_refused(saved):
    header, body = taken_apart(saved)
    for size in (2**63, len(saved.read_bytes()), 0):
        saved.write_bytes(put_together(header, body, header_size=size))
        with pytest.raises(StoreError):
            FeatMAP.load(saved)


@pytest.mark.parametrize("part", ["neighbors", "intrinsic_dim", "graph", "indptr", "frames"])
def test_arrays_that_kernels_could_not_trust_are_refused(part, small, tmp_path):
    broken = pickle.loads(pickle.dumps(small))
    tangents, graph = broken._points.mapped.tangents, broken._points.mapped.manifold.graph.weights
    array = {
        "neighbors": tangents.neighbors,
        "intrinsic_dim": tangents.intrinsic_dim,
        "graph": graph.indices,
        "indptr": graph.indptr,
        "frames": broken.frames_,
    }[part]
    array.flat[3] = 10**6
    broken.save(tmp_path / "model")
    with pytest.raises(StoreError):
        FeatMAP.load(tmp_path / "model")


def test_lists_that_kernels_could_not_trust_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", 500)
    model = FeatMAP(**{**QUICK, "n_epochs": 1}, init="random").fit(normal(600, 4))
    search = model._points.mapped.manifold.search
    for array in (search.lists.members, search.lists.first_blocks, search.centers.members):
        before = array.flat[1]
        array.flat[1] = 10**6
        model.save(tmp_path / "model")
        with pytest.raises(StoreError, match="search"):
            FeatMAP.load(tmp_path / "model")
        array.flat[1] = before
    model.save(tmp_path / "model")
    FeatMAP.load(tmp_path / "model")


def test_a_later_format_asks_for_a_later_featmap(saved):
    header, body = taken_apart(saved)
    saved.write_bytes(put_together({"quite": "different"}, body, version=container.FORMAT + 1))
    with pytest.raises(StoreError, match=f"format is {container.FORMAT + 1}.*upgrade featmap"):
        FeatMAP.load(saved)
    saved.write_bytes(put_together(header, body, version=0))
    with pytest.raises(StoreError):
        FeatMAP.load(saved)


def mutated(data, rng):
    """The bytes with an accident."""
    start, stop = np.sort(rng.integers(0, len(data), 2))
    middle = int(rng.integers(start, stop + 1))
    kind = rng.integers(6)
    if kind == 0:  # a bit
        return data[:start] + bytes([data[start] ^ (1 << int(rng.integers(8)))]) + data[start + 1 :]
    if kind == 1:  # cut off
        return data[:start]
    if kind == 2:  # swapped blocks
        return data[:start] + data[middle:stop] + data[start:middle] + data[stop:]
    if kind == 3:  # inserted bytes
        return data[:start] + rng.bytes(int(rng.integers(1, 100))) + data[start:]
    if kind == 4:  # lost bytes
        return data[:start] + data[stop:]
    return data[:start] + bytes(stop - start) + data[stop:]  # a block of zeros


def check_mutations(path, n, seed):
    data, rng = path.read_bytes(), np.random.default_rng(seed)
    n_altered = 0
    while n_altered < n:
        altered = mutated(data, rng)
        if altered == data:
            continue
        n_altered += 1
        path.write_bytes(altered)
        with pytest.raises(StoreError, match=path.name):
            FeatMAP.load(path)


def test_every_altered_file_is_refused(saved):
    check_mutations(saved, 60, seed=0)


@pytest.mark.slow
def test_every_one_of_a_thousand_altered_files_is_refused(saved):
    check_mutations(saved, 1000, seed=1)


def test_every_byte_counts(saved):
    data = saved.read_bytes()
    for place in (*range(200), *range(200, len(data), 97), *range(len(data) - 80, len(data))):
        saved.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(StoreError, match=r"damaged|no file of featmap"):
            FeatMAP.load(saved)


@pytest.mark.parametrize("name", ["format-1-sparse", "format-2"])
def test_sparse_data_of_all_formats_are_read_for_ever(name):
    """`stored/README.md` says how the files were made."""
    path = STORED / f"{name}.featmap"
    assert path.stat().st_size < 60_000
    model = FeatMAP.load(path)
    with np.load(path.with_suffix(".npz")) as expected:
        assert np.array_equal(model.embedding_, expected["map"])
        for rows in (expected["rows"], sp.csr_matrix(expected["rows"])):
            np.testing.assert_allclose(model.transform(rows), expected["placed"], rtol=1e-5, atol=1e-5)
        importance = model.feature_importance()
        np.testing.assert_allclose(importance, expected["importance"], rtol=1e-5, atol=1e-5)


def test_the_first_format_is_read_for_ever():
    """`stored/README.md` says how the file was made."""
    pandas = pytest.importorskip("pandas")
    path = STORED / "format-1.featmap"
    assert path.stat().st_size < 60_000
    model = FeatMAP.load(path)
    with np.load(STORED / "format-1.npz") as expected:
        assert np.array_equal(model.embedding_, expected["map"])
        rows = pandas.DataFrame(expected["rows"], columns=list("abcd"))
        np.testing.assert_allclose(model.transform(rows), expected["placed"], rtol=1e-5, atol=1e-5)
        importance = model.feature_importance()
        np.testing.assert_allclose(importance, expected["importance"], rtol=1e-5, atol=1e-5)
    assert list(model.feature_names_in_) == ["a", "b", "c", "d"]
    assert model.get_params()["n_neighbors"] == 8


# How it comes to be there.


def parts(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix == ".part")


@contextmanager
def no_space():
    """No file can grow beyond a few kilobytes, for no longer than need be: the report on the tests may be one."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def failing(fault):
    """A system call that finds the disk full."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacing.os, fault, fail)
        yield


def fail(*arguments, **options):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("fault", ["replace", "fsync", "write"])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(fault, saved, small):
    before = saved.read_bytes()
    with no_space() if fault == "write" else failing(fault):
        with pytest.raises(StoreError, match=r"model\.featmap could not be written: .*; the file .* is as it was"):
            small.save(saved)
        with pytest.raises(StoreError, match=r"new could not be written: .*; nothing was left there"):
            small.save(saved.with_name("new"))
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["model.featmap"]


def test_a_file_is_on_the_disk_before_it_is_renamed_and_its_name_after(saved, small, monkeypatch):
    steps, sync, rename = [], os.fsync, os.replace

    def synced(descriptor):
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else os.fstat(descriptor).st_size)
        sync(descriptor)

    def renamed(*paths):
        steps.append("rename")
        rename(*paths)

    monkeypatch.setattr(replacing.os, "fsync", synced)
    monkeypatch.setattr(replacing.os, "replace", renamed)
    small.save(saved)
    assert steps == [saved.stat().st_size, "rename", "folder"]


def test_an_interrupt_while_saving_leaves_the_old_file(saved, small, monkeypatch):
    before = saved.read_bytes()

    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(replacing.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small.save(saved)
    monkeypatch.undo()
    assert saved.read_bytes() == before
    assert parts(saved.parent) == []


def test_a_path_that_cannot_be_written_says_so(small, tmp_path):
    with pytest.raises(StoreError, match="No such file or directory"):
        small.save(tmp_path / "nowhere" / "model")
    with pytest.raises(StoreError, match="is no file that could be replaced"):
        small.save(tmp_path)


def test_a_link_is_written_through(saved, small, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(saved)
    saved.write_bytes(b"")
    small.save(link)
    assert link.is_symlink()
    assert attributes_of(FeatMAP.load(saved)) == attributes_of(small)


def test_what_killed_writers_left_is_removed_after_an_hour(saved, small):
    old, new, other = (
        saved.with_name(name)
        for name in (".model.featmap.0123.part", ".model.featmap.4567.part", ".other.featmap.0123.part")
    )
    for path in (old, new, other):
        path.write_bytes(b"half a model")
    for path in (old, other):
        os.utime(path, (time.time() - 4000,) * 2)
    small.save(saved)
    assert parts(saved.parent) == [new.name, other.name]


def test_writers_at_one_time_do_not_meet(saved, small):
    other = FeatMAP(**QUICK).fit(normal(30, 3, seed=1))
    failures = []

    def save(model):
        try:
            for _ in range(10):
                model.save(saved)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=(model,)) for model in (small, other) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert parts(saved.parent) == []
    assert attributes_of(FeatMAP.load(saved)) in (attributes_of(small), attributes_of(other))


def wait_for_writes(path, n, child):
    """Until a file has been replaced n times (or more: some may be missed), or its writer is done."""
    seen = set()
    while len(seen) <= n and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with suppress(FileNotFoundError):
            seen.add(path.stat().st_mtime_ns)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_two_hundred_kills_while_saving_lose_nothing(saved, small):
    other = FeatMAP(**QUICK).fit(normal(300, 40, seed=1))
    known = [attributes_of(small), attributes_of(other)]
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        child = os.fork()
        if child == 0:
            try:
                while True:
                    other.save(saved)
                    small.save(saved)
            finally:
                os._exit(1)
        wait_for_writes(saved, rng.integers(3), child)
        time.sleep(rng.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL
        found.append(known.index(attributes_of(FeatMAP.load(saved))))
    assert set(found) == {0, 1}
    left = parts(saved.parent)
    assert len(left) > 20, "kills that hit a writer"
    for name in left:
        os.utime(saved.with_name(name), (time.time() - 4000,) * 2)
    small.save(saved)
    assert parts(saved.parent) == []
