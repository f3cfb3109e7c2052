"""What is missing is taken neither for zero nor for a flag."""

import gpu_lsm
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from gpu_lsm.errors import DtypeError

FLAGS = [True, False, True]


@pytest.mark.parametrize(
    "flags",
    [
        FLAGS,
        [1, 0, 2],
        [0.5, -0.0, -1.0],
        np.array(FLAGS),
        np.array(FLAGS, "O"),
        np.ma.array(FLAGS, mask=False),
        pyarrow.array(FLAGS),
        pyarrow.chunked_array([FLAGS[:1], FLAGS[1:]]),
        pyarrow.array([1, 0, 2], "int8"),
        polars.Series(FLAGS),
        pandas.Series(FLAGS, dtype="boolean"),
    ],
)
def test_flags_may_be_booleans_and_numbers(flags, device):
    d = gpu_lsm.Dictionary.build([1, 2, 3], device=device)
    d.apply_columns([1, 2, 3], None, flags)
    assert d.range()[1].tolist() == [2]


@pytest.mark.parametrize(
    "flags",
    [
        [True, False, None],
        ["", "", "delete"],
        [False, False, np.nan],
        [object(), False, False],
        np.ma.array(FLAGS, mask=[True, False, False]),
        pyarrow.array([True, False, None]),
        pyarrow.array([1, None, 0], "int8"),
        polars.Series([True, None, False]),
        polars.Series([1, None, 0]),
        pandas.Series([True, None, False], dtype="boolean"),
        pandas.Series([True, None, False]),
    ],
)
def test_what_is_no_flag_deletes_nothing(flags, device):
    d = gpu_lsm.Dictionary.build([1, 2, 3], device=device)
    with pytest.raises(DtypeError, match=r"deletes: .*(missing|masked)"):
        d.apply_columns([1, 2, 3], None, flags)
    assert len(d) == 3


def test_a_masked_element_is_no_key_and_no_value(device):
    d = gpu_lsm.Dictionary.build([0, 1], [0.5, 1.5], device=device)
    masked = np.ma.array([0, 1], mask=[False, True])
    assert d[masked[0]] == 0.5
    calls = [
        lambda: d[masked[1]],
        lambda: masked[1] in d,
        lambda: d.count(masked[1], 5),
        lambda: d.insert([1], masked[1]),
        lambda: d.lookup([9], default=masked[1]),
    ]
    for call in calls:
        with pytest.raises(DtypeError, match="masked"):
            call()
    assert d[1] == 1.5
