"""Who may ask the local server: requests of its own page only.

The server is bound to this machine, but every web page that is open here can send requests to it, and so can other
users of the machine. So a request must name this server as its host (a foreign name could be made to lead here), must
come from the server's own page if it says where it comes from, and must know the token to see anything of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hmac import compare_digest

MOST_HEADERS = 64
MOST_HEADER_BYTES = 2**14
MOST_BODY_BYTES = 8 * 2**20

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Refusal:
    """Why a request is not served."""

    status: int
    reason: str


@dataclass(frozen=True)
class Guard:
    """What the server knows about itself."""

    port: int
    token: str

    def hosts(self) -> list[bytes]:
        """The values of the header ``Host`` that name this server."""
        return [f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost")]

    def refusal(self, method: str, headers: Headers, *, is_secret: bool, is_page: bool) -> Refusal | None:
        """Why this request is refused; None if it is not. The page itself may be opened from anywhere."""
        if len(headers) > MOST_HEADERS or sum(len(name) + len(value) for name, value in headers) > MOST_HEADER_BYTES:
            return Refusal(431, "The request has too many headers.")
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or hosts[0] not in self.hosts():
            return Refusal(403, "This server has another name.")
        if not _is_from_here(hosts[0], headers) and not (is_page and method == "GET" and _is_visit(headers)):
            return Refusal(403, "Other pages may not ask this server.")
        if is_secret and not self._knows_token(headers):
            return Refusal(
                401,
                "This tab has no key to the map, or an old one. Open the link that was printed where the server was "
                f"started. It begins with http://127.0.0.1:{self.port}/#token=",
            )
        return None

    def _knows_token(self, headers: Headers) -> bool:
        said = _values(headers, b"authorization")
        return len(said) == 1 and compare_digest(said[0], f"Bearer {self.token}".encode())


def _is_from_here(host: bytes, headers: Headers) -> bool:
    origins, sites = _values(headers, b"origin"), _values(headers, b"sec-fetch-site")
    return set(origins) <= {b"http://" + host} and set(sites) <= {b"same-origin", b"none"}


def _is_visit(headers: Headers) -> bool:
    """Whether someone follows a link to the page, which then fills a tab of its own."""
    return (
        not _values(headers, b"origin")
        and _values(headers, b"sec-fetch-mode") == [b"navigate"]
        and _values(headers, b"sec-fetch-dest") == [b"document"]
    )


def _values(headers: Headers, name: bytes) -> list[bytes]:
    return [value for key, value in headers if key == name]
