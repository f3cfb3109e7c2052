"""Tests the counter of memory transactions on kernels whose answers are known.

    python3 proof/known.py FOLDER
"""
import json
import os
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
UNITS, SIDE = 256, 128
WORDS = SIDE * SIDE
KNOWN = HERE / "harness" / "known"
KERNELS = [line.split("\t")[1] for line in (KNOWN / "kernels.tsv").read_text().splitlines()]

#: For each launch: the kernel, its number if it takes one, the lengths of its buffers, the bytes of an element, the cubes;
#: and what is known, with the wave's units as `wave`. Sectors, lines and ways are of a request. `least` says how many
#: times the compulsory sectors pass to L2, for loads and for stores.
LAUNCHES = [
    ("copy", None, (WORDS, WORDS), 4, WORDS // UNITS,
     lambda wave: {"load sectors": wave / 8, "load lines": wave / 32, "load least": 1, "store least": 1}),
    ("transpose", SIDE, (WORDS, WORDS), 4, WORDS // UNITS,
     lambda wave: {"load least": 1, "store sectors": wave, "store lines": wave, "store least": 8}),
    # Half of the accesses write rows, at one way; the other half read columns, whose words lie in one bank.
    ("transpose_staged", SIDE, (WORDS, WORDS), 4, WORDS // 1024,
     lambda wave: {"load least": 1, "store least": 1, "ways": (1 + 32) / 2}),
    ("transpose_padded", SIDE, (WORDS, WORDS), 4, WORDS // 1024,
     lambda wave: {"load least": 1, "store least": 1, "ways": 1}),
    ("pairs", None, (WORDS, WORDS), 8, WORDS // UNITS,
     lambda wave: {"load sectors": wave / 4, "load least": 1, "store least": 1, "ways": 1}),
    # L1 holds the lines of 128 units. With one more, each line is gone before it is used again.
    ("walk", 128, (UNITS * 32, UNITS), 4, 1, lambda wave: {"load sectors": wave, "load lines": wave, "load least": 1}),
    ("walk", 129, (UNITS * 32, UNITS), 4, 1, lambda wave: {"load least": 8}),
    # Units meet after each loop, so each of the two outer passes takes as many requests as its longest inner loop.
    ("uneven", None, (UNITS + 3, UNITS), 4, 1, lambda wave: {"loads": 2 * 4 * UNITS / wave, "load least": 1}),
    ("add", None, (1, 1), 4, 2, lambda wave: {"atomics": 2 * UNITS / wave, "ways": 32}),
]


def launch(program, file, name, number, lens, size, cubes):
    """What the counter notes of one launch, at each wave size."""
    numbers = [] if number is None else [number]
    words = [KERNELS.index(name), cubes, 1, len(numbers), *numbers, len(lens)]
    for length in lens:
        words += [length, length * size]
    message = struct.pack(f"<{len(words)}I", *words) + bytes(sum(lens) * size)
    file.unlink(missing_ok=True)
    environment = os.environ | {"GPU_LSM_SECTORS": str(file)}
    subprocess.run([program], input=message, stdout=subprocess.DEVNULL, env=environment, check=True)
    return [json.loads(line) for line in file.read_text().splitlines()]


def found(n):
    """What can be known of a launch."""
    ratios = {"ways": ("shared_ways", "shared"), "load least": ("load_l2", "load_compulsory"),
              "store least": ("store_sectors", "store_compulsory")}
    for kind in ("load", "store"):
        for cost in ("sectors", "lines"):
            ratios[f"{kind} {cost}"] = (f"{kind}_{cost}", f"{kind}s")
    return n | {name: n[part] / n[whole] for name, (part, whole) in ratios.items() if n[whole]}


def main():
    out = pathlib.Path(sys.argv[1]) / "known"
    subprocess.run([sys.executable, HERE / "harness.py", KNOWN, out, "--count"], check=True)
    for name, number, lens, size, cubes, known in LAUNCHES:
        for row in launch(out / "kernels", out / "sectors.jsonl", name, number, lens, size, cubes):
            counted = found(row)
            for what, expected in known(counted["wave"]).items():
                if counted[what] != expected:
                    sys.exit(f"{name}, wave {row['wave']}: {what} {counted[what]}, expected {expected}")
    print(f"the counter is right on {len(LAUNCHES)} launches whose answers are known")


if __name__ == "__main__":
    main()
