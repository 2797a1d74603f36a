"""What every loader returns: a Bunch as scikit-learn's loaders do, or data and target alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sklearn.utils import Bunch


def bunch_or_pair(
    return_X_y: bool, *, data: np.ndarray, target: np.ndarray, DESCR: str, **fields: Any
) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Return a Bunch of all fields, or the pair (data, target)."""
    if return_X_y:
        return data, target
    from sklearn.utils import Bunch  # here, because it imports pandas if that is installed

    return Bunch(data=data, target=target, DESCR=DESCR.strip(), **fields)
