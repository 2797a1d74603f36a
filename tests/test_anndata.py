"""featmap.tl and featmap.pl: maps of cells in an AnnData, written and read as scanpy does."""

from __future__ import annotations

import gc
import subprocess
import sys
from functools import cache

import anndata
import matplotlib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib import pyplot
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgba
from sklearn.decomposition import PCA

from drawn import texts
from featmap import (
    FeatMAP,
    FeatmapWarning,
    InvalidDataError,
    InvalidParameterError,
    NotEnoughMemoryError,
    pl,
    tl,
)
from featmap.tl.asking import _LAST_MODEL

matplotlib.use("agg")
QUICK = {"n_epochs": 20}
N_COMPONENTS = 8
KINDS = ("alpha", "beta", "gamma")


def cells(make=sp.csr_matrix):
    """As scanpy leaves them: 240 cells of 3 types with 12 markers each, 60 genes, of which 40 are highly variable."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, 240)
    rates = np.full((3, 60), 0.3)
    for kind in range(3):
        rates[kind, 12 * kind : 12 * (kind + 1)] = 4.0
    counts = rng.poisson(rates[kinds])
    logs = np.log1p(1e2 * counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)
    adata = anndata.AnnData(
        make(logs),
        obs=pd.DataFrame({"kind": pd.Categorical(np.array(KINDS)[kinds])}, index=[f"cell{i}" for i in range(240)]),
        var=pd.DataFrame({"highly_variable": np.arange(60) % 3 != 2}, index=[f"gene{h}" for h in range(60)]),
    )
    with_components(adata, logs)
    adata.uns["log1p"] = {}
    return adata


def with_components(adata, logs):
    """What scanpy.pp.pca writes: components of the highly variable genes, loadings with zeros for the others."""
    chosen = adata.var["highly_variable"].to_numpy()
    pca = PCA(N_COMPONENTS, svd_solver="full").fit(logs[:, chosen])
    adata.obsm["X_pca"] = pca.transform(logs[:, chosen]).astype(np.float32)
    adata.varm["PCs"] = np.zeros((adata.n_vars, N_COMPONENTS))
    adata.varm["PCs"][chosen] = pca.components_.T


def with_neighbors(adata, n_neighbors=10, key="neighbors", rep="X_pca", **params):
    """What scanpy.pp.neighbors writes, as far as it is read here."""
    places = adata.obsm[rep].astype(float)
    lengths = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(lengths, np.inf)
    near = np.argsort(lengths, axis=1, kind="stable")[:, : n_neighbors - 1]
    rows = np.repeat(np.arange(len(places)), n_neighbors - 1)
    distances = sp.csr_matrix((lengths[rows, near.ravel()], (rows, near.ravel())), lengths.shape)
    prefix = "" if key == "neighbors" else f"{key}_"
    adata.obsp[f"{prefix}distances"] = distances
    adata.uns[key] = {
        "connectivities_key": f"{prefix}connectivities",
        "distances_key": f"{prefix}distances",
        "params": {"n_neighbors": n_neighbors, "method": "umap", "metric": "euclidean"} | params,
    }


@cache
def mapped_once(make):
    """Cells with a map, which no test changes."""
    return tl.featmap(cells(make), copy=True, **QUICK)


def mapped_cells(make=sp.csr_matrix, **parameters):
    """Cells with a map of their own."""
    return tl.featmap(cells(make), copy=True, **QUICK, **parameters) if parameters else mapped_once(make).copy()


@pytest.fixture
def mapped():
    """Cells with their map."""
    return mapped_cells()


@pytest.fixture(scope="module")
def direct():
    """The same map by FeatMAP itself."""
    adata = cells()
    return FeatMAP(pca=adata.varm["PCs"], random_state=0, **QUICK).fit(adata.X)


class TestFeatmap:
    def test_it_writes_what_scanpy_expects(self, mapped):
        assert mapped.obsm["X_featmap"].shape == (240, 2)
        kept = mapped.uns["featmap"]
        connectivities = mapped.obsp[kept["connectivities_key"]]
        distances = mapped.obsp[kept["distances_key"]]
        assert abs(connectivities - connectivities.T).max() < 1e-6
        assert (np.diff(distances.indptr) == 14).all()  # scanpy's n_neighbors counts the cell itself too
        assert kept["params"]["n_neighbors"] == 15
        assert kept["params"]["method"] == "umap"
        assert kept["params"]["use_rep"] == "X_pca"
        assert set(mapped.obsm) == {"X_pca", "X_featmap"}
        assert set(mapped.uns) == {"log1p", "featmap"}

    def test_it_is_featmap_with_the_loadings_as_directions(self, mapped, direct):
        """Neighbours are found in float32 components here, so that the map is the same up to rounding."""
        indices, distances = direct.neighbors_
        kept = mapped.obsp["featmap_distances"]
        assert (np.sort(indices, axis=1) == kept.indices.reshape(240, 14)).mean() > 0.99
        np.testing.assert_allclose(np.sort(kept.data.reshape(240, 14), axis=1), distances, rtol=1e-4)
        difference = abs(mapped.obsp["featmap_connectivities"] - direct.graph_)
        assert difference.max() < 1e-2

    def test_loadings_make_the_tangent_spaces(self, mapped):
        """Importance is carried by the loadings: genes that had no part in them have none, all others some."""
        importance = tl.model(mapped).feature_importance()
        chosen = mapped.var["highly_variable"].to_numpy()
        assert (importance[:, ~chosen] == 0).all()
        assert (importance[:, chosen].max(axis=0) > 0).all()
        np.testing.assert_allclose((importance**2).sum(axis=1), tl.model(mapped).intrinsic_dim_, rtol=1e-4)

    def test_key_added_is_followed_exactly(self):
        adata = mapped_cells(key_added="my map")
        assert "my map" in adata.obsm
        assert set(adata.obsp) == {"my map_connectivities", "my map_distances"}
        assert tl.model(adata, "my map").embedding_.tobytes() == adata.obsm["my map"].tobytes()
        with pytest.raises(InvalidParameterError, match=r"tl\.model\(key='featmap'\): there is no map"):
            tl.model(adata)

    def test_a_copy_leaves_the_original_alone(self):
        adata = cells()
        before = adata.copy()
        returned = tl.featmap(adata, copy=True, **QUICK)
        assert "X_featmap" in returned.obsm
        assert set(adata.obsm) == set(before.obsm)
        assert set(adata.uns) == set(before.uns)
        assert tl.featmap(adata, **QUICK) is None
        assert (adata.X != before.X).nnz == 0
        np.testing.assert_array_equal(adata.obsm["X_featmap"], returned.obsm["X_featmap"])

    def test_parameters_reach_the_fit(self):
        adata = mapped_cells(n_neighbors=7, n_components=3, random_state=5, density=0)
        assert adata.obsm["X_featmap"].shape == (240, 3)
        assert (np.diff(adata.obsp["featmap_distances"].indptr) == 6).all()
        params = adata.uns["featmap"]["params"]
        assert (params["random_state"], params["n_components"], params["density"]) == (5, 3, 0)

    def test_fewer_components(self):
        adata = mapped_cells(pca=3)
        assert adata.uns["featmap"]["params"]["pca"] == 3
        places = adata.obsm["X_pca"][:, :3].astype(float)
        first = adata.obsp["featmap_distances"][0]
        np.testing.assert_allclose(first.data, np.linalg.norm(places[first.indices] - places[0], axis=1), rtol=1e-4)
        assert np.linalg.matrix_rank(tl.model(adata).loadings([0])[0]) == 2
        assert tl.model(adata)._points.mapped.manifold.components.n_components == 3

    @pytest.mark.parametrize(("parameters", "atol"), [({"metric": "cosine"}, 1e-5), ({"pca": 6}, 0)], ids=str)
    def test_of_the_features_it_is_the_map_of_featmap_itself(self, parameters, atol):
        """The same neighbours and components give the answers of the model that was fitted."""
        adata = mapped_cells(use_rep="X", **parameters)
        fitted, model = FeatMAP(random_state=0, **QUICK, **parameters).fit(adata.X), tl.model(adata)
        for embedding in (adata.obsm["X_featmap"], model.embedding_):
            np.testing.assert_array_equal(embedding, fitted.embedding_)
        np.testing.assert_allclose(model.frames_, fitted.frames_, atol=1e-4)
        np.testing.assert_allclose(model.arrows([3]), fitted.arrows([3]), atol=1e-5)
        importance, expected = model.feature_importance(), fitted.feature_importance()
        np.testing.assert_allclose(importance, expected, rtol=0, atol=atol)

    def test_a_layer_holds_the_features(self, mapped):
        adata = cells()
        adata.layers["logs"] = adata.X.copy()
        adata.X = sp.csr_matrix(adata.shape, dtype=np.float32)
        tl.featmap(adata, layer="logs", **QUICK)
        np.testing.assert_array_equal(adata.obsm["X_featmap"], mapped.obsm["X_featmap"])
        assert list(tl.model(adata).top_features(["cell3"])[0]) == list(tl.model(mapped).top_features(["cell3"])[0])

    @pytest.mark.parametrize("make", [sp.csc_matrix, sp.csr_array, np.asarray], ids=lambda make: make.__name__)
    def test_other_matrices_give_the_same_map(self, make, mapped):
        adata = mapped_cells(make)
        np.testing.assert_allclose(adata.obsm["X_featmap"], mapped.obsm["X_featmap"], atol=1e-3)
        np.testing.assert_allclose(
            tl.model(adata).feature_importance(), tl.model(mapped).feature_importance(), atol=1e-4
        )


class TestNeighbors:
    def test_those_of_scanpy_are_used(self):
        adata = cells()
        with_neighbors(adata)
        tl.featmap(adata, neighbors_key="neighbors", **QUICK)
        kept, given = adata.obsp["featmap_distances"], adata.obsp["distances"]
        np.testing.assert_array_equal(kept.indices, given.indices)
        np.testing.assert_allclose(kept.data, given.data, rtol=1e-6)
        assert adata.uns["featmap"]["params"]["n_neighbors"] == 10

    def test_another_key_and_fewer_components(self):
        adata = cells()
        adata.obsm["first"] = adata.obsm["X_pca"][:, :4]
        with_neighbors(adata, key="mine", rep="first", n_pcs=4)
        tl.featmap(adata, neighbors_key="mine", n_neighbors=6, **QUICK)
        params = adata.uns["featmap"]["params"]
        assert (params["pca"], params["n_neighbors"]) == (4, 6)
        assert tl.model(adata)._points.mapped.manifold.components.n_components == 4

    @pytest.mark.parametrize(
        ("record", "kept"),
        [({"n_pcs": 0}, {"pca": N_COMPONENTS}), *(({"metric": name},) * 2 for name in ("cosine", "tsss"))],
        ids=str,
    )
    def test_what_they_say_of_components_and_metrics_is_kept(self, record, kept):
        """n_pcs=0 means none of the components. The metric may be any of pynndescent's: it is not computed again."""
        adata = cells()
        with_neighbors(adata, **record)
        tl.featmap(adata, neighbors_key="neighbors", **QUICK)
        assert kept.items() <= adata.uns["featmap"]["params"].items()
        assert tl.model(adata)._points.mapped.manifold.metric == "euclidean"

    def test_their_metric_of_the_features_must_be_known(self):
        adata = cells()
        for metric, message in (("tsss", r"metric='tsss'\): metric must be"), (max, "metric must be a name")):
            with_neighbors(adata, metric=metric)
            with pytest.raises(InvalidParameterError, match=message):
                tl.featmap(adata, use_rep="X", neighbors_key="neighbors", **QUICK)

    @pytest.mark.parametrize("metric", ["cosine", "manhattan"])
    def test_a_metric_is_of_the_representation(self, metric):
        """Components are centred there, and cosine distances depend on it."""
        from sklearn.metrics import pairwise_distances

        adata = mapped_cells(metric=metric)
        true = pairwise_distances(adata.obsm["X_pca"].astype(float), metric=metric)
        kept = adata.obsp["featmap_distances"].tocoo()
        np.testing.assert_allclose(kept.data, true[kept.row, kept.col], rtol=1e-3, atol=1e-6)
        assert kept.data.reshape(240, 14).max(axis=1) == pytest.approx(np.sort(true, axis=1)[:, 14], rel=1e-3)

    def test_more_neighbors_for_tangent_spaces(self):
        adata = mapped_cells(n_tangent_neighbors=25)
        assert (np.diff(adata.obsp["featmap_distances"].indptr) == 24).all()
        manifold = tl.model(adata)._points.mapped.manifold
        assert (manifold.n_neighbors, manifold.n_tangent_neighbors) == (15, 25)

    def test_copies_of_a_cell_are_neighbors(self):
        adata = cells(np.asarray)
        for table in (adata.X, adata.obsm["X_pca"]):
            table[200:] = table[:40]
        tl.featmap(adata, **QUICK)
        assert (adata.obsp["featmap_distances"].data == 0).sum() == 80
        assert tl.model(adata).embedding_.shape == (240, 2)

    def test_none_and_too_few_are_refused(self):
        for adata in (cells(), cells()):
            with pytest.raises(InvalidParameterError, match=r"neighbors_key='neighbors'.*scanpy\.pp\.neighbors"):
                tl.featmap(adata, neighbors_key="neighbors")
            adata.uns["neighbors"] = {"params": {}}
        with_neighbors(adata)
        with pytest.raises(InvalidDataError, match=r"14 neighbours are needed .* a row has only 9"):
            tl.featmap(adata, neighbors_key="neighbors", n_neighbors=15)
        for record in ("text", {"distances_key": "distances", "params": {}}, {"params": 3}):
            adata.uns["neighbors"] = record
            with pytest.raises(InvalidParameterError, match=r"adata\.uns\['neighbors'\] names no neighbours"):
                tl.featmap(adata, neighbors_key="neighbors")


class TestOtherRepresentations:
    def test_without_loadings_a_warning_says_what_is_done(self):
        adata = cells()
        adata.obsm["X_scVI"] = np.tanh(adata.obsm["X_pca"][:, :5])
        with pytest.warns(FeatmapWarning, match=r"use_rep='X_scVI': there are no orthonormal loadings") as caught:
            tl.featmap(adata, use_rep="X_scVI", **QUICK)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        places = adata.obsm["X_scVI"].astype(float)
        lengths = np.linalg.norm(places[:, None] - places[None], axis=2)
        kept = adata.obsp["featmap_distances"].tocoo()
        np.testing.assert_allclose(kept.data, lengths[kept.row, kept.col], rtol=1e-4)
        model = tl.model(adata)  # which says nothing more
        expected = FeatMAP(pca=50, random_state=0).fit(adata.X)._points.mapped.manifold.components
        np.testing.assert_array_equal(model._points.mapped.manifold.components.directions, expected.directions)

    @pytest.mark.parametrize("why", ["have been scaled", "there are no orthonormal loadings"])
    def test_loadings_that_do_not_fit_are_not_taken(self, why):
        """They do not lead from features that were scaled later to X_pca; or lengths there are not those of genes."""
        adata = cells(np.asarray)
        if why == "have been scaled":
            adata.X = (adata.X - adata.X.mean(axis=0)) / adata.X.std(axis=0)
        else:
            adata.obsm["X_pca"] *= 2
            adata.varm["PCs"] *= 2
        with pytest.warns(FeatmapWarning, match=rf"use_rep='X_pca': .*{why}"):
            tl.featmap(adata, **QUICK)
        assert not adata.uns["featmap"]["params"]["has_loadings"]

    def test_loadings_under_another_name(self, mapped):
        """scanpy.pp.pca(key_added="mine") writes to obsm["mine"] and varm["mine"]."""
        adata = cells()
        adata.obsm["mine"], adata.varm["mine"] = adata.obsm.pop("X_pca"), adata.varm.pop("PCs")
        tl.featmap(adata, use_rep="mine", **QUICK)
        np.testing.assert_array_equal(adata.obsm["X_featmap"], mapped.obsm["X_featmap"])

    def test_a_part_of_the_genes(self):
        """The genes that made the components are enough; with fewer, the loadings are no longer theirs."""
        adata = cells()
        chosen = adata.var["highly_variable"].to_numpy()
        tl.featmap(adata[:, chosen].copy(), **QUICK)
        with pytest.warns(FeatmapWarning, match="there are no orthonormal loadings"):
            tl.featmap(adata[:, 5:].copy(), **QUICK)

    @pytest.mark.parametrize("backed", [None, "r"])
    @pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, np.asarray], ids=lambda make: make.__name__)
    def test_it_comes_back_from_a_file(self, make, backed, tmp_path):
        adata = mapped_cells(make)
        adata.write_h5ad(tmp_path / "cells.h5ad")
        read = anndata.read_h5ad(tmp_path / "cells.h5ad", backed=backed)
        before, after = tl.model(adata), tl.model(read)
        np.testing.assert_array_equal(read.obsm["X_featmap"], adata.obsm["X_featmap"])
        np.testing.assert_allclose(after.feature_importance(), before.feature_importance(), atol=1e-6)
        np.testing.assert_allclose(after.arrows(["cell7"]), before.arrows(["cell7"]), atol=1e-5)

    def test_answers_come_back_from_a_file(self, ranked, tmp_path):
        adata = tl.importance(ranked, "kind", copy=True)
        adata.write_h5ad(tmp_path / "cells.h5ad")
        read = anndata.read_h5ad(tmp_path / "cells.h5ad")
        before, after = (one.uns["rank_features_groups"] for one in (adata, read))
        for name in ("names", "scores", "logfoldchanges", "pvals", "pvals_adj"):
            pd.testing.assert_frame_equal(pd.DataFrame(after[name]), pd.DataFrame(before[name]))
        pd.testing.assert_frame_equal(read.varm["featmap_importance"], adata.varm["featmap_importance"])
        assert str(tl.why(read, "cell7")) == str(tl.why(adata, "cell7"))

    @pytest.mark.parametrize("make", [sp.csr_matrix, np.asarray], ids=lambda make: make.__name__)
    def test_backed_cells_are_mapped(self, make, tmp_path):
        cells(make).write_h5ad(tmp_path / "cells.h5ad")
        backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
        tl.featmap(backed, **QUICK)
        np.testing.assert_array_equal(backed.obsm["X_featmap"], mapped_cells(make).obsm["X_featmap"])

    def test_a_part_of_the_cells_is_refused(self, mapped):
        with pytest.raises(InvalidDataError, match=r"of 240 cells and 60 genes, and adata has 100 and 60"):
            tl.model(mapped[:100])
        with pytest.raises(InvalidDataError, match=r"adata has 240 and 30; run featmap\.tl\.featmap on this part"):
            tl.why(mapped[:, :30], 0)

    def test_cells_in_another_order_keep_their_answers(self, mapped):
        order = np.random.default_rng(1).permutation(240)
        turned = tl.model(mapped[order].copy())
        np.testing.assert_allclose(
            turned.feature_importance(["cell5"]), tl.model(mapped).feature_importance(["cell5"]), atol=1e-5
        )

    def test_other_features_are_refused(self, mapped):
        """With loadings, and without."""
        mapped.X = mapped.X.multiply(np.arange(1, 61)).tocsr()
        with pytest.raises(InvalidDataError, match=r"no longer those that the map in adata\.uns\['featmap'\]"):
            tl.model(mapped)
        adata = cells()
        adata.layers["logs"] = adata.X.copy()
        tl.featmap(adata, use_rep="X", layer="logs", **QUICK)
        adata.layers["logs"] = adata.layers["logs"].expm1()
        says = r"tl\.why\(adata\): the features in layer 'logs' are no longer those"
        with pytest.raises(InvalidDataError, match=says):
            tl.why(adata, 0)

    @pytest.mark.parametrize("use_rep", ["X", "X_pca"])
    def test_the_same_features_in_another_form_are_accepted(self, use_rep, tmp_path):
        """As another matrix, in another order, and in a file."""
        adata = cells()
        adata.obsm["X_pca"][:40] = adata.obsm["X_pca"][40:80]  # cells with the same distances
        adata.X = sp.vstack([adata.X[40:80], adata.X[40:]]).tocsr()
        tl.featmap(adata, use_rep=use_rep, **QUICK)
        rng = np.random.default_rng(2)
        adata = adata[rng.permutation(240), rng.permutation(60)].copy()
        for make in (sp.csr_matrix, sp.csc_matrix, lambda X: X.toarray().astype(np.float64)):
            adata.X = make(adata.X)
            assert tl.model(adata).embedding_.shape == (240, 2)
            adata.write_h5ad(tmp_path / "cells.h5ad")
            for backed in (None, "r"):
                read = anndata.read_h5ad(tmp_path / "cells.h5ad", backed=backed)
                assert tl.model(read).embedding_.shape == (240, 2)
                if backed:
                    read.file.close()

    def test_a_second_question_asks_the_same_model(self, mapped):
        first, second = tl.model(mapped), tl.model(mapped, n_jobs=1)
        assert first._points is second._points
        assert second.n_jobs == 1

    def test_what_has_changed_is_never_asked(self, mapped):
        first = tl.model(mapped)
        mapped.obsm["X_featmap"] = mapped.obsm["X_featmap"] * 2
        second = tl.model(mapped)
        assert first._points is not second._points
        np.testing.assert_array_equal(second.embedding_, mapped.obsm["X_featmap"])
        mapped.X = mapped.X * np.float32(1 + 1e-5)
        with pytest.raises(InvalidDataError, match="features in X are no longer those"):
            tl.model(mapped)

    def test_a_model_is_forgotten_with_its_cells(self):
        adata = mapped_cells()
        tl.model(adata)
        assert len(_LAST_MODEL) == 1
        del adata
        gc.collect()
        assert not _LAST_MODEL


@pytest.fixture(scope="module")
def ranked():
    adata = mapped_cells()
    tl.rank_features(adata, "kind", n_permutations=50)
    return adata


class TestRanking:
    def test_markers_come_first(self, ranked):
        names = ranked.uns["rank_features_groups"]["names"]
        assert names.dtype.names == KINDS
        for number, kind in enumerate(KINDS):
            markers = {f"gene{h}" for h in range(12 * number, 12 * (number + 1))}
            assert set(names[kind][:12]) == markers

    def test_the_layout_is_that_of_scanpy(self, ranked):
        """sc.get.rank_genes_groups_df reads these arrays, and sc.pl.rank_genes_groups these parameters."""
        record = ranked.uns["rank_features_groups"]
        assert set(record) == {"params", "names", "scores", "logfoldchanges", "pvals", "pvals_adj"}
        assert (record["params"]["groupby"], record["params"]["reference"]) == ("kind", "rest")
        for name in ("scores", "logfoldchanges", "pvals", "pvals_adj"):
            frame = pd.DataFrame(record[name])
            assert frame.shape == (60, 3)
            assert np.isfinite(frame).all(axis=None)
        assert (np.diff(pd.DataFrame(record["scores"]), axis=0) <= 0).all()
        assert (pd.DataFrame(record["pvals_adj"]) >= pd.DataFrame(record["pvals"])).all(axis=None)

    def test_scores_are_means_of_those_of_the_cells_and_p_values_those_of_the_model(self, ranked):
        from featmap.plot.features_on_map import apart_scores

        record, model = ranked.uns["rank_features_groups"], tl.model(ranked)
        rows, names = np.flatnonzero(ranked.obs["kind"] == "beta"), record["names"]["beta"]
        scores = dict(zip(ranked.var_names, apart_scores(model, "units")(rows)[0].mean(axis=0), strict=True))
        np.testing.assert_allclose(record["scores"]["beta"], [scores[gene] for gene in names], atol=1e-4)
        contrast = model.rank_features(ranked.obs["kind"], n_permutations=50)["beta"]
        p_values = dict(zip(contrast.features, contrast.p_values, strict=True))
        np.testing.assert_array_equal(record["pvals"]["beta"], [p_values[gene] for gene in names])

    @pytest.mark.parametrize("base", [None, 2])
    def test_fold_changes_are_of_mean_counts(self, base, mapped):
        """By scanpy's formula."""
        mapped.uns["log1p"] = {} if base is None else {"base": base}
        tl.rank_features(mapped, "kind", n_permutations=20)
        record, is_beta = mapped.uns["rank_features_groups"], (mapped.obs["kind"] == "beta").to_numpy()
        logs = mapped.X.toarray().astype(float) * (1 if base is None else np.log(base))
        ratio = (np.expm1(logs[is_beta].mean(axis=0)) + 1e-9) / (np.expm1(logs[~is_beta].mean(axis=0)) + 1e-9)
        expected = dict(zip(mapped.var_names, np.log2(ratio), strict=True))
        found = record["logfoldchanges"]["beta"]
        np.testing.assert_allclose(found, [expected[gene] for gene in record["names"]["beta"]], rtol=1e-4)

    def test_values_that_are_not_logarithms_have_no_fold_changes(self, mapped):
        del mapped.uns["log1p"]
        tl.rank_features(mapped, "kind", n_permutations=20, n_features=4, key_added="mine")
        assert np.isnan(mapped.uns["mine"]["logfoldchanges"]["alpha"]).all()
        assert mapped.uns["mine"]["names"].shape == (4,)

    @pytest.mark.parametrize("kind", ["layer", "scaled", "counts"])
    def test_a_record_of_logarithms_of_other_values_is_not_used(self, kind):
        """uns["log1p"] speaks of what X was when scanpy.pp.log1p changed it."""
        adata, layer = cells(np.asarray), None
        if kind == "layer":
            adata.layers["counts"], layer = adata.X * 1000, "counts"
        adata.X = {"layer": adata.X, "scaled": adata.X - adata.X.mean(axis=0), "counts": adata.X * 1000}[kind]
        tl.featmap(adata, use_rep="X", pca=5, layer=layer, **QUICK)
        tl.rank_features(adata, "kind", n_permutations=20)
        assert np.isnan(adata.uns["rank_features_groups"]["logfoldchanges"]["alpha"]).all()

    def test_groups_of_one_cell_are_left_out(self, mapped):
        mapped.obs["part"] = ["one"] + ["many"] * 100 + ["others"] * 139
        with pytest.warns(FeatmapWarning, match="groups of one row are left out: 'one'"):
            tl.rank_features(mapped, "part", n_permutations=20)
        assert mapped.uns["rank_features_groups"]["names"].dtype.names == ("many", "others")

    def test_wrong_groups_are_refused(self, mapped):
        with pytest.raises(InvalidParameterError, match=r"'leiden' is not a column of adata\.obs, which has 'kind'"):
            tl.rank_features(mapped, "leiden")
        mapped.obs.loc["cell3", "kind"] = np.nan
        with pytest.raises(InvalidDataError, match=r"rank_features\(groupby=…\): 1 groupby are missing"):
            tl.rank_features(mapped, "kind")
        with pytest.raises(InvalidParameterError, match=r"n_features=0"):
            tl.rank_features(mapped, "kind", n_features=0)


class TestImportance:
    def test_of_every_cell(self, mapped):
        copy = tl.importance(mapped, copy=True)
        np.testing.assert_array_equal(copy.layers["featmap_importance"], tl.model(mapped).feature_importance())
        assert "featmap_importance" not in mapped.layers

    def test_of_groups(self, mapped, monkeypatch):
        monkeypatch.setattr("featmap.tl.asking.CELLS_AT_ONCE", 7)
        assert tl.importance(mapped, "kind", key_added="mine") is None
        rows = np.flatnonzero(mapped.obs["kind"] == "gamma")
        expected = tl.model(mapped).feature_importance(rows).mean(axis=0)
        frame = mapped.varm["mine"]
        assert list(frame.columns) == list(KINDS)
        np.testing.assert_allclose(frame["gamma"], expected, atol=1e-6)

    def test_too_large_for_the_memory(self, mapped, monkeypatch):
        monkeypatch.setattr("featmap.memory.available_memory", lambda: 10**3)
        monkeypatch.setattr("featmap.tl.asking.rebuilt", lambda *_: pytest.fail("made before it was refused"))
        with pytest.raises(NotEnoughMemoryError, match="give groupby"):
            tl.importance(mapped)


def points_of(panel):
    """The points of the map in a panel or a figure, which are more than any others there."""
    return max(panel.findobj(PathCollection), key=lambda drawn: len(drawn.get_offsets()))


def colours_of(ax):
    """The colour of each name in the legend; the points of a category have it too."""
    legend = ax.get_legend()
    found = {
        text.get_text(): to_rgba(handle.get_markerfacecolor())
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    drawn = {tuple(colour) for one in ax.collections for colour in one.get_facecolors()}
    assert {colour[:3] for colour in found.values()} <= {colour[:3] for colour in drawn}
    return found


class TestPictures:
    @pytest.fixture(autouse=True)
    def _closed(self):
        yield
        pyplot.close("all")

    def test_the_map_alone_and_by_a_column(self, mapped):
        assert pl.embedding(mapped).get_legend() is None
        ax = pl.embedding(mapped, "kind")
        assert [text.get_text() for text in ax.get_legend().get_texts()] == list(KINDS)
        assert ax.get_title() == "featMAP of 240 cells"

    def test_the_map_by_a_gene(self, mapped):
        figure, ax = pyplot.subplots()
        assert pl.embedding(mapped, "gene5", ax=ax) is ax
        points = points_of(ax)
        values = dict(zip(map(tuple, np.asarray(points.get_offsets(), np.float32)), points.get_array(), strict=True))
        expected = mapped[:, "gene5"].X.toarray().ravel()
        np.testing.assert_allclose([values[tuple(place)] for place in mapped.obsm["X_featmap"]], expected)
        assert figure.axes[1].get_ylabel() == "gene5"

    def test_several_colours_are_maps_side_by_side(self, mapped):
        names = ["kind", "gene5", "gene6", "gene7", "gene8"]
        panels = pl.embedding(mapped, names)
        assert [ax.get_title() for ax in panels] == names
        assert len(panels[0].get_legend().get_texts()) == len(KINDS)
        (figure,) = {ax.figure for ax in panels}
        tops = [round(ax.get_subplotspec().rowspan.start) for ax in panels]
        assert tops == [0, 0, 0, 0, 1]
        expected = mapped[:, "gene8"].X.toarray().ravel()
        np.testing.assert_allclose(np.sort(points_of(panels[4]).get_array()), np.sort(expected))
        assert len(figure.axes) == len(names) + 4  # and the bars of colours

    def test_categories_have_the_colours_that_scanpy_keeps(self, mapped):
        """In the order of the categories, which need not be that of the alphabet, and also if one has no cells."""
        order = ["none", *KINDS[::-1]]
        mapped.obs["kind"] = pd.Categorical(mapped.obs["kind"], order)
        own = ["black", "#ff0000", "lime", "#0000ff"]
        mapped.uns["kind_colors"] = np.array(own)
        ax = pl.embedding(mapped, "kind")
        assert colours_of(ax) == dict(zip(KINDS[::-1], map(to_rgba, own[1:]), strict=True))
        page = pl.why(mapped, "cell7", color="kind")
        drawn = {tuple(colour) for one in page.findobj(PathCollection) for colour in one.get_facecolors()}
        assert set(map(to_rgba, own[1:])) <= drawn
        assert mapped.uns["kind_colors"].tolist() == own

    @pytest.mark.parametrize(
        ("dtype", "kept"),
        [
            *(("category", kept) for kept in (["red", "blue"], ["red", "lime", "blue", "black"], "red", 3, None)),
            ("category", ["red", "lime", "no colour"]),
            (object, ["red", "lime", "blue"]),
        ],
    )
    def test_colours_that_do_not_fit_are_not_taken(self, mapped, dtype, kept):
        """Scanpy's are those of a categorical column, one for each category."""
        mapped.obs["kind"] = mapped.obs["kind"].astype(dtype)
        usual = colours_of(pl.embedding(mapped, "kind"))
        mapped.uns["kind_colors"] = kept
        assert colours_of(pl.embedding(mapped, "kind")) == usual
        assert mapped.uns["kind_colors"] is kept

    def test_arrows_names_and_a_page(self, mapped):
        assert pl.arrows(mapped, "gene5", grid=8).get_title().startswith("Where gene5 increases")
        names = texts(pl.features_on_map(mapped, k=3), "region")
        assert "gene" in names[0].get_text()
        page = pl.why(mapped, "cell7", color="kind")
        assert page.get_title() == "Why is cell7 here?"
        with pytest.raises(InvalidParameterError, match=r"one cell; featmap\.tl\.why answers about groups"):
            pl.why(mapped, mapped.obs["kind"] == KINDS[0])

    def test_a_gene_of_a_layer(self, mapped, tmp_path):
        mapped.layers["twice"] = (mapped.X * 2).toarray()
        expected = mapped[:, "gene5"].X.toarray().ravel()
        mapped.write_h5ad(tmp_path / "cells.h5ad")
        backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
        for adata, layer, factor in ((mapped, "twice", 2), (backed, None, 1)):
            points = points_of(pl.embedding(adata, "gene5", layer=layer))
            np.testing.assert_allclose(np.sort(points.get_array()), np.sort(factor * expected))

    def test_a_gene_is_that_of_the_map(self):
        """Where the features are a layer, colours are of the layer."""
        adata = cells(np.asarray)
        adata.layers["logs"], adata.X = adata.X.copy(), np.zeros(adata.shape, np.float32)
        tl.featmap(adata, layer="logs", **QUICK)
        expected = np.sort(adata.layers["logs"][:, 5])
        for page in (pl.embedding(adata, "gene5"), pl.why(adata, "cell7", color="gene5")):
            np.testing.assert_allclose(np.sort(points_of(page.figure).get_array()), expected)

    def test_wrong_colours_are_refused(self, mapped):
        mapped.var_names = ["same", "same", *mapped.var_names[2:]]
        with pytest.raises(InvalidParameterError, match=r"'same' is the name of several genes"):
            pl.embedding(mapped, "same")
        with pytest.raises(InvalidParameterError, match=r"pl\.embedding: 'CD79A' is not a column of adata\.obs"):
            pl.embedding(mapped, "CD79A")
        for wrong in (5, [5]):
            with pytest.raises(InvalidParameterError, match=r"must be a column of adata\.obs, or a gene"):
                pl.embedding(mapped, wrong)
        with pytest.raises(InvalidParameterError, match="name at least one column"):
            pl.embedding(mapped, [])
        with pytest.raises(InvalidParameterError, match=r"ax=…\): several colours need a figure of their own"):
            pl.embedding(mapped, ["kind", "gene5"], ax=pyplot.subplots()[1])


class TestRefused:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"use_rep": "X_umap"}, r"use_rep='X_umap'\): adata\.obsm has no 'X_umap'; it has 'X_pca', or give"),
            ({"layer": "logs"}, r"layer='logs'\): adata has no layers"),
            ({"precomputed_knn": ()}, "give neighbors_key"),
            ({"metric": max}, "metric must be a name"),
            ({"metric": "precomputed"}, "neighbors_key"),
            ({"metric": "minkowski", "metric_kwds": {"p": 3}}, r"metric_kwds=…\): metric_kwds must .* neighbors_key"),
            ({"metric_kwds": np.ones(3)}, r"metric_kwds=array.*metric_kwds must be None or a dict"),
            ({"metric": np.ones(3)}, r"metric=array\(\[1., 1., 1.\]\)\): metric must be"),
            ({"pca": np.eye(60)}, r"pca must be a number; directions are read from adata\.varm"),
            ({"pca": 0}, r"featmap\.tl\.featmap\(pca=0\)"),
            ({"n_neighbors": 2}, r"featmap\.tl\.featmap\(n_neighbors=2\)"),
            ({"key_added": "a/b"}, "without '/'"),
            ({"key_added": "X_pca"}, r"would replace adata\.obsm\['X_pca'\]"),
            ({"random_state": "seed"}, r"featmap\.tl\.featmap\(random_state=.seed.\): random_state must be"),
        ],
        ids=lambda value: None if isinstance(value, str) else next(iter(value)),
    )
    def test_wrong_parameters(self, parameters, message):
        adata = cells()
        with pytest.raises(InvalidParameterError, match=message):
            tl.featmap(adata, **parameters)
        assert set(adata.obsm) == {"X_pca"}

    def test_cells_without_components_or_features_or_with_other_numbers(self):
        adata = cells()
        with pytest.raises(TypeError, match="n_pcs"):
            tl.featmap(adata, n_pcs=10)
        adata.obsm["X_pca"][3, 1] = np.nan
        with pytest.raises(InvalidDataError, match=r"obsm\['X_pca'\]\): .*contains NaN"):
            tl.featmap(adata)
        del adata.obsm["X_pca"]
        with pytest.raises(InvalidParameterError, match=r"run scanpy\.pp\.pca\(adata\) first, or give use_rep='X'"):
            tl.featmap(adata)
        featureless = anndata.AnnData(obs=pd.DataFrame(index=["a", "b", "c"]), obsm={"X_pca": np.eye(3)})
        with pytest.raises(InvalidParameterError, match=r"adata\.X is None; name a layer"):
            tl.featmap(featureless)

    def test_other_objects(self):
        frame = pd.DataFrame(np.eye(20))
        for ask in (tl.featmap, tl.model, tl.importance, pl.embedding, lambda data: tl.rank_features(data, "kind")):
            with pytest.raises(InvalidParameterError, match="adata must be an AnnData; got DataFrame"):
                ask(frame)

    @pytest.mark.parametrize("module", ["tl", "pl"])
    def test_the_extra_names_itself(self, module):
        code = f"import sys; sys.modules['anndata'] = None\nimport featmap\nfeatmap.{module}"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert f"featmap.{module} needs anndata: pip install 'featmap[anndata" in result.stderr
