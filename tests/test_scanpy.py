"""The PBMC tutorial of scanpy with featmap.tl.featmap in the place of scanpy.tl.umap, as the guide has it."""

from __future__ import annotations

import contextlib
import re
import warnings
from pathlib import Path

import anndata
import matplotlib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib import pyplot

from featmap import tl

matplotlib.use("agg")
# Scanpy and its dependencies warn about each other.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
GUIDE = Path(__file__).parent.parent / "docs" / "cells.md"
N_FIRST = 10
# Genes that every textbook gives for these cells.
MARKERS = {
    "B": {"CD79A", "MS4A1"},
    "CD14+ Mono": {"S100A8", "S100A9"},
    "NK": {"NKG7"},
    "Platelet": {"PPBP"},
}


@pytest.fixture(scope="module")
def sc():
    """Scanpy, with what its clustering needs."""
    pytest.importorskip("igraph", reason="the tutorial clusters cells: pip install 'featmap[scanpy]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("scanpy", reason="the tutorial is scanpy's: pip install 'featmap[scanpy]'")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the guide reads counts and leaves the map. The test leaves the pictures there too."""
    return tmp_path_factory.mktemp("tutorial")


@pytest.fixture(scope="module")
def tutorial(sc, data_set, folder):
    """What the guide for cells makes of the counts: a map with clusters, and their genes."""
    stored = data_set("pbmc3k")
    counts = sp.csr_matrix((stored["data"], stored["indices"], stored["indptr"]), stored["shape"], dtype=np.float32)
    obs = pd.DataFrame({"type": pd.Categorical(stored["cell_type"])}, index=stored["barcode"])
    anndata.AnnData(counts, obs=obs, var=pd.DataFrame(index=stored["genes"])).write_h5ad(folder / "cells.h5ad")
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]
    names = {}
    with contextlib.chdir(folder):
        exec(code, names)
        for number in pyplot.get_fignums():
            pyplot.figure(number).savefig(f"{number}.png", bbox_inches="tight")
    pyplot.close("all")
    print(f"pictures in {folder}")
    return names["adata"]


def test_the_map_keeps_the_types_together(tutorial):
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    types = tutorial.obs["type"].to_numpy()
    accuracy = cross_val_score(KNeighborsClassifier(10), tutorial.obsm["X_featmap"], types, cv=10).mean()
    print(f"10-NN accuracy of types on the map: {accuracy:.3f}")
    assert accuracy >= 0.85


def test_neighbors_are_those_of_scanpy(tutorial):
    params = tutorial.uns["featmap"]["params"]
    assert params["has_loadings"]
    assert params["n_neighbors"] == 15
    difference = abs(tutorial.obsp["featmap_connectivities"] - tutorial.obsp["connectivities"])
    assert difference.max() < 1e-2


def test_scanpy_reads_the_ranking_and_regions_have_their_markers(sc, tutorial):
    """A type is found in the cluster that has most of its cells."""
    ranked = sc.get.rank_genes_groups_df(tutorial, None, key="rank_features_groups")
    first = ranked.groupby("group", observed=True).head(N_FIRST).groupby("group", observed=True)["names"].agg(set)
    shares = pd.crosstab(tutorial.obs["type"], tutorial.obs["leiden"])
    for kind, markers in MARKERS.items():
        cluster = shares.loc[kind].idxmax()
        print(f"{kind}: cluster {cluster}: {', '.join(sorted(first[cluster]))}")
        assert markers <= first[cluster], kind


def test_fold_changes_are_those_of_scanpy(sc, tutorial):
    sc.tl.rank_genes_groups(tutorial, "leiden", method="t-test", key_added="theirs")
    ours = sc.get.rank_genes_groups_df(tutorial, None, key="rank_features_groups")
    theirs = sc.get.rank_genes_groups_df(tutorial, None, key="theirs")
    both = ours.merge(theirs, on=["group", "names"], suffixes=("", "_theirs"))
    assert len(both) == len(ours)
    np.testing.assert_allclose(both["logfoldchanges"], both["logfoldchanges_theirs"], atol=1e-4)


def test_scanpy_draws_the_ranking(sc, tutorial):
    sc.pl.rank_genes_groups(tutorial, key="rank_features_groups", show=False)
    sc.pl.paga(tutorial, show=False)
    pyplot.close("all")


def test_answers_come_back_from_the_file(tutorial, folder):
    read = anndata.read_h5ad(folder / "map.h5ad", backed="r")
    cell = tutorial.obs_names[3]
    np.testing.assert_allclose(
        tl.model(read).feature_importance([cell]), tl.model(tutorial).feature_importance([cell]), atol=1e-6
    )
