"""Which shard has which keys."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from ..errors import OptionError, OtherTypesError
from ..stored_types import key_of, value_of
from ..types import KeyType, ValueType
from ..typing import Array
from .codes import Codes, codes, highest


@dataclass(frozen=True)
class Place:
    """Where a shard is to live: a device by its name, and the resources that Ray sets aside for it."""

    device: str = "auto"
    resources: dict[str, float] = field(default_factory=lambda: {"CPU": 1.0})


@dataclass(frozen=True)
class Shard:
    """A range of codes, both ends inclusive, that one actor has, from the batch after `base` on."""

    id: int
    lower: int
    upper: int
    base: int
    place: Place
    # Keeps the store of a shard that never joined apart from that of a later one with the same id.
    nonce: str

    @property
    def name(self) -> str:
        """The name of its store and of its actor, and by which logs and metrics call it."""
        return f"shard-{self.id}-{self.nonce}"


def is_shard_name(name: str) -> bool:
    """Whether this can be the name of a shard: others may call their things nearly so."""
    return re.fullmatch(r"shard-\d+-[0-9a-z]+", name) is not None


@dataclass(frozen=True)
class Catalog:
    """What the log knows of the dictionary: its types and shards, in the order of their keys."""

    key_name: str
    value_name: str
    shards: tuple[Shard, ...]
    next_id: int

    @property
    def key(self) -> KeyType:
        """The type of keys."""
        return key_of(self.key_name)

    @property
    def value(self) -> ValueType | None:
        """The type of values."""
        return value_of(self.value_name)

    def check_types(self, asked: "Catalog", url: str) -> None:
        """Refuses other types than these, which the dictionary at a URL has."""
        types, wanted = (self.key_name, self.value_name), (asked.key_name, asked.value_name)
        if types != wanted:
            raise OtherTypesError(f"the dictionary at {url} has the types {types}, not {wanted}")

    def with_shards(self, gone: Sequence[str], new: Sequence[Shard]) -> "Catalog":
        """The catalog after some shards were replaced."""
        kept = [shard for shard in self.shards if shard.name not in gone]
        shards = tuple(sorted([*kept, *new], key=lambda shard: shard.lower))
        check(shards, highest(self.key))
        return replace(self, shards=shards, next_id=max(self.next_id, *(shard.id + 1 for shard in shards)))

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Catalog":
        """From text."""
        fields = json.loads(text)
        shards = [Shard(**(shard | {"place": Place(**shard["place"])})) for shard in fields.pop("shards")]
        return Catalog(shards=tuple(shards), **fields)


def check(shards: Sequence[Shard], top: int) -> None:
    """Every code must be in one shard."""
    expected = 0
    for shard in shards:
        if shard.lower != expected or shard.upper < shard.lower:
            raise ValueError(f"{shard.name} starts at code {shard.lower}, not at {expected}")
        expected = shard.upper + 1
    if expected != top + 1:
        raise ValueError(f"the shards end at code {expected - 1}, not at {top}")


def ranges(boundaries: Codes, top: int) -> list[tuple[int, int]]:
    """The ranges of codes that boundaries make: each but the first begins a range."""
    starts = [0, *(int(boundary) for boundary in np.unique(boundaries) if boundary > 0)]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), top], strict=True))


def even_boundaries(key: KeyType, shards: int) -> Codes:
    """Boundaries that divide all codes evenly."""
    step = (highest(key) + 1) / shards
    return np.array([int(step * i) for i in range(1, shards)], np.uint64)


def sampled_boundaries(key: KeyType, words: Array, shards: int) -> Codes:
    """Boundaries that divide a sample of keys evenly."""
    if len(words) == 0 and shards > 1:
        raise OptionError("the sample has no keys; leave it out, or give boundaries")
    ordered = np.sort(codes(key, words))
    return ordered[[len(ordered) * i // shards for i in range(1, shards)]]


class Layout:
    """The shards of a moment, and who has a key."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self.shards = tuple(shards)
        self.lowers = np.array([shard.lower for shard in shards], np.uint64)
        self.uppers = np.array([shard.upper for shard in shards], np.uint64)

    def owners(self, codes: Codes) -> Array:
        """The place in `shards` of each code's shard."""
        return np.searchsorted(self.lowers[1:], codes, side="right")
