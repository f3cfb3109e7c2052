"""Ingestion: how long batches take on cards, and how fast all cards together are if each batch needs all of them.

SIMULATED: levels, by their real arithmetic. MODELLED: the time of each step on a card.
"""
import random

from placement import Lengths


def filled(assumptions, b):
    """A shard that has all of its keys in one run, and is then overwritten at random."""
    levels = Lengths(b, keys=assumptions.shard_entries)
    levels.place(assumptions.shard_entries)
    return levels


def shard_times(assumptions, costs, part, batches, b=None):
    """The seconds of each batch of so many entries in one shard, and the levels at the end."""
    levels = filled(assumptions, b or part)
    return [costs.update(levels.insert(part)) for _ in range(batches)], levels


def card_rate(assumptions, costs, part, batches=2000):
    """The entries per second that a card takes in the mean, if each of its shards gets so many with a batch."""
    part = max(1, round(part))
    times, _ = shard_times(assumptions, costs, part, batches)
    return part * batches / (sum(times) + deep_merges(assumptions, costs, part, batches))


def deep_merges(assumptions, costs, part, batches):
    """The seconds that merges take, for as many batches, that are too deep to occur in so few of them.

    A level of k batches is merged once in k batches, and its time is in proportion to its length.
    """
    largest = part * batches
    seconds, size = 0.0, 2 * largest
    while size < assumptions.shard_entries:
        seconds += costs.settle((size // 2, size // 2), size) * largest / size
        size *= 2
    full = assumptions.shard_entries
    if largest < full:
        seconds += costs.settle((full, full), full) * largest / full
    return seconds


def at_phase(assumptions, part, batches):
    """A shard after so many batches of equal length: their number in binary says which levels have runs."""
    levels = filled(assumptions, part)
    for power in reversed(range(batches.bit_length())):
        if batches >> power & 1:
            levels.insert(round(levels.keys * (1 - (1 - part / levels.keys) ** (1 << power))))
    return levels


def cluster_times(assumptions, costs, part, batches, seed=24):
    """For each batch, the seconds that each card takes after a long time, when each is somewhere else in its cycle of merges.

    Keys are spread at random, so parts differ a little in length, and with b as long as the mean part cards drift apart. All
    shards of a card are taken to do the same.
    """
    chance, spread = random.Random(seed), part**0.5
    cycle = round(assumptions.shard_entries / part)
    cards = [at_phase(assumptions, part, chance.randrange(cycle)) for _ in range(assumptions.cards)]

    def seconds(levels):
        length = max(1, round(chance.gauss(part, spread)))
        return assumptions.shards_a_card * costs.update(levels.insert(length))

    return [[seconds(levels) for levels in cards] for _ in range(batches)]


def drift(assumptions, part, slack, shards, batches, seed=24):
    """How many different sets of levels have runs after so many batches, if all shards started with the same.

    `slack`: b, by the mean length of a part.
    """
    chance, b = random.Random(seed), round(part * slack)
    everyone = [filled(assumptions, b) for _ in range(shards)]
    for _ in range(batches):
        for levels in everyone:
            levels.insert(max(1, round(chance.gauss(part, part**0.5))))
    return len({tuple(run > 0 for run in levels.lens) for levels in everyone})


def total_seconds(times, window):
    """The seconds for all batches, if a card may start a batch as soon as all cards have done the one `window` before.

    With a window of 1 each batch waits for the slowest card of the batch before it.
    """
    done, ends = [0.0] * len(times[0]), []
    for at, seconds in enumerate(times):
        start = ends[at - window] if at >= window else 0.0
        done = [max(start, before) + now for before, now in zip(done, seconds)]
        ends.append(max(done))
    return ends[-1]
