"""Tangent spaces and frames of a map, which the map itself does not need: made by the first question about them."""

from __future__ import annotations

import os
import threading
from typing import Any

from ..pipeline import Manifold, find_geometry
from ..run import Run
from ..run.progress import SHARES_OF_GEOMETRY, Progress
from ..values import FloatArray, Geometry


class DeferredGeometry:
    """The geometry of a map, made once, whoever asks first. A copy or a pickle has it if it is there."""

    def __init__(self, n_jobs: int | None = -1, verbose: bool = False, made: Geometry | None = None) -> None:
        self.n_jobs, self.verbose = n_jobs, verbose
        self.made = made  # None until it is asked for
        self._own_lock()

    def of(self, manifold: Manifold, embedding: FloatArray) -> Geometry:
        """The geometry of this map. A second thread waits for the first one."""
        if self._pid != os.getpid():  # a lock that another thread held when the process forked stays locked
            self._own_lock()
        with self._lock:
            if self.made is None:
                with Run(self.n_jobs, Progress(verbose=self.verbose, stages=SHARES_OF_GEOMETRY)) as run:
                    self.made = find_geometry(manifold, embedding, run)
            return self.made

    def _own_lock(self) -> None:
        self._lock, self._pid = threading.RLock(), os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_pid")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._own_lock()
