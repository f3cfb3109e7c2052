"""Mixed batches on a cluster of three nodes while actors and nodes are killed and shards are split, moved and merged.

    python chaos.py --seconds 1200                       what docs/ray.md reports
    python chaos.py --seconds 30 --reads 11 --short      what CI runs

Every read, and the end, is compared with a model of the acknowledged batches. Prints figures as JSON.
"""

import argparse
import json
import random
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import gpu_lsm.ray
import numpy as np
import ray
from chaos_model import Batch, Model
from chaos_watch import Watch
from gpu_lsm.ray.names import log_actor, shard_actor
from places import add_node, seaweedfs, three_nodes
from ray.cluster_utils import Cluster

KEYS = 1 << 16
BATCH = 1 << 10
WRITERS = 3
MOST_SHARDS = 6
LOOK_SECONDS = 15.0


class Chaos:
    """A run."""

    def __init__(self, cluster: Cluster, url: str, settings: dict[str, str]) -> None:
        self.cluster, self.model = cluster, Model(KEYS, WRITERS)
        self.patience = gpu_lsm.ray.Patience(seconds=180, on_wait=lambda wait: None)
        self.dictionary = gpu_lsm.ray.start(
            "chaos",
            f"{url}/chaos",
            "uint64",
            "uint64",
            sample=np.arange(KEYS),
            shards=3,
            device="host",
            resources={"GPU": 1},
            settings=settings,
            patience=self.patience,
        )
        self.ended = threading.Event()
        self.failure: BaseException | None = None
        self.away: dict[str, list[float]] = {"log": [], "shard": [], "node": []}
        self.reshapes: dict[str, int] = {}
        self.watch = Watch(self.dictionary, settings)

    def run(
        self, seconds: float, kills: float | None, nodes: float | None, reshapes: float | None, reads: int = 0
    ) -> dict[str, float]:
        """Writes and reads for a while, and until so many reads were compared, and returns the rates."""
        self.ended.clear()
        before = self.model.batches, self.model.operations, self.model.compared
        works: list[Callable[[], None]] = [lambda i=i: self._write(i) for i in range(WRITERS)]  # type: ignore[misc]
        works += [self._read, lambda: self._every(LOOK_SECONDS, self._look)]
        works += [] if kills is None else [lambda: self._every(kills, self._kill_actor)]
        works += [] if reshapes is None else [lambda: self._every(reshapes, self._reshape)]
        threads = [threading.Thread(target=self._guarded, args=(work,)) for work in works]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        # Ray adds nodes in the main thread only.
        due = start + (nodes or seconds)
        while due < start + seconds and not self.ended.wait(due - time.monotonic()):
            self._kill_node()
            due = max(due + (nodes or seconds), time.monotonic())
        self.ended.wait(max(0.0, start + seconds - time.monotonic()))
        while self.model.compared < reads and not self.ended.wait(0.1):
            pass
        self.ended.set()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self.failure
        elapsed = time.monotonic() - start
        after = self.model.batches, self.model.operations, self.model.compared
        batches, operations, reads = ((new - old) / elapsed for new, old in zip(after, before, strict=True))
        return {"seconds": elapsed, "batches/s": batches, "operations/s": operations, "reads compared/s": reads}

    def check_the_end(self) -> None:
        """Everything is as the model says, and every shard keeps its rules."""
        self._read_everything(self.dictionary)
        self.model.finish()
        self.dictionary.snapshot().verify()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self.failure = self.failure or error
            self.ended.set()

    def _every(self, seconds: float, happen: Callable[[], None]) -> None:
        due = time.monotonic() + seconds
        while not self.ended.wait(max(0.0, due - time.monotonic())):
            happen()
            due = max(due + seconds, time.monotonic())

    def _write(self, writer: int) -> None:
        dictionary = gpu_lsm.ray.connect("chaos", caller=f"writer {writer}", patience=self.patience)
        chance = np.random.default_rng([writer, dictionary.last_number()])
        while not self.ended.is_set():
            keys = chance.choice(KEYS, BATCH, replace=False)
            values, deletes = chance.integers(0, 1 << 60, BATCH, dtype=np.uint64), chance.random(BATCH) < 0.3
            dictionary.apply_columns(keys, values, deletes)
            self.model.wrote(writer, Batch(dictionary.commit, keys, values, deletes))

    def _read(self) -> None:
        dictionary = gpu_lsm.ray.connect("chaos", patience=self.patience)
        chance = np.random.default_rng()
        while not self.ended.is_set():
            try:
                if chance.random() < 0.1:
                    self._read_everything(dictionary)
                else:
                    snapshot, keys = dictionary.snapshot(), chance.integers(0, KEYS, 500)
                    values, found = snapshot.lookup(keys)
                    self.model.read(snapshot.number, keys, found, values)
            except gpu_lsm.ray.MomentGoneError:
                continue  # A snapshot ends with the shards that had it.

    def _read_everything(self, dictionary: gpu_lsm.ray.Dictionary) -> None:
        snapshot = dictionary.snapshot()
        _, keys, values = snapshot.range()
        self.model.read(snapshot.number, None, keys, values)

    def _kill_actor(self) -> None:
        shards = self.dictionary.shards()
        part = random.choice(["log", *(shard.name for shard in shards)])
        config = self.dictionary._config
        actor = log_actor(config) if part == "log" else shard_actor(config, part)
        self._timed("log" if part == "log" else "shard", lambda: ray.kill(actor, no_restart=False))

    def _kill_node(self) -> None:
        victim = random.choice(list(self.cluster.worker_nodes))
        self._timed("node", lambda: self.cluster.remove_node(victim, allow_graceful=False))
        add_node(self.cluster)

    def _timed(self, kind: str, kill: Callable[[], None]) -> None:
        """Kills, and measures how long it takes until a batch was written and all shards have answered as of it."""
        dictionary = gpu_lsm.ray.connect("chaos", patience=self.patience)
        lowers = np.array([shard.lower for shard in dictionary.shards()], np.uint64)
        kill()
        start = time.monotonic()
        # The model knows no such key, and every shard must have read the batch to answer.
        dictionary.delete([KEYS])
        dictionary.lookup(lowers)
        self.away[kind].append(time.monotonic() - start)

    def _look(self) -> None:
        killed = sum(map(len, self.away.values()))
        self.watch.look(f"{self.model.batches} batches, {self.model.compared} reads compared, {killed} kills")

    def _reshape(self) -> None:
        dictionary = gpu_lsm.ray.connect("chaos", patience=gpu_lsm.ray.Patience(60, lambda wait: None))
        shards = dictionary.shards()
        kinds = ["move"] + ["split"] * (len(shards) < MOST_SHARDS) + ["merge"] * (len(shards) > 2)
        kind = random.choice(kinds)
        try:
            if kind == "split":
                gpu_lsm.ray.split(dictionary, random.choice(shards))
            elif kind == "move":
                gpu_lsm.ray.move(dictionary, random.choice(shards))
            else:
                first = random.randrange(len(shards) - 1)
                gpu_lsm.ray.merge(dictionary, shards[first : first + 2])
        except (gpu_lsm.ray.ReshapeError, gpu_lsm.ray.WaitingError, gpu_lsm.errors.OptionError):
            kind = f"{kind} given up"
        self.reshapes[kind] = self.reshapes.get(kind, 0) + 1

    def unavailable(self) -> dict[str, Any]:
        """Seconds without an answer, by what was killed."""
        return {
            kind: {"kills": len(times), "median": round(statistics.median(times), 2), "worst": round(max(times), 2)}
            for kind, times in self.away.items()
            if times
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--reads", type=int, default=0, help="go on until this many reads were compared")
    parser.add_argument("--short", action="store_true", help="kill more often, and compare rates for less long")
    parser.add_argument("--url", help="where to keep stores; a SeaweedFS of its own if it is missing")
    # Ray prints lines of its actors whenever they arrive, also after the figures.
    parser.add_argument("--figures", type=Path, help="a file for the figures, which are printed too")
    arguments = parser.parse_args()
    kills, nodes, reshapes, quiet = (4.0, 15.0, 8.0, 5.0) if arguments.short else (10.0, 120.0, 20.0, 60.0)
    place = seaweedfs() if arguments.url is None else nullcontext((arguments.url, {}))
    with place as (url, settings), three_nodes() as cluster:
        chaos = Chaos(cluster, url, settings)
        calm = chaos.run(quiet, None, None, None)
        wild = chaos.run(arguments.seconds, kills, nodes, reshapes, arguments.reads)
        chaos.check_the_end()
        figures = {"without kills": calm, "with kills": wild, "seconds until all parts answer": chaos.unavailable()}
        figures |= {"shards replaced": chaos.reshapes, "reads compared": chaos.model.compared}
        figures |= {"MiB": chaos.watch.figures()}
        figures |= {"batches": chaos.model.batches}
        text = json.dumps(figures, indent=2, default=lambda number: round(number, 2))
        print(text)
        if arguments.figures is not None:
            arguments.figures.write_text(text)
        gpu_lsm.ray.stop("chaos")


if __name__ == "__main__":
    main()
