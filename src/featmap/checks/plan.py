"""How many epochs each part of a layout has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FULL = 500  # epochs of a layout of few points
COARSE_ABOVE = 20_000  # points from which a coarse map comes first
COARSE, REFINING = 200, 140  # epochs of the coarsest map, and of all points after it
# Of more points the coarsest map has more epochs. On ten sheets of 200,000 points 200 epochs left some of them in
# pieces (docs/start.md). It never has many groups, so that its epochs cost little.
MANY, COARSE_OF_MANY = 100_000, 500
BETWEEN = 60  # epochs of each level between the coarsest and all points
# Density acts in 80 of the refining epochs if `density_fraction` has its default, and in proportion else.
DENSITY_OF_REFINING = 80 / 0.3


@dataclass(frozen=True)
class Plan:
    """Epochs of the coarsest map, none if there is none; of all points; and of these the last ones with density."""

    coarse: int
    full: int
    density: int

    @classmethod
    def of(
        cls, n_epochs: int | None, init: str | np.ndarray, n_points: int, density_weight: float, fraction: float
    ) -> Plan:
        """The epochs asked for, or the library's choice: many points without a given start begin coarsely."""
        if n_epochs is None and isinstance(init, str) and init == "auto" and n_points > COARSE_ABOVE:
            coarse, full = COARSE if n_points <= MANY else COARSE_OF_MANY, REFINING
            density = min(REFINING, round(DENSITY_OF_REFINING * fraction))
        else:
            full = FULL if n_epochs is None else n_epochs
            coarse, density = 0, round(fraction * full)
        return cls(coarse, full, density if density_weight > 0 else 0)

    def of_levels(self, n_levels: int) -> list[int]:
        """Epochs of so many levels of groups, the coarsest of which is the last."""
        return [BETWEEN] * (n_levels - 1) + [self.coarse]
