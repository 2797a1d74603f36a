"""Make what the site shows but the repository does not hold: pictures of two pages, and pages of the explorer.

Run it as ``python docs/computed.py``, as `make docs` does. It writes below docs/generated/. Each function without
arguments draws one picture, under its own name.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import Explanation, FeatMAP, explain, in_original_units, plot

GENERATED = Path(__file__).parent / "generated"
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#b8b8b8"
ROW = 213


def main() -> None:
    matplotlib.use("Agg")
    for page, pictures in {"quickstart": QUICKSTART, "reading": READING}.items():
        for draw in pictures:
            path = GENERATED / page / f"{draw.__name__}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            draw().savefig(path, dpi=110)
            print(path)
    write_pages(GENERATED / "live" / "live")


class Tumours(NamedTuple):
    X: pd.DataFrame
    diagnosis: np.ndarray
    model: FeatMAP
    answers: Explanation  # in the units of the table


@cache
def tumours() -> Tumours:
    data = load_breast_cancer(as_frame=True)
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, FeatMAP(random_state=0)).fit(data.data)
    X = scaler.transform(data.data)
    return Tumours(X, data.target_names[data.target], pipeline[-1], in_original_units(pipeline))


def panels(count: int, *, height: float = 4.2) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(4.6 * count, height), layout="constrained")
    return figure, list(figure.subplots(1, count))


def single(width: float, height: float) -> Axes:
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def embedding() -> Figure:
    return plot.embedding(tumours().answers, tumours().diagnosis, ax=single(7, 5.5)).figure


def features_on_map() -> Figure:
    return plot.features_on_map(tumours().answers, ax=single(8, 7)).figure


def why() -> Figure:
    return plot.why(tumours().answers, ROW, labels=tumours().diagnosis, ax=single(11, 9.5)).figure


def arrows() -> Figure:
    """An arrow is a slope at its point. Carried across the whole map it predicts other values than there are."""
    data, feature = tumours(), "smoothness error"
    column = list(data.X).index(feature)
    explained = data.model.explained_variance()[:, column]
    row = int(explained.argmax())
    arrow = data.model.arrows([row])[0, column]
    step = data.model.embedding_ - data.model.embedding_[row]
    near = np.argsort((step**2).sum(axis=1), kind="stable")[:57]  # a tenth of the rows
    far = np.setdiff1d(np.arange(len(step)), near)
    values = data.X[feature].to_numpy()
    predicted, true = (step - step[near].mean(axis=0)) @ arrow, values - values[near].mean()
    figure, (on_map, beside) = panels(2)
    on_map.scatter(*data.model.embedding_[far].T, s=8, c=GREY, label="far rows")
    on_map.scatter(*data.model.embedding_[near].T, s=12, c=BLUE, label="near rows")
    end = data.model.embedding_[row] + 2 * arrow / np.linalg.norm(arrow)
    style = {"arrowstyle": "-|>", "color": ORANGE, "linewidth": 3, "mutation_scale": 20}
    on_map.annotate("", end, data.model.embedding_[row], arrowprops=style, annotation_clip=False)
    on_map.set(title=f"The arrow of {feature} at one point", xticks=[], yticks=[], aspect="equal")
    on_map.legend(loc="upper right")
    for rows, color, name in ((far, GREY, "far"), (near, BLUE, "near")):
        correlation = np.corrcoef(predicted[rows], true[rows])[0, 1]
        beside.scatter(predicted[rows], true[rows], s=12, c=color, label=f"{name}: correlation {correlation:.2f}")
    beside.axline((0, 0), slope=1, color=ORANGE, linewidth=1)
    beside.set(
        xlabel="change that the arrow predicts",
        ylabel="true change",
        title="It holds near the point, not across the map",
    )
    beside.legend(loc="upper left")
    return figure


def importance() -> Figure:
    """Columns of noise vary everywhere, so they are important everywhere, and set nothing apart."""
    noise = np.random.default_rng(0).normal(size=(len(tumours().X), 5))
    columns = [f"pure noise {number}" for number in range(1, 6)]
    X = tumours().X.join(pd.DataFrame(noise, columns=columns))
    model = FeatMAP(random_state=0).fit(X)
    varies = model.feature_importance([ROW])[0]
    figure, (left, right) = panels(2)
    order = varies.argsort()[::-1][:10]
    draw_bars(left, [X.columns[column] for column in order], varies[order])
    left.set(title=f"Importance at row {ROW}: what varies there", xlabel="importance")
    apart = model.why(ROW, k=10).apart
    draw_bars(right, [line.feature for line in apart], [abs(line.z) for line in apart])
    right.set(title="What sets the rows around it apart", xlabel="spreads from the mean of all rows")
    return figure


def draw_bars(ax: Axes, names: list[str], lengths: np.ndarray | list[float]) -> None:
    colors = [ORANGE if name.startswith("pure noise") else BLUE for name in names]
    ax.barh(range(len(names)), lengths, color=colors)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()


def explained_variance() -> Figure:
    """Petal length tells setosa from all others, yet hardly varies among them: there is nothing to show there."""
    iris = load_iris(as_frame=True)
    feature = "petal length (cm)"
    model = FeatMAP(random_state=0).fit(iris.data)
    column = list(iris.data).index(feature)
    explained = model.explained_variance()[:, column]
    figure, axes = panels(2, height=2.2)
    setosa = iris.target.to_numpy() == 0
    titles = (f"{feature}", f"its R²: median {np.median(explained[setosa]):.2f} in setosa")
    for ax, values, title in zip(axes, (iris.data[feature], explained), titles, strict=True):
        points = ax.scatter(*model.embedding_.T, c=values, s=16, cmap="viridis")
        ax.set(title=title, xticks=[], yticks=[], aspect="equal")
        middle = model.embedding_[setosa].mean(axis=0)
        ax.annotate("setosa", middle, (0, 26), textcoords="offset points", ha="center", weight="bold")
        figure.colorbar(points, ax=ax, shrink=0.8)
    return figure


def fidelity() -> Figure:
    """The score of arrows that are good, and of arrows on a map that has nothing to do with the data."""
    data = tumours()
    shuffled = np.random.default_rng(0).permutation(data.model.embedding_)
    ax = single(7, 3.8)
    for name, color, scores in (
        ("the same map, rows shuffled", GREY, explain(data.X, shuffled).fidelity()),
        ("this map", BLUE, data.model.fidelity()),
    ):
        label = f"{name}: median {np.median(scores):.2f}"
        ax.hist(scores, bins=np.linspace(-0.5, 1, 61), color=color, alpha=0.8, label=label)
    ax.set(xlabel="fidelity of the arrows of a row", ylabel="rows", title="0 is chance; 1 is out of reach")
    ax.legend(loc="upper right")
    return ax.figure


def density() -> Figure:
    """Widths of groups can be compared on a map that keeps density. Gaps between groups cannot, on either map."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(3), 150)
    along, width = np.array([0, 30, 130])[group, None], np.array([1, 1, 4])[group, None]
    X = along / np.sqrt(10) + width * rng.normal(size=(450, 10))  # centres on the diagonal, 30 and 100 apart
    figure, axes = panels(2, height=2.8)
    for ax, kept in zip(axes, (0, 1), strict=True):
        Y = FeatMAP(density=kept, random_state=0).fit_transform(X)
        middles = np.array([Y[group == number].mean(axis=0) for number in range(3)])
        spread = [np.sqrt(Y[group == number].var(axis=0).sum()) for number in range(3)]
        gaps = np.linalg.norm(middles[[0, 1]] - middles[[1, 2]], axis=1)
        for number, name in enumerate("ABC"):
            ax.scatter(*Y[group == number].T, s=8, color=(BLUE, "#009e73", ORANGE)[number])
            ax.annotate(name, middles[number], weight="bold", ha="center", va="center", fontsize="large")
        words = (
            f"C is {spread[2] / spread[0]:.1f} times as wide as A\nB–C is {gaps[1] / gaps[0]:.1f} times as far as A–B"
        )
        ax.set(title=f"density={kept}\n{words}", xticks=[], yticks=[], aspect="equal")
    figure.suptitle("In the data C is 4 times as wide as A, and B–C is 3.3 times as far as A–B")
    return figure


def write_pages(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = tumours()
    data.answers.to_html(folder / "tumours.html", labels=data.diagnosis, title="569 tumours")
    digits = load_digits()
    model = FeatMAP(random_state=0).fit(digits.data)
    model.to_html(folder / "digits.html", labels=digits.target, image_shape=(8, 8), title="1,797 handwritten digits")
    print(folder)


QUICKSTART = (embedding, features_on_map, why)
READING = (arrows, importance, explained_variance, fidelity, density)

if __name__ == "__main__":
    main()
