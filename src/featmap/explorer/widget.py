"""The explorer in a cell of a notebook. All goes by messages, so no data are saved with the notebook."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import anywidget
import numpy as np
import traitlets

from ..errors import FeatmapError, InvalidRowsError
from ..values import IntArray
from .desk import Desk, desk_of
from .shell import framed_page, static
from .wire import packed, unpacked

if TYPE_CHECKING:
    from ..explanation.mixin import ExplanationMixin

PICTURE_INCHES = (6.0, 4.5)
PICTURE_DPI = 72


class ExplorerWidget(anywidget.AnyWidget):
    """The page of a map in a notebook. `FeatMAP.explore` makes it.

    Parameters
    ----------
    desk : Desk
        Who answers.
    picture : callable
        Makes a PNG for viewers that do not run the widget, or None.
    height : int, default=640
        The height of the page on the screen, in pixels.

    Attributes
    ----------
    selection : ndarray of int
        The rows of region A on the page, in rising order. It can be set, and observed as any trait.
    """

    _esm = static("widget.js").decode()
    height = traitlets.Int(640).tag(sync=True)
    # Not synchronised, since that would save it with the notebook: it is sent by messages.
    selection = traitlets.Any()

    def __init__(self, desk: Desk, picture: Callable[[], bytes | None], height: int = 640) -> None:
        super().__init__(height=height, selection=np.empty(0, np.int32))
        self._desk, self._picture = desk, picture
        self._teller: str | None = None  # the view that a new selection comes from
        self.on_msg(self._hear)

    @traitlets.validate("selection")
    def _checked_selection(self, proposal: Any) -> IntArray:
        try:
            rows = np.unique(np.asarray(proposal["value"], dtype=np.float64))
        except (TypeError, ValueError):
            rows = np.array([-1.0])
        if hasattr(self, "_desk"):
            n_rows = self._desk.head["nRows"]
            if ((rows != np.rint(rows)) | (rows < 0) | (rows >= n_rows)).any():
                raise InvalidRowsError(f"selection must be numbers of rows, from 0 to {n_rows - 1}")
        return rows.astype(np.int32)

    @traitlets.observe("selection")
    def _tell_selection(self, change: Any) -> None:
        if hasattr(self, "_desk"):
            self.send({"kind": "select", "view": self._teller}, [packed(change["new"])])

    def _hear(self, _: Any, message: Any, buffers: Any) -> None:
        view, kind = message["view"], message["kind"]
        if kind == "open":
            self._open(view)
        elif kind == "ask":
            self._answer(view, message["id"], bytes(buffers[0]))
        elif kind == "selected":
            self._teller = view
            try:
                self.selection = unpacked(bytes(buffers[0]))
            finally:
                self._teller = None

    def _open(self, view: str) -> None:
        desk = self._desk
        page, head = framed_page(desk.head["title"]), desk.head_bytes()
        self.send({"kind": "open", "view": view, "names": list(desk.parts)}, [page, head, *desk.parts.values()])
        if len(self.selection):
            self.send({"kind": "select", "view": None}, [packed(self.selection)])

    def _answer(self, view: str, number: int, question: bytes) -> None:
        try:
            answer = self._desk.ask(question)
        except (FeatmapError, ValueError) as error:
            self.send({"kind": "error", "view": view, "id": number, "error": str(error)})
        except Exception as error:
            reason = f"The question has failed ({type(error).__name__}: {error})."
            self.send({"kind": "error", "view": view, "id": number, "error": reason})
            raise
        else:
            self.send({"kind": "answer", "view": view, "id": number}, [answer])

    def _repr_mimebundle_(self, **given: Any) -> Any:
        """The widget, and a picture for viewers that do not run it."""
        bundle = super()._repr_mimebundle_(**given)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        picture = self._picture()
        if data is None or picture is None:
            return bundle
        return {**data, "image/png": base64.b64encode(picture).decode()}, metadata


def widget_of(model: ExplanationMixin, *, height: int, title: str | None, **said: Any) -> ExplorerWidget:
    """The widget that `ExplanationMixin.explore` describes."""
    desk = desk_of(model, "explore", title=title, **said)
    return ExplorerWidget(desk, partial(picture_of, model, said["labels"]), height)


def picture_of(model: ExplanationMixin, labels: Any) -> bytes | None:
    """The map as a small PNG; None without matplotlib."""
    try:
        from matplotlib.figure import Figure

        from ..plot import embedding
    except ImportError:
        return None
    figure = Figure(figsize=PICTURE_INCHES, dpi=PICTURE_DPI, layout="tight")
    embedding(model, labels, ax=figure.add_subplot())
    file = BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
