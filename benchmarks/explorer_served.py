"""The local server in a process of its own: CPU time and memory until it has a link, and of questions."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from featmap.explorer.hashing import sampled
from featmap.explorer.wire import packed

TICKS = os.sysconf("SC_CLK_TCK")
N_POINTS = 40
N_TIMES = 3  # that other questions are asked


@dataclass(frozen=True)
class Served:
    """A server that is running."""

    pid: int
    port: int
    token: str
    until_link: float  # CPU seconds

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/#token={self.token}"

    def cpu(self) -> float:
        """CPU seconds of the process so far. They come in steps of 0.01."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def gb(self, kind: str) -> float:
        """Memory: RssAnon is what is held beside mapped files, VmHWM the most that was held with their pages."""
        return int(Path(f"/proc/{self.pid}/status").read_text().split(f"{kind}:")[1].split()[0]) * 1024 / 1e9

    def ask(self, question: dict[str, Any]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("POST", "/ask", packed(question), {"Authorization": f"Bearer {self.token}"})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        if response.status != 200:
            raise RuntimeError(content.decode())


@contextmanager
def serving(model: Path) -> Iterator[Served]:
    """`featmap explore` with a saved model, once it has printed its link."""
    command = [sys.executable, "-m", "featmap", "explore", str(model), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        link = re.search(r"127\.0\.0\.1:(\d+)/#token=(\S+)", process.stdout.readline())
        if link is None:
            raise RuntimeError("the server has not started")
        server = Served(process.pid, int(link[1]), link[2], 0.0)
        yield Served(server.pid, server.port, server.token, server.cpu())
    finally:
        process.terminate()  # an interrupt is not heard by what a shell has put into the background
        process.wait()


@dataclass(frozen=True)
class Asked:
    """What a question takes, in seconds: CPU time of the server, and until the answer is there."""

    name: str
    cpu: float
    wall: float


def questions(n_rows: int) -> dict[str, list[dict[str, Any]]]:
    """What is asked, by name."""
    every = np.arange(n_rows, dtype=np.int32)
    mixed = sampled(every, n_rows, 1)
    a, b = mixed[: n_rows * 5 // 70], mixed[n_rows * 5 // 70 : n_rows * 11 // 70]
    others = {
        f"two regions of {len(a):,} and {len(b):,} rows": {"kind": "contrast", "a": a, "b": b},
        "half of the rows against the rest": {"kind": "contrast", "a": mixed[: n_rows // 2], "b": None},
        "a feature's values, all rows": {"kind": "column", "what": {"kind": "feature", "feature": 3}, "rows": None},
        "neighbours that the map keeps, all rows": {"kind": "column", "what": {"kind": "kept"}, "rows": None},
    }
    points = [{"kind": "point", "row": int(row)} for row in sampled(every, N_POINTS, 0)]
    return {"a point": points, **{name: N_TIMES * [question] for name, question in others.items()}}


def asked(server: Served, name: str, asking: list[dict[str, Any]]) -> Asked:
    """The mean over some questions of a kind, after one that is not counted: it loads and compiles."""
    server.ask(asking[0])
    cpu, wall = server.cpu(), time.perf_counter()
    for question in asking:
        server.ask(question)
    n = len(asking)
    return Asked(name, (server.cpu() - cpu) / n, (time.perf_counter() - wall) / n)
