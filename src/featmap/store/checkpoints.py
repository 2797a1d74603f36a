"""The file of an unfinished fit: which fit it belongs to, and the results of its stages so far."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..checks.arguments import shown
from ..errors import InvalidParameterError, StoreError
from ..layout.descent import State
from ..layout.levels import CoarseStart
from ..run.checkpoint import FileCheckpoint
from ..run.progress import COARSE_LAYOUT
from ..values import Connection, Graph, Neighbors, Tangents
from .checks import check_stage, points_of_level
from .classes import FLOAT, fields_of
from .codecs import INTEGER, TEXT, Array, Collected, Either, Entries, Table, Undecoded, unpack
from .container import Contents, read_file, refusing, write_file
from .digests import digest_of

KIND = "checkpoint"
ADVICE = "delete it to start again, or choose another path"


CHECKPOINT = Table({"fingerprint": Entries(TEXT), "seed": INTEGER, "stages": Entries(Undecoded())})
# The data are not stored: they come with every fit, and the search is built from them again.
STAGES: Mapping[str, Any] = {
    "neighbors": fields_of(Neighbors),
    "graph": fields_of(Graph),
    "tangents": fields_of(Tangents, without={"centers"}),
    "start": Either((CoarseStart,), fields_of(CoarseStart), Array(FLOAT, 2)),  # levels of groups, or positions
    COARSE_LAYOUT: fields_of(State),
    "alignment": fields_of(Connection),
    "layout": fields_of(State),
}


def open_checkpoint(
    path: str | os.PathLike[str],
    n_rows: int,
    digest: Callable[[], str],
    settings: Mapping[str, Any],
    *,
    any_seed: bool,
) -> tuple[FileCheckpoint, int]:
    """Resume the fit that is kept at ``path``, or begin one there. Returns the checkpoint and the seed of the fit.

    ``digest`` gives a digest of the data. With ``any_seed`` a resumed fit keeps the seed that it began with.
    """
    marked = {**settings, "seed": "any"} if any_seed else settings
    shape = (n_rows, settings["n_components"])
    file = CheckpointFile(Path(path), fingerprint(digest, marked), settings["seed"], shape)
    if not file.path.is_file() or not file.resume():
        file.write({})  # so that a path that cannot be written to is reported before the fit
    return FileCheckpoint(file), file.seed


class CheckpointFile:
    """A file with the results of stages, and a fingerprint of the fit that they belong to."""

    def __init__(self, path: Path, mark: dict[str, str], seed: int, shape: tuple[int, int]) -> None:
        self.path, self.seed = path, seed
        self._mark, self._shape = mark, shape
        self._stored = Contents({}, [])

    @property
    def stages(self) -> set[str]:
        return set(self._stored.content)

    def read(self, name: str, made: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        with _advising(), refusing(self.path):
            value = STAGES[name].decode(self._stored.content[name], self._stored.arrays, **given)
            graph, n_rows = made.get("graph"), self._shape[0]
            if name == COARSE_LAYOUT:
                n_rows = points_of_level(made["start"], value)
            check_stage(name, value, n_rows, self._shape[1], 0 if graph is None else graph.weights.nnz)
        return value

    def write(self, made: Mapping[str, Any]) -> None:
        arrays = Collected()
        stages = {name: STAGES[name].encode(value, arrays) for name, value in made.items() if name in STAGES}
        content = {"fingerprint": self._mark, "seed": self.seed, "stages": stages}
        write_file(self.path, KIND, Contents(content, arrays.arrays))

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def resume(self) -> bool:
        """Take over what is in the file. False if another fit began it and has not finished a stage."""
        with _advising():
            # Not mapped, because the file will soon be replaced, which some systems refuse while it is mapped.
            contents = read_file(self.path, KIND, mapped=False)
            with refusing(self.path):
                found = unpack(CHECKPOINT, contents)
        others = {*self._mark.items()} ^ {*found["fingerprint"].items()}
        if others and not found["stages"]:
            return False
        if others:
            raise StoreError(
                f"{self.path} is the checkpoint of another fit, with other {', '.join(sorted(_named(others)))}; "
                f"{ADVICE}"
            )
        self.seed = found["seed"]
        self._stored = Contents(found["stages"], contents.arrays)
        return True


def _named(marks: Iterable[tuple[str, str]]) -> set[str]:
    """What differs, by the names of the parameters."""
    return {"random_state" if name == "seed" else name for name, _ in marks}


@contextmanager
def _advising() -> Iterator[None]:
    """Add what to do about a file that cannot be read."""
    try:
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
