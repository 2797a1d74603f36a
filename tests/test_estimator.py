"""FeatMAP as a citizen of scikit-learn."""

from __future__ import annotations

import inspect
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import (
    Explanation,
    FeatMAP,
    FeatmapError,
    FeatmapWarning,
    FitStopped,
    InvalidParameterError,
    estimate_memory,
    explain,
)
from featmap import neighbors as neighbors_stage

with pytest.MonkeyPatch.context() as hidden:
    # scikit-learn 1.6 cannot import its own checks beside array-api-compat, which anndata brings.
    hidden.setitem(sys.modules, "array_api_compat", None)
    from sklearn.utils.estimator_checks import parametrize_with_checks

QUICK = {"n_epochs": 30, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).normal(size=(150, 6))


@pytest.fixture(scope="module")
def model(data):
    return FeatMAP(**QUICK).fit(data)


# A few epochs: the checks fit some hundred times, and ask about contracts, not about maps.
@pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([FeatMAP(n_epochs=10, n_jobs=1)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_attributes_have_the_promised_shapes(model, data):
    m, n = data.shape
    assert model.embedding_.shape == (m, 2)
    assert model.embedding_.dtype == np.float32
    assert model.frames_.shape == (m, 2, 2)
    assert sp.issparse(model.graph_)
    assert model.graph_.shape == (m, m)
    assert model.singular_values_.shape == (m, n)
    assert model.intrinsic_dim_.shape == (m,)
    assert model.n_features_in_ == n
    assert model.n_epochs_ == 30
    stages = ["scaling", "neighbors", "graph", "start", "layout"]
    assert [report.stage for report in model.fit_report_] == stages


def test_rows_can_be_asked_for_in_every_way(model):
    everything = model.feature_importance()
    assert everything.shape == (150, 6)
    mask = np.arange(150) % 7 == 0
    for rows in ([3, 1], slice(5, 9), mask, 4, np.array([-1])):
        assert np.array_equal(model.feature_importance(rows), np.atleast_2d(everything[rows]))
    with pytest.raises(IndexError):
        model.feature_importance([150])


def test_importance_can_be_written_into_a_memory_map(model, tmp_path):
    out = np.memmap(tmp_path / "importance.dat", np.float32, "w+", shape=(150, 6))
    assert model.feature_importance(out=out) is out
    out.flush()
    written = np.fromfile(tmp_path / "importance.dat", np.float32).reshape(150, 6)
    assert np.array_equal(written, model.feature_importance())
    with pytest.raises(InvalidParameterError, match="out"):
        model.feature_importance([1, 2], out=out)


def test_arrows_carry_loadings_through_the_frame(model):
    arrows, loadings = model.arrows([8], kind="frame")[0], model.loadings([8])[0]
    for feature in range(6):
        expected = sum(loadings[feature, axis] * model.frames_[8][:, axis] for axis in (0, 1))
        np.testing.assert_allclose(arrows[feature], expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(arrows, axis=1), np.linalg.norm(loadings, axis=1), atol=1e-6)
    with pytest.raises(InvalidParameterError, match=r"arrows\(kind='swirl'\)"):
        model.arrows([8], kind="swirl")


def test_features_that_vary_are_the_most_important(model):
    top = model.top_features([0, 5], k=3, by="varies")
    importance = model.feature_importance([0, 5])
    assert top.shape == (2, 3)
    with pytest.raises(InvalidParameterError, match=r"top_features\(k=0\)"):
        model.top_features([0], k=0)
    for row, features in zip(importance, top, strict=True):
        assert (row[features] == np.sort(row)[::-1][:3]).all()


def test_fit_transform_is_fit_and_y_is_ignored(data, model):
    assert np.array_equal(FeatMAP(**QUICK).fit_transform(data, np.arange(150)), model.embedding_)
    assert np.array_equal(FeatMAP(**QUICK).fit(data, np.arange(150)).embedding_, model.embedding_)
    assert "Ignored" in FeatMAP.fit.__doc__


def test_names_in_and_out(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data, columns=[f"gene {i}" for i in range(6)])
    model = FeatMAP(**QUICK).set_output(transform="pandas")
    table = model.fit_transform(frame)
    assert list(table.columns) == ["featmap0", "featmap1"]
    assert list(model.get_feature_names_out()) == ["featmap0", "featmap1"]
    assert list(model.feature_names_in_) == [f"gene {i}" for i in range(6)]
    assert list(model.transform(frame[:3]).index) == [0, 1, 2]


def test_clone_pipeline_and_pickle(data, model):
    assert clone(model).get_params() == model.get_params()
    piped = make_pipeline(StandardScaler(), FeatMAP(**QUICK)).fit(data)
    assert piped.transform(data[:4]).shape == (4, 2)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(data[:9] + 0.1), model.transform(data[:9] + 0.1))
    assert np.array_equal(again.feature_importance(), model.feature_importance())


def test_pickle_with_lists(monkeypatch):
    monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", 500)
    X = np.random.default_rng(0).normal(size=(1000, 5))
    model = FeatMAP(**QUICK).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(X[:9] + 0.1), model.transform(X[:9] + 0.1))


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(FeatMAP(n_neighbors=30)) == "FeatMAP(n_neighbors=30)"


WRONG = {
    "n_neighbors": [2, 15.0, True],
    "n_components": [0],
    "metric": ["nan_euclidean", "nonsense"],
    "metric_kwds": [[("p", 3)]],
    "min_dist": [-0.1, 1.5, np.nan, 10**400],
    "spread": [0],
    "n_epochs": [0],
    "density": [-1, 10.5, np.inf, "high"],
    "intrinsic_dim": [0, "many"],
    "n_tangent_neighbors": [10],
    "frames": ["wooden"],
    "init": ["somewhere", np.zeros((3, 2)), np.full((150, 2), np.nan)],
    "precomputed_knn": [3, (np.zeros((3, 3), int), np.zeros((3, 3)))],
    "n_jobs": [0, 1.5],
    "random_state": ["seed"],
    "verbose": ["loud"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_wrong_parameters_are_named_at_once(name, value, data, stages_begun):
    with pytest.raises(ValueError, match=name) as caught:
        FeatMAP(**{name: value}).fit(data)
    assert isinstance(caught.value, FeatmapError)
    assert stages_begun == []


@pytest.mark.parametrize(
    "method", ["transform", "outlier_score", "feature_importance", "loadings", "arrows", "top_features"]
)
def test_unfitted_says_so(method, data):
    with pytest.raises(NotFittedError):
        getattr(FeatMAP(), method)(data)


def test_more_neighbors_than_rows_is_said(data):
    with pytest.warns(FeatmapWarning, match="n_neighbors=15 is larger than the number of rows; using 9"):
        FeatMAP(**QUICK).fit(data[:9])


@pytest.mark.parametrize(
    "call",
    [
        lambda X: FeatMAP(**QUICK).fit(X[:9]),
        lambda X: FeatMAP(**QUICK).fit_transform(X[:9]),
        lambda X: make_pipeline(StandardScaler(), FeatMAP(**QUICK)).fit_transform(X[:9]),
        lambda X: explain(X[:9], X[:9, :2]),
        lambda X: FeatMAP(**QUICK, init="spectral").fit(np.concatenate([X, X + 1e3])),
        lambda X: FeatMAP(**QUICK).fit(X * [1e3, 1, 1, 1, 1, 1]),
        lambda X: explain(X * [1e3, 1, 1, 1, 1, 1], X[:, :2]),
        lambda X: FeatMAP(**QUICK, metric="jaccard").fit(np.append(X > -1, [[False] * 6], axis=0)),
        lambda X: explain(X, X[:, :2]).rank_features([*np.arange(149) % 2, 2], n_permutations=1),
    ],
    ids=[
        *("fit", "fit_transform", "pipeline", "explain", "no spectrum", "scales", "scales of explain"),
        *("no neighbours", "groups of one"),
    ],
)
def test_warnings_name_the_users_line(call, data):
    with pytest.warns(FeatmapWarning) as warned:
        call(data)
    assert [(warning.filename, warning.lineno) for warning in warned] == [(__file__, call.__code__.co_firstlineno)]


QUESTIONS = [
    *("arrows", "consistency", "contrast", "explained_variance", "feature_importance", "fidelity", "loadings"),
    *("rank_features", "to_frame", "top_features"),
]


@pytest.mark.parametrize("owner", [FeatMAP, Explanation])
@pytest.mark.parametrize("name", QUESTIONS)
def test_help_and_completion_show_every_parameter(owner, name):
    """No ``**options``, and no docstring that only points to another."""
    method = getattr(owner, name)
    parameters = inspect.signature(method).parameters
    assert not [one for one in parameters.values() if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    for section in ("Parameters\n", "Returns\n", "Examples\n"):
        assert section in inspect.getdoc(method)
    for parameter in set(parameters) - {"self"}:
        assert f"\n{parameter} : " in inspect.getdoc(method)


def test_what_the_fit_took_prints_as_a_table(model):
    *lines, search = repr(model.fit_report_).splitlines()
    assert [line.split()[0] for line in lines] == [*[stage.stage for stage in model.fit_report_], "total"]
    assert len({len(line) for line in lines}) == 1
    assert all(" s " in line and "MB peak" in line for line in lines)
    assert search == "recall 1.000 of neighbours: exact"
    assert list(model.fit_report_.to_frame().index) == [stage.stage for stage in model.fit_report_]


def test_the_memory_of_a_fit_prints_with_its_unit():
    estimate = estimate_memory((70_000, 784), n_jobs=2)
    assert f"{estimate}" == repr(estimate) == f"{int(estimate):,} bytes ({estimate / 1e9:.1f} GB)"
    assert estimate + 0 == int(estimate)


def test_callback_keeps_the_map_so_far_if_there_is_one(data):
    model = FeatMAP(**QUICK)
    with pytest.raises(FitStopped, match="start"):
        model.fit(data, callback=lambda stage, done, total: stage == "start")
    assert not hasattr(model, "embedding_")
    model.fit(data, callback=lambda stage, done, total: stage == "layout" and done == 12)
    assert model.n_epochs_ == 12
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.frames_).all()


@pytest.mark.parametrize("n_epochs", [1, 30])
def test_a_callback_that_goes_on_stopping_keeps_the_map_too(n_epochs, data):
    """As one does that watches the clock."""
    heard = []

    def out_of_time(stage, done, total):
        heard.append(stage)
        return stage == "layout"

    model = FeatMAP(n_epochs=n_epochs, random_state=0).fit(data, callback=out_of_time)
    assert model.n_epochs_ == 1
    assert heard[-2:] == ["layout", "layout"]
    assert model.frames_.shape == (150, 2, 2)


def test_what_is_done_to_a_fitted_model_does_not_move_where_new_rows_go(data):
    model = FeatMAP(**QUICK, metric="cosine")
    embedding = model.fit_transform(data)
    before = model.transform(data[:5] + 0.1)
    model.set_params(metric="manhattan")
    embedding -= 100
    assert np.array_equal(model.transform(data[:5] + 0.1), before)


def test_verbose_writes_to_stderr_only(data, capsys):
    FeatMAP(**QUICK, verbose=True).fit(data)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "layout" in captured.err


def test_init_array_is_where_the_map_starts(data):
    start = np.random.default_rng(1).normal(size=(150, 2))
    setting = {"n_epochs": 1, "density": 0, "random_state": 0}
    after_one_step = FeatMAP(init=start, **setting).fit_transform(data)
    assert np.abs(after_one_step - start).max() < 1.01  # a step of Adam is at most the learning rate
    assert np.array_equal(FeatMAP(init=start.tolist(), **setting).fit_transform(data), after_one_step)
