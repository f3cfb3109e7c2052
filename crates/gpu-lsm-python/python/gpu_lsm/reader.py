"""Stores that are only read."""

from dataclasses import dataclass
from typing import Any

from . import _gpu_lsm
from .closing import Closing
from .dictionary import Dictionary
from .queries import Queries
from .reports import Version
from .stored_types import key_name
from .types import KeyType, ValueType
from .typing import Array


@dataclass(frozen=True)
class Opened:
    """How a store was opened. It has no settings, which may be secret, because it is pickled."""

    url: str
    key: KeyType
    value: ValueType | None
    value_name: str
    places: list[str]
    shards: int | None
    boundaries: Array | None
    byte_budget: int | None
    version: int | None

    @property
    def types(self) -> tuple[str, int, str, str]:
        """Kind of keys, words of values, and the names of both types."""
        words = 0 if self.value is None else self.value.words
        return self.key.kind, words, key_name(self.key), self.value_name

    @property
    def home(self) -> tuple[list[str], int | None, Array | None]:
        """The devices, and how the dictionary is divided among them."""
        return self.places, self.shards, self.boundaries


class Reader(Queries, Closing[_gpu_lsm.Dictionary]):
    """The state of a store at the moment when it was opened, in memory. `gpu_lsm.open(url)` makes one.

    >>> import gpu_lsm
    >>> _ = gpu_lsm.Store("memory:///squares").save(Dictionary.build([1, 2, 3], [1, 4, 9]))
    >>> squares = gpu_lsm.open("memory:///squares")
    >>> int(squares[3]), squares.key_type
    (9, 'int64')

    It has all queries and no updates; `fork` makes a dictionary of it. A writer does not disturb it, and is not
    disturbed. It pickles by its URL: whoever unpickles it reads the store again, with the credentials there.
    """

    _closed = "the store was closed; open it again"

    def __init__(self, opened: Opened, store: _gpu_lsm.Store) -> None:
        self._key, self._value = opened.key, opened.value
        self._opened, self._store = opened, store
        self._load()

    @property
    def url(self) -> str:
        """Where the store is, without what may be secret."""
        return self._store.url()

    @property
    def version(self) -> int | None:
        """The version that was asked for; `None` for the newest state."""
        return self._opened.version

    def versions(self) -> list[Version]:
        """The versions that are kept, oldest first. `open(url, version=number)` reads one."""
        return [Version(*version) for version in self._store.versions()]

    def refresh(self) -> None:
        """Reads the store again, for what was written since. A version stays what it is."""
        self._open()
        self._load()

    def fork(self) -> Dictionary:
        """A dictionary in memory that starts with this state. Copies nothing, and does not change the store."""
        return Dictionary._of(self._key, self._value, self._open().fork())

    def __reduce__(self) -> tuple[Any, ...]:
        return reopen, (self._opened,)

    def _load(self) -> None:
        opened = self._opened
        self._core = self._store.load(opened.types, opened.home, opened.byte_budget, opened.version)

    def _now(self) -> _gpu_lsm.Snapshot:
        return self._open().snapshot()


def reopen(opened: Opened) -> Reader:
    """Reads a store that was opened in another process."""
    return Reader(opened, _gpu_lsm.Store(opened.url, []))
