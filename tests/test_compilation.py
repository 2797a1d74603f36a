"""Kernels compile once per install and once for all kinds of input, and say so on stderr when they do."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from numba import njit, types
from numba.core import event
from numba.core.errors import TypingError

import featmap
from featmap.kernels.compilation import part

FIT = """
import numpy as np
from featmap import FeatMAP
FeatMAP(n_epochs=2, random_state=0, verbose=False).fit(np.random.default_rng(0).normal(size=(50, 3)))
"""

# Prints the kernels that were compiled or loaded for more than one kind of arguments.
KINDS = """
import sys
import numpy as np
sys.path.insert(0, {tests!r})
from test_compilation import kernels
from featmap import FeatMAP
X = np.random.default_rng(0).integers(0, 9, size=(60, 4))
doubles, floats = X.astype(np.float64), X.astype(np.float32)
for x in (doubles, floats, np.asfortranarray(doubles), np.asfortranarray(floats), floats[::-1], X):
    model = FeatMAP(n_epochs=40, random_state=0, verbose=False).fit(x)
    model.why(0), model.arrows(), model.frames_, model.transform(x[:5] + 1)
print([name for name, kernel in kernels() if len(kernel.overloads) > 1])
print(sum(len(kernel.overloads) for _, kernel in kernels()))
"""


def kernels():
    """All that is compiled, with its name."""
    for path in sorted((Path(featmap.__file__).parent / "kernels").glob("[a-z]*.py")):
        module = import_module(f"featmap.kernels.{path.stem}")
        for name, kernel in vars(module).items():
            if hasattr(kernel, "overloads") and kernel.py_func.__module__ == module.__name__:
                yield f"{path.stem}.{name}", kernel


def run(code, cache=None):
    environment = os.environ if cache is None else {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)


def test_functions_of_other_libraries_are_compiled_as_before():
    """Those that are made from text belong to no module, as some of pynndescent, which umap-learn uses."""
    names = {}
    exec("def twice(x):\n    return 2 * x", names)
    names["twice"].__module__ = None
    assert njit(names["twice"])(21) == 42


@pytest.mark.slow
def test_compilation_is_announced_once_and_kept(tmp_path):
    """Slow, since it compiles all kernels of a fit again; only a change of `compilation.py` could break it."""
    first, second = run(FIT, tmp_path), run(FIT, tmp_path)
    assert first.stderr.count("compiling kernels") == 1
    assert first.stdout == ""
    assert second.stderr == second.stdout == ""


def test_every_kind_of_input_uses_the_same_kernels():
    """Numba compiles a kernel anew for each type and memory layout of its arguments, so these must be the same."""
    several, n_used = run(KINDS.format(tests=str(Path(__file__).parent))).stdout.splitlines()
    assert several == "[]"
    assert int(n_used) > 35


@pytest.mark.parametrize("collects", [True, False])
def test_cycles_are_not_collected_while_kernels_compile(collects):
    """The user's setting holds again afterwards, even if compilation fails."""
    collected = []

    class Watch(event.Listener):
        def on_start(self, event):
            collected.append(gc.isenabled())

        def on_end(self, event):
            pass

    def add_one(value):
        return value + 1

    add_one.__module__ = "featmap.test"
    kernel, before = part(add_one), gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with event.install_listener("numba:compile", Watch()):
            kernel.compile((types.int64,))
            assert gc.isenabled() == collects
            with pytest.raises(TypingError, match="add"):
                kernel.compile((types.unicode_type,))
        assert collected == [False, False]
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
