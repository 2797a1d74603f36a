"""Firefox as the system ships it, driven by WebDriver BiDi over a websocket, without a driver program."""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import contextmanager
from itertools import count

from needed import package, tool
from waiting import PATIENCE, wait_until


class Firefox:
    """One page in a Firefox without a window."""

    def __init__(self, socket):
        self.socket = socket
        self.numbers = count(1)
        self.logged = []
        self.ask("session.new", {"capabilities": {}})
        self.ask("session.subscribe", {"events": ["log.entryAdded", "network.beforeRequestSent"]})
        self.tab = self.ask("browsingContext.getTree", {})["contexts"][0]["context"]

    def ask(self, method, parameters):
        """Send a command and wait for its answer. What is logged meanwhile is kept."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]
            self.logged.append(message)

    def open(self, address):
        self.ask("browsingContext.navigate", {"context": self.tab, "url": address, "wait": "complete"})

    def value(self, expression):
        """The value of an expression on the page, which is a string, a number or a truth."""
        asked = {"expression": expression, "target": {"context": self.tab}, "awaitPromise": False}
        return self.ask("script.evaluate", asked)["result"].get("value")

    def wait(self, expression):
        """Wait until an expression is true."""
        wait_until(lambda: self.value(expression), expression)

    def click(self, x, y):
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        actions = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        source = {"type": "pointer", "id": "mouse", "actions": actions}
        self.ask("input.performActions", {"context": self.tab, "actions": [source]})

    @property
    def complaints(self):
        """What was logged as an error, and what was asked for beyond the file."""
        events = [(each.get("method"), each.get("params", {})) for each in self.logged]
        errors = [
            logged["text"] for method, logged in events if method == "log.entryAdded" and logged["level"] == "error"
        ]
        asked = [sent["request"]["url"] for method, sent in events if method == "network.beforeRequestSent"]
        return errors + [url for url in asked if not url.startswith(("file:", "blob:", "data:"))]


@contextmanager
def firefox(folder):
    """A Firefox with a new profile; the test is skipped where there is none."""
    client = package("websockets.sync.client", "browser")
    program = tool("firefox-esr", "firefox")
    command = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    log = folder / "log.txt"

    def address():
        return re.search(r"(ws://\S+)\n", log.read_text())

    with log.open("w") as file:
        process = subprocess.Popen(command, stderr=file, stdout=subprocess.DEVNULL)
    try:
        wait_until(address, lambda: f"an address in {log.read_text()}")
        with client.connect(f"{address()[1]}/session", max_size=None, proxy=None, open_timeout=PATIENCE) as socket:
            yield Firefox(socket)
    finally:
        process.terminate()
        process.wait(PATIENCE)
