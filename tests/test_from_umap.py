"""docs/from_umap.md: all of umap-learn's parameters are on the page, and what it promises holds."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP, plot

PAGE = (Path(__file__).parent.parent / "docs" / "from_umap.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## Parameters")[1].split("## Methods")[0]
QUICK = {"n_neighbors": 8, "n_epochs": 20, "random_state": 0}


def test_every_parameter_of_umap_learn_is_on_the_page(umap):
    named = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in TABLE.splitlines() if line.startswith("|")))
    assert sorted(named) == sorted(set(inspect.signature(umap.UMAP).parameters))


def test_every_parameter_of_ours_that_it_names_is_there():
    cells = [line.split("|")[2] for line in TABLE.splitlines() if line.startswith("|")]
    assert set(re.findall(r"`(\w+)`", "".join(cells))) <= set(FeatMAP().get_params())


def test_shared_parameters_have_the_same_defaults(umap):
    theirs = inspect.signature(umap.UMAP).parameters
    for name in ("n_neighbors", "n_components", "min_dist", "spread", "n_epochs", "metric", "random_state"):
        assert theirs[name].default == FeatMAP().get_params()[name]


def test_headings_that_it_links_to_are_there():
    headings = {
        re.sub(r"[^\w -]", "", line[3:].lstrip("# ")).lower().replace(" ", "-")
        for line in PAGE.splitlines()
        if line.startswith("##")
    }
    links = re.findall(r"\]\(#([\w-]+)\)", PAGE)
    assert len(links) > 5
    assert set(links) <= headings


def test_copies_share_a_place_and_answers():
    X = np.random.default_rng(0).normal(size=(40, 4))
    many = np.repeat(X, 3, axis=0)
    model = FeatMAP(**QUICK).fit(np.unique(many, axis=0))
    explained = model.explain(many)
    for answer in (model.transform(many), explained.arrows(), explained.feature_importance()):
        assert (answer.reshape(40, 3, -1) == answer[::3].reshape(40, 1, -1)).all()
        assert len(np.unique(answer.reshape(120, -1), axis=0)) == 40


class AsBERTopicCalls:
    """The calls that BERTopic 0.17 makes of its `umap_model`, in its order."""

    def __init__(self, umap_model):
        self.umap_model = umap_model

    def fit_transform(self, embeddings, y=None):
        y = np.array(y) if y is not None else None
        assert hasattr(self.umap_model, "fit_transform")
        assert not hasattr(self.umap_model, "partial_fit")  # else it would be called for every batch
        return np.nan_to_num(self.umap_model.fit_transform(embeddings, y=y))

    def transform(self, embeddings):
        return self.umap_model.transform(embeddings)


@pytest.mark.parametrize("y", [None, [0, 1, 2, -1] * 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bertopics_calls(y, dtype):
    rng = np.random.default_rng(0)
    embeddings = (rng.normal(size=(4, 30))[np.arange(160) % 4] + 0.2 * rng.normal(size=(160, 30))).astype(dtype)
    reduction = FeatMAP(**QUICK, n_components=5, metric="cosine", min_dist=0, density=0)
    caller = AsBERTopicCalls(reduction)
    reduced = caller.fit_transform(embeddings, y=y)
    assert reduced.shape == (160, 5)
    np.testing.assert_array_equal(caller.transform(embeddings[:1]), reduced[:1])
    np.testing.assert_array_equal(reduced, AsBERTopicCalls(reduction).fit_transform(embeddings))


ROWS = np.random.default_rng(0).normal(size=(60, 3))
LABELS = np.arange(60) % 3


@pytest.fixture(scope="module")
def fitted():
    return FeatMAP(**QUICK).fit(ROWS)


@pytest.mark.parametrize("way", [lambda m, y: plot.embedding(m, y), lambda m, y: plot.embedding(m, color=y)])
def test_pictures_take_labels_as_users_of_umap_learn_and_of_scanpy_give_them(way, fitted):
    assert [text.get_text() for text in way(fitted, LABELS).get_legend().get_texts()] == ["0", "1", "2"]


def test_the_name_of_a_feature_colours_by_its_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS * 1000, columns=["height", "width", "depth"])
    model = FeatMAP(**QUICK).fit(frame)
    for ax in (plot.embedding(model, color="width"), plot.embedding(model, "width")):
        (points,) = (part for part in ax.collections if part.get_array() is not None)
        np.testing.assert_allclose(np.sort(points.get_array()), np.sort(frame["width"]), rtol=1e-5)
    scaled = make_pipeline(StandardScaler().set_output(transform="pandas"), FeatMAP(**QUICK)).fit(frame)
    plot.embedding(scaled, color="depth")


def test_a_colour_that_is_no_feature_is_named(fitted):
    with pytest.raises(ValueError, match=r"labels='cell_type'.*name of a feature.*adata\.obs\['label'\]"):
        plot.embedding(fitted, color="cell_type")
    with pytest.raises(ValueError, match="give one of them"):
        plot.embedding(fitted, LABELS, color=LABELS)
