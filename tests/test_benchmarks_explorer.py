"""The explorer's benchmark asks what can be answered and sees what a page does."""

from __future__ import annotations

import sys

import pytest
from sklearn.datasets import load_digits

from benchmarks.explorer import main
from benchmarks.explorer_browser import look_at
from benchmarks.explorer_served import questions
from featmap import FeatMAP
from featmap.explorer.questions import checked
from needed import tool
from pages import chromium


def test_the_questions_to_the_server_are_right_ones():
    found = questions(70_000)
    assert "two regions of 5,000 and 6,000 rows" in found
    for asked in found.values():
        for question in asked:
            checked(question, 70_000, 784)


def test_a_page_is_looked_at(tmp_path):
    FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:500]).to_html(tmp_path / "page.html")
    with chromium() as browser:
        seen = look_at(browser, (tmp_path / "page.html").as_uri(), n_clicks=1)
    assert 0 < seen.drawn < 60_000
    assert 0 < seen.ready < 60_000
    assert 0 < seen.frame < seen.between
    assert seen.click > 0


@pytest.mark.parametrize(
    ("part", "said"), [("nothing", "there is no part 'nothing'; the parts are mnist"), ("mnist", "FEATMAP_DATA must")]
)
def test_what_is_missing_is_said(part, said, monkeypatch, capsys):
    monkeypatch.delenv("FEATMAP_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["explorer", part])
    tool("node")
    with pytest.raises(SystemExit):
        main()
    assert said in capsys.readouterr().err
