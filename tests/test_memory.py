"""The memory of a fit is told beforehand, and a fit that the machine has no room for is refused before it begins."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from featmap import (
    FeatMAP,
    FeatmapError,
    InvalidParameterError,
    NotEnoughMemoryError,
    estimate_memory,
    memory,
    pipeline,
)
from featmap.checks import settings
from lab.data.manifolds import curved_sheets


def test_the_estimate_grows_with_all_it_is_made_of():
    small = estimate_memory((20_000, 50))
    assert small < estimate_memory((40_000, 50)) < 2.2 * small
    assert small < estimate_memory((20_000, 500))
    assert small < estimate_memory((20_000, 50), n_neighbors=30)
    assert small < estimate_memory((20_000, 50), n_components=8)
    assert small < estimate_memory((20_000, 50), n_tangent_neighbors=40)
    assert estimate_memory((40_000, 50)) < estimate_memory((40_000, 50), n_epochs=500), "from the spectrum"
    assert small < estimate_memory((20_000, 50), metric="manhattan")
    assert estimate_memory((5000, 50), n_jobs=1) < estimate_memory((5000, 50), n_jobs=4)
    assert estimate_memory((300, 50), n_jobs=1) == estimate_memory((300, 50), n_jobs=10_000), "of one block"
    by_metric = {
        dtype: estimate_memory((20_000, 500), metric="manhattan", dtype=dtype) for dtype in (np.float32, np.float64)
    }
    assert by_metric[np.float32] < by_metric[np.float64]


@pytest.mark.parametrize("n_rows", [3_000_000, 10_000_000])
def test_millions_of_rows_take_less_than_1300_bytes_each(n_rows):
    assert estimate_memory((n_rows, 50), n_jobs=16) < 1300 * n_rows


def test_sparse_data_take_what_they_store():
    assert estimate_memory((20_000, 5000), n_stored=10**6) < estimate_memory((20_000, 5000)) / 2
    assert estimate_memory((20_000, 5000), n_stored=10**6) < estimate_memory((20_000, 5000), n_stored=10**7)


def test_small_shapes_have_an_estimate_too():
    assert estimate_memory((2, 1)) > 0
    assert estimate_memory([np.int64(2), 1], n_tangent_neighbors=20, n_jobs=None) > 0


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("shape", [(0, 3), (3, 0), (1, 5), (100,), (100, 5, 2), 100, None, "ab", (100.0, 5), (True, 5)]),
        ("n_neighbors", [1, 2, "a", None, 15.0]),
        ("n_components", [0, -1, "2", None]),
        ("n_tangent_neighbors", [0, 2, 14, "a", 20.5]),
        ("n_epochs", [0, "many", 2.5]),
        ("metric", ["far", None, ["euclidean"]]),
        ("dtype", ["number", 3.5]),
        ("n_stored", [-1, "a", 0.5]),
        ("n_jobs", [0, "all"]),
        ("checkpoint", [None, 1, "fit.featmap"]),
    ],
)
def test_what_no_fit_could_have_has_no_estimate(name, values):
    for value in values:
        with pytest.raises(InvalidParameterError, match=rf"^estimate_memory\({name}=.*: {name} must be"):
            estimate_memory(**{"shape": (100, 5), name: value})


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_a_fit_without_room_is_refused_before_it_begins(make, little_memory, monkeypatch, rng):
    monkeypatch.setattr(pipeline, "scale_data", lambda *arguments, **options: pytest.fail("the fit had begun"))
    with pytest.raises(NotEnoughMemoryError, match=r"fit\(X\): it needs about .* [GM]B.*transform") as caught:
        FeatMAP().fit(make(rng.normal(size=(300, 20))))
    assert isinstance(caught.value, MemoryError)
    assert isinstance(caught.value, FeatmapError)


def test_where_nothing_is_told_nothing_is_refused(monkeypatch, tmp_path, rng):
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "absent")
    monkeypatch.setattr(memory, "CGROUP", tmp_path / "absent")
    assert memory.available_memory() is None
    FeatMAP(n_epochs=1).fit(rng.normal(size=(30, 3)))


@pytest.mark.parametrize(
    ("most", "expected"),
    [("max", 3 * 2**20), (str(2**20), 2**20 - 2**19 + 2**18), (str(2**40), 3 * 2**20)],
)
def test_the_tighter_of_machine_and_container_counts(most, expected, monkeypatch, tmp_path):
    """Files that the container has cached give way."""
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    3072 kB\n")
    (tmp_path / "memory.max").write_text(most + "\n")
    (tmp_path / "memory.current").write_text(f"{2**19}\n")
    (tmp_path / "memory.stat").write_text(f"anon {2**18}\nfile {2**18}\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory.available_memory() == expected


def test_files_that_a_container_holds_in_memory_only_do_not_give_way(monkeypatch, tmp_path):
    """A folder of temporary files may be of that kind."""
    (tmp_path / "memory.max").write_text(f"{2**20}\n")
    (tmp_path / "memory.current").write_text(f"{2**19}\n")
    (tmp_path / "memory.stat").write_text(f"file {2**18}\nshmem {2**17}\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "absent")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory.available_memory() == 2**20 - 2**19 + 2**18 - 2**17


def test_an_estimate_is_a_number_that_prints_with_its_unit():
    estimate = memory.MemoryEstimate(1_600_000_000)
    assert estimate == 1_600_000_000
    assert repr(estimate) == str(estimate) == "1,600,000,000 bytes (1.6 GB)"
    assert repr(memory.MemoryEstimate(17_000_000)) == "17,000,000 bytes (17 MB)"
    assert f"{estimate_memory((70_000, 784))}".endswith(" GB)")
    assert isinstance(estimate_memory((70_000, 784)), memory.MemoryEstimate)


def test_a_fit_with_a_checkpoint_needs_the_memory_for_it(monkeypatch, tmp_path, rng):
    X = rng.normal(size=(11_000, 3)).astype(np.float32)
    without, with_one = (estimate_memory(X.shape, n_jobs=1, checkpoint=has) for has in (False, True))
    assert without < with_one
    monkeypatch.setattr(memory, "available_memory", lambda: (without + with_one) // 2)
    model = FeatMAP(n_epochs=1, n_jobs=1).fit(X)
    with pytest.raises(NotEnoughMemoryError, match="fit without a checkpoint"):
        model.fit(X, checkpoint=tmp_path / "fit.featmap")


def test_a_checkpoint_keeps_what_stages_give_up():
    """The graph in a second order, until the map is made."""
    without, with_one = (estimate_memory((300_000, 5), n_jobs=2, checkpoint=has) for has in (False, True))
    graph = 8 * 14 * memory.EDGES_PER_NEIGHBOR
    assert graph <= (with_one - without) / 300_000 < graph + 10


def sparse_cells(n_rows, n_features):
    return sp.random(n_rows, n_features, 0.05, "csr", np.float32, random_state=0)


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (lambda: curved_sheets(12_000, 100)[0], {}),
        (lambda: curved_sheets(3000, 600)[0], {"n_components": 3, "n_neighbors": 30}),
        (lambda: curved_sheets(5000, 30)[0], {"metric": "manhattan"}),
        (lambda: curved_sheets(2000, 3000)[0], {"pca": 20}),
        (lambda: sparse_cells(1000, 5000), {}),
        (lambda: curved_sheets(25_000, 10)[0], {"n_epochs": None, "n_tangent_neighbors": 25}),
        (lambda: curved_sheets(25_000, 10)[0], {}),
    ],
    ids=[
        "dense",
        "three dimensions",
        "any metric",
        "pca",
        "sparse",
        "from groups, larger tangents",
        "from the spectrum",
    ],
)
def test_the_estimate_is_near_what_numpy_allocates(make, parameters, monkeypatch):
    """Within a factor of 1.5. All is there in the first epoch."""
    monkeypatch.setattr(settings, "COARSE", 1)
    monkeypatch.setattr(settings, "REFINING", 1)
    X, parameters = make(), {"n_epochs": 1, **parameters}
    model = FeatMAP(**parameters, random_state=0, n_jobs=1)
    tracemalloc.start()
    try:
        model.fit(X)
        allocated = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    estimate = estimate_memory(X.shape, **parameters, n_stored=getattr(X, "nnz", None), n_jobs=1)
    assert 1 / 1.5 < estimate / allocated < 1.5, (int(estimate), allocated)


PEAK = """
    import json, sys, tempfile
    from pathlib import Path
    import numpy as np
    import scipy.sparse as sp
    from featmap import FeatMAP, estimate_memory
    from featmap.datasets import load_mnist
    from lab.data.manifolds import curved_sheets

    def held(kind):
        return int(Path("/proc/self/status").read_text().split(f"{kind}:")[1].split()[0]) * 2**10

    name, kept_in = sys.argv[1:]
    n_epochs = 10 if kept_in == "memory" else None
    X = curved_sheets(300_000)[0] if name == "sheets" else load_mnist().data.astype(np.float32)
    X = sp.csr_matrix(X) if name == "sparse" else X
    FeatMAP(n_epochs=2, random_state=0).fit(X[:11_000])  # libraries and compiled code are loaded
    Path("/proc/self/clear_refs").write_text("5")
    before = held("VmRSS")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "fit.featmap") if kept_in == "checkpoint" else None
        model = FeatMAP(n_epochs=n_epochs, random_state=0).fit(X, checkpoint=path)
    print(model.fit_report_, file=sys.stderr)
    asked = {"n_stored": getattr(X, "nnz", None), "n_epochs": n_epochs, "checkpoint": path is not None}
    estimate = estimate_memory(X.shape, **asked)
    print(json.dumps({"peak": held("VmHWM") - before, "estimate": estimate}))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("kept_in", ["memory", "checkpoint"])
@pytest.mark.parametrize("name", ["mnist", "sparse", "sheets"])
def test_the_estimate_is_near_what_a_process_takes(name, kept_in, data_set):
    """Within a factor of 1.5, of MNIST and 300,000 × 50. All is there in the first epoch: a few epochs will do."""
    if name != "sheets":
        data_set("mnist")
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PEAK), name, kept_in], capture_output=True, text=True, check=True
    )
    measured = json.loads(result.stdout)
    estimated, held = (measured[name] / 2**20 for name in ("estimate", "peak"))
    print(f"\n{name}, {kept_in}: estimated {estimated:.0f} MB, measured {held:.0f} MB")
    print(result.stderr)
    assert 1 / 1.5 < estimated / held < 1.5
