"""experiments/README.md: every claim, our figure, holds or not."""

from __future__ import annotations

import json
from pathlib import Path

from lab.files import write_text
from lab.pages import table

from .report import HERE, QUICK, Claim

HEAD = """# The paper's experiments

Every claim of the paper and every promise of ours, as measured on the real data. Each experiment's page has the
pictures, its `figures.json` all the figures.

"""
TAIL = """
```sh
FEATMAP_DATA=/path/to/data make figures        # everything; continues where it stopped
FEATMAP_DATA=/path/to/data make figures-quick  # parts of the data, in minutes, into experiments/quick
```

Most of the hours are for the maps of other methods. After a change of featMAP its own maps can be measured alone
beside the figures of the others as they were published (not on attacked digits, which depend on the processor):

```sh
FEATMAP_DATA=/path/to/data python -m experiments.figures --published-peers density_scale comparison
FEATMAP_DATA=/path/to/data python -m experiments.published  # these figures against maps of theirs made again
```

Without `FEATMAP_DATA` the data are downloaded, all but the labels of PBMC 3k, which are not among the published
files: what compares cells needs the folder. The single-cell COVID data of the paper (Liu et al. 2021) could not be
had; PBMC 3k and Paul 2015 stand in for them.
"""


def write_overview(names: tuple[str, ...], quick: bool) -> None:
    root = QUICK if quick else HERE
    rows = [row for name in names for row in rows_of(root / name / "figures.json", name)]
    write_text(root / "README.md", HEAD + table(("experiment", "claim", "measured", "verdict"), rows) + "\n" + TAIL)


def rows_of(path: Path, name: str) -> list[list[str]]:
    if not path.exists():
        return []
    stored = json.loads(path.read_text())
    claims = [Claim(**claim) for claim in stored["claims"]]
    return [[f"[{stored['title']}]({name}/README.md)", *claim.cells] for claim in claims]
