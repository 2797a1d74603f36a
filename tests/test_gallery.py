"""docs/gallery.md shows every picture that docs/gallery.py makes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from matplotlib import pyplot
from matplotlib.image import imread
from threadpoolctl import threadpool_limits

from featmap import plot

DOCS = Path(__file__).parent.parent / "docs"
SHORT = ["../README", "design", "faq", "from_umap", "gallery", "index", "models", "quickstart", "reading", "scale"]
LONG = [pytest.param(name, marks=pytest.mark.slow) for name in ("datasets", "density")]
TEXT = (DOCS / "gallery.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"\(images/gallery/(\w+)\.png\)", TEXT)


def test_every_function_is_described_called_and_shown():
    assert sorted(re.findall(r"^\*\*`(\w+)`\*\*: ", TEXT, re.MULTILINE)) == plot.__all__
    assert sorted(set(re.findall(r"^plot\.(\w+)\(", TEXT, re.MULTILINE))) == plot.__all__
    assert {name.split("_of_")[0] for name in SHOWN} == set(plot.__all__)


@pytest.mark.parametrize("name", SHOWN)
def test_pictures_are_there_and_small(name):
    path = DOCS / "images" / "gallery" / f"{name}.png"
    assert path.stat().st_size < 250_000
    assert (imread(path)[..., :3] < 0.98).any(axis=2).mean() > 0.01


def test_the_script_makes_those_pictures():
    specification = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert sorted(module.pictures()) == sorted(SHOWN)


NOT_HERE = ("import BERTopic", "tcp://scheduler")  # the one needs torch, the other a cluster


@pytest.mark.parametrize("page", [*SHORT, *LONG])
def test_every_piece_of_code_on_the_page_runs(page, tmp_path, monkeypatch, data_set):
    """Run them one after the other as a reader would."""
    if page == "datasets":
        data_set("mnist")
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    pieces = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    pieces = [piece for piece in pieces if not any(words in piece for words in NOT_HERE)]
    assert pieces
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with threadpool_limits(1):  # on a busy machine the threads of t-SNE wait for each other
        for piece in pieces:
            exec(piece, names)
    pyplot.close("all")


@pytest.fixture(scope="module")
def readme(tmp_path_factory):
    """What README.md prints, and the names that its code leaves behind."""
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("readme"))
        for piece in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(piece, names)
    pyplot.close("all")
    return re.findall(r"```text\n(.*?)```", text, re.DOTALL), names


def test_the_readme_shows_the_findings_that_its_code_gives(readme):
    """Last digits follow the map, whose bits are those of the versions installed and of the processor.

    So does the number of islands: the malignant tumours are one or two.
    """
    (made, findings, why, _), names = readme
    tumours = names["tumours"]
    assert made.splitlines()[:4] == str(tumours).splitlines()[:4]
    found = tumours.findings()
    shown = [line.split(" (")[0] for line in findings.splitlines()[1:4]]
    named = [region.name for region in found.regions]
    assert shown[:2] == named[:2] == ["benign", "malignant"]
    assert {name.split(",")[0] for name in shown} == {name.split(",")[0] for name in named}
    (first,) = re.findall(r"^tumour (\d+): ", findings, re.MULTILINE)
    assert f"tumour {first}: " in str(found)
    answer = tumours.why(213)
    assert why.split(" (")[0] in str(answer)
    shown = re.findall(r"(?:Like \w+: )([a-z ]+) [\d.]+", why)
    assert len(shown) == 2
    assert any(feature in str(answer) for feature in shown)


def test_the_readme_shows_the_answer_of_the_parts(readme):
    (*_, shown), names = readme
    why = names["answers"].why(213, k=12)
    headings = [line for line in shown.splitlines() if line.endswith(":")]
    assert len(headings) == 4
    assert all(heading in str(why).splitlines() for heading in headings)
    for pattern, lines in (
        (r"^  ([\w ]+): [\d.]+ spreads ", why.apart),
        (r"^  ([\w ]+): [\d.]+, theirs ", why.unlike),
        (r"^  ([\w ]+) grows ", why.changes),
        (r"^  ([\w ]+) \(imp", why.hidden),
    ):
        features = re.findall(pattern, shown, re.MULTILINE)
        assert len(features) == 2
        assert {*features} & {line.feature for line in lines}  # another version's map may lose one
    assert "Arrows are good" in str(why)
