"""One HTML file with a map, its data, and the page that explores them. It works offline, by a double click."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.rows import checked_rows
from ..data.sparse import SparseRows
from ..errors import InvalidParameterError
from ..explanation.answers import Answers
from ..explanation.points import points_of_data
from ..run import Run
from ..store.replacing import replacing
from ..values import IntArray
from .annotations import Annotations, checked_annotations
from .carrying import carried, carried_in_16_bits
from .hashing import sampled
from .part_of_model import of_features, of_rows
from .record import Origin, Record, record_of
from .rounding import rounding_errors

if TYPE_CHECKING:
    from os import PathLike

    from ..explanation.mixin import ExplanationMixin

MOST_BYTES = 60_000_000
SIZED_ROWS = 2000  # by which the size of all rows is estimated
CLEARLY = 1.15  # an estimate beyond the limit by this factor is believed
KNOWN_OF_ANY_MAP = ("n_neighbors", "metric", "n_tangent_neighbors", "tangent_center", "intrinsic_dim")
CONTAINS_DATA = "This file contains the data of the map. Whoever has the file has the data."

POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; worker-src blob:; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="featmap-app"><p>{contains_data} To see the map, open the file in a browser that runs scripts.</p></div>
"""
END = """</body>
</html>
"""


def write_html(
    model: ExplanationMixin,
    path: str | PathLike[str],
    *,
    labels: Any,
    columns: Any,
    ids: Any,
    image_shape: Any,
    maps: Any,
    features: Any,
    rows: Any,
    title: str | None,
) -> None:
    """Write the file that `ExplanationMixin.to_html` describes."""
    answers = model._answers
    chosen_rows, chosen_features = _chosen_rows(answers, rows), _chosen_features(answers, features)
    n_features = answers.data.shape[1] if chosen_features is None else len(chosen_features)
    said = checked_annotations(
        *("to_html", len(answers.points), n_features, answers.row_names),
        labels=labels,
        columns=columns,
        ids=ids,
        image_shape=image_shape,
        maps=maps,
    )
    origin = origin_of(model, answers, chosen_rows, chosen_features, title)
    if chosen_rows is not None:
        said = said.of_rows(chosen_rows)
    part = part_of(answers, chosen_rows, chosen_features)
    record = fitting_record(part, said, origin)
    with replacing(Path(path)) as file:
        for piece in pieces(record):
            file.write(piece)


def part_of(answers: Answers, rows: IntArray | None, features: IntArray | None) -> Answers:
    """Answers about the rows of the data that are asked for, and about some of their features."""
    points, names, row_names = answers.points, answers.feature_names, answers.row_names
    if (points.rows < 0).any():
        raise InvalidParameterError(
            "to_html: these are new rows, which are not part of the map; write the file of the model that was fitted"
        )
    of_data = points.rows
    whole = points_of_data(points.mapped)
    if rows is not None or len(of_data) < len(whole) or (of_data != whole.rows).any():
        chosen = of_data if rows is None else of_data[rows]
        row_names = row_names if rows is None or row_names is None else row_names[rows]
        with Run(answers.n_jobs) as run:
            whole = of_rows(whole, chosen, run)
    if features is not None:
        names = None if names is None else names[features]
        with Run(answers.n_jobs) as run:
            whole = of_features(whole, features, run)
    return Answers(whole, names, row_names, answers.n_jobs)


def _chosen_rows(answers: Answers, rows: Any) -> IntArray | None:
    if rows is None:
        return None
    chosen = np.unique(answers.rows(rows))
    if len(chosen) < 2:
        raise InvalidParameterError(f"to_html(rows=…): at least 2 rows are needed; got {len(chosen)}")
    return chosen


def _chosen_features(answers: Answers, features: Any) -> IntArray | None:
    """Columns by number, mask or name, in the order of the data."""
    if features is None:
        return None
    chosen = np.unique(checked_rows(features, answers.data.shape[1], answers.feature_names))
    if not len(chosen):
        raise InvalidParameterError("to_html(features=…): at least one feature is needed")
    return chosen


def origin_of(
    model: ExplanationMixin, answers: Answers, rows: IntArray | None, features: IntArray | None, title: str | None
) -> Origin:
    """Where a map comes from, and what a file of it says of itself."""
    maker = getattr(model, "_made_by", None) or model
    if hasattr(maker, "get_params"):
        parameters = maker.get_params(deep=False)
    else:
        parameters = {name: getattr(answers.points.mapped.manifold, name) for name in KNOWN_OF_ANY_MAP}
    seed = parameters.get("random_state")
    notes = [CONTAINS_DATA]
    if rows is not None:
        notes.append(
            f"It has {len(rows):,} of {len(answers.points):,} rows. Neighbours were searched among these rows, so "
            "answers may differ from those of the whole map."
        )
    if features is not None:
        notes.append(
            f"It has {len(features):,} of {answers.data.shape[1]:,} features. Answers are about these features alone."
        )
    return Origin(
        type(maker).__name__,
        {name: _short(value) for name, value in parameters.items()},
        int(seed) if isinstance(seed, int | np.integer) else None,
        tuple(str(getattr(maker, "fit_report_", "")).splitlines()),
        title or "featMAP",
        tuple(notes),
        rows,
        features,
    )


def _short(value: Any) -> str:
    """A parameter as it is written; of an array only its shape, which may be as long as the data."""
    if isinstance(value, str | int | float | bool | np.generic) or value is None:
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_short(item)}" for name, item in value.items()) + "}"
    shape = getattr(value, "shape", None)
    return type(value).__name__ if shape is None else f"{type(value).__name__} of shape {tuple(shape)}"


def fitting_record(answers: Answers, said: Annotations, origin: Origin) -> Record:
    """The record with the data as they are, or rounded if they were too large. What is larger still is refused."""
    data = answers.points.mapped.data
    ways = [carried] if isinstance(data.matrix, SparseRows) else [carried, carried_in_16_bits]
    size, some = 0.0, sampled(np.arange(data.shape[0], dtype=np.int32), SIZED_ROWS, 0)
    for carry in ways:
        n_bytes = sum(len(part.compressed) for part in carry(data.part(some)).parts)
        size = 4 * math.ceil(n_bytes / 3) * data.shape[0] / len(some)  # in base64, an estimate
        if size > CLEARLY * MOST_BYTES:
            continue
        found = carry(data)
        errors = None if found.is_exact else rounding_errors(answers, found.data)
        found = found if errors is None else found.with_text(f"{found.text}: {errors}")
        record = record_of(answers, said, found, errors, origin)
        size = size_of(record)
        if size <= MOST_BYTES:
            return record
    raise InvalidParameterError(
        f"to_html: the file would have about {size / 1e6:,.0f} MB, and browsers open no more than "
        f"{MOST_BYTES / 1e6:.0f} MB well; leave rows out (rows=…) or features (features=…), or save the model and "
        "look at it with `featmap explore`, which needs no such file"
    )


def size_of(record: Record) -> int:
    """Bytes of the file of a record."""
    return sum(len(piece) for piece in pieces(record))


@dataclass(frozen=True)
class Static:
    """The page's own files."""

    app: str
    worker: str
    style: str

    @classmethod
    def read(cls) -> Static:
        folder = files(__package__) / "static"
        return cls(*((folder / name).read_text(encoding="utf-8") for name in ("app.js", "worker.js", "app.css")))


def pieces(record: Record) -> Iterator[bytes]:
    """The file, piece by piece."""
    static = Static.read()
    policy = POLICY.format(script=hash_of(static.app), style=hash_of(static.style))
    yield PAGE.format(
        policy=policy,
        # in ASCII, since a title may hold half of a surrogate pair
        title=escape(record.head["title"]).encode("ascii", "xmlcharrefreplace").decode(),
        style=static.style,
        contains_data=escape(CONTAINS_DATA),
    ).encode()
    yield _script("application/json", "featmap-head", json_bytes(record.head))
    for part in record.parts:
        yield _script("application/octet-stream", f"featmap-part-{part.name}", base64.b64encode(part.compressed))
    yield _script("text/plain", "featmap-worker", static.worker.encode())
    yield b"<script>" + static.app.encode() + b"</script>\n"
    yield END.encode()


def _script(type_: str, name: str, content: bytes) -> bytes:
    """An element that browsers do not run, whose text the page reads."""
    return f'<script type="{type_}" id="{name}">'.encode() + content + b"</script>\n"


def hash_of(text: str) -> str:
    """What a policy allows a script or style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def json_bytes(value: Any) -> bytes:
    """JSON that no text in it can end: without <, so that neither </script> nor <!-- is in it."""
    text = json.dumps(_finite(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").encode()


def _finite(value: Any) -> Any:
    """Numbers that JSON does not have become null."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
