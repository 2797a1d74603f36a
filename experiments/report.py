"""What every experiment shares: full or quick, where it writes, and the report it leaves.

An experiment makes pictures, figures and claims. Its report is a README.md with claim, measurement and verdict, and
figures.json; both come from the same values, so they cannot disagree. Words that need judgement are written by hand
into notes.md beside the script, and the report takes them in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # pictures go to files

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from lab.files import write_text
from lab.pages import table

HERE = Path(__file__).parent
CACHE = HERE / "cache"
QUICK = HERE / "quick"


@dataclass(frozen=True)
class Claim:
    """What the paper says or we promise, what was measured, and whether that bears it out."""

    claim: str
    measured: str
    holds: bool

    @property
    def verdict(self) -> str:
        return "holds" if self.holds else "**does not hold**"

    @property
    def cells(self) -> list[str]:
        """Its row in a table."""
        return [self.claim, self.measured, self.verdict]


def counted(claim: str, margins: dict[str, float]) -> Claim:
    """A claim on many cases, which holds if none of their margins is negative."""
    n_held = sum(margin >= 0 for margin in margins.values())
    least = min(margins, key=margins.__getitem__)
    measured = (
        f"in {n_held} of {len(margins)} cases; the smallest margin to the rule is {margins[least]:+.3f} ({least})"
    )
    return Claim(claim, measured, bool(n_held == len(margins)))


class Report:
    """One run of one experiment; a quick one takes a part of the data and leaves the published results alone.

    With ``only_made`` the comparison takes the maps there are and makes none. With ``published_peers`` the figures of
    other methods are those of the last full run, and only ours are measured.
    """

    def __init__(
        self, name: str, quick: bool = False, only_made: bool = False, published_peers: bool = False
    ) -> None:
        self.home = HERE / name
        self.quick = quick
        self.only_made = only_made
        self.published_peers = published_peers and not quick
        self.folder = QUICK / name if quick else self.home
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pictures: list[tuple[str, str]] = []

    def picture(self, figure: Figure, name: str, caption: str, dpi: int = 130) -> None:
        """Save a figure as ``name.png`` and remember it for the report."""
        figure.savefig(self.folder / f"{name}.png", dpi=dpi, bbox_inches="tight")
        plt.close(figure)
        self.pictures.append((f"{name}.png", caption))

    def write(
        self, title: str, about: str, claims: list[Claim], figures: dict[str, Any], tables: Sequence[str] = ()
    ) -> None:
        """README.md and figures.json; ``tables`` are further pieces of markdown."""
        stored = {"title": title, "claims": [asdict(claim) for claim in claims], "figures": figures}
        write_text(self.folder / "figures.json", json.dumps(stored, indent=1) + "\n")
        write_text(self.folder / "README.md", "\n\n".join(self._sections(title, about, claims, tables)) + "\n")
        for claim in claims:
            print(f"{claim.verdict.strip('*')}: {claim.claim} — {claim.measured}")

    def _sections(self, title: str, about: str, claims: list[Claim], tables: Sequence[str]) -> list[str]:
        verdicts = table(("claim", "measured", "verdict"), [claim.cells for claim in claims])
        command = f"```sh\npython -m experiments.figures {self.home.name}\n```"
        pictures = [f"![{caption}]({name})\n\n*{caption}*" for name, caption in self.pictures]
        notes = self.home / "notes.md"
        closing = [notes.read_text().strip()] if notes.exists() else []
        return [f"# {title}", about, command, verdicts, *closing, *tables, *pictures]
