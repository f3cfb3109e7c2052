"""The tables that hold this arithmetic and the real dictionary to the same numbers.

`testdata/levels.tsv` has scripts of batches: after each batch the level, the entries and the tombstones of each run.
`testdata/footprints.tsv` has what `Dictionary::bytes_for` expects, `testdata/plan.tsv` which shard is split, joined or moved
next.
"""
import pathlib
import random

from placement import Keyed, footprint
from plan import Load, Rules

TESTDATA = pathlib.Path(__file__).parents[2] / "testdata"
LEVELS = TESTDATA / "levels.tsv"
FOOTPRINTS = TESTDATA / "footprints.tsv"
PLAN = TESTDATA / "plan.tsv"
LEVELS_HEAD = ("script", "b", "insert from", "inserts", "delete from", "deletes", "level:entries:tombstones, newest first")
FOOTPRINTS_HEAD = ("entries", "batch", "b", "bytes of a key", "bytes of a value", "resident", "peak")
PLAN_HEAD = ("shards to aim at", "few", "most entries of a run", "devices", "device:entries of each shard", "next step")


def distinct(lengths):
    """Batches of these lengths, of keys that never came before."""
    start = 0
    for length in lengths:
        yield start, length, 0, 0
        start += length


def scripts():
    """For each script its name, b, and batches: where its inserts and its deletes start, and how many there are."""
    chance = random.Random(24)
    yield "full batches", 4, list(distinct([4] * 70))
    yield "short batches", 16, list(distinct(chance.randint(1, 16) for _ in range(80)))
    yield "long and short batches", 4, list(distinct(chance.randint(1, 40) for _ in range(60)))
    yield "one at a time", 8, list(distinct([1] * 70))
    yield "one long, then short ones", 8, list(distinct([300] + [5] * 60))
    yield "overwrites", 8, [(at * 8 % 128, 8, 0, 0) for at in range(70)]
    yield "a sliding window", 8, [(at * 8, 8, max(0, at - 9) * 8, 8 if at >= 9 else 0) for at in range(70)]
    grow, shrink = [(at * 8, 8, 0, 0) for at in range(40)], [(0, 0, at * 8, 8) for at in range(40)]
    yield "a window that shrinks to nothing", 8, grow + shrink
    yield "anything", 8, anything(chance, 100)
    yield "anything, once with as many stale entries as are allowed", 8, anything(random.Random(17), 30)


def anything(chance, batches):
    return [(chance.randrange(300), chance.randint(0, 24), chance.randrange(300), chance.randint(0, 24)) for _ in range(batches)]


def levels_rows():
    for name, b, batches in scripts():
        levels = Keyed(b)
        for insert_from, inserts, delete_from, deletes in batches:
            levels.update(range(insert_from, insert_from + inserts), range(delete_from, delete_from + deletes))
            runs = " ".join(":".join(map(str, run)) for run in levels.by_level())
            yield name, b, insert_from, inserts, delete_from, deletes, runs or "-"


def footprints_rows():
    # 49,152 entries are the most of which the index has 1,024 parts.
    for entries in (1, 1000, 49_152, 49_200, 30_000_000, 10**9):
        for batch, b in ((max(7, entries >> 10), 64), (1 << 20, 1 << 16), (1 << 20, 1 << 20)):
            for key, value in ((4, 4), (8, 8)):
                yield entries, batch, b, key, value, *footprint(entries, batch, b, key, value)


#: Shards that are as uneven as is allowed: one of one and a half shares, and a device with five quarters of its own.
ALLOWED = [(Rules(2, 0, (1.0,), 1000), "0:60 0:20"), (Rules(2, 0, (1.0,), 1000), "0:61 0:19"),
           (Rules(6, 0, (0.5, 0.5), 1000), "0:70 0:60 0:60 0:60 1:75 1:75"),
           (Rules(6, 0, (0.5, 0.5), 1000), "0:70 0:60 0:60 0:61 1:75 1:74"),
           (Rules(1, 0, (1.0,), 300), "0:300"), (Rules(1, 0, (1.0,), 300), "0:301"),
           (Rules(4, 50, (1.0,), 1000), "0:50"), (Rules(4, 50, (1.0,), 1000), "0:51"),
           (Rules(1, 0, (1.0,), 300), "0:75 0:75"), (Rules(1, 0, (1.0,), 300), "0:75 0:76")]


def plan_rows():
    """The steps of shards that are about as uneven as is allowed; then of random ones, until there is balance."""
    for rules, shown in ALLOWED:
        yield plan_row(rules, [Load(*map(int, shard.split(":"))) for shard in shown.split()])
    chance = random.Random(24)
    for _ in range(40):
        shards, devices, few = chance.randint(1, 8), chance.randint(1, 4), chance.choice((0, 50))
        rules = Rules(shards, few, (1 / devices,) * devices, chance.choice((300, 10_000)))
        loads = [Load(chance.randrange(devices), chance.choice((0, chance.randrange(400), chance.randrange(100))))
                 for _ in range(chance.randint(1, 10))]
        for _ in range(8):
            yield plan_row(rules, loads)
            step = rules.next_step(loads)
            if step is None:
                break
            loads = after(loads, *step)


def plan_row(rules, loads):
    step = rules.next_step(loads)
    shown = " ".join(f"{load.place}:{load.entries}" for load in loads)
    return rules.shards, rules.few, rules.limit, len(rules.shares), shown, " ".join(map(str, step)) if step else "-"


def after(loads, what, shard, *more):
    """The shards after a step, with splits into equal parts."""
    place, entries = loads[shard].place, loads[shard].entries
    if what == "join":
        return [*loads[:shard], Load(place, entries + loads[shard + 1].entries), *loads[shard + 2:]]
    made = [Load(place, (entries + part) // more[0]) for part in range(more[0])] if what == "split" else [Load(more[0], entries)]
    return [*loads[:shard], *made, *loads[shard + 1:]]


def text(head, rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in (head, *rows))


def contents():
    """What each table must say."""
    return {LEVELS: text(LEVELS_HEAD, levels_rows()), FOOTPRINTS: text(FOOTPRINTS_HEAD, footprints_rows()),
            PLAN: text(PLAN_HEAD, plan_rows())}
