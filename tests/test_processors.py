"""The same bytes on every x86-64 processor with AVX2, by a recipe."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from llvmlite import binding

# Without the features, numba adds those of the processor at hand, such as AVX-512, to those of the named one.
RECIPE = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma", "OPENBLAS_CORETYPE": "Haswell"}

# Digests of the map, the frames and arrows of two small fits: dense rows in the plane, and the cosine in space.
FITS = """
import hashlib
from sklearn.datasets import load_digits
from featmap import FeatMAP

def digest(X, **parameters):
    model = FeatMAP(random_state=0, n_epochs=100, **parameters).fit(X)
    parts = model.embedding_, model.frames_, model.arrows([0, 5])
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]

X = load_digits().data[:500]
print(digest(X), digest(X[:200], metric="cosine", n_components=3))
"""

# Other versions of these packages round differently. A new combination gets a line once two processors agree on it.
DIGESTS = {
    "numpy 2.0, scipy 1.17, scikit-learn 1.6, numba 0.60": "6bcb1f64da458f75 efef78b01d9460ef",
    "numpy 2.4, scipy 1.17, scikit-learn 1.9, numba 0.68": "6ccc480782f7f9f4 b3e15af0dc7af19b",
    "numpy 2.5, scipy 1.18, scikit-learn 1.9, numba 0.68": "ffaacf73cd88730a dd8c0051ec6783bb",
}


def installed():
    names = ["numpy", "scipy", "scikit-learn", "numba"]
    return ", ".join(f"{name} {'.'.join(version(name).split('.')[:2])}" for name in names)


def can_run_haswells_code():
    features = binding.get_host_cpu_features() if binding.get_process_triple().startswith("x86_64") else {}
    return features.get("avx2", False) and features.get("fma", False)


@pytest.mark.skipif(not can_run_haswells_code(), reason="this processor has no AVX2 and FMA")
def test_the_recipe_gives_the_same_bytes_on_any_processor():
    if installed() not in DIGESTS:
        pytest.skip(f"no digests are known for {installed()}")
    done = subprocess.run(
        [sys.executable, "-c", FITS], env={**os.environ, **RECIPE}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == DIGESTS[installed()]


def test_the_page_has_the_recipe():
    page = (Path(__file__).parent.parent / "docs" / "faq.md").read_text()
    for name, value in RECIPE.items():
        assert f"{name}={value}" in page
