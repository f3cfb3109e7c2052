"""What stores report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Version:
    """A state of the dictionary in a store. Versions share files."""

    version: int
    entries: int
    bytes: int


@dataclass(frozen=True)
class Collected:
    """What was deleted: objects of each kind, and their bytes."""

    manifests: int
    records: int
    runs: int
    parts: int
    bytes: int


@dataclass(frozen=True)
class Verified:
    """What was found whole."""

    versions: int
    files: int
    records: int
    parts: int
    bytes: int


@dataclass(frozen=True)
class StoreInfo:
    """What a store has. `log` and `objects` are a number and bytes: what opening it replays, and everything."""

    url: str
    format: int
    key: str
    value: str
    batch_size: int
    epoch: int
    shards: int
    runs: int
    versions: tuple[Version, ...]
    log: tuple[int, int]
    objects: tuple[int, int]
