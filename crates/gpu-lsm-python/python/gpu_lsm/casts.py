"""Conversions that lose nothing, or say what they would lose."""

from typing import Any

import numpy as np

from .errors import DtypeError, Error, LossyCastError
from .typing import Array, Flags


def exactly(array: Array, dtype: np.dtype[Any], what: str, weak: bool = False) -> Array:
    """The array with another type, without a copy if it has it already.

    `weak` numbers were written in Python: like all of Python's floats they are rounded to float32.
    """
    if array.dtype == dtype and not _has_gaps(dtype):
        return array
    if array.dtype.names is not None and array.dtype.names == dtype.names:
        return _structures(array, dtype, what)
    if array.dtype.newbyteorder("=") == dtype or (array.size == 0 and array.dtype.names is None):
        return array.astype(dtype)
    if array.dtype.kind == "O":
        raise _object(array, dtype, what)
    if array.dtype.kind in "biuf" and dtype.kind in "iuf":
        return _number(array, dtype, what, weak)
    if array.dtype.kind in "biuf" and dtype.kind == "c":
        return _number(array, np.empty(0, dtype).real.dtype, what, weak).astype(dtype)
    # Not durations from months or years to other units, or back: numpy takes average months, which come back the same.
    if array.dtype.kind == dtype.kind and dtype.kind in "Mm" and np.can_cast(array.dtype, dtype, "same_kind"):
        cast = array.astype(dtype)
        _check(array, cast, cast.astype(array.dtype).view("int64") == array.view("int64"), what)
        return cast
    # To numpy the names of fields don't matter, only their order.
    if np.can_cast(array.dtype, dtype, "safe") and array.dtype.names is None and dtype.names is None:
        return array.astype(dtype)
    raise DtypeError(f"{what}: {array.dtype} was given where {dtype} is needed; {_advice(array.dtype, dtype)}")


def _structures(array: Array, dtype: np.dtype[Any], what: str) -> Array:
    """Structures with fields of the same names, each of which loses no more than a column of its own would."""
    # What is between the fields is stored, too, and may be anything in what was given.
    cast = np.zeros(array.shape, dtype)
    for name in dtype.names or ():
        if array.dtype[name].shape != dtype[name].shape:
            raise DtypeError(f"{what}, field {name!r}: {array.dtype[name]} was given where {dtype[name]} is needed")
        cast[name] = exactly(array[name], dtype[name].base, f"{what}, field {name!r}")
    return cast


def _has_gaps(dtype: np.dtype[Any]) -> bool:
    fields = [dtype[name] for name in dtype.names or ()]
    size = sum(field.itemsize for field in fields)
    return (len(fields) > 0 and size < dtype.itemsize) or any(_has_gaps(field.base) for field in fields)


def _number(array: Array, dtype: np.dtype[Any], what: str, weak: bool) -> Array:
    if array.dtype.kind == "b":
        return array.astype(dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        cast = array.astype(dtype)
    source, target = array.dtype.kind, dtype.kind
    if target == "f" and source == "f":
        same = (cast == array) | np.isnan(array)
        if weak:
            same |= np.isfinite(cast)
    elif target == "f":
        # A float that rounds up past the type's end has no number to compare with.
        within = np.isfinite(cast) & (_wide(cast) < float(2 ** (8 * array.dtype.itemsize - (source == "i"))))
        same = within & (np.where(within, cast, 0).astype(array.dtype) == array)
    elif source == "f":
        ends = np.iinfo(dtype)
        wide = _wide(array)
        within = (wide >= float(ends.min)) & (wide < float(ends.max + 1))
        same = within & (np.where(within, cast, 0).astype(wide.dtype) == wide)
    else:
        same = (cast.astype(array.dtype) == array) & ((cast < 0) == (array < 0))
    _check(array, cast, same, what)
    return cast


def _wide(floats: Array) -> Array:
    """Floats that have the ends of all whole types: to float16 most of these are infinite."""
    return floats.astype(np.promote_types(floats.dtype, np.float64), copy=False)


def _check(array: Array, cast: Array, same: Flags, what: str) -> None:
    if not same.all():
        found = tuple(int(i) for i in np.argwhere(~same)[0])
        place = found[0] if len(found) == 1 else found
        raise LossyCastError(
            f"{what}: element {place} is {array[place]}, which {cast.dtype} can't hold; "
            f"convert it yourself by .astype({str(cast.dtype)!r}) if the loss is meant, or choose another type"
        )


def _object(array: Array, dtype: np.dtype[Any], what: str) -> Error:
    for place, element in enumerate(array.ravel()):
        if element is None:
            return DtypeError(f"{what}: element {place} is None; drop missing keys and values, or fill them")
        if not isinstance(element, int | float | np.number):
            break
        if isinstance(element, int) and dtype.kind in "iu":
            ends = np.iinfo(dtype)
            if not ends.min <= element <= ends.max:
                return LossyCastError(f"{what}: element {place} is {element}, which {dtype} can't hold")
    return DtypeError(f"{what}: an array of Python objects was given; convert it by .astype({str(dtype)!r})")


def _advice(given: np.dtype[Any], needed: np.dtype[Any]) -> str:
    if given.kind in "Mm" and needed.kind in "iu":
        return "see it as numbers by .view('int64')"
    if given.kind in "iu" and needed.kind in "Mm":
        return f"see int64 as dates by .view({str(needed)!r})"
    return f"convert it by .astype({str(needed)!r}), or choose another type for the dictionary"
