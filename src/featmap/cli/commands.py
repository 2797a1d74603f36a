"""All commands by name."""

from __future__ import annotations

import click

from .. import __version__
from .doctor import doctor
from .explain import explain
from .mapping import fit, map
from .saved import explore, metrics, plot, transform


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="featmap %(version)s")
def commands() -> None:
    """Maps of data that keep their features."""


for command in (map, fit, transform, explain, explore, plot, metrics, doctor):
    commands.add_command(command)
