"""Why is this row here? Lists of features, and the same in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import pandas_for
from ..data.units import Level
from .numbers import named, number, percent
from .trust import Trust

if TYPE_CHECKING:
    from pandas import DataFrame

COMPASS = (
    *("to the right", "to the upper right", "upwards", "to the upper left"),
    *("to the left", "to the lower left", "downwards", "to the lower right"),
)

LISTS = ("apart", "unlike", "changes", "hidden")
NOTHING = "nothing that other features go with"  # features that no other knows are in none of the lists


@dataclass(frozen=True)
class SetApart:
    """A feature that sets the rows around a row apart from all rows.

    Parameters
    ----------
    feature : object
        Its name, or its column number if the data had no names.
    column : int
        Its column number.
    mean : float
        Its mean over the rows around, in the units of the data.
    overall : float
        Its mean over all rows.
    spread : float
        Its standard deviation over all rows.
    own : float
        The value of the row itself; of a group its mean.
    z : float
        By how many standard deviations of the data the mean around is above the mean of all.
    score : float
        ``z`` times the factor of its `backing`, by which features are ordered.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> petals = load_iris(as_frame=True).data.filter(like="petal")
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(petals)
    >>> print(model.why(0).apart[0])
    petal ... (cm): 1... spreads below all (...)
    """

    feature: Any
    column: int
    mean: float
    overall: float
    spread: float
    own: float
    z: float
    score: float

    @property
    def in_words(self) -> str:
        """What the rows around have in common, in words."""
        if isinstance(self.feature, Level):
            often = "less often" if self.z < 0 else "mostly" if self.mean > 0.5 else "more often"
            return f"{self.feature.category} is {often} {self.feature.level} ({self.values})"
        return f"{named(self.feature)} is {self.place} ({self.values})"

    @property
    def place(self) -> str:
        """Where the rows around are among all rows, in words."""
        return f"{abs(self.z):.1f} spreads {'above' if self.z > 0 else 'below'} all"

    @property
    def values(self) -> str:
        """The mean of all rows and that of the rows around; of a level of a category, the parts of rows with it."""
        if isinstance(self.feature, Level):
            return f"{percent(self.overall)} of all rows → {percent(self.mean)}"
        return f"{number(self.overall, self.spread)} → {number(self.mean, self.spread)}"

    def __str__(self) -> str:
        if isinstance(self.feature, Level):
            return self.in_words
        return f"{named(self.feature)}: {self.place} ({self.values})"


@dataclass(frozen=True)
class Unlike:
    """A feature that sets a row itself apart from the rows around it.

    Parameters
    ----------
    feature : object
        Its name, or its column number if the data had no names.
    column : int
        Its column number.
    own : float
        The value of the row itself, in the units of the data.
    mean : float
        Its mean over the rows around.
    spread : float
        Its standard deviation over all rows.
    away : float
        By how many standard deviations of the data the row is above the mean around, far values clipped.
    score : float
        What is to be believed of it: ``away`` times `Backing.reliability`, by which features are ordered.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> flowers = load_iris(as_frame=True).data
    >>> flowers.loc[0, "petal width (cm)"] = 2.0
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(flowers)
    >>> print(model.why(0).unlike[0])
    petal width (cm): 2.00, theirs 0.2... (2.3 spreads above them)
    """

    feature: Any
    column: int
    own: float
    mean: float
    spread: float
    away: float
    score: float

    @property
    def in_words(self) -> str:
        """The row's own value beside theirs, in words."""
        return f"its {whole(self.feature)} is {self.values}"

    @property
    def values(self) -> str:
        """The row's own value and the mean around; of a level of a category, the part of the rows around with it."""
        if isinstance(self.feature, Level):
            return f"{'' if self.away > 0 else 'not '}{self.feature.level} ({percent(self.mean)} of theirs)"
        return f"{number(self.own, self.spread)}, theirs {number(self.mean, self.spread)}"

    def __str__(self) -> str:
        text = f"{whole(self.feature)}: {self.values}"
        if isinstance(self.feature, Level):
            return text
        return f"{text} ({abs(self.away):.1f} spreads {'above' if self.away > 0 else 'below'} them)"


@dataclass(frozen=True)
class Change:
    """A feature that changes across the rows around a row, as the map shows it.

    Parameters
    ----------
    feature : object
        Its name, or its column number if the data had no names.
    column : int
        Its column number.
    explained : float
        Which part of its variance around the row the map shows: its `explained_variance`.
    low, high : float
        What it grows from and to, in the units of the data: its mean over the rows around, less and plus the standard
        deviation that the arrow accounts for, within the values that these rows have.
    arrow : tuple of float
        Its arrow on the map, see `FeatMAP.arrows`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
    >>> len(model.why(0).changes) <= 4
    True
    """

    feature: Any
    column: int
    explained: float
    low: float
    high: float
    arrow: tuple[float, ...]

    @property
    def direction(self) -> str:
        """Where it grows, in words."""
        return direction_of(self.arrow)

    @property
    def grows(self) -> str:
        """What grows, in words."""
        if isinstance(self.feature, Level):
            return f"{self.feature.category} is more often {self.feature.level}"
        return f"{named(self.feature)} grows"

    def __str__(self) -> str:
        if isinstance(self.feature, Level):
            values = f"{percent(self.low)} → {percent(self.high)} of the rows"
            return f"{self.grows} {self.direction} ({values}, R² {self.explained:.2f})"
        spread = self.high - self.low
        values = f"{number(self.low, spread)} → {number(self.high, spread)}"
        return f"{named(self.feature)} grows {self.direction} ({values}, R² {self.explained:.2f})"


@dataclass(frozen=True)
class Hidden:
    """A feature that varies around a row but has no arrow on the map there.

    Parameters
    ----------
    feature : object
        Its name, or its column number if the data had no names.
    column : int
        Its column number.
    importance : float
        How much it varies around the row: its `feature_importance`.
    explained : float
        Which part of that the map shows: its `explained_variance`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
    >>> len(model.why(0).hidden) <= 4
    True
    """

    feature: Any
    column: int
    importance: float
    explained: float

    def __str__(self) -> str:
        return f"{whole(self.feature)} (importance {self.importance:.2f}, R² {self.explained:.2f})"


@dataclass(frozen=True, repr=False)
class Why:
    """Why a row, or a group of rows, is where it is on the map. `FeatMAP.why` makes it; printed, it is a short text.

    Parameters
    ----------
    subject : str
        What it is about, "Row 0" for example.
    rows : tuple of int
        The numbers of the rows.
    n_around : float
        How many rows of equal weight the rows around count as.
    apart : tuple of SetApart
        What sets the rows around apart from all rows, the largest score first.
    unlike : tuple of Unlike
        What sets the row itself apart from the rows around it, the largest score first. It is empty for most rows,
        and for groups.
    changes : tuple of Change
        What changes across them on the map, the largest explained variance first. Only arrows that beat chance count.
    hidden : tuple of Hidden
        What varies there but has no arrow, in the order of importance times the factor of `backing`.
    alone : tuple
        Features that differ there too, but which no other feature goes with. They may be noise.
    trust : Trust
        How far arrows can be trusted on this map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> petals = load_iris(as_frame=True).data.filter(like="petal")
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(petals)
    >>> print(model.why(0))
    Row 0 lies among ... rows whose petal ... (cm) is ... spreads below all ...
    """

    subject: str
    rows: tuple[int, ...]
    n_around: float
    apart: tuple[SetApart, ...]
    unlike: tuple[Unlike, ...]
    changes: tuple[Change, ...]
    hidden: tuple[Hidden, ...]
    alone: tuple[Any, ...]
    trust: Trust

    @property
    def sentence(self) -> str:
        """The answer in one sentence, with the first feature of each list."""
        whose = [f" whose {first.in_words}" for first in self.apart[:1]]
        parts = [self._among + (whose[0] if whose else ", in the middle of the data")]
        parts += [f"the row itself is unlike them: {first.in_words}" for first in self.unlike[:1]]
        parts += [f"{first.direction} {first.grows}" for first in self.changes[:1]]
        parts += [f"{whole(first.feature)} varies here, but the map does not show it" for first in self.hidden[:1]]
        return "; ".join(parts) + "."

    def __str__(self) -> str:
        lines = [self.sentence]
        for title, found in self._lists():
            lines += [f"{title}:", *(f"  {line}" for line in found or [NOTHING])]
        return "\n".join([*lines, *self._remarks()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        lists = [f"<p>{title}</p>{_html_list(found)}" for title, found in self._lists()]
        return "\n".join([f"<p><b>{escape(self.sentence)}</b></p>", *lists, *map(_paragraph, self._remarks())])

    def to_frame(self) -> DataFrame:
        """Give the lists as one tidy pandas DataFrame.

        Returns
        -------
        DataFrame
            One line for each feature of a list. The column question is "apart", "unlike", "changes" or "hidden"; the
            others are the numbers of `SetApart`, `Unlike`, `Change` and `Hidden`, missing where they have none.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
        >>> str(model.why(0).to_frame().question[0])
        'apart'
        """
        lines = [{"question": name, **asdict(line)} for name in LISTS for line in getattr(self, name)]
        columns = ["question", *dict.fromkeys(name for line in lines for name in line if name != "question")]
        return pandas_for("to_frame").DataFrame(lines, columns=columns)

    @property
    def _among(self) -> str:
        if len(self.rows) == 1:
            return f"{self.subject} lies among {self.n_around:.0f} rows"
        return f"{self.subject} lie among rows"

    def _lists(self) -> list[tuple[str, Sequence[Any]]]:
        unlike = [("What sets the row itself apart from them", self.unlike)] if self.unlike else []
        return [
            ("What sets these rows apart", self.apart),
            *unlike,
            ("What changes across them on the map", self.changes),
            ("What varies there but has no arrow on the map", self.hidden),
        ]

    def _remarks(self) -> Iterator[str]:
        if self.alone:
            yield f"Also differs, but no other feature goes with it: {', '.join(map(whole, self.alone))}."
        yield self.trust.sentence


def whole(feature: Any) -> str:
    """The name of the feature that a column is of: of a level its category."""
    return feature.category if isinstance(feature, Level) else named(feature)


def direction_of(arrow: Sequence[float]) -> str:
    """Where an arrow points, in words: a point of the compass on a plane, else the axis along which it is longest."""
    if len(arrow) == 2:
        turn = np.arctan2(arrow[1], arrow[0]) / (2 * np.pi)
        return COMPASS[round(turn * len(COMPASS)) % len(COMPASS)]
    longest = int(np.argmax(np.abs(arrow)))
    if len(arrow) == 1:
        return "to the right" if arrow[0] > 0 else "to the left"
    return f"{'up' if arrow[longest] > 0 else 'down'} axis {longest + 1}"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _html_list(found: Sequence[Any]) -> str:
    return f"<ul>{''.join(f'<li>{escape(str(line))}</li>' for line in found or [NOTHING])}</ul>"
