"""What a notebook shows of a fitted model and of an explanation."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP, explain
from featmap.explanation import notebook


@pytest.fixture(scope="module")
def fitted():
    return FeatMAP(n_epochs=5, random_state=0).fit(load_iris().data)


def dots(html: str) -> list[np.ndarray]:
    """The positions of the points of each layer."""
    paths = ET.fromstring(html).findall(".//path")
    return [np.array(re.findall(r"M(\d+) (\d+)h0", path.get("d")), int).reshape(-1, 2) for path in paths]


def text(html: str) -> str:
    found = []
    parser = HTMLParser()
    parser.handle_data = found.append
    parser.feed(html)
    return "".join(found)


def test_a_fitted_model_shows_its_map(fitted):
    html = fitted._repr_html_()
    (drawn,) = dots(html)
    assert len(drawn) == 150
    for axis, sign in ((0, 1), (1, -1)):  # the picture counts downwards
        assert np.corrcoef(drawn[:, axis], sign * fitted.embedding_[:, axis])[0, 1] > 0.999
    assert drawn.min() >= notebook.MARGIN
    assert drawn.max() <= notebook.SIDE - notebook.MARGIN
    assert "currentColor" in html


def test_it_says_what_is_known(fitted):
    said = text(fitted._repr_html_())
    assert "FeatMAP(n_epochs=5, random_state=0)" in said
    assert "150 rows, 4 features." in said
    assert f"by {fitted.density_correlation_:.2f} (1 is best)" in said


def test_trust_is_said_once_it_was_measured_and_not_before(monkeypatch):
    model = FeatMAP(n_epochs=5, random_state=0).fit(load_iris().data)
    with monkeypatch.context() as patch:
        patch.setattr("featmap.explanation.answers.measure_trust", pytest.fail)
        assert notebook.NOT_ASKED in text(model._repr_html_())
        model_of_others = explain(load_iris().data, model.embedding_)
        assert notebook.NOT_ASKED in text(model_of_others._repr_html_())
    assert model.trust().sentence in text(model._repr_html_())
    trust = model_of_others.trust()
    said = text(model_of_others._repr_html_())
    assert trust.sentence in said
    assert f"by {trust.density_correlation:.2f} (1 is best)" in said


def test_an_explanation_shows_its_points_on_the_whole_map(fitted):
    new = fitted.explain(load_iris().data[:3] + 0.01)
    whole, points = dots(new._repr_html_())
    assert (len(whole), len(points)) == (150, 3)
    assert "3 rows on the map of 150, 4 features." in text(new._repr_html_())
    some = explain(load_iris().data, fitted.embedding_)[[7]]
    whole, points = dots(some._repr_html_())
    assert (points == whole[7]).all()
    assert "1 row on the map of 150" in text(some._repr_html_())


def test_an_explanation_of_no_rows_shows_the_map(fitted):
    whole, points = dots(explain(load_iris().data, fitted.embedding_)[[]]._repr_html_())
    assert (len(whole), len(points)) == (150, 0)


@pytest.mark.parametrize("n_components", [1, 3])
def test_maps_of_other_dimensions(n_components, rng):
    Y = rng.normal(size=(150, n_components))
    html = explain(load_iris().data, Y)._repr_html_()
    (drawn,) = dots(html)
    assert (np.ptp(drawn, axis=0) > 0).tolist() == [True, n_components > 1]
    assert ("the first two of 3 dimensions are drawn" in text(html)) == (n_components == 3)


@pytest.mark.filterwarnings("ignore::featmap.FeatmapWarning")
def test_a_map_of_one_place_is_a_dot_in_the_middle():
    (drawn,) = dots(explain(load_iris().data, np.ones((150, 2)))._repr_html_())
    assert (drawn == notebook.SIDE // 2).all()


def test_a_large_map_is_sampled_and_stays_small(rng):
    X = rng.normal(size=(notebook.MOST_POINTS + 500, 3))
    explanation = explain(X, X[:, :2])[: notebook.MOST_POINTS + 400]
    html = explanation._repr_html_()
    assert [len(layer) for layer in dots(html)] == [notebook.MOST_POINTS] * 2
    assert len(html) < 60_000
    assert html == explanation._repr_html_()


def test_text_is_escaped():
    def metric(a, b):
        return np.abs(a - b).sum()

    metric.__qualname__ = "<script>alert(1)</script>"
    model = FeatMAP(n_epochs=5, metric=metric, random_state=0).fit(load_iris().data[:40])
    assert "<script>" in repr(model)
    html = model._repr_html_()
    assert "<script" not in html
    assert "<script>" in text(html)
    ET.fromstring(html)


def test_an_unfitted_model_has_the_diagram_of_scikit_learn():
    assert "sk-container" in FeatMAP()._repr_html_()
    assert "sk-container" in FeatMAP()._repr_mimebundle_()["text/html"]


def test_the_bundle_has_the_text_of_scikit_learn(fitted):
    bundle = fitted._repr_mimebundle_()
    assert bundle == {"text/plain": repr(fitted), "text/html": fitted._repr_html_()}


def test_set_config_is_respected(fitted):
    with config_context(display="text"):
        assert fitted._repr_mimebundle_() == {"text/plain": repr(fitted)}
        assert not hasattr(fitted, "_repr_html_")


def test_a_pipeline_keeps_its_diagram():
    pipeline = make_pipeline(StandardScaler(), FeatMAP(n_epochs=5, random_state=0)).fit(load_iris().data)
    html = pipeline._repr_html_()
    assert "sk-container" in html
    assert "FeatMAP" in html
    assert notebook.NOT_ASKED not in text(html)
