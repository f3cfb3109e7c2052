"""Ray Data in and out, in bounded memory."""

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import Any

import ray

from ..errors import OptionError
from ..options import check_if_given, check_whole
from ..store import absolute
from ..typing import Array
from .calls import Patience, abandon
from .dictionary import Dictionary
from .start import connect

BATCH_ROWS = 1 << 18
# Reading a piece of a file is not interrupted, so ending a task may take a moment.
END_SECONDS = 60.0
_NO_TABLES = "the folder has no Parquet files"


def insert_dataset(
    dictionary: Dictionary,
    dataset: Any,
    *,
    key: str,
    value: str | None = None,
    job: str | None = None,
    batch_size: int = BATCH_ROWS,
) -> int:
    """Inserts two columns of a dataset of Ray Data, in its order, and returns the number of rows.

    Rows stream by: the cluster makes the dataset's next blocks while one batch is written. A `job` that is given the
    same dataset again after a crash goes on where it was; its batches are numbered, and each counts once. With another
    `batch_size` or other columns it begins again. If a shard stays away for longer than `Patience`, it raises
    `WaitingError`.
    """
    check_whole(1, batch_size=batch_size)
    writer = dictionary.as_caller(_caller(job, key, value, batch_size)) if job is not None else dictionary
    done, rows = writer.last_number() if job is not None else 0, 0
    if job is not None:
        dataset.context.execution_options.preserve_order = True
    batches = dataset.iter_batches(batch_size=batch_size, batch_format="numpy", prefetch_batches=1)
    for number, batch in enumerate(batches, start=1):
        rows += len(batch[key])
        if number > done:
            writer.insert(batch[key], None if value is None else batch[value])
    return rows


def lookup_dataset(
    dictionary: Dictionary,
    dataset: Any,
    *,
    key: str,
    value: str = "value",
    found: str = "found",
    batch_size: int = BATCH_ROWS,
    concurrency: int | None = None,
) -> Any:
    """The dataset with two more columns: the value of each row's key, and whether it was found.

    Batches are looked up as they stream by, each as of one moment.
    """
    check_whole(1, batch_size=batch_size)
    check_if_given(1, concurrency=concurrency)
    return dataset.map_batches(
        Lookup,
        fn_constructor_args=(dictionary.name, key, value, found, dictionary.patience),
        batch_size=batch_size,
        batch_format="numpy",
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=concurrency or len(dictionary.shards())),
        num_cpus=0.5,
    )


class Lookup:
    """Joins batches with a dictionary. It is what `lookup_dataset` gives to `map_batches`."""

    def __init__(self, name: str, key: str, value: str, found: str, patience: Patience | None = None) -> None:
        self._dictionary = connect(name, patience=patience)
        self._key, self._value, self._found = key, value, found

    def __call__(self, batch: Mapping[str, Array]) -> dict[str, Array]:
        """The batch with values, and whether they were found."""
        values, found = self._dictionary.lookup(batch[self._key])
        more = {} if values is None else {self._value: values}
        return {**batch, **more, self._found: found}


def load_parquet(
    dictionary: Dictionary,
    folder: str | PathLike[str],
    *,
    key: str,
    value: str | None = None,
    job: str | None = None,
    concurrency: int | None = None,
    batch_size: int = BATCH_ROWS,
) -> int:
    """Inserts two columns of all Parquet files of a folder, and returns the number of rows.

    A relative path begins in the folder of this program. All machines must share the place that a path names.

    Files are read in parallel, on whatever machines have room, `concurrency` at a time (two for each shard unless said
    otherwise), each in pieces. Within a file the last row of a key wins; which file comes last is open. A `job` that is
    given the same folder again after a crash goes on where it was, file by file. With another `batch_size` or other
    columns it begins again. If a shard stays away for longer than `Patience`, it raises `WaitingError`. Before it
    raises anything, it ends the loading of other files.
    """
    check_whole(1, batch_size=batch_size)
    check_if_given(1, concurrency=concurrency)
    folder = absolute(folder)
    files = _parquet_files(folder)
    # Without a job nothing is skipped, whatever was loaded before.
    job = job or f"load {uuid.uuid4().hex}"
    loads = (
        _load_file.remote(dictionary.name, dictionary.patience, folder, path, key, value, job, batch_size)
        for path in files
    )
    return _total(loads, concurrency or 2 * len(dictionary.shards()))


def _total(tasks: Iterator[Any], most: int) -> int:
    """The sum of what tasks return, so many of which run at a time. They begin as they are taken."""
    running: list[Any] = []
    total = 0
    try:
        running += islice(tasks, most)
        while running:
            done, running = ray.wait(running)
            total += sum(ray.get(done))
            running += islice(tasks, len(done))
    except BaseException:
        _end(running)
        raise
    return total


def _end(tasks: Sequence[Any]) -> None:
    """Ends tasks, and waits for that: a job that began again beside them would number its batches as they do."""
    abandon(tasks)
    for task in tasks:
        ray.cancel(task)
    if tasks:
        ray.wait(tasks, num_returns=len(tasks), timeout=END_SECONDS)


@ray.remote(num_cpus=0.5, max_retries=-1)
def _load_file(
    name: str, patience: Patience, folder: str, path: str, key: str, value: str | None, job: str, batch_size: int
) -> int:
    """Inserts a file. It may be repeated: batches that were written are skipped."""
    work = f"{job}/{_hidden(folder)}/{path}"
    dictionary = connect(name, caller=_caller(work, key, value, batch_size), patience=patience)
    done, rows = dictionary.last_number(), 0
    for number, (keys, values) in enumerate(_pieces(folder, path, key, value, batch_size), start=1):
        rows += len(keys)
        if number > done:
            dictionary.insert(keys, values)
    return rows


def _caller(work: str, key: str, value: str | None, batch_size: int) -> str:
    """The name of a caller whose batches may be skipped. It has what makes them other batches: their columns, and their
    size, because numbers count batches, not rows."""
    return f"{work} of {(key, value)} by {batch_size}"


def _hidden(folder: str) -> str:
    """What tells a folder from others and may be read by everybody: its URL may have credentials."""
    return hashlib.blake2b(folder.rstrip("/").encode(), digest_size=8).hexdigest()


def _pieces(folder: str, path: str, key: str, value: str | None, batch_size: int) -> Iterator[tuple[Any, Any]]:
    from pyarrow.parquet import ParquetFile

    filesystem, root = _filesystem(folder)
    columns = [key] if value is None else [key, value]
    with filesystem.open_input_file(f"{root}/{path}") as file:
        for batch in ParquetFile(file).iter_batches(batch_size, columns=columns):
            yield batch.column(key), None if value is None else batch.column(value)


def _parquet_files(folder: str) -> list[str]:
    """The names of the files below a folder, which is a path or a URL that pyarrow knows."""
    from pyarrow.fs import FileSelector

    filesystem, root = _filesystem(folder)
    found = filesystem.get_file_info(FileSelector(root, recursive=True, allow_not_found=True))
    names = [info.path[len(root) :].lstrip("/") for info in found if info.path.endswith(".parquet")]
    if not names:
        # Not its URL, which may have credentials.
        raise OptionError(f"{_NO_TABLES}: {root}")
    return sorted(names)


def _filesystem(folder: str) -> tuple[Any, str]:
    # Imported here, because the actors that import this package would come back later for it.
    from pyarrow.fs import FileSystem

    filesystem, root = FileSystem.from_uri(folder)
    return filesystem, root
