"""What is said of regions and of the whole map, in at most 400 words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .numbers import of_100, plain

if TYPE_CHECKING:
    from .values import ColumnNote, Difference, Findings, Region, Rule

MOST_WORDS = 400
MOST_REGIONS, MOST_ROWS, MOST_NAMES = 8, 8, 6
NOTHING = "nothing sets these rows apart"
PURE = 0.995  # a region with a larger part of one label is said without its share


def of_map(findings: Findings) -> str:
    """Whole lines, as many as 400 words have room for."""
    kept: list[str] = []
    n_words = 0
    for line in _lines(findings):
        n_words += len(line.split())
        if n_words <= MOST_WORDS:
            kept.append(line)
    return "\n".join(kept)


def _lines(findings: Findings) -> Iterator[str]:
    units, n_regions = _counted(findings.n_rows, findings.unit), len(findings.regions)
    regions = _counted(n_regions, "island" if findings.are_islands else "part")
    yield (
        f"{units} in {regions}. Around a typical {findings.unit} the map keeps {findings.kept} of its {findings.n} "
        "nearest."
    )
    yield from findings.notes
    yield from (str(region) for region in findings.regions[:MOST_REGIONS])
    if n_regions > MOST_REGIONS:
        yield f"{n_regions - MOST_REGIONS} smaller ones."
    if findings.not_followed:
        yield f"The map does not follow {_listed(findings.not_followed)}."
    yield from _about_columns(findings.columns)
    if findings.rows:
        yield f"{_counted(findings.n_doubtful, 'doubtful ' + findings.unit)}, the first:"
        yield from (f"{findings.unit} {why.name}: {why.sentence}" for why in findings.rows[:MOST_ROWS])


def _about_columns(notes: tuple[ColumnNote, ...]) -> Iterator[str]:
    for note in notes:
        if note.note == "leak":
            yield f"{note.column} alone tells {note.about}, right for {round(100 * note.figure)} of 100."
    texts = {
        "empty": "Columns with more gaps than values",
        "unused": "Columns that had no part in the map",
        "followed": "Columns that the map follows most",
        "not followed": "Columns that the map does not follow",
    }
    for name, text in texts.items():
        columns = tuple(note.column for note in notes if note.note == name)
        if columns:
            yield f"{text}: {_listed(columns)}."


def of_region(region: Region) -> str:
    """Its name and size, and its rule or its largest difference."""
    return f"{region.name} ({_size(region)}): {_content(region)}"


def _size(region: Region) -> str:
    size = _counted(region.size, region.unit)
    if not region.labels or region.labels[0][0] != region.name:
        return size
    label, count = region.labels[0]
    return size if count >= PURE * region.size else f"{size}, {count:,} of them {label}"


def _content(region: Region) -> str:
    if region.rule is not None:
        return promise(region.rule) if region.rule.text == region.name else str(region.rule)
    return difference_of_region(region.differences[0]) if region.differences else NOTHING


def promise(rule: Rule) -> str:
    """How often a rule is right, and how many of its rows it finds."""
    return f"right for {of_100(rule.precision)}, finds {of_100(rule.recall)}"


def difference_of_region(difference: Difference) -> str:
    """What is usual in a region beside what is usual elsewhere."""
    here, there = (_value(value, difference.spread) for value in (difference.value, difference.around))
    return f"{difference.feature} usually {here}, elsewhere {there}"


def line_of_region(region: Region) -> tuple[Any, ...]:
    """One line of a table of regions."""
    label = region.labels[0][0] if region.labels else None
    rule = region.rule
    promised = (None, None, None) if rule is None else (rule.text, rule.precision, rule.recall)
    difference = region.differences[0].feature if region.differences else None
    return (region.name, region.size, label, *promised, difference)


def _value(value: float | str | None, spread: float) -> str:
    return "not given" if value is None else value if isinstance(value, str) else plain(value, spread)


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 or noun.endswith('s') else 's'}"
