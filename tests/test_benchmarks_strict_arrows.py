"""The strict test of arrows, on small data."""

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.strict_arrows import KINDS, scores


def test_arrows_of_all_kinds_are_scored_and_those_through_random_frames_tell_nothing():
    found = scores(load_digits().data[:300], seed=0)
    assert list(found) == list(KINDS)
    means = {kind: np.mean(cosines) for kind, cosines in found.items()}
    assert abs(means.pop("random")) < 0.05
    assert min(means.values()) > 0.05
