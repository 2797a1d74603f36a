"""The scale bar below a map: as long as it says, legible, and in nobody's way."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from drawn import overlapping, pixels, with_embedding
from featmap import explain, plot
from featmap.explanation.map_scale import ScaleBar, scale_bar_of
from featmap.plot.parts.cloud import bulk_of
from featmap.plot.parts.scale_bar import BarBelow, meaning_of, rough

BAR = ScaleBar(1.0, 3.21, 2.4, 0.043, "standard deviations", 13, False)


@pytest.fixture(scope="module")
def plane():
    """Rows in a plane of five features, and the plane; three rows are far above all others."""
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(300, 2)) * np.exp(rng.normal(size=(300, 1)) / 2)
    Y[:3] += [0, 90]
    return explain(Y @ np.linalg.qr(rng.normal(size=(5, 5)))[0][:2], Y)


def bar_of(explanation):
    """The bar of a tenth of the part of the map that is drawn."""
    drawn = explanation.embedding_[bulk_of(explanation.embedding_)]
    return scale_bar_of(explanation._points.mapped, 0.1 * float(np.ptp(drawn, axis=0).max()))


def bars(ax):
    return ax.findobj(BarBelow)


def parts(ax):
    """The bar and its text, as they are drawn: two boxes in pixels, without the width of ends, and the words."""
    pixels(ax)
    (found,) = bars(ax)
    line, text = found.get_children()
    assert isinstance(line, Line2D)
    assert isinstance(text, Text)
    (left, right), (y, _) = line.get_data()
    half = line.get_markersize() / 2 * ax.figure.dpi / 72
    return Bbox([[left, y - half], [right, y + half]]), text.get_window_extent(), text.get_text()


def test_the_bar_is_as_long_on_the_map_as_it_says(plane):
    for size in ((3, 3), (6, 4), (12, 9)):
        _, ax = pyplot.subplots(figsize=size, layout="constrained")
        plot.embedding(plane, ax=ax)
        pixels(ax)
        (left, right), _ = bars(ax)[0].get_children()[0].get_data()
        (start, _), (end, _) = ax.transData.inverted().transform([(left, 0), (right, 0)])
        assert end - start == pytest.approx(bar_of(plane).length, rel=1e-6)
        assert right - left > 10  # pixels


@pytest.mark.parametrize("size", [(2.5, 2.5), (6.4, 4.8), (14, 4)])
@pytest.mark.parametrize("layout", ["constrained", None])
def test_it_lies_between_the_map_and_the_caption(plane, size, layout):
    _, ax = pyplot.subplots(figsize=size, layout=layout)
    plot.embedding(plane, np.arange(300) % 3, ax=ax)
    line, text, said = parts(ax)
    bulk = ax.transData.transform(plane.embedding_)
    caption, inside = ax.xaxis.label.get_window_extent(), ax.get_window_extent()
    assert max(line.y1, text.y1) <= inside.y0
    assert min(line.y0, text.y0) >= caption.y1 - 1
    assert bulk[:, 1].min() > line.y1
    assert not overlapping([line, text, caption])
    assert inside.x0 == line.x0 < text.x0 < text.x1 <= inside.x1
    assert said.startswith(rough(bar_of(plane).typical))


def test_the_caption_says_what_it_means_below_other_labels(plane):
    ax = plot.embedding(plane, [f"kind {row % 12}" if row else None for row in range(300)])
    bar = bar_of(plane)
    label = ax.get_xlabel()
    assert label.startswith("grey: missing\nBar: rows within this distance typically differ by ")
    assert " ".join(label.splitlines()[1:]) == meaning_of(bar, 2)
    assert meaning_of(BAR, 2) == (
        "Bar: rows within this distance typically differ by 3.2 standard deviations (two in three by 2.4 to 0.043) "
        "over all 13 features."
    )
    one = ScaleBar(1.0, 3200.0, 0.0, 5e12, "in units of the data", 1, False)
    assert meaning_of(one, 3) == (
        "Bar: rows within this distance in the two dimensions drawn typically differ by 3,200 in units of the data "
        "(two in three by 0 to 5.0e+12)."
    )
    components = ScaleBar(1.0, 99.6, 10.0, 123456.0, "in units of the data", 50, True)
    assert meaning_of(components, 2).endswith(
        "by 100 in units of the data (two in three by 10 to 120,000) over all 50 principal components."
    )


def test_without_room_the_number_stays_and_a_bar_wider_than_the_view_goes(plane):
    ax = plot.embedding(plane)
    full = parts(ax)[2]
    assert full.endswith("in units of the data")
    length = bar_of(plane).length
    ax.set_aspect("auto")  # else the view would be widened
    ax.set_xlim(0, 1.15 * length)
    line, text, said = parts(ax)
    assert said == full.split(" ")[0]
    assert text.x1 <= ax.get_window_extent().x1
    before = pixels(ax).copy()
    ax.set_xlim(0, 0.5 * length)
    ax.collections[0].set_visible(False)
    pixels(ax)
    y = int(before.shape[0] - line.y0 - line.height / 2)
    assert pixels(ax)[y, int(line.x0) + 5].min() == 255
    assert before[y, int(line.x0) + 5].max() < 255


def test_new_rows_are_drawn_with_the_bar_of_their_map(digits_model, digits):
    new = digits_model.explain(digits[:5] + 0.5)
    assert bars(plot.embedding(new))[0].scale == bars(plot.embedding(digits_model))[0].scale


def test_maps_without_a_scale_and_changed_maps_have_no_bar(plane, model):
    rng = np.random.default_rng(1)
    shuffled = explain(plane._points.mapped.data.matrix, plane.embedding_[rng.permutation(300)])
    assert not bars(plot.embedding(shuffled))
    assert plot.embedding(shuffled).get_xlabel() == ""
    assert plot.embedding(shuffled).xaxis.labelpad == pyplot.figure().add_subplot().xaxis.labelpad
    assert bars(plot.embedding(plane))
    larger = with_embedding(plane, 2 * plane.embedding_)
    assert not bars(plot.embedding(larger))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0344, "0.034"), (9.96, "10"), (0.0, "0"), (1.04, "1.0"), (24.6, "25"), (1449, "1,400"), (3e-7, "3.0e-07")],
)
def test_numbers_have_two_digits(value, said):
    assert rough(value) == said
