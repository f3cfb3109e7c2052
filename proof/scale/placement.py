"""Where runs are placed on levels: the arithmetic of `crates/gpu-lsm/src/placement.rs`, `levels.rs` and `config.rs`.

Level i holds at most one run of at most b * 2^i entries, and level 0 is the newest. `testdata/levels.tsv` and
`testdata/footprints.tsv` hold both sides to the same numbers: a test of the real dictionary reads them, and so does
`test_scale.py`.
"""
import dataclasses

INDEX_KEYS = 48
INDEX_WORDS = 8


def merge_through(lens, incoming, b):
    """The lowest level i for which `incoming` entries and all entries on levels 0..=i fit into b * 2^i."""
    total, level = incoming, 0
    while True:
        if level < len(lens):
            total += lens[level]
        if total <= b << level:
            return level
        level += 1


def level_for(entries, b):
    """The lowest level that holds a run of so many entries."""
    return merge_through((), entries, b)


def wants_cleanup(entries, oldest, tombstones, b):
    """Whether so many entries are stale that all runs must be merged."""
    return 2 * entries > 5 * max(0, oldest - tombstones) + 8 * b


@dataclasses.dataclass(frozen=True)
class Step:
    """What a batch did: the runs that were merged, newest first, with the batch; what came of it, and where."""

    batch: int
    merged: tuple
    run: int
    level: int
    #: The runs that the space rule then merged into one, newest first, and its length; empty if it did not ask for that.
    cleaned: tuple = ()
    cleaned_run: int = 0


class Lengths:
    """The levels of a dictionary by the lengths of their runs: inserts only.

    With `keys`, batches are drawn at random from so many keys, and a merge has as many entries as are expected of a union.
    Without, all keys are distinct.
    """

    def __init__(self, b, keys=None):
        self.b, self.keys, self.lens = b, keys, []

    def entries(self):
        return sum(self.lens)

    def runs(self):
        """The lengths of the runs, newest first."""
        return [run for run in self.lens if run]

    def union(self, runs):
        if self.keys is None:
            return sum(runs)
        missing = 1.0
        for run in runs:
            missing *= max(0.0, 1 - run / self.keys)
        return round(self.keys * (1 - missing))

    def place(self, run):
        level = level_for(run, self.b)
        self.lens += [0] * (level + 1 - len(self.lens))
        self.lens[level] = run
        return level

    def insert(self, batch):
        through = merge_through(self.lens, batch, self.b)
        merged = tuple(run for run in self.lens[:through + 1] if run)
        for level in range(min(through + 1, len(self.lens))):
            self.lens[level] = 0
        run = self.union((batch, *merged))
        level, runs = self.place(run), self.runs()
        if not wants_cleanup(sum(runs), runs[-1], 0, self.b):
            return Step(batch, merged, run, level)
        self.lens, everything = [], self.union(runs)
        self.place(everything)
        return Step(batch, merged, run, level, tuple(runs), everything)


class Keyed:
    """The levels of a dictionary with their keys, exactly: a run is a dict from key to whether it is a tombstone."""

    def __init__(self, b):
        self.b, self.levels = b, []

    def lens(self):
        return [len(run) for run in self.levels]

    def by_level(self):
        """The level, the entries and the tombstones of each run, newest first."""
        return [(level, len(run), sum(run.values())) for level, run in enumerate(self.levels) if run]

    def place(self, run):
        if run:
            level = level_for(len(run), self.b)
            self.levels += [{}] * (level + 1 - len(self.levels))
            self.levels[level] = run

    def update(self, inserts, deletes):
        """Inserts keys and then deletes keys, as one batch."""
        operations = len(inserts) + len(deletes)
        if operations == 0:
            return
        through = merge_through(self.lens(), operations, self.b)
        newest = dict.fromkeys(inserts, False) | dict.fromkeys(deletes, True)
        merged, rest = self.levels[:through + 1], self.levels[through + 1:]
        self.levels = [{}] * len(merged) + rest
        self.place(union([newest, *merged], is_oldest=not any(rest)))
        runs = self.by_level()
        entries, tombstones = sum(run[1] for run in runs), sum(run[2] for run in runs)
        if wants_cleanup(entries, runs[-1][1] if runs else 0, tombstones, self.b):
            everything = union(self.levels, is_oldest=True)
            self.levels = []
            self.place(everything)


def union(runs, is_oldest):
    """One run of all: the newest entry of each key stays, and no tombstone if nothing older is left."""
    everything = {}
    for run in reversed(runs):
        everything |= run
    return {key: dead for key, dead in everything.items() if not (dead and is_oldest)}


def index_words(entries):
    """The words of a run's index."""
    if entries == 0:
        return 0
    parts = max(2, 1 << max(0, entries // INDEX_KEYS - 1).bit_length())
    return (parts + 2) * INDEX_WORDS


def bytes_of(lens, key, value):
    """The bytes of runs of these lengths, without tombstones and tallies."""
    return sum(run * (key + value) + 4 * index_words(run) + 64 for run in lens if run)


def footprint(entries, batch, b, key, value):
    """The bytes that a dictionary of distinct keys is expected to have, between calls and at most: `bytes_for`."""
    batch = max(entries // (1 << 16) + 1, min(batch, max(entries, 1)))
    levels, peak = Lengths(b), 0
    while (left := entries - levels.entries()) > 0:
        now, before = min(batch, left), bytes_of(levels.lens, key, value)
        step = levels.insert(now)
        sorting = now * (4 * key + 4 + value)
        oldest = step.merged[-1] if step.merged else 0
        merging = (2 * sum(step.merged) - oldest + 2 * now) * (key + value)
        settling = bytes_of([step.run], key, value)
        peak = max(peak, before + max(sorting, merging, settling) * 21 // 20)
    resident = bytes_of(levels.lens, key, value) + entries * 3 // 8
    return resident, max(peak, resident) + 256
