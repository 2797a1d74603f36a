"""Pictures of an answer and of findings, and what a notebook shows of them."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_digits, load_wine

pytest.importorskip("pandas", reason="frames need pandas")

from drawn import pixels, texts
from featmap import map_table, plot
from featmap.plot.answer import strips_of
from featmap.plot.parts.strips import Lane, Strip, draw_strip

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def wines():
    wine = load_wine(as_frame=True)
    names = np.array(["A", "B", "C"])[wine.target]
    return map_table(wine.data.assign(cultivar=names), "cultivar", unit="wine")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return map_table(X[:500].reshape(-1, 8, 8), [f"digit {label}" for label in y[:500]], n_epochs=60)


def drawn_by(ax, gid):
    return ax.findobj(lambda artist: artist.get_gid() == gid)


def test_a_moved_row_has_its_lines_its_ghost_and_its_changes(wines):
    row = next(why.row for why in wines.findings().rows if wines.why(why.row).move is not None)
    why = wines.why(row)
    ax = plot.why(wines, row)
    pixels(ax)
    assert ax.get_title(loc="left").replace("\n", " ") == f"Wine {row}: {why.sentence}"
    (arrow,) = drawn_by(ax, "move")
    at, to = arrow._posA_posB
    np.testing.assert_allclose(at, wines.embedding_[row])
    np.testing.assert_allclose(to, why.move.place)
    ends = {tuple(line.get_xydata()[1]) for line in drawn_by(ax, "nearest")}
    nearest = wines.model.neighbors_[0][row][: why.place.n]
    assert ends == {tuple(place) for place in wines.embedding_[nearest].astype(float)}
    strips = ax.child_axes[1:]
    assert len(strips) == min(len(why.move.changes), 3)
    for strip, change in zip(strips, why.move.changes, strict=False):
        (own,), (other,) = drawn_by(strip, "own"), drawn_by(strip, "other")
        assert (own.get_xdata()[0], other.get_xdata()[0]) == (change.value, change.to)
        assert strip.get_title(loc="left").startswith(change.feature)


def test_a_strip_has_all_rows_in_lanes(wines):
    row = 0
    ax = plot.why(wines, row)
    strip = next(strips_of(wines._map_answers(), wines.why(row)))
    panel = ax.child_axes[1]
    ticks = drawn_by(panel, "ticks")
    assert sum(len(lane.get_offsets()) for lane in ticks) == 178
    np.testing.assert_allclose(np.sort(ticks[0].get_offsets()[:, 0]), np.sort(strip.values[wines.labels == "A"]))
    assert [label.get_text() for label in panel.get_yticklabels()] == ["this wine", "A", "others"]


def test_levels_and_gaps_have_a_place_in_a_strip():
    ax = pyplot.figure().add_subplot()
    strip = Strip("ward", np.array([0.0, 1.0, np.nan, 1.0]), "south", None, ("north", "south"))
    draw_strip(ax, strip, [Lane("all", np.arange(4), "black")], "this row")
    assert drawn_by(ax, "own")[0].get_xdata()[0] == 1
    assert drawn_by(ax, "other") == []
    assert [label.get_text() for label in ax.get_xticklabels()] == ["north", "south"]
    pixels(ax)


def test_images_are_drawn_as_images(digits):
    why = digits.why(3)
    ax = plot.why(digits, 3)
    images = [panel.images[0].get_array() for panel in ax.child_axes[1:]]
    np.testing.assert_allclose(images[0], digits._map_answers().table.values[3].reshape(8, 8))
    assert len(images) == 3 + 10
    assert "brightness" not in ax.child_axes[0].get_xlabel()  # no pixel is named
    assert [panel.get_title() for panel in ax.child_axes[1:3]] == ["this image", "mean around it"]
    assert why.unit == "image"


def test_findings_are_on_the_map(wines, digits):
    ax = plot.findings(wines)
    pixels(ax)
    found = wines.findings()
    named = [text.get_text().split("\n")[0] for text in texts(ax, "region")]
    assert named == [region.name for region in found.regions[:8]]
    rings = np.concatenate([mark.get_offsets() for mark in drawn_by(ax, "mark")])
    expected = {tuple(place) for place in wines.embedding_[[why.row for why in found.rows[:8]]].astype(float)}
    assert {tuple(place) for place in np.asarray(rings)} == expected
    ax = plot.findings(digits)
    pixels(ax)
    assert len(drawn_by(ax, "mean image")) == min(len(digits.findings().regions), 8)
    assert [text.get_text() for text in texts(plot.findings(wines.model), "region")]  # of any model, without labels


def test_a_map_without_labels_is_coloured_by_region():
    wine = load_wine(as_frame=True)
    found = map_table(wine.data, unit="wine", n_epochs=60)
    ax = plot.findings(found)
    pixels(ax)
    assert ax.get_legend() is None
    pixels(plot.why(found, 3))
    pixels(found.plot())


def test_a_notebook_shows_answers_and_findings(wines):
    for answer in (wines.why(0), wines.why([0, 1, 2]), wines.findings()):
        text = answer._repr_html_()
        assert text.startswith("<div><p>")
        assert text.count("<") == text.count(">")
    why = wines.why(0)
    assert "<strong>Wine 0</strong>" in why._repr_html_()
    for difference in why.differences:
        assert f">{difference.feature}</td>" in why._repr_html_()
    hostile = map_table(load_wine().data, ["<b>x</b>", "y"] * 89, scale=True, n_epochs=20)
    assert "<b>" not in hostile.why(0)._repr_html_() + hostile.findings()._repr_html_()
