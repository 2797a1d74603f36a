"""The map and its colours."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb, to_rgba
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline

from drawn import colour_at, legend_names, overlapping, pixels, scatters, with_embedding
from featmap import InvalidDataError, InvalidParameterError, plot
from featmap.plot.parts.palette import COLOURS, MARKERS, N_STYLES, NEUTRAL, style

N_ROWS = 300


def test_map_has_every_point_once_undistorted_without_ticks(model):
    ax = plot.embedding(model)
    (points,) = scatters(ax)
    drawn = np.asarray(points.get_offsets())
    assert np.array_equal(np.sort(drawn, axis=0), np.sort(model.embedding_, axis=0))
    assert ax.get_legend() is None
    assert not len(ax.get_xticks())
    assert not len(ax.get_yticks())
    pixels(ax)
    (x0, y0), (x1, y1) = ax.transData.transform([(0, 0), (1, 1)])
    # matplotlib lets half a percent pass when it adjusts limits.
    assert x1 - x0 == pytest.approx(y1 - y0, rel=0.006)


def test_categories_have_their_colour_and_a_legend_beside_the_map(model, labels):
    ax = plot.embedding(model, labels=labels)
    assert legend_names(ax) == [str(digit) for digit in range(10)]
    for row in range(0, N_ROWS, 17):
        assert colour_at(ax, model.embedding_[row]) == to_rgba(COLOURS[labels[row]])
    pixels(ax)
    legend, map_ = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.x0 >= map_.x1
    assert legend.x1 <= ax.figure.bbox.x1
    assert legend.y0 >= ax.figure.bbox.y0


def test_legend_of_many_categories_leaves_the_map_its_size(model):
    plain = plot.embedding(model)
    crowded = plot.embedding(model, labels=[f"a category with a long name {row % 100}" for row in range(N_ROWS)])
    pixels(plain), pixels(crowded)
    assert crowded.get_window_extent().width > 0.9 * plain.get_window_extent().width
    assert crowded.get_legend().get_window_extent().x1 <= crowded.figure.bbox.x1


def test_more_categories_than_colours_differ_by_marker(model):
    n_categories = 2 * len(COLOURS) + 3
    ax = plot.embedding(model, labels=[f"kind {row % n_categories}" for row in range(N_ROWS)])
    handles = [(line.get_color(), line.get_marker()) for line in ax.get_legend().get_lines()]
    assert len(set(handles)) == n_categories
    assert len(scatters(ax)) == 3
    assert sum(len(points.get_offsets()) for points in scatters(ax)) == N_ROWS


def test_categories_beyond_all_styles_are_joined(model):
    labels = ["often"] * (N_ROWS - N_STYLES) + [f"once {number}" for number in range(N_STYLES)]
    ax = plot.embedding(model, labels=labels)
    names = legend_names(ax)
    assert len(names) == N_STYLES + 1
    assert "often" in names
    assert names[-1] == "other"
    left_out = f"once {N_STYLES - 1}"
    assert left_out not in names
    assert colour_at(ax, model.embedding_[-1]) == to_rgba(NEUTRAL)


def test_names_are_taken_literally_and_sorted_as_people_do(model):
    ax = plot.embedding(model, labels=[f"_{'$'} größe {row % 11}" for row in range(N_ROWS)])
    pixels(ax)
    assert legend_names(ax) == [f"_$ größe {number}" for number in range(11)]


def test_order_and_name_of_a_pandas_column_are_kept(model):
    names = ["low", "high", "absent"]
    column = pd.Series(pd.Categorical(["high", "low"] * (N_ROWS // 2), categories=names), name="dose_$")
    ax = plot.embedding(model, labels=column)
    assert legend_names(ax) == ["low", "high"]
    assert ax.get_legend().get_title().get_text() == "dose_$"


def test_missing_categories_are_grey_and_last_in_the_legend(model):
    labels = np.array(["a", None, np.nan] * (N_ROWS // 3), dtype=object)
    ax = plot.embedding(model, labels=labels)
    assert legend_names(ax) == ["a", "missing"]
    assert colour_at(ax, model.embedding_[0]) == to_rgba(COLOURS[0])
    assert colour_at(ax, model.embedding_[1]) == to_rgba(NEUTRAL)
    assert colour_at(ax, model.embedding_[2]) == to_rgba(NEUTRAL)


def test_noise_label_of_clusterings_comes_first(model):
    assert legend_names(plot.embedding(model, labels=np.arange(N_ROWS) % 3 - 1)) == ["-1", "0", "1"]


@pytest.mark.parametrize("values", [np.linspace(0, 1, N_ROWS), np.arange(N_ROWS)], ids=["floats", "many integers"])
def test_numbers_have_a_colour_bar(model, values):
    ax = plot.embedding(model, labels=pd.Series(values, name="dose"))
    assert ax.get_legend() is None
    bar = next(other for other in ax.figure.axes if other is not ax)
    assert bar.get_ylabel() == "dose"
    viridis = matplotlib.colormaps["viridis"]
    pixels(ax)
    assert colour_at(ax, model.embedding_[0]) == pytest.approx(viridis(0.0))
    assert colour_at(ax, model.embedding_[-1]) == pytest.approx(viridis(1.0))


@pytest.mark.parametrize("known", [0, 1, 200])
def test_missing_numbers_are_grey(model, known):
    values = np.full(N_ROWS, np.nan)
    values[:known] = np.arange(known)
    ax = plot.embedding(model, labels=values)
    assert pixels(ax).std() > 5
    assert colour_at(ax, model.embedding_[-1]) == to_rgba(NEUTRAL)
    assert next(other for other in ax.figure.axes if other is not ax).get_ylabel() == "grey: missing"


@pytest.mark.parametrize("labels", [[1, 2], np.zeros((N_ROWS, 2))])
def test_labels_must_be_one_per_row(model, labels):
    with pytest.raises(InvalidDataError, match=rf"labels.*{N_ROWS}"):
        plot.embedding(model, labels=labels)


@pytest.mark.parametrize("n_points", [1, 20, 2_000, 30_000])
def test_points_are_visible_and_leave_room_at_any_number(model, n_points, rng):
    ax = plot.embedding(with_embedding(model, rng.uniform(size=(n_points, 2))))
    inked = (255 - pixels(ax)[..., 0].astype(float)).mean() / 255  # the only colour has no red
    assert 1e-5 < inked < 0.3
    assert scatters(ax)[0].get_rasterized() == (n_points > 20_000)


def test_no_category_is_hidden_by_another(model, rng):
    embedding = rng.normal(size=(20_000, 2))
    image = pixels(plot.embedding(with_embedding(model, embedding), labels=np.repeat(["a", "b"], 10_000)))
    seen = [np.abs(image - np.multiply(to_rgb(colour), 255)).max(axis=2) < 30 for colour in COLOURS[:2]]
    assert seen[0].sum() == pytest.approx(seen[1].sum(), rel=0.25)


def test_a_map_of_one_dimension_is_a_histogram_of_points(model, rng):
    along = np.sort(rng.normal(size=(200, 1)), axis=0)
    ax = plot.embedding(with_embedding(model, along), labels=np.arange(200) % 2)
    (points,) = scatters(ax)
    x, height = np.asarray(points.get_offsets()).T
    assert np.array_equal(np.sort(x), along[:, 0].astype(np.float32))
    assert len(np.unique(np.column_stack([x, height]), axis=0)) == 200
    assert 3 < height.max() < 60
    assert "dimension" in ax.get_xlabel()


def test_a_map_of_more_dimensions_says_which_are_drawn(model, rng):
    embedding = rng.normal(size=(50, 4)).astype(np.float32)
    ax = plot.embedding(with_embedding(model, embedding))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("map dimension 1 of 4", "map dimension 2 of 4")
    assert colour_at(ax, embedding[7, :2])


# Simulated colour blindness: Machado, Oliveira and Fernandes 2009, in linear RGB.
COLOUR_VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def oklab(linear):
    """Ottosson's perceptual space, in which distances are differences seen."""
    to_cones = [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
    to_lab = [[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]]
    return np.cbrt(np.clip(linear, 0, 1) @ np.transpose(to_cones)) @ np.transpose(to_lab)


@pytest.mark.parametrize("vision", COLOUR_VISION)
def test_colours_are_told_apart_with_any_colour_vision(vision):
    rgb = np.array([to_rgb(colour) for colour in [*COLOURS, "white"]])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = oklab(linear @ np.transpose(COLOUR_VISION[vision]))
    distances = np.linalg.norm(seen[:, None] - seen, axis=2)[np.triu_indices(len(seen), 1)]
    # Okabe and Ito's own eight colours reach 0.076.
    assert distances.min() > (0.12 if vision == "normal" else 0.07)


def test_styles_are_all_different():
    assert len({style(code) for code in range(N_STYLES)}) == N_STYLES == len(COLOURS) * len(MARKERS)


# The map coloured by one number per row


def bar_label(ax):
    return next(other for other in ax.figure.axes if other is not ax).get_ylabel()


def test_a_feature_colours_the_map_by_its_importance(model):
    ax = plot.feature(model, 20)
    (points,) = scatters(ax)
    importance = model.feature_importance()[:, 20]
    assert np.allclose(np.sort(points.get_array()), np.sort(importance))
    pixels(ax)
    viridis = matplotlib.colormaps["viridis"]
    for row in (importance.argmax(), importance.argmin()):
        assert colour_at(ax, model.embedding_[row]) == pytest.approx(viridis(importance[row] / importance.max()))
    assert ax.get_title() == "Importance of feature 20"
    assert bar_label(ax) == "importance"


def test_a_feature_colours_the_map_by_its_values(model, digits):
    values = digits[:N_ROWS, 20].copy()
    values[4] = np.nan
    ax = plot.feature(model, -44, values=values)
    pixels(ax)
    viridis = matplotlib.colormaps["viridis"]
    assert colour_at(ax, model.embedding_[0]) == pytest.approx(viridis(values[0] / np.nanmax(values)))
    assert colour_at(ax, model.embedding_[4]) == to_rgba(NEUTRAL)
    assert ax.get_title() == "Values of feature 20"
    assert bar_label(ax) == "value · grey: missing"


def test_a_feature_is_found_by_its_name(model):
    names = [f"pixel_{column}$" for column in range(64)]
    by_name, by_number = plot.feature(model, "pixel_9$", feature_names=names), plot.feature(model, 9)
    assert by_name.get_title() == "Importance of pixel_9$"
    assert np.array_equal(scatters(by_name)[0].get_array(), scatters(by_number)[0].get_array())


@pytest.mark.parametrize("function", ["feature", "arrow_field"])
@pytest.mark.parametrize("feature", [64, -65, 1.5, True, None, "height"])
def test_a_feature_that_is_not_there_is_named(model, function, feature):
    with pytest.raises(InvalidParameterError, match=rf"^{function}\(feature={feature!r}\): "):
        getattr(plot, function)(model, feature)


def test_a_name_that_two_features_share_is_refused(model):
    with pytest.raises(
        InvalidParameterError, match=r"^feature\(feature='twice'\): feature must be .*; 2 features have this name"
    ):
        plot.feature(model, "twice", feature_names=["twice", "twice", *map(str, range(62))])


@pytest.mark.parametrize("values", [[1, 2], np.zeros((N_ROWS, 2)), ["a"] * N_ROWS])
def test_values_must_be_one_number_per_row(model, values):
    with pytest.raises(InvalidParameterError, match=r"^feature\(values=…\): values must be"):
        plot.feature(model, 0, values=values)


def test_consistency_colours_the_map(model):
    ax = plot.consistency(model)
    (points,) = scatters(ax)
    consistency = model.consistency()
    assert np.allclose(np.sort(points.get_array()), np.sort(consistency))
    pixels(ax)
    lowest = colour_at(ax, model.embedding_[consistency.argmin()])
    assert lowest == pytest.approx(matplotlib.colormaps["viridis"](0.0))
    assert bar_label(ax).startswith("mean cos Θ")


def test_points_without_directions_are_grey(model_with_copies):
    ax = plot.consistency(model_with_copies)
    assert colour_at(ax, model_with_copies.embedding_[0]) == to_rgba(NEUTRAL)
    assert bar_label(ax).endswith("grey: missing")


DRAWN_BY_SAMPLE = {
    "consistency": plot.consistency,
    "feature": lambda model, **options: plot.feature(model, 0, **options),
}


@pytest.mark.parametrize("draw", DRAWN_BY_SAMPLE.values(), ids=DRAWN_BY_SAMPLE)
def test_a_sample_of_many_points_is_coloured_on_all_of_them(model, monkeypatch, draw):
    monkeypatch.setattr("featmap.plot.parts.sample.some_of.__defaults__", (100,))
    ax = draw(model, ax=pyplot.subplots(figsize=(2, 2))[1])
    mapped, sample = scatters(ax)
    assert len(mapped.get_offsets()) == N_ROWS
    assert len(sample.get_offsets()) == 100
    assert ax.get_xlabel() == "100 of 300 points are coloured"
    assert sample.get_sizes()[0] > mapped.get_sizes()[0]
    assert sample.get_zorder() > mapped.get_zorder()


# Several maps


def test_maps_are_compared_by_name_in_the_same_colours(model, labels):
    other = np.random.default_rng(0).normal(size=(N_ROWS, 2))
    ax = plot.compare({"of $_digits": model, "random": other, "a list": other.tolist()}, labels=labels)
    pixels(ax)
    assert [panel.get_title() for panel in ax.child_axes] == ["of $_digits", "random", "a list"]
    for row in (0, 100, 299):
        expected = to_rgba(COLOURS[labels[row]])
        assert colour_at(ax.child_axes[0], model.embedding_[row]) == expected
        assert colour_at(ax.child_axes[1], other[row]) == expected
    assert legend_names(ax) == [str(digit) for digit in range(10)]
    assert ax.get_legend().get_window_extent().x0 >= max(panel.get_window_extent().x1 for panel in ax.child_axes)


def test_numbers_have_one_scale_and_one_bar_for_all_maps(model):
    values = pd.Series(np.linspace(-3, 5, N_ROWS), name="dose")
    ax = plot.compare({"one": model, "two": model}, labels=values)
    pixels(ax)
    *panels, bar = ax.child_axes
    assert len(panels) == 2
    assert bar.get_ylabel() == "dose"
    for panel in panels:
        assert colour_at(panel, model.embedding_[0]) == pytest.approx(matplotlib.colormaps["viridis"](0.0))
        assert [points.get_clim() for points in scatters(panel)] == [(-3, 5)]


@pytest.mark.parametrize("n_maps", [1, 2, 3, 5, 7, 12, 36])
def test_panels_do_not_overlap(model, n_maps):
    ax = plot.compare({f"map {number}": model.embedding_ for number in range(n_maps)})
    pixels(ax)
    assert len(ax.child_axes) == n_maps
    boxes = [panel.get_tightbbox() for panel in ax.child_axes]
    assert not overlapping(boxes)
    assert min(box.width for box in boxes) > 80


def test_maps_of_other_dimensions_are_drawn_by_two_and_say_so(model, rng):
    ax = plot.compare({"one": model.embedding_[:, :1], "four": rng.normal(size=(50, 4))})
    assert [panel.get_title() for panel in ax.child_axes] == ["one", "four\n(2 of 4 dimensions)"]
    assert not any(panel.get_xlabel() or panel.get_ylabel() for panel in ax.child_axes)


def test_titles_of_a_strip_in_two_rows_do_not_overlap(model):
    ax = plot.density_strip([model] * 6)
    pixels(ax)
    assert not overlapping([panel.get_tightbbox() for panel in ax.child_axes])


def test_maps_of_other_methods_and_frames_are_compared_too(model, digits):
    tsne = TSNE(init="random", max_iter=250, random_state=0).fit(digits[:N_ROWS])
    ax = plot.compare({"TSNE": tsne, "pipeline": make_pipeline(tsne), "frame": pd.DataFrame(model.embedding_)})
    for panel, embedding in zip(ax.child_axes, [tsne.embedding_, tsne.embedding_, model.embedding_], strict=True):
        assert colour_at(panel, embedding[7])


@pytest.mark.parametrize("maps", [{}, [1], None, {"bad": np.zeros((3, 2, 2))}, {"bad": [[1.0, np.nan]]}, {"bad": 3}])
def test_maps_must_be_maps(maps):
    with pytest.raises(InvalidParameterError, match=r"^compare\(maps=.*\): (maps|a map) must be"):
        plot.compare(maps)


def test_labels_must_fit_all_maps(model, labels):
    with pytest.raises(InvalidDataError, match=r"^compare\(labels=…\): labels must have one label per row"):
        plot.compare({"one": model, "two": model.embedding_[:-1]}, labels=labels)


def test_density_strip_says_the_weight_and_the_correlation_of_each_map(model, labels):
    other = with_embedding(model, -model.embedding_)
    other.density_weight, other.density_correlation_ = 2.0, np.array([0.123, 0.456])
    ax = plot.density_strip([model, other], labels=labels)
    first, second = ax.child_axes
    along = ", ".join(f"{value:.2f}" for value in model.density_correlation_)
    assert first.get_title() == f"λ = 0.25\ncorrelation {along}"
    assert second.get_title() == "λ = 2\ncorrelation 0.12, 0.46"
    assert colour_at(second, -model.embedding_[7]) == to_rgba(COLOURS[labels[7]])


@pytest.mark.parametrize("models", [[], None, "models", 3])
def test_density_strip_needs_models(models):
    with pytest.raises(InvalidParameterError, match=r"^density_strip\(models=…\): models must be"):
        plot.density_strip(models)
