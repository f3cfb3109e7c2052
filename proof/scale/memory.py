"""What fits: the entries that one card, one machine and one host hold, and the memory of a card of the cluster.

COMPUTED as `Dictionary::bytes_for` does it, which tests compare with what is really used.
"""
from ingest import filled
from placement import bytes_of, footprint

#: The part of a device's memory that a dictionary may have.
USABLE = 0.9


def capacity(memory, key, value, batch=2**24):
    """The most entries with distinct keys, of three digits, that fit so many bytes at the peak."""
    def fits(entries):
        return footprint(entries, batch, batch, key, value)[1] <= USABLE * memory

    step = 10 ** (len(str(round(memory / (key + value)))) - 3)
    low, high = 0, round(memory / (key + value)) // step
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle * step) else (low, middle - 1)
    return low * step


def card_peak(assumptions, part):
    """The most bytes of a card of the cluster in a cycle of overwriting, if all its shards merge with the same batch.

    The new runs of all shards exist beside the old ones; what a merge needs besides, only one shard has at a time.
    """
    key = value = assumptions.key_bytes
    levels, peak = filled(assumptions, part), 0
    for _ in range(2 * round(assumptions.shard_entries / part)):
        before = bytes_of(levels.lens, key, value)
        step = levels.insert(part)
        made = max(step.run, step.cleaned_run)
        both = before + bytes_of([made], key, value)
        merged = step.cleaned or step.merged
        scratch = (2 * sum(merged) + 2 * part) * (key + value)
        peak = max(peak, assumptions.shards_a_card * both + scratch)
    return peak
