"""Where the questions of a page are answered in Python, for the local server and the notebook alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .questions import checked
from .wire import packed, unpacked

if TYPE_CHECKING:
    from ..explanation.answers import Answers
    from ..explanation.mixin import ExplanationMixin


@dataclass(frozen=True)
class Desk:
    """A map that can be drawn and asked. The data themselves stay where they are."""

    head: dict[str, Any]
    parts: dict[str, bytes]  # compressed, those that the page draws
    answer: Callable[[dict[str, Any]], Any]  # of a question that has been checked

    def head_bytes(self) -> bytes:
        """The head as JSON."""
        from .html import json_bytes

        return json_bytes(self.head)

    def ask(self, question: bytes) -> bytes:
        """The answer to a question, both packed. What is wrong with a question is said in an error."""
        value = checked(unpacked(question), self.head["nRows"], self.head["nFeatures"])
        return packed(self.answer(value))


def desk_of(model: ExplanationMixin, caller: str, *, title: str | None = None, **said: Any) -> Desk:
    """The desk of a model, with what the user says of its rows: see `checked_annotations`."""
    from .annotations import checked_annotations
    from .html import origin_of, part_of
    from .record import record_without_data

    answers = part_of(model._answers, None, None)
    n_rows, n_features = len(answers.points), answers.data.shape[1]
    notes = checked_annotations(caller, n_rows, n_features, answers.row_names, **said)
    origin = replace(origin_of(model, answers, None, None, title), notes=())
    record = record_without_data(answers, notes, origin)
    return Desk(record.head, {part.name: part.compressed for part in record.parts}, partial(_answer, answers))


def _answer(answers: Answers, question: dict[str, Any]) -> Any:
    from . import answers as library

    kind, said = question["kind"], {name: value for name, value in question.items() if name != "kind"}
    return getattr(library, kind)(answers, **said)
