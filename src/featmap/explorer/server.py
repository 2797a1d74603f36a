"""The local server: the page, what it draws, and answers to its questions. It serves this machine only."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from types import TracebackType
from typing import Any

import uvicorn
from starlette.responses import Response

from ..errors import FeatmapError, InvalidParameterError
from .answer_queue import AnswerQueue, QueueFull
from .connections import GuardedConnection
from .desk import Desk
from .guards import MOST_BODY_BYTES, MOST_HEADER_BYTES, Guard, Refusal
from .shell import served_files
from .wire import WireError

ADDRESS = "127.0.0.1"
SECONDS_FOR_BODY = 20.0
SECONDS_IDLE = 15  # between two requests
SECONDS_TO_END = 1  # that a question may take on after the server was told to end
SECONDS_TO_START = 30.0
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
ASK = "/ask"
BYTES = "application/octet-stream"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)


class App:
    """Answers requests. All that can be had is in a table that is made once; no path leads to a file."""

    def __init__(self, desk: Desk, guard: Guard) -> None:
        self._desk, self._guard = desk, guard
        self._open = served_files(desk.head["title"])
        self._secret = {
            "/head": (desk.head_bytes(), "application/json"),
            **{f"/parts/{name}": (content, BYTES) for name, content in desk.parts.items()},
        }
        self.queue = AnswerQueue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._response(scope, receive)
        await response(scope, receive, send)

    async def _response(self, scope: Scope, receive: Receive) -> Response:
        method, path = scope["method"], scope["path"]
        refusal = self._guard.refusal(method, scope["headers"], is_secret=path not in self._open, is_page=path == "/")
        if refusal is not None:
            return _refused(refusal)
        allowed = "POST" if path == ASK else "GET"
        if method != allowed:
            return _refused(Refusal(405, f"Only {allowed} is possible here."))
        if path == ASK:
            return await self._answer(scope, receive)
        found = self._open.get(path) or self._secret.get(path)
        return _refused(Refusal(404, "There is nothing here.")) if found is None else _found(*found)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        try:
            question = await _body(scope["headers"], receive)
            return _found(await self._answer_while_wanted(question, receive), BYTES)
        except _TooLong:
            return _refused(Refusal(413, "The question is too long."))
        except TimeoutError:
            return _refused(Refusal(408, "The question did not come in time."))
        except QueueFull as error:
            return _refused(Refusal(503, str(error)))
        except (WireError, FeatmapError) as error:
            return _refused(Refusal(400, str(error)))
        except _Gone:
            return _refused(Refusal(400, "Nobody waits for the answer."))
        except Exception as error:
            logger.exception("a question failed")
            return _refused(Refusal(500, f"The question has failed ({type(error).__name__})."))

    async def _answer_while_wanted(self, question: bytes, receive: Receive) -> bytes:
        """The answer. A question whose asker has left is not begun."""
        answer = asyncio.ensure_future(self.queue.answered(lambda: self._desk.ask(question)))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((answer, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise _Gone
            return answer.result()
        finally:
            leaving.cancel()
            answer.cancel()


class _Gone(Exception):
    """The client has closed the connection."""


class _TooLong(Exception):
    """The body of a request is larger than allowed."""


async def _body(headers: Any, receive: Receive) -> bytes:
    stated = next((value for name, value in headers if name == b"content-length"), b"0")
    if not stated.isdigit() or int(stated) > MOST_BODY_BYTES:
        raise _TooLong
    pieces, size, more = [], 0, True
    async with asyncio.timeout(SECONDS_FOR_BODY):
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            pieces.append(message.get("body", b""))
            size, more = size + len(pieces[-1]), message.get("more_body", False)
            if size > MOST_BODY_BYTES:
                raise _TooLong
    return b"".join(pieces)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _found(content: bytes, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers=HEADERS)


def _refused(refusal: Refusal) -> Response:
    """A reason in words, and the end of the connection: the rest of a refused request is not read."""
    headers = {**HEADERS, "Connection": "close"}
    if refusal.status == 503:
        headers["Retry-After"] = "1"
    return Response(refusal.reason, refusal.status, media_type="text/plain", headers=headers)


class LocalServer:
    """A server in a thread of its own, from ``with`` to the end of its block.

    Parameters
    ----------
    desk : Desk
        Who answers.
    port : int, default=0
        The port; 0 for one that is free.

    Attributes
    ----------
    port : int
        The port.
    url : str
        The link that opens the page. It holds the token, in a part that browsers never send.
    """

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self._socket = _bound(port)
        self.port = self._socket.getsockname()[1]
        self.token = secrets.token_urlsafe(32)
        self.url = f"http://{ADDRESS}:{self.port}/#token={self.token}"
        self._app = App(desk, Guard(self.port, self.token))
        self._server = uvicorn.Server(_config(self._app))
        sockets = {"sockets": [self._socket]}
        self._thread = threading.Thread(target=self._server.run, kwargs=sockets, name="featmap-explorer", daemon=True)

    def __enter__(self) -> LocalServer:
        self._thread.start()
        deadline = time.monotonic() + SECONDS_TO_START
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise FeatmapError("The local server did not start.")
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._app.queue.end()
        self._server.should_exit = True
        self._thread.join(2 * SECONDS_TO_END)
        self._socket.close()

    def wait(self) -> None:
        """Until the server ends, or an exception such as that of Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)


def _config(app: App) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=GuardedConnection,
        ws="none",
        lifespan="off",
        loop="asyncio",
        interface="asgi3",
        log_config=None,
        log_level=logging.CRITICAL + 1,  # what others send is no concern of whoever looks at the terminal
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_keep_alive=SECONDS_IDLE,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )


def _bound(port: int) -> socket.socket:
    if type(port) is not int or not 0 <= port < 2**16:
        raise InvalidParameterError(f"port={port!r}: port must be a whole number from 0 to 65535")
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((ADDRESS, port))
    except OSError as error:
        bound.close()
        raise InvalidParameterError(f"port={port}: the port cannot be used ({error.strerror})") from error
    return bound
