"""Models in files: the same after loading, nothing run, every altered byte noticed, never half a file."""

from __future__ import annotations

import ast
import json
import math
import mmap
import os
import pickle
import resource
import signal
import stat
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import kneighbors_graph

import featmap
from featmap import FeatMAP, FeatmapError, InvalidParameterError, StoreError, metrics
from featmap import neighbors as neighbors_stage
from featmap.store import container, replacing
from featmap.store.model import KIND
from files import (
    fail,
    mutated,
    node_at,
    put_together,
    rewritten,
    taken_apart,
    wait_for_writes,
    wait_until,
    with_array,
    with_entry,
)

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


def with_missing(indices, distances):
    """The last two neighbours of every row are missing."""
    indices[:, -2:], distances[:, -2:] = -1, np.inf
    return indices, distances


GRAPH_OF_NEIGHBORS = kneighbors_graph(normal(60, 5), 15, mode="distance")
CASES = {
    "dense": (normal(80, 6), {}),
    "sparse": (counts(80, 12), {}),
    "cosine": (normal(80, 6), {"metric": "cosine"}),
    "cosine, sparse": (counts(80, 12), {"metric": "cosine"}),
    "another metric, of integers": ((9 * normal(60, 5)).astype(np.int16), {"metric": "manhattan"}),
    "another metric, of a sparse array": (sp.csr_array(counts(60, 12)), {"metric": "manhattan"}),
    "hellinger, sparse": (counts(80, 12), {"metric": "hellinger"}),
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
    "neighbours as a sparse matrix": (normal(60, 5), {"precomputed_knn": GRAPH_OF_NEIGHBORS}),
    "neighbours as a sparse array": (normal(60, 5), {"precomputed_knn": sp.csr_array(GRAPH_OF_NEIGHBORS)}),
    "missing neighbours": (normal(60, 5), {"precomputed_knn": with_missing(*nearest(normal(60, 5), 16))}),
}


@cache
def pickled(name):
    """The model of a case as `fit` leaves it: without tangent spaces and frames."""
    X, parameters = CASES[name]
    return pickle.dumps(FeatMAP(**{**QUICK, **parameters}).fit(X))


@cache
def fitted(name):
    """The model of a case with tangent spaces and frames, which no test changes."""
    return with_geometry(pickle.loads(pickled(name)))


def with_geometry(model):
    """The model, after the first question about its tangent spaces and frames."""
    assert model.frames_.shape == (*model.embedding_.shape, model.embedding_.shape[1])
    return model


def arrays_of(value):
    """A value as plain arrays and scalars, to compare it byte by byte."""
    if sp.issparse(value):
        return [type(value).__name__, value.shape, *map(arrays_of, (value.data, value.indices, value.indptr))]
    if isinstance(value, np.ndarray) and value.dtype != object:
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        return value.dtype.str, value.shape, order, value.tobytes()
    if isinstance(value, np.ndarray | list | tuple):
        return type(value), [arrays_of(item) for item in value]
    if isinstance(value, dict):
        return {name: arrays_of(item) for name, item in value.items()}
    if isinstance(value, np.random.RandomState):
        return arrays_of(value.get_state())
    return type(value), value


def attributes_of(model):
    """The attributes of a model, its parameters among them."""
    return {name: arrays_of(value) for name, value in vars(model).items() if name != "_points"}


def answers(model, X):
    """All that can be asked of a model."""
    new, some = X[:7] * 2, slice(5, 15)
    explained = model.explain(new)
    asked = [model.transform(new), explained.embedding_, explained.frames_, explained.feature_importance()]
    for kind in ("tangent", "map", "frame"):
        asked += [model.arrows(some, kind), explained.arrows(kind=kind), model.fidelity(some, kind)]
    asked += [model.feature_importance(), model.loadings(), model.consistency(some), model.explained_variance(some)]
    asked += [metrics.perturbation(model, [1, 2]).most, model.contrast(np.arange(9), n_permutations=9).p_values]
    return [arrays_of(np.asarray(answer)) for answer in asked]


@cache
def answered(name):
    return answers(fitted(name), CASES[name][0])


def through_a_file(model, folder):
    model.save(folder / "model")
    return FeatMAP.load(folder / "model")


def header_of(path):
    """What a file says of itself."""
    return taken_apart(path)[0]


def assert_refused(path, says=""):
    with pytest.raises(StoreError, match=rf"model\.featmap.*{says}"):
        FeatMAP.load(path)


@pytest.fixture(scope="module")
def small():
    """A model of few bytes."""
    return with_geometry(FeatMAP(n_neighbors=5, n_epochs=5, random_state=0, n_jobs=1).fit(normal(24, 3)))


@pytest.fixture
def saved(small, tmp_path):
    path = tmp_path / "model.featmap"
    small.save(path)
    return path


@pytest.mark.parametrize("name", CASES)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    model = fitted(name)
    loaded = through_a_file(model, tmp_path)
    assert list(loaded.get_params()) == list(model.get_params())
    assert attributes_of(loaded) == attributes_of(model)
    assert answers(loaded, CASES[name][0]) == answered(name)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


@pytest.mark.parametrize("name", CASES)
def test_what_a_loaded_model_makes_itself_is_what_the_saved_one_would_make(name, tmp_path):
    """Tangent spaces and frames of a model that was saved before any question about them."""
    model = pickle.loads(pickled(name))
    loaded = through_a_file(model, tmp_path)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert header_of(tmp_path / "model")["content"]["geometry"] is None
    assert answers(loaded, CASES[name][0]) == answered(name)
    loaded.save(tmp_path / "again")
    fitted(name).save(tmp_path / "model")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_texts_of_numpy_are_kept_as_texts(tmp_path):
    """A grid over an array of names gives them."""
    texts = {"metric": "manhattan", "init": "pca", "frames": "paper", "intrinsic_dim": "auto"}
    X = normal(30, 3)
    model = FeatMAP(**QUICK, **{name: np.str_(text) for name, text in texts.items()}).fit(X)
    loaded = through_a_file(model, tmp_path)
    kept = {name: loaded.get_params()[name] for name in texts}
    assert kept == texts
    assert {type(text) for text in kept.values()} == {str}
    assert answers(loaded, X) == answers(model, X)


def test_a_loaded_model_with_lists_is_the_saved_one(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", 500)
    for X, metric in ((normal(800, 5), "euclidean"), (counts(800, 80), "cosine")):
        model = FeatMAP(**QUICK, metric=metric).fit(X)
        loaded = through_a_file(model, tmp_path)
        assert arrays_of(loaded.transform(X[:50] * 2)) == arrays_of(model.transform(X[:50] * 2))
        assert attributes_of(loaded) == attributes_of(model)


def test_names_and_set_output_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = [*range(100, 130), *(f"row {number}" for number in range(30))]
    frame = pandas.DataFrame(normal(60, 4), index=rows, columns=["länge", "b", "c", "d"])
    model = FeatMAP(**QUICK).set_output(transform="pandas").fit(frame)
    loaded = through_a_file(model, tmp_path)
    assert loaded.feature_names_in_.dtype == loaded.row_names_in_.dtype == object
    assert list(loaded.feature_names_in_) == ["länge", "b", "c", "d"]
    assert list(loaded.row_names_in_) == rows
    pandas.testing.assert_frame_equal(loaded.transform(frame[:5]), model.transform(frame[:5]))
    with pytest.raises(ValueError, match="feature names"):
        loaded.transform(frame[["b", "c", "d", "länge"]])


def test_names_of_rows_that_are_dates_become_texts(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(normal(30, 4), index=pandas.date_range("2024-01-01", periods=30))
    loaded = through_a_file(FeatMAP(**QUICK).fit(frame), tmp_path)
    assert loaded.row_names_in_[1] == "2024-01-02 00:00:00"
    assert loaded.arrows(["2024-01-02 00:00:00"]).tobytes() == loaded.arrows([1]).tobytes()


PAIR = nearest(normal(60, 5), 16)
SORTED = GRAPH_OF_NEIGHBORS.sorted_indices()
OTHER_NEIGHBOURS = [(SORTED.asformat(form), SORTED) for form in ("csc", "coo", "lil")]
OTHER_NEIGHBOURS += [(kind((*PAIR, object())), kind(PAIR)) for kind in (tuple, list)]


@pytest.mark.parametrize(("given", "kept"), OTHER_NEIGHBOURS, ids=["csc", "coo", "lil", "triple", "list of three"])
def test_of_given_neighbours_a_file_keeps_the_csr_matrix_or_the_pair(given, kept, tmp_path):
    """The third part of umap-learn's triple is a search index of another package, which featmap never uses."""
    X = normal(60, 5)
    model = FeatMAP(**QUICK, precomputed_knn=given).fit(X)
    loaded = through_a_file(model, tmp_path)
    assert arrays_of(loaded.precomputed_knn) == arrays_of(kept)
    assert model.precomputed_knn is given
    assert np.array_equal(loaded.fit_transform(X), model.embedding_)


def test_singular_values_beyond_float64_are_kept(tmp_path):
    """Data near the largest float64 have singular values beyond it."""
    with np.errstate(over="ignore"):
        model = FeatMAP(**QUICK).fit(3e307 * normal(60, 40))
    assert np.isinf(model.singular_values_).any()
    loaded = through_a_file(model, tmp_path)
    assert attributes_of(loaded) == attributes_of(model)
    assert np.array_equal(loaded.singular_values_, model.singular_values_)


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
    expected, n_signatures = answered(name), signatures()
    loaded = FeatMAP.load(tmp_path / "model")
    assert is_mapped(loaded.embedding_)
    assert is_mapped(loaded.graph_.data)
    assert is_mapped(loaded._points.tangents.weights)
    assert is_mapped(loaded.frames_)
    assert answers(loaded, X) == expected
    assert signatures() == n_signatures > 0
    joblib.dump(loaded, tmp_path / "model.joblib")
    for again in (pickle.loads(pickle.dumps(loaded)), joblib.load(tmp_path / "model.joblib")):
        assert attributes_of(again) == attributes_of(model)
        assert answers(again, X) == expected


def test_large_arrays_are_mapped_and_small_ones_read(tmp_path, monkeypatch):
    assert container.MAPPED_FROM == 2**20
    monkeypatch.setattr(container, "MAPPED_FROM", 2**16)
    model = FeatMAP(**{**QUICK, "n_epochs": 2}, init="pca", n_tangent_neighbors=80).fit(normal(300, 20))
    loaded = through_a_file(with_geometry(model), tmp_path)
    data = loaded._points.mapped.data
    assert data.matrix.nbytes < container.MAPPED_FROM
    assert not is_mapped(data.matrix)
    weights = loaded._points.tangents.weights
    assert is_mapped(weights)
    assert (weights.ctypes.data % 64, data.matrix is loaded._points.tangents.centers) == (0, True)


def test_changes_to_a_mapped_array_stay_in_memory(saved, monkeypatch):
    monkeypatch.setattr(container, "MAPPED_FROM", 1)
    before = saved.read_bytes()
    loaded = FeatMAP.load(saved)
    loaded.embedding_[:] = 7
    assert saved.read_bytes() == before
    assert (FeatMAP.load(saved).embedding_ != 7).all()


def test_a_loaded_model_can_be_saved_over_its_file_cloned_and_fitted(saved, small, monkeypatch):
    monkeypatch.setattr(container, "MAPPED_FROM", 1)
    X = normal(24, 3)
    loaded = FeatMAP.load(saved)
    loaded.save(saved)
    assert attributes_of(loaded) == attributes_of(FeatMAP.load(saved)) == attributes_of(small)
    assert np.array_equal(clone(loaded).fit_transform(X), small.embedding_)
    assert np.array_equal(loaded.fit_transform(X), small.embedding_)


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
    with pytest.raises(NotFittedError):
        FeatMAP().save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_another_class_is_named_and_a_missing_file_is_missing(saved, tmp_path):
    class Other(FeatMAP):
        pass

    with pytest.raises(StoreError, match=r"model\.featmap.*is a FeatMAP, not a Other") as caught:
        Other.load(saved)
    assert isinstance(caught.value, FeatmapError)
    assert isinstance(caught.value, OSError)
    with pytest.raises(FileNotFoundError):
        FeatMAP.load(tmp_path / "nothing")


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
    path = tmp_path / "model.featmap"
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
        assert_refused(path)
    assert not trap.exists()


def test_the_code_of_files_cannot_run_what_it_reads():
    sources = list((FILES / "store").rglob("*.py"))
    assert len(sources) > 6
    for source in sources:
        for node in ast.walk(ast.parse(source.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            used = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
            for name in (*names, used):
                assert name not in {"pickle", "marshal", "importlib", "eval", "exec", "__import__", "loadtxt", "load"}


def test_put_together_makes_good_files(saved, small):
    saved.write_bytes(put_together(*taken_apart(saved)))
    assert attributes_of(FeatMAP.load(saved)) == attributes_of(small)


def entry(*values):
    """Set an array's entry in the table."""
    return lambda header: header["arrays"].__setitem__(0, list(values))


def inside(*path, to):
    """Set something in the tree."""

    def change(header):
        node, last = node_at(header["content"], path)
        node[last] = to

    return change


MANIFOLD = ("mapped", "manifold")
GRAPH = (*MANIFOLD, "graph", "weights")
GEOMETRY = ("geometry",)
FRAMES, TANGENTS = (*GEOMETRY, "frames"), (*GEOMETRY, "tangents")
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
    "NaN": inside(*MANIFOLD, "data", "scale", to=float("nan")),
    "infinity": inside(*FRAMES, "covariance_size", to=float("inf")),
    "negative scale": inside(*MANIFOLD, "data", "scale", to=-1.0),
    "array out of range": inside("mapped", "embedding", to=1000),
    "array before the first": inside("mapped", "embedding", to=-1),
    "array by truth": inside("mapped", "embedding", to=True),
    "array of another type": inside(*TANGENTS, "neighbors", to=0),
    "array of another shape": inside(*FRAMES, "axes", to=0),
    "another search": inside(*MANIFOLD, "search", to=["system", {"command": "true"}]),
    "search without a name": inside(*MANIFOLD, "search", to={"matrix": 0}),
    "a function": inside("parameters", "metric", to={"function": "os.system"}),
    "a list of functions": inside("parameters", "init", to={"list": [{"import": "os"}]}),
    "unknown parameter": inside("parameters", to={"n_neighbours": 15}),
    "unknown attribute": inside("attributes", to={"transform": 0}),
    "epochs as text": inside("attributes", "n_epochs_", to="many"),
    "graph of huge shape": inside(*GRAPH, "shape", to=[10**12, 10**12]),
    "graph of another shape": inside(*GRAPH, "shape", to=[24, 20]),
    "graph of three dimensions": inside(*GRAPH, "shape", to=[24, 24, 1]),
    "graph of another class": inside(*GRAPH, "class", to="dok_matrix"),
    "graph of no class": inside(*GRAPH, "class", to=["csr_matrix"]),
    "too many neighbours": inside(*MANIFOLD, "n_neighbors", to=10**9),
    "too few neighbours": inside(*MANIFOLD, "n_neighbors", to=-1),
    "larger tangents": inside(*MANIFOLD, "n_tangent_neighbors", to=6),
    "another metric": inside(*MANIFOLD, "metric", to="manhattan"),
    "unknown metric": inside(*MANIFOLD, "metric", to="spacetime"),
    "lengths of another shape": inside(*MANIFOLD, "data", "lengths", to=0),
    "NaN as text": inside(*MANIFOLD, "data", "scale", to="nan"),
    "infinity as text": inside(*MANIFOLD, "data", "scale", to="inf"),
    "size of covariances NaN": inside(*FRAMES, "covariance_size", to="nan"),
    "size of covariances 0": inside(*FRAMES, "covariance_size", to=0.0),
    "unknown solver of frames": inside(*FRAMES, "solver", to="other"),
    "another solver of frames": inside(*FRAMES, "solver", to="paper"),
    "frames of another solver": inside(*MANIFOLD, "frame_solver", to="paper"),
    "no solver of frames": inside(*MANIFOLD, "frame_solver", to="other"),
    "another center of tangent spaces": inside(*TANGENTS, "center", to="point"),
    "tangent spaces without frames": inside(*GEOMETRY, to={"tangents": {}}),
    "geometry as a list": inside(*GEOMETRY, to=[]),
    "negative seed": inside(*MANIFOLD, "seed", to=-1),
    "seed beyond 31 bits": inside(*MANIFOLD, "seed", to=2**31),
    "seed as text": inside(*MANIFOLD, "seed", to="0"),
    "negative epochs": inside("attributes", "n_epochs_", to=-1),
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
        assert_refused(saved)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


SPARSE_FORGERIES = {
    "no zeros": lambda node: node.pop("zeros"),
    "zeros of another shape": lambda node: node.update(zeros=node["entries"]["data"]),
    "both formats": lambda node: node.update({"class": "csr_matrix"}),
}


@pytest.mark.parametrize("part", ["data", "tangents"])
@pytest.mark.parametrize("name", SPARSE_FORGERIES)
def test_forged_sparse_rows_are_refused(name, part, tmp_path):
    path = tmp_path / "model.featmap"
    fitted("sparse").save(path)
    header, body = taken_apart(path)
    content = header["content"]
    in_data, in_tangents = content["mapped"]["manifold"]["data"]["matrix"], content["geometry"]["tangents"]["centers"]
    SPARSE_FORGERIES[name](in_data if part == "data" else in_tangents)
    path.write_bytes(put_together(header, body))
    assert_refused(path)


@pytest.mark.parametrize(
    "text", [b"[" * 10**6, b'{"a":' * 10**6, b"\xff\xfe", b"", b"{", b"NaN", b"9" * 10**5, b'"\\ud800"']
)
def test_headers_that_are_not_json_are_refused(text, saved):
    saved.write_bytes(put_together(text, b""))
    assert_refused(saved)


def test_nesting_is_refused(saved):
    """And a header longer than the file, or empty."""
    header, body = taken_apart(saved)
    nested = json.dumps(header).replace('"auto"', '{"list":[' * 20_000 + "]}" * 20_000, 1).encode()
    size = len(saved.read_bytes())
    saved.write_bytes(put_together(nested, body))
    assert_refused(saved, "nested too deep")
    for header_size in (2**63, size, 0):
        saved.write_bytes(put_together(header, body, header_size=header_size))
        assert_refused(saved)


DISTANCES = (*MANIFOLD, "neighbors", "distances")
INDICES = (
    (*MANIFOLD, "neighbors", "indices"),
    *((*TANGENTS, name) for name in ("neighbors", "intrinsic_dim")),
    *((*GRAPH, name) for name in ("indices", "indptr")),
    ("attributes", "graph_", "indices"),
)
# Every array of floats in a file whose entries must be finite.
NUMBERS = (
    *((*MANIFOLD, *path) for path in (("data", "matrix"), ("data", "center"), ("search", 1, "matrix"))),
    *((*TANGENTS, name) for name in ("centers", "weights", "singular_values")),
    *((*GRAPH, "data"), ("mapped", "embedding"), (*FRAMES, "axes")),
    *(("attributes", "graph_", "data"), ("attributes", "embedding_")),
)


def test_all_arrays_of_floats_are_tried(saved):
    contents = container.read_file(saved, KIND, mapped=False)
    numbers = {node[last] for node, last in (node_at(contents.content, path) for path in {*NUMBERS, DISTANCES})}
    assert numbers == {number for number, array in enumerate(contents.arrays) if array.dtype.kind == "f"}


def with_arrays(*places, made):
    """A change for `rewritten`: several arrays, which still fit each other."""

    def change(content, arrays):
        for place in places:
            with_array(*place, made=made)(content, arrays)

    return change


def with_smaller_graph(content, arrays):
    """Every row is its own only neighbour, and one row is missing."""
    first = len(arrays)
    arrays += [np.ones(23, np.float32), np.arange(23, dtype=np.int32), np.arange(24, dtype=np.int32)]
    node, last = node_at(content, GRAPH)
    node[last].update(shape=[23, 23], data=first, indices=first + 1, indptr=first + 2)


def with_minus_one_rows(content, arrays):
    """An empty indptr has the length that −1 rows would need."""
    content["mapped"]["manifold"]["graph"]["weights"].update(shape=[-1, 24], indptr=len(arrays))
    arrays.append(np.empty(0, np.int32))


def with_fewer_directions(content, arrays):
    """The last direction of every tangent space is missing."""
    with_array(*TANGENTS, "singular_values", made=lambda array: array[:, :-1])(content, arrays)
    with_array(*TANGENTS, "intrinsic_dim", made=np.zeros_like)(content, arrays)


def in_three_dimensions(axes):
    """Orthogonal frames, but not of this map."""
    return np.tile(np.eye(3, dtype=axes.dtype), (len(axes), 1, 1))


def changes():
    """Changes of the arrays in a file by name, each with what the error says."""
    for place in INDICES:
        for value in (-1, 10**6):
            yield f"{value} in {place}", "", with_array(*place, made=with_entry(value, at=3))
    for place in (*INDICES, *NUMBERS, DISTANCES):
        says = ".* where an array of .* should be"
        yield f"a dimension more of {place}", says, with_array(*place, made=lambda array: array[..., None])
        yield f"another type of {place}", says, with_array(*place, made=lambda array: array.astype(np.int16))
    for place in NUMBERS:
        for value in (math.nan, math.inf):
            says = f".*{place[-1]}: it has NaN or infinite numbers"
            yield f"{value} in {place}", says, with_array(*place, made=with_entry(value))
    for at in (0, -1):
        for value in (math.nan, -1.0, -math.inf):
            yield f"{value} at {at}", ".*(n|N)eighbors", with_array(*DISTANCES, made=with_entry(value, at))
    unfit = " cannot belong to the rest of it"
    for place, says in {
        (*MANIFOLD, "data", "center"): "the center of the data",
        (*MANIFOLD, "search", 1, "matrix"): "the search",
        ("mapped", "embedding"): "the map",
        (*FRAMES, "axes"): "the frames",
        ("attributes", "embedding_"): "embedding_",
    }.items():
        yield f"fewer rows of {place}", says + unfit, with_array(*place, made=lambda array: array[:-1])
    parts = [(*TANGENTS, name) for name in ("weights", "centers", "neighbors", "singular_values", "intrinsic_dim")]
    neighbors = [(*MANIFOLD, "neighbors", "indices"), DISTANCES]
    tangents = "the tangent spaces" + unfit
    negative = with_array(*TANGENTS, "singular_values", made=with_entry(-1.0, at=-1))
    yield "fewer points", "neighbors" + unfit, with_arrays(*neighbors, made=lambda array: array[:-1])
    yield "fewer neighbors", "n_tangent_neighbors" + unfit, with_arrays(*neighbors, made=lambda array: array[:, :-1])
    yield "a smaller graph", "the graph" + unfit, with_smaller_graph
    yield "a graph of -1 rows", ".*the shape of a CSR matrix", with_minus_one_rows
    yield "fewer tangent spaces", tangents, with_arrays(*parts, made=lambda array: array[:-1])
    yield "fewer directions", tangents, with_fewer_directions
    yield "frames of three dimensions", "the frames" + unfit, with_array(*FRAMES, "axes", made=in_three_dimensions)
    yield "negative singular values", tangents, negative


@pytest.mark.parametrize(("says", "change"), [pytest.param(*rest, id=name) for name, *rest in changes()])
def test_arrays_that_kernels_could_not_trust_are_refused(says, change, saved):
    rewritten(saved, KIND, change)
    with pytest.raises(StoreError, match=rf"model\.featmap cannot be read: {says}"):
        FeatMAP.load(saved)


KINDS_OF_ROWS = {
    "sparse": [
        (*MANIFOLD, "data", "matrix", "entries", "data"),
        (*MANIFOLD, "data", "matrix", "zeros"),
        (*MANIFOLD, "search", 1, "matrix", "zeros"),
        (*TANGENTS, "centers", "entries", "data"),
    ],
    "cosine": [(*MANIFOLD, "search", 1, "euclidean", 1, "matrix")],
    "another metric, of a sparse array": [(*MANIFOLD, "search", 1, "matrix", "data")],
}


@pytest.mark.parametrize("name", KINDS_OF_ROWS)
def test_rows_that_are_not_finite_are_refused(name, tmp_path):
    path = tmp_path / "model.featmap"
    fitted(name).save(path)
    whole = path.read_bytes()
    for place in KINDS_OF_ROWS[name]:
        path.write_bytes(whole)
        rewritten(path, KIND, with_array(*place, made=with_entry(math.nan)))
        assert_refused(path, "cannot be read: .*it has NaN or infinite numbers")


@pytest.mark.parametrize("name", ["feature_names_in_", "row_names_in_"])
@pytest.mark.parametrize("names", [["one"], [1.5] * 24, "abc", [["a"]] * 24])
def test_names_of_other_numbers_or_types_are_refused(name, names, saved):
    rewritten(saved, KIND, lambda content, arrays: content["attributes"].update({name: names}))
    assert_refused(saved, "cannot be read: ")


WRONG_PARAMETERS = {
    "n_neighbors": [-1, 2, 2.5, "15", {"float": "nan"}],
    "n_components": [0, None],
    "metric": ["nan_euclidean", "spacetime", None],
    "metric_kwds": [3, "p", {"dict": {"p": 3}}],
    "pca": [0, 2.5],
    "min_dist": [-0.1, {"float": "nan"}, {"float": "inf"}, 5.0, 10**400],
    "spread": [0.0, {"float": "-inf"}],
    "n_epochs": [0, True],
    "density": [-1.0, 11, "much", {"float": "inf"}],
    "tangent_center": ["middle"],
    "intrinsic_dim": [0, "many"],
    "n_tangent_neighbors": [4, -1],
    "frames": ["picture", {"list": []}],
    "init": ["first"],
    "precomputed_knn": [3, {"tuple": []}],
    "random_state": [-1, "seed", 0.5, 2**40],
    "n_jobs": [0, "all"],
    "verbose": ["yes"],
}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_wrong_parameters_are_refused(name, saved):
    header, body = taken_apart(saved)
    for value in WRONG_PARAMETERS[name]:
        header["content"]["parameters"][name] = value
        saved.write_bytes(put_together(header, body))
        assert_refused(saved, "cannot be read: ")


def test_all_parameters_are_tried_and_all_are_needed(saved):
    header, body = taken_apart(saved)
    assert set(WRONG_PARAMETERS) == set(header["content"]["parameters"]) == set(FeatMAP().get_params())
    del header["content"]["parameters"]["n_neighbors"]
    saved.write_bytes(put_together(header, body))
    assert_refused(saved, "parameters are not those of this featmap.*: n_neighbors")


CHOSEN = (*MANIFOLD, "search", 1, "chosen", 1)
PLACES = {
    "lists": (*CHOSEN, "partition", "lists"),
    **{name: (*CHOSEN, "quantizer", name) for name in ("cells", "centers")},
}
DIRECTIONS = (*CHOSEN, "quantizer", "directions")


def with_value(*path, to):
    """A change for `rewritten`: another value at some place of the tree."""
    return lambda content, arrays: inside(*path, to=to)({"content": content})


def lists_of(place, name, made):
    """A change of the lists of a search."""
    return with_array(*PLACES[place], name, made=made)


def entry_of(is_point, value):
    """For `with_array`: change the first column, which is a point, or the last, which is padding."""

    def made(blocks):
        blocks[0 if is_point else -1, 0, 0 if is_point else -1] = value
        return blocks

    return made


LISTS = {
    "member beyond the rows": lists_of("lists", "members", with_entry(10**6, 1)),
    "center beyond the lists": lists_of("centers", "members", with_entry(10**6, 1)),
    "cell beyond the cells": lists_of("cells", "members", with_entry(10**6, 1)),
    "centers of one list more": lists_of("centers", "members", with_entry(0, -1)),
    "no list to look into": with_value(*CHOSEN, "width", "n_probes", to=0),
    "no candidates": with_value(*CHOSEN, "width", "candidates_per_neighbor", to=0.5),
    "candidates beyond memory": with_value(*CHOSEN, "width", "candidates_per_neighbor", to=1e12),
    "a recall of two": with_value(*CHOSEN, "recall", to=2.0),
    "a cosine of two": with_value(*CHOSEN, "quantizer", "shared", to=2.0),
    "no neighbours": with_value(*MANIFOLD, "search", 1, "k", to=0),
    "list beyond the blocks": lists_of("lists", "first_blocks", with_entry(10**6, 1)),
    "falling lists": lists_of("lists", "first_blocks", with_entry(-1, 1)),
    "points at infinity": lists_of("lists", "blocks", entry_of(True, math.inf)),
    "points that are NaN": lists_of("lists", "blocks", entry_of(True, math.nan)),
    "centers that are NaN": lists_of("centers", "blocks", entry_of(True, math.nan)),
    "padding that is NaN": lists_of("lists", "blocks", entry_of(False, math.nan)),
    "padding that could be found": lists_of("lists", "blocks", entry_of(False, 0.0)),
    "directions that are NaN": with_array(*DIRECTIONS, made=with_entry(math.nan)),
    "lists that end early": lists_of("lists", "first_blocks", lambda first: np.minimum(first, first[-1] - 1)),
    "fewer coordinates of rows": lists_of("lists", "blocks", lambda blocks: blocks[:, :-1]),
    "fewer coordinates": with_arrays(
        DIRECTIONS, *((*place, "blocks") for place in PLACES.values()), made=lambda array: array[:, :-1]
    ),
    "directions of fewer features": with_array(*DIRECTIONS, made=lambda array: array[:-1]),
}


@pytest.fixture(scope="module")
def with_lists():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbors_stage, "EXACT_BELOW", 500)
        return FeatMAP(**{**QUICK, "n_epochs": 1}, init="random").fit(normal(600, 4))


@pytest.mark.parametrize("name", LISTS)
def test_lists_that_kernels_could_not_trust_are_refused(name, with_lists, tmp_path):
    path = tmp_path / "model.featmap"
    with_lists.save(path)
    assert FeatMAP.load(path)._points.mapped.manifold.search.chosen is not None
    rewritten(path, KIND, LISTS[name])
    assert_refused(path, "cannot be read: .*search")


def test_lists_that_are_not_built_yet_are_built_after_loading(tmp_path):
    """With neighbours of the user the search is first used by `transform`."""
    X = normal(600, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbors_stage, "EXACT_BELOW", 500)
        model = FeatMAP(**{**QUICK, "n_epochs": 1}, init="random", precomputed_knn=nearest(X, 16)).fit(X)
    loaded = through_a_file(model, tmp_path)
    assert loaded._points.mapped.manifold.search.chosen is None
    assert arrays_of(loaded.transform(X[:50] * 2)) == arrays_of(model.transform(X[:50] * 2))


def test_what_could_not_be_loaded_is_not_saved(saved, small):
    """Otherwise a good file would be replaced by one that cannot be read."""
    before = saved.read_bytes()
    broken = pickle.loads(pickle.dumps(small))
    broken.embedding_[3] = np.nan
    with pytest.raises(
        StoreError, match=r"save: a file cannot hold this model: .*embedding_: it has NaN or infinite numbers"
    ):
        broken.save(saved)
    with pytest.raises(StoreError, match=r"save: .*FeatMAP\(n_neighbors=-1\): n_neighbors must be"):
        pickle.loads(pickle.dumps(small)).set_params(n_neighbors=-1).save(saved)
    assert saved.read_bytes() == before


def test_a_later_format_asks_for_a_later_featmap(saved):
    header, body = taken_apart(saved)
    saved.write_bytes(put_together({"quite": "different"}, body, version=container.FORMAT + 1))
    assert_refused(saved, f"format is {container.FORMAT + 1}.*upgrade featmap")
    saved.write_bytes(put_together(header, body, version=0))
    assert_refused(saved)


# Written by featmap 0.1.0, of `normal(24, 3)`, with n_neighbors=5, n_epochs=5, random_state=0 and n_jobs=1.
OF_FIRST_FORMAT = Path(__file__).parent / "models" / "0.1.0.featmap"


def test_a_model_of_the_first_format_is_read(tmp_path):
    """It had tangent spaces and frames, and a penalty for density."""
    X = normal(24, 3)
    loaded = FeatMAP.load(OF_FIRST_FORMAT)
    header, _ = taken_apart(OF_FIRST_FORMAT)
    contents = container.read_file(OF_FIRST_FORMAT, KIND, mapped=False)
    assert (header["featmap"], contents.format) == ("0.1.0", 1)
    old = contents.content["attributes"]
    for name in ("embedding_", "frames_", "intrinsic_dim_"):
        assert getattr(loaded, name).tobytes() == contents.arrays[old[name]].tobytes()
    assert np.array_equal(loaded.transform(X), loaded.embedding_)
    assert (loaded.density, loaded.density_, loaded.n_epochs_) == (None, 0.0, 5)
    assert not hasattr(loaded, "radii_")
    now = FeatMAP(n_neighbors=5, n_epochs=5, random_state=0, n_jobs=1)
    assert loaded.get_params() == now.get_params()
    np.testing.assert_allclose(loaded.feature_importance(), now.fit(X).feature_importance(), atol=1e-5)
    again = through_a_file(loaded, tmp_path)
    assert attributes_of(again) == attributes_of(loaded)
    assert answers(again, X) == answers(loaded, X)
    assert np.array_equal(loaded.fit_transform(X), now.embedding_)


FIRST_FORMATS = {
    "nothing": lambda content: content.clear(),
    "no tangent spaces": lambda content: content["mapped"]["manifold"].pop("tangents"),
    "no frames": lambda content: content["mapped"].update(frames=3),
    "no radii": lambda content: content["mapped"]["manifold"]["tangents"].pop("radii"),
    "no penalty": lambda content: content["parameters"].pop("density_weight"),
    "a parameter more": lambda content: content["parameters"].update(weight=1),
    "no attributes": lambda content: content.update(attributes=[]),
    "solvers that differ": lambda content: content["mapped"]["frames"].update(solver="other"),
}


@pytest.mark.parametrize("name", FIRST_FORMATS)
def test_forged_files_of_the_first_format_are_refused(name, tmp_path):
    header, body = taken_apart(OF_FIRST_FORMAT)
    FIRST_FORMATS[name](header["content"])
    path = tmp_path / "model.featmap"
    path.write_bytes(put_together(header, body, version=1))
    assert_refused(path, "cannot be read: ")


@pytest.mark.parametrize(("n", "seed"), [(60, 0), pytest.param(1000, 1, marks=pytest.mark.slow)])
def test_every_altered_file_is_refused(n, seed, saved):
    data, rng = saved.read_bytes(), np.random.default_rng(seed)
    n_altered = 0
    while n_altered < n:
        altered = mutated(data, rng)
        if altered == data:
            continue
        n_altered += 1
        saved.write_bytes(altered)
        assert_refused(saved)


def test_every_byte_counts(saved):
    data = saved.read_bytes()
    for place in (*range(200), *range(200, len(data), 97), *range(len(data) - 80, len(data))):
        saved.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert_refused(saved, "(damaged|not a featmap file)")


# How it comes to be there.


def parts(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix == ".part")


@contextmanager
def no_space():
    """No file can grow beyond a few kilobytes. Only for a moment, because the report on the tests is a file too."""
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


@pytest.mark.parametrize("fault", ["replace", "fsync", "write"])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(fault, saved, small):
    before = saved.read_bytes()
    with no_space() if fault == "write" else failing(fault):
        with pytest.raises(StoreError, match=r"model\.featmap could not be written: .*; the file .* is unchanged"):
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
    with pytest.raises(StoreError, match="is not a file, so it cannot be replaced"):
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
    with ThreadPoolExecutor(4) as writers:
        saves = [writers.submit(model.save, saved) for _ in range(20) for model in (small, other)]
    assert all(save.exception() is None for save in saves)
    assert parts(saved.parent) == []
    assert attributes_of(FeatMAP.load(saved)) in (attributes_of(small), attributes_of(other))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_two_hundred_kills_while_saving_lose_nothing(saved, small):
    other = FeatMAP(**QUICK).fit(normal(300, 40, seed=1))
    known = [attributes_of(small), attributes_of(other)]
    rng, found = np.random.default_rng(0), []
    for round_ in range(200):
        n_left = len(parts(saved.parent))
        child = os.fork()
        if child == 0:
            try:
                while True:
                    other.save(saved)
                    small.save(saved)
            finally:
                os._exit(1)
        wait_for_writes(saved, rng.integers(3), child)
        if round_ % 2:  # at any time
            time.sleep(rng.uniform(0, 0.01))
        else:  # in the middle of a file
            wait_until(lambda n=n_left: len(parts(saved.parent)) > n, child)
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
