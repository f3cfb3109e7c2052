"""The rates of the package beside those of Rust, on the same columns: `rates.py PROGRAM`, which is `examples/rates.rs`.

Both run in turns, so that whatever else the machine does befalls both. Prints the medians and their ratio for each
operation.
"""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from gpu_lsm.bench.contenders import Ours
from gpu_lsm.bench.measure import OPERATIONS, Workload, columns, run


def main(program: str) -> None:
    # So many that the noise of one does not count. On a shared machine, a round may take twice as long as the next.
    load = Workload(calls=64, repeats=31)
    python, rust = [], []
    for seed in range(load.repeats + 1):
        python.append(run(partial(Ours, "host"), load, seed, is_checked=False))
        rust.append(in_rust(program, load, seed))
    print(f"| {load.batch:,} operations a call | " + " | ".join(OPERATIONS) + " |")
    print("|---|" + "---:|" * len(OPERATIONS))
    # The first round warms up.
    rates = [[median(each[operation] for each in runs[1:]) for operation in OPERATIONS] for runs in (python, rust)]
    for name, row in zip(("Python", "Rust"), rates, strict=True):
        print(f"| {name}, M operations/s | " + " | ".join(f"{rate / 1e6:.1f}" for rate in row) + " |")
    print("| ratio | " + " | ".join(f"{ours / theirs:.2f}" for ours, theirs in zip(*rates, strict=True)) + " |")


def in_rust(program: str, load: Workload, seed: int) -> dict[str, float]:
    """The same operations in Rust."""
    data = columns(load, seed)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("keys", "values", "asked", "lower", "upper"):
            getattr(data, name).tofile(Path(folder, name))
        output = subprocess.run([program, folder, str(load.batch)], check=True, capture_output=True, text=True).stdout
    counts = [load.keys, *[load.batch * load.calls] * 3]
    return {
        operation: count / float(seconds)
        for operation, count, seconds in zip(OPERATIONS, counts, output.split(), strict=True)
    }


if __name__ == "__main__":
    main(sys.argv[1])
