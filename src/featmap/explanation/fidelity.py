"""How true the arrows drawn on a map are, as one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics.checks import check_jobs, checked_pair, sample_rows
from .any_map import explain


def arrow_fidelity(
    X: Any,
    Y: Any,
    *,
    kind: str = "tangent",
    n_neighbors: int | None = None,
    n_sample: int | None = 2000,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """The median of `Explanation.fidelity` over ``n_sample`` random points (2,000; None for all)."""
    check_jobs("arrow_fidelity", n_jobs)
    X, Y = checked_pair("arrow_fidelity", X, Y)
    rows = sample_rows("arrow_fidelity", n_sample, len(Y), random_state)
    return float(np.median(explain(X, Y, n_jobs=n_jobs).fidelity(rows, kind, n_neighbors)))
