"""Every sentence about a row. Each kind has one template, with shorter ones for long names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .numbers import ordinal, plain, written
from .report import promise

if TYPE_CHECKING:
    from .values import Change, Condition, Difference, Move, Place, Why

MOST_WORDS, MOST_WORDS_OF_SENTENCE = 60, 30
ENDS_IN_NUMBER = re.compile(r"(^|\s)\d+$")
ODD = ("parted", "resembles", "between")
FEW_KEPT = 4  # the map keeps few of a row's neighbours if it keeps at most one in so many


def whole_answer(why: Why) -> str:
    """The sentence, and what it does not say yet of place, rule, differences and move, in at most 60 words."""
    text = of_row(why)
    for part in _further(why):
        if _n_words(f"{text} {part}") <= MOST_WORDS:
            text = f"{text} {part}"
    return text


def of_row(why: Why) -> str:
    """The first text of the row's template that has at most 30 words."""
    texts = list(_template(why)(why))
    return next((text for text in texts if _n_words(text) <= MOST_WORDS_OF_SENTENCE), texts[-1])


def _template(why: Why) -> Callable[[Why], Iterable[str]]:
    place = why.place
    if why.kind == "outlying":
        return _outlying
    if place.label is None or (why.kind == "parted" and not place.is_followed):
        return {"parted": _parted_from_rows}.get(why.kind, _typical_without_label)
    if not place.is_followed and place.around is not None and 2 * (place.on_map or 0) < place.n:
        return _not_followed
    return {"parted": _parted, "resembles": _resembling, "between": _between}.get(why.kind, _typical)


def _parted(why: Why) -> Iterator[str]:
    place, own = why.place, why.place.label
    yield (
        f"{_capital(own)}, drawn among {place.around} ({place.n_around} of {place.n}), but {_kin(place)}: the map "
        "parts it from its kin."
    )
    yield f"{_capital(own)}, drawn among {place.around}, but {_kin(place)}: the map parts it from its kin."


def _parted_from_rows(why: Why) -> Iterator[str]:
    place = why.place
    elsewhere = [(name, count) for name, count in place.elsewhere if name != place.region]
    name, count = elsewhere[0] if elsewhere else ("another island", place.n - place.kept)
    rows = _many(why.unit)
    where = f"{count} of its {place.n} nearest {rows} in the data lie in {name}, {place.kept} near it"
    yield f"{where}: the map parts it from its kin."
    yield f"{count} of its {place.n} nearest {rows} in the data lie elsewhere, {place.kept} near it."


def _resembling(why: Why) -> Iterator[str]:
    place, first = why.place, _of_side(why, "around")
    if first is None:
        yield from _between(why)
        return
    like = f"but it measures like {place.around}:" if why.measures_like_around else _drawn_and_like(place)
    yield f"{_capital(place.label)}, {like} {compared(first, place)}; {_kin(place)}."
    yield f"{_capital(place.label)}, {like} {compared(first, place)}."
    yield f"{_capital(place.label)}, {like} {named_value(first)}."


def _drawn_and_like(place: Place) -> str:
    return f"drawn among {place.around}, like them in"


def _between(why: Why) -> Iterator[str]:
    place = why.place
    start = f"Between {place.label} ({place.on_map} of {place.n}) and {place.around} ({place.n_around})"
    if 5 * (place.on_map or 0) < place.n:
        start = f"{_capital(place.label)}, drawn among {place.around} ({place.n_around} of {place.n}); {_kin(place)}"
    if not why.differences:
        yield f"{start}; no single feature tells them apart."
        return
    first = why.differences[0]
    yield f"{start}; {like(first, place)}."
    yield f"{start}; like {_whose(first, place)}: {named_value(first)}."
    yield f"{start}."


def _not_followed(why: Why) -> Iterator[str]:
    place = why.place
    counts = f"{place.on_map} of {place.n} around, {place.n_around} are {place.around}"
    start = f"The map does not follow {place.label}: {counts}"
    if why.differences:
        yield f"{start}; {like(why.differences[0], place)}."
        yield f"{start}; like {_whose(why.differences[0], place)}: {named_value(why.differences[0])}."
    yield f"{start}."


def _outlying(why: Why) -> Iterator[str]:
    place = why.place
    start = f"{'The' if place.rank == 1 else ordinal(place.rank)} most unusual of {place.n_rows:,} {_many(why.unit)}"
    among = f" Among {place.label} ({place.on_map} of {place.n})." if place.is_followed else ""
    if not why.differences:
        yield f"{start}; no single feature stands out.{among}"
        return
    first = why.differences[0]
    around = f"the {first.n_compared} around it {_value(first.around, first.spread)}"
    overall = "" if first.overall is None else f", all {_value(first.overall, first.spread)}"
    yield f"{start}: {named_value(first)}; {around}{overall}.{among}"
    yield f"{start}: {named_value(first)}; {around}.{among}"
    yield f"{start}: {named_value(first)}."


def _typical(why: Why) -> Iterator[str]:
    place = why.place
    start = f"{_capital(place.label)} among {place.label} ({place.on_map} of {place.n})"
    if not why.differences:
        yield f"{start}; no single feature sets it apart."
        return
    first = why.differences[0]
    usual = f"usually {_value(first.around, first.spread)}"
    if companions(first):
        yield f"{start}: {first.feature}{companions(first)} {_value(first.value, first.spread)}, {usual}."
    yield f"{start}: {named_value(first)}, {usual}."
    yield f"{start}: {named_value(first)}."


def _typical_without_label(why: Why) -> Iterator[str]:
    place = why.place
    start = f"{place.kept} of its {place.n} nearest {_many(why.unit)} in the data are near it on the map"
    if why.differences:
        yield f"{start}; {beside_those_around(why.differences[0])}."
        yield f"{start}; {named_value(why.differences[0])}."
    yield f"{start}."


def _further(why: Why) -> Iterator[str]:
    """What the sentence does not say yet, in the order in which it is added as long as there is room."""
    place, is_labelled = why.place, why.place.label is not None
    if is_labelled and why.kind != "parted" and FEW_KEPT * place.kept <= place.n:
        yield f"Only {place.kept} of its {place.n} nearest {_many(why.unit)} in the data are near it on the map."
    is_odd = why.kind in ODD
    if not is_odd:
        yield from _rule(why)
    yield from _further_differences(why)
    if why.move is not None:
        yield of_move(why.move)
    if is_odd:
        yield from _rule(why)


def _rule(why: Why) -> Iterator[str]:
    place = why.place
    if why.rule is not None:
        breaks = "" if why.meets_rule else f"; this {why.unit} breaks it"
        whose = "Rule of its region" if place.region == why.rule.text else f"Rule of {place.region}"
        yield f"{whose}: {why.rule.text}: {promise(why.rule)}{breaks}."


def _further_differences(why: Why) -> Iterator[str]:
    """The first difference of each side that the sentence does not name."""
    said, place = of_row(why), why.place
    is_odd = why.kind in ODD or _template(why) is _not_followed
    rest = [difference for difference in why.differences if not _is_said(difference, said)]
    if place.label is None or why.kind == "outlying":
        yield from (f"Also {beside_those_around(difference)}." for difference in rest[:1])
    elif is_odd:
        for side in ("around", "own"):
            yield from (f"L{like(one, place)[1:]}." for one in [one for one in rest if one.side == side][:1])
    else:
        for one in rest[:1]:
            yield f"Also {named_value(one)}, usually {_value(one.around, one.spread)}."


def _is_said(difference: Difference, text: str) -> bool:
    with_others = f"{difference.feature}{companions(difference)} {_value(difference.value, difference.spread)}"
    return f" {named_value(difference)}" in text or f" {with_others}" in text


def like(difference: Difference, place: Place) -> str:
    """Whose value it is like, with typical values of both sides."""
    return f"like {_whose(difference, place)}: {compared(difference, place)}"


def compared(difference: Difference, place: Place) -> str:
    """The value beside what is typical of both groups, that of the group it is like first."""
    own, around = (place.label, difference.own_group), (place.around, difference.around)
    first, second = (own, around) if difference.side == "own" else (around, own)
    typical = [f"{name} {_value(value, difference.spread)}" for name, value in (first, second)]
    return f"{named_value(difference)}{_beyond(difference)} ({'; '.join(typical)})"


def _beyond(difference: Difference) -> str:
    """Whether the value lies beyond the group that it is like, away from the other one."""
    like, other = (difference.own_group, difference.around)
    if difference.side == "around":
        like, other = other, like
    value = difference.value
    if not (isinstance(value, float) and isinstance(like, float) and isinstance(other, float)):
        return ""
    if (value - like) * (other - like) >= 0 or abs(value - like) <= abs(other - like) / 2:
        return ""
    return ", even higher" if value > like else ", even lower"


def beside_those_around(difference: Difference) -> str:
    """A value by its rank among the rows around it."""
    below, n = difference.n_below, difference.n_compared
    where = f"above all {n}" if below == n else f"below all {n}" if below == 0 else f"{below} of {n} below"
    return f"{named_value(difference)}, {where} around (there {_value(difference.around, difference.spread)})"


def named_value(difference: Difference) -> str:
    """A feature with the value of the row; "column 3 = 5", since "column 3 5" could not be read."""
    equals = " =" if ENDS_IN_NUMBER.search(difference.feature) else ""
    return f"{difference.feature}{equals} {_value(difference.value, difference.spread)}"


def companions(difference: Difference) -> str:
    """How many features go with it, and how many go the other way."""
    parts = [f"{len(difference.alike)} that go{'es' if len(difference.alike) == 1 else ''} with it"]
    parts = parts if difference.alike else []
    n = len(difference.against)
    parts += [f"{n} that go{'es' if n == 1 else ''} the other way"] if n else []
    return f" (and {', '.join(parts)})" if parts else ""


def of_place(place: Place) -> str:
    """What the neighbours of a row tell about its place."""
    if place.label is None:
        return f"{place.kept} of its {place.n} nearest in the data are near it on the map."
    return f"{place.on_map} of its {place.n} nearest on the map are {place.label}, and {place.in_data} in the data."


def of_condition(condition: Condition) -> str:
    if condition.levels:
        return f"{condition.feature} is {' or '.join(condition.levels)}"
    if condition.low is None:
        return f"{condition.feature} ≤ {written(condition.high or 0.0)}"
    if condition.high is None:
        return f"{condition.feature} > {written(condition.low)}"
    return f"{written(condition.low)} < {condition.feature} ≤ {written(condition.high)}"


def of_move(move: Move) -> str:
    """A move with what proves it."""
    changes = ", ".join(of_change(change) for change in move.changes)
    proof = f"{move.on_map} of {move.n}"
    if move.refits:
        proof += f"; on new maps {' and '.join(str(count) for _, count in move.refits)}"
    return f"One way to lie among {move.target}: {changes} ({proof})."


def of_change(change: Change) -> str:
    more = f" (and {len(change.alike)} more)" if change.alike else ""
    return f"{change.feature}{more} {_value(change.value, change.spread)} → {_value(change.to, change.spread)}"


def _kin(place: Place) -> str:
    return f"in the data {place.in_data} of its {place.n} nearest are {place.label}"


def _whose(difference: Difference, place: Place) -> str:
    return str(place.label if difference.side == "own" else place.around)


def _of_side(why: Why, side: str) -> Difference | None:
    return next((difference for difference in why.differences if difference.side == side), None)


def _value(value: float | str | None, spread: float) -> str:
    if value is None:
        return "not given"
    return value if isinstance(value, str) else plain(value, spread)


def _many(unit: str) -> str:
    return unit if unit.endswith("s") else f"{unit}s"


def _capital(text: str | None) -> str:
    return "" if not text else text[0].upper() + text[1:]


def _n_words(text: str) -> int:
    return len(text.split())
