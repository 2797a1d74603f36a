"""An unfinished fit in a file: killed at any moment it can be started again, and ends with the same bytes."""

from __future__ import annotations

import numbers
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import __version__
from .errors import InvalidParameterError, StoreError, warn
from .parallel import BLOCK
from .rows import Matrix
from .store.checks import check_stage
from .store.container import Contents, read_file, refusing, write_file
from .store.registry import CONNECTION, FLOAT, FRAMES, GRAPH, LOCAL_SVD, NEIGHBORS, STATE
from .store.schema import Array, Collected, Entries, Integer, Record, Table, Text, Undecoded, unpack
from .values import Tangents

KIND = "checkpoint"
ADVICE = "delete it to begin anew, or choose another path"
# Written when a stage or an epoch ends, but not again before this many seconds, and so seldom that writing takes no
# more than this part of the time.
SECONDS_BETWEEN = 5.0
MOST_OF_THE_TIME = 0.05

CHECKPOINT = Table({"fingerprint": Entries(Text()), "seed": Integer(), "stages": Entries(Undecoded())})
# The data are not among them: they come with every fit, and the search is made from them again.
STAGES: Mapping[str, Any] = {
    "neighbors": NEIGHBORS,
    "graph": GRAPH,
    "tangents": Record(Tangents, LOCAL_SVD),
    "start": Array(FLOAT, 2),
    "alignment": CONNECTION,
    "layout": STATE,
    "density": FRAMES,
}


class Stages:
    """The stages of a fit, each made when it is asked for."""

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        """What ``make`` makes; fields of it that are ``given`` need not be kept."""
        return make()

    def keep(self) -> None:
        """Called where the fit could go on from what was made so far."""

    def finish(self) -> None:
        """Called when there is nothing left to do."""


class Checkpoint(Stages):
    """The stages of a fit, made once and kept in a file, from which another run of the same fit goes on."""

    def __init__(self, path: Path, mark: dict[str, str], seed: int, shape: tuple[int, int]) -> None:
        self.seed = seed
        self._path, self._mark, self._shape = path, mark, shape
        self._stored = Contents({}, [])
        self._made: dict[str, Any] = {}
        self._written, self._cost, self._warned = 0.0, 0.0, False

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], X: Matrix, settings: Mapping[str, Any], *, any_seed: bool
    ) -> Checkpoint:
        """Go on with the fit at ``path``, or begin one there. With ``any_seed`` it keeps the one it began with."""
        marked = {**settings, "seed": "any"} if any_seed else settings
        shape = (X.shape[0], settings["n_components"])
        checkpoint = cls(Path(path), fingerprint(X, marked), settings["seed"], shape)
        if not checkpoint._path.is_file() or not checkpoint._take_up():
            checkpoint._write()  # a path that cannot be written to is found out before the fit
        checkpoint._written = time.monotonic()
        return checkpoint

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        if name in self._stored.content:
            self._made[name] = self._restored(name, given)
        else:
            self._made[name] = make()
            self.keep()
        return self._made[name]

    def keep(self) -> None:
        began = time.monotonic()
        if began - self._written < max(SECONDS_BETWEEN, self._cost / MOST_OF_THE_TIME):
            return
        try:
            self._write()
        except StoreError as error:
            if not self._warned:
                warn(f"checkpoint: {error}; the fit goes on")
            self._warned = True
        self._written = time.monotonic()
        self._cost = self._written - began

    def finish(self) -> None:
        self._path.unlink(missing_ok=True)

    def _write(self) -> None:
        arrays = Collected()
        stages = {name: STAGES[name].encode(value, arrays) for name, value in self._made.items()}
        content = {"fingerprint": self._mark, "seed": self.seed, "stages": stages}
        write_file(self._path, KIND, Contents(content, arrays.arrays))

    def _take_up(self) -> bool:
        """Go on from what is in the file; false if that is another fit which has not got anywhere."""
        with _advising():
            # Not mapped: the file is soon replaced, which some systems refuse while it is.
            contents = read_file(self._path, KIND, mapped=False)
            with refusing(self._path):
                found = unpack(CHECKPOINT, contents)
        others = {*self._mark.items()} ^ {*found["fingerprint"].items()}
        if others and not found["stages"]:
            return False
        if others:
            raise StoreError(
                f"{self._path} is the checkpoint of another fit, with other {', '.join(sorted(_named(others)))}; "
                f"{ADVICE}"
            )
        self.seed = found["seed"]
        self._stored = Contents(found["stages"], contents.arrays)
        return True

    def _restored(self, name: str, given: Mapping[str, Any]) -> Any:
        with _advising(), refusing(self._path):
            value = STAGES[name].decode(self._stored.content[name], self._stored.arrays, **given)
            graph = self._made.get("graph")
            check_stage(value, *self._shape, 0 if graph is None else graph.weights.nnz)
        return value


def _named(marks: Iterable[tuple[str, str]]) -> set[str]:
    """What differs, as users know it."""
    return {"random_state" if name == "seed" else name for name, _ in marks}


@contextmanager
def _advising() -> Iterator[None]:
    """Say of a file that cannot be read what to do about it."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{error}; {ADVICE}") from error


def fingerprint(X: Matrix, settings: Mapping[str, Any]) -> dict[str, str]:
    """What must be the same for a fit to go on: the data, the settings, and the version that works on them."""
    if callable(settings["metric"]):
        raise InvalidParameterError(
            f"fit(checkpoint=…): metric={settings['metric']!r} is a function, and no file can tell whether it is "
            "still the same; use the name of a metric, or fit without a checkpoint"
        )
    return {"data": _digest(X), "featmap": __version__, **{name: _mark(value) for name, value in settings.items()}}


def _mark(value: Any) -> str:
    if value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return float(value).hex()
    if isinstance(value, np.ndarray):
        return _digest(value)
    return " ".join(_digest(part) for part in (value.indices, value.distances))  # precomputed neighbours


def _digest(data: Matrix) -> str:
    digest = blake2b(digest_size=32)
    for array in (data.data, data.indices, data.indptr) if sp.issparse(data) else (data,):
        digest.update(f"{array.dtype.str}{data.shape}".encode())
        for start in range(0, len(array), BLOCK):
            digest.update(np.ascontiguousarray(array[start : start + BLOCK]))
    return digest.hexdigest()
