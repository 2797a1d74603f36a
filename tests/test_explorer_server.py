"""The explorer's local server: what its own page gets, and what others do not."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from contextlib import ExitStack, closing

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the local server needs the extra explore")

from featmap import FeatMAP
from featmap.explorer import serve
from featmap.explorer.answer_queue import MOST_WAITING, THREADS
from featmap.explorer.connections import MOST_CONNECTIONS
from featmap.explorer.desk import Desk
from featmap.explorer.guards import MOST_BODY_BYTES, MOST_HEADERS
from featmap.explorer.server import LocalServer, _body, _TooLong
from featmap.explorer.wire import packed, unpacked
from waiting import PATIENCE, ended, lasting_port, started, wait_until

CONNECTIONS, SERVER = "featmap.explorer.connections", "featmap.explorer.server"
HEAD = {"title": "<b>Map</b> \ud83d", "nRows": 10, "nFeatures": 3}
PLACES = bytes(range(80))
QUESTION = packed({"kind": "point", "row": 3})


def echo(question):
    return {**question, "values": np.array([0.5, np.nan])}


def running(answer, *port):
    return LocalServer(Desk(HEAD, {"places": PLACES}, answer), *port)


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """The server waits long for those who are slow, except where a test is about that."""
    monkeypatch.setattr(f"{CONNECTIONS}.SECONDS_FOR_HEAD", 5 * PATIENCE)
    monkeypatch.setattr(f"{SERVER}.SECONDS_FOR_BODY", 5 * PATIENCE)


@pytest.fixture(scope="module")
def server():
    with running(echo) as server:
        yield server


def asked(server, method="POST", path="/ask", body=QUESTION, headers=(), token=None):
    """Status, headers and body of an answer. Headers that are given replace the usual ones; None leaves one out."""
    usual = {"Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {token or server.token}"}
    sent = {name: value for name, value in {**usual, **dict(headers)}.items() if value is not None}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    with closing(connection):
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            connection.putheader(name, value)
        if method == "POST" and "Content-Length" not in sent:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body if method == "POST" else None)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


def status(server, *arguments, **given):
    return asked(server, *arguments, **given)[0]


def connected(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def raw(server, content):
    """What the server says to these bytes before it closes the connection, which it must do in time."""
    with connected(server) as connection:
        said = b""
        try:
            connection.sendall(content)
            while piece := connection.recv(2**16):
                said += piece
        except ConnectionError:
            pass
        return said


def head_of(server, request, *, token=True):
    """The first lines of a request: bytes to which headers can be added."""
    authorization = f"Authorization: Bearer {server.token}\r\n" if token else ""
    return f"{request} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{authorization}".encode()


def is_alive(server):
    return status(server) == 200


def test_the_page_gets_itself_without_the_token(server):
    code, headers, page = asked(server, "GET", "/", headers={"Authorization": None})
    assert code == 200
    assert b"&lt;b&gt;Map&lt;/b&gt;" in page
    assert b"<b>" not in page
    assert server.token.encode() not in page
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert not [name for name in headers if name.startswith("access-control")]
    for path in ("/app.js", "/app.css"):
        assert status(server, "GET", path, headers={"Authorization": None}) == 200


def test_data_and_answers_need_the_token(server):
    assert asked(server, "GET", "/parts/places")[2] == PLACES
    assert asked(server, "GET", "/head")[0] == 200
    answer = unpacked(asked(server)[2])
    assert answer["row"] == 3
    np.testing.assert_array_equal(answer["values"], [0.5, np.nan])


@pytest.mark.parametrize(("method", "path"), [("GET", "/head"), ("GET", "/parts/places"), ("POST", "/ask")])
@pytest.mark.parametrize("said", [None, "", "Bearer ", "Bearer wrong", "bearer {token}", "Basic {token}", "{token}"])
def test_a_wrong_token_gets_nothing(server, method, path, said):
    said = None if said is None else said.format(token=server.token)
    code, _, body = asked(server, method, path, headers={"Authorization": said})
    assert code == 401
    assert PLACES not in body


def test_the_token_is_taken_from_nowhere_else(server):
    for path in (f"/head?token={server.token}", f"/head#token={server.token}"):
        assert status(server, "GET", path, headers={"Authorization": None}) in (400, 401)
    elsewhere = {"Authorization": None, "Cookie": f"token={server.token}", "Referer": server.url}
    assert status(server, "GET", "/head", headers=elsewhere) == 401


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "", None],
)
@pytest.mark.parametrize("path", ["/", "/app.js", "/head"])
def test_a_foreign_host_gets_nothing(server, host, path):
    host = None if host is None else host.format(port=server.port)
    assert status(server, "GET", path, headers={"Host": host}) in (400, 403)


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}"])
def test_both_names_of_this_machine_are_served(server, host):
    host = host.format(port=server.port)
    assert status(server, headers={"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}) == 200


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/app.js"), ("GET", "/head"), ("POST", "/ask")])
def test_foreign_pages_get_nothing(server, method, path, headers):
    assert status(server, method, path, headers=headers) == 403


def test_a_link_elsewhere_opens_the_page_and_nothing_else(server):
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert status(server, "GET", "/", headers=visit) == 200
    assert status(server, "GET", "/head", headers=visit) == 403


@pytest.mark.parametrize(
    "path",
    [
        *("/../pyproject.toml", "/static/../../pyproject.toml", "/parts/../head", "/parts/%2e%2e%2fhead"),
        *("/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/\\windows\\win.ini"),
        *("/parts/", "/parts/x", "/app.js/", "/app.js%00", "/worker.js", "/%ff%fe"),
    ],
)
def test_no_path_leads_out_of_the_table(server, path):
    assert status(server, "GET", path) == 404
    assert status(server, "GET", path, headers={"Authorization": None}) == 401


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH", "CONNECT", "FOO"])
def test_other_methods_are_refused(server, method):
    for path in ("/", "/head", "/ask"):
        assert status(server, method, path) == 405
    assert status(server, "GET", "/ask") == 405
    assert status(server, "POST", "/head") == 405


def numbers(*rows):
    return np.array(rows, np.int32)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"\x00", b"\xff\xff\xff\xff", b"\x02\x00\x00\x00{}"),
        *(b"\x05\x00\x00\x00[[[[[", b"\x04\x00\x00\x00null"),
        *(size.to_bytes(4, "little") + b"[" * size for size in (200_000, 60_000)),
        *(QUESTION + b"x", QUESTION[:-1], np.random.default_rng(0).bytes(5000)),
        *(packed({"kind": kind}) for kind in ("point", "shutdown")),
        *(packed({"kind": kind, "row": 1}) for kind in (["point"], "shutdown")),
        *(packed({"kind": "point", "row": row}) for row in (10, -1, 1.0, True, "1", {"array": 0})),
        packed({"kind": "point", "row": 3, "more": 1}),
        *(packed({"kind": "group", "rows": rows}) for rows in (numbers(), numbers(1, 10), numbers(-1))),
        *(packed({"kind": "group", "rows": rows}) for rows in ([1, 2], np.array([1.0]))),
        packed({"kind": "contrast", "a": numbers(1, 2), "b": numbers(2, 3)}),
        *(packed({"kind": "contrast", "a": numbers(*a), "b": None}) for a in ((1, 1), range(10), range(9))),
        packed({"kind": "column", "what": {"kind": "feature", "feature": 3}, "rows": None}),
        *(packed({"kind": "column", "what": {"kind": kind}, "rows": None}) for kind in ("feature", ["kept"])),
        packed({"kind": "values", "rows": np.zeros(2_000_000, np.int32)}),
        packed({"kind": "neighbours", "row": float("nan")}),
    ],
    ids=lambda body: repr(body[:40]),
)
def test_a_malformed_question_is_refused_in_words(server, body):
    code, _, reason = asked(server, body=body)
    assert code == 400
    assert 0 < len(reason) < 300
    assert b"Traceback" not in reason
    assert is_alive(server)


def test_an_oversized_body_is_refused(server):
    assert status(server, body=b"", headers={"Content-Length": str(MOST_BODY_BYTES + 1)}) == 413
    assert status(server, body=b"", headers={"Content-Length": "9" * 30}) in (400, 413)
    chunk = b"%x\r\n" % 2**20 + bytes(2**20) + b"\r\n"
    said = raw(server, head_of(server, "POST /ask") + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 9)
    assert b"200" not in said[:15]
    assert is_alive(server)


def test_a_body_of_unknown_length_is_read_up_to_the_limit():
    """No further, whatever more there is."""
    taken = []

    async def receive():
        taken.append(2**20)
        assert len(taken) < 20
        return {"type": "http.request", "body": bytes(2**20), "more_body": True}

    with pytest.raises(_TooLong):
        asyncio.run(_body([], receive))
    assert sum(taken) == MOST_BODY_BYTES + 2**20


def test_too_many_headers_are_refused(server):
    start = head_of(server, "GET /head")
    for n_headers in (MOST_HEADERS, 10_000):
        said = raw(server, start + b"".join(b"a%d: b\r\n" % i for i in range(n_headers)) + b"\r\n")
        assert said[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400")
    said = raw(server, start + b"a: " + b"b" * 10**6 + b"\r\n\r\n")
    assert said[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"")
    assert is_alive(server)


@pytest.mark.parametrize(
    "content",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\r\n" * 10_000,
        b"POST /ask HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_not_a_request_is_refused(server, content):
    said = raw(server, content)
    assert said == b"" or said.split()[1] in (b"400", b"403", b"404", b"405", b"505")
    assert is_alive(server)


def test_half_open_connections_lock_nobody_out(server):
    half = head_of(server, "POST /ask", token=False)
    with ExitStack() as opened:
        for _ in range(400):
            connection = opened.enter_context(connected(server))
            connection.sendall(half)
        assert [is_alive(server) for _ in range(5)] == 5 * [True]
        assert 200 < len(server._server.server_state.connections) <= MOST_CONNECTIONS + 1


def test_connections_that_read_nothing_lock_nobody_out(monkeypatch):
    monkeypatch.setattr("featmap.explorer.connections.MOST_CONNECTIONS", 4)
    with running(echo) as server, ExitStack() as opened:
        asked_often = 200 * (head_of(server, "GET /app.js", token=False) + b"\r\n")
        for _ in range(4):
            connection = opened.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(asked_often)
        connections = server._server.server_state.connections
        wait_until(lambda: sum(one.flow.write_paused for one in list(connections)) == 4, "a pause of each")
        assert [is_alive(server) for _ in range(5)] == 5 * [True]


def test_a_connection_that_says_nothing_of_use_is_closed(monkeypatch):
    monkeypatch.setattr(f"{SERVER}.SECONDS_FOR_BODY", 0.3)
    monkeypatch.setattr(f"{SERVER}.SECONDS_IDLE", 1)
    with running(echo) as server:
        with monkeypatch.context() as soon:
            soon.setattr(f"{CONNECTIONS}.SECONDS_FOR_HEAD", 0.3)
            assert raw(server, b"") == b""
            assert raw(server, b"GET / HT") == b""
        whole = head_of(server, "GET /app.css", token=False)
        assert raw(server, whole + b"\r\nGET ").startswith(b"HTTP/1.1 200")
        begun = head_of(server, "POST /ask") + b"Content-Length: 99\r\n\r\nabc"
        assert raw(server, begun).startswith(b"HTTP/1.1 408")


@pytest.fixture
def held():
    """A server whose threads are all busy until an event, and the rows that they have begun with."""
    go_on, begun = threading.Event(), []

    def slow(question):
        begun.append(question["row"])
        assert go_on.wait(PATIENCE)
        return question

    with running(slow) as server:
        busy = started(lambda row: status(server, body=packed({"kind": "point", "row": row})), THREADS)
        wait_until(lambda: len(begun) == THREADS, "a question for each thread")
        yield server, go_on, begun
        go_on.set()
        ended(busy)


def test_many_questions_at_once_are_answered_or_refused(held):
    server, go_on, _ = held
    found = []
    asking = started(lambda _: found.append(status(server)), 200)
    wait_until(lambda: len(found) >= 200 - MOST_WAITING, "a refusal of all but those that may wait")
    assert set(found) == {503}
    go_on.set()
    ended(asking)
    assert (found.count(503), found.count(200)) == (200 - MOST_WAITING, MOST_WAITING)
    assert is_alive(server)


def test_a_question_that_nobody_waits_for_is_not_begun(held):
    server, go_on, begun = held
    waiting = server._app.queue._waiting.queue
    with ExitStack() as opened:
        for _ in range(3):
            opened.enter_context(connected(server)).sendall(
                head_of(server, "POST /ask") + b"Content-Length: %d\r\n\r\n" % len(QUESTION) + QUESTION
            )
        wait_until(lambda: len(waiting) == 3, "three questions in the queue")
    wait_until(lambda: all(future.cancelled() for future, _ in waiting), "the news that they have left")
    go_on.set()
    assert status(server, body=packed({"kind": "point", "row": 9})) == 200
    assert sorted(begun) == [*range(THREADS), 9]


def test_a_failure_is_told_and_the_server_lives(caplog):
    def fails(question):
        raise RuntimeError("secret of the machine")

    with running(fails) as server:
        code, _, reason = asked(server)
        assert (code, reason) == (500, b"The question has failed (RuntimeError).")
        assert status(server) == 500


def test_the_server_is_on_this_machine_only_and_its_port_is_free_afterwards():
    port = lasting_port()
    with running(echo, port) as server:
        assert server._socket.getsockname() == ("127.0.0.1", port)
        assert server.url == f"http://127.0.0.1:{port}/#token={server.token}"
    with pytest.raises(ConnectionError):
        connected(server)
    with running(echo, port) as again:
        assert again.port == port
        assert again.token != server.token


def test_ctrl_c_while_the_browser_is_opened_ends_it_as_usual(monkeypatch, capsys):
    """The link can be read by then."""

    def interrupted(url):
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", interrupted)
    before = set(threading.enumerate())
    serve(FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=(30, 3))))
    assert capsys.readouterr().out.endswith("Ctrl-C ends it.\n")
    ended(thread for thread in set(threading.enumerate()) - before if thread.name == "featmap-explorer")
