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
    "density": lambda model, labels, **options: plot.density(model, **options),
    "density of labels": lambda model, labels, **options: plot.density(model, labels, **options),
    "density of several": lambda model, labels, **options: plot.density([model, model], labels, **options),
    "embedding": lambda model, labels, **options: plot.embedding(model, labels=labels, **options),
    "why": lambda model, labels, **options: plot.why(model, 5, labels=labels, **options),
    "feature": lambda model, _, **options: plot.feature(model, 0, **options),
    "features_on_map": lambda model, _, **options: plot.features_on_map(model, **options),
    "findings": lambda model, _, **options: plot.findings(model, **options),
    "importance": lambda model, _, **options: plot.importance(model, SEVERAL, **options),
    "importance of groups": lambda model, labels, **options: plot.importance(model, labels=labels, **options),
    "local_frame": lambda model, _, **options: plot.local_frame(model, 5, **options),
    "perturbation": lambda model, _, **options: plot.perturbation(
        metrics.perturbation(model, SEVERAL, fractions=(0.1, 0.5)), **options
    ),
    "saliency": lambda model, _, **options: plot.saliency(model, 3, image_shape=(1, model.n_features_in_), **options),
    "saliency of several": lambda model, _, **options: plot.saliency(
        model, SEVERAL, image_shape=(1, model.n_features_in_), **options
    ),
}
OF_WHOLE_MAPS = {"findings", "density", "density of labels", "density of several"}
WITH_PANELS = {
    "compare",
    "contrast",
    "density of several",
    "why",
    "local_frame",
    "saliency of several",
}
OF_RESULTS = {"contrast", "perturbation"}
each = pytest.mark.parametrize("name", DRAWINGS)


def test_public_names():
    assert plot.__all__ == sorted({name.split()[0] for name in DRAWINGS})
    assert all(inspect.isfunction(getattr(plot, name)) for name in plot.__all__)


@pytest.mark.parametrize("name", plot.__all__)
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
    "density": ["model", "labels"],
    "embedding": ["model", "labels"],
    "why": ["model", "row"],
    "feature": ["model", "feature"],
    "features_on_map": ["model"],
    "findings": ["model"],
    "importance": ["model", "rows"],
    "local_frame": ["model", "row"],
    "perturbation": ["result"],
    "saliency": ["model", "rows", "image_shape"],
}


@pytest.mark.parametrize("name", plot.__all__)
def test_what_is_drawn_is_given_by_position_and_how_by_name(name):
    parameters = inspect.signature(getattr(plot, name)).parameters.values()
    by_position = [one.name for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert by_position == POSITIONAL[name]


def test_ipython_itself_prints_nothing(model):
    formatters = pytest.importorskip("IPython.core.formatters")
    assert formatters.DisplayFormatter().format(plot.embedding(model)) == ({}, {})
    assert formatters.DisplayFormatter().format(pyplot.figure().add_subplot()) != ({}, {})


@each
def test_draws_into_the_axes_given_prints_nothing_and_leaves_settings_alone(model, labels, name, capsys):
    """IPython calls `_ipython_display_`, if an object has it, and prints nothing of its own then."""
    figure, (given, other) = pyplot.subplots(1, 2)
    settings = dict(matplotlib.rcParams)
    assert DRAWINGS[name](model, labels, ax=given) is given
    assert pyplot.get_fignums() == [figure.number]
    assert given.has_data() or all(panel.has_data() for panel in given.child_axes)
    assert bool(given.child_axes) >= (name in WITH_PANELS)
    assert not other.has_data()
    assert not other.child_axes
    assert dict(matplotlib.rcParams) == settings
    assert given._ipython_display_() is None
    assert capsys.readouterr().out == ""


@each
def test_a_new_figure_is_not_shown_can_be_pickled_and_goes_when_its_axes_are_cleared(
    model, labels, name, monkeypatch, capsys
):
    monkeypatch.setattr(pyplot, "show", lambda *_, **__: pytest.fail("shown"))
    ax = DRAWINGS[name](model, labels)
    assert pyplot.get_fignums() == [ax.figure.number]
    assert ax._ipython_display_() is None
    assert capsys.readouterr().out == ""
    copy = pickle.loads(pickle.dumps(ax.figure))
    image = pixels(ax)
    assert image.std() > 5
    assert_within_figure(ax)
    assert np.array_equal(pixels(copy.axes[0]), image)
    ax.clear()
    assert not ax.child_axes
    assert not ax.has_data()


def assert_within_figure(ax):
    """Panels and the text around them are within the figure, up to one pixel of rounding."""
    box, page = ax.get_tightbbox(), ax.figure.bbox
    assert (box.min >= page.min - 1).all()
    assert (box.max <= page.max + 1).all()


def draw(name, model, labels):
    """Call the function with nothing but the arguments that it requires."""
    function = getattr(plot, name.split()[0])
    if name == "importance of groups":
        return function(model, labels=labels)
    if name.startswith("saliency"):
        return function(model, 3 if name == "saliency" else SEVERAL, (8, 8))
    if name in ("arrow_field", "feature", "why", "local_frame"):
        return function(model, 0)
    return function({"compare": {"one": model}, "density of several": [model]}.get(name, model))


OF_MODELS = sorted(set(DRAWINGS) - OF_RESULTS)


@pytest.mark.parametrize("name", OF_MODELS)
def test_needs_a_fitted_model(name, labels):
    with pytest.raises(NotFittedError):
        draw(name, FeatMAP(), labels)


@pytest.mark.parametrize("name", sorted(set(DRAWINGS) - {"compare"}))
def test_anything_else_is_refused_by_name(name, labels):
    message = r"\((model|result)=…\): \1 must be .*; got str"
    with pytest.raises(InvalidParameterError, match=f"^{name.split()[0]}{message}"):
        draw(name, "a model", labels)


@pytest.mark.parametrize("name", OF_MODELS)
def test_a_pipeline_is_drawn_as_its_last_step(model, labels, name):
    drawn = draw(name, make_pipeline(FunctionTransformer(), model), labels)
    assert np.array_equal(pixels(drawn), pixels(draw(name, model, labels)))


@pytest.mark.parametrize("name", sorted(set(OF_MODELS) - {"compare"}))
def test_a_pipeline_must_end_in_a_fitted_featmap(model, labels, name):
    message = r"\(model=pipeline\): pipeline\[-1\] must be a fitted FeatMAP; got FunctionTransformer$"
    with pytest.raises(InvalidParameterError, match=f"^{name.split()[0]}{message}"):
        draw(name, make_pipeline(model, FunctionTransformer()), labels)
    with pytest.raises(NotFittedError):
        draw(name, make_pipeline(FeatMAP()), labels)


@pytest.fixture(scope="module")
def explanation(model, digits):
    return explain(digits[:N_ROWS], model.embedding_)


@each
def test_explanations_are_drawn_as_models_are(model, explanation, digits, labels, name):
    assert pixels(DRAWINGS[name](explanation, labels)).std() > 5
    if name not in OF_RESULTS | OF_WHOLE_MAPS:
        new = model.explain(digits[N_ROWS : N_ROWS + 40])
        assert pixels(DRAWINGS[name](new, np.arange(40) % 3)).std() > 5


@pytest.mark.parametrize("name", sorted(OF_WHOLE_MAPS - {"findings"}))
def test_density_is_that_of_a_whole_map(model, explanation, digits, name):
    for part in (explanation[:9], explanation[::-1], model.explain(digits[N_ROWS : N_ROWS + 40])):
        with pytest.raises(
            InvalidParameterError, match=r"^density\(model=…\): .* all rows of its map, in their order"
        ):
            DRAWINGS[name](part, None)


@pytest.mark.parametrize("row", [N_ROWS, -N_ROWS - 1, 1.5, None, [1, 2]])
@pytest.mark.parametrize("name", ["local_frame", "why"])
def test_a_row_that_is_not_there_is_named(model, name, row):
    with pytest.raises(InvalidParameterError, match=rf"^{name}\(row="):
        getattr(plot, name)(model, row)


@pytest.mark.parametrize("rows", [N_ROWS, [], [1.5], "all", [[1, 2]], np.zeros(N_ROWS, bool), np.ones(3, bool)])
@pytest.mark.parametrize("name", ["importance", "saliency"])
def test_rows_that_are_not_there_are_named(model, name, rows):
    with pytest.raises(InvalidRowsError, match=rf"^{name}\(rows=…\): "):
        getattr(plot, name)(model, rows, **({"image_shape": (8, 8)} if name == "saliency" else {}))


WITH_K = ["contrast", "why", "features_on_map", "importance", "importance of groups", "local_frame"]


@pytest.mark.parametrize("k", [0, -1, 101, 2.5, True, "ten"])
@pytest.mark.parametrize("name", WITH_K)
def test_k_must_be_a_number_of_names_one_can_read(model, labels, name, k):
    with pytest.raises(InvalidParameterError, match=rf"^{name.split()[0]}\(k=.*\): k must be an integer from 1 to "):
        DRAWINGS[name](model, labels, k=k)


@pytest.mark.parametrize("name", ["arrow_field", "why", "local_frame"])
def test_a_kind_of_arrows_must_be_known(model, labels, name):
    message = r"\(kind='random'\): kind must be one of 'blend', 'tangent', 'frame', 'map'"
    with pytest.raises(InvalidParameterError, match=f"^{name}{message}"):
        DRAWINGS[name](model, labels, kind="random")


@pytest.mark.parametrize("name", [*WITH_K, "arrow_field", "feature"])
def test_names_are_one_per_feature_and_odd_ones_are_written_as_they_are_and_fit(model, labels, name):
    message = r"\(feature_names=…\): feature_names must have .*, 64; got 2"
    with pytest.raises(InvalidParameterError, match=f"^{name.split()[0]}{message}"):
        DRAWINGS[name](model, labels, feature_names=["a", "b"])
    names = [f"größe_$\\{'x' * 150}_{feature}_µm²" for feature in range(64)]
    ax = DRAWINGS[name](model, labels, feature_names=names)
    pixels(ax)
    written = [text.get_text() for text in ax.findobj(matplotlib.text.Text)]
    assert any("größe" in text and "…" in text and "µm²" in text for text in written)
    assert not any("x" * 80 in text for text in written)
    assert_within_figure(ax)


# Sizes


@pytest.fixture(scope="module")
def seventy_thousand():
    """An explanation, because a fit of 70,000 rows would take too long."""
    rows = np.random.default_rng(0).normal(size=(70_000, 5)).astype(np.float32)
    return explain(rows, rows[:, :2])


@pytest.fixture(
    scope="module",
    params=[(20, 4), (70_000, 5), (100, 1), (100, 2_000)],
    ids=["few rows", "many rows", "one feature", "many features"],
)
def of_any_size(request):
    if request.param == (70_000, 5):
        return request.getfixturevalue("seventy_thousand")
    return FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=request.param))


@each
def test_any_size_is_drawn(of_any_size, name):
    ax = DRAWINGS[name](of_any_size, np.arange(len(of_any_size.embedding_)) % 3)
    assert pixels(ax).std() > 2
    assert_within_figure(ax)
