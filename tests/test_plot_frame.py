"""Arrows: the local frame of a point, one feature all over the map, a page of one point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch
from matplotlib.quiver import Quiver

from drawn import lines, only, overlapping, pixels, texts, with_places
from featmap import FeatMAP, InvalidParameterError, plot
from featmap.plot.label_ring import spread

N_ROWS = 300


@pytest.mark.parametrize("k", [1, 10, 40])
def test_frame_has_k_labelled_arrows_that_are_the_models(model, k):
    row = 5
    ax = plot.local_frame(model, row, k=k)
    top = model.top_features([row], k)[0]
    arrows = model.arrows([row])[0]
    drawn = only(ax, Quiver)
    assert len(drawn.U) == k
    assert np.allclose(np.column_stack([drawn.U, drawn.V]), arrows[top])
    assert [text.get_text() for text in texts(ax, "feature")] == [f"feature {feature}" for feature in top]


def test_leaders_join_each_label_with_its_own_arrow(model):
    ax = plot.local_frame(model, 5)
    leaders = lines(ax, "leaders")
    tips = model.arrows([5])[0][model.top_features([5], 10)[0]]
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
    others = np.delete(arrows, model.top_features([5], 10)[0], axis=0)
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
    assert fidelity == f"fidelity {own:.2f} (arrows of the map alone: {best:.2f})"


def test_names_come_from_the_argument_else_from_the_fit(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["weight", "height", "age"])
    model = FeatMAP(n_epochs=5, random_state=0).fit(frame)
    top = model.top_features([0], 3)[0]
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
        plot.local_frame(with_places(model, model.embedding_[:, :1]), 0)


def test_a_frame_of_three_dimensions_is_seen_along_two(digits):
    model = FeatMAP(n_components=3, n_epochs=5, random_state=0).fit(digits[:100])
    ax = plot.local_frame(model, 0, k=4)
    drawn = only(ax, Quiver)
    top = model.top_features([0], 4)[0]
    assert np.allclose(np.column_stack([drawn.U, drawn.V]), model.arrows([0])[0][top, :2])
    assert [text.get_text() for text in texts(ax, "axis")] == ["v₁", "v₂", "v₃"]
    assert "dimension 1 of 3" in ax.get_xlabel()
    assert ax.get_ylabel() == "map dimension 2 of 3"


def test_a_point_among_its_copies_has_no_directions_and_says_so(model_with_copies):
    assert not model_with_copies.feature_importance([0]).any()
    ax = plot.local_frame(model_with_copies, 0)
    pixels(ax)
    assert [text.get_text() for text in ax.texts] == ["no directions here:\nall neighbours of row 0 are equal to it"]
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
