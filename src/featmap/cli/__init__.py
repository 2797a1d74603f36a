"""The command ``featmap``. Errors are one sentence on stderr; wrong use ends with exit code 2."""

from __future__ import annotations

import sys

from ..errors import FeatmapError

WRONG_USE = 2
STOPPED = 130


def main() -> None:
    """Run the command that the arguments of this program name."""
    try:
        import click
    except ImportError:
        _fail("the command needs click: pip install 'featmap[cli]'", WRONG_USE)

    from . import doctor, mapping, saved  # noqa: F401 - each adds its commands to the group
    from .shared import commands

    try:
        sys.exit(commands.main(prog_name="featmap", standalone_mode=False))
    except click.ClickException as error:
        _fail(error.format_message(), WRONG_USE)
    except FeatmapError as error:
        _fail(str(error), WRONG_USE)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), WRONG_USE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(STOPPED)


def _fail(reason: str, code: int) -> None:
    print("featmap:", " ".join(reason.split()), file=sys.stderr)
    sys.exit(code)
