"""Digests of data. Every fit loads this module, so it needs nothing else of the store."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import scipy.sparse as sp

from ..data.sparse import Matrix
from ..run.threads import BLOCK


def digest_of(data: Matrix) -> str:
    """A digest of an array or a CSR matrix."""
    digest = blake2b(digest_size=32)
    for array in (data.data, data.indices, data.indptr) if sp.issparse(data) else (data,):
        digest.update(f"{array.dtype.str}{data.shape}".encode())
        for start in range(0, len(array), BLOCK):
            digest.update(np.ascontiguousarray(array[start : start + BLOCK]))
    return digest.hexdigest()
