"""The file of an unfinished fit: which fit it belongs to, and the results of its stages so far."""

from __future__ import annotations

import numbers
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..checks.arguments import shown
from ..data.sparse import digest_of
from ..errors import InvalidParameterError, StoreError, warn
from ..layout.descent import State
from ..layout.levels import CoarseStart
from ..run import Checkpoint
from ..run.progress import COARSE_LAYOUT
from ..values import Connection, Frames, Graph, Neighbors, Tangents
from .checks import check_stage
from .classes import FLOAT, fields_of
from .codecs import INTEGER, TEXT, UNDECODED, Array, Collected, Either, Table, unpack
from .container import Contents, read_file, refusing, write_file

KIND = "checkpoint"
ADVICE = "delete it to start again, or choose another path"
# A checkpoint is written when a stage or an epoch ends, but not before this many seconds have passed since the last
# time, and so seldom that writing takes no more than this part of the time.
SECONDS_BETWEEN = 5.0
MOST_OF_THE_TIME = 0.05

CHECKPOINT = Table({"fingerprint": Table(others=TEXT), "seed": INTEGER, "stages": UNDECODED})
# The data are not stored: they come with every fit, and the search is built from them again.
STAGES: Mapping[str, Any] = {
    "neighbors": fields_of(Neighbors),
    "graph": fields_of(Graph),
    "tangents": fields_of(Tangents, without={"centers"}),
    "start": Either(Array(FLOAT, ("m", "d'")), fields_of(CoarseStart)),  # positions, or levels of groups
    COARSE_LAYOUT: fields_of(State),
    "alignment": fields_of(Connection),
    "layout": fields_of(State),
    "frames": fields_of(Frames),  # that density acts along
}


class FileCheckpoint(Checkpoint):
    """Keeps the results of stages in a file, with a fingerprint of the fit, from which another run resumes.

    ``seed`` is that of the fit. ``digest`` gives a digest of the data. With ``any_seed`` a resumed fit keeps the seed
    that it began with.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_rows: int,
        digest: Callable[[], str],
        settings: Mapping[str, Any],
        *,
        any_seed: bool,
    ) -> None:
        self.seed, self._path, self._shape = settings["seed"], Path(path), (n_rows, settings["n_components"])
        self._mark = fingerprint(digest, {**settings, "seed": "any"} if any_seed else settings)
        self._stored = Contents({}, [])  # what was in the file at first
        self._made: dict[str, Any] = {}
        if not self._path.is_file() or not self._resume():
            self._write()  # so that a path that cannot be written to is reported before the fit
        self._written, self._cost, self._warned = time.monotonic(), 0.0, False

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        if name in self._stored.content:
            self._made[name] = self._read(name, given)
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
                warn(f"checkpoint: {error}; the fit continues without it")
            self._warned = True
        self._written = time.monotonic()
        self._cost = self._written - began

    def finish(self) -> None:
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            warn(f"checkpoint: the fit is done, but its file could not be removed ({error})")

    def _write(self) -> None:
        arrays = Collected()
        stages = {name: STAGES[name].encode(value, arrays) for name, value in self._made.items()}
        content = {"fingerprint": self._mark, "seed": self.seed, "stages": stages}
        write_file(self._path, KIND, Contents(content, arrays.arrays))

    def _read(self, name: str, given: Mapping[str, Any]) -> Any:
        with _reading(self._path):
            stage = STAGES[name].decode(self._stored.content[name], self._stored.arrays, **given)
            check_stage(name, stage, self._made, *self._shape)
        return stage

    def _resume(self) -> bool:
        """Take over what is in the file. False if another fit began it and has not finished a stage."""
        with _reading(self._path):
            # Not mapped, because the file will soon be replaced, which some systems refuse while it is mapped.
            contents = read_file(self._path, KIND, mapped=False)
            found = unpack(CHECKPOINT, contents)
        others = {name for name, _ in self._mark.items() ^ found["fingerprint"].items()}
        if others:
            if not found["stages"]:
                return False
            named = ", ".join(sorted("random_state" if name == "seed" else name for name in others))
            raise StoreError(f"{self._path} is the checkpoint of another fit, with other {named}; {ADVICE}")
        self.seed = found["seed"]
        self._stored = Contents(found["stages"], contents.arrays)
        return True


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say of a file that cannot be read why, and what to do."""
    try:
        with refusing(path):
            yield
    except StoreError as error:
        raise StoreError(f"{error}; {ADVICE}") from error


def fingerprint(digest: Callable[[], str], settings: Mapping[str, Any]) -> dict[str, str]:
    """What must be the same for a fit to be resumed: the data, the settings and the version of featmap."""
    if callable(settings["metric"]):
        raise InvalidParameterError(
            f"fit(checkpoint=…): metric={settings['metric']!r} is a function, and a file cannot tell whether it is "
            "still the same; use the name of a metric, or fit without a checkpoint"
        )
    return {
        "data": digest(),
        "featmap": __version__,
        **{name: _mark(name, value) for name, value in settings.items()},
    }


def _mark(name: str, value: Any) -> str:
    """The value of a parameter, or a part of it."""
    if value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return float(value).hex()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return digest_of(np.atleast_1d(value))
    if isinstance(value, Mapping):
        return str({key: _mark(name, part) for key, part in value.items()})
    if isinstance(value, list | tuple):
        return str([_mark(name, part) for part in value])
    if isinstance(value, Neighbors):
        return " ".join(digest_of(part) for part in (value.indices, value.distances))
    raise InvalidParameterError(
        f"fit(checkpoint=…): {name} has {shown(value)}, and a file cannot tell whether it is still the same; use "
        "numbers, texts and arrays, or fit without a checkpoint"
    )
