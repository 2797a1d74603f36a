"""pca=q: neighbourhoods, tangent spaces and the map are of principal components, answers are about the features."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from featmap import (
    FeatMAP,
    FeatmapWarning,
    InvalidDataError,
    InvalidParameterError,
    StoreError,
    estimate_memory,
    explain,
    metrics,
)
from featmap.data.advice import nearness, warn_of_noise
from featmap.data.pca import Components, rows_for_components
from featmap.kernels.search import multiply_rows
from featmap.pipeline import Manifold
from featmap.run import Run
from featmap.store.checks import check_manifold
from featmap.store.classes import fields_of
from featmap.store.codecs import pack, unpack

Q = 8
METRICS = ("euclidean", "cosine", "manhattan")


@pytest.fixture(scope="module")
def table():
    """300 rows of 40 features: 6 latent directions, noise, a constant feature; sparse enough to have zeros."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(300, 6)) + 4 * rng.normal(size=(3, 6))[rng.integers(0, 3, 300)]
    X = latent @ rng.normal(size=(6, 40)) + 0.5 * rng.normal(size=(300, 40))
    X[:, 7] = 3.0
    X[:, 20:][X[:, 20:] < 0.5] = 0.0
    return X


def fitted(X, **parameters):
    return FeatMAP(**({"pca": Q, "n_epochs": 20, "random_state": 0} | parameters)).fit(X)


@pytest.fixture(scope="module")
def model(table):
    return fitted(table)


@pytest.fixture(scope="module")
def plain(table):
    return fitted(table, pca=None)


@pytest.fixture(scope="module", params=METRICS)
def by_metric(request, table):
    """A metric, the model with it, and that of its components."""
    model = fitted(table, metric=request.param)
    return request.param, model, fitted(all_components(model, table), pca=None, metric=request.param)


def components_of(model):
    return model._points.mapped.manifold.components


def all_components(model, X, n_jobs=1):
    with Run(n_jobs) as run:
        return components_of(model).of(X, run)


class TestDirections:
    def test_they_are_the_leading_ones(self, table):
        B = Components.find(table, Q).directions
        np.testing.assert_allclose(B.T @ B, np.eye(Q), atol=1e-12)
        reference = PCA(Q, svd_solver="full").fit(table)
        variances = ((table - table.mean(axis=0)) @ B).var(axis=0, ddof=1)
        np.testing.assert_allclose(variances, reference.explained_variance_, rtol=1e-4)
        np.testing.assert_allclose(np.abs(reference.components_[:5] @ B[:, :5]), np.eye(5), atol=1e-2)
        assert (B[np.abs(B).argmax(axis=0), np.arange(Q)] > 0).all()  # which fixes signs

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
    def test_parts_have_the_bits_of_the_whole(self, make, table, run, monkeypatch):
        """The sample is of rows that their number tells, and a part has the components that it has in the whole."""
        monkeypatch.setattr("featmap.data.pca.SAMPLE_ROWS", 100)
        X = make(table)
        rows = rows_for_components(X.shape, sp.issparse(X))
        assert len(rows) == 100
        of_sample = Components.of_sample(make(table[rows]), Q)
        assert of_sample.directions.tobytes() == Components.find(X, Q).directions.tobytes()
        parts = np.concatenate([of_sample.of(part, run) for part in (X[:33], X[33:])])
        assert parts.tobytes() == of_sample.of(X, run).tobytes()

    def test_sparse_data_have_the_same_and_stay_sparse(self, table, monkeypatch):
        monkeypatch.setattr(
            sp.csr_matrix, "toarray", lambda self: pytest.fail(f"{self.shape} values were made dense")
        )
        dense, sparse = Components.find(table, Q).directions, Components.find(sp.csr_matrix(table), Q).directions
        np.testing.assert_allclose(sparse, dense, atol=1e-3)
        assert not dense[7].any()  # the constant feature
        assert not sparse[7].any()

    def test_neither_means_nor_units_count(self, table):
        B = Components.find(table, Q).directions
        np.testing.assert_allclose(Components.find(table + 1000 * np.arange(40), Q).directions, B, atol=1e-3)
        np.testing.assert_array_equal(Components.find(table * 2.0**40, Q).directions, B)

    def test_data_without_variance(self):
        assert np.isfinite(Components.find(np.ones((50, 4)), 3).directions).all()


class TestComponents:
    def test_they_are_the_product(self, table, model):
        np.testing.assert_allclose(all_components(model, table), table @ components_of(model).directions, rtol=1e-10)

    def test_a_row_does_not_depend_on_others_nor_on_zeros(self, table, model):
        Z = all_components(model, table)
        np.testing.assert_array_equal(all_components(model, table[17:18]), Z[17:18])
        np.testing.assert_array_equal(all_components(model, sp.csr_matrix(table), n_jobs=2), Z)

    def test_the_kernel_equals_a_product(self, rng):
        rows, matrix = rng.normal(size=(5, 9)), rng.normal(size=(9, 4))
        rows[1] = 0
        product = np.full((5, 4), np.nan)
        multiply_rows(rows, matrix, product)
        np.testing.assert_allclose(product, rows @ matrix, atol=1e-12)

    def test_components_beyond_float64_are_refused(self, table):
        with pytest.raises(InvalidDataError, match=r"FeatMAP\(pca=…\): .* beyond float64; divide X"):
            fitted(np.sign(table) * 1.5e308)


class TestFit:
    def test_the_map_is_that_of_the_components(self, by_metric):
        """Bit for bit: neighbours, graph, start, tangent spaces, frames."""
        _, model, of_components = by_metric
        for name in ("embedding_", "frames_", "singular_values_", "intrinsic_dim_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(of_components, name), err_msg=name)
        for ours, theirs in zip(model.neighbors_, of_components.neighbors_, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    def test_importance_and_loadings_are_carried_to_the_features(self, by_metric):
        _, model, of_components = by_metric
        loadings = model.loadings()
        np.testing.assert_allclose(loadings, components_of(model).directions @ of_components.loadings(), atol=1e-6)
        np.testing.assert_allclose(
            np.einsum("phl,phm->plm", loadings, loadings), np.broadcast_to(np.eye(2), (300, 2, 2)), atol=1e-5
        )
        importance = model.feature_importance()
        assert importance.shape == (300, 40)
        np.testing.assert_allclose((importance**2).sum(axis=1), model.intrinsic_dim_, rtol=1e-5)
        assert (importance[:, 7] == 0).all()
        np.testing.assert_array_equal(model.feature_importance([5, 200]), importance[[5, 200]])

    def test_all_components_change_nothing(self, table, plain):
        """They turn the data. Neighbours and importance stay."""
        every = fitted(table, pca=40)
        np.testing.assert_array_equal(every.neighbors_[0], plain.neighbors_[0])
        np.testing.assert_allclose(every.neighbors_[1], plain.neighbors_[1], rtol=1e-4)
        np.testing.assert_array_equal(every.intrinsic_dim_, plain.intrinsic_dim_)
        np.testing.assert_allclose(every.feature_importance(), plain.feature_importance(), atol=1e-3)

    def test_same_bytes_on_any_number_of_threads(self, table):
        one, two = fitted(table, n_jobs=1), fitted(table, n_jobs=2)
        np.testing.assert_array_equal(one.embedding_, two.embedding_)
        np.testing.assert_array_equal(one.feature_importance(), two.feature_importance())
        np.testing.assert_array_equal(one.arrows(), two.arrows())

    def test_sparse_data(self, table, by_metric):
        metric, dense, _ = by_metric
        sparse = fitted(sp.csr_matrix(table), metric=metric)
        assert sp.issparse(sparse._points.values.entries)
        np.testing.assert_array_equal(sparse.neighbors_[0][:, :5], dense.neighbors_[0][:, :5])
        np.testing.assert_allclose(sparse.feature_importance(), dense.feature_importance(), atol=0.02)

    def test_given_neighbors_stay_and_tangents_are_of_components(self, table, plain):
        given = plain.neighbors_
        with pytest.warns(FeatmapWarning, match="between the principal components of X"):  # these are of X itself
            with_given = fitted(table, precomputed_knn=given)
        np.testing.assert_array_equal(with_given.neighbors_[0], given[0])
        assert with_given.singular_values_.shape == (300, Q)
        assert with_given.feature_importance().shape == (300, 40)

    def test_an_unknown_metric_of_components_is_refused(self, table):
        def first_feature(x, y):
            return abs(x[30] - y[30])

        with pytest.raises(InvalidDataError, match="gives no distance"):
            fitted(table, metric=first_feature)


class TestGivenDirections:
    def test_those_that_would_be_found_give_the_same_bytes(self, table, model, tmp_path):
        """Also after the array was changed, and from a file."""
        B = components_of(model).directions.copy()
        given = fitted(table, pca=B)
        given.save(tmp_path / "model.featmap")
        B[:] = 0
        np.testing.assert_array_equal(components_of(given).directions, components_of(model).directions)
        loaded = FeatMAP.load(tmp_path / "model.featmap")
        np.testing.assert_array_equal(loaded.pca, components_of(model).directions)
        np.testing.assert_array_equal(loaded.transform(table[:5] * 1.01), given.transform(table[:5] * 1.01))
        np.testing.assert_array_equal(given.embedding_, model.embedding_)
        np.testing.assert_array_equal(given.feature_importance(), model.feature_importance())

    def test_others_are_used_as_they_are(self, table, rng):
        """In float32, and in any order of memory: a rotation of some features alone."""
        B = np.zeros((40, 3), np.float32, order="F")
        B[:5] = np.linalg.qr(rng.normal(size=(5, 3)))[0]
        model = fitted(table, pca=B)
        np.testing.assert_array_equal(components_of(model).directions, B)
        np.testing.assert_array_equal(model.embedding_, fitted(table @ B.astype(float), pca=None).embedding_)
        assert (model.feature_importance()[:, 5:] == 0).all()

    def test_memory_is_that_of_so_many_components(self, table, model, monkeypatch):
        asked = []
        monkeypatch.setattr("featmap.memory.estimate_memory", lambda *_, pca, **__: asked.append(pca) or 1)
        fitted(table, pca=components_of(model).directions)
        assert asked == [Q]
        assert estimate_memory((300, 40), pca=np.eye(40, 7)) == estimate_memory((300, 40), pca=7)

    @pytest.mark.parametrize(
        ("directions", "message"),
        [
            (np.eye(39, 3), r"one row for each of the 40 features .* got shape \(39, 3\)"),
            (np.full((40, 2), "a"), "must be numbers"),
            (2 * np.eye(40, 3), "must be orthonormal"),
            (np.ones((40, 2)) / np.sqrt(40), "must be orthonormal"),
            (np.full((40, 2), np.nan), "must be orthonormal"),
        ],
        ids=["features", "texts", "length", "parallel", "NaN"],
    )
    def test_wrong_ones_are_refused(self, table, directions, message):
        with pytest.raises(InvalidDataError, match=message):
            fitted(table, pca=directions)
        with pytest.raises(InvalidDataError, match=message):
            explain(table, table[:, :2], pca=directions)

    @pytest.mark.parametrize(
        "directions", [np.ones(40), np.empty((40, 0)), pd.DataFrame(np.eye(40, 3))], ids=["one", "none", "a frame"]
    )
    def test_no_directions_are_refused(self, table, directions):
        says = r"or an array of their directions, one column for each.*such as frame\.to_numpy\(\) of a DataFrame"
        with pytest.raises(InvalidParameterError, match=says):
            fitted(table, pca=directions)


def interrupted(stage, done, total):
    if stage == "layout" and done == 10:
        raise KeyboardInterrupt


class TestAnswers:
    def test_map_arrows_and_variance_are_of_the_features(self, table, model):
        """With the same neighbours, since the walk that weights rows is one on their graph."""
        with pytest.warns(FeatmapWarning, match="not those of metric"):
            plain = explain(table, model.embedding_, precomputed_knn=model.neighbors_)
        np.testing.assert_array_equal(model.arrows(kind="map"), plain.arrows(kind="map"))
        np.testing.assert_array_equal(model.explained_variance(), plain.explained_variance())
        np.testing.assert_array_equal(model.fidelity(kind="map"), plain.fidelity(kind="map"))

    def test_tangent_arrows_are_projections_of_map_arrows(self, table, model):
        """On B V of the row and its neighbours, so within the span of B."""
        B = components_of(model).directions
        arrows = model.arrows(kind="tangent")
        np.testing.assert_allclose(np.einsum("hq,kq,pkc->phc", B, B, arrows), arrows, atol=1e-9)
        of_components = explain(all_components(model, table), model.embedding_)
        np.testing.assert_allclose(arrows, B @ of_components.arrows(kind="tangent"), atol=1e-4)

    def test_frame_arrows_carry_loadings(self, model):
        expected = np.einsum("pcl,phl->phc", model.frames_, model.loadings())
        np.testing.assert_allclose(model.arrows(kind="frame"), expected, atol=1e-6)

    def test_differences_are_of_the_features(self, table, model, plain):
        found, expected = (m.contrast(range(100), range(100, 200)) for m in (model, plain))
        np.testing.assert_allclose(found.difference, table[:100].mean(0) - table[100:200].mean(0), atol=1e-5)
        np.testing.assert_array_equal(found.p_values, expected.p_values)

    def test_perturbation_changes_features(self, table, model):
        """Where nothing is known of a feature, taking it moves nothing: B has no entry for the constant one."""
        moved = metrics.perturbation(model, range(30), fractions=(0.02, 0.5))
        assert moved.most[1] > moved.least[1]
        assert moved.least[0] < 1e-6

    @pytest.mark.parametrize("is_given", [False, True])
    def test_consistency_and_explanation_of_any_map(self, is_given, table, model):
        explained = explain(table, model.embedding_, pca=components_of(model).directions if is_given else Q)
        np.testing.assert_array_equal(explained.feature_importance(), model.feature_importance())
        np.testing.assert_array_equal(explained.consistency(), model.consistency())
        np.testing.assert_array_equal(explained.singular_values_, model.singular_values_)
        assert explained.n_features_in_ == 40


class TestNewRows:
    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
    def test_training_rows_come_back(self, table, metric, make, tmp_path):
        """Also from a file, whose model has the same answers."""
        X = make(table)
        model = fitted(X, metric=metric)
        np.testing.assert_array_equal(model.transform(X[:20]), model.embedding_[:20])
        model.save(tmp_path / "model.featmap")
        loaded = FeatMAP.load(tmp_path / "model.featmap")
        assert loaded.pca == Q
        np.testing.assert_array_equal(loaded.transform(X[:40] * 1.01), model.transform(X[:40] * 1.01))
        np.testing.assert_array_equal(loaded.feature_importance(), model.feature_importance())
        np.testing.assert_array_equal(loaded.arrows(), model.arrows())
        found, expected = (each.contrast([0, 1], [2, 3]).difference for each in (loaded, model))
        np.testing.assert_array_equal(found, expected)

    def test_only_components_place_a_row(self, table, model, rng):
        B = components_of(model).directions
        beside = rng.normal(size=(20, 40))
        beside -= beside @ B @ B.T
        np.testing.assert_allclose(model.transform(table[:20] + 10 * beside), model.embedding_[:20], atol=1e-3)

    def test_new_rows_are_explained_by_features(self, table, model):
        rows = table[:30] + 0.1
        explained = model.explain(rows)
        importance = explained.feature_importance()
        assert importance.shape == (30, 40)
        np.testing.assert_allclose((importance**2).sum(axis=1), explained.intrinsic_dim_, rtol=1e-5)
        found = explained.contrast(range(10), range(10, 30))
        np.testing.assert_allclose(found.difference, rows[:10].mean(0) - rows[10:].mean(0), atol=1e-5)
        assert explained[5:10].contrast([0, 1], [2, 3]).difference.shape == (40,)


class TestStore:
    @pytest.mark.parametrize(
        "directions",
        [np.zeros((39, Q)), np.zeros((40, Q - 1)), np.full((40, Q), np.nan), np.zeros((40, 0))],
        ids=["features", "components", "NaN", "none"],
    )
    def test_directions_that_cannot_belong_to_the_data_are_refused(self, model, directions):
        manifold, codec = model._points.mapped.manifold, fields_of(Manifold)
        with pytest.raises(ValueError, match=r"components|space"):
            check_manifold(unpack(codec, pack(codec, replace(manifold, components=Components(directions)))))
        with pytest.raises(ValueError, match="space"):
            check_manifold(replace(manifold, components=None))

    @pytest.mark.parametrize("is_given", [False, True])
    def test_a_fit_is_resumed(self, is_given, table, model, tmp_path, at_every_chance):
        B = components_of(model).directions
        pca, other = (B, B[:, ::-1]) if is_given else (Q, Q + 1)
        unfinished = FeatMAP(pca=pca, n_epochs=20, random_state=0)
        with pytest.raises(KeyboardInterrupt):
            unfinished.fit(table, callback=interrupted, checkpoint=tmp_path / "fit")
        with pytest.raises(StoreError, match="other pca"):
            FeatMAP(pca=other, n_epochs=20, random_state=0).fit(table, checkpoint=tmp_path / "fit")
        resumed = unfinished.fit(table, checkpoint=tmp_path / "fit")
        np.testing.assert_array_equal(resumed.embedding_, model.embedding_)
        np.testing.assert_array_equal(resumed.feature_importance(), model.feature_importance())


class TestParameter:
    @pytest.mark.parametrize("value", [0, -1, 2.5, "50", True])
    def test_other_values_are_refused(self, table, value):
        with pytest.raises(InvalidParameterError, match=r"^FeatMAP\(pca=.*: pca must be None .* or an integer"):
            FeatMAP(pca=value).fit(table)
        with pytest.raises(InvalidParameterError, match=r"^explain\(pca=.*: pca must be None"):
            explain(table, table[:, :2], pca=value)

    def test_many_directions_are_not_shown(self, table):
        with pytest.raises(InvalidParameterError, match="metric='hellinger', pca=array") as caught:
            fitted(abs(table), pca=np.eye(40, 20), metric="hellinger")
        assert len(str(caught.value)) < 500

    def test_more_components_than_there_are(self, table):
        with pytest.warns(FeatmapWarning, match="pca=41 is larger than the number of rows or features; using 40"):
            model = fitted(table, pca=41)
        assert components_of(model).directions.shape == (40, 40)
        with pytest.warns(FeatmapWarning, match="pca=41 .* using 30"):
            assert components_of(fitted(table[:30], pca=41)).directions.shape == (40, 30)

    def test_memory(self):
        """The components come beside the features; what is made of them is smaller."""
        of_components = estimate_memory((30_000, 50))
        assert of_components + 4 * 30_000 * 2000 <= estimate_memory((30_000, 2000), pca=50)
        assert estimate_memory((30_000, 2000), pca=50) < estimate_memory((30_000, 2000))
        assert estimate_memory((5000, 2000), n_stored=10**5, pca=50) < estimate_memory((5000, 2000), pca=50)


def test_the_guide_for_cells_runs(capsys):
    guide = (Path(__file__).parent.parent / "docs" / "cells.md").read_text()
    _, code = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)  # the first needs scanpy: test_scanpy.py
    exec(code, {})
    first, *places = capsys.readouterr().out.splitlines()
    assert all(int(number) < 40 for number in re.findall(r"gene (\d+)", first))
    assert len(places) == 3
    assert "False" not in "".join(places)


class TestNoise:
    def groups(self, n_features, size=1.0):
        """Five groups that differ in 20 features, with normal noise in all."""
        rng = np.random.default_rng(0)
        centers = np.zeros((5, n_features))
        centers[:, :20] = 3 * rng.normal(size=(5, 20))
        return size * (centers[rng.integers(0, 5, 400)] + rng.normal(size=(400, n_features)))

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
    @pytest.mark.parametrize("size", [1.0, 1e300, 1e-300])
    def test_noise_that_components_leave_out_is_told(self, make, size):
        with pytest.warns(FeatmapWarning, match=r"mostly noise.*give pca=50"):
            warn_of_noise(make(self.groups(1000, size)))

    def test_a_fit_tells_it_and_pca_mends_it(self):
        X = self.groups(1000)
        with pytest.warns(FeatmapWarning, match="mostly noise"):
            given = FeatMAP(n_epochs=1).fit(X).neighbors_
        with pytest.warns(FeatmapWarning, match="mostly noise"):
            explain(X, X[:, :2])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            FeatMAP(n_epochs=1, pca=50).fit(X)
            FeatMAP(n_epochs=1, precomputed_knn=given).fit(X)

    def test_other_data_have_no_warning(self, digits):
        rng = np.random.default_rng(0)
        few_features, few_rows = self.groups(99), self.groups(1000)[:199]
        noise = rng.normal(size=(400, 1000))  # no component is better than another
        low_rank = rng.normal(size=(400, 5)) @ rng.normal(size=(5, 1000)) + 0.5 * rng.normal(size=(400, 1000))
        copies = np.ones((400, 200))
        for X in (few_features, few_rows, noise, low_rank, copies, np.tile(digits, (1, 3))):
            warn_of_noise(X)

    def test_nearness_by_loops(self, rng):
        X = rng.normal(size=(220, 130))
        fitted_rows, scored = X[::2], X[1::2]
        directions = PCA(50, svd_solver="full").fit(fitted_rows).components_
        in_features, in_components = nearness(X)

        def by_loops(rows):
            lengths = [[np.linalg.norm(a - b) for b in rows if b is not a] for a in rows]
            return np.median([min(row) for row in lengths]) / np.median(lengths)

        assert in_features == pytest.approx(by_loops(list(scored)), rel=1e-4)
        assert nearness(X + 1e6)[0] == pytest.approx(in_features, rel=1e-4)
        assert in_components == pytest.approx(by_loops(list(scored @ directions.T)), rel=0.02)
