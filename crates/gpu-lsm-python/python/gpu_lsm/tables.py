"""Tables of Arrow and Polars, from and to dictionaries."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from . import _gpu_lsm
from .casts import exactly
from .columns import from_chunks
from .errors import DtypeError, Error, LengthError, NoColumnError
from .types import POLARS_UNITS
from .typing import Array

_ARROW_UNITS = ("s", "ms", "us", "ns")
_FINER_UNITS = ("ps", "fs", "as")


def arrow_columns(table: object, key: str | None, value: str | None) -> tuple[Array, Array | None]:
    """The keys and the values of a table with Arrow's interface. `value` is `None` for a set."""
    names = asked_names(key, value)
    try:
        columns = [from_chunks(chunks) for _, chunks in _gpu_lsm.arrow_table(table, names)]
    except KeyError as error:
        raise NoColumnError(*error.args) from error
    except (TypeError, ValueError) as error:
        raise DtypeError(str(error)) from error
    if key is None and not 1 <= len(columns) <= 2:
        raise DtypeError(f"the table has {len(columns)} columns; say which are keys and values by key= and value=")
    return columns[0], columns[1] if len(columns) > 1 else None


def asked_names(key: str | None, value: str | None) -> list[str] | None:
    """The names of the columns that are asked for; `None` for all."""
    if key is None and value is not None:
        raise DtypeError(f"value={value!r} needs key=; say which columns are keys and values, or neither")
    return None if key is None else [key] if value is None else [key, value]


def column_names(names: Sequence[str], count: int) -> list[str]:
    """A name for each of so many columns."""
    chosen = list(names)[:count]
    if isinstance(names, str) or len(set(chosen)) < count:
        raise LengthError(f"names: {names!r} was given for {count} columns; give a list with a name for each")
    return chosen


def parquet_columns(path: str, names: list[str] | None) -> list[tuple[str, Any]]:
    """The names and numpy types of the columns of a Parquet file that are keys and values; of all, without names."""
    try:
        columns = _gpu_lsm.parquet_types(path, names)
    except DtypeError as error:
        if names is not None:
            raise
        raise DtypeError(f"{error}, or say which are keys and values by key= and value=") from error
    if not 1 <= len(columns) <= 2:
        raise DtypeError(f"the file has {len(columns)} columns; say which are keys and values by key= and value=")
    return [(name, np.dtype("datetime64[D]" if type == "days" else type)) for name, type in columns]


def to_arrow(columns: list[Array], names: Sequence[str]) -> Any:
    """A table of pyarrow."""
    pyarrow = module("pyarrow", "arrow")
    arrays = [_arrow_array(pyarrow, column) for column in columns]
    return pyarrow.table(arrays, names=column_names(names, len(arrays)))


def to_polars(columns: list[Array], names: Sequence[str]) -> Any:
    """A data frame of Polars."""
    polars = module("polars", "polars")
    chosen = column_names(names, len(columns))
    return polars.DataFrame(
        {name: _polars_series(polars, column) for name, column in zip(chosen, columns, strict=True)}
    )


def _arrow_array(pyarrow: Any, array: Array) -> Any:
    if array.ndim == 2:
        return pyarrow.FixedSizeListArray.from_arrays(_arrow_array(pyarrow, array.reshape(-1)), array.shape[1])
    if array.dtype.kind in "VSc":
        buffer = pyarrow.py_buffer(np.ascontiguousarray(array))
        return pyarrow.FixedSizeBinaryArray.from_buffers(
            pyarrow.binary(array.dtype.itemsize), len(array), [None, buffer]
        )
    return pyarrow.array(_in_unit(array, _ARROW_UNITS))


def _polars_series(polars: Any, array: Array) -> Any:
    if array.dtype.names:
        fields = {name: _polars_series(polars, np.ascontiguousarray(array[name])) for name in array.dtype.names}
        return polars.DataFrame(fields).to_struct()
    if array.dtype.kind in "VSc":
        raise DtypeError(f"Polars has no column for {array.dtype}; take to_arrow()")
    return polars.Series(_polars_dates(array))


def _polars_dates(array: Array) -> Array:
    """The array; dates and durations in a unit of Polars, whose days have 32 bits."""
    array = _in_unit(array, POLARS_UNITS.get(array.dtype.kind, ()))
    if array.dtype == "datetime64[D]":
        # Missing days have a null of their own; they stay, so that an error names the right element.
        days = np.where(np.isnat(array), np.datetime64(0, "D"), array).view("int64")
        exactly(days, np.dtype(np.int32), "days since 1970")
    return array


def _in_unit(array: Array, units: tuple[str, ...]) -> Array:
    """The array; dates and durations in one of these units, exactly. Finer ones become nanoseconds."""
    if array.dtype.kind not in "Mm":
        return array
    unit, step = np.datetime_data(array.dtype)
    # Only numpy has units of several steps, for instance of 25 seconds.
    if unit in units and step == 1:
        return array
    if unit not in units:
        unit = "ns" if unit in _FINER_UNITS else units[0]
    return exactly(array, np.dtype(f"{array.dtype.kind}8[{unit}]"), "the table")


def module(name: str, extra: str) -> Any:
    """A library that is not needed until now."""
    try:
        return import_module(name)
    except ImportError as error:
        raise Error(f"{name.split('.')[0]} is not installed; pip install 'gpu-lsm[{extra}]'") from error
