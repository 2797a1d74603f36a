"""metric="precomputed": a map of distances, which has no features."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import get_tags

from featmap import FeatMAP, FeatmapError, FeatmapWarning, InvalidDataError, estimate_memory, explain, metrics, plot
from featmap.checks import settings
from featmap.data.scaling import without_features
from featmap.explanation.mixin import ExplanationMixin
from featmap.layout.start import make_start
from featmap.values import Graph

QUICK = {"n_neighbors": 8, "n_epochs": 20, "random_state": 0}
TABLE = np.random.default_rng(0).normal(size=(120, 5))
DISTANCES = pairwise_distances(TABLE)
NEW = np.random.default_rng(1).normal(size=(20, 5))


def fit(distances=DISTANCES, **parameters):
    return FeatMAP(**{**QUICK, "metric": "precomputed", **parameters}).fit(distances)


def digest(model):
    arrays = (model.embedding_, model.graph_.data, model.frames_)
    return [array.tobytes() for array in (*arrays, *model.neighbors_)]


@pytest.fixture(scope="module")
def fitted():
    return fit()


@pytest.fixture(scope="module")
def plain():
    return FeatMAP(**QUICK).fit(TABLE)


def test_neighbors_and_graph_are_those_of_the_features(fitted, plain):
    np.testing.assert_array_equal(fitted.neighbors_[0], plain.neighbors_[0])
    np.testing.assert_allclose(fitted.neighbors_[1], plain.neighbors_[1], rtol=1e-6)
    np.testing.assert_allclose(fitted.graph_.toarray(), plain.graph_.toarray(), atol=1e-5)


def test_the_map_is_as_good_as_that_of_the_features(digits):
    X = digits[:500]
    of_distances = fit(pairwise_distances(X), n_neighbors=15, n_epochs=None)
    expected = metrics.trustworthiness(X, FeatMAP(random_state=0).fit_transform(X))
    assert metrics.trustworthiness(X, of_distances.embedding_) > expected - 0.01


def test_the_map_has_the_density_of_the_distances():
    """Two groups of other spread: as in a map of the features, and only with a density."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(150, 3)), rng.normal(size=(150, 3)) * 6 + 40])
    D = pairwise_distances(X)
    setting = {**QUICK, "n_epochs": 200}
    maps = [fit(D, n_epochs=200, density=density).embedding_ for density in (0, 1)]
    maps.append(FeatMAP(**setting, density=1).fit_transform(X))
    without, of_distances, of_features = (spread_of_groups(Y) for Y in maps)
    assert without < 1.5
    assert of_distances > 2 * without
    assert of_distances == pytest.approx(of_features, rel=0.2)


def spread_of_groups(Y):
    """How much farther neighbours are from each other in the second half of the rows."""
    distances = [np.median(np.sort(pairwise_distances(half), axis=1)[:, 7]) for half in (Y[:150], Y[150:])]
    return distances[1] / distances[0]


def test_the_solver_of_frames_changes_nothing(fitted):
    """There are no tangent spaces that it could tell apart."""
    assert digest(fit(frames="paper")) == digest(fitted)


def test_rows_of_the_fit_get_their_own_places_and_new_rows_are_placed_alone(fitted):
    np.testing.assert_array_equal(fitted.transform(DISTANCES), fitted.embedding_)
    new = pairwise_distances(NEW, TABLE)
    placed = fitted.transform(new)
    one_by_one = np.vstack([fitted.transform(row[None]) for row in new])
    np.testing.assert_array_equal(placed, one_by_one)
    nearest = np.argsort(new, axis=1)[:, :7]
    low, high = fitted.embedding_[nearest].min(axis=1), fitted.embedding_[nearest].max(axis=1)
    assert ((placed >= low - 1e-4) & (placed <= high + 1e-4)).all()


def test_outliers_are_told(fitted):
    far = pairwise_distances(NEW + 20, TABLE)
    assert fitted.outlier_score(far).min() > fitted.outlier_score(pairwise_distances(NEW, TABLE)).max()


SPARSE = {
    "all distances": sp.csr_matrix(DISTANCES),
    "the nearest": kneighbors_graph(TABLE, 7, mode="distance"),
    "the nearest with the row itself": kneighbors_graph(TABLE, 8, mode="distance", include_self=True),
    "a sparse array": sp.csr_array(kneighbors_graph(TABLE, 12, mode="distance")),
    "COO": kneighbors_graph(TABLE, 12, mode="distance").tocoo(),
}


@pytest.mark.parametrize("form", SPARSE)
def test_of_sparse_distances_those_are_known_that_are_stored(form, fitted):
    found = fit(SPARSE[form])
    np.testing.assert_array_equal(found.neighbors_[0], fitted.neighbors_[0])
    np.testing.assert_allclose(found.embedding_, fitted.embedding_, atol=1e-3)
    new = pairwise_distances(NEW, TABLE)
    only_near = sp.csr_matrix(np.where(new <= np.sort(new, axis=1)[:, 9:10], new, 0))
    np.testing.assert_array_equal(found.transform(only_near), found.transform(new))


def test_a_stored_zero_is_a_distance():
    D = np.repeat(np.repeat(DISTANCES[:40, :40], 3, axis=0), 3, axis=1)
    graph = sp.csr_matrix(np.ones_like(D))
    graph.data[:] = D.ravel()
    assert (graph.data == 0).sum() > 40
    np.testing.assert_array_equal(fit(graph).embedding_, fit(D).embedding_)
    assert (fit(D).neighbors_[1][:, :2] == 0).all()


def test_a_graph_in_parts_has_a_map_in_parts():
    X = np.vstack([TABLE, TABLE + 1000])
    model = fit(pairwise_distances(X), n_epochs=100)
    assert metrics.knn_accuracy(model.embedding_, np.repeat([0, 1], 120)) == 1
    with pytest.warns(FeatmapWarning, match="init='spectral': .*2 unconnected parts; starting from random places"):
        fit(pairwise_distances(X), init="spectral")


@pytest.mark.parametrize("X", [TABLE, np.vstack([TABLE, TABLE + 1000])], ids=["one part", "two parts"])
def test_the_start_follows_the_graph(X, run):
    graph = Graph(fit(pairwise_distances(X)).graph_)
    start = make_start("auto", without_features(len(X)), graph, 2, 0, run)
    assert 9 < np.abs(start).max() < 11
    ends, lengths = graph.weights.nonzero(), pairwise_distances(start)
    assert lengths[ends].mean() < 0.7 * lengths.mean()


def test_many_rows_begin_coarsely(monkeypatch):
    monkeypatch.setattr(settings, "COARSE_ABOVE", 100)
    model = fit(n_epochs=None)
    assert "coarse layout" in [stage.stage for stage in model.fit_report_]
    assert metrics.trustworthiness(TABLE, model.embedding_) > 0.8


@pytest.mark.parametrize(
    "given",
    [
        *({"n_components": 1}, {"n_components": 5}, {"init": "random"}, {"init": TABLE[:, :2]}),
        {"distances": np.zeros((30, 30))},
    ],
)
def test_any_map_is_finite(given):
    assert np.isfinite(fit(**given).embedding_).all()


@pytest.mark.parametrize("m", [2, 3, 5])
def test_a_handful_of_rows(m):
    with pytest.warns(FeatmapWarning, match="n_neighbors=8 is larger"):
        assert np.isfinite(fit(DISTANCES[:m, :m]).embedding_).all()


def test_the_same_bytes_on_any_number_of_threads(fitted):
    assert digest(fit(n_jobs=1)) == digest(fit(n_jobs=3)) == digest(fitted)


def test_nothing_is_claimed_that_distances_cannot_tell(fitted):
    assert fitted.fit_report_.search is None
    assert fitted.singular_values_.shape == (120, 0)
    assert not fitted.intrinsic_dim_.any()
    np.testing.assert_array_equal(fitted.frames_, np.broadcast_to(np.eye(2), (120, 2, 2)))


def test_distances_stay_as_they_were():
    for X in (DISTANCES.copy(), sp.csr_matrix(DISTANCES)):
        before = X.copy()
        fit(X).transform(X)
        assert (before != X).sum() == 0


def test_a_frame_keeps_its_names():
    pandas = pytest.importorskip("pandas")
    names = [f"cell {number}" for number in range(len(DISTANCES))]
    model = fit(pandas.DataFrame(DISTANCES, index=names, columns=names))
    assert model.n_features_in_ == len(DISTANCES)
    assert list(model.row_names_in_) == list(model.feature_names_in_) == names


def test_a_file_gives_the_model_back(fitted, tmp_path):
    fitted.save(tmp_path / "map")
    loaded, new = FeatMAP.load(tmp_path / "map"), pairwise_distances(NEW, TABLE)
    for again in (loaded, pickle.loads(pickle.dumps(fitted))):
        assert digest(again) == digest(fitted)
        np.testing.assert_array_equal(again.transform(new), fitted.transform(new))
        np.testing.assert_array_equal(again.outlier_score(new), fitted.outlier_score(new))


@pytest.mark.usefixtures("at_every_chance")
def test_a_fit_is_resumed(fitted, tmp_path):
    def stop(stage, done, total):
        if stage == "layout" and done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FeatMAP(**QUICK, metric="precomputed").fit(DISTANCES, callback=stop, checkpoint=tmp_path / "fit")
    assert (tmp_path / "fit").exists()
    resumed = FeatMAP(**QUICK, metric="precomputed").fit(DISTANCES, checkpoint=tmp_path / "fit")
    assert digest(resumed) == digest(fitted)


def test_scikit_learn_is_told_that_columns_are_rows():
    model = FeatMAP(metric="precomputed")
    assert get_tags(clone(model)).input_tags.pairwise
    assert not get_tags(FeatMAP()).input_tags.pairwise


def test_distances_are_not_copied_as_a_whole():
    shape = (50_000, 50_000)
    assert estimate_memory(shape, metric="precomputed", n_jobs=2) < 0.1 * 8 * 50_000**2


WRONG = {
    "a table of features": (TABLE, {}, "must be a square matrix.*choose another metric"),
    "similarities": (np.exp(-DISTANCES), {}, r"diagonal of X must be 0.*S\.max\(\) - S"),
    "negative": (DISTANCES - 1, {}, "negative values, which are no distances"),
    "NaN": (np.where(DISTANCES > 2, np.nan, DISTANCES), {}, "NaN"),
    "too long": (DISTANCES * 1e32, {}, "multiply X"),
    "too short": (DISTANCES * 1e-40, {}, "multiply X"),
    "too few": (kneighbors_graph(TABLE, 5, mode="distance"), {}, "7 distances to others.*has only 5.*n_neighbors"),
    "components": (DISTANCES, {"pca": 3}, r"pca must be None.*precomputed_knn=distances"),
    "principal components": (DISTANCES, {"init": "pca"}, "init must be 'auto'"),
    "neighbours besides": (DISTANCES, {"precomputed_knn": DISTANCES}, "precomputed_knn must be None"),
    "larger tangent spaces": (DISTANCES, {"n_tangent_neighbors": 20}, "n_tangent_neighbors must be None"),
    "parameters": (DISTANCES, {"metric_kwds": {"p": 3}}, "'precomputed' has no parameters"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_are_no_distances_is_refused(case, stages_begun):
    X, parameters, message = WRONG[case]
    with pytest.raises(FeatmapError, match=message):
        fit(X, **parameters)
    assert stages_begun in ([], ["neighbors"])


def test_new_rows_need_their_distances_to_all_rows(fitted):
    with pytest.raises(InvalidDataError, match="expecting 120 features"):
        fitted.transform(NEW)
    with pytest.raises(InvalidDataError, match="negative values"):
        fitted.transform(-DISTANCES[:3])
    with pytest.raises(InvalidDataError, match="has only 2"):
        fitted.transform(sp.csr_matrix(np.eye(2, 120) + np.eye(2, 120, 1)))


ARGUMENTS = {"labels": np.arange(120) % 2, "path": "map.html"}
QUESTIONS = [name for name, value in vars(ExplanationMixin).items() if inspect.isfunction(value) and name[0] != "_"]


@pytest.mark.parametrize("name", [*QUESTIONS, "explain"])
def test_questions_about_features_say_what_to_do(name, fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    question = getattr(fitted, name)
    needed = [p.name for p in inspect.signature(question).parameters.values() if p.default is inspect.Parameter.empty]
    with pytest.raises(FeatmapError, match=r"cannot answer.*featmap\.explain\(X, model\.embedding_\)"):
        question(**{argument: ARGUMENTS.get(argument, [0, 1]) for argument in needed})
    assert list(tmp_path.iterdir()) == []


def test_what_the_error_recommends_works(fitted, plain):
    explained = explain(TABLE, fitted.embedding_, precomputed_knn=DISTANCES, n_neighbors=8)
    np.testing.assert_allclose(explained.feature_importance(), plain.feature_importance(), atol=1e-4)
    with_both = FeatMAP(**QUICK, precomputed_knn=DISTANCES).fit(TABLE)
    np.testing.assert_array_equal(with_both.neighbors_[0], plain.neighbors_[0])
    with pytest.raises(FeatmapError, match=r"explain\(metric='precomputed'\).*precomputed_knn=distances"):
        explain(TABLE, fitted.embedding_, metric="precomputed")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (DISTANCES[:50, :50], r"must have shape \(120, 120\); got \(50, 50\)"),
        (-DISTANCES, "must not be negative"),
        (np.full((120, 120), "far"), "must not be negative"),
        (np.full((120, 120), np.nan), "must not be negative or NaN"),
        (DISTANCES[:, :9], "precomputed_knn must be None, a pair"),
    ],
)
def test_square_matrices_that_are_no_neighbors_are_refused(given, message):
    with pytest.raises(FeatmapError, match=message):
        FeatMAP(**QUICK, precomputed_knn=given).fit(TABLE)


NEEDED_BY_PLOTS = {
    "arrow_field": (0,),
    "feature": (0,),
    "importance": ([0],),
    "local_frame": (0,),
    "saliency": (0, (10, 12)),
    "why": (0,),
}


@pytest.mark.parametrize("name", ["consistency", "features_on_map", *NEEDED_BY_PLOTS])
def test_pictures_of_features_say_the_same(name, fitted):
    with pytest.raises(FeatmapError, match="cannot answer questions about features"):
        getattr(plot, name)(fitted, *NEEDED_BY_PLOTS.get(name, ()))


def test_the_map_is_drawn(fitted):
    assert "correlation" in plot.density(fitted).get_title()
    assert len(plot.embedding(fitted, np.arange(120) % 3, rows=[3]).get_legend().get_texts()) == 3
    with pytest.raises(FeatmapError, match="cannot answer"):
        plot.embedding(fitted, color="feature 0")


def test_density_needs_distances_alone(fitted):
    ax = plot.density(fitted)
    said = [text.get_text() for text in ax.texts] + [ax.get_title()]
    assert any(f"{fitted.density_correlation_:.2f}" in text for text in said), said
