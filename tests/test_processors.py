"""The same bytes on every x86-64 processor with AVX2, by a recipe."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from llvmlite import binding

# Without the features, numba adds those of the processor at hand, such as AVX-512, to those of the named one. numpy
# has functions for AVX-512 that round differently. It called these features by other names before 2.4.
RECIPE = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+fma",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
}

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
# One may be emulated: `qemu-x86_64 -cpu Haswell python`, with n_jobs=1 and X86_V3 among the disabled features.
DIGESTS = {
    "numpy 2.0.0, scipy 1.17.1, scikit-learn 1.6.0, numba 0.60.0": "082b11f03560433e 26723488e387f06f",
    "numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1, numba 0.68.1": "dc7286996a8be114 d11867e735b07c27",
    "numpy 2.5.5, scipy 1.18.1, scikit-learn 1.9.1, numba 0.68.1": "81633a12a11e29cf 5f73b48923f830e7",
}


def installed():
    return ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "numba"))


def can_run_haswells_code():
    features = binding.get_host_cpu_features() if binding.get_process_triple().startswith("x86_64") else {}
    return features.get("avx2", False) and features.get("fma", False)


@pytest.mark.slow
@pytest.mark.skipif(not can_run_haswells_code(), reason="this processor has no AVX2 and FMA")
def test_the_recipe_gives_the_same_bytes_on_any_processor():
    """Slow, since it compiles all kernels of a fit again. It is marked ``versions`` too: each version has digests."""
    if installed() not in DIGESTS:
        pytest.skip(f"no digests are known for {installed()}")
    done = subprocess.run(
        [sys.executable, "-c", FITS], env={**os.environ, **RECIPE}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == DIGESTS[installed()]


def test_the_page_has_the_recipe():
    page = (Path(__file__).parent.parent / "docs" / "faq.md").read_text()
    for name, value in RECIPE.items():
        assert f"{name}={value}" in page or f'{name}="{value}"' in page
