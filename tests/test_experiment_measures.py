"""The experiments' own measurements, on cases whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.utils import Bunch

from experiments.bootstrap import contest, median_of
from experiments.digit_one_frame.corners import corners, distances_to_nearest, stroke_ends
from experiments.edges import correlations, gradient_magnitude, others_of_another_class, others_of_the_class
from experiments.mnist_importance.clusters import classes_with_a_cluster
from experiments.object_importance.detection import areas_under_curve
from experiments.object_importance.loops import LEAST_HOLE, largest_hole, loop_of
from experiments.object_importance.rotation import difference_images, views_in_order

TURN = np.arange(72) * 2 * np.pi / 72
CIRCLE = np.stack([np.cos(TURN), np.sin(TURN)], axis=1)


def test_a_circle_is_a_loop_and_so_is_a_crescent():
    half = TURN[:36]
    outer = np.stack([np.cos(half), np.sin(half)], axis=1)
    inner = outer * [1, 0.6]
    assert loop_of(CIRCLE).is_found
    assert loop_of(np.vstack([outer, inner[::-1]])).is_found


@pytest.mark.parametrize(
    ("views", "lacks"),
    [
        (np.random.default_rng(0).permutation(CIRCLE), "is_in_order"),
        (np.stack([np.cos(0.8 * TURN), np.sin(0.8 * TURN)], axis=1), "is_closed"),
        (np.stack([np.sin(TURN), np.sin(2 * TURN)], axis=1), "has_a_hole"),
        (np.random.default_rng(0).normal(size=(72, 2)), "is_in_order"),
    ],
    ids=["shuffled circle", "circle with a gap", "eight", "cloud"],
)
def test_what_is_no_loop_lacks_something(views, lacks):
    loop = loop_of(views)
    assert not getattr(loop, lacks)
    assert not loop.is_found


def test_a_ring_is_one_in_any_order_and_gone_around_twice():
    rng = np.random.default_rng(0)
    noise = 0.01 * rng.normal(size=(72, 2))
    twice = np.stack([np.cos(2 * TURN), np.sin(2 * TURN)], axis=1)
    for views in (CIRCLE + noise, rng.permutation(CIRCLE) + noise, twice + noise):
        assert loop_of(views).hole == pytest.approx(1, abs=0.05)
    half = np.stack([np.cos(TURN / 2), np.sin(TURN / 2)], axis=1)
    assert not loop_of(half + noise).is_ring  # no views on one side


def test_few_clouds_are_rings():
    rng = np.random.default_rng(0)
    radius, angle = np.sqrt(rng.random((100, 72))), rng.uniform(0, 2 * np.pi, (100, 72))
    discs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    for clouds in (rng.normal(size=(100, 72, 2)), discs):
        assert np.mean([largest_hole(cloud) >= LEAST_HOLE for cloud in clouds]) <= 0.02


def test_a_loop_is_one_at_any_size_and_place():
    once, again = loop_of(CIRCLE), loop_of(1e3 * CIRCLE + 50)
    np.testing.assert_allclose(list(vars(again).values()), list(vars(once).values()))


def test_correlations_are_numpys_with_and_without_a_mask():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5, 40))
    within = rng.random((5, 40)) < 0.5
    expected = [np.corrcoef(x, y)[0, 1] for x, y in zip(a, b, strict=True)]
    masked = [np.corrcoef(x[mask], y[mask])[0, 1] for x, y, mask in zip(a, b, within, strict=True)]
    np.testing.assert_allclose(correlations(a, b), expected)
    np.testing.assert_allclose(correlations(a, b, within), masked)


def test_the_gradient_of_an_image_knows_nothing_of_other_images():
    images = np.random.default_rng(0).random((3, 48))
    together = gradient_magnitude(images, (6, 8))
    np.testing.assert_allclose(together[1], gradient_magnitude(images[1:2], (6, 8))[0])
    step = np.tile(np.repeat([0.0, 1.0], 4), 6)
    steep = gradient_magnitude(step[None], (6, 8)).reshape(6, 8) > 0
    assert np.flatnonzero(steep.all(axis=0)).tolist() == [3, 4]


def test_others_are_of_the_class_or_not():
    target = np.repeat([3, 5, 8], 4)
    rows = np.arange(12)
    same, other = others_of_the_class(target, rows), others_of_another_class(target, rows)
    assert (target[same] == target).all()
    assert (same != rows).all()
    assert (target[other] != target).all()


def test_a_contest_is_won_only_against_every_control():
    rng = np.random.default_rng(0)
    base = rng.normal(size=300)
    values = {"first": base + 0.2, "lower": base, "noise": rng.normal(size=300)}
    assert contest({name: values[name] for name in ("first", "lower")}).is_won
    assert not contest({"first": base, "as high": base, "lower": base - 1}).is_won
    assert contest(values).leads["lower"].value == pytest.approx(0.2)


def test_intervals_of_groups_are_those_of_their_number():
    groups = np.repeat(np.arange(10), 100)
    values = np.random.default_rng(0).normal(size=10)[groups]
    alone, grouped = median_of(values), median_of(values, groups)
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)


def test_a_class_has_a_cluster_only_if_both_are_mostly_the_other():
    target = np.repeat([0, 1, 2], 10)
    clusters = np.r_[np.zeros(18), np.full(2, -1), np.repeat([1, 2], 5)].astype(int)
    assert classes_with_a_cluster(target, clusters) == {"0": True, "1": False, "2": False}


def test_areas_are_sklearns():
    rng = np.random.default_rng(0)
    scores, is_object = rng.integers(0, 5, (4, 30)), rng.random((4, 30)) < 0.4
    expected = [roc_auc_score(truth, score) for truth, score in zip(is_object, scores, strict=True)]
    np.testing.assert_allclose(areas_under_curve(scores, is_object), expected)


def test_differences_are_of_the_views_beside_whatever_the_order_of_rows():
    shuffled = np.random.default_rng(0).permutation(10)
    target, angle = np.repeat([1, 2], 5)[shuffled], np.tile([0, 72, 144, 216, 288], 2)[shuffled]
    turn = angle // 72
    objects = Bunch(data=(target * 2.0**turn)[:, None], target=target, angle=angle)
    assert (angle[views_in_order(objects)] == [0, 72, 144, 216, 288]).all()
    expected = target * np.array([16 - 2, 4 - 1, 8 - 2, 16 - 4, 8 - 1])[turn]
    np.testing.assert_array_equal(difference_images(objects)[:, 0], expected)


def test_corners_and_ends_of_an_upright_stroke():
    image = np.zeros((28, 28))
    image[5:23, 13:15] = 255.0
    ends = np.array([[5, 13.5], [22, 13.5]])
    assert distances_to_nearest(corners(image), ends).max() < 2
    assert distances_to_nearest(ends, corners(image)).max() < 2
    assert distances_to_nearest(ends, stroke_ends(image)).max() <= 0.5
