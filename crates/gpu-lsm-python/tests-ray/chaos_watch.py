"""What a run takes while it lasts: the memory of its processes, and the bytes in the stores of its parts."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import gpu_lsm
import gpu_lsm.ray
import psutil

MIB = 1 << 20


@dataclass
class Watch:
    """Samples, in MiB, of everything that should not grow for as long as a run lasts."""

    dictionary: gpu_lsm.ray.Dictionary
    settings: dict[str, str]
    samples: dict[str, list[float]] = field(default_factory=dict)
    start: float = field(default_factory=time.monotonic)

    def look(self, news: str) -> None:
        """Takes a sample, and says on the error output how it stands."""
        now = {"memory of this program": psutil.Process().memory_info().rss / MIB}
        for part, memory in _memory():
            now[part] = max(now.get(part, 0.0), memory)
        for part, size in self._stores():
            now[part] = max(now.get(part, 0.0), size)
        for what, size in now.items():
            self.samples.setdefault(what, []).append(size)
        sizes = ", ".join(f"{what} {size:.0f} MiB" for what, size in now.items())
        print(f"{time.monotonic() - self.start:.0f} s: {news}, {sizes}", file=sys.stderr, flush=True)

    def figures(self) -> dict[str, dict[str, float]]:
        """Medians would hide growth, so the first sample, the last, and the most."""
        return {
            what: {"first": round(sizes[0], 1), "most": round(max(sizes), 1), "last": round(sizes[-1], 1)}
            for what, sizes in self.samples.items()
        }

    def _stores(self) -> Iterator[tuple[str, float]]:
        shards = [shard.name for shard in self.dictionary.shards()]
        for name in ["log", *shards]:
            try:
                info = gpu_lsm.Store(f"{self.dictionary.url}/{name}", settings=self.settings).info()
            except gpu_lsm.Error:
                continue  # A shard that was replaced or has not begun.
            yield "store of the log" if name == "log" else "largest store of a shard", info.objects[1] / MIB


def _memory() -> Iterator[tuple[str, float]]:
    """The memory of actors that is theirs alone. Ray names processes by what they do."""
    for process in psutil.process_iter():
        try:
            title = process.cmdline()[0]
            if title.startswith("ray::") and "ShardProcess" in title:
                yield "largest memory of a shard", process.memory_full_info().uss / MIB
            elif title.startswith("ray::") and "Log" in title:
                yield "memory of the log", process.memory_full_info().uss / MIB
        except (psutil.Error, IndexError):
            continue  # It has ended.
