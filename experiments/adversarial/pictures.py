"""Attacked digits, what matters in them, and what that resembles."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from featmap import FeatMAP, plot

from ..bootstrap import Interval
from ..image_pictures import show
from .resampling import interval_of_draws
from .resemblance import Clean, Ones, Target

SHAPE = (28, 28)
PANEL_INCHES = 1.35
IMAGE, IMPORTANCE = "gray_r", "viridis"
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#777777"


def two_colourings(model: FeatMAP, labellings: dict[str, np.ndarray]) -> Figure:
    figure, axes = plt.subplots(1, len(labellings), figsize=(11, 4.8), layout="constrained")
    for ax, (title, labels) in zip(axes, labellings.items(), strict=True):
        plot.embedding(model, labels=labels, ax=ax)
        ax.set_title(title)
    return figure


def mean_grid(ones: Ones, clean: Clean, digits: list[int]) -> Figure:
    """A line for each digit that 1s are read as: mean importance and mean image, between those of clean digits."""
    size = (PANEL_INCHES * 7, PANEL_INCHES * len(digits) + 0.6)
    figure, panels = plt.subplots(len(digits), 7, figsize=size, layout="constrained", squeeze=False)
    for line, digit in zip(panels, digits, strict=True):
        fooled, withstood = ones.predicted == digit, ones.predicted == 1
        means = {
            "clean 1": (clean.importance[1][0], clean.images[1][0]),
            f"1 → {digit}": (ones.importance[fooled].mean(axis=0), ones.images[fooled].mean(axis=0)),
            f"clean {digit}": (clean.importance[digit][0], clean.images[digit][0]),
        }
        for number, (name, (importance, image)) in enumerate(means.items()):
            show(line[number], importance.reshape(SHAPE), IMPORTANCE, title=name)
            show(line[4 + number], image.reshape(SHAPE), IMAGE, title=name)
        line[3].set_visible(withstood.any())
        if withstood.any():
            importance = ones.importance[withstood].mean(axis=0)
            show(line[3], importance.reshape(SHAPE), IMPORTANCE, title="1 → 1")
    panels[0, 0].annotate("mean importance", (0, 1.3), xycoords="axes fraction")
    panels[0, 4].annotate("mean image", (0, 1.3), xycoords="axes fraction")
    return figure


def similarities(targets: list[Target]) -> Figure:
    """Correlations with 1 and with the digit read, for importance and for plain images; then their leads."""
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained", width_ratios=(1, 1, 1.5))
    names = [f"1 → {target.digit}" for target in targets]
    kinds = {
        "The mean importance": [target.importance for target in targets],
        "Control: the mean image": [target.images for target in targets],
    }
    for ax, (title, each) in zip(axes[:2], kinds.items(), strict=True):
        parts = {
            "with clean 1s": (BLUE, [interval_of_draws(one.to_one) for one in each]),
            "with the digit read, clean": (ORANGE, [interval_of_draws(one.to_digit) for one in each]),
        }
        bars(ax, names, parts)
        ax.set(title=title, ylabel="correlation over pixels")
    leads = {
        "importance": (ORANGE, [target.importance.lead for target in targets]),
        "control: mean image": (GREY, [target.images.lead for target in targets]),
        "control: importance, attacked but still read as 1": (
            GREEN,
            [t.unfooled.lead for t in targets if t.unfooled is not None],
        ),
        "control: importance, random step": (BLUE, [target.random.lead for target in targets]),
    }
    bars(axes[2], names, leads)
    axes[2].set(title="More like the digit read (> 0) or like 1 (< 0)", ylabel="difference of correlations")
    return figure


def bars(ax: Axes, names: list[str], parts: dict[str, tuple[str, list[Interval]]]) -> None:
    """Bars in groups, with their intervals, the key below; a part that has none is left out."""
    parts = {label: part for label, part in parts.items() if part[1]}
    places, width = np.arange(len(names)), 0.8 / len(parts)
    for number, (label, (colour, intervals)) in enumerate(parts.items()):
        across = places + (number - (len(parts) - 1) / 2) * width
        ax.bar(across, [interval.value for interval in intervals], width, color=colour, label=label)
        ax.vlines(across, [i.low for i in intervals], [i.high for i in intervals], color="black", linewidth=1.2)
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_xticks(places, names)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False, fontsize="small")
