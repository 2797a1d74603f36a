"""Bars, tables and curves: importance, groups, perturbation, density."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba

import reference
from drawn import legend_names, only, overlapping, pixels, scatters, texts
from featmap import FeatmapError, InvalidParameterError, explain, plot
from featmap.explanation.contrast import Contrast
from featmap.explanation.perturbation import Perturbation
from featmap.plot.importance import CELL_INCHES, leading_features
from featmap.plot.parts.colours import COLOURS

N_ROWS = 300


def widths(ax):
    return [bar.get_width() for bar in ax.patches]


def ticks(labels):
    return [label.get_text() for label in labels]


# Bars


@pytest.mark.parametrize("rows", [5, [5, 6, 7], slice(0, 50), np.arange(N_ROWS) % 2 == 0], ids=type)
def test_bars_are_the_mean_importance_of_the_rows(model, rows):
    ax = plot.importance(model, rows, k=7)
    mean = np.atleast_2d(model.feature_importance(rows)).mean(axis=0)
    top = np.argsort(-mean, kind="stable")[:7]
    assert np.allclose(widths(ax), mean[top])
    assert ticks(ax.get_yticklabels()) == [f"feature {feature}" for feature in top]
    n_rows = len(np.atleast_1d(np.arange(N_ROWS)[rows]))
    what = ax.get_title().splitlines()[0]
    assert what.endswith("around row 5" if n_rows == 1 else f"around {n_rows} rows")
    top_bar, bottom_bar = ax.patches[0], ax.patches[-1]
    pixels(ax)
    assert top_bar.get_window_extent().y0 > bottom_bar.get_window_extent().y0


def test_bars_are_as_many_as_there_are_features(model_with_copies):
    assert len(widths(plot.importance(model_with_copies, 40))) == 4


def test_bars_of_nothing_are_drawn_too(model_with_copies):
    ax = plot.importance(model_with_copies, 0)
    pixels(ax)
    assert widths(ax) == [0] * 4


@pytest.mark.parametrize("is_new", [True, False])
def test_forty_names_do_not_overlap(model, is_new):
    ax = plot.importance(model, 0, k=40, ax=None if is_new else pyplot.subplots()[1])
    pixels(ax)
    assert not overlapping([label.get_window_extent() for label in ax.get_yticklabels()])


# Groups × features


def test_table_has_the_mean_importance_of_features_in_groups(model, labels):
    ax = plot.importance(model, labels=labels, k=12)
    (image,) = ax.get_images()
    features = [int(name.removeprefix("feature ")) for name in ticks(ax.get_xticklabels())]
    assert len(set(features)) == 12
    expected = [model.feature_importance(labels == digit).mean(axis=0)[features] for digit in range(10)]
    assert np.allclose(image.get_array(), expected, atol=1e-6)
    assert image.get_clim() == (0, pytest.approx(np.max(expected)))
    assert ticks(ax.get_yticklabels()) == [str(digit) for digit in range(10)]
    assert ax.child_axes[0].get_ylabel() == "mean local variation (importance)"


def test_only_the_rows_chosen_count_in_their_groups(model, labels):
    ax = plot.importance(model, labels < 3, labels=labels, k=5)
    assert ticks(ax.get_yticklabels()) == ["0", "1", "2"]
    half = np.arange(N_ROWS) < 150
    ax = plot.importance(model, half, labels=labels, k=64)
    features = [int(name.removeprefix("feature ")) for name in ticks(ax.get_xticklabels())]
    expected = model.feature_importance(half & (labels == 4)).mean(axis=0)[features]
    assert np.allclose(ax.get_images()[0].get_array()[4], expected, atol=1e-6)


def test_as_many_features_are_drawn_as_one_can_read_of_all_rows(model, labels):
    assert len(widths(plot.importance(model))) == 10
    assert np.allclose(widths(plot.importance(model, k=1)), model.feature_importance().mean(axis=0).max())
    assert plot.importance(model, labels=labels).get_images()[0].get_array().shape == (10, 30)


def test_groups_take_turns_at_choosing_features():
    means = np.array([[9, 8, 7, 0, 0], [0, 0, 0, 5, 4], [1, 0, 0, 0, 9]], float)
    assert leading_features(means, 3).tolist() == [0, 3, 4]
    assert leading_features(means, 4).tolist() == [0, 1, 3, 4]
    assert leading_features(means, 99).tolist() == [0, 1, 2, 3, 4]


def test_rows_without_a_label_are_left_out_and_the_column_is_named(model):
    names = np.array(["$a_", "b" * 100, None] * 100, dtype=object)
    ax = plot.importance(model, labels=pd.Series(names, name="kind_$"))
    pixels(ax)
    assert ticks(ax.get_yticklabels())[0] == "$a_"
    assert len(ax.get_yticklabels()) == 2
    assert len(ticks(ax.get_yticklabels())[1]) < 30
    assert ax.get_ylabel() == "kind_$"


def test_names_of_a_large_table_do_not_overlap(model):
    ax = plot.importance(model, labels=[f"group {row % 40}" for row in range(N_ROWS)], k=60)
    pixels(ax)
    assert ax.get_images()[0].get_array().shape == (40, 60)
    assert not overlapping([label.get_window_extent() for label in ax.get_yticklabels()])
    assert not overlapping([label.get_window_extent() for label in ax.get_xticklabels()])


def test_long_names_of_features_leave_room_for_few_groups(model):
    names = [f"a name of many letters, number {feature}" for feature in range(model.n_features_in_)]
    ax = plot.importance(model, labels=np.arange(N_ROWS) % 6, feature_names=names, k=5)
    pixels(ax)
    assert ax.get_window_extent().height > 0.8 * 6 * CELL_INCHES * ax.figure.dpi


@pytest.mark.parametrize("labels", [np.linspace(0, 1, N_ROWS), [None] * N_ROWS, ["a", "b"]])
def test_labels_must_name_groups(model, labels):
    with pytest.raises(FeatmapError, match=r"^importance\(labels=…\): labels must "):
        plot.importance(model, labels=labels)
    with pytest.raises(FeatmapError, match=r"^importance\(rows=…, labels=…\): labels must "):
        plot.importance(model, [0, 1], labels=[None, None, *"ab" * (N_ROWS // 2 - 1)])


# Two groups


@pytest.fixture
def result():
    return Contrast(
        ["_mass$", "height", "age"],
        difference=np.array([-2000.0, 3.0, 0.5]),
        effect_size=np.array([-0.8, 24.0, 1.5]),
        auc=np.array([0.2, 1.0, 0.8]),
        p_values=np.array([0.01, 0.0001, 0.6]),
        q_values=np.array([0.015, 0.00001, 0.6]),
        statistic=np.array([-3.0, 5.0, 0.4]),
        importance_a=np.array([0.1, 0.5, 0.3]),
        importance_b=np.array([0.4, 0.2, 0.3]),
        sizes=(1200, 30),
        n_permutations=200,
    )


def test_contrast_shows_effects_and_beside_them_differences_and_q_values(result):
    """Sure ones first, then by effect; what is not sure is pale; a bar that would hide the others is cut."""
    ax = plot.contrast(result, groups=("cats", "dogs"))
    pixels(ax)
    bars, dots = ax.child_axes
    assert ticks(bars.get_yticklabels()) == ["height", "_mass$", "age"]
    assert widths(bars) == [10.0, -0.8, 1.5]
    assert [text.get_text() for text in bars.texts if text.get_color() == "white"] == ["24"]
    expected = [to_rgba(COLOURS[0]), to_rgba(COLOURS[1]), to_rgba(COLOURS[0], 0.35)]
    assert [bar.get_facecolor() for bar in bars.patches] == expected
    assert [text.get_text() for text in texts(bars, "q-value")] == ["< 0.0001", "0.015", "0.6"]
    assert [text.get_text() for text in texts(bars, "difference")] == ["+3", "-2e+03", "+0.5"]
    assert [text.get_position()[1] for text in texts(bars, "q-value")] == [0, 1, 2]
    (shown,) = scatters(dots)
    assert np.allclose(shown.get_offsets(), [[1.0, 0], [0.2, 1], [0.8, 2]])
    assert bars.get_xlabel().startswith("← higher in dogs · higher in cats →")
    assert "cats exceeds dogs" in dots.get_xlabel()
    assert ax.get_title() == "cats (1,200 rows) against dogs (30 rows)"
    assert bars.get_ylim() == dots.get_ylim()


def test_contrast_shows_the_k_largest_sure_effects(result):
    bars = plot.contrast(result, k=1, feature_names=["m", "h", "a"]).child_axes[0]
    assert ticks(bars.get_yticklabels()) == ["h"]


def test_contrast_of_a_model_is_drawn(model, labels):
    result = model.contrast(1, 2, labels=labels, n_permutations=20)
    bars, _ = plot.contrast(result, k=5).child_axes
    order = sorted(range(64), key=lambda column: (result.q_values[column] > 0.05, -abs(result.effect_size[column])))
    assert np.allclose(widths(bars), np.clip(result.effect_size[order[:5]], -10, 10))


def test_contrast_of_pixels_is_two_images(model, labels):
    """Both are white at zero, and pixels are named by row and column."""
    result = model.contrast(1, 2, labels=labels, n_permutations=20)
    ax = plot.contrast(result, k=3, image_shape=(8, 8))
    pixels(ax)
    bars, *images = ax.child_axes
    rows, columns = np.divmod(result.order[:3], 8)
    assert ticks(bars.get_yticklabels()) == [f"row {y}, column {x}" for y, x in zip(rows, columns, strict=True)]
    for image, values in zip(images, (result.difference, result.effect_size), strict=True):
        (shown,) = image.get_images()
        assert np.allclose(shown.get_array(), values.reshape(8, 8))
        assert shown.norm.vmin == -shown.norm.vmax
        assert np.allclose(shown.cmap(0.5)[:3], 1, atol=0.01)
        assert np.allclose(shown.cmap(1.0), to_rgba(COLOURS[0]))
    with pytest.raises(InvalidParameterError, match=r"^contrast\(image_shape=\(8, 9\)\): "):
        plot.contrast(result, image_shape=(8, 9))


def test_q_values_stand_between_the_panels(result):
    ax = plot.contrast(result)
    pixels(ax)
    bars, dumbbells = (panel.get_window_extent() for panel in ax.child_axes)
    for text in texts(ax.child_axes[0], "difference") + texts(ax.child_axes[0], "q-value"):
        box = text.get_window_extent()
        assert bars.x1 < box.x0
        assert box.x1 < dumbbells.x0


@pytest.mark.parametrize("groups", ["ab", ("a",), ("a", ["b"], "c"), 5])
def test_two_groups_have_two_names(result, groups):
    with pytest.raises(
        InvalidParameterError, match=r"^contrast\(groups=.*\): groups must be the names of the two groups"
    ):
        plot.contrast(result, groups=groups)


# Perturbation


def test_perturbation_has_three_curves_a_floor_and_the_area_above_it():
    fractions = np.array([0.1, 0.2, 0.5])
    low = np.array([0, 0.1, 0.2])
    result = Perturbation(fractions, np.array([1.0, 2, 3]), low + 0.1, low, np.array([0.5, 1, 1.5]))
    ax = plot.perturbation(result)
    pixels(ax)
    for line in ax.lines:
        assert np.array_equal(line.get_xdata(), fractions)
        assert np.array_equal(line.get_ydata(), getattr(result, line.get_gid()))
        assert not line.get_clip_on()  # a marker at 0 is seen whole
    assert [line.get_gid() for line in ax.lines] == ["most", "floor", "random", "least"]
    (area,) = ax.collections
    assert isinstance(area, PolyCollection)
    corners = {tuple(corner) for corner in area.get_paths()[0].vertices}
    assert {(0.1, 0.5), (0.1, 1.0), (0.5, 3.0), (0.5, 1.5)} <= corners
    assert ax.get_title() == "Most important features: 100% above the floor"
    assert legend_names(ax)[:2] == ["most important first", "noise floor"]
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


# Density


@pytest.fixture(scope="module")
def own(model):
    """Log distances to the 14th neighbour, in the data and on the map."""
    on_map = np.log(reference.distances_to(model.embedding_.astype(float), 14))
    return np.column_stack([np.log(model.neighbors_[1][:, -1]), on_map])


def drawn_line(ax, gid):
    (line,) = [line for line in ax.lines if line.get_gid() == gid]
    return line


def test_density_shows_distances_to_own_neighbours_with_their_line_correlation_and_slope(model, own):
    ax = plot.density(model)
    assert np.allclose(scatters(ax)[0].get_offsets(), own, atol=1e-5)
    (x, y), line = own.T, drawn_line(ax, "regression")
    slope, intercept = np.polyfit(x, y, 1)
    assert np.allclose(line.get_ydata(), slope * line.get_xdata() + intercept, atol=1e-4)
    assert np.allclose(line.get_xdata(), [x.min(), x.max()])
    said = ax.get_title().splitlines()[0]
    assert said.endswith(f"correlation {np.corrcoef(x, y)[0, 1]:.2f}, slope {slope:.2f}")
    scale = drawn_line(ax, "local scale")
    assert (*scale.get_xy1(), scale.get_slope()) == pytest.approx((x.mean(), y.mean(), 1), abs=1e-5)


def test_density_of_several_has_a_panel_for_each_with_its_settings(model, own, labels):
    other = explain(*np.random.default_rng(0).normal(size=(2, 300, 2)))
    first, second = plot.density([model, other], labels).child_axes[:2]
    figures = f"correlation {model.density_correlation_:.2f}, slope {model.density_slope_:.2f}"
    assert first.get_title() == f"15 neighbors, density 1.5\n{figures}"
    assert second.get_title().startswith("Map of 300 rows\ncorrelation ")
    assert np.allclose(np.sort(scatters(first)[0].get_offsets(), axis=0), np.sort(own, axis=0), atol=1e-5)


def test_density_counts_many_points(rng):
    rows = rng.normal(size=(5_000, 3))
    hexagons = only(plot.density(explain(rows, rows[:, :2])), PolyCollection)
    assert hexagons.get_array().sum() == 5_000


def test_density_has_the_colours_of_labels(model, own, labels):
    ax = plot.density(model, labels)
    assert legend_names(ax) == [str(digit) for digit in range(10)]
    (points,) = scatters(ax)
    for row in range(0, N_ROWS, 17):
        nearest = np.abs(points.get_offsets() - own[row]).sum(axis=1).argmin()
        assert tuple(points.get_facecolors()[nearest]) == to_rgba(COLOURS[labels[row]])
    pixels(ax)
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


def test_labels_of_rows_that_have_no_distance_are_left_out(rng):
    """The first 20 rows are copies of each other."""
    rows = rng.normal(size=(200, 3))
    rows[:20] = rows[0]
    values = np.arange(200.0)
    (points,) = scatters(plot.density(explain(rows, rows[:, :2]), values))
    assert np.array_equal(np.sort(points.get_array()), values[20:])


def test_equal_distances_have_no_line():
    circle = np.exp(2j * np.pi * np.arange(30) / 30)
    around = np.column_stack([circle.real, circle.imag])
    ax = plot.density(explain(np.eye(30), around, n_neighbors=5))
    assert not ax.lines
    assert ax.get_title().splitlines()[0].endswith("correlation 0.00, slope 0.00")
    copies = plot.density(explain(np.ones((30, 2)), around))
    assert not scatters(copies)
