"""Explanations: equal to what is known exactly, for any map and for new rows; their fidelity measured honestly."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.metrics import r2_score
from sklearn.preprocessing import normalize

import reference
from featmap import (
    FeatMAP,
    FeatmapWarning,
    InvalidDataError,
    InvalidParameterError,
    explain,
    metrics,
)
from featmap.explanation import arrows
from featmap.explanation.arrows import KINDS, SCORED
from featmap.explanation.arrows import scored as draw_scored
from featmap.neighbors.exact import ExactSearch
from featmap.tangents.axes import axes

ALL_KINDS = sorted(KINDS)


def median_fidelity(explanation, kind, **options):
    return float(np.median(explanation.fidelity(kind=kind, **options)))


@pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning")
@pytest.mark.parametrize("n_rows", [2, 3, 4])
def test_the_smallest_data_have_answers(n_rows, rng):
    X = rng.normal(size=(n_rows, 3))
    model = FeatMAP(n_epochs=3, random_state=0).fit(X)
    for explanation in (model, model.explain(X + 1)):
        for kind in SCORED:
            assert np.isfinite(explanation.fidelity(kind=kind)).all()
        for kind in KINDS:
            assert np.isfinite(explanation.arrows(kind=kind)).all()
        assert np.isfinite(explanation.feature_importance()).all()
        assert np.isfinite(explanation.explained_variance()).all()
        assert explanation.top_features(k=2).shape == (n_rows, 2)


def test_large_tangent_spaces_are_held_a_few_at_a_time(rng, monkeypatch):
    X = rng.normal(size=(200, 300))
    explanation = explain(X, rng.normal(size=(200, 2)), n_tangent_neighbors=60)
    expected = explanation.arrows(range(40))
    monkeypatch.setattr(arrows, "BYTES_OF_SPACES", 2**20)
    tracemalloc.start()
    found = explanation.arrows(range(40))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert peak < 60 * 2**20  # axes of all of them would take 200 MB and more


def test_new_rows_are_searched_for_once_and_land_where_transform_puts_them(rng, monkeypatch):
    X, new = rng.normal(size=(80, 4)), rng.normal(size=(9, 4))
    model = FeatMAP(n_epochs=10, random_state=0).fit(X)
    calls = []
    nearest = ExactSearch.nearest
    monkeypatch.setattr(ExactSearch, "nearest", lambda *arguments: calls.append(1) or nearest(*arguments))
    explained = model.explain(new)
    assert len(calls) == 1
    assert np.array_equal(explained.embedding_, model.transform(new))


@pytest.fixture(scope="module")
def plane():
    """A plane in R^50 and its first two principal components as the map, with the directions these stand for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)) * [2, 1] @ np.linalg.qr(rng.normal(size=(50, 2)))[0].T
    pca = PCA(2).fit(X)
    return X, pca.transform(X), pca.components_.T


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_on_a_plane_arrows_are_the_pca_biplot(plane, kind):
    X, Y, directions = plane
    arrows = explain(X, Y).arrows(kind=kind)
    assert arrows.shape == (600, 50, 2)
    np.testing.assert_allclose(arrows, np.broadcast_to(directions, arrows.shape), atol=0.02)
    assert median_fidelity(explain(X, Y), kind) > 0.999


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_arrows_have_the_datas_units(plane, kind):
    X, Y, _ = plane
    arrows, larger = (explain(scale * X, Y).arrows([3], kind=kind) for scale in (1.0, 8.0))
    np.testing.assert_allclose(larger, arrows if kind == "frame" else 8 * arrows, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_arrows_do_not_depend_on_signs_of_singular_vectors(kind, rng, flip_singular_vectors):
    X, Y = rng.normal(size=(200, 6)), rng.normal(size=(200, 2))
    plain = explain(X, Y)
    arrows, fidelity = plain.arrows(kind=kind), plain.fidelity(kind=kind)
    flip_singular_vectors()
    other = explain(X, Y)
    assert not np.array_equal(other.frames_, plain.frames_)
    np.testing.assert_allclose(other.arrows(kind=kind), arrows, atol=1e-6)
    np.testing.assert_allclose(other.fidelity(kind=kind), fidelity, atol=1e-6)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_permuted_features_permute_arrows(kind, rng):
    X, Y = rng.normal(size=(200, 6)), rng.normal(size=(200, 2))
    order = rng.permutation(6)
    expected = explain(X, Y).arrows(kind=kind)[:, order]
    np.testing.assert_allclose(explain(X[:, order], Y).arrows(kind=kind), expected, atol=1e-4)


@pytest.fixture(scope="module")
def small():
    """60 rows of 3 features with names, on a map that has nothing to do with them."""
    rng = np.random.default_rng(0)
    return explain(pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "ü"]), rng.normal(size=(60, 2)))


def projected(slopes, points, row, left_out):
    """Slopes within the tangent spaces of a row and its neighbours, made again without some rows."""
    X, P = points.mapped.space.matrix, points.mapped.manifold.graph.weights.toarray()
    B = directions_of(points)
    neighbors = points.tangents.neighbors
    parts = []
    for center in [row, *(j for j in neighbors[row] if j not in left_out)]:
        kept = np.array([j for j in neighbors[center] if j not in left_out])
        sigma, V = reference.local_svd(X, center, kept, P[center, kept], center="mean")
        n_axes = min(4, int((sigma > 1e-6 * sigma[0]).sum()))
        parts.append(slopes @ B @ V[:, :n_axes] @ V[:, :n_axes].T @ B.T)
    return np.mean(parts, axis=0)


def directions_of(points):
    """B of Z = XB, which is 1 where the tangent spaces are of the features themselves."""
    components = points.mapped.manifold.components
    return np.eye(points.mapped.data.shape[1]) if components is None else components.directions


@pytest.mark.parametrize("n_neighbors", [60, 40])
@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize("n_loaded", [None, 7], ids=["of the features", "of components of seven of them"])
def test_fidelity_equals_its_twin(n_loaded, kind, n_neighbors, rng):
    """What knows one half of the rows around a point is scored on the other half.

    Below 60 rows mixtures are those of a sample of rows: they are given to the twin.
    """
    X, Y = rng.normal(size=(150, 12)), rng.normal(size=(150, 2)).astype(np.float32)
    X[:, [0, 1, 2, 9]] += 2 * np.column_stack([Y, Y[:, 0] * Y[:, 1], Y[:, 0]])
    pca = (
        None if n_loaded is None else np.pad(PCA(6).fit(X[:, :n_loaded]).components_.T, [(0, 12 - n_loaded), (0, 0)])
    )
    explanation = explain(X, Y, intrinsic_dim=4, pca=pca)
    points = explanation._points
    data, P = points.mapped.data.matrix, points.mapped.manifold.graph.weights.toarray()
    B = directions_of(points)
    V = axes(points.mapped.space, points.tangents, np.arange(150, dtype=np.int32), 4).astype(float) @ B.T
    sets = [columns for columns in (B.any(axis=1), ~B.any(axis=1)) if columns.any()]

    def arrows(row, near, fitted, scored):
        if kind == "frame":
            return points.frame_without(row, near[scored > 0]) @ V[row, :2]
        weights = [fitted, *reference.halves(fitted, near)]
        G = [reference.weighted_slopes(data[near], Y[near], part) for part in weights]
        if kind == "map":
            return G[0]
        H = [projected(slopes, points, row, near[scored > 0]) for slopes in G]
        if kind == "tangent":
            return H[0]
        mixed = np.empty_like(G[0])
        if n_neighbors < 60:
            pooled = draw_scored("blend", points, n_neighbors, points.mapped.copies).keywords["mixture"][0]
            for columns, (u, v) in zip(sets, pooled, strict=True):
                mixed[:, columns] = u * G[0][:, columns] + v * H[0][:, columns]
            return mixed
        steps = reference.weighted_centered(Y[near], fitted)
        for columns in sets:
            parts = [part[:, columns] for part in (*G, *H)]
            mixed[:, columns] = reference.mixture(*parts, (fitted * steps.T) @ steps)
        return mixed

    for row in (0, 77, 149):
        near = np.argsort(np.linalg.norm(Y - Y[row], axis=1))[1 : n_neighbors + 1]
        weights = reference.walk_weights(P, P[row], near, row)
        first, second = reference.halves(weights / weights.sum(), near)
        scores = [
            reference.weighted_cosine(arrows(row, near, *pair), data[near], Y[near], pair[1])
            for pair in ((first, second), (second, first))
        ]
        assert explanation.fidelity([row], kind, n_neighbors)[0] == pytest.approx(np.mean(scores), abs=1e-5)


def test_a_frame_knows_nothing_of_rows_left_out(rng):
    points = explain(rng.normal(size=(100, 6)), rng.normal(size=(100, 2)))._points
    left_out, nothing = points.links[5].indices[::2], np.empty(0, np.int32)
    embedding = points.embedding.copy()
    embedding[left_out] += 10
    elsewhere = replace(points, mapped=replace(points.mapped, embedding=embedding))
    np.testing.assert_array_equal(elsewhere.frame_without(5, left_out), points.frame_without(5, left_out))
    assert not np.allclose(elsewhere.frame_without(5, nothing), points.frame_without(5, nothing), atol=0.01)


def test_a_score_of_aligned_frames_is_that_of_the_frames_drawn(digits_model):
    """With nothing left out a frame is fitted again as it is drawn: not as its mirror image, and hardly turned."""
    points, nothing = digits_model._points, np.empty(0, np.int32)
    rows = range(0, len(points), 5)
    distances = [1 - np.sum(points.frame_without(row, nothing) * points.frames.axes[row]) / 2 for row in rows]
    assert np.mean(np.array(distances) > 0.05) < 0.02  # a mirror image is at a distance of 1
    assert np.median(distances) < 1e-4


def test_a_score_of_the_papers_frames_is_that_of_the_frames_drawn(rng):
    """Scored arrows are V_i^e V_iᵀ with the frames of the model, whatever rows are left out."""
    X = rng.normal(size=(150, 12))
    explanation = explain(X, X[:, :2], frames="paper")
    points, near = explanation._points, np.argsort(np.linalg.norm(X[:, :2] - X[7, :2], axis=1))[1:61]
    arrows = explanation.arrows([7], kind="frame")[0]
    P = points.mapped.manifold.graph.weights.toarray()
    halves = reference.halves(reference.walk_weights(P, P[7], near, 7), near)
    scores = [reference.weighted_cosine(arrows.T, X[near], X[near, :2], scored) for scored in halves]
    assert explanation.fidelity([7], "frame", 60)[0] == pytest.approx(np.mean(scores), abs=1e-5)
    assert np.array_equal(points.frame_without(7, near), points.frames.axes[7])


# A row is a neighbour of its copy. It adds nothing to a tangent space about the point, but to one about the mean.
LEAST_COSINE = {"point": 0.8, "mean": 0.6}


@pytest.mark.parametrize("center", LEAST_COSINE)
@pytest.mark.parametrize("frames", ["aligned", "paper"])
def test_rows_that_are_nearly_those_of_the_data_have_nearly_their_frames(frames, center, digits):
    """Their arrows V^e Vᵀ are compared, since the signs of V may differ. Random ones have a cosine of 0."""
    model = FeatMAP(n_epochs=50, random_state=0, frames=frames, tangent_center=center).fit(digits[:600])
    rows = np.arange(0, 600, 6)
    noise = 1e-3 * np.random.default_rng(0).normal(size=(100, 64))
    new = model.explain(digits[rows] + noise)
    assert new._points.frames.solver == frames
    arrows, own = new.arrows(kind="frame"), model.arrows(rows, kind="frame")
    cosines = (arrows * own).sum(axis=(1, 2)) / 2
    assert np.median(cosines) > LEAST_COSINE[center]
    assert abs(np.median((arrows * own[::-1]).sum(axis=(1, 2)) / 2)) < 0.2


def test_new_rows_of_the_paper_have_the_mean_of_the_frames_around_them(rng):
    model = FeatMAP(n_epochs=5, random_state=0, frames="paper").fit(rng.normal(size=(100, 6)))
    points = model.explain(rng.normal(size=(5, 6)))._points
    mapped = points.mapped
    for row in range(5):
        near, weights = points.links[row].indices, points.links[row].data
        here = axes(mapped.data, points.tangents, np.array([row], np.int32), 2)[0]
        total = np.zeros((2, 2))
        for j, weight, there in zip(near, weights, axes(mapped.data, mapped.tangents, near, 2), strict=True):
            total += weight * mapped.frames.axes[j] * (there * here).sum(axis=1)
        np.testing.assert_allclose(points.frames.axes[row], reference.nearest_orthogonal(total), atol=1e-5)


def test_random_frames_do_not_depend_on_the_batch(digits_model):
    together = digits_model.fidelity([3, 7], "random")
    np.testing.assert_array_equal(digits_model.fidelity([7], "random"), together[1:])


def test_tangent_spaces_count_as_many_directions_as_each_has(rng):
    """Half of the rows lie on a line, half fill a space: the arrows of the line have one feature."""
    X = np.zeros((200, 6))
    X[:100, 0] = np.linspace(0, 10, 100)
    X[100:] = 100 + rng.normal(size=(100, 6))
    X[:100] += 1e-3 * rng.normal(size=(100, 6))
    Y = rng.normal(size=(200, 1))
    explanation = explain(X, Y)
    assert (explanation.intrinsic_dim_[:100] == 1).all()
    arrows = np.abs(explanation.arrows(kind="tangent")[:100, :, 0])
    slopes = np.abs(explanation.arrows(kind="map")[:100, :, 0])
    assert (arrows[:, 1:] < 0.01 * slopes.max(axis=1, keepdims=True)).all()


@pytest.fixture(scope="module")
def independent():
    rng = np.random.default_rng(0)
    return explain(rng.normal(size=(3000, 10)), rng.normal(size=(3000, 2)))


@pytest.mark.parametrize("kind", [*ALL_KINDS, "random"])
def test_features_independent_of_the_map_have_no_fidelity(kind, independent):
    """Whatever is fitted is scored elsewhere: in-sample, noise alone would score 0.2 and more."""
    assert abs(median_fidelity(independent, kind)) < 0.02
    assert abs(median_fidelity(independent, kind, n_neighbors=30)) < 0.02


def test_the_features_that_vary_locally_are_the_important_ones(rng):
    """Five features vary on the manifold; 45 differ between its pieces, and within them have a little noise."""
    piece = rng.integers(4, size=2000)
    t = rng.uniform(-1, 1, (2000, 3))
    X = rng.normal(0, 3, (4, 50))[piece] + rng.normal(0, 0.01, (2000, 50))
    curved = np.column_stack([t, np.sin(2 * t[:, 0]) + t[:, 1], np.cos(2 * t[:, 2]) + t[:, 0]])
    X[:, 10:15] += curved
    top = FeatMAP(random_state=0, n_epochs=20).fit(X).top_features(k=5, by="varies")
    found = np.array([set(row) <= set(range(10, 15)) for row in top.tolist()])
    assert found.mean() >= 0.99


def test_swiss_roll():
    """Where the map unrolls the data, arrows are nearly as true as linear arrows can be."""
    X, _ = make_swiss_roll(5000, random_state=0)
    plain = FeatMAP(random_state=0, density=0).fit(X)
    ceiling = median_fidelity(plain, "map")
    for kind in ("frame", "tangent"):
        assert median_fidelity(plain, kind) >= 0.95 * ceiling
    dense = FeatMAP(random_state=0).fit(X)
    ceiling = median_fidelity(dense, "map")
    assert median_fidelity(dense, "tangent") >= 0.95 * ceiling
    assert median_fidelity(dense, "frame") >= 0.8 * ceiling


def test_the_order_of_the_kinds_on_digits(digits_model):
    scores = {kind: median_fidelity(digits_model, kind, n_neighbors=100) for kind in SCORED}
    assert abs(scores["random"]) < 0.02
    assert 0.05 < scores["frame"] < scores["tangent"] - 0.1 < scores["map"] - 0.1
    assert scores["tangent"] > 0.7 * scores["map"]


@pytest.fixture(scope="module")
def from_outside(digits_model, digits):
    return explain(digits, digits_model.embedding_)


def test_the_estimators_answers_are_those_of_an_explanation(digits_model, from_outside):
    """The same map explained from outside has the same tangent spaces, and the same frames fitted to it."""
    other = from_outside
    rows = [0, 5, 1796]
    np.testing.assert_array_equal(other.feature_importance(rows), digits_model.feature_importance(rows))
    np.testing.assert_array_equal(other.top_features(rows), digits_model.top_features(rows))
    np.testing.assert_array_equal(other.loadings(rows), digits_model.loadings(rows))
    np.testing.assert_array_equal(other.singular_values_, digits_model.singular_values_)
    np.testing.assert_allclose(other.frames_, digits_model.frames_, atol=0.05)
    for kind in ("tangent", "map"):
        np.testing.assert_array_equal(other.arrows(rows, kind), digits_model.arrows(rows, kind))
        np.testing.assert_array_equal(other.fidelity(rows, kind), digits_model.fidelity(rows, kind))


def test_some_of_the_points(from_outside):
    everything, some = from_outside, from_outside[[7, 3]]
    assert len(some) == 2
    assert repr(some) == "Explanation(2 points, 64 features)"
    np.testing.assert_array_equal(some.embedding_, everything.embedding_[[7, 3]])
    np.testing.assert_array_equal(some.feature_importance(), everything.feature_importance([7, 3]))
    for kind in ALL_KINDS:
        np.testing.assert_array_equal(some.arrows(kind=kind), everything.arrows([7, 3], kind))
        np.testing.assert_array_equal(some.fidelity(kind=kind), everything.fidelity([7, 3], kind))
    assert some[-1].embedding_.tolist() == everything.embedding_[[3]].tolist()
    with pytest.raises(IndexError):
        some[2]
    assert [one.embedding_[0].tolist() for one in some] == some.embedding_.tolist()


def test_groups_of_one_row_are_left_out_with_a_warning(rng):
    X, labels = rng.normal(size=(40, 3)), np.repeat([0, 1, 2, 3], [20, 18, 1, 1])
    explanation = explain(X, rng.normal(size=(40, 2)))
    with pytest.warns(FeatmapWarning, match=r"rank_features: groups of one row are left out: 2, 3") as caught:
        ranked = explanation.rank_features(labels, n_permutations=5)
    assert list(ranked) == [0, 1]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "missing",
    [
        np.array([0.0, 1.0, np.nan, np.nan] * 10),
        np.array(["a", None] * 20, object),
        pd.array(["a", None] * 20, dtype="string"),
        np.ma.masked_array(np.zeros(40), np.arange(40) % 2),
    ],
    ids=["NaN", "None", "NA", "masked"],
)
def test_missing_labels_are_refused(missing, small):
    with pytest.raises(InvalidDataError, match=r"rank_features\(labels=…\): 20 labels are missing"):
        small[:40].rank_features(missing)


def test_new_rows_are_like_the_rows_around_them(digits_model, digits):
    """A hair beside training rows: nearly their place and their importance, and frames that are orthonormal."""
    rows = np.arange(0, 1797, 40)
    new = digits_model.explain(digits[rows] + 1e-3)
    np.testing.assert_allclose(new.embedding_, digits_model.embedding_[rows], atol=1e-2)
    found, expected = (normalize(each) for each in (new.feature_importance(), digits_model.feature_importance(rows)))
    assert np.median((found * expected).sum(axis=1)) > 0.95
    gram = np.einsum("pca,pcb->pab", new.frames_, new.frames_)
    np.testing.assert_allclose(gram, np.broadcast_to(np.eye(2), gram.shape), atol=1e-5)


KNOWN = np.random.default_rng(7).normal(size=(90, 6)) * (np.random.default_rng(8).random((90, 6)) < 0.8)
KNOWN_FORMS = {
    "euclidean": (KNOWN, {}),
    "cosine": (KNOWN, {"metric": "cosine"}),
    "manhattan": (KNOWN, {"metric": "manhattan"}),
    "sparse": (sp.csr_matrix(KNOWN), {}),
    "sparse, cosine": (sp.csr_matrix(KNOWN), {"metric": "cosine"}),
    "sparse, manhattan": (sp.csr_matrix(KNOWN), {"metric": "manhattan"}),
    "larger tangent spaces": (KNOWN, {"n_tangent_neighbors": 25}),
    "the paper's frames": (KNOWN, {"frames": "paper"}),
    "three dimensions": (KNOWN, {"n_components": 3}),
}


@pytest.fixture(scope="module", params=KNOWN_FORMS)
def known(request):
    """Data in one of the forms, and a model of them."""
    X, options = KNOWN_FORMS[request.param]
    return X, FeatMAP(n_epochs=20, random_state=0, **options).fit(X)


def answers(explanation, rows):
    """All that can be asked about some points."""
    found = [explanation.feature_importance(rows), explanation.loadings(rows), explanation.explained_variance(rows)]
    found += [explanation.arrows(rows, kind) for kind in ALL_KINDS]
    found += [explanation.fidelity(rows, kind) for kind in ALL_KINDS]
    found += [explanation.consistency(rows), explanation.top_features(rows), explanation.arrows(rows, n_neighbors=8)]
    return [*found, explanation.embedding_[rows], explanation.frames_[rows], explanation.singular_values_[rows]]


def test_rows_of_the_fit_have_the_models_own_answers(known):
    X, model = known
    rows = np.array([3, 88, 0, 41])
    for found, own in zip(answers(model.explain(X[rows]), np.arange(4)), answers(model, rows), strict=True):
        assert found.tobytes() == own.tobytes()
        assert np.isfinite(own).all()
    assert np.isfinite(metrics.perturbation(model, [1, 2]).most).all()


def test_new_rows_and_rows_of_the_fit_in_one_batch(known):
    """Each has the answers that it has alone, in the order of the batch."""
    _, model = known
    dense = KNOWN[[5, 60, 7, 33, 2]] + np.array([[0.3], [0], [0.2], [0], [0.1]])
    together = model.explain(dense)
    for row in range(5):
        alone = model.explain(dense[row : row + 1])
        for batch, single in zip(answers(together, np.array([row])), answers(alone, np.array([0])), strict=True):
            assert np.isfinite(batch).all()
            np.testing.assert_array_equal(batch, single)
    np.testing.assert_array_equal(together.feature_importance([1]), model.feature_importance([60]))
    assert together.to_frame().index.tolist() == [0, 1, 2, 3, 4]
    assert together[[3, 0]].to_frame().index.tolist() == [3, 0]


def test_copies_have_the_answers_of_the_first_among_them(model_with_copies):
    data = model_with_copies._points.mapped.data
    explained = model_with_copies.explain(data.restore(data.rows([29, 45, 0])))
    first = answers(model_with_copies, np.array([0, 45, 0]))
    for known, own in zip(answers(explained, np.arange(3)), first, strict=True):
        np.testing.assert_array_equal(known, own)


def test_names_and_frames_of_pandas(small, plane):
    table = small.to_frame([2, 9])
    assert table.columns.tolist() == ["a", "b", "ü"]
    assert table.index.tolist() == [2, 9]
    np.testing.assert_array_equal(table.to_numpy(), small.feature_importance([2, 9]))
    assert small[[2, 9]].to_frame().index.tolist() == [2, 9]
    assert explain(plane[0][:, :3], plane[1]).to_frame([0]).columns.tolist() == [0, 1, 2]


def test_explained_variance_is_between_zero_and_one(digits_model, plane):
    X, Y, _ = plane
    assert (explain(X, Y).explained_variance() <= 1).all()  # all is explained here, and rounding would exceed it
    explained = digits_model.explained_variance([0, 1])
    assert explained.shape == (2, 64)
    assert explained.min() >= 0
    assert 0.1 < explained.max() <= 1


def test_explained_variance_is_that_of_a_regression_on_the_other_half(rng):
    X, Y = rng.normal(size=(150, 5)), rng.normal(size=(150, 2)).astype(np.float32)
    X[:, 0] += 3 * Y[:, 1]
    explanation = explain(X, Y)
    P = explanation._points.mapped.manifold.graph.weights.toarray()
    near = np.argsort(np.linalg.norm(Y - Y[8], axis=1))[1:61]
    first, second = reference.halves(reference.walk_weights(P, P[8], near, 8), near)
    expected = []
    for fitted, scored in ((first, second), (second, first)):
        slopes = reference.weighted_slopes(X[near], Y[near], fitted)
        predicted = reference.weighted_centered(Y[near], scored) @ slopes
        true = reference.weighted_centered(X[near], scored)
        expected.append(r2_score(true, predicted, sample_weight=scored, multioutput="raw_values"))
    found = explanation.explained_variance([8], 60)[0]
    np.testing.assert_allclose(found, np.mean(expected, axis=0).clip(0), atol=1e-5)
    assert found[0] > 0


def test_degenerate_maps_and_data(rng):
    X = rng.normal(size=(40, 3))
    maps = [(X, scale * X[:, :2]) for scale in (0.0, 1e-30, 1e-6, 1e15, 1e30)]
    maps += [(np.ones((40, 3)), X[:, :2]), (X, 1e6 + X[:, :2])]
    for data, Y in (*maps, (X[:, :1], X[:, 1:]), (X, X[:, :1]), (X, X)):
        explanation = explain(data, Y)
        assert explanation.arrows().shape == (40, data.shape[1], Y.shape[1])
        assert explanation.frames_.shape == (40, Y.shape[1], Y.shape[1])
        assert np.isfinite(explanation.frames_).all()
        assert np.isfinite(explanation.feature_importance()).all()
        for kind in ALL_KINDS:
            assert np.isfinite(explanation.arrows(kind=kind)).all()
            assert np.isfinite(explanation.fidelity(kind=kind)).all()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda e: e.arrows(kind="swirl"), r"arrows\(kind='swirl'\)"),
        (lambda e: e.arrows(kind="random"), r"arrows\(kind='random'\)"),
        (lambda e: e.fidelity(kind=3), r"fidelity\(kind=3\)"),
        (lambda e: e.arrows(n_neighbors=3), r"arrows\(n_neighbors=3\).*from 4 to 59"),
        (lambda e: e.fidelity(n_neighbors=60), r"fidelity\(n_neighbors=60\)"),
        (lambda e: e.contrast(3, 8), "3 has 1; if it is a label, give the labels"),
        (lambda e: e.feature_importance([[0, 1], [2, 3]]), r"^rows: .*shape \(2, 2\)"),
        (lambda e: e.feature_importance([0.5]), r"^rows.*numbers from 0 to 59"),
        (lambda e: e.arrows(np.zeros((3, 1), int)), r"^rows: .*shape \(3, 1\)"),
        (lambda e: e[np.zeros((1, 1, 1), int)], r"^rows: .*shape \(1, 1, 1\)"),
    ],
)
def test_wrong_questions(ask, message, small):
    with pytest.raises(InvalidParameterError, match=message):
        ask(small)


def test_threads_do_not_matter(rng):
    X, Y = rng.normal(size=(400, 5)), rng.normal(size=(400, 2))
    one, two = explain(X, Y, n_jobs=1), explain(X, Y, n_jobs=2)
    for kind in ALL_KINDS:
        np.testing.assert_array_equal(one.arrows(kind=kind), two.arrows(kind=kind))
        np.testing.assert_array_equal(one.fidelity(range(0, 400, 3), kind), two.fidelity(range(0, 400, 3), kind))


def test_data_and_map_that_were_exchanged_are_noticed(rng):
    with pytest.warns(FeatmapWarning, match=r"explain\(X, Y\): the map Y has 6 columns .* exchanged"):
        explain(rng.normal(size=(50, 2)), rng.normal(size=(50, 6)))


def test_by_default_fidelity_and_explained_variance_are_of_a_sample_that_can_be_named(rng):
    X, Y = rng.normal(size=(1100, 4)), rng.normal(size=(1100, 2))
    explanation = explain(X, Y)
    rows = explanation.sampled_rows()
    assert len(rows) == len(np.unique(rows)) == 1000
    assert (np.diff(rows) > 0).all()
    assert np.array_equal(rows, explain(Y, Y).sampled_rows())
    for ask in (lambda *rows: explanation.fidelity(*rows, kind="map"), explanation.explained_variance):
        np.testing.assert_array_equal(ask(), ask(rows))
        np.testing.assert_array_equal(ask("sample"), ask(None)[rows])
        assert len(ask(None)) == 1100


def test_a_small_map_is_its_own_sample(small):
    assert small.sampled_rows().tolist() == list(range(60))
    assert small[:7].sampled_rows().tolist() == list(range(7))
    np.testing.assert_array_equal(small.fidelity(), small.fidelity(None))
