"""Arrows: the local frame of a row, one feature all over the map, one row on a page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch
from matplotlib.quiver import Quiver

from drawn import legend_names, lines, only, overlapping, pixels, scatters, texts, top_columns, with_embedding
from featmap import FeatMAP, FeatmapError, InvalidParameterError, plot
from featmap.plot.arrow_field import rows_of_cells
from featmap.plot.parts.label_ring import spread

N_ROWS = 300


@pytest.mark.parametrize("k", [1, 10, 40])
def test_frame_has_k_labelled_arrows_that_are_the_models(model, k):
    row = 5
    ax = plot.local_frame(model, row, k=k)
    top = top_columns(model, row, k)
    arrows = model.arrows([row])[0]
    drawn = only(ax, Quiver)
    assert len(drawn.U) == k
    assert np.allclose(np.column_stack([drawn.U, drawn.V]), arrows[top])
    assert [text.get_text() for text in texts(ax, "feature")] == [f"feature {feature}" for feature in top]


def test_leaders_join_each_label_with_its_own_arrow(model):
    ax = plot.local_frame(model, 5)
    leaders = lines(ax, "leaders")
    tips = model.arrows([5])[0][top_columns(model, 5, 10)]
    labels = texts(ax, "feature")
    assert np.allclose(leaders[: len(labels), 0], tips)
    assert np.allclose(leaders[: len(labels), 1], [text.xy for text in labels])


@pytest.mark.parametrize("row", range(0, N_ROWS, 60))
def test_leaders_run_outwards_and_not_through_their_text(model, row):
    ax = plot.local_frame(model, row, k=40)
    tips, ends = lines(ax, "leaders").transpose(1, 0, 2)
    assert (np.abs(ends[:, 0]) >= np.abs(tips[:, 0])).all()
    assert all((text.get_ha() == "left") == (text.xy[0] > 0) for text in ax.texts)


def test_axes_are_lines_through_the_point_without_heads(model):
    ax = plot.local_frame(model, 5)
    axes = lines(ax, "axes")
    assert np.allclose(axes[:, 0], -axes[:, 1])
    directions = axes[:, 1] / np.linalg.norm(axes[:, 1], axis=1, keepdims=True)
    assert np.allclose(np.abs(directions @ model.frames_[5]), np.eye(2), atol=1e-5)
    assert [text.get_text() for text in texts(ax, "axis")] == ["v₁", "v₂"]
    assert sum(isinstance(one, Quiver) for one in ax.collections) == 1
    assert not any(isinstance(patch, FancyArrowPatch) for patch in ax.patches)
    assert all(text.arrow_patch is None for text in ax.texts)


def test_other_features_are_faint_lines_without_labels(model):
    ax = plot.local_frame(model, 5)
    arrows = model.arrows([5])[0]
    others = np.delete(arrows, top_columns(model, 5, 10), axis=0)
    lengths = np.linalg.norm(others, axis=1)
    visible = others[lengths > 0.01 * np.linalg.norm(arrows, axis=1).max()]
    assert len(visible) > 10
    assert np.allclose(lines(ax, "other features")[:, 1], visible)
    (faint,) = [one for one in ax.collections if one.get_gid() == "other features"]
    assert isinstance(faint, LineCollection)
    assert min(to_rgb(faint.get_colors()[0])) > 0.7


LONG = [f"größe_$_{'x' * 150}_{feature}_µm²" for feature in range(64)]


@pytest.mark.parametrize("names", [None, LONG], ids=["numbers", "long unicode names"])
@pytest.mark.parametrize("k", [3, 10, 40])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_labels_neither_overlap_nor_leave_the_figure(model, row, k, names):
    ax = plot.local_frame(model, row, k=k, feature_names=names)
    pixels(ax)
    boxes = [text.get_window_extent() for text in texts(ax, "feature") + texts(ax, "axis")]
    assert len(boxes) == k + 2
    assert not overlapping(boxes)
    page = ax.figure.bbox
    assert all(box.x0 >= page.x0 and box.x1 <= page.x1 and box.y0 >= page.y0 and box.y1 <= page.y1 for box in boxes)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_labels_of_neighbouring_frames_do_not_overlap(model, layout):
    figure, grid = pyplot.subplots(2, 2, figsize=(8, 7), layout=layout)
    for row, ax in enumerate(grid.flat):
        plot.local_frame(model, row, feature_names=LONG, ax=ax)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for ax in grid.flat for text in ax.texts]
    assert len(boxes) == 4 * 12
    assert not overlapping(boxes)


def test_labels_stay_clear_of_the_arrows(model):
    ax = plot.local_frame(model, 5, k=20)
    pixels(ax)
    centre = ax.transData.transform((0, 0))
    tips = ax.transData.transform(model.arrows([5])[0])
    reach = np.linalg.norm(tips - centre, axis=1).max()
    for text in texts(ax, "feature"):
        box = text.get_window_extent()
        nearest = np.clip(centre, [box.x0, box.y0], [box.x1, box.y1])
        assert np.linalg.norm(nearest - centre) > reach


def test_the_circle_gives_the_scale(model):
    ax = plot.local_frame(model, 5)
    (circle,) = ax.patches
    longest = np.linalg.norm(model.arrows([5])[0], axis=1).max()
    assert longest / 2.5 <= circle.radius <= longest
    unit, fidelity = ax.get_xlabel().split("\n")
    assert unit == f"dotted circle: {circle.radius:g} units of the data per unit of the map"
    own, best = model.fidelity([5])[0], model.fidelity([5], "map")[0]
    assert fidelity == f"fidelity {own:.2f} (linear regression on the map: {best:.2f})"


def test_names_come_from_the_argument_else_from_the_fit(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["weight", "height", "age"])
    model = FeatMAP(n_epochs=5, random_state=0).fit(frame)
    top = top_columns(model, 0, 3)
    fitted = [text.get_text() for text in texts(plot.local_frame(model, 0), "feature")]
    assert fitted == [frame.columns[feature] for feature in top]
    given = texts(plot.local_frame(model, 0, feature_names=np.array(["a", "b", "c"])), "feature")
    assert [text.get_text() for text in given] == ["abc"[feature] for feature in top]
    with pytest.raises(InvalidParameterError, match=r"feature_names.*3"):
        plot.local_frame(model, 0, feature_names=["a", "b"])


def test_long_names_keep_their_beginning_and_end(model):
    (label,) = texts(plot.local_frame(model, 5, k=1, feature_names=LONG), "feature")
    assert label.get_text().startswith("größe")
    assert label.get_text().endswith("µm²")
    assert "…" in label.get_text()


def test_rows_count_from_the_end_too(model):
    assert plot.local_frame(model, -1).get_title() == f"Local frame of row {N_ROWS - 1}"


def test_a_frame_needs_two_dimensions(model):
    with pytest.raises(InvalidParameterError, match="n_components >= 2"):
        plot.local_frame(with_embedding(model, model.embedding_[:, :1]), 0)


def test_a_frame_of_three_dimensions_is_seen_along_two(digits):
    model = FeatMAP(n_components=3, n_epochs=5, random_state=0).fit(digits[:100])
    ax = plot.local_frame(model, 0, k=4)
    drawn = only(ax, Quiver)
    top = top_columns(model, 0, 4)
    assert np.allclose(np.column_stack([drawn.U, drawn.V]), model.arrows([0])[0][top, :2])
    assert [text.get_text() for text in texts(ax, "axis")] == ["v₁", "v₂", "v₃"]
    assert "dimension 1 of 3" in ax.get_xlabel()
    assert ax.get_ylabel() == "map dimension 2 of 3"


def test_a_point_among_its_copies_has_no_directions_and_says_so(model_with_copies):
    assert not model_with_copies.feature_importance([0]).any()
    ax = plot.local_frame(model_with_copies, 0)
    pixels(ax)
    said = "no directions here:\nrow 0 has no neighbours, or all are equal to it"
    assert [text.get_text() for text in ax.texts] == [said]
    assert not ax.collections


def test_features_that_do_not_vary_get_no_arrow(rng):
    rows = rng.normal(size=(60, 4))
    rows[:, 1] = 3
    model = FeatMAP(n_epochs=5, random_state=0).fit(rows)
    ax = plot.local_frame(model, 0)
    assert sorted(text.get_text() for text in texts(ax, "feature")) == ["feature 0", "feature 2", "feature 3"]


def test_only_axes_along_which_something_varies_are_drawn(rng):
    model = FeatMAP(n_epochs=5, random_state=0).fit(rng.normal(size=(60, 1)) @ [[1.0, 2.0, 0.0]])
    ax = plot.local_frame(model, 0)
    assert [text.get_text() for text in texts(ax, "axis")] == ["v₁"]
    assert len(lines(ax, "axes")) == 1


def test_thousands_of_other_features_are_transparent(rng):
    def alpha(n_features):
        model = FeatMAP(n_epochs=1, random_state=0).fit(rng.normal(size=(40, n_features)))
        (faint,) = [one for one in plot.local_frame(model, 0).collections if one.get_gid() == "other features"]
        return faint.get_alpha()

    assert alpha(30) == 1
    assert 0 < alpha(3_000) < 0.2


def test_spread_moves_as_little_as_it_must():
    assert np.allclose(spread(np.array([5.0, -5.0, 0.0]), 2, 10), [5, -5, 0])
    assert np.allclose(spread(np.array([0.0, 0.0, 0.0]), 2, 10), [-2, 0, 2])
    assert np.allclose(spread(np.array([9.0, 9.5]), 2, 9), [7, 9])


@pytest.mark.parametrize("kind", ["tangent", "frame", "map"])
def test_arrows_of_any_kind_with_their_unit_and_fidelity(model, kind):
    ax = plot.local_frame(model, 5, kind=kind)
    drawn = only(ax, Quiver)
    top = top_columns(model, 5, 10)
    assert np.allclose(np.column_stack([drawn.U, drawn.V]), model.arrows([5], kind)[0][top])
    unit, fidelity = ax.get_xlabel().split("\n")
    assert unit.endswith("without unit" if kind == "frame" else "units of the data per unit of the map")
    assert fidelity.startswith(f"fidelity {model.fidelity([5], kind)[0]:.2f}")
    assert ("(linear regression on the map:" in fidelity) == (kind != "map")


# One feature all over the map


@pytest.mark.parametrize("kind", ["tangent", "frame", "map"])
def test_a_field_has_the_arrows_of_its_rows_where_they_are(model, kind):
    ax = plot.arrow_field(model, 20, kind=kind, grid=6)
    drawn = only(ax, Quiver)
    rows = [np.flatnonzero((model.embedding_ == position).all(axis=1))[0] for position in drawn.get_offsets()]
    assert 5 < len(rows) <= 36
    assert np.allclose(np.column_stack([drawn.U, drawn.V]), model.arrows(rows, kind)[:, 20])
    assert f"median fidelity {np.median(model.fidelity(rows, kind)):.2f}" in ax.get_xlabel()


def test_a_field_fades_where_fidelity_is_low(model, monkeypatch):
    monkeypatch.setattr(FeatMAP, "fidelity", lambda self, rows, kind: np.linspace(-0.2, 0.8, len(rows)))
    drawn = only(plot.arrow_field(model, 20), Quiver)
    alpha = drawn.get_facecolors()[:, 3]
    assert (np.diff(alpha) >= 0).all()
    assert 0 < alpha[0] < 0.1
    assert alpha[-1] == 1
    assert np.allclose(alpha, np.clip(np.linspace(-0.2, 0.8, len(alpha)) / 0.5, alpha[0], 1))


def test_a_field_has_one_arrow_for_each_cell_with_points_that_of_the_row_nearest_to_its_middle():
    positions = np.array([[0.0, 0.0], [0.9, 0.9], [1.2, 1.2], [4.0, 4.0], [3.9, 0.1], [3.0, 1.0]])
    rows, cell = rows_of_cells(positions, 2)
    assert cell == 2
    assert rows.tolist() == [1, 3, 5]


def lengthened(rows, factor):
    return np.where(np.arange(len(rows)) == 0, factor, 1)[:, None, None]


@pytest.mark.parametrize("alone", [1, 100], ids=["alike", "one alone"])
def test_arrows_of_a_field_are_about_a_cell_long_and_the_longest_is_written_below(model, monkeypatch, alone):
    arrows = FeatMAP.arrows
    monkeypatch.setattr(
        FeatMAP, "arrows", lambda self, rows, kind: arrows(self, rows, kind) * lengthened(rows, alone)
    )
    ax = plot.arrow_field(model, 20, grid=10)
    drawn = only(ax, Quiver)
    lengths = np.hypot(drawn.U, drawn.V)
    longest = lengths.max()
    in_cells = np.sort(lengths) / drawn.scale / (np.ptp(model.embedding_, axis=0).max() / 10)
    assert in_cells[-1] <= 2.5 * 1.0001
    assert np.quantile(in_cells, 0.9) <= 0.8001
    assert in_cells[-1] == pytest.approx(2.5) or np.quantile(in_cells, 0.9) == pytest.approx(0.8)
    assert f"longest arrow: {float(f'{longest:.2g}'):g} units of the data per unit of the map" in ax.get_xlabel()


def test_a_feature_that_does_not_vary_has_a_field_without_arrows(digits):
    ax = plot.arrow_field(FeatMAP(n_epochs=5, random_state=0).fit(digits[:100]), 0)
    pixels(ax)
    assert not only(ax, Quiver).U.any()


def test_a_field_lies_on_all_points(model):
    ax = plot.arrow_field(model, 20)
    (points,) = scatters(ax)
    assert np.array_equal(np.sort(points.get_offsets(), axis=0), np.sort(model.embedding_, axis=0))
    assert points.get_zorder() < only(ax, Quiver).get_zorder()


@pytest.mark.parametrize("grid", [0, 1, 61, 2.5, True, "ten"])
def test_a_grid_must_be_a_number_of_cells(model, grid):
    with pytest.raises(InvalidParameterError, match=r"^arrow_field\(grid=.*\): grid must be an integer from 2 to 60"):
        plot.arrow_field(model, 0, grid=grid)


@pytest.mark.parametrize("name", ["arrow_field", "explain_point"])
def test_arrows_need_two_dimensions(model, name):
    with pytest.raises(InvalidParameterError, match=rf"^{name}\(model=…\): the map must have two or more dimensions"):
        getattr(plot, name)(with_embedding(model, model.embedding_[:, :1]), 0)


# One row on a page


def test_a_page_has_frame_map_bars_and_pixels_of_the_same_row(model, labels, digits):
    ax = plot.explain_point(model, 5, k=4, image_shape=(8, 8), image=digits[5], labels=labels)
    pixels(ax)
    frame, the_map, bars, image = ax.child_axes
    importance, top = model.feature_importance([5])[0], top_columns(model, 5, 4)
    assert np.allclose(np.column_stack([only(frame, Quiver).U, only(frame, Quiver).V]), model.arrows([5])[0][top])
    marks = [one for one in the_map.collections if one.get_gid() == "mark"]
    assert all(np.array_equal(mark.get_offsets()[0], model.embedding_[5]) for mark in marks)
    assert len(marks) == 2
    assert legend_names(the_map) == [str(digit) for digit in range(10)]
    assert np.allclose([bar.get_width() for bar in bars.patches], importance[top])
    assert np.allclose(image.get_images()[0].get_array().ravel(), importance)
    assert image.collections


@pytest.mark.parametrize("options", [{}, {"image_shape": (8, 8)}], ids=["wide bars", "pixels"])
def test_panels_of_a_page_do_not_overlap(model, labels, options):
    ax = plot.explain_point(model, 5, labels=labels, feature_names=LONG, **options)
    pixels(ax)
    assert len(ax.child_axes) == 3 + len(options)
    boxes = [panel.get_tightbbox() for panel in ax.child_axes]
    assert not overlapping(boxes)


def test_a_page_passes_on_the_kind_of_arrows(model):
    frame = plot.explain_point(model, 5, kind="frame").child_axes[0]
    top = top_columns(model, 5, 10)
    assert np.allclose(only(frame, Quiver).U, model.arrows([5], "frame")[0][top, 0])


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"image_shape": (8, 7)}, r"image_shape=\(8, 7\)"),
        ({"image": np.zeros(64)}, "image_shape=None"),
        ({"image_shape": (8, 8), "image": np.zeros(3)}, "image=…"),
        ({"labels": [1, 2]}, "labels=…"),
    ],
)
def test_a_page_names_wrong_parameters_before_it_draws(model, options, named):
    with pytest.raises(FeatmapError, match=rf"^explain_point\({named}\): \w+ must "):
        plot.explain_point(model, 5, **options)
    assert not pyplot.get_fignums()
