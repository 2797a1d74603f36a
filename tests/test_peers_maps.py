"""Maps that other packages have made are explained like our own. Slow, since t-SNE and PaCMAP take long."""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from featmap import explain
from lab.peers import Settings, opentsne, pacmap

pytestmark = pytest.mark.slow

ROWS = 600
PEERS_ARE_ABSENT = "needs the other methods: pip install 'featmap[peers]'"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("openTSNE", opentsne), id="openTSNE"),
        pytest.param(("pacmap", pacmap), id="PaCMAP"),
    ],
)
def explanation(request, digits):
    """Of the map that the real package makes of some digits."""
    package, make_map = request.param
    if find_spec(package) is None:
        pytest.skip(PEERS_ARE_ABSENT)
    X = digits[:ROWS]
    # On a busy machine the threads of t-SNE wait for each other.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # the package's warnings are not about our code
        Y = make_map(X, Settings(seed=0, n_jobs=1))
    return explain(X, Y)


def test_frames_are_orthogonal(explanation):
    gram = np.einsum("pca,pcb->pab", explanation.frames_, explanation.frames_)
    np.testing.assert_allclose(gram, np.broadcast_to(np.eye(2), (ROWS, 2, 2)), atol=1e-5)


def test_tangent_arrows_are_truer_than_chance(explanation):
    assert np.isfinite(explanation.arrows()).all()
    tangent, chance = (np.median(explanation.fidelity(kind=kind)) for kind in ("tangent", "random"))
    assert abs(chance) < 0.05
    assert tangent > chance + 0.1
