"""Pictures are checked by what is on them: which artists, where, in which colours, and whether text overlaps."""

from __future__ import annotations

import copy
import importlib
import itertools
import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import FancyArrowPatch
from matplotlib.quiver import Quiver
from scipy.ndimage import map_coordinates
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from featmap import FeatMAP, InvalidParameterError, MissingExtraError, plot
from featmap.plot.label_ring import spread
from featmap.plot.palette import COLOURS, MARKERS, N_STYLES, NEUTRAL, style

matplotlib.use("Agg")
N_ROWS = 300


@pytest.fixture(scope="session")
def model():
    return FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:N_ROWS])


@pytest.fixture(scope="session")
def labels():
    return load_digits().target[:N_ROWS]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def with_places(model, places):
    """The model, with another map."""
    other = copy.copy(model)
    other.embedding_ = np.asarray(places, np.float32)
    return other


def pixels(ax):
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())[..., :3]


def texts(ax, gid):
    return [text for text in ax.texts if text.get_gid() == gid]


def lines(ax, gid):
    (found,) = [one for one in ax.collections if one.get_gid() == gid]
    return np.array(found.get_segments())


def only(ax, kind):
    (found,) = [one for one in ax.collections if isinstance(one, kind)]
    return found


def scatters(ax):
    return [one for one in ax.collections if isinstance(one, PathCollection) and len(one.get_offsets())]


def colour_at(ax, place):
    """Colour of the point drawn at a place of the map."""
    for points in scatters(ax):
        (found,) = np.nonzero((np.asarray(points.get_offsets()) == place).all(axis=1))
        if len(found):
            colours = points.get_facecolors()
            return tuple(colours[found[0] % len(colours)])
    raise AssertionError(f"nothing is drawn at {place}")


def legend_names(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def overlapping(boxes):
    return [(a, b) for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]


# The package


def test_featmap_does_not_import_matplotlib():
    code = "import sys, featmap; featmap.FeatMAP; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_plot_chooses_no_backend():
    code = "import sys, featmap.plot; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_matplotlib_is_told_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "featmap.plot")
    with pytest.raises(MissingExtraError, match=r"^featmap\.plot needs matplotlib: pip install 'featmap\[plot\]'$"):
        importlib.import_module("featmap.plot")


def test_public_names():
    assert plot.__all__ == ["embedding", "local_frame", "saliency"]
    assert all(callable(getattr(plot, name)) for name in plot.__all__)


DRAWINGS = {
    "embedding": lambda model, **options: plot.embedding(model, **options),
    "local_frame": lambda model, **options: plot.local_frame(model, 3, **options),
    "saliency": lambda model, **options: plot.saliency(model, 3, image_shape=(8, 8), **options),
}


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_draws_into_the_axes_given_and_leaves_settings_alone(model, draw):
    figure, (given, other) = pyplot.subplots(1, 2)
    settings = dict(matplotlib.rcParams)
    assert draw(model, ax=given) is given
    assert pyplot.get_fignums() == [figure.number]
    assert given.has_data()
    assert not other.has_data()
    assert dict(matplotlib.rcParams) == settings


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_makes_a_figure_where_none_is_given_and_does_not_show_it(model, draw, monkeypatch):
    monkeypatch.setattr(pyplot, "show", lambda *_, **__: pytest.fail("shown"))
    ax = draw(model)
    assert pyplot.get_fignums() == [ax.figure.number]
    assert pixels(ax).std() > 5


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_needs_a_fitted_model(draw):
    with pytest.raises(NotFittedError):
        draw(FeatMAP())


@pytest.mark.parametrize("row", [N_ROWS, -N_ROWS - 1, 1.5, None, [1]])
@pytest.mark.parametrize("name", ["local_frame", "saliency"])
def test_a_row_that_is_not_there_is_named(model, name, row):
    options = {"image_shape": (8, 8)} if name == "saliency" else {}
    with pytest.raises(InvalidParameterError, match=rf"^{name}\(row="):
        getattr(plot, name)(model, row, **options)


def test_rows_count_from_the_end_too(model):
    assert plot.local_frame(model, -1).get_title() == f"Local frame of row {N_ROWS - 1}"


# The map


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
def test_labels_must_be_one_per_point(model, labels):
    with pytest.raises(InvalidParameterError, match=rf"labels.*{N_ROWS}"):
        plot.embedding(model, labels=labels)


@pytest.mark.parametrize("n_points", [1, 20, 2_000, 30_000])
def test_points_are_visible_and_leave_room_at_any_number(model, n_points, rng):
    ax = plot.embedding(with_places(model, rng.uniform(size=(n_points, 2))))
    inked = (255 - pixels(ax)[..., 0].astype(float)).mean() / 255  # the only colour has no red
    assert 1e-5 < inked < 0.3
    assert scatters(ax)[0].get_rasterized() == (n_points > 20_000)


def test_no_category_is_hidden_by_another(model, rng):
    places = rng.normal(size=(20_000, 2))
    image = pixels(plot.embedding(with_places(model, places), labels=np.repeat(["a", "b"], 10_000)))
    seen = [np.abs(image - np.multiply(to_rgb(colour), 255)).max(axis=2) < 30 for colour in COLOURS[:2]]
    assert seen[0].sum() == pytest.approx(seen[1].sum(), rel=0.25)


def test_a_map_of_one_dimension_is_piled_up(model, rng):
    along = np.sort(rng.normal(size=(200, 1)), axis=0)
    ax = plot.embedding(with_places(model, along), labels=np.arange(200) % 2)
    (points,) = scatters(ax)
    x, height = np.asarray(points.get_offsets()).T
    assert np.array_equal(np.sort(x), along[:, 0].astype(np.float32))
    assert len(np.unique(np.column_stack([x, height]), axis=0)) == 200
    assert 3 < height.max() < 60
    assert "dimension" in ax.get_xlabel()


def test_a_map_of_more_dimensions_says_which_are_drawn(model, rng):
    places = rng.normal(size=(50, 4)).astype(np.float32)
    ax = plot.embedding(with_places(model, places))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("map dimension 1 of 4", "map dimension 2 of 4")
    assert colour_at(ax, places[7, :2])


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


# The local frame


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
    assert ax.get_xlabel() == f"dotted circle: arrow length {circle.radius:g}"


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


@pytest.mark.parametrize("k", [0, -1, 41, 2.5, True, "ten"])
def test_k_must_be_a_number_of_names_one_can_read(model, k):
    with pytest.raises(InvalidParameterError, match=r"^local_frame\(k="):
        plot.local_frame(model, 0, k=k)


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


@pytest.fixture(scope="session")
def model_with_copies():
    rows = np.random.default_rng(0).normal(size=(60, 4))
    rows[:30] = rows[0]
    return FeatMAP(n_neighbors=8, n_epochs=5, random_state=0).fit(rows)


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


# Pixels


def test_saliency_is_the_importance_in_the_shape_of_the_image(model):
    ax = plot.saliency(model, 3, image_shape=(4, 16))
    (image,) = ax.get_images()
    assert np.allclose(image.get_array(), model.feature_importance([3]).reshape(4, 16))
    assert image.get_clim()[0] == 0
    assert image.get_cmap().name == "viridis"
    (bar,) = ax.child_axes
    assert bar.get_ylabel() == "feature importance"
    assert pixels(ax).std() > 5


def test_channels_join_as_lengths(model):
    ax = plot.saliency(model, 3, image_shape=(4, 4, 4))
    squares = model.feature_importance([3])[0].reshape(4, 4, 4) ** 2
    assert np.allclose(ax.get_images()[0].get_array() ** 2, squares.sum(axis=2), atol=1e-6)


@pytest.mark.parametrize("shape", [(8, 7), (64,), 64, (2, 2, 2, 8), (-8, -8), (8.0, 8.0), (), "8x8", None])
def test_a_wrong_image_shape_is_named_with_the_number_of_features(model, shape):
    with pytest.raises(InvalidParameterError, match=r"image_shape=.*64 features"):
        plot.saliency(model, 3, image_shape=shape)


def test_the_image_is_outlined_within_the_picture(model, digits):
    plain = plot.saliency(model, 3, image_shape=(8, 8))
    outlined = plot.saliency(model, 3, image_shape=(8, 8), image=digits[3])
    assert outlined.axis() == plain.axis()
    assert (pixels(outlined) != pixels(plain)).mean() > 0.002
    x, y = outlined.collections[0].get_paths()[0].vertices.T
    image = digits[3].reshape(8, 8)
    assert len(x) > 10
    assert np.allclose(map_coordinates(np.pad(image, 1), [y + 1, x + 1], order=1), image.max() / 2)


@pytest.mark.parametrize("image", [np.zeros(64), np.ones((8, 8))])
def test_a_constant_image_has_no_outline(model, image):
    assert not plot.saliency(model, 3, image_shape=(8, 8), image=image).collections


def test_an_image_of_another_size_is_refused(model):
    with pytest.raises(InvalidParameterError, match=r"image=.*64; got 63"):
        plot.saliency(model, 3, image_shape=(8, 8), image=np.zeros(63))


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (2, 2)])
def test_importance_of_nothing_is_drawn_too(model_with_copies, shape):
    ax = plot.saliency(model_with_copies, 0, image_shape=shape, image=[0, 1, 0, 1])
    pixels(ax)
    assert not ax.get_images()[0].get_array().any()
