"""The page without data, as the server hands it out and as a notebook frames it."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from .html import POLICY, hash_of

SERVED = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="featmap-source" content="server">
<title>{title}</title>
<link rel="stylesheet" href="app.css">
<script src="app.js" defer></script>
</head>
<body>
<div id="featmap-app"></div>
</body>
</html>
"""
FRAMED = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="featmap-source" content="notebook">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="featmap-app"></div>
<script>{script}</script>
</body>
</html>
"""


def static(name: str) -> bytes:
    """One of the files that `make web` builds."""
    return (files(__package__) / "static" / name).read_bytes()


def served_files(title: str) -> dict[str, tuple[bytes, str]]:
    """All files of the page by their paths, with their types."""
    page = SERVED.format(title=escape(title)).encode("utf-8", "xmlcharrefreplace")
    return {
        "/": (page, "text/html"),
        "/app.js": (static("app.js"), "text/javascript"),
        "/app.css": (static("app.css"), "text/css"),
        "/LICENSES.txt": (static("LICENSES.txt"), "text/plain"),
    }


def framed_page(title: str) -> bytes:
    """The page in one piece, for a frame."""
    script, style = static("app.js").decode(), static("app.css").decode()
    policy = POLICY.format(script=hash_of(script), style=hash_of(style))
    page = FRAMED.format(policy=policy, title=escape(title), style=style, script=script)
    return page.encode("utf-8", "xmlcharrefreplace")
