"""A lazy frame of Polars over a dictionary. Conditions on the key become ranges, so that other entries are not read."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import tables
from .typing import Array

Interval = tuple[int | None, int | None]
Page = Callable[[Interval, int], Iterator[list[Array]]]


def scan_polars(pages: Page, empty: list[Array], names: Sequence[str], has_intervals: bool) -> Any:
    """A lazy frame. `pages` reads an interval of keys in pages; `empty` has the columns without rows."""
    plugins = tables.module("polars.io.plugins", "polars")

    def source(columns: list[str] | None, condition: Any, rows: int | None, size: int | None) -> Iterator[Any]:
        # Rows are counted before the condition, so that both together can't be a range.
        narrowed = condition is not None and rows is None and has_intervals
        interval = interval_of(condition.meta.serialize(format="json"), names[0]) if narrowed else (None, None)
        for page in pages(interval, size or 100_000):
            frame = tables.to_polars(page, names)
            if rows is not None:
                frame, rows = frame.head(rows), max(rows - frame.height, 0)
            if condition is not None:
                frame = frame.filter(condition)
            yield frame if columns is None else frame.select(columns)
            if rows == 0:
                return

    return plugins.register_io_source(source, schema=tables.to_polars(empty, names).schema)


def interval_of(condition: str, key: str) -> Interval:
    """The interval outside which no key can meet a condition, as Polars writes it. Unknown parts narrow nothing."""
    lower: int | None = None
    upper: int | None = None
    for comparison, number in _comparisons(json.loads(condition), key):
        if comparison in (">", "="):
            lower = number if lower is None else max(lower, number)
        if comparison in ("<", "="):
            upper = number if upper is None else min(upper, number)
    return lower, upper


def _comparisons(tree: Any, key: str) -> Iterator[tuple[str, int]]:
    """The comparisons of the key with numbers that must all hold. Strict ones become inclusive."""
    match tree:
        case {"BinaryExpr": {"left": left, "op": "And", "right": right}}:
            yield from _comparisons(left, key)
            yield from _comparisons(right, key)
        case {"BinaryExpr": {"left": {"Column": column}, "op": op, "right": {"Literal": literal}}} if column == key:
            yield from _compared(_SIDES.get(op), literal)
        case {"BinaryExpr": {"left": {"Literal": literal}, "op": op, "right": {"Column": column}}} if column == key:
            yield from _compared(_FLIPPED.get(_SIDES.get(op, "")), literal)
        case {"Function": {"input": [{"Column": column}, {"Literal": low}, {"Literal": high}], "function": function}}:
            if column == key and "IsBetween" in str(function):
                yield from _compared(">", low)
                yield from _compared("<", high)


_SIDES = {"Gt": ">", "GtEq": ">", "Lt": "<", "LtEq": "<", "Eq": "="}
_FLIPPED = {">": "<", "<": ">", "=": "="}


def _compared(side: str | None, literal: Any) -> Iterator[tuple[str, int]]:
    number = _number(literal)
    if side is not None and number is not None:
        yield side, number


def _number(literal: Any) -> int | None:
    match literal:
        case {"Scalar": dict(scalar)} if len(scalar) == 1:
            (kind, number), *_ = scalar.items()
            if kind in ("Datetime", "Duration"):
                number = number[0]
            is_whole = isinstance(number, int) and kind.startswith(("Int", "UInt", "Date", "Duration"))
            return number if is_whole else None
        case _:
            return None
