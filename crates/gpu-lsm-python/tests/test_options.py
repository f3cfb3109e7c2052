"""Options that are numbers: whatever else they are given is refused before anything happens."""

import inspect
import math
from collections.abc import Callable
from types import NoneType
from typing import Any, get_args, get_type_hints

import gpu_lsm
import numpy as np
import pytest
from gpu_lsm.errors import OptionError
from gpu_lsm.options import MOST, MOST_ENTRIES, MOST_SECONDS, check_whole

WRONG = [-1, 1 << 64, 1 << 200, 1.5, 2.0, math.nan, -math.inf, True, np.True_, "x", b"1", [1], np.array([1])]
REPORTS = {"Collected", "Device", "Level", "Section", "Statistics", "StoreInfo", "Verified", "Version"}


def queries() -> gpu_lsm.Dictionary:
    return gpu_lsm.Dictionary.build([1, 2, 3], device="host")


def store() -> gpu_lsm.Store:
    return gpu_lsm.Store("memory:///options")


def durable() -> gpu_lsm.Durable:
    return gpu_lsm.open("memory:///numbers", mode="a", key="int64", value="int64", device="host")


CALLS: dict[str, Callable[[Any], object]] = {
    "Dictionary.batch_size": lambda given: gpu_lsm.Dictionary("int64", device="host", batch_size=given),
    "Dictionary.byte_budget": lambda given: gpu_lsm.Dictionary("int64", device="host", byte_budget=given),
    "Dictionary.shards": lambda given: gpu_lsm.Dictionary("int64", device="host", shards=given),
    "Dictionary.set_byte_budget.byte_budget": lambda given: queries().set_byte_budget(given),
    "Dictionary.range.limit": lambda given: queries().range(1, 2, limit=given),
    "Dictionary.scan.chunk": lambda given: queries().scan(given),
    "Snapshot.range.limit": lambda given: queries().snapshot().range(1, 2, limit=given),
    "Snapshot.scan.chunk": lambda given: queries().snapshot().scan(given),
    "OnDevice.range.limit": lambda given: queries().on_device().range([1], [2], limit=given),
    "Store.open.shards": lambda given: store().open("a", key="int64", shards=given),
    "Store.open.version": lambda given: store().open("r", version=given),
    "Store.open.batch_size": lambda given: store().open("a", key="int64", batch_size=given),
    "Store.open.byte_budget": lambda given: store().open("a", key="int64", byte_budget=given),
    "Store.save.versions": lambda given: store().save(queries(), versions=given),
    "Store.collect.versions": lambda given: store().collect(given),
    "Reader.range.limit": lambda given: reader().range(1, 2, limit=given),
    "Reader.scan.chunk": lambda given: reader().scan(given),
    "Durable.range.limit": lambda given: durable().range(1, 2, limit=given),
    "Durable.scan.chunk": lambda given: durable().scan(given),
    "Durable.insert.number": lambda given: durable().insert([1], [1], caller="a", number=given),
    "Durable.delete.number": lambda given: durable().delete([1], caller="a", number=given),
    "Durable.update.number": lambda given: durable().update([1], [1], caller="a", number=given),
    "Durable.apply.number": lambda given: durable().apply(gpu_lsm.Batch(), caller="a", number=given),
    "Durable.apply_columns.number": lambda given: durable().apply_columns([1], [1], [0], caller="a", number=given),
    "Durable.submit.number": lambda given: durable().submit(gpu_lsm.Batch(), caller="a", number=given),
    **{
        f"WriteOptions.{name}": lambda given, name=name: gpu_lsm.WriteOptions(**{name: given})
        for name in inspect.signature(gpu_lsm.WriteOptions).parameters
    },
}


def reader() -> gpu_lsm.Reader:
    store().save(queries())
    return gpu_lsm.open("memory:///options", device="host")


def is_number(annotation: object) -> bool:
    kinds = set(get_args(annotation) or [annotation]) - {NoneType}
    return bool(kinds) and kinds <= {int, float}


def numbers_of(name: str, function: Any) -> set[str]:
    hints = get_type_hints(function)
    return {f"{name}.{given}" for given, type in hints.items() if given != "return" and is_number(type)}


def test_every_number_of_the_package_is_tried() -> None:
    there: set[str] = set()
    for name in set(gpu_lsm.__all__) - REPORTS - {"errors"}:
        item = getattr(gpu_lsm, name)
        if not inspect.isclass(item):
            there |= numbers_of(name, item)
        elif name != "OpenOptions":
            there |= numbers_of(name, item.__init__)
            methods = inspect.getmembers(item, inspect.isfunction)
            there |= {
                found for call, method in methods if call[0] != "_" for found in numbers_of(f"{name}.{call}", method)
            }
    assert there == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_is_no_number_in_range_is_refused(name: str, wrong: object) -> None:
    if isinstance(wrong, float) and wrong > 0 and name.endswith("seconds"):
        wrong = math.inf
    option = name.rpartition(".")[2]
    with pytest.raises(OptionError, match=f"^{option} is .*; give a (whole )?number .*from [01] to "):
        CALLS[name](wrong)


@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("WriteOptions") or name.endswith("chunk")])
def test_what_has_a_number_of_its_own_does_not_take_none(name: str) -> None:
    with pytest.raises(OptionError, match="is None; give a"):
        CALLS[name](None)


@pytest.mark.parametrize("number", [np.int64(2), np.uint8(2), np.array(2)])
def test_whole_numbers_of_numpy_are_taken(number: Any) -> None:
    d = gpu_lsm.Dictionary.build([1, 2, 3], device="host", batch_size=number, byte_budget=np.uint64(1 << 20))
    assert d.batch_size == 2
    assert d.range(limit=number)[1].tolist() == [1, 2]
    assert [keys.tolist() for keys, _ in d.scan(number)] == [[1, 2], [3]]


def test_the_largest_numbers_are_taken() -> None:
    whole = dict.fromkeys(("versions", "checkpoint_bytes", "group_bytes", "in_flight_records", "in_flight_bytes"), MOST)
    options = gpu_lsm.WriteOptions(version_seconds=MOST_SECONDS, group_seconds=0, part_bytes=MOST, **whole)
    given = {"batch_size": MOST, "byte_budget": MOST}
    with gpu_lsm.open("memory:///most", mode="a", key="int64", device="host", options=options, **given) as d:
        d.insert([1, 2])
        d.insert([3])
        d.checkpoint()
        assert d.range(limit=MOST_ENTRIES)[1].tolist() == [1, 2, 3]
        assert len(list(d.scan(MOST_ENTRIES))) == 1
    idle = gpu_lsm.WriteOptions(group_seconds=MOST_SECONDS)
    gpu_lsm.open("memory:///most", mode="a", device="host", options=idle).close()
    assert len(gpu_lsm.open("memory:///most", device="host")) == 3


@pytest.mark.parametrize(("least", "most"), [(0, 5), (1, 1)])
def test_both_ends_are_in_range(least: int, most: int) -> None:
    check_whole(least, most, first=least, last=most)
    for outside in (least - 1, most + 1):
        with pytest.raises(OptionError):
            check_whole(least, most, outside=outside)
