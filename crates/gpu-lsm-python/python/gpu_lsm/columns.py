"""Columns from whatever a caller has: numpy, Arrow, DLPack or lists, without a copy if type and layout allow."""

import datetime
from typing import Any

import numpy as np

from . import _gpu_lsm
from .casts import exactly
from .errors import DtypeError, LengthError, LossyCastError
from .types import KeyType, ValueType
from .typing import Array


def column(data: Any, type: KeyType | ValueType, what: str) -> Array:
    """Data as an array of a `KeyType` or `ValueType`: contiguous, aligned, in this machine's byte order."""
    array, weak = array_of(data, what, type.dtype)
    if array.dtype.names and type.shape and not type.dtype.names:
        array = _unstructured(array, what)
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, *type.shape)
    expected = 1 + len(type.shape)
    if array.ndim != expected or array.shape[1:] != type.shape:
        raise LengthError(f"{what}: an array of shape {array.shape} was given; {_wanted(type)}")
    return np.require(exactly(array, type.dtype, what, weak), requirements=["C", "A"])


def single(data: Any, type: KeyType | ValueType, what: str) -> Array:
    """One key or value as a column of length 1."""
    _check_unmasked(data, what)
    if isinstance(data, np.ndarray | np.generic):
        return column(np.asarray(data)[np.newaxis], type, what)
    return column([data], type, what)


def is_single(data: Any, type: KeyType | ValueType) -> bool:
    """Whether data is one key or value, and no column."""
    if isinstance(data, np.ndarray):
        return data.ndim == len(type.shape) and not (type.shape and data.dtype.names)
    if (
        _is_arrow(data)
        or hasattr(data, "__dlpack__")
        or (hasattr(data, "__array__") and not isinstance(data, np.generic))
    ):
        return False
    if isinstance(data, list | tuple):
        is_structure = isinstance(data, tuple) and len(data) == len(type.dtype.names or ()) > 0
        return is_structure or (bool(type.shape) and len(data) == type.shape[0] and all(np.isscalar(x) for x in data))
    return not hasattr(data, "__iter__") or isinstance(data, str | bytes | np.void)


def check_bounds(lower: int, upper: int) -> None:
    """Refuses bounds of intervals that are not as many on both sides: numpy would repeat one for all."""
    if lower != upper:
        raise LengthError(f"{lower} lower bounds came with {upper} upper ones; give one of each for each query")


def check_flags(keys: int, flags: int) -> None:
    """Refuses more or fewer flags for deletes than keys."""
    if keys != flags:
        raise LengthError(f"{keys} keys came with {flags} flags for deletes; give one flag for each key")


def flags_of(data: Any) -> Array:
    """Flags for deletes as words: 1 for what is not zero, else 0. One that is missing is no flag."""
    _check_unmasked(data, "deletes")
    array = np.asarray(data)
    if array.ndim != 1:
        raise LengthError(f"deletes: an array of shape {array.shape} was given; give one flag for each key")
    if array.dtype.kind == "O" and all(isinstance(flag, int | np.bool_ | np.integer) for flag in array):
        array = array.astype(bool)
    if array.dtype.kind not in "biuf":
        raise DtypeError(
            f"deletes: {array.dtype} was given, or some are missing; give a boolean or a number for each key"
        )
    # What is missing in Arrow's numbers.
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise DtypeError("deletes: some are missing or not a number; give a boolean or a number for each key")
    return array.astype(bool).astype(np.uint32)


def array_of(data: Any, what: str, dtype: np.dtype[Any] | None = None) -> tuple[Array, bool]:
    """Data as an array of its own type, and whether its numbers were written in Python."""
    _check_unmasked(data, what)
    if isinstance(data, np.ndarray):
        return data, False
    if isinstance(getattr(data, "dtype", None), np.dtype) and hasattr(data, "__array__"):
        return np.asarray(data), False  # for instance a pandas Series
    if _is_arrow(data):
        return _from_arrow(data, what), False
    if hasattr(data, "__dlpack__"):
        return _from_dlpack(data, what), False
    if hasattr(data, "__array__"):
        return np.asarray(data), False
    return _from_python(data, what, dtype), True


def from_chunks(chunks: list[tuple[str, int, Any, int, int]]) -> Array:
    """An array of Arrow chunks, without a copy if there is one."""
    arrays = [_from_chunk(*chunk) for chunk in chunks]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _check_unmasked(data: Any, what: str) -> None:
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise DtypeError(f"{what}: some elements are masked; drop or fill them first")


def _is_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_array__") or hasattr(data, "__arrow_c_stream__")


def _from_arrow(data: Any, what: str) -> Array:
    try:
        return from_chunks(_gpu_lsm.arrow_column(data))
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{what}: {error}") from error


def _from_chunk(dtype: str, width: int, buffer: Any, start: int, rows: int) -> Array:
    is_days = dtype == "days"
    element = np.dtype("int32" if is_days else dtype)
    array = np.frombuffer(buffer, element, rows * width, start * element.itemsize) if rows else np.empty(0, element)
    array = array.astype("datetime64[D]") if is_days else array
    return array if width == 1 else array.reshape(rows, width)


def _from_dlpack(data: Any, what: str) -> Array:
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError) as error:
        raise DtypeError(f"{what}: {error}; copy it to the host's memory first") from error


def _from_python(data: Any, what: str, dtype: np.dtype[Any] | None) -> Array:
    if dtype is not None and dtype.kind in "Mm" and _has_dates(data):
        return _dates(data, what, dtype.kind + "8")
    if dtype is not None and dtype.names and isinstance(data, list | tuple):
        if all(isinstance(element, tuple) and len(element) == len(dtype.names) for element in data):
            return _structures(data, what, dtype)
        if not all(isinstance(element, np.void) for element in data):
            raise DtypeError(f"{what}: give a tuple of {len(dtype.names)} numbers for each structure, {dtype}")
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise LengthError(f"{what}: {error}; give rows of equal length") from error
    if array.dtype.kind == "f" and dtype is not None and dtype.kind in "iu":
        return _whole(array, data, dtype)
    return array


def _dates(data: Any, what: str, type: str) -> Array:
    """Dates or durations in the finest of their units."""
    if type == "M8" and any(isinstance(date, datetime.timedelta | np.timedelta64) for date in data):
        raise DtypeError(f"{what}: durations were given where dates are needed; add them to a date")
    # A timestamp of pandas has nanoseconds, which numpy would drop.
    exact = [date.to_datetime64() if hasattr(date, "to_datetime64") else date for date in data]
    try:
        dates = np.array(exact, type)
        unit = np.datetime_data(dates.dtype)[0]
        # Days and longer, and elements of numpy that have this unit, are not converted.
        if not unit.endswith("s") or all(getattr(date, "dtype", None) == dates.dtype for date in exact):
            return dates
        seconds = np.array(exact, f"{type}[s]")
        # In a fine unit, numpy makes other dates of those that are far away.
        same = dates.astype(seconds.dtype).view("int64") == seconds.view("int64")
    except OverflowError as error:
        raise LossyCastError(f"{what}: {error}; give all in one unit that holds all") from error
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{what}: {error}") from error
    if not same.all():
        far = seconds[~same][0]
        raise LossyCastError(
            f"{what}: {far} can't be given in {unit}, as others are; give all in one unit that holds all"
        )
    return dates


def _structures(data: Any, what: str, dtype: np.dtype[Any]) -> Array:
    """Tuples as structures, whose fields lose no more than columns of their own would."""
    # Not empty, because what is between the fields is stored, too.
    array = np.zeros(len(data), dtype)
    for place, name in enumerate(dtype.names or ()):
        field, whose = dtype[name], f"{what}, field {name!r}"
        numbers, weak = array_of([element[place] for element in data], whose, field)
        if numbers.shape[1:] != field.shape:
            raise LengthError(f"{whose}: elements of shape {numbers.shape[1:]} were given where {field} is needed")
        array[name] = exactly(numbers, field.base, whose, weak)
    return array


def _whole(array: Array, data: Any, dtype: np.dtype[Any]) -> Array:
    """Whole numbers of Python that numpy took for floats, because some are, or are below zero or above 2^63."""
    objects = np.array(data, dtype=object)
    for place, number in np.ndenumerate(objects):
        if isinstance(number, np.integer) or (isinstance(number, float) and number.is_integer()):
            objects[place] = int(number)
        elif not isinstance(number, int):
            return array
    try:
        return np.array(objects.tolist(), dtype)
    except OverflowError:
        return objects


def _has_dates(data: Any) -> bool:
    """Whether a list has dates or durations of Python, or dates as text."""
    kinds = str | datetime.date | datetime.timedelta | np.datetime64 | np.timedelta64
    return isinstance(data, list | tuple) and all(isinstance(element, kinds) for element in data)


def _unstructured(array: Array, what: str) -> Array:
    """A structured array of fields of one type as rows."""
    names = array.dtype.names or ()
    fields = {array.dtype[name] for name in names}
    if len(fields) != 1:
        raise DtypeError(f"{what}: the fields of {array.dtype} differ in type; give rows of numbers")
    field = fields.pop()
    places = [array.dtype.fields[name][1] for name in names] if array.dtype.fields else []
    if places != list(range(0, array.dtype.itemsize, field.itemsize)):
        return np.stack([array[name] for name in names], axis=-1)
    return np.ascontiguousarray(array).view(field).reshape(*array.shape, len(names))


def _wanted(type: KeyType | ValueType) -> str:
    if type.shape:
        return f"give rows of {type.shape[0]} numbers, that is shape (n, {type.shape[0]})"
    return "give one dimension; a single key goes into a list"
