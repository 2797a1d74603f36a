"""The map and its colours."""

from __future__ import annotations

from functools import partial

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb, to_rgba
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline

from drawn import colour_at, legend_names, overlapping, pixels, scatters, texts, with_embedding
from featmap import FeatMAP, InvalidDataError, InvalidParameterError, InvalidRowsError, explain, plot
from featmap.plot.parts.cloud import bulk_of
from featmap.plot.parts.colours import COLOURS, MOST_COLOURS, NEUTRAL, colours_for, perceived

N_ROWS = 300
VIRIDIS = matplotlib.colormaps["viridis"]


def test_map_has_every_point_once_undistorted_without_ticks(model):
    ax = plot.embedding(model)
    (points,) = scatters(ax)
    drawn = np.asarray(points.get_offsets())
    assert np.array_equal(np.sort(drawn, axis=0), np.sort(model.embedding_, axis=0))
    assert not [one for one in ax.collections if one.get_gid() == "behind"]
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


def bar_label(ax):
    return next(other for other in ax.figure.axes if other is not ax).get_ylabel()


def islands(n_groups, rng, size=20):
    """Return tight groups on a circle, and the group of each point."""
    angles = 2 * np.pi * np.arange(n_groups) / n_groups
    centres = 10 * np.column_stack([np.cos(angles), np.sin(angles)])
    groups = np.repeat(np.arange(n_groups), size)
    return centres[groups] + rng.normal(size=(n_groups * size, 2)), groups


def test_more_than_ten_groups_are_named_where_they_are_and_differ_in_colour(model, rng):
    positions, groups = islands(24, rng)
    ax = plot.embedding(with_embedding(model, positions), labels=[f"kind {group}" for group in groups])
    pixels(ax)
    names = texts(ax, "group")
    assert ax.get_legend() is None
    assert sorted(text.get_text() for text in names) == sorted(f"kind {group}" for group in range(24))
    assert not overlapping([text.get_window_extent() for text in names])
    for text in names:
        box = text.get_window_extent()
        members = ax.transData.transform(positions[groups == int(text.get_text().removeprefix("kind "))])
        assert np.linalg.norm(members - [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2], axis=1).min() < 20
    (points,) = scatters(ax)
    assert len(np.unique(points.get_facecolors(), axis=0)) == 24


@pytest.mark.parametrize("n_groups", [11, 40, 80])
def test_names_of_groups_are_within_the_map_in_any_figure(model, rng, n_groups):
    positions, groups = islands(n_groups, rng)
    labels = [f"a longer name {group}" for group in groups]
    for size in ((6.4, 4.8), (3, 5)):
        ax = plot.embedding(with_embedding(model, positions), labels, ax=pyplot.subplots(figsize=size)[1])
        pixels(ax)
        boxes = [text.get_window_extent() for text in texts(ax, "group")]
        assert len(boxes) == n_groups
        assert n_groups == 80 or not overlapping(boxes)
        assert all(ax.bbox.padded(1).contains(*corner) for box in boxes for corner in (box.min, box.max))


def test_a_name_does_not_hide_a_small_group(model, rng):
    positions, groups = islands(12, rng, size=100)
    small = np.array([[0.0, 0.0], [0.02, 0.0], [0.0, 0.02]])
    labels = [*(f"kind {group}" for group in groups), *["rare"] * 3]
    ax = plot.embedding(with_embedding(model, np.vstack([positions, small])), labels)
    pixels(ax)
    (name,) = [text for text in texts(ax, "group") if text.get_text() == "rare"]
    assert not any(name.get_window_extent().contains(*place) for place in ax.transData.transform(small))


def test_several_maps_of_many_groups_have_their_names_on_each(model, rng):
    positions, groups = islands(12, rng)
    ax = plot.compare({"one": positions, "two": -positions}, [f"kind {group}" for group in groups])
    pixels(ax)
    assert ax.get_legend() is None
    assert [len(texts(panel, "group")) for panel in ax.child_axes] == [12, 12]


def test_categories_beyond_all_colours_are_joined_and_the_picture_says_so(model):
    labels = ["often"] * (N_ROWS - MOST_COLOURS) + [f"once {number}" for number in range(MOST_COLOURS)]
    ax = plot.embedding(model, labels=labels)
    names = [text.get_text() for text in texts(ax, "group")]
    assert len(names) == MOST_COLOURS
    assert names[0] == "often"
    assert f"once {MOST_COLOURS - 1}" not in names
    assert colour_at(ax, model.embedding_[-1]) == to_rgba(NEUTRAL)
    assert ax.get_xlabel().splitlines()[0] == "grey: other"


def test_names_are_taken_literally_and_sorted_as_people_do(model):
    ax = plot.embedding(model, labels=[f"_{'$'} größe {row % 10 + 3}" for row in range(N_ROWS)])
    pixels(ax)
    assert legend_names(ax) == [f"_$ größe {number}" for number in range(3, 13)]


# Chosen rows, new rows, far rows


def test_chosen_rows_have_rings_on_top_and_their_names(model, labels):
    ax = plot.embedding(model, labels, rows=[3, -1])
    pixels(ax)
    marks = [one for one in ax.collections if one.get_gid() == "mark"]
    assert len(marks) == 2
    for mark in marks:
        assert np.array_equal(mark.get_offsets(), model.embedding_[[3, -1]])
        assert all(mark.get_zorder() > points.get_zorder() for points in ax.collections if points not in marks)
    names = texts(ax, "row")
    assert [text.get_text() for text in names] == ["row 3", f"row {N_ROWS - 1}"]
    for text, place in zip(names, ax.transData.transform(model.embedding_[[3, -1]]), strict=True):
        assert not text.get_window_extent().contains(*place)


def test_more_rows_than_one_can_read_have_rings_only(model):
    ax = plot.embedding(model, rows=slice(0, 41))
    assert len(next(one for one in ax.collections if one.get_gid() == "mark").get_offsets()) == 41
    assert not texts(ax, "row")
    with pytest.raises(InvalidRowsError, match=r"^embedding\(rows=…\): "):
        plot.embedding(model, rows=[N_ROWS])


def test_new_rows_lie_on_the_old_map_in_grey(model, digits):
    new = model.explain(digits[N_ROWS : N_ROWS + 40])
    for ax in (plot.embedding(new, np.arange(40) % 3), plot.feature(new, 20), plot.arrow_field(new, 20)):
        (behind,) = [one for one in ax.collections if one.get_gid() == "behind"]
        assert np.array_equal(behind.get_offsets(), model.embedding_)
        assert min(to_rgb(behind.get_facecolors()[0])) > 0.75
        (points,) = [one for one in scatters(ax) if len(one.get_offsets()) == 40]
        assert points.get_zorder() > behind.get_zorder()
        assert ax.get_title().splitlines()[-1] == f"40 new rows on the map of {N_ROWS}"


def far_counts(ax):
    pixels(ax)
    return {text.get_text(): text.get_position() for text in texts(ax, "far")}


def test_few_far_points_are_counted_at_the_edge_and_the_others_fill_the_map(model, rng):
    bulk = rng.normal(size=(400, 2))
    far = np.vstack([bulk, [[300.0, 5.0]] * 7, [[2.0, -90.0]]])
    ax = plot.embedding(with_embedding(model, far))
    counts = far_counts(ax)
    assert list(counts) == ["1 far", "7 far"]
    box = ax.get_window_extent()
    (right_x, _), (_, low_y) = counts["7 far"], counts["1 far"]
    assert right_x > box.x0 + 0.8 * box.width
    assert low_y < box.y0 + 0.2 * box.height
    seen = ax.transData.transform(bulk)
    assert max(np.ptp(seen, axis=0) / [box.width, box.height]) > 0.8
    assert all(box.contains(*place) for place in seen)
    ax.set(xlim=(-10, 310), ylim=(-120, 120))
    assert not far_counts(ax)  # all is seen now


def test_every_point_that_is_not_seen_is_counted(model, rng):
    far = np.vstack([rng.normal(size=(600, 2)), rng.normal(size=(30, 2)) * 80])
    ax = plot.embedding(with_embedding(model, far))
    counts = sum(int(text.get_text().split()[0]) for text in texts(ax, "far")) if far_counts(ax) else 0
    hidden = [not ax.bbox.contains(*place) for place in ax.transData.transform(far)]
    assert counts == sum(hidden) > 5


ORDINARY = {
    "one cloud": lambda rng: rng.normal(size=(1_000, 2)),
    "heavy tails": lambda rng: rng.standard_t(4, size=(1_000, 2)),
    "ten groups": lambda rng: islands(10, rng, 100)[0],
    "a rare group at some distance": lambda rng: np.vstack([rng.normal(size=(990, 2)), rng.normal(size=(10, 2)) + 7]),
    "a far group of a tenth": lambda rng: np.vstack([rng.normal(size=(900, 2)), rng.normal(size=(100, 2)) + 99]),
    "a line": lambda rng: np.column_stack([np.linspace(0, 9, 1_000), np.zeros(1_000)]),
    "one place": lambda rng: np.vstack([np.zeros((990, 2)), rng.normal(size=(10, 2))]),
    "two points": lambda rng: np.array([[0.0, 0.0], [1.0, 0.0]]),
}


@pytest.mark.parametrize("positions", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_maps_are_shown_whole(positions, rng):
    assert bulk_of(positions(rng)).all()


@pytest.mark.parametrize("distance", [20, 1_000, 1e6])
@pytest.mark.parametrize("share", [0.001, 0.02])
def test_what_is_far_does_not_depend_on_how_far(distance, share, rng):
    far = np.arange(1_000) < share * 1_000
    positions = rng.normal(size=(1_000, 2)) + distance * far[:, None]
    assert np.array_equal(bulk_of(positions), ~far)


# Titles


def test_titles_say_what_of_how_many_rows_and_with_which_settings(model, digits):
    assert plot.embedding(model).get_title() == f"featMAP of {N_ROWS} rows · 15 neighbors, density 1.5"
    other = FeatMAP(n_neighbors=8, n_epochs=5, metric="cosine", pca=9, density=0, random_state=0)
    other.fit(digits[:1_200])
    title = "featMAP of 1,200 rows · 8 neighbors, density 0, 9 principal components, cosine"
    assert plot.embedding(other).get_title() == title
    assert plot.feature(other, 3).get_title() == f"Where feature 3 varies\n{title}"
    assert plot.embedding(explain(digits[:50], digits[:50, 20:22])).get_title() == "Map of 50 rows"
    given = FeatMAP(n_epochs=5, pca=np.eye(digits.shape[1], 3), random_state=0).fit(digits[:100])
    assert plot.embedding(given).get_title().endswith(f"density {given.density_:.2g}, 3 principal components")


def test_order_and_name_of_a_pandas_column_are_kept(model):
    names = ["low", "high", "absent"]
    column = pd.Series(pd.Categorical(["high", "low"] * (N_ROWS // 2), categories=names), name="dose_$")
    ax = plot.embedding(model, labels=column)
    assert legend_names(ax) == ["low", "high"]
    assert ax.get_legend().get_title().get_text() == "dose_$"
    noise_comes_first = plot.embedding(model, labels=np.arange(N_ROWS) % 3 - 1)
    assert legend_names(noise_comes_first) == ["-1", "0", "1"]


def test_missing_categories_are_grey_and_last_in_the_legend(model):
    labels = np.array(["a", None, np.nan] * (N_ROWS // 3), dtype=object)
    ax = plot.embedding(model, labels=labels)
    assert legend_names(ax) == ["a", "missing"]
    assert colour_at(ax, model.embedding_[0]) == to_rgba(COLOURS[0])
    assert [colour_at(ax, model.embedding_[row]) for row in (1, 2)] == [to_rgba(NEUTRAL)] * 2


@pytest.mark.parametrize("values", [np.linspace(0, 1, N_ROWS), np.arange(N_ROWS)], ids=["floats", "many integers"])
def test_numbers_have_a_colour_bar(model, values):
    ax = plot.embedding(model, labels=pd.Series(values, name="dose"))
    assert ax.get_legend() is None
    assert bar_label(ax) == "dose"
    pixels(ax)
    assert colour_at(ax, model.embedding_[0]) == pytest.approx(VIRIDIS(0.0))
    assert colour_at(ax, model.embedding_[-1]) == pytest.approx(VIRIDIS(1.0))


@pytest.mark.parametrize("known", [0, 1, 200])
def test_missing_numbers_are_grey(model, known):
    values = np.full(N_ROWS, np.nan)
    values[:known] = np.arange(known)
    ax = plot.embedding(model, labels=values)
    assert pixels(ax).std() > 5
    assert colour_at(ax, model.embedding_[-1]) == to_rgba(NEUTRAL)
    assert bar_label(ax) == "grey: missing"


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
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def oklab(linear):
    """Ottosson's perceptual space, in which distances are differences seen."""
    to_cones = [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
    to_lab = [[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]]
    return np.cbrt(np.clip(linear, 0, 1) @ np.transpose(to_cones)) @ np.transpose(to_lab)


def linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def smallest_distance(colours):
    return np.linalg.norm(colours[:, None] - colours, axis=2)[np.triu_indices(len(colours), 1)].min()


@pytest.mark.parametrize("vision", COLOUR_VISION)
def test_colours_are_told_apart_with_any_colour_vision(vision):
    rgb = np.array([to_rgb(colour) for colour in [*COLOURS, "white"]])
    seen = oklab(linear(rgb) @ np.transpose(COLOUR_VISION[vision]))
    # Okabe and Ito's own eight colours reach 0.076.
    assert smallest_distance(seen) > (0.12 if vision == "normal" else 0.07)


@pytest.mark.parametrize(("n_colours", "apart"), [(20, 0.12), (40, 0.1), (MOST_COLOURS, 0.06)])
def test_many_colours_differ_from_each_other_and_from_paper_and_grey(n_colours, apart):
    colours = colours_for(n_colours)
    assert colours[: len(COLOURS)] == list(COLOURS)
    rgb = np.array([to_rgb(colour) for colour in [*colours, NEUTRAL, "white"]])
    assert smallest_distance(perceived(rgb)) > apart
    assert np.allclose(perceived(rgb), oklab(linear(rgb)))


# The map coloured by one number per row


def test_a_feature_colours_the_map_by_its_importance(model):
    ax = plot.feature(model, 20)
    (points,) = scatters(ax)
    importance = model.feature_importance()[:, 20]
    assert np.allclose(np.sort(points.get_array()), np.sort(importance))
    pixels(ax)
    for row in (importance.argmax(), importance.argmin()):
        assert colour_at(ax, model.embedding_[row]) == pytest.approx(VIRIDIS(importance[row] / importance.max()))
    assert ax.get_title().splitlines()[0] == "Where feature 20 varies"
    assert bar_label(ax) == "local variation (importance)"


def test_a_feature_colours_the_map_by_its_values(model, digits):
    values = digits[:N_ROWS, 20].copy()
    values[4] = np.nan
    ax = plot.feature(model, -44, values=values)
    pixels(ax)
    assert colour_at(ax, model.embedding_[0]) == pytest.approx(VIRIDIS(values[0] / np.nanmax(values)))
    assert colour_at(ax, model.embedding_[4]) == to_rgba(NEUTRAL)
    assert ax.get_title().splitlines()[0] == "Values of feature 20"
    assert bar_label(ax) == "value · grey: missing"


def test_a_feature_is_found_by_its_name(model):
    names = [f"pixel_{column}$" for column in range(64)]
    by_name, by_number = plot.feature(model, "pixel_9$", feature_names=names), plot.feature(model, 9)
    assert by_name.get_title().splitlines()[0] == "Where pixel_9$ varies"
    assert np.array_equal(scatters(by_name)[0].get_array(), scatters(by_number)[0].get_array())


@pytest.mark.parametrize("function", ["feature", "arrow_field"])
@pytest.mark.parametrize("feature", [64, -65, 1.5, True, None, "height"])
def test_a_feature_that_is_not_there_is_named(model, function, feature):
    with pytest.raises(InvalidParameterError, match=rf"^{function}\(feature={feature!r}\): "):
        getattr(plot, function)(model, feature)


def test_a_name_that_two_features_share_is_refused(model):
    message = r"^feature\(feature='twice'\): feature must be .*; 2 features have this name"
    with pytest.raises(InvalidParameterError, match=message):
        plot.feature(model, "twice", feature_names=["twice", "twice", *map(str, range(62))])


def test_consistency_colours_the_map(model, model_with_copies):
    ax = plot.consistency(model)
    (points,) = scatters(ax)
    consistency = model.consistency()
    assert np.allclose(np.sort(points.get_array()), np.sort(consistency))
    pixels(ax)
    lowest = colour_at(ax, model.embedding_[consistency.argmin()])
    assert lowest == pytest.approx(VIRIDIS(0.0))
    assert bar_label(ax).startswith("agreement with neighbors")
    ax = plot.consistency(model_with_copies)  # points without directions are grey
    assert colour_at(ax, model_with_copies.embedding_[0]) == to_rgba(NEUTRAL)
    assert bar_label(ax).endswith("grey: missing")


@pytest.mark.parametrize("draw", [plot.consistency, partial(plot.feature, feature=0)], ids=["consistency", "feature"])
def test_a_sample_of_many_points_is_coloured_on_all_of_them(model, monkeypatch, draw):
    monkeypatch.setattr("featmap.plot.parts.model.some_of.__defaults__", (100,))
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
        assert colour_at(panel, model.embedding_[0]) == pytest.approx(VIRIDIS(0.0))
        assert [points.get_clim() for points in scatters(panel)] == [(-3, 5)]


def by_name(model, n_maps):
    return plot.compare({f"map {number}": model.embedding_ for number in range(n_maps)})


def with_titles_in_two_rows(model, n_maps):
    return plot.density([model] * n_maps)


@pytest.mark.parametrize(
    ("draw", "n_maps"), [*((by_name, n_maps) for n_maps in (1, 2, 3, 5, 7, 12, 36)), (with_titles_in_two_rows, 6)]
)
def test_panels_do_not_overlap(model, draw, n_maps):
    ax = draw(model, n_maps)
    pixels(ax)
    boxes = [panel.get_tightbbox() for panel in ax.child_axes]
    assert len(boxes) == n_maps
    assert not overlapping(boxes)
    assert min(box.width for box in boxes) > 80


def test_maps_of_other_dimensions_are_drawn_by_two_and_say_so(model, rng):
    ax = plot.compare({"one": model.embedding_[:, :1], "four": rng.normal(size=(50, 4))})
    assert [panel.get_title() for panel in ax.child_axes] == ["one", "four\n(2 of 4 dimensions)"]
    assert not any(panel.get_xlabel() or panel.get_ylabel() for panel in ax.child_axes)


def test_maps_of_other_methods_and_frames_are_compared_too(model, digits):
    tsne = TSNE(init="random", max_iter=250, random_state=0).fit(digits[:N_ROWS])
    ax = plot.compare({"TSNE": tsne, "pipeline": make_pipeline(tsne), "frame": pd.DataFrame(model.embedding_)})
    for panel, embedding in zip(ax.child_axes, [tsne.embedding_, tsne.embedding_, model.embedding_], strict=True):
        assert colour_at(panel, embedding[7])


A_MAP = r"^compare\(maps=.*\): (maps|a map) must be"
REFUSED = [
    *((plot.embedding, {"labels": labels}, rf"labels.*{N_ROWS}") for labels in ([1, 2], np.zeros((N_ROWS, 2)))),
    *(
        (plot.feature, {"feature": 0, "values": values}, r"^feature\(values=…\): values must be")
        for values in ([1, 2], np.zeros((N_ROWS, 2)), ["a"] * N_ROWS)
    ),
    *((plot.compare, {"maps": maps}, A_MAP) for maps in ({}, [1], None)),
    *((plot.compare, {"maps": {"bad": bad}}, A_MAP) for bad in (np.zeros((3, 2, 2)), [[1.0, np.nan]], 3)),
    *(
        (plot.density, {"model": models}, r"^density\(model=…\): model must be a fitted FeatMAP .*; got")
        for models in ([], None, "models", 3)
    ),
]


@pytest.mark.parametrize(("draw", "given", "message"), REFUSED)
def test_what_does_not_fit_the_map_is_refused(model, draw, given, message):
    error = InvalidDataError if "labels" in given else InvalidParameterError
    with pytest.raises(error, match=message):
        draw(**({} if draw is plot.compare else {"model": model}) | given)


def test_labels_must_fit_all_maps(model, labels):
    with pytest.raises(InvalidDataError, match=r"^compare\(labels=…\): labels must have one label per row"):
        plot.compare({"one": model, "two": model.embedding_[:-1]}, labels=labels)
