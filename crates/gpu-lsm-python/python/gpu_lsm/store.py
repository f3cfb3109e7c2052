"""Stores: dictionaries on local files or in an object store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from . import _gpu_lsm
from .columns import column
from .devices import names_of
from .durable import Durable
from .errors import DtypeError, OptionError
from .options import MOST_SECONDS, check_if_given, check_seconds, check_whole
from .queries import Queries
from .reader import Opened, Reader
from .reports import Collected, StoreInfo, Verified, Version
from .stored_types import key_of, stored_names, value_name, value_of
from .types import KeyLike, KeyType, ValueLike, ValueType, key_type, value_type
from .typing import Column


@dataclass(frozen=True)
class WriteOptions:
    """How a store is written.

    `versions` are kept, at least one, and all that are younger than `version_seconds`. A checkpoint happens after
    `checkpoint_bytes` of log, which bounds what must be replayed. Batches that wait share a record of up to
    `group_bytes`; a batch waits for others for `group_seconds`. Up to `in_flight_records` (at most 32) and
    `in_flight_bytes` are in flight. Larger batches than `part_bytes` are written as parts, in parallel.
    """

    versions: int = 1
    version_seconds: float = 0.0
    checkpoint_bytes: int = 256 << 20
    group_bytes: int = 8 << 20
    group_seconds: float = 0.0
    in_flight_records: int = 8
    in_flight_bytes: int = 64 << 20
    part_bytes: int = 32 << 20

    def __post_init__(self) -> None:
        check_seconds(MOST_SECONDS, version_seconds=self.version_seconds, group_seconds=self.group_seconds)
        check_whole(
            versions=self.versions,
            checkpoint_bytes=self.checkpoint_bytes,
            group_bytes=self.group_bytes,
            in_flight_records=self.in_flight_records,
            in_flight_bytes=self.in_flight_bytes,
            part_bytes=self.part_bytes,
        )


class OpenOptions(TypedDict, total=False):
    """What `open` takes beside the URL and the mode."""

    key: KeyLike | None
    value: ValueLike
    value_name: str | None
    device: str
    devices: Sequence[str] | None
    shards: int | None
    boundaries: Column | None
    version: int | None
    batch_size: int | None
    byte_budget: int | None
    options: WriteOptions | None


class Store:
    """A place for one dictionary: local files, memory, or an object store.

    | URL | place |
    |---|---|
    | `file:///folder`, or a path | local files, synced to the disk |
    | `memory:///name` | the memory of this process |
    | `s3://bucket/path` | S3 and what speaks its protocol |
    | `az://container/path` | Azure |
    | `gs://bucket/path` | Google; not tested |

    Credentials come from the environment, or from `settings` with the same names: `{"AWS_ENDPOINT": …}`. Nothing is
    read or written yet. A store pickles by its URL, without settings.

    >>> import gpu_lsm
    >>> store = Store("memory:///primes")
    >>> d = gpu_lsm.Dictionary.build([2, 3, 5])
    >>> version = store.save(d)
    >>> d.insert([7])
    >>> _ = store.save(d)  # writes only what is new
    >>> len(store.open()), len(store.open(version=version))
    (4, 3)
    """

    def __init__(self, url: str | PathLike[str], *, settings: Mapping[str, str] | None = None) -> None:
        self._url = absolute(url)
        self._store = _gpu_lsm.Store(self._url, list((settings or {}).items()))

    @property
    def url(self) -> str:
        """Where the store is, without what may be secret."""
        return self._store.url()

    def exists(self) -> bool:
        """Whether there is a store."""
        return self._store.types() is not None

    @overload
    def open(self, mode: Literal["r"] = "r", **options: Unpack[OpenOptions]) -> Reader: ...

    @overload
    def open(self, mode: Literal["a"], **options: Unpack[OpenOptions]) -> Durable: ...

    def open(
        self,
        mode: Literal["r", "a"] = "r",
        *,
        key: KeyLike | None = None,
        value: ValueLike = None,
        value_name: str | None = None,
        device: str = "auto",
        devices: Sequence[str] | None = None,
        shards: int | None = None,
        boundaries: Column | None = None,
        version: int | None = None,
        batch_size: int | None = None,
        byte_budget: int | None = None,
        options: WriteOptions | None = None,
    ) -> Reader | Durable:
        """Opens the store, as `gpu_lsm.open` does."""
        if mode not in ("r", "a"):
            raise OptionError(f"no mode is {mode!r}; take 'r' to read and 'a' to write")
        if mode == "r" and (options is not None or batch_size is not None):
            raise OptionError("options and batch_size are for writing; open the store with mode='a'")
        if mode == "a" and version is not None:
            raise OptionError("a version can only be read; open it with mode='r'")
        check_if_given(1, shards=shards, batch_size=batch_size)
        check_if_given(byte_budget=byte_budget, version=version)
        kept = self._store.types()
        if key is None and kept is None and mode == "a":
            raise DtypeError("there is no store yet; say the types of its keys and values by key= and value=")
        keys, values, name = _types(kept, key, value, value_name)
        places = names_of(device, devices)
        bounds = None if boundaries is None else keys.to_words(column(boundaries, keys, "boundaries"))
        opened = Opened(self._url, keys, values, name, places, shards, bounds, byte_budget, version)
        if mode == "r":
            return Reader(opened, self._store)
        config, chosen = (batch_size, byte_budget), astuple(options or WriteOptions())
        return Durable(opened, self._store.write(opened.types, opened.home, config, chosen), self._store)

    def save(self, state: Queries, *, versions: int | None = None) -> int:
        """Saves a dictionary or a snapshot as the newest version, or makes a store of it; returns the version's number.

        Runs that the store has are not written again, if this object saved or loaded them. Takes the store over: who
        writes to it gets `FencedError`. With `versions`, only so many are kept.
        """
        check_if_given(versions=versions)
        return self._store.save(stored_names(state._key, state._value), state._now(), versions)

    def versions(self) -> list[Version]:
        """The versions that are kept, oldest first. `open(version=number)` reads one."""
        return [Version(*version) for version in self._store.versions()]

    def info(self) -> StoreInfo:
        """What the store has. It is only read."""
        info = self._store.info()
        return StoreInfo(*info[:8], tuple(Version(*version) for version in info[8]), *info[9:])

    def verify(self, progress: Callable[[int, int], object] | None = None) -> Verified:
        """Reads every object that a version or the newest state is made of, and compares it with its checksum.

        Raises `DamagedError` with the name of the first that is damaged or missing. `progress` is called with the bytes
        so far, and of how many.
        """
        return Verified(*self._store.verify(progress))

    def collect(self, versions: int | None = None) -> Collected:
        """Takes the store over and deletes everything that no version needs; with `versions`, keeps only the last."""
        check_if_given(versions=versions)
        return Collected(*self._store.collect(versions))

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self._url,)

    def __repr__(self) -> str:
        # A debugger also shows a store whose constructor has failed.
        place = self.url if hasattr(self, "_store") else "without a place"
        return f"<gpu_lsm.Store {place}>"


def absolute(url: str | PathLike[str]) -> str:
    """A URL, or a path from the root on: another process that is given it may be in another folder."""
    place = fspath(url)
    return place if "://" in place or place.startswith("file:/") else str(Path(place).absolute())


@overload
def open(
    url: str | PathLike[str],
    *,
    mode: Literal["r"] = "r",
    settings: Mapping[str, str] | None = None,
    **options: Unpack[OpenOptions],
) -> Reader: ...


@overload
def open(
    url: str | PathLike[str],
    *,
    mode: Literal["a"],
    settings: Mapping[str, str] | None = None,
    **options: Unpack[OpenOptions],
) -> Durable: ...


def open(
    url: str | PathLike[str],
    *,
    mode: Literal["r", "a"] = "r",
    settings: Mapping[str, str] | None = None,
    **options: Unpack[OpenOptions],
) -> Reader | Durable:
    """Opens the dictionary of a store: to read it, or write it with `mode="a"`, which also makes one.

    >>> import gpu_lsm
    >>> with gpu_lsm.open("memory:///prices", mode="a", key="datetime64[s]", value="float64") as prices:
    ...     prices.insert(["2026-01-05", "2026-01-06"], [1.5, 1.75])
    >>> float(gpu_lsm.open("memory:///prices").lookup(["2026-01-06"])[0][0])
    1.75

    - `key` and `value` are types as for `Dictionary`. If there is a store, it has them: give both or neither.
      `value_name` is the name in the store of a type that the program which wrote it has declared.
    - `device`, `devices`, `shards` and `byte_budget` are as for `Dictionary`. With `boundaries` a shard begins at each
      of these keys. A store in shards is opened in shards, on whatever devices.
    - `version` opens an earlier state, to be read only; `versions()` lists them.
    - `batch_size` is for a new store. `options` are `WriteOptions`.
    - `settings` are credentials and such, by the names of the environment's variables; see `Store`.

    Whoever opens a store for writing takes it over from its writer. Readers disturb nobody.
    """
    return Store(url, settings=settings).open(mode, **options)


def _types(
    kept: tuple[str, str] | None, key: KeyLike | None, value: ValueLike, name: str | None
) -> tuple[KeyType, ValueType | None, str]:
    """The types of keys and values, and the name of the latter: those that were asked for, or those of the store."""
    if key is None and value is not None and name is None:
        raise DtypeError("value= needs key=; give both types or neither")
    if key is None and kept is not None:
        keys = key_of(kept[0])
        values = value_type(value) if name is not None else value_of(kept[1])
        return keys, values, kept[1] if name is None else name
    if key is None:
        # The error that says that there is no store comes from opening it.
        key = "uint64"
    values = value_type(value)
    return key_type(key), values, name or value_name(values)
