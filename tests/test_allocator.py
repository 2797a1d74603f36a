"""Free memory goes back to the system, where the C library can give it back."""

from __future__ import annotations

import platform
import subprocess
import sys
import textwrap

import pytest

from featmap import run

HELD = """
    from pathlib import Path
    import numpy as np
    from featmap.run import return_free_memory

    def held():
        return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) / 2**10

    blocks = [np.ones(100_000, np.uint8) for _ in range(1000)]
    last = blocks.pop()  # without it the C library would give back the others by itself
    del blocks
    before = held()
    return_free_memory()
    print(before - held())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library has no such function")
def test_free_memory_goes_back():
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(HELD)], capture_output=True, text=True, check=True)
    assert float(result.stdout) > 80  # MB, of 95 that were free


@pytest.mark.parametrize("error", [OSError, TypeError, AttributeError])
def test_elsewhere_nothing_happens(error, monkeypatch):
    def no_library(name):
        raise error

    monkeypatch.setattr(run.ctypes, "CDLL", no_library)
    run.return_free_memory()
