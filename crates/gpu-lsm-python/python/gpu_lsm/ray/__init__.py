"""Dictionaries over the machines of a Ray cluster.

    import ray, gpu_lsm.ray

    ray.init()
    events = gpu_lsm.ray.start("events", "s3://bucket/events", "uint64", "float32", shards=4, resources={"GPU": 1})
    events.insert([1, 2, 3], [0.1, 0.2, 0.3])
    events.lookup([2])

Shards are named actors in placement groups. They are started again from their stores, and every batch counts exactly
once, whatever is repeated, delayed or killed. `docs/ray.md` is the guide.
"""

from ..cluster.errors import (
    BatchTooLargeError,
    MomentGoneError,
    NotRunningError,
    ReshapeError,
    UnfinishedError,
    WaitingError,
)
from ..cluster.layout import Place, Shard
from .calls import Patience, Wait
from .config import Config
from .data import Lookup, insert_dataset, load_parquet, lookup_dataset
from .dictionary import Dictionary, Snapshot
from .reshape import add, merge, move, remove, split, tidy
from .start import connect, start, stop

__all__ = [
    "BatchTooLargeError",
    "Config",
    "Dictionary",
    "Lookup",
    "MomentGoneError",
    "NotRunningError",
    "Patience",
    "Place",
    "ReshapeError",
    "Shard",
    "Snapshot",
    "UnfinishedError",
    "Wait",
    "WaitingError",
    "add",
    "connect",
    "insert_dataset",
    "load_parquet",
    "lookup_dataset",
    "merge",
    "move",
    "remove",
    "split",
    "start",
    "stop",
    "tidy",
]
