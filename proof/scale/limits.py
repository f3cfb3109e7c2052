"""What breaks first: for each part of the whole, the entries per second at which it ends. SIMULATED and MODELLED."""
import dataclasses
from collections.abc import Callable

from ingest import card_rate

CARDS = "the cards"


@dataclasses.dataclass(frozen=True)
class Limit:
    """A limit, its rate by the entries of a batch, and what one would do about it.

    At a hard one, ingestion waits. At others only checkpoints fall behind: each begins when the one before it is done, so
    more of the log must be replayed.
    """

    name: str
    is_hard: bool
    rate: Callable
    remedy: str


def limits(assumptions, costs, checkpoint):
    """The limits of one store with one log and one caller. `checkpoint`: what checkpoints of a shard cost, with 256 MiB of
    log for each card: see `store.Checkpoints`."""
    a = assumptions
    # With little log for all, a checkpoint writes one file of each shard.
    files_rate = a.puts_per_second / a.shards
    return [
        Limit("a checkpoint for each 256 MiB of log (default)", False,
              lambda batch: max(batch, a.checkpoint_bytes / a.entry_bytes) * files_rate,
              "set 256 MiB for each card, not for all"),
        Limit("one caller of an actor for each card (Ray)", True, lambda batch: batch * a.calls_per_second / a.cards,
              "callers on many machines; larger batches; an actor for each machine"),
        Limit("64 MiB in flight (default)", True,
              lambda batch: max(batch * a.entry_bytes, a.in_flight_bytes) / a.put_seconds / a.entry_bytes,
              "set as many bytes as 32 batches have"),
        Limit("one machine writes the log", True, lambda batch: a.store_rate / a.entry_bytes,
              "the machines that have the parts write them; the record names them"),
        Limit("one log, 32 records in flight", True,
              lambda batch: batch * min(a.in_flight / a.put_seconds, a.puts_per_second),
              "larger batches; a store nearby (6.5 ms); cells"),
        Limit("files of runs below one prefix", False,
              lambda batch: a.puts_per_second * a.cards * a.checkpoint_bytes / a.entry_bytes / (checkpoint.files * a.shards),
              "fewer checkpoints; one file for small runs of many shards; a prefix for each cell"),
        Limit("writing Parquet", False, lambda batch: a.cards * a.encode_rate / (a.entry_bytes * checkpoint.entries),
              "more cores for each card: files are independent"),
        Limit("log and runs on the way to the store", False,
              lambda batch: a.machines * a.store_rate / (a.entry_bytes + checkpoint.bytes),
              "fewer checkpoints; more machines"),
        Limit("the log on the way to the store", True, lambda batch: a.machines * a.store_rate / a.entry_bytes, "more machines"),
        Limit(CARDS, True, lambda batch: a.cards * card_rate(a, costs, batch / a.shards),
              "larger batches; fewer shards for each card; more cards"),
    ]
