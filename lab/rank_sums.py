"""Wilcoxon's rank sums of each group against the rest, by which the field ranks genes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

COLUMNS_AT_ONCE = 500


def rank_sum_scores(logs: Any, types: np.ndarray) -> dict[Any, np.ndarray]:
    """The standardised rank sum of every column for each type against all other rows; no correction for ties.

    ``logs`` is a CSR matrix. These are the scores of Scanpy's ``rank_genes_groups(method="wilcoxon")``.
    """
    n_rows, n_columns = logs.shape
    names = np.unique(types)
    members = np.array([types == name for name in names], float)
    sizes = members.sum(axis=1, keepdims=True)
    columns = logs.tocsc()
    sums = np.empty((len(names), n_columns))
    for start in range(0, n_columns, COLUMNS_AT_ONCE):
        part = slice(start, start + COLUMNS_AT_ONCE)
        sums[:, part] = members @ rankdata(columns[:, part].toarray(), axis=0)
    spread = np.sqrt(sizes * (n_rows - sizes) * (n_rows + 1) / 12)
    scores = (sums - sizes * (n_rows + 1) / 2) / spread
    return dict(zip(names.tolist(), scores, strict=True))
