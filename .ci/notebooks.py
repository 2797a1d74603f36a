"""Run the notebooks of examples/notebooks again and keep their outputs: ``make notebooks``.

What differs from run to run is left out: times, and what is said on stderr. Pictures are kept in few colours, so that
the files stay small.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

from featmap.store.replacing import replacing

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}
SECONDS = 600  # for one cell
COLOURS = 48


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=SECONDS, record_timing=False).execute()
        notebook.metadata = nbformat.from_dict(METADATA)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = [_kept(output) for output in cell.outputs if output.get("name") != "stderr"]
        nbformat.validate(notebook)
        with replacing(path) as file:
            file.write((nbformat.writes(notebook) + "\n").encode())
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def _kept(output: Any) -> Any:
    if "image/png" in output.get("data", {}):
        output.data["image/png"] = _in_few_colours(output.data["image/png"])
    return output


def _in_few_colours(picture: str) -> str:
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    smaller = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(smaller, "png", optimize=True)
    return base64.b64encode(smaller.getvalue()).decode()


if __name__ == "__main__":
    main()
