"""Kernels compile once per install, and say so on stderr when they do."""

from __future__ import annotations

import os
import subprocess
import sys

FIT = """
import numpy as np
from featmap import FeatMAP
FeatMAP(n_epochs=2, random_state=0, verbose=False).fit(np.random.default_rng(0).normal(size=(50, 3)))
"""


def run(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True, env=environment)


def test_compilation_is_announced_once_and_kept(tmp_path):
    first, second = run(tmp_path), run(tmp_path)
    assert first.stderr.count("compiling kernels") == 1
    assert first.stdout == ""
    assert second.stderr == second.stdout == ""
