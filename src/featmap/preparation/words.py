"""What a preparation did, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .columns import CATEGORY, NUMBER
from .roles import ID, LABEL, LEFT_OUT

if TYPE_CHECKING:
    from .prepare import Prepare

MOST_NAMED = 12


def said(prepared: Prepare) -> str:
    """One line for each thing that was done."""
    return "\n".join(_lines(prepared))


def _lines(prepared: Prepare) -> Iterator[str]:
    uses = {role.name: role.use for role in prepared.roles_}
    numbers, categories = ([name for name, use in uses.items() if use == kind] for kind in (NUMBER, CATEGORY))
    kinds = [_counted(len(numbers), "number"), _counted(len(categories), "category", "categories")]
    kinds = [kind for kind in kinds if not kind.startswith("0 ")]
    total = len(numbers) + len(categories)
    size = f"{len(prepared.gaps_of_rows_):,} rows and {len(uses):,} columns"
    makes = "makes" if total == 1 else "make"
    yield f"{size}: {' and '.join(kinds)} {makes} {_counted(total, 'feature')}."
    left_out = [
        f"{'a column without a name' if role.name == '' else role.name} ({role.reason})"
        for role in prepared.roles_
        if role.use in (ID, LEFT_OUT)
    ]
    if left_out:
        yield f"Left out: {_named(left_out)}."
    yield from (f"Label: {name}. It has no part in the map." for name, use in uses.items() if use == LABEL)
    if categories:
        yield f"Categories: {_named(_levels(prepared))} {_have(len(categories))}"
    yield from _gaps(prepared, uses)
    n_empty = int((2 * prepared.gaps_of_rows_ > total).sum())
    if n_empty:
        have = "row has" if n_empty == 1 else "rows have"
        yield f"{n_empty:,} {have} more gaps than values; their places on the map say little."
    if numbers:
        yield (
            "Scale: each number has mean 0 and standard deviation 1."
            if prepared.scale
            else "Scale: numbers are as they were given, so that those with large values count most."
        )


def _have(n_categories: int) -> str:
    if n_categories == 1:
        return "has one column of zeros and ones for each value and counts as one feature."
    return "have one column of zeros and ones for each value; each category counts as one feature."


def _levels(prepared: Prepare) -> list[str]:
    from .tracing import origins_of_prepared

    origins = origins_of_prepared(prepared)
    counts: dict[str, int] = {}
    for name, level in zip(origins.sources, origins.levels, strict=True):
        if level is not None:
            counts[name] = counts.get(name, 0) + 1
    return [f"{name} ({_counted(count, 'value')})" for name, count in counts.items()]


def _gaps(prepared: Prepare, uses: dict[str, str]) -> Iterator[str]:
    gaps = prepared.n_gaps_
    if not gaps:
        return
    filled = {NUMBER: "the median", CATEGORY: "the most frequent value"}
    kinds = {uses[name] for name in gaps}
    by = filled[kinds.pop()] if len(kinds) == 1 else "the median, of categories with the most frequent value"
    if len(gaps) == 1:
        name, count = next(iter(gaps.items()))
        yield f"Gaps: {_counted(count, 'value')} of {name}, filled with {by}."
        return
    parts = [f"{name} ({count:,})" for name, count in gaps.items()]
    yield f"Gaps: {sum(gaps.values()):,} values in {len(gaps)} columns, filled with {by}: {_named(parts)}."


def _named(parts: list[str]) -> str:
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    return ", ".join(parts[:MOST_NAMED]) + more


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
