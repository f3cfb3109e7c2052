"""The scripts of `testdata`: operations with their answers, which every binding runs."""

import tomllib
from pathlib import Path

import gpu_lsm
import numpy as np
import pytest

KEYS = {"u32": "uint32", "u64": "uint64", "point": "point"}


def scripts():
    """All scripts of the repository."""
    files = sorted((Path(__file__).parents[3] / "testdata").glob("*.toml"))
    return [script for file in files for script in tomllib.loads(file.read_text())["script"]]


def test_there_are_as_many_scripts_as_when_this_was_written():
    assert len(scripts()) >= 106


@pytest.mark.parametrize("shards", [None, 1, 3], ids=["plain", "1-shard", "3-shards"])
@pytest.mark.parametrize("script", scripts(), ids=lambda script: script["name"].replace(" ", "-"))
def test_a_script_gives_its_answers(script, shards, device):
    now = gpu_lsm.Dictionary(
        KEYS[script["keys"]], "uint32", device=device, shards=shards, batch_size=script["batch_size"]
    )
    other = None
    for step in script["steps"]:
        name = step["do"]
        if name == "fork":
            now, other = now.fork(), now
        elif name == "swap":
            now, other = other, now
        elif name in UPDATES:
            UPDATES[name](now, step)
        else:
            QUERIES[name](now, step)
        now.verify()


def number(value):
    """A key or value: text if it is too large for the format."""
    return tuple(map(number, value)) if isinstance(value, list) else int(value)


def numbers(step, name):
    return [number(value) for value in step[name]]


def ends(d, step):
    """The smallest and the largest key of an interval; `None` if it has no keys."""
    most = 2 ** (32 if d.key_type == "uint32" else 64) - 1
    first = code(step["from"]) if "from" in step else code(step["after"]) + 1 if "after" in step else 0
    last = code(step["to"]) if "to" in step else code(step["below"]) - 1 if "below" in step else most
    if not 0 <= first <= last <= most:
        return None
    return (point(first), point(last)) if d.key_type == "point" else (first, last)


def code(key):
    """A number, or the place of a point on the curve: bits of x and y in turns."""
    if not isinstance(key, list):
        return number(key)
    return sum((key[0] >> i & 1) << 2 * i | (key[1] >> i & 1) << 2 * i + 1 for i in range(32))


def point(code):
    return tuple(sum((code >> 2 * i + axis & 1) << i for i in range(32)) for axis in (0, 1))


def apply(d, step):
    batch = gpu_lsm.Batch()
    for key, *value in step["operations"]:
        if value:
            batch.insert([number(key)], [number(value[0])])
        else:
            batch.delete([number(key)])
    d.apply(batch)


def delete_in(d, step):
    interval = ends(d, step)
    if interval is not None:
        d.delete_range(*interval)


UPDATES = {
    "insert": lambda d, step: d.insert(numbers(step, "keys"), numbers(step, "values")),
    "delete": lambda d, step: d.delete(numbers(step, "keys")),
    "update": lambda d, step: d.update(*(numbers(step, name) for name in ("keys", "values", "deletes"))),
    "delete_range": lambda d, step: d.delete_range(numbers(step, "lower"), numbers(step, "upper")),
    "delete_in": delete_in,
    "cleanup": lambda d, _: d.cleanup(),
    "clear": lambda d, _: d.clear(),
    "apply": apply,
    "apply_columns": lambda d, step: d.apply_columns(*(numbers(step, name) for name in ("keys", "values", "deletes"))),
}


def same(array, expected):
    assert array.tolist() == [list(row) if isinstance(row, tuple) else row for row in expected]


def lookup(d, step):
    values, found = d.lookup(numbers(step, "keys"))
    same(values, numbers(step, "values"))
    same(found, [flag == 1 for flag in numbers(step, "found")])


def get(d, step):
    value = d.get(number(step["key"]))
    assert (None if value is None else int(value)) == (number(step["value"]) if "value" in step else None)


def contains(d, step):
    assert (number(step["key"]) in d) == step["present"]


def count_in(d, step):
    interval = ends(d, step)
    assert (0 if interval is None else d.count(*interval)) == number(step["entries"])


def range_in(d, step):
    interval = ends(d, step)
    _, keys, values = d.range(*interval) if interval else (None, np.empty(0), np.empty(0))
    same(keys, numbers(step, "found_keys"))
    same(values, numbers(step, "values"))


def check_range(found, step):
    offsets, keys, values = found
    same(offsets, numbers(step, "offsets"))
    same(keys, numbers(step, "found_keys"))
    same(values, numbers(step, "values"))


def ranges(**options):
    def ask(d, step):
        limit = {"limit": number(step["limit"])} if "limit" in step else {}
        check_range(d.range(numbers(step, "lower"), numbers(step, "upper"), **limit, **options), step)

    return ask


def nearest(way):
    def ask(d, step):
        keys, values, found = getattr(d, way)(numbers(step, "keys"))
        same(found, [flag == 1 for flag in numbers(step, "found")])
        same(keys, numbers(step, "found_keys"))
        same(values, numbers(step, "values"))

    return ask


def scan(chunk):
    def ask(d, step):
        chunks = list(d.scan(number(step["chunk"]) if chunk else 65536))
        found = [row for keys, _ in chunks for row in keys.tolist()]
        assert found == [list(row) if isinstance(row, tuple) else row for row in numbers(step, "found_keys")]
        assert [value for _, values in chunks for value in values.tolist()] == numbers(step, "values")

    return ask


def rectangles(d, step):
    check_range(d.rectangles(numbers(step, "lower"), numbers(step, "upper")), step)


def count(d, step):
    same(d.count(numbers(step, "lower"), numbers(step, "upper")), numbers(step, "counts"))


def length(d, step):
    assert len(d) == number(step["entries"])


QUERIES = {
    "lookup": lookup,
    "get": get,
    "contains": contains,
    "count": count,
    "count_in": count_in,
    "range": ranges(),
    "range_first": ranges(),
    "range_after": ranges(after=True),
    "range_in": range_in,
    "successor": nearest("successor"),
    "predecessor": nearest("predecessor"),
    "len": length,
    "scan": scan(True),
    "iter": scan(False),
    "rectangles": rectangles,
}
