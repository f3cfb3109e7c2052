"""The store: bytes of the log and of checkpoints, files, manifests, and the creates that they take. SIMULATED.

A checkpoint writes the runs that the store lacks. So what it costs follows from the levels: a run that was made and merged
again between two checkpoints is never written.
"""
import dataclasses
import json
import math

from ingest import filled

MONTH = 30 * 86_400
#: What Parquet's delta coding adds to the bits of a mean gap: blocks of 32 keys are as wide as their largest gap needs.
WIDER = 2
#: The size from which on a batch is written as parts.
PART_BYTES = 32 << 20
FILE_ID = "0123456789abcdef-0123456789abcdef"


def stored_bytes(assumptions, run):
    """The bytes of an entry in a file of a run of so many entries, with 64-bit keys at random in the shard's range."""
    gap = 2**(8 * assumptions.key_bytes) / assumptions.shards / run
    bits = max(1, math.log2(gap)) + WIDER
    return min(bits / 8, assumptions.key_bytes) + assumptions.key_bytes + 1 / 8


@dataclasses.dataclass(frozen=True)
class Checkpoints:
    """What checkpoints of one shard cost: for each inserted entry, and for each checkpoint."""

    entries: float
    bytes: float
    files: float


def checkpoints(assumptions, part, intervals):
    """For each number of batches between checkpoints, what they cost a shard over a whole cycle of merges."""
    levels, batches = filled(assumptions, part), 2 * round(assumptions.shard_entries / part)
    made = {len(levels.lens) - 1: 0}
    entries, volume, files, times = ({every: 0 for every in intervals} for _ in range(4))
    for at in range(1, batches + 1):
        step = levels.insert(part)
        made = {level: when for level, when in made.items() if levels.lens[level]}
        made[step.level if not step.cleaned else len(levels.lens) - 1] = at
        for every in intervals:
            if at % every == 0:
                times[every] += 1
                for level, when in made.items():
                    if when > at - every:
                        run = levels.lens[level]
                        entries[every] += run
                        volume[every] += run * stored_bytes(assumptions, run)
                        files[every] += math.ceil(run / assumptions.file_entries)
    inserted = part * batches
    return {every: Checkpoints(entries[every] / inserted, volume[every] / inserted, files[every] / max(1, times[every]))
            for every in intervals}


def file_entry(assumptions, run):
    """What a manifest says of a file, with numbers as long as those of a store in use."""
    entries = min(run, assumptions.file_entries)
    return {"id": FILE_ID, "entries": round(entries),
            "bytes": round(entries * stored_bytes(assumptions, run)), "crc32c": "01234567"}


def run_entry(assumptions, level, run):
    files = math.ceil(run / assumptions.file_entries)
    return {"level": level, "entries": run, "tombstones": 0, "first": 2**63, "last": 2**63,
            "files": [file_entry(assumptions, run)] * files}


def encoded(manifest):
    """A manifest as its object is written, but for the checksum's digits."""
    return '{"crc32c":"01234567","manifest":' + json.dumps(manifest, separators=(",", ":")) + "}\n"


def shard_entry(assumptions, levels):
    """What a manifest says of a shard with these levels."""
    return {"from": 2**63, "runs": [run_entry(assumptions, level, run) for level, run in enumerate(levels.lens) if run]}


def manifest(assumptions, levels, shards):
    """A manifest of so many shards with these levels, with numbers as long as those of a store in use."""
    return {
        "format": 1, "number": 10**6, "nonce": {"writer": 2**63, "attempt": 10**6}, "epoch": 100, "kind": "version",
        "key": "u64", "value": "u64", "batch_size": 2**13,
        "log": {"position": 10**8, "epoch": 100, "fences": [], "last_part": FILE_ID},
        "versions": [10**6], "boundary": {"manifest": 10**6, "log": 10**8}, "callers": {},
        "shards": [shard_entry(assumptions, levels)] * shards}


def manifest_bytes(assumptions, levels, shards):
    """The bytes of such a manifest, without writing all of its shards."""
    one, two = (len(encoded(manifest(assumptions, levels, few))) for few in (1, 2))
    return one + (shards - 1) * (two - one)


def creates_per_second(assumptions, rate, batch, log_bytes, files):
    """The creates for a rate of entries in batches: records, parts of them, files of runs, manifests.

    `log_bytes`: the log between checkpoints. `files`: those of a shard that a checkpoint writes.
    """
    records = rate / batch
    parts = rate * assumptions.entry_bytes / PART_BYTES if batch * assumptions.entry_bytes > PART_BYTES else 0
    made = rate * assumptions.entry_bytes / log_bytes
    return {"records": records, "parts": parts, "files": made * files * assumptions.shards, "manifests": made}


def monthly_price(assumptions, creates, stored):
    """Dollars a month for so many creates per second and so many stored bytes."""
    return creates * MONTH * assumptions.put_price, stored * assumptions.byte_price
