"""Recovery of a card, of a machine and of a rack: start, load and replay. SIMULATED.

What is lost is started elsewhere, reads the manifest, loads its runs and replays the log from there.
"""
import dataclasses

from ingest import filled
from store import manifest_bytes, stored_bytes


@dataclasses.dataclass(frozen=True)
class Recovery:
    """Seconds of each step."""

    start: float
    manifest: float
    load: float
    log: float
    replay: float

    def total(self):
        return self.start + self.manifest + self.load + self.log + self.replay


def levels_in_use(assumptions, part, share=0.5):
    """The levels of a shard after this share of a cycle of merges."""
    levels = filled(assumptions, part)
    for _ in range(round(share * assumptions.shard_entries / part)):
        levels.insert(part)
    return levels


def recovery(assumptions, costs, levels, part, log_bytes, cards, machines, start, whole_log=False, cells=1):
    """The recovery of so many cards on so many machines that replace theirs, at the end of an interval of the log.

    `levels`: those of a shard. `log_bytes`: the log between checkpoints, of all cards. `whole_log`: records are not divided
    by shards, so each machine reads all of them. `cells`: stores that the shards are divided over.
    """
    stored = assumptions.shards_a_card * sum(run * stored_bytes(assumptions, run) for run in levels.runs())
    network = assumptions.store_rate * machines
    load = max(cards * stored / network, stored / assumptions.decode_rate)
    manifest = manifest_bytes(assumptions, levels, assumptions.shards // cells)
    index = assumptions.shards_a_card * sum(costs.step("index", run) for run in levels.runs())
    own = log_bytes / assumptions.cards
    log = log_bytes / cells / assumptions.store_rate if whole_log else cards * own / network
    batches = own / (part * assumptions.shards_a_card * assumptions.entry_bytes)
    return Recovery(start, manifest / assumptions.json_rate, load + index, log, batches * batch_seconds(assumptions, costs, part))


def batch_seconds(assumptions, costs, part, batches=1024):
    """The mean seconds of a batch on a card, without the deepest merges."""
    levels = filled(assumptions, part)
    return assumptions.shards_a_card * sum(costs.update(levels.insert(part)) for _ in range(batches)) / batches


def lost_seconds_a_day(assumptions, seconds):
    """The seconds of a day in which some card is being recovered."""
    return assumptions.failures * assumptions.cards * seconds
