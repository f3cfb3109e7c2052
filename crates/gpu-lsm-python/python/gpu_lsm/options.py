"""Options that are numbers. They are refused here, because the extension and Ray say something else of each."""

import math
from operator import index
from typing import Any

import numpy as np

from .errors import OptionError

MOST = (1 << 64) - 1
# What the extension has 32 bits for: limits and chunks.
MOST_ENTRIES = (1 << 32) - 1
# A little less than a duration of Rust holds.
MOST_SECONDS = 1e19


def check_whole(least: int = 0, most: int = MOST, **numbers: Any) -> None:
    """Refuses what is no whole number, or is out of range."""
    for name, number in numbers.items():
        if not _is_within(number, least, most):
            raise OptionError(f"{name} is {number!r}; give a whole number from {least} to {most}")


def check_if_given(least: int = 0, most: int = MOST, **numbers: Any) -> None:
    """The same for options that may be left out."""
    check_whole(least, most, **{name: number for name, number in numbers.items() if number is not None})


def check_seconds(most: float = math.inf, **numbers: Any) -> None:
    """Refuses what is no number of seconds."""
    for name, number in numbers.items():
        is_number = isinstance(number, int | float | np.integer | np.floating) and not isinstance(number, bool)
        if not (is_number and 0 <= number <= most):
            raise OptionError(f"{name} is {number!r}; give a number of seconds from 0 to {most}")


def _is_within(number: Any, least: int, most: int) -> bool:
    try:
        return not isinstance(number, bool | np.bool_) and least <= index(number) <= most
    except TypeError:
        return False
