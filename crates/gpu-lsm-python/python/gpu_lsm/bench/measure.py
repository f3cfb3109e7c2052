"""What is measured: batches of a growing dictionary, then queries of the whole."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np

from ..typing import Array
from .contenders import Contender

OPERATIONS = ("upsert", "lookup", "count", "range")


@dataclass(frozen=True)
class Workload:
    """`keys` distinct keys in batches of `batch`; as many queries a call; intervals of about `width` entries."""

    keys: int = 1 << 20
    batch: int = 1 << 16
    calls: int = 4
    width: int = 8
    repeats: int = 5


@dataclass(frozen=True)
class Columns:
    """Distinct keys with values, keys to look up, and intervals."""

    keys: Array
    values: Array
    rows: Array
    lower: Array
    upper: Array

    @property
    def asked(self) -> Array:
        """The keys to look up."""
        return self.keys[self.rows]

    @cached_property
    def expected(self) -> Array:
        """The number of entries in each interval."""
        ordered = np.sort(self.keys)
        return np.searchsorted(ordered, self.upper, side="right") - np.searchsorted(ordered, self.lower)


def columns(load: Workload, seed: int) -> Columns:
    """The columns of one run."""
    rng = np.random.default_rng(seed)
    keys = np.unique(rng.integers(0, 2**32, load.keys + load.keys // 64, np.uint32))
    keys = rng.permutation(keys)[: load.keys]
    values = rng.integers(0, 2**32, load.keys, np.uint32)
    span = np.uint32(min(2**32 // load.keys * load.width, 2**32 - 1))
    lower = rng.integers(0, 2**32 - int(span), load.batch * load.calls, np.uint32)
    return Columns(keys, values, rng.integers(0, load.keys, load.batch * load.calls), lower, lower + span)


def rates(make: Callable[[], Contender], load: Workload) -> dict[str, float]:
    """Median rates in operations per second, after a small unrecorded warm-up run. Checks the answers on the way."""
    run(make, replace(load, keys=min(load.keys, 2 * load.batch), calls=1), load.repeats)
    runs = [run(make, load, seed) for seed in range(load.repeats)]
    return {operation: median(each[operation] for each in runs) for operation in OPERATIONS}


def run(make: Callable[[], Contender], load: Workload, seed: int, is_checked: bool = True) -> dict[str, float]:
    """The rates of one run. What follows a check is slower: the caches and the free memory are others then."""
    data, contender = columns(load, seed), make()
    asked, lower, upper = data.asked, data.lower, data.upper
    batches = range(0, load.keys, load.batch)
    seconds = _time(lambda i: contender.upsert(*_part(i, load, data.keys, data.values)), batches)
    starts = range(0, load.batch * load.calls, load.batch)
    answers: dict[int, Array] = {}

    def ask(call: Callable[[slice], Array]) -> float:
        answers.clear()
        return load.batch * load.calls / _time(lambda i: answers.update({i: call(slice(i, i + load.batch))}), starts)

    found = {"upsert": load.keys / seconds, "lookup": ask(lambda part: contender.lookup(asked[part]))}
    if is_checked:
        _check((np.concatenate(list(answers.values())) == data.values[data.rows]).all(), "lookup")
    found["count"] = ask(lambda part: contender.count(lower[part], upper[part]))
    if is_checked:
        _check((np.concatenate(list(answers.values())) == data.expected).all(), "count")
    found["range"] = ask(lambda part: contender.range(lower[part], upper[part]))
    if is_checked:
        _check(sum(map(len, answers.values())) == data.expected.sum(), "range")
    return found


def _part(start: int, load: Workload, *columns: Array) -> list[Array]:
    return [column[start : start + load.batch] for column in columns]


def _time(call: Callable[[int], object], starts: range) -> float:
    begin = time.perf_counter()
    for start in starts:
        call(start)
    return time.perf_counter() - begin


def _check(is_right: object, what: str) -> None:
    if not is_right:
        raise AssertionError(f"{what} gave a wrong answer")
