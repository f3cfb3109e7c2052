"""Binary searches of random queries, without counting them: what each step touches is known."""
import dataclasses

from bounds import SECTOR
from textbook import WAVE, WORD, streamed

KEYS_OF_SECTOR = SECTOR // WORD


def distinct(places, picks):
    """How many distinct ones of so many places random picks meet, on average."""
    return places * (1 - (1 - 1 / places) ** picks)


def steps(keys):
    """For each step of a binary search, the sectors in which it may read."""
    nodes = [2**step for step in range(int(keys).bit_length())]
    return [min(count, max(1, keys / KEYS_OF_SECTOR)) for count in nodes]


def missing(levels, l2_bytes):
    """The share of reads that miss L2, for each step of each level; L2 keeps what is read most, the first steps."""
    room = l2_bytes / SECTOR
    shares = {}
    for places, level, step in sorted((places, level, step) for level, keys in enumerate(levels)
                                      for step, places in enumerate(steps(keys))):
        if step > 0 and places == shares.get((level, "last")):
            shares[level, step] = 0  # The step before has loaded this sector.
            continue
        shares[level, step] = max(0, 1 - room / places)
        room = max(0, room - places)
        shares[level, "last"] = places if places >= max(1, levels[level] / KEYS_OF_SECTOR) else None
    return {place: share for place, share in shares.items() if place[1] != "last"}


def lookups(queries, levels, weights, values, card, searches=1, kernel="baseline_probe"):
    """A launch that searches levels of so many keys, one after the other.

    `weights`: the share of queries that reach each level. `values`: the share that then reads a value. `searches`: of
    each query in each level.
    """
    launch = streamed(kernel, queries, 2 * queries, per_unit=2)
    missed = missing(levels, card.l2_bytes)
    waves = queries / WAVE
    loads = sectors = at_l2 = at_random = touched = 0
    for level, keys in enumerate(levels):
        weight = weights[level] * searches
        before = 0
        for step, places in enumerate(steps(keys)):
            read = distinct(places, WAVE * weights[level]) * searches
            loads += waves * searches
            sectors += waves * read
            at_l2 += waves * read if places != before else 0
            at_random += queries * weight * missed[level, step]
            before = places
        touched += distinct(max(1, keys / KEYS_OF_SECTOR), queries * weight)
    extra = queries * values
    compulsory = touched + distinct(max(1, sum(levels) / KEYS_OF_SECTOR), max(extra, 1)) * (values > 0)
    at_random += extra * max(0, 1 - card.l2_bytes / (sum(levels) * 2 * WORD))
    return dataclasses.replace(
        launch, loads=launch.loads + loads, load_sectors=launch.load_sectors + sectors + extra,
        load_lines=launch.load_lines + sectors + extra, load_l2=launch.load_l2 + at_l2 + extra,
        load_compulsory=launch.load_compulsory + max(0, compulsory - at_random), at_random=at_random)
