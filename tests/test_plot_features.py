"""Names of features on the map, places of names, names of pixels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from matplotlib.colors import to_rgba

from drawn import colour_at, overlapping, pixels, texts
from featmap import InvalidParameterError, explain, plot
from featmap.explanation.winsor import winsorised
from featmap.plot.features_on_map import CellScores, apart_scores, regions_of
from featmap.plot.parts.cloud import cells_of, nearest_to_means
from featmap.plot.parts.colours import NEUTRAL
from featmap.plot.parts.placed_labels import Wish, densest_place, place_boxes
from featmap.run import Run

CENTRES = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]])


@pytest.fixture(scope="module")
def four_islands():
    """Feature 0 is high on the first island, 1 on the second, 2 is low on the third. The fourth is like all."""
    rng = np.random.default_rng(0)
    island = np.repeat(np.arange(4), 100)
    data = rng.normal(size=(400, 6))
    data[island == 0, 0] += 6
    data[island == 1, 1] += 9
    data[island == 2, 2] -= 6
    return explain(data, CENTRES[island] + rng.uniform(size=(400, 2))), island


def island_of(ax, text):
    """Return the island whose middle is nearest to a text."""
    box = text.get_window_extent()
    return int(np.linalg.norm(ax.transData.transform(CENTRES + 0.5) - (box.min + box.max) / 2, axis=1).argmin())


def test_features_that_set_regions_apart_are_named_there(four_islands):
    model, _ = four_islands
    ax = plot.features_on_map(model)
    pixels(ax)
    found = {island_of(ax, text): text.get_text().split("\n")[0] for text in texts(ax, "region")}
    assert (found[0], found[1], found[2]) == ("↑ feature 0", "↑ feature 1", "↓ feature 2")
    assert not overlapping([text.get_window_extent() for text in texts(ax, "region")])


def test_scores_may_be_given_as_an_array_or_a_function(four_islands):
    model, island = four_islands
    scores = np.zeros((400, 6))
    scores[island == 3, 4] = -2.0
    scores[island == 0, 5] = 1.0
    asked = []

    def score(rows):
        asked.append(rows)
        return scores[rows]

    for given in (scores, score):
        ax = plot.features_on_map(model, scores=given, feature_names=list("abcdef"))
        pixels(ax)
        larger, smaller = texts(ax, "region")
        assert {island_of(ax, text): text.get_text() for text in (larger, smaller)} == {3: "↓ e", 0: "↑ f"}
        assert larger.get_fontsize() > smaller.get_fontsize()
        assert colour_at(ax, model.embedding_[150])[:3] == to_rgba(NEUTRAL)[:3]
        assert colour_at(ax, model.embedding_[0]) != colour_at(ax, model.embedding_[399])
    assert np.array_equal(np.sort(np.concatenate(asked)), np.arange(400))


def test_a_map_without_differences_says_so(four_islands):
    ax = plot.features_on_map(four_islands[0], scores=np.zeros((400, 6)))
    assert not texts(ax, "region")
    assert "No feature sets a region of this map apart." in ax.get_xlabel()


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("n_names", [1, 5])
def test_no_more_regions_and_names_than_asked_for(four_islands, k, n_names):
    found = texts(plot.features_on_map(four_islands[0], k=k, n_names=n_names), "region")
    assert len(found) == k
    assert all(len(text.get_text().split("\n")) <= n_names for text in found)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        *(("n_names", wrong, r"n_names=.*\): n_names must be an integer") for wrong in (0, 6, 1.5, "three")),
        ("scores", np.zeros((3, 6)), r"scores=…\): .* shape \(400, 6\); got shape \(3, 6"),
        ("scale", "log", r"scale='log'\): scale must be"),
    ],
)
def test_wrong_parameters_are_named(four_islands, name, value, message):
    with pytest.raises(InvalidParameterError, match=rf"^features_on_map\({message}"):
        plot.features_on_map(four_islands[0], **{name: value})


def test_scores_of_sparse_data_are_those_of_dense_data(rng):
    table, positions = scipy.sparse.random_array((150, 8), density=0.3, rng=rng).toarray(), rng.normal(size=(150, 2))
    table[positions[:, 0] > 0, :3] += 1
    data = scipy.sparse.csr_matrix(table)
    drawn = [plot.features_on_map(explain(table, positions)) for table in (data, data.toarray())]
    first, second = ([text.get_text() for text in texts(ax, "region")] for ax in drawn)
    assert first == second != []


def test_many_rows_are_sampled(four_islands, monkeypatch):
    monkeypatch.setattr("featmap.plot.parts.model.some_of.__defaults__", (100,))
    asked = []
    plot.features_on_map(four_islands[0], scores=lambda rows: asked.append(rows) or np.zeros((len(rows), 6)))
    assert len(np.concatenate(asked)) == 100


def test_a_region_is_as_large_as_its_feature_nearly_leads():
    positions = np.column_stack([np.arange(8.0), np.zeros(8)])
    cells = cells_of(positions, 8)
    scores = np.array([[3, 0], [3, 0], [2.9, 3], [3, 0], [0, 0], [0, -4], [0, -4], [9, 0]], float)
    first, second, third = regions_of(cells, CellScores(scores, scores, cells.counts), 9, 2)
    assert [region.cells.tolist() for region in (first, second, third)] == [[0, 1, 2, 3], [7], [5, 6]]
    assert [region.columns.tolist() for region in (first, second, third)] == [[0, 1], [0], [1]]
    assert third.scores.tolist() == [-4]


def test_a_region_of_few_rows_has_no_name():
    """Its rows count, not its cells, and the cells of others stay as they are."""
    positions = np.column_stack([np.repeat(np.arange(5.0), [2, 3, 4, 1, 9]), np.zeros(19)])
    cells = cells_of(positions, 5)
    scores = np.array([[9, 0], [9, 0], [0, 2], [0, 2], [0, 0]], float)
    for fewest, expected in ((1, [[0, 1], [2, 3]]), (5, [[0, 1], [2, 3]]), (6, [])):
        for counts in (cells.counts, np.ones(5)):  # scores may be of a sample, but all rows count
            found = regions_of(cells, CellScores(scores, scores, counts), 9, 2, fewest)
            assert [region.cells.tolist() for region in found] == expected


def test_a_region_is_named_by_what_its_own_rows_and_those_around_them_have():
    """The first feature is high around the rows only, the second in the rows only, the third in both."""
    positions = np.column_stack([np.arange(3.0), np.zeros(3)])
    cells = cells_of(positions, 3)
    around = np.array([[4.0, 0.1, 2.0, -1.0]] * 3)
    own = np.array([[-0.1, 5.0, 1.5, -3.0]] * 3)
    (region,) = regions_of(cells, CellScores(around, own, cells.counts), 9, 4)
    assert region.columns.tolist() == [2, 3]
    assert region.scores.tolist() == [1.5, -1.0]
    assert not regions_of(cells, CellScores(around, -around, cells.counts), 9, 4)


@pytest.fixture(scope="module")
def with_a_speck():
    """A large island, and far from it eight rows; feature 0 is high on half of the island, 1 in the eight rows."""
    rng = np.random.default_rng(0)
    positions = np.vstack([rng.uniform(size=(300, 2)) * [6, 3], rng.uniform(size=(8, 2)) * 0.2 + 9])
    data = np.repeat(rng.normal(size=(308, 3)), 2, axis=1) + 0.1 * rng.normal(size=(308, 6))
    data[:150, :2] += 6 * (positions[:150, :1] > 3)
    data[300:, 2:4] += 9
    return explain(data, positions)


def test_rows_fewer_than_the_neighbours_of_a_row_are_no_region(with_a_speck):
    assert with_a_speck._points.mapped.manifold.n_neighbors == 15
    ax = plot.features_on_map(with_a_speck)
    named = [text.get_text() for text in texts(ax, "region")]
    assert any("feature 0" in text for text in named)
    assert not any("↑ feature 2" in text or "↑ feature 3" in text for text in named)
    assert colour_at(ax, with_a_speck.embedding_[304])[:3] == to_rgba(NEUTRAL)[:3]


def test_scores_of_rows_themselves_are_their_distances_from_the_mean(with_a_speck):
    _, own = apart_scores(with_a_speck, "spread")(np.arange(308))
    clipped = winsorised(with_a_speck._points.mapped, Run(1)).clipped(with_a_speck._points.mapped.data.matrix)
    expected = (clipped - clipped.mean(axis=0, dtype=float)) / clipped.std(axis=0, dtype=float)
    np.testing.assert_allclose(own, expected * with_a_speck.backing().factors, atol=1e-5)


def test_cells_that_touch_are_one_island():
    positions = np.array([[0.5, 0.5], [1.5, 1.5], [3.5, 3.5], [0.2, 0.8], [3.5, 0.5], [0.8, 0.5]])
    cells = cells_of(positions, 4)
    assert cells.of_points.tolist() == [0, 1, 3, 0, 2, 0]
    assert cells.counts.tolist() == [3, 1, 1, 1]
    assert cells.islands[0] == cells.islands[1]
    assert len(set(cells.islands.tolist())) == 3
    assert nearest_to_means(cells, positions).tolist() == [0, 1, 4, 2]


def test_the_densest_place_of_a_group_is_in_its_larger_part(rng):
    positions = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(20, 2)) + 30])
    assert np.linalg.norm(densest_place(positions)) < 1
    assert densest_place(np.array([[3.0, 4.0]])).tolist() == [3, 4]


# Places of names


ROOM = np.array([[0.0, 0.0], [200.0, 100.0]])
NOTHING = np.empty((0, 2))
SIZE, ANCHOR = np.array([40.0, 10.0]), np.array([100.0, 50.0])


def test_a_box_alone_is_where_it_wishes_or_next_to_it_in_the_room():
    centres, all_free = place_boxes([Wish(ANCHOR, SIZE)], ROOM, NOTHING)
    assert (centres.tolist(), all_free) == ([ANCHOR.tolist()], True)
    centres, all_free = place_boxes([Wish(np.array([199.0, 1.0]), SIZE)], ROOM, NOTHING)
    assert all_free
    assert (np.abs(centres - ROOM.mean(axis=0)) <= [80, 45]).all()


def test_boxes_at_one_place_are_moved_apart_and_stay_near():
    centres, all_free = place_boxes([Wish(ANCHOR, SIZE)] * 5, ROOM, NOTHING)
    gaps = np.abs(centres[:, None] - centres)[np.triu_indices(5, 1)]
    assert ((gaps[:, 0] >= 40 - 1e-9) | (gaps[:, 1] >= 10 - 1e-9)).all()
    assert np.linalg.norm(centres - ANCHOR, axis=1).max() < 60
    assert all_free


def test_a_box_beside_its_anchor_is_clear_of_it_and_on_the_wanted_side():
    for away in ([1.0, 0.0], [0.0, -1.0], [-0.6, 0.8]):
        ((centre,), _) = place_boxes([Wish(ANCHOR, SIZE, 5.0, np.array(away))], ROOM, NOTHING)
        outside = np.maximum(np.abs(centre - ANCHOR) - SIZE / 2, 0)
        assert np.linalg.norm(outside) > 2
        assert (centre - ANCHOR) @ away > 0


def test_boxes_do_not_cover_what_should_stay_visible():
    ((centre,), _) = place_boxes([Wish(ANCHOR, SIZE)], ROOM, ANCHOR[None])
    assert not (np.abs(centre - ANCHOR) < SIZE / 2).all()


def test_what_finds_no_place_overlaps_and_is_reported():
    wishes = [Wish(ANCHOR, np.array([190.0, 80.0]))] * 2
    centres, all_free = place_boxes(wishes, ROOM, NOTHING)
    assert not all_free
    assert (np.abs(centres - ROOM.mean(axis=0)) <= [5 + 1e-9, 10 + 1e-9]).all()


# Names of pixels


NAMED_PIXELS = {
    "arrow_field": lambda model, **options: plot.arrow_field(model, 29, **options),
    "why": lambda model, **options: plot.why(model, 5, **options),
    "feature": lambda model, **options: plot.feature(model, 29, **options),
    "features_on_map": lambda model, **options: plot.features_on_map(model, **options),
    "importance": lambda model, **options: plot.importance(model, 3, **options),
    "importance of groups": lambda model, **options: plot.importance(model, labels=np.arange(300) % 2, **options),
    "local_frame": lambda model, **options: plot.local_frame(model, 5, **options),
}


def written(ax):
    pixels(ax)
    return " ".join(text.get_text() for text in ax.findobj(lambda artist: hasattr(artist, "get_text")))


@pytest.mark.parametrize("name", NAMED_PIXELS)
def test_pixels_are_named_by_row_and_column(model, name):
    draw, names = NAMED_PIXELS[name], [f"x{number}" for number in range(64)]
    text = written(draw(model, image_shape=(8, 8)))
    assert "row 3, column 5" in text or text.count(", column ") > 1
    assert "feature 2" not in text
    assert ", column " not in written(draw(model))
    assert ", column " not in written(draw(model, image_shape=(8, 8), feature_names=names))
    with pytest.raises(InvalidParameterError, match=rf"^{name.split()[0]}\(image_shape=\(8, 7\)\): image_shape must"):
        draw(model, image_shape=(8, 7))


def test_channels_and_colours_of_a_pixel_have_names_of_their_own(model, rng):
    title = plot.feature(model, 29, image_shape=(4, 8, 2)).get_title()
    assert title.startswith("Where row 1, column 6, channel 1 varies")
    data = rng.normal(size=(60, 12))
    title = plot.feature(explain(data, data[:, :2]), 5, image_shape=(2, 2, 3)).get_title()
    assert title.startswith("Where row 0, column 1, blue varies")


def test_images_have_numbers_of_rows_and_columns(model):
    ax = plot.saliency(model, 3, image_shape=(8, 8))
    pixels(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("column", "row")
    assert {"0", "3", "7"} <= {label.get_text() for label in ax.get_xticklabels()}
