"""The similarity curve of the map, and its tables."""

from __future__ import annotations

import numpy as np
import pytest

from featmap.kernels.layout import FIRST_OCTAVE, OCTAVES, table_entry
from featmap.layout.similarity import SOFTENING, Curve


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 1e3, 1e9])
def test_tables_are_within_a_percent(scale):
    """Within a table's range every coefficient is off by at most 0.5 %; beyond, it stays finite."""
    curve = Curve.fit(0.1, 1.0)
    s = scale * np.random.default_rng(0).uniform(0.5, 2, 200)
    places = np.array([table_entry(np.float32(value)) for value in s])
    tables = {
        "pull": (curve.pull, 2 * curve.a * curve.b * s ** (curve.b - 1) / (1 + curve.a * s**curve.b)),
        "push": (curve.push, 2 * curve.b / ((SOFTENING + s) * (1 + curve.a * s**curve.b))),
    }
    inside = (s > 2.0**FIRST_OCTAVE) & (s < 2.0 ** (FIRST_OCTAVE + OCTAVES))
    for table, exact in tables.values():
        assert np.isfinite(table).all()
        np.testing.assert_allclose(table[places][inside], exact[inside], rtol=1e-2)


def test_curve_is_umaps(umap):
    for min_dist, spread in [(0.1, 1.0), (0.0, 1.0), (0.5, 1.0), (0.25, 2.0)]:
        curve = Curve.fit(min_dist, spread)
        assert (curve.a, curve.b) == pytest.approx(umap.umap_.find_ab_params(spread, min_dist), rel=1e-6)


@pytest.mark.parametrize("spread", [1e-5, 1e-2, 1e2, 1e5])
def test_curve_fits_at_any_spread(spread):
    curve, unit = Curve.fit(0.1 * spread, spread), Curve.fit(0.1, 1.0)
    s = np.array([0.01, 0.1, 1.0])
    found = 1 / (1 + curve.a * (s * spread**2) ** curve.b)
    np.testing.assert_allclose(found, 1 / (1 + unit.a * s**unit.b), rtol=1e-6)
