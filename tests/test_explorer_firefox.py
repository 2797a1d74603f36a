"""The explorer's page in Firefox, which has no WebGL on many machines: it opens, is clicked, and answers."""

from __future__ import annotations

from sklearn.datasets import load_iris

from featmap import FeatMAP
from firefox import firefox


def test_firefox_opens_the_file_and_answers_a_click(tmp_path):
    iris = load_iris(as_frame=True)
    model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
    path = tmp_path / "iris.html"
    model.to_html(path, labels=iris.target_names[iris.target], title="Iris")
    (tmp_path / "profile").mkdir()
    with firefox(tmp_path / "profile") as browser:
        browser.open(path.as_uri())
        browser.wait("document.querySelector('#featmap-app[data-ready] .map') !== null")
        names = browser.value(
            "[...document.querySelectorAll('.overlay .name.group')].map(n => n.textContent).sort().join()"
        )
        assert names == "setosa,versicolor,virginica"
        browser.click(*place_of(browser, model.embedding_, 75))
        browser.wait("document.querySelector('.panel .sentence') !== null && location.hash.includes('row=')")
        row = int(browser.value("new URLSearchParams(location.hash.slice(1)).get('row')"))
        assert browser.value("document.querySelector('.panel .sentence').textContent") == model.why(row).sentence
        assert browser.complaints == []


def place_of(browser, embedding, row):
    """The pixel of a row on the map, which is shown whole with a margin of 6 %."""
    left, top, width, height = (
        browser.value(f"document.querySelector('.map').getBoundingClientRect().{side}")
        for side in ("left", "top", "width", "height")
    )
    low, high = embedding.min(axis=0), embedding.max(axis=0)
    scale = min(0.88 * width / (high - low)[0], 0.88 * height / (high - low)[1])
    x, y = (embedding[row] - (low + high) / 2) * scale
    return left + width / 2 + x, top + height / 2 - y
