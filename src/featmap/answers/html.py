"""Answers and findings as a notebook shows them. The texts are those of `str`; colours are those of the notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from .numbers import of_100, plain

if TYPE_CHECKING:
    from .values import Difference, Findings, Region, Value, Why

CELL = 'style="text-align: left; padding: 0.15em 0.8em 0.15em 0"'


def of_why(why: Why) -> str:
    """The sentence, what it does not yet say, and the features with their values."""
    rest = str(why)[len(why.sentence) :].strip()
    heads = ["", f"this {why.unit}", why.place.label or "", "others" if why.place.label else "around it"]
    lines = [_line_of_difference(difference) for difference in why.differences]
    if not why.place.label:
        heads, lines = [heads[0], heads[1], heads[3]], [(line[0], line[1], line[3]) for line in lines]
    name = f"{why.unit[:1].upper()}{why.unit[1:]} {why.name}"
    return _page([f"<strong>{escape(name)}</strong>: {escape(why.sentence)}", escape(rest), _table(heads, lines)])


def of_findings(findings: Findings) -> str:
    """Regions as a table, and everything else as lines."""
    lines = str(findings).splitlines()
    shown = {str(region) for region in findings.regions}
    rest = [line for line in lines[1:] if line not in shown]
    heads = ["region", findings.unit + "s", "rule, or largest difference", "right for", "finds"]
    table = _table(heads, [_line_of_region(region) for region in findings.regions])
    return _page([f"<strong>{escape(lines[0])}</strong>", table, "<br>".join(escape(line) for line in rest)])


def of_region(region: Region) -> str:
    """The sentence of a region, and in what its rows differ."""
    lines = [_line_of_difference(difference) for difference in region.differences]
    heads = ["", "these", "elsewhere"]
    return _page([escape(str(region)), _table(heads, [(line[0], line[1], line[3]) for line in lines])])


def _line_of_difference(difference: Difference) -> tuple[str, ...]:
    values = (difference.value, difference.own_group, difference.around)
    return (difference.feature, *(_value(value, difference.spread) for value in values))


def _line_of_region(region: Region) -> tuple[str, ...]:
    rule = region.rule
    if rule is not None:
        return (region.name, f"{region.size:,}", rule.text, of_100(rule.precision), of_100(rule.recall))
    content = str(region).partition("): ")[2]
    return (region.name, f"{region.size:,}", content, "", "")


def _value(value: Value, spread: float) -> str:
    return "" if value is None else value if isinstance(value, str) else plain(value, spread)


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return ""
    head = "".join(f"<th {CELL}>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td {CELL}>{escape(text)}</td>' for text in line)}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _page(parts: Iterable[str]) -> str:
    """Paragraphs and tables, those with something in them."""
    shown = (part if part.startswith("<table") else f"<p>{part}</p>" for part in parts if part)
    return f"<div>{''.join(shown)}</div>"
