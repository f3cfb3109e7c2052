"""The paper's LSM on the model's K40c, beside the paper's own Tables II to IV.

The paper's primitives are modelled as what they were: CUB's radix sort, merges, scan and segmented sort of moderngpu.
`Primitives` says what each one launches. Ours can stand in their place: see `ours.py`.
"""
import ast
import dataclasses
import pathlib
import re

import bounds
import textbook
import searches

#: CUB for Kepler: six passes of 6 and 5 bits, 128 threads with 9 items.
BITS, TILE = (6, 6, 5, 5, 5, 5), 1152
#: The keys of a tile of moderngpu's segmented sort.
SEGMENTED_TILE = 128 * 11
#: A stretch of fewer keys is short: two lines.
SHORT = 64
INSERTED, LOOKED_UP = 2**27, 2**24

#: The paper's tables, as the bench has them.
FILE = pathlib.Path(__file__).parents[2] / "crates/gpu-lsm-bench/src/report/paper.rs"

SLOW_SORT = "The paper's sort took 2.1 times as long as modelled, see above."
SLOW_SEGMENTED_SORT = "The segmented sort is bound by its instructions; the model has it as one or two merges."
FIXED_COSTS = "Calls with few queries: their fixed costs weigh more than launches and a wait do in the model."
#: Why the model is off by more than a factor of 2, by case, and whether it is the sorted array.
WHY = {("insert", False): "With 2^17 entries and less in a batch, the paper's sort takes 323 to 401 us, of which its 18 "
                          "launches explain less than a third.",
       ("insert", True): SLOW_SORT + " The merge of all entries, as fast as a copy in the model, reaches three quarters of "
                                     "that in moderngpu's own figures.",
       ("count, L = 1024", False): SLOW_SEGMENTED_SORT, ("count, L = 1024", True): SLOW_SEGMENTED_SORT,
       ("range, L = 8", True): FIXED_COSTS, ("range, L = 1024", False): SLOW_SEGMENTED_SORT}


def table(name):
    """A table of the paper: for each number of batches two lists of rates in M/s."""
    text = re.search(rf"pub const {name}: .*?= (\[.*?\n\]);", FILE.read_text(), re.DOTALL)[1]
    numbers = re.sub(r"1 << (\d+)", lambda shift: str(1 << int(shift[1])), text)
    return {batches: lists for batches, *lists in ast.literal_eval(numbers)}


def published():
    """The paper's mean rates in M/s, of its LSM and of its sorted array, by table, case and number of batches."""
    rates = {("II", "insert"): {count: (lsm[2], array[2]) for count, (lsm, array) in table("TABLE_2").items()}}
    cases = [("III", "TABLE_3", "lookup, none", "lookup, all"),
             ("IV", "TABLE_4_COUNT", "count, L = 8", "count, L = 1024"),
             ("IV", "TABLE_4_RANGE", "range, L = 8", "range, L = 1024")]
    for number, name, *pair in cases:
        for at, case in enumerate(pair):
            rates[number, case] = {count: tuple(lists[at][2:]) for count, lists in table(name).items()}
    return rates


def published_hash():
    """The paper's rates of its hash table, in M/s, by case."""
    text = FILE.read_text()
    build = float(re.search(r"pub const CUCKOO_BUILD: f64 = ([\d.]+);", text)[1])
    none, present = re.search(r"pub const CUCKOO_LOOKUP: \[f64; 2\] = \[([\d.]+), ([\d.]+)\];", text).groups()
    return {"build": build, "lookup, none": float(none), "lookup, all": float(present)}


class Primitives:
    """What the paper's primitives launch."""

    def sort(self, pairs):
        return textbook.radix_sort(pairs, 2, BITS, TILE)

    def merge(self, pairs):
        return [textbook.streamed("merge_partition", pairs / 1408, pairs / 1408), textbook.merge(pairs)]

    def clear(self, keys):
        return [textbook.streamed("clear", 0, keys)]

    def copy(self, pairs):
        return [textbook.copy(pairs), textbook.copy(pairs)]

    def scan(self, words):
        return [textbook.streamed("scan_reduce", words, 0, per_unit=16),
                textbook.streamed("scan_apply", words, words, per_unit=16)]

    def lookups(self, queries, levels, weights, found, card):
        return [searches.lookups(queries, levels, weights, found, card)]

    def intervals(self, queries, levels, card):
        everywhere = [1] * len(levels)
        return [searches.lookups(queries, levels, everywhere, 0, card, searches=2, kernel="baseline_intervals")]

    def gather(self, queries, levels, length, words, card):
        """The candidates of all queries: a stretch of each level for each query, of as many words per entry.

        Short stretches lie anywhere, so each of their sectors is a random access.
        """
        candidates, stretches = queries * length, queries * len(levels)
        launch = textbook.streamed("expand", candidates * words, candidates * words)
        sectors = words * (candidates / searches.KEYS_OF_SECTOR + stretches)
        launch = dataclasses.replace(launch, load_sectors=sectors, load_l2=sectors,
                                     load_lines=max(launch.load_lines, words * stretches))
        if length >= SHORT:
            return [launch]
        missed = max(0, 1 - card.l2_bytes / (sum(levels) * textbook.WORD * words))
        return [dataclasses.replace(launch, load_compulsory=0, at_random=missed * sectors)]

    def unite(self, candidates, length, levels, words):
        """A segmented sort: tiles, and merges where a query's entries do not lie in one tile."""
        passes = 1 + (levels > 1 and length >= SEGMENTED_TILE / 2)
        return [textbook.merge(candidates, words)] * passes

    def validate(self, candidates, queries, words):
        checked = textbook.streamed("validate", candidates, queries, per_unit=16)
        compacted = [textbook.streamed("compact", candidates * words, candidates * words, per_unit=16)]
        return [checked] + (compacted if words == 2 else [])


def full_levels(batch, batches):
    return [batch << level for level in range(batches.bit_length()) if batches >> level & 1]


def insertion(primitives, batch, batches):
    """The launches that insert a batch beside so many: lines 8 to 21 of the paper's listing."""
    launches = list(primitives.sort(batch))
    level = 0
    while batches >> level & 1:
        launches += primitives.merge(batch << (level + 1)) + primitives.clear(batch << level)
        level += 1
    return launches + primitives.copy(batch << level)


def insertion_rate(primitives, batch, card, all_entries=INSERTED):
    """The harmonic mean over all numbers of batches: all entries by all of their time."""
    rounds = all_entries // batch
    seconds, frequency = 0, rounds
    for level in range(rounds.bit_length()):
        # Of all numbers below `rounds`, a power of two, these end in so many ones; one is all ones.
        often = frequency - frequency // 2 if frequency > 1 else frequency
        frequency -= often
        launches = insertion(primitives, batch, (1 << level) - 1)
        seconds += often * bounds.operation_seconds(bounds.once(launches), 0, card)
    return all_entries / seconds


def array_insertion_rate(primitives, batch, card, all_entries=INSERTED):
    """The sorted array: each batch is sorted, and merged with all that came before."""
    rounds = all_entries // batch
    sort = bounds.operation_seconds(bounds.once(primitives.sort(batch)), 0, card)
    last = bounds.operation_seconds(bounds.once(primitives.merge(all_entries)), 0, card)
    first = bounds.operation_seconds(bounds.once(primitives.merge(batch)), 0, card)
    return all_entries / (rounds * sort + (rounds - 1) * (first + last) / 2)


def samples(rounds, most=32):
    """Numbers of batches up to `rounds`: all, or evenly spread odd and even ones."""
    if rounds <= most:
        return list(range(1, rounds + 1))
    return [1 + (rounds - 1) * at // (most - 1) for at in range(most)]


def reaching(levels):
    """The share of existing keys that reach each level, newest first: those that no earlier one has."""
    total = sum(levels)
    return [sum(levels[at:]) / total for at in range(len(levels))]


def mean_rate(batch, seconds_of, all_entries=LOOKED_UP):
    """The harmonic mean of the rates with as many queries as entries, over numbers of batches."""
    rates = [count * batch / seconds_of(full_levels(batch, count), count * batch)
             for count in samples(all_entries // batch)]
    return len(rates) / sum(1 / rate for rate in rates)


def lookup_rate(primitives, batch, card, are_present, is_array=False):
    def seconds_of(levels, queries):
        levels = [sum(levels)] if is_array else levels
        weights = reaching(levels) if are_present else [1] * len(levels)
        launches = primitives.lookups(queries, levels, weights, 1 if are_present else 0, card)
        return bounds.operation_seconds(bounds.once(launches), 0, card)

    return mean_rate(batch, seconds_of)


def range_rate(primitives, batch, card, asked, length, is_array=False):
    words = 2 if asked == "range" else 1

    def seconds_of(levels, entries):
        levels = [sum(levels)] if is_array else levels
        # As many candidates as fit memory at once.
        queries = min(entries, 2**24 // length)
        candidates = queries * length
        launches = primitives.intervals(queries, levels, card) + primitives.scan(queries * len(levels))
        launches += primitives.gather(queries, levels, length, words, card)
        launches += primitives.unite(candidates, length, len(levels), words)
        launches += primitives.validate(candidates, queries, words)
        return bounds.operation_seconds(bounds.once(launches), 1, card) * entries / queries

    return mean_rate(batch, seconds_of)


def modelled(primitives, case, batches, card, is_array):
    """The rate of a case with so many batches, in M/s."""
    if case == "insert":
        rate = array_insertion_rate if is_array else insertion_rate
        return rate(primitives, INSERTED // batches, card) / 1e6
    asked, what = case.split(", ")
    if asked == "lookup":
        return lookup_rate(primitives, LOOKED_UP // batches, card, what == "all", is_array) / 1e6
    return range_rate(primitives, LOOKED_UP // batches, card, asked, int(what.removeprefix("L = ")), is_array) / 1e6


def tables(primitives, card):
    """The paper's rows with the modelled rates: (table, case, batches, is it the array, published, modelled)."""
    return [(number, case, batches, bool(at), rate, modelled(primitives, case, batches, card, bool(at)))
            for (number, case), rates in published().items() for batches, pair in rates.items()
            for at, rate in enumerate(pair)]
