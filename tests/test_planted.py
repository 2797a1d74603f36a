"""Planted truth: the features that vary within a region of the map are those that it is said to show there."""

from __future__ import annotations

import numpy as np
import pytest

from featmap import FeatMAP

N_ROWS, N_FEATURES, N_TRUE = 1200, 50, 5


def two_sheets(noise, seed):
    """Two sheets: features 0–4 vary along the first, 5–9 along the second; 10–14 tell the sheets apart."""
    rng = np.random.default_rng(seed)
    X = noise * rng.normal(size=(N_ROWS, N_FEATURES))
    sheet = np.arange(N_ROWS) % 2
    X[:, 10:15] += np.where(sheet, 1.5, -1.5)[:, None]
    for region in (0, 1):
        places = rng.uniform(-1, 1, size=(N_ROWS // 2, 2))
        angles = rng.uniform(0, 2 * np.pi, N_TRUE)
        bends = 0.3 * np.sin(2 * places[:, :1] + angles)
        X[sheet == region, 5 * region : 5 * region + 5] += places @ np.array([np.cos(angles), np.sin(angles)]) + bends
    return X, sheet


def share_of_true(X, sheet, by):
    """Which part of the five features that vary around a row are among its first five."""
    rows = np.arange(0, N_ROWS, 12)
    first = FeatMAP(random_state=0).fit(X).top_features(rows, k=N_TRUE, by=by)
    return float(np.mean(first // 5 == sheet[rows, None]))


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_what_varies_within_a_region_is_shown_there(noise, seed):
    X, sheet = two_sheets(noise, seed)
    assert share_of_true(X, sheet, "shown") >= 0.9


@pytest.mark.parametrize("seed", [11, 12])
def test_what_varies_is_found_among_features_of_pure_noise(seed):
    X, sheet = two_sheets(0.1, seed)
    X = np.column_stack([X, np.random.default_rng(seed + 100).normal(size=(N_ROWS, 3))])
    assert share_of_true(X, sheet, "shown") >= 0.75
    assert share_of_true(X, sheet, "varies") < share_of_true(X, sheet, "shown")
