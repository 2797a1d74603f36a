"""Does importance find the object in its image?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import Bunch

from ..bootstrap import Contest, contest
from ..edges import others_of_another_class, shown


def detection(model: Any, data: Bunch, rows: np.ndarray, groups: np.ndarray | None = None) -> Contest:
    """The chance that a pixel of the object is more important than one of the ground (area under the ROC curve)."""
    objects = shown(data.data[rows])
    strangers = others_of_another_class(data.target, rows)
    rivals = {
        "importance": model.feature_importance(rows),
        "importance of another class": model.feature_importance(strangers),
        "spread over all data": np.broadcast_to(data.data.std(axis=0), objects.shape),
    }
    return contest({name: areas_under_curve(rival, objects) for name, rival in rivals.items()}, groups)


def areas_under_curve(scores: np.ndarray, is_object: np.ndarray) -> np.ndarray:
    n_object = is_object.sum(axis=1)
    n_ground = is_object.shape[1] - n_object
    rank_sums = (rankdata(scores, axis=1) * is_object).sum(axis=1)
    return (rank_sums - n_object * (n_object + 1) / 2) / (n_object * n_ground)
