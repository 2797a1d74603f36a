"""Arrows: those of a row on the map, one feature all over the map, one row on a page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from matplotlib import pyplot
from matplotlib.quiver import Quiver
from scipy.stats import false_discovery_control

from drawn import legend_names, only, overlapping, pixels, scatters, shown_columns, texts, with_embedding
from featmap import FeatMAP, FeatmapError, InvalidParameterError, explain, plot
from featmap.explanation.chance import arrow_p_values
from featmap.explanation.neighborhoods import Neighborhoods
from featmap.explanation.regression import default_neighbors
from featmap.plot.arrow_field import islands_without_slope, rows_of_field
from featmap.plot.parts.canvas import shortened

N_ROWS = 300


def steps(panel):
    """Return how the arrows are drawn, in coordinates of the map."""
    drawn = only(panel, Quiver)
    return np.column_stack([drawn.U, drawn.V])


def parallel(drawn, arrows):
    """Tell whether all arrows are the given ones, times one factor."""
    factor = np.linalg.norm(drawn) / np.linalg.norm(arrows)
    return np.allclose(drawn, factor * arrows, atol=1e-6 * np.abs(drawn).max())


@pytest.fixture(scope="module")
def row_with_most_arrows(model):
    return int(model.significant_arrows().sum(axis=1).argmax())


@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("kind", ["blend", "tangent", "frame", "map"])
def test_arrows_are_on_the_map_at_the_row_for_the_features_the_map_shows_best(model, row_with_most_arrows, k, kind):
    row = row_with_most_arrows
    panel = plot.local_frame(model, row, k=k, kind=kind).child_axes[0]
    pixels(panel)
    columns = shown_columns(model, row, k)
    assert len(columns) == k
    assert np.array_equal(only(panel, Quiver).get_offsets(), np.tile(model.embedding_[row], (k, 1)))
    arrows = model.arrows([row], kind)[0][columns]
    assert parallel(steps(panel), arrows)
    drawn = [column for column, arrow in zip(columns, arrows, strict=True) if arrow.any()]
    assert drawn == list(columns) or kind == "frame"  # in the plane of a frame a feature may not vary at all
    assert [text.get_text() for text in texts(panel, "feature")] == [f"feature {column}" for column in drawn]


@pytest.fixture(scope="module")
def mostly_noise():
    """A map of two features; the other three are noise that is as wide as the signal."""
    rng = np.random.default_rng(0)
    signal = np.sort(rng.uniform(size=(400, 1)), axis=0)
    data = np.column_stack([signal, signal**2, rng.normal(size=(400, 3))])
    return explain(data, np.column_stack([signal[:, 0], rng.uniform(0, 0.1, size=400)]))


def test_features_are_not_chosen_by_importance(mostly_noise):
    """Wide noise has importance, but the map does not show it."""
    assert set(np.argsort(-mostly_noise.feature_importance([200])[0])[:3]) == {2, 3, 4}
    panel = plot.local_frame(mostly_noise, 200, kind="map").child_axes[0]
    assert sorted(text.get_text() for text in texts(panel, "feature")) == ["feature 0", "feature 1"]


def test_features_of_chance_get_no_arrow_and_the_picture_says_so(rng):
    explanation = explain(rng.normal(size=(400, 30)), rng.normal(size=(400, 2)))
    ax = plot.local_frame(explanation, 0)
    pixels(ax)
    assert not [one for one in ax.child_axes[0].collections if isinstance(one, Quiver)]
    (text,) = texts(ax, "nothing")
    assert text.get_text() == "no feature changes across the map here\nmore than by chance"


def test_arrows_without_length_are_not_said_to_be_chance(mostly_noise):
    """The best arrows of all features together have no length."""
    assert shown_columns(mostly_noise, 200, 9).tolist() == [0, 1]
    assert not mostly_noise.arrows([200]).any()
    (text,) = texts(plot.local_frame(mostly_noise, 200), "nothing")
    assert text.get_text() == "no arrows here: they would have no length,\nthe map tells too little of the features"
    caption = plot.arrow_field(mostly_noise, 0).get_xlabel().replace("\n", " ")
    assert caption.startswith("The arrows have no length: the map tells too little of the features.")
    assert mostly_noise.why(200).changes == ()


def test_arrows_fade_with_what_the_map_shows(model, monkeypatch):
    explained = np.zeros((1, 64))
    explained[0, [20, 28, 36]] = 0.6, 0.4, 0.46
    monkeypatch.setattr(FeatMAP, "explained_variance", lambda self, rows: np.repeat(explained, len(rows), axis=0))
    monkeypatch.setattr(FeatMAP, "significant_arrows", lambda self, rows: explained > 0)
    panel = plot.local_frame(model, 5).child_axes[0]
    assert [text.get_text() for text in texts(panel, "feature")] == ["feature 20", "feature 36", "feature 28"]
    alpha = only(panel, Quiver).get_facecolors()[:, 3]
    assert alpha[0] == 1
    assert 0.5 < alpha[2] < alpha[1] < 1


LONG = [f"größe_$_{'x' * 150}_{feature}_µm²" for feature in range(64)]


@pytest.mark.parametrize("names", [None, LONG], ids=["numbers", "long unicode names"])
@pytest.mark.parametrize("k", [3, 20])
@pytest.mark.parametrize("row", [0, 11])
def test_names_neither_overlap_nor_leave_their_panel(model, row, k, names):
    panel = plot.local_frame(model, row, k=k, feature_names=names).child_axes[0]
    pixels(panel)
    boxes = [text.get_window_extent() for text in texts(panel, "feature")]
    assert 1 < len(boxes) <= k
    assert not overlapping(boxes)
    assert all(panel.bbox.padded(1).contains(*corner) for box in boxes for corner in (box.min, box.max))


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_names_in_neighbouring_pictures_do_not_overlap(model, layout):
    figure, grid = pyplot.subplots(2, 2, figsize=(12, 9), layout=layout)
    n_arrows = model.significant_arrows(np.arange(100)).sum(axis=1)
    for row, ax in zip(np.argsort(-n_arrows, kind="stable"), grid.flat, strict=False):
        plot.local_frame(model, row, k=6, feature_names=LONG, ax=ax)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for ax in grid.flat for text in texts(ax, "feature")]
    assert len(boxes) > 12
    assert not overlapping(boxes)


def test_names_are_near_the_heads_of_their_arrows(model):
    panel = plot.local_frame(model, 5, k=4).child_axes[0]
    pixels(panel)
    heads = panel.transData.transform(model.embedding_[5] + steps(panel))
    for text, head in zip(texts(panel, "feature"), heads, strict=True):
        box = text.get_window_extent()
        assert np.linalg.norm(head - np.clip(head, box.min, box.max)) < 40


def test_surroundings_are_seen_large_and_marked_on_the_whole_map(model):
    ax = plot.local_frame(model, 5)
    pixels(ax)
    surroundings, the_map = ax.child_axes
    assert np.ptp(surroundings.get_xlim()) < np.ptp(the_map.get_xlim())
    drawn = surroundings.transData.transform(model.embedding_[5] + steps(surroundings))
    centre = surroundings.transData.transform(model.embedding_[5])
    reach = np.linalg.norm(drawn - centre, axis=1).max() / surroundings.bbox.height
    assert 0.25 < reach < 0.5  # from the middle of the panel
    (square,) = [patch for patch in the_map.patches if patch.get_gid() == "zoomed"]
    low, high = surroundings.transData.inverted().transform(surroundings.bbox.get_points())
    assert (square.get_xy() >= low - 1e-6).all()
    assert (np.add(square.get_xy(), square.get_width()) <= high + 1e-6).all()
    assert (np.abs(square.get_center() - model.embedding_[5]) < 1e-4).all()
    assert all(panel.findobj(lambda one: one.get_gid() == "mark") for panel in ax.child_axes)


def test_captions_are_plain_words(model):
    ax = plot.local_frame(model, 5, k=3)
    caption = ax.child_axes[0].get_xlabel()
    drawn, arrows = steps(ax.child_axes[0]), model.arrows([5])[0][shown_columns(model, 5, 3)]
    longest = np.linalg.norm(arrows, axis=1).argmax()
    rise = np.linalg.norm(drawn[longest]) * np.linalg.norm(arrows[longest])
    name = f"feature {shown_columns(model, 5, 3)[longest]}"
    assert f"Along the longest arrow, {name} rises by {rise:.2g}." in caption.replace("\n", " ")
    assert ax.get_title().splitlines()[0] == "What changes across the map around row 5"
    written = caption + ax.get_title()
    assert not any(jargon in written for jargon in ("v₁", "unit of the map", "fidelity", "tangent", "cos"))
    of_the_paper = plot.local_frame(model, 5, kind="frame").child_axes[0].get_xlabel()
    assert "rises by" not in of_the_paper  # its arrows have no unit


@pytest.mark.parametrize("draw", [plot.arrow_field, plot.local_frame, plot.why])
def test_captions_end_with_how_far_to_trust_arrows(model, draw):
    ax = draw(model, 20)
    panel = ax.child_axes[0] if draw is not plot.arrow_field else ax
    assert panel.get_xlabel().replace("\n", " ").endswith(model.trust().sentence)


def test_names_come_from_the_argument_else_from_the_fit(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["weight", "height", "age"])
    model = FeatMAP(n_epochs=50, random_state=0).fit(frame)
    columns = shown_columns(model, 0, 3)
    fitted = [text.get_text() for text in texts(plot.local_frame(model, 0), "feature")]
    assert fitted == [frame.columns[column] for column in columns][: len(fitted)]
    given = texts(plot.local_frame(model, 0, feature_names=np.array(["a", "b", "c"])), "feature")
    assert [text.get_text() for text in given] == ["abc"[column] for column in columns][: len(given)]
    assert given
    with pytest.raises(InvalidParameterError, match=r"feature_names.*3"):
        plot.local_frame(model, 0, feature_names=["a", "b"])


def test_long_names_keep_their_beginning_and_end(model):
    (label,) = texts(plot.local_frame(model, 5, k=1, feature_names=LONG), "feature")
    assert label.get_text().startswith("größe")
    assert label.get_text().endswith("µm²")
    assert "…" in label.get_text()


def test_rows_count_from_the_end_too(model):
    title = plot.local_frame(model, -1).get_title()
    assert title.startswith(f"What changes across the map around row {N_ROWS - 1}\n")


def test_a_frame_of_three_dimensions_is_seen_along_two(digits):
    model = FeatMAP(n_components=3, n_epochs=50, random_state=0).fit(digits[:200])
    panel = plot.local_frame(model, 1, k=4).child_axes[0]
    assert len(steps(panel)) == 4
    assert parallel(steps(panel), model.arrows([1])[0][shown_columns(model, 1, 4), :2])
    assert "dimension 1 of 3" in panel.get_xlabel()
    assert panel.get_ylabel() == "map dimension 2 of 3"


def test_a_point_among_its_copies_has_no_directions_and_says_so(model_with_copies):
    assert not model_with_copies.feature_importance([0]).any()
    ax = plot.local_frame(model_with_copies, 0)
    pixels(ax)
    said = "no directions here:\nrow 0 has no neighbours, or all are equal to it"
    assert [text.get_text() for text in texts(ax, "nothing")] == [said]


def test_features_that_do_not_vary_get_no_arrow(rng):
    rows = rng.normal(size=(300, 3))
    rows[:, 1] = 3
    panel = plot.local_frame(explain(rows, rows[:, [0, 2]]), 0).child_axes[0]
    assert sorted(text.get_text() for text in texts(panel, "feature")) == ["feature 0", "feature 2"]


def test_new_rows_have_the_old_map_around_them(model, digits):
    new = model.explain(digits[N_ROWS : N_ROWS + 5])
    surroundings, the_map = plot.local_frame(new, 2).child_axes
    pixels(surroundings)
    low, high = surroundings.transData.inverted().transform(surroundings.bbox.get_points())
    seen = ((model.embedding_ > low) & (model.embedding_ < high)).all(axis=1)
    drawn = np.vstack([points.get_offsets() for points in scatters(surroundings)])
    assert seen.sum() > 10
    assert {tuple(place) for place in model.embedding_[seen].tolist()} <= {tuple(place) for place in drawn.tolist()}
    assert any(len(points.get_offsets()) == N_ROWS for points in scatters(the_map))


# One feature all over the map


@pytest.fixture(scope="module")
def slopes():
    """Two islands. Feature 0 rises across both, feature 1 is high on one of them, feature 2 is noise."""
    rng = np.random.default_rng(0)
    positions = np.vstack([rng.uniform(size=(400, 2)), rng.uniform(size=(400, 2)) + np.array([5, 0])])
    on_second = np.repeat([0.0, 1.0], 400)
    noise = rng.normal(size=(2, 800))
    data = np.column_stack([positions[:, 1], 5 * on_second + 0.1 * noise[0], noise[1]])
    return explain(data, positions), data


@pytest.mark.parametrize("kind", ["tangent", "map"])
def test_a_field_has_the_arrows_of_its_rows_where_they_are(slopes, kind):
    model, _ = slopes
    ax = plot.arrow_field(model, 0, kind=kind, grid=20)
    drawn = only(ax, Quiver)
    places = np.asarray(drawn.get_offsets(), np.float32)
    rows = [np.flatnonzero((model.embedding_ == place).all(axis=1))[0] for place in places]
    assert len(rows) > 10
    assert parallel(steps(ax), model.arrows(rows, kind)[:, 0])
    assert drawn.pivot == "middle"
    assert steps(ax)[:, 1].min() > 0


def test_a_field_has_arrows_only_where_the_feature_changes_more_than_by_chance(slopes):
    model, _ = slopes
    rows, _ = rows_of_field(model.embedding_, 25)
    points = model._points
    around = Neighborhoods.around(points, rows.astype(np.int32), default_neighbors(800), points.mapped.copies)
    p_values = arrow_p_values(points, rows, around)
    found = []
    for feature in (0, 2):
        beats_chance = false_discovery_control(p_values[:, feature]) <= 0.05  # over the rows of one field
        expected = beats_chance & (model.explained_variance(rows)[:, feature] > 0)
        places = only(plot.arrow_field(model, feature), Quiver).get_offsets()
        assert np.array_equal(np.asarray(places, np.float32).reshape(-1, 2), model.embedding_[rows[expected]])
        found.append(expected)
    assert found[0][around.n_effective >= 10].all()  # it rises all over the map; a few rows alone would not tell
    assert found[1].mean() <= 0.05


def test_arrows_of_a_field_fade_with_what_the_map_shows(slopes, monkeypatch):
    model, _ = slopes

    def explained(self, rows):
        return np.column_stack([np.linspace(0.2, 0.9, len(rows)), np.zeros((len(rows), 2))])

    monkeypatch.setattr(type(model), "explained_variance", explained)
    alpha = only(plot.arrow_field(model, 0, grid=10), Quiver).get_facecolors()[:, 3]
    assert (np.diff(alpha) >= 0).all()
    assert 0.2 < alpha[0] < 0.7
    assert alpha[-1] == 1


def test_cells_with_few_points_get_no_arrow():
    dense = np.random.default_rng(0).uniform(size=(500, 2))
    bridge = np.column_stack([np.linspace(1, 3, 9), np.full(9, 0.5)])
    positions = np.vstack([dense, bridge, dense + np.array([3, 0])])
    rows, width = rows_of_field(positions, 10)
    assert width == pytest.approx(0.4, rel=0.01)
    assert not set(rows) & set(range(501, 508))
    assert len(rows) > 12


def test_a_row_of_a_field_is_the_one_nearest_to_the_mean_of_its_cell():
    positions = np.array([[0.0, 0.0], [0.9, 0.9], [1.2, 1.2], [4.0, 4.0], [3.9, 0.1], [3.0, 1.0], [3.2, 0.8]])
    rows, width = rows_of_field(positions, 2)
    assert width == 2
    assert rows.tolist() == [1, 3, 6]


def test_a_feature_that_marks_an_island_but_has_no_slope_says_so(slopes):
    model, data = slopes
    ax = plot.arrow_field(model, 1)
    pixels(ax)
    labels = {text.get_text(): text for text in texts(ax, "no slope")}
    assert set(labels) == {"high here,\nno slope", "low here,\nno slope"}
    box = labels["high here,\nno slope"].get_window_extent()
    island = ax.transData.transform(model.embedding_[data[:, 1] > 2])
    centre = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    others = ax.transData.transform(model.embedding_[data[:, 1] < 2])
    assert np.linalg.norm(island - centre, axis=1).min() < np.linalg.norm(others - centre, axis=1).min()
    assert not texts(plot.arrow_field(model, 0), "no slope")
    assert not texts(plot.arrow_field(model, 2), "no slope")


def test_an_island_has_no_slope_where_the_map_shows_little_of_the_feature(rng):
    positions = np.vstack([rng.uniform(size=(100, 2)), rng.uniform(size=(200, 2)) + 9])
    values = np.repeat([1.0, 0.0], [100, 200])
    rows = np.arange(0, 300, 10)

    def said(explained):
        return [label.text for label in islands_without_slope(positions, values, rows, np.full(30, explained))]

    assert said(0.05) == ["high here,\nno slope"]
    assert said(0.3) == []
    assert islands_without_slope(positions[:100], values[:100], rows[:10], np.zeros(10)) == []


def test_a_field_shows_the_values_of_the_feature(model, digits):
    ax = plot.arrow_field(model, 20)
    (points,) = scatters(ax)
    places = np.asarray(points.get_offsets(), np.float32)
    rows = [np.flatnonzero((model.embedding_ == place).all(axis=1))[0] for place in places]
    assert np.allclose(points.get_array(), digits[rows, 20])
    assert points.get_zorder() < only(ax, Quiver).get_zorder()


def test_values_of_sparse_data_are_those_that_were_given(rng):
    data = scipy.sparse.random_array((200, 9), density=0.3, rng=rng, format="csr")
    (points,) = scatters(plot.arrow_field(explain(data, rng.normal(size=(200, 2))), 3))
    assert np.allclose(np.sort(points.get_array()), np.sort(data.toarray()[:, 3]), atol=1e-6)


def test_arrows_of_a_field_are_about_a_cell_long(slopes, monkeypatch):
    model, _ = slopes
    arrows = type(model).arrows
    for longest in (1, 100):

        def lengthened(self, rows, kind, longest=longest):
            return arrows(self, rows, kind) * np.where(np.arange(len(rows)) == 0, longest, 1)[:, None, None]

        monkeypatch.setattr(type(model), "arrows", lengthened)
        ax = plot.arrow_field(model, 0, grid=20)
        in_cells = np.linalg.norm(steps(ax), axis=1) / rows_of_field(model.embedding_, 20)[1]
        assert in_cells.max() <= 1.6001
        assert in_cells.max() == pytest.approx(1.6) or np.quantile(in_cells, 0.9) == pytest.approx(1)


def test_a_feature_that_does_not_vary_has_a_field_without_arrows(digits):
    ax = plot.arrow_field(FeatMAP(n_epochs=5, random_state=0).fit(digits[:100]), 0)
    pixels(ax)
    assert not len(only(ax, Quiver).U)
    assert "Nowhere does feature 0 change across the map more than by chance." in ax.get_xlabel().replace("\n", " ")


@pytest.mark.parametrize("grid", [0, 1, 61, 2.5, True, "ten"])
def test_a_grid_must_be_a_number_of_cells(model, grid):
    with pytest.raises(InvalidParameterError, match=r"^arrow_field\(grid=.*\): grid must be an integer from 2 to 60"):
        plot.arrow_field(model, 0, grid=grid)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *(
            (name, rf"^{name}\(model=…\): the map must have two or more dimensions")
            for name in ("arrow_field", "why")
        ),
        ("local_frame", "n_components >= 2"),
    ],
)
def test_arrows_need_two_dimensions(model, name, message):
    with pytest.raises(InvalidParameterError, match=message):
        getattr(plot, name)(with_embedding(model, model.embedding_[:, :1]), 0)


# One row on a page


def test_a_page_has_arrows_map_bars_and_pixels_of_the_same_row(model, labels, digits):
    ax = plot.why(model, 5, k=4, image_shape=(8, 8), image=digits[5], labels=labels)
    pixels(ax)
    surroundings, the_map, bars, image = ax.child_axes
    columns = shown_columns(model, 5, 4)
    assert parallel(steps(surroundings), model.arrows([5])[0][columns])
    marks = [one for one in the_map.collections if one.get_gid() == "mark"]
    assert all(np.array_equal(mark.get_offsets()[0], model.embedding_[5]) for mark in marks)
    assert len(marks) == 2
    assert legend_names(the_map) == [str(digit) for digit in range(10)]
    assert [text.get_text() for text in texts(surroundings, "feature")] == [pixel_name(column) for column in columns]
    apart = model.why(5, 4).apart
    assert [bar.get_width() for bar in bars.patches] == [line.z for line in apart]
    assert [label.get_text() for label in bars.get_yticklabels()] == [pixel_name(line.column) for line in apart]
    assert [text.get_text() for text in texts(bars, "values")] == [line.values for line in apart]
    (own,) = (line for line in bars.get_lines() if line.get_gid() == "own")
    assert np.allclose(own.get_xdata(), [(line.own - line.overall) / line.spread for line in apart])
    drawn = image.get_images()[0].get_array().ravel()
    assert np.allclose([drawn[line.column] for line in apart], [line.score for line in apart])
    squares = [patch.get_xy() for patch in image.patches if patch.get_gid() == "named"]
    assert {(x + 0.5, y + 0.5) for x, y in squares} == {(line.column % 8, line.column // 8) for line in apart}
    assert image.collections


def pixel_name(column):
    return f"row {column // 8}, column {column % 8}"


def test_a_page_names_what_varies_but_is_hidden(rng):
    """Two features that go with each other, but not with the place on the map."""
    Y = rng.uniform(size=(600, 2))
    level = 0.1 * rng.normal(size=600)
    data = np.column_stack([Y, Y.sum(axis=1), Y[:, 0] - Y[:, 1], level, level + 0.02 * rng.normal(size=600)])
    explanation, names = explain(data, Y), ["a", "b", "c", "d", "level", "like it"]
    bars = plot.why(explanation, 340, feature_names=names).child_axes[2]
    hidden = [names[line.column] for line in explanation.why(340).hidden]
    assert sorted(hidden) == ["level", "like it"]
    assert bars.get_xlabel().replace("\n", " ").endswith(f"does not show it: {', '.join(hidden)}")


@pytest.mark.parametrize("options", [{}, {"image_shape": (8, 8)}], ids=["wide bars", "pixels"])
def test_a_page_names_what_sets_the_row_itself_apart(model, digits, labels, options):
    data = np.array(digits[: len(model.embedding_)], float)
    data[5, [28, 36, 44, 20]] = 60
    changed = explain(data, model.embedding_)
    ax = plot.why(changed, 5, labels=labels, feature_names=LONG, **options)
    pixels(ax)
    unlike = changed.why(5).unlike
    assert len(unlike) == 4
    named = "; ".join(f"{shortened(LONG[line.column])}: {line.values}" for line in unlike[:3])
    assert f"The row itself is unlike them: {named}" in ax.child_axes[2].get_xlabel().replace("\n", " ")
    assert len(ax.child_axes) == 3 + len(options)
    assert not overlapping([panel.get_tightbbox() for panel in ax.child_axes])
    assert "The row itself" not in plot.why(model, 5).child_axes[2].get_xlabel()


def test_a_page_passes_on_the_kind_of_arrows(model):
    panel = plot.why(model, 5, kind="frame").child_axes[0]
    assert parallel(steps(panel), model.arrows([5], "frame")[0][shown_columns(model, 5, 5)])


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
    with pytest.raises(FeatmapError, match=rf"^why\({named}\): \w+ must "):
        plot.why(model, 5, **options)
    assert not pyplot.get_fignums()
