"""Results of stages kept in a file while a fit runs, so that a killed fit can be resumed."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Mapping
from typing import Any, Protocol

from ..errors import StoreError, warn

# A checkpoint is written when a stage or an epoch ends, but not before this many seconds have passed since the last
# time, and so seldom that writing takes no more than this part of the time.
SECONDS_BETWEEN = 5.0
MOST_OF_THE_TIME = 0.05


class StageFile(Protocol):
    """A file that holds results of stages, by their names. `store.checkpoints` implements it."""

    @property
    def stages(self) -> Container[str]:
        """Names of the stages whose results are in the file."""
        ...

    def read(self, name: str, made: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        """The result of a stage, checked against what was ``made`` before. Fields ``given`` are not stored."""
        ...

    def write(self, made: Mapping[str, Any]) -> None:
        """Replace what is in the file by the results of all stages."""
        ...

    def remove(self) -> None:
        """Delete the file."""
        ...


class Checkpoint:
    """Keeps nothing, so that every stage makes its result."""

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        """The result that ``make`` makes. Fields of it that are ``given`` need not be kept."""
        return make()

    def keep(self) -> None:
        """Write the results so far, if it is time. To be called where a fit could be resumed from them."""

    def finish(self) -> None:
        """Remove what was kept. To be called when the fit has ended."""


NO_CHECKPOINT = Checkpoint()


class FileCheckpoint(Checkpoint):
    """Makes every result once and keeps it in a file, from which another run of the same fit resumes."""

    def __init__(self, file: StageFile) -> None:
        self._file = file
        self._made: dict[str, Any] = {}
        self._written, self._cost, self._warned = time.monotonic(), 0.0, False

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        if name in self._file.stages:
            self._made[name] = self._file.read(name, self._made, given)
        else:
            self._made[name] = make()
            self.keep()
        return self._made[name]

    def keep(self) -> None:
        began = time.monotonic()
        if began - self._written < max(SECONDS_BETWEEN, self._cost / MOST_OF_THE_TIME):
            return
        try:
            self._file.write(self._made)
        except StoreError as error:
            if not self._warned:
                warn(f"checkpoint: {error}; the fit continues without it")
            self._warned = True
        self._written = time.monotonic()
        self._cost = self._written - began

    def finish(self) -> None:
        try:
            self._file.remove()
        except OSError as error:
            warn(f"checkpoint: the fit is done, but its file could not be removed ({error})")
