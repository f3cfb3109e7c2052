"""Options that are numbers: whatever else they are given is refused before anything happens."""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, cast

import gpu_lsm.ray
import numpy as np
import pytest
from conftest import Start
from gpu_lsm.errors import OptionError

NOBODY = cast(gpu_lsm.ray.Dictionary, None)
WRONG = [-1, 1 << 64, 1.5, math.nan, True, np.True_, "x", [1]]
CALLS: dict[str, Callable[[Any], object]] = {
    "shards": lambda given: gpu_lsm.ray.start("numbers", "nowhere", "uint64", shards=given),
    "batch_size of insert_dataset": lambda given: gpu_lsm.ray.insert_dataset(NOBODY, None, key="a", batch_size=given),
    "batch_size of lookup_dataset": lambda given: gpu_lsm.ray.lookup_dataset(NOBODY, None, key="a", batch_size=given),
    "batch_size of load_parquet": lambda given: gpu_lsm.ray.load_parquet(NOBODY, "a", key="a", batch_size=given),
    "concurrency of lookup_dataset": lambda given: gpu_lsm.ray.lookup_dataset(NOBODY, None, key="a", concurrency=given),
    "concurrency of load_parquet": lambda given: gpu_lsm.ray.load_parquet(NOBODY, "a", key="a", concurrency=given),
    **{
        f"{field.name} of Config": lambda given, name=field.name: gpu_lsm.ray.Config("a", "b", **{name: given})
        for field in fields(gpu_lsm.ray.Config)
        if field.type in (int, float, int | None)
    },
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_is_no_number_in_range_is_refused(name: str, wrong: object) -> None:
    if name.startswith("group_seconds") and wrong == 1.5:
        wrong = math.inf
    with pytest.raises(OptionError, match=f"^{name.split()[0]} is .*; give a (whole )?number .*from [01] to "):
        CALLS[name](wrong)


@pytest.mark.parametrize("wrong", [-1, -0.5, math.nan, True, "x", None])
def test_patience_is_a_number_of_seconds(wrong: Any) -> None:
    with pytest.raises(OptionError, match=r"^seconds is .*; give a number of seconds"):
        gpu_lsm.ray.Patience(seconds=wrong)
    assert gpu_lsm.ray.Patience(seconds=math.inf).seconds == math.inf


def test_a_batch_with_a_wrong_number_is_refused_and_forgotten(start: Start) -> None:
    events = start("uint64").as_caller("one")
    for wrong in WRONG:
        with pytest.raises(OptionError, match=r"^number is .*; give a whole number from 0 to "):
            events.insert([1], number=cast(int, wrong))
    events.insert([2], number=cast(int, np.uint8(1)))
    assert isinstance(events._number, int), "the next one may not fit 8 bits"
    for limit in WRONG:
        with pytest.raises(OptionError, match=r"^limit is "):
            events.range(limit=cast(int, limit))
    assert list(events) == [2]
