"""Importance of pixels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from drawn import pixels
from featmap import InvalidParameterError, plot


def test_saliency_is_the_importance_in_the_shape_of_the_image(model):
    ax = plot.saliency(model, 3, image_shape=(4, 16))
    (image,) = ax.get_images()
    assert np.allclose(image.get_array(), model.feature_importance([3]).reshape(4, 16))
    assert image.get_clim()[0] == 0
    assert image.get_cmap().name == "viridis"
    (bar,) = ax.child_axes
    assert bar.get_ylabel() == "local variation (importance)"
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
    outlined = plot.saliency(model, 3, image_shape=(8, 8), images=digits[3])
    assert outlined.axis() == plain.axis()
    assert (pixels(outlined) != pixels(plain)).mean() > 0.002
    x, y = outlined.collections[0].get_paths()[0].vertices.T
    image = digits[3].reshape(8, 8)
    assert len(x) > 10
    assert np.allclose(map_coordinates(np.pad(image, 1), [y + 1, x + 1], order=1), image.max() / 2)


@pytest.mark.parametrize("image", [np.zeros(64), np.ones((8, 8))])
def test_a_constant_image_has_no_outline(model, image):
    assert not plot.saliency(model, 3, image_shape=(8, 8), images=image).collections


def test_an_image_of_another_size_is_refused(model):
    with pytest.raises(InvalidParameterError, match=r"images=.*64; got 63"):
        plot.saliency(model, 3, image_shape=(8, 8), images=np.zeros(63))


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (2, 2)])
def test_importance_of_nothing_is_drawn_too(model_with_copies, shape):
    ax = plot.saliency(model_with_copies, 0, image_shape=shape, images=[0, 1, 0, 1])
    pixels(ax)
    assert not ax.get_images()[0].get_array().any()


# Several images


def test_montage_has_all_images_on_one_scale(model, digits):
    rows = [3, 7, 250]
    ax = plot.saliency(model, rows, image_shape=(8, 8), images=digits[rows])
    *panels, bar = ax.child_axes
    importance = model.feature_importance(rows).reshape(-1, 8, 8)
    for panel, row, expected in zip(panels, rows, importance, strict=True):
        (image,) = panel.get_images()
        assert np.allclose(image.get_array(), expected)
        assert image.get_clim() == (0, pytest.approx(importance.max()))
        assert panel.get_title() == f"row {row}"
        assert panel.collections
    assert bar.get_ylabel() == "local variation (importance)"


def test_montage_outlines_each_image_on_its_own_panel(model, digits):
    ax = plot.saliency(model, [3, 4], image_shape=(8, 8), images=[digits[3], np.zeros(64)])
    first, second = ax.child_axes[:2]
    alone = plot.saliency(model, 3, image_shape=(8, 8), images=digits[3])
    outline = alone.collections[0].get_paths()[0].vertices
    assert np.allclose(first.collections[0].get_paths()[0].vertices, outline)
    assert not second.collections


def test_montage_takes_a_mask(model, labels):
    ax = plot.saliency(model, labels == 3, image_shape=(8, 8))
    titles = [panel.get_title() for panel in ax.child_axes[:-1]]
    assert titles == [f"row {row}" for row in np.flatnonzero(labels == 3)]


def test_montage_refuses_what_cannot_be_seen_or_does_not_fit(model, digits):
    with pytest.raises(InvalidParameterError, match=r"^saliency\(rows=…\): rows must be at most 100,"):
        plot.saliency(model, np.arange(101), image_shape=(8, 8))
    with pytest.raises(InvalidParameterError, match=r"^saliency\(image_shape=\(8, 7\)\): image_shape must be"):
        plot.saliency(model, [0], image_shape=(8, 7))
    with pytest.raises(InvalidParameterError, match=r"^saliency\(images=…\): images must .*2 rows; got 64"):
        plot.saliency(model, [0, 1], image_shape=(8, 8), images=digits[0])
