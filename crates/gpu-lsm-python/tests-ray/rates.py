"""What Ray costs: a call of a dictionary over actors beside the same call of a durable one in this process.

    python rates.py

Stores are on local files, devices are the host. Prints Markdown tables: medians of repeated calls.
"""

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import gpu_lsm.ray
import numpy as np
import ray

SIZES = [1 << 10, 1 << 16, 1 << 20]
SHARDS = [1, 2, 4, 8]
ENTRIES = 1 << 20
# No call is repeated more often, nor for much longer.
MOST_CALLS, MOST_SECONDS = 50, 4.0

names = itertools.count()


def median(call: Callable[[], Any]) -> float:
    """The median time of a call, in milliseconds, after an unrecorded one."""
    call()
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < MOST_CALLS and (len(times) < 3 or time.perf_counter() - begin < MOST_SECONDS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def calls(dictionary: Any, size: int) -> dict[str, float]:
    """Times of an insertion and of a lookup of so many keys."""
    chance = np.random.default_rng(size)
    keys = chance.integers(0, 1 << 63, (8, size), dtype=np.uint64)
    values = np.arange(size, dtype=np.uint32)
    pick = itertools.cycle(range(len(keys)))
    inserted = median(lambda: dictionary.insert(keys[next(pick)], values))
    return {"insert": inserted, "lookup": median(lambda: dictionary.lookup(keys[next(pick)]))}


def filled(dictionary: Any) -> Any:
    chance = np.random.default_rng(7)
    for _ in range(4):
        dictionary.insert(chance.integers(0, 1 << 63, ENTRIES // 4, dtype=np.uint64), 1)
    return dictionary


def started(folder: str, shards: int) -> gpu_lsm.ray.Dictionary:
    name = f"rates-{next(names)}"
    sample = np.random.default_rng(1).integers(0, 1 << 63, 10_000, dtype=np.uint64)
    place = {"device": "host", "resources": {"CPU": 0.1}}
    return gpu_lsm.ray.start(name, f"{folder}/{name}", "uint64", "uint32", shards=shards, sample=sample, **place)


def overhead(folder: str) -> None:
    """One shard against none."""
    direct = filled(gpu_lsm.open(f"{folder}/direct", mode="a", key="uint64", value="uint32", device="host"))
    over_ray = filled(started(folder, 1))
    nothing = ray.remote(lambda: None)
    print(f"\nAn empty task: {median(lambda: ray.get(nothing.remote())):.2f} ms.\n")
    print("| keys | call | direct, ms | through Ray, ms | difference, ms |\n|---|---|---|---|---|")
    for size in SIZES:
        here, there = calls(direct, size), calls(over_ray, size)
        for what in here:
            times = here[what], there[what], there[what] - here[what]
            print(f"| 2^{size.bit_length() - 1} | {what} | " + " | ".join(f"{time:.2f}" for time in times) + " |")
    direct.close()
    gpu_lsm.ray.stop(over_ray.name)


def shards(folder: str) -> None:
    """More actors on the same cores."""
    print("\n| shards | call | 2^10 keys, ms | 2^16 | 2^20 |\n|---|---|---|---|---|")
    for count in SHARDS:
        dictionary = filled(started(folder, count))
        times = [calls(dictionary, size) for size in SIZES]
        for what in times[0]:
            print(f"| {count} | {what} | " + " | ".join(f"{time[what]:.2f}" for time in times) + " |", flush=True)
        gpu_lsm.ray.stop(dictionary.name)


def main() -> None:
    ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    with tempfile.TemporaryDirectory() as folder:
        overhead(f"file://{folder}")
        shards(f"file://{folder}")
    ray.shutdown()


if __name__ == "__main__":
    main()
