"""The names that types have in stores, which are those that Rust gives them, and the types of names."""

import ast
import re

import numpy as np

from .errors import DtypeError
from .types import KeyType, ValueType, key_type, value_type

_NUMBERS = {
    f"{short}{bits}": f"{long}{bits}"
    for short, long in (("u", "uint"), ("i", "int"), ("f", "float"))
    for bits in (8, 16, 32, 64)
    if (short, bits) not in (("f", 8), ("f", 16))
}
_NAMES = {number: name for name, number in _NUMBERS.items()}
_KEYS = {"pair": "(u32, u32)", "point": "morton"}
_KINDS = {name: kind for kind, name in _KEYS.items()}
_ARRAY = re.compile(r"\[(\w+); (\d+)\]")
_DATE = re.compile(r"(datetime|timedelta)64\[\w+\]")


def key_name(key: KeyType) -> str:
    """The name of a type of keys.

    >>> key_name(key_type("int64")), key_name(key_type("pair")), key_name(key_type("datetime64[ns]"))
    ('i64', '(u32, u32)', 'datetime64[ns]')
    """
    return _KEYS.get(key.kind) or _NAMES.get(key.name, key.name)


def key_of(name: str) -> KeyType:
    """The type of keys with a name."""
    return key_type(_KINDS.get(name) or _NUMBERS.get(name, name))


def value_name(value: ValueType | None) -> str:
    """The name of a type of values. Types that Rust has no name for are described as in the files of numpy.

    >>> [value_name(value_type(dtype)) for dtype in (None, "float32", "(4,)u2", [("to", "u4"), ("cost", "f4")])]
    ['()', 'f32', '[u16; 4]', "[('to', '<u4'), ('cost', '<f4')]"]
    """
    if value is None:
        return "()"
    number = _NAMES.get(str(value.dtype))
    if number is not None and len(value.shape) == 1:
        return f"[{number}; {value.shape[0]}]"
    if not value.shape and (number is not None or value.dtype.kind in "Mm"):
        return number or str(value.dtype)
    described = np.lib.format.dtype_to_descr(value.dtype)
    return str((described, value.shape) if value.shape else described)


def value_of(name: str) -> ValueType | None:
    """The type of values with a name.

    >>> value_of("[('to', '<u4'), ('cost', '<f4')]").dtype.names
    ('to', 'cost')
    """
    if name == "()":
        return None
    if name in ("u128", "i128"):
        return value_type("V16")
    if name in _NUMBERS or _DATE.fullmatch(name):
        return value_type(_NUMBERS.get(name, name))
    if (array := _ARRAY.fullmatch(name)) and array[1] in _NUMBERS:
        return value_type((_NUMBERS[array[1]], (int(array[2]),)))
    try:
        return _described(name)
    except (SyntaxError, TypeError, ValueError) as error:
        raise DtypeError(
            f"the store has values of the type {name!r}, which only the program that wrote it knows; "
            f"open it with value=, a numpy type of the same bytes, and value_name={name!r}"
        ) from error


def _described(name: str) -> ValueType | None:
    """A type that is described as in the files of numpy, with a shape if it is an array."""
    if name.startswith(("<", ">", "|")):
        return value_type(np.dtype(name))
    described = ast.literal_eval(name)
    if isinstance(described, list):
        return value_type(np.lib.format.descr_to_dtype(described))
    element, shape = described
    return value_type((np.lib.format.descr_to_dtype(element), shape))


def stored_names(key: KeyType, value: ValueType | None) -> tuple[str, str]:
    """The names of both types."""
    return key_name(key), value_name(value)
