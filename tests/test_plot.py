"""What all functions of featmap.plot have in common: Axes, models, sizes, names of features."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from drawn import pixels
from featmap import FeatMAP, InvalidParameterError, InvalidRowsError, MissingExtraError, explain, metrics, plot

N_ROWS = 300


# The package


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "featmap.plot")
    with pytest.raises(MissingExtraError, match=r"^featmap\.plot needs matplotlib: pip install 'featmap\[plot\]'$"):
        importlib.import_module("featmap.plot")


SEVERAL = [1, 3, 5]
# One call of each function, for a model or an explanation of any size and one label per row.
DRAWINGS = {
    "arrow_field": lambda model, _, **options: plot.arrow_field(model, 0, **options),
    "compare": lambda model, labels, **options: plot.compare(
        {"one": model, "two": model.embedding_}, labels=labels, **options
    ),
    "consistency": lambda model, _, **options: plot.consistency(model, **options),
    "contrast": lambda model, labels, **options: plot.contrast(
        model.contrast(labels == labels[0], n_permutations=5), **options
    ),
    "density": lambda model, _, **options: plot.density(model, **options),
    "density_strip": lambda model, labels, **options: plot.density_strip([model, model], labels=labels, **options),
    "embedding": lambda model, labels, **options: plot.embedding(model, labels=labels, **options),
    "why": lambda model, labels, **options: plot.why(model, 5, labels=labels, **options),
    "feature": lambda model, _, **options: plot.feature(model, 0, **options),
    "features_on_map": lambda model, _, **options: plot.features_on_map(model, **options),
    "importance_bar": lambda model, _, **options: plot.importance_bar(model, SEVERAL, **options),
    "importance_heatmap": lambda model, labels, **options: plot.importance_heatmap(model, labels, **options),
    "local_frame": lambda model, _, **options: plot.local_frame(model, 5, **options),
    "perturbation": lambda model, _, **options: plot.perturbation(
        metrics.perturbation(model, SEVERAL, fractions=(0.1, 0.5)), **options
    ),
    "saliency": lambda model, _, **options: plot.saliency(model, 3, image_shape=(1, model.n_features_in_), **options),
    "saliency_montage": lambda model, _, **options: plot.saliency_montage(
        model, SEVERAL, image_shape=(1, model.n_features_in_), **options
    ),
}
FITTED_ONLY = {"density", "density_strip"}
WITH_PANELS = {"compare", "contrast", "density", "density_strip", "why", "local_frame", "saliency_montage"}
OF_RESULTS = {"contrast", "perturbation"}
IMAGES = {"saliency": {"image_shape": (8, 8)}, "saliency_montage": {"image_shape": (8, 8)}}
each = pytest.mark.parametrize("name", DRAWINGS)


def test_public_names():
    assert plot.__all__ == sorted(DRAWINGS)
    assert all(inspect.isfunction(getattr(plot, name)) for name in plot.__all__)


@each
def test_docstrings_have_every_parameter_with_its_type_and_default(name):
    function = getattr(plot, name)
    sections = dict(zip(*[iter(re.split(r"\n(\w+)\n-+\n", inspect.getdoc(function))[1:])] * 2, strict=True))
    assert list(sections) == ["Parameters", "Returns", "Examples"]
    documented = dict(re.findall(r"^(\w+) : (.+)$", sections["Parameters"], re.MULTILINE))
    parameters = inspect.signature(function).parameters
    assert list(documented) == list(parameters)
    for parameter, written in documented.items():
        default = re.search("default=(.+)$", written)
        expected = parameters[parameter].default
        assert (default[1].strip('"') if default else inspect.Parameter.empty) in (expected, str(expected))


POSITIONAL = {
    "arrow_field": ["model", "feature"],
    "compare": ["maps", "labels"],
    "consistency": ["model"],
    "contrast": ["result"],
    "density": ["model"],
    "density_strip": ["models", "labels"],
    "embedding": ["model", "labels"],
    "why": ["model", "row"],
    "feature": ["model", "feature"],
    "features_on_map": ["model"],
    "importance_bar": ["model", "rows"],
    "importance_heatmap": ["model", "labels"],
    "local_frame": ["model", "row"],
    "perturbation": ["result"],
    "saliency": ["model", "row", "image_shape"],
    "saliency_montage": ["model", "rows", "image_shape"],
}


@each
def test_what_is_drawn_is_given_by_position_and_how_by_name(name):
    parameters = inspect.signature(getattr(plot, name)).parameters.values()
    by_position = [one.name for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert by_position == POSITIONAL[name]


@each
def test_notebooks_print_nothing_above_the_figure(model, labels, name, capsys):
    """IPython calls `_ipython_display_`, if an object has it, and prints nothing of its own then."""
    for ax in (DRAWINGS[name](model, labels), DRAWINGS[name](model, labels, ax=pyplot.figure().add_subplot())):
        assert ax._ipython_display_() is None
    assert capsys.readouterr().out == ""


def test_ipython_itself_prints_nothing(model):
    formatters = pytest.importorskip("IPython.core.formatters")
    assert formatters.DisplayFormatter().format(plot.embedding(model)) == ({}, {})
    assert formatters.DisplayFormatter().format(pyplot.figure().add_subplot()) != ({}, {})


@each
def test_figures_can_be_pickled(model, labels, name):
    ax = DRAWINGS[name](model, labels)
    copy = pickle.loads(pickle.dumps(ax.figure))
    assert np.array_equal(pixels(copy.axes[0]), pixels(ax))


@each
def test_draws_into_the_axes_given_and_leaves_settings_alone(model, labels, name):
    figure, (given, other) = pyplot.subplots(1, 2)
    settings = dict(matplotlib.rcParams)
    assert DRAWINGS[name](model, labels, ax=given) is given
    assert pyplot.get_fignums() == [figure.number]
    assert given.has_data() or all(panel.has_data() for panel in given.child_axes)
    assert bool(given.child_axes) >= (name in WITH_PANELS)
    assert not other.has_data()
    assert not other.child_axes
    assert dict(matplotlib.rcParams) == settings


@each
def test_makes_a_figure_where_none_is_given_and_does_not_show_it(model, labels, name, monkeypatch):
    monkeypatch.setattr(pyplot, "show", lambda *_, **__: pytest.fail("shown"))
    ax = DRAWINGS[name](model, labels)
    assert pyplot.get_fignums() == [ax.figure.number]
    assert pixels(ax).std() > 5
    assert_within_figure(ax)


@each
def test_pictures_go_when_their_axes_are_cleared(model, labels, name):
    ax = DRAWINGS[name](model, labels)
    ax.clear()
    assert not ax.child_axes
    assert not ax.has_data()


def assert_within_figure(ax):
    """Panels and the text around them are within the figure, up to one pixel of rounding."""
    box, page = ax.get_tightbbox(), ax.figure.bbox
    assert box.x0 >= page.x0 - 1
    assert box.x1 <= page.x1 + 1
    assert box.y0 >= page.y0 - 1
    assert box.y1 <= page.y1 + 1


@pytest.mark.parametrize("name", sorted(set(DRAWINGS) - OF_RESULTS))
def test_needs_a_fitted_model(name, labels):
    with pytest.raises(NotFittedError):
        getattr(plot, name)(*arguments(name, FeatMAP(), labels), **IMAGES.get(name, {}))


@pytest.mark.parametrize("name", sorted(set(DRAWINGS) - {"compare", "density_strip"}))
def test_anything_else_is_refused_by_name(name, labels):
    with pytest.raises(
        InvalidParameterError, match=rf"^{name}\((model|result)=…\): (model|result) must be .*; got str"
    ):
        getattr(plot, name)(*arguments(name, "a model", labels), **IMAGES.get(name, {}))


def arguments(name, model, labels):
    """Return the arguments that the function requires."""
    if name in ("compare", "density_strip"):
        return [{"one": model}] if name == "compare" else [[model]]
    if name in ("consistency", "contrast", "density", "embedding", "features_on_map", "perturbation"):
        return [model]
    return [model, labels if name == "importance_heatmap" else 0]


OF_MODELS = sorted(set(DRAWINGS) - OF_RESULTS)


@pytest.mark.parametrize("name", OF_MODELS)
def test_a_pipeline_is_drawn_as_its_last_step(model, labels, name):
    pipeline = make_pipeline(FunctionTransformer(), model)
    given = arguments(name, pipeline, labels)
    taken_apart = arguments(name, model, labels)
    drawn = getattr(plot, name)(*given, **IMAGES.get(name, {}))
    expected = getattr(plot, name)(*taken_apart, **IMAGES.get(name, {}))
    assert np.array_equal(pixels(drawn), pixels(expected))


@pytest.mark.parametrize("name", sorted(set(OF_MODELS) - {"compare"}))
def test_a_pipeline_must_end_in_a_fitted_featmap(model, labels, name):
    scaled = make_pipeline(model, FunctionTransformer())
    message = rf"^{name}\(models?=pipeline\): pipeline\[-1\] must be a fitted FeatMAP; got FunctionTransformer$"
    with pytest.raises(InvalidParameterError, match=message):
        getattr(plot, name)(*arguments(name, scaled, labels), **IMAGES.get(name, {}))
    with pytest.raises(NotFittedError):
        getattr(plot, name)(*arguments(name, make_pipeline(FeatMAP()), labels), **IMAGES.get(name, {}))


@pytest.fixture(scope="module")
def explanation(model, digits):
    return explain(digits[:N_ROWS], model.embedding_)


@pytest.mark.parametrize("name", sorted(set(DRAWINGS) - FITTED_ONLY))
def test_explanations_are_drawn_as_models_are(explanation, labels, name):
    assert pixels(DRAWINGS[name](explanation, labels)).std() > 5


@pytest.mark.parametrize("name", sorted(set(DRAWINGS) - FITTED_ONLY - {"contrast", "perturbation"}))
def test_explanations_of_new_rows_are_drawn_too(model, digits, name):
    new = model.explain(digits[N_ROWS : N_ROWS + 40])
    assert pixels(DRAWINGS[name](new, np.arange(40) % 3)).std() > 5


@pytest.mark.parametrize("name", sorted(FITTED_ONLY))
def test_density_is_that_of_a_fitted_map(explanation, labels, name):
    with pytest.raises(
        InvalidParameterError, match=rf"^{name}\((models?)=…\): \1 must be a fitted FeatMAP.*Explanation"
    ):
        DRAWINGS[name](explanation, labels)


@pytest.mark.parametrize("row", [N_ROWS, -N_ROWS - 1, 1.5, None, [1, 2]])
@pytest.mark.parametrize("name", ["local_frame", "why", "saliency"])
def test_a_row_that_is_not_there_is_named(model, name, row):
    with pytest.raises(InvalidParameterError, match=rf"^{name}\(row="):
        getattr(plot, name)(model, row, **IMAGES.get(name, {}))


@pytest.mark.parametrize("rows", [N_ROWS, [], [1.5], "all", [[1, 2]], np.zeros(N_ROWS, bool), np.ones(3, bool)])
@pytest.mark.parametrize("name", ["importance_bar", "saliency_montage"])
def test_rows_that_are_not_there_are_named(model, name, rows):
    with pytest.raises(InvalidRowsError, match=rf"^{name}\(rows=…\): "):
        getattr(plot, name)(model, rows, **IMAGES.get(name, {}))


@pytest.mark.parametrize("k", [0, -1, 101, 2.5, True, "ten"])
@pytest.mark.parametrize(
    "name", ["contrast", "why", "features_on_map", "importance_bar", "importance_heatmap", "local_frame"]
)
def test_k_must_be_a_number_of_names_one_can_read(model, labels, name, k):
    with pytest.raises(InvalidParameterError, match=rf"^{name}\(k=.*\): k must be an integer from 1 to "):
        DRAWINGS[name](model, labels, k=k)


@pytest.mark.parametrize("name", ["arrow_field", "why", "local_frame"])
def test_a_kind_of_arrows_must_be_known(model, labels, name):
    with pytest.raises(
        InvalidParameterError,
        match=rf"^{name}\(kind='random'\): kind must be one of 'blend', 'tangent', 'frame', 'map'",
    ):
        DRAWINGS[name](model, labels, kind="random")


NAMED = [
    "arrow_field",
    "contrast",
    "why",
    "feature",
    "features_on_map",
    "importance_bar",
    "importance_heatmap",
    "local_frame",
]


@pytest.mark.parametrize("name", NAMED)
def test_names_must_be_one_per_feature(model, labels, name):
    with pytest.raises(
        InvalidParameterError, match=rf"^{name}\(feature_names=…\): feature_names must have .*, 64; got 2"
    ):
        DRAWINGS[name](model, labels, feature_names=["a", "b"])


@pytest.mark.parametrize("name", NAMED)
def test_odd_names_are_written_as_they_are_and_fit(model, labels, name):
    names = [f"größe_$\\{'x' * 150}_{feature}_µm²" for feature in range(64)]
    ax = DRAWINGS[name](model, labels, feature_names=names)
    pixels(ax)
    written = [text.get_text() for text in ax.findobj(matplotlib.text.Text)]
    assert any("größe" in text and "…" in text and "µm²" in text for text in written)
    assert not any("x" * 80 in text for text in written)
    assert_within_figure(ax)


# Sizes


@pytest.fixture(scope="module")
def twenty():
    return FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=(20, 4)))


@pytest.fixture(scope="module")
def two_thousand():
    return FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=(2_000, 4)))


@pytest.fixture(scope="module")
def seventy_thousand():
    """An explanation with the radii of a fitted model, because a fit of 70,000 rows would take too long."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(70_000, 5)).astype(np.float32)
    model = explain(rows, rows[:, :2])
    model.radii_, model.embedding_radii_ = rng.normal(size=(2, 70_000, 2))
    model.density_correlation_, model.density_weight = np.zeros(2), 0.5
    return model


@pytest.fixture(scope="module")
def one_feature():
    return FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=(100, 1)))


@pytest.fixture(scope="module")
def two_thousand_features():
    return FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=(100, 2_000)))


@each
@pytest.mark.parametrize(
    "size", ["twenty", "two_thousand", "seventy_thousand", "one_feature", "two_thousand_features"]
)
def test_any_size_is_drawn(size, name, request):
    subject = request.getfixturevalue(size)
    labels = np.arange(len(subject.embedding_)) % 3
    ax = DRAWINGS[name](subject, labels)
    assert pixels(ax).std() > 2
    assert_within_figure(ax)
