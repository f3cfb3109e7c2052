"""Writes the results of the proofs, kernel by kernel.

    python3 proof/table.py FOLDER CUDA KERNELS

FOLDER has the results of the proofs and the sources that they ran, CUDA is the table of registers, and KERNELS is overwritten.
The command fails if some proof has not launched some kernel.
"""
import pathlib
import sys

from since import digest

#: Each heading, with the records of `just elsewhere` that it sums.
MODES = [
    ("wave 32", ["wave32", "wave32-direct"]),
    ("wave 64", ["wave64", "wave64-direct"]),
    ("bounds", ["bounds", "bounds-direct", "bounds-dictionary"]),
    ("races of units", ["races-direct", "races-staged"]),
    ("races of cubes", ["cubes-direct", "cubes-staged"]),
    ("cubes of 64", ["order-direct", "order-staged"]),
]
#: The shapes of kernels: see `gpu/axes.rs`.
TILES = ["direct", "staged"]
#: Kernels that only 64-bit keys need, although they touch none: rectangles are of points.
ONLY_FOR_U64 = ["outside_offsets"]
#: Stands for a driver that refuses all kernels of a language.
REFUSED = "refused"
HEAD = """# Every kernel, and what was shown of it without a GPU

Written by `just prove`; [PORTABILITY.md](../PORTABILITY.md) says what it means. **Registers** and **spills**: as NVRTC and
ptxas compile the emitted CUDA source, for {architectures}. The columns after them are the emitted HIP source on the CPU:
how many tests, each a process of its own, launched the kernel and passed. **Drivers**: on how many of {runs} runs of the
GPU tests (driver, language, plane size, shape) it was launched, all tests of the run passing{refused}. Metal: emitted, never compiled.
**Source**: the first digits of the SHA-256 of the HIP source that ran, with its variables numbered as they come. `just prove-kernels`,
in every `.ci/run`, compares them with what it emits, and says which kernels have changed since.
"""


def launched(folder, record, name):
    """The number of tests that launched a kernel. Each of them wrote one byte."""
    file = folder / "launched" / record / name
    return file.stat().st_size if file.exists() else 0


def shape_of(name):
    """The only shape in which a kernel is launched, if there is one."""
    if "_four_" in name:
        return "staged"
    return next((tiles for tiles in TILES if name.endswith(f"_{tiles}")), None)


def is_wide(name):
    """Whether a device without 64-bit integers never launches a kernel."""
    return "u64" in name or name in ONLY_FOR_U64


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def kernels(folder, cuda, drivers):
    """The document, and the launches that are missing. `drivers`: for each run, whether it has 64-bit integers."""
    cuda_head, *cuda_rows = [line.split("\t") for line in cuda.read_text().splitlines()]
    architectures = [title.split(", ")[1] for title in cuda_head[2::2]]
    head = ["kernel", "shared bytes", "registers", "spills", *[title for title, _ in MODES], "drivers", "source"]
    rows, missing = [], []
    for name, shared, *numbers in cuda_rows:
        cells = [f"`{name}`", shared, " / ".join(numbers[0::2]), str(sum(map(int, numbers[1::2])))]
        for title, records in MODES:
            count = sum(launched(folder, record, name) for record in records)
            cells.append(str(count))
            if not count:
                missing.append(f"{name}: {title}")
        passed = [record for record in drivers if launched(folder, record, name)]
        shape = shape_of(name)
        needed = [record for record, has_u64 in drivers.items()
                  if (has_u64 or not is_wide(name)) and (shape is None or record.endswith(shape))]
        missing += [f"{name}: {record}" for record in needed if record not in passed]
        rows.append([*cells, str(len(passed)), digest(folder / "emitted", name)])
    refused = "; a driver without 64-bit integers refuses the kernels of such keys with a typed error"
    text = HEAD.format(architectures=", ".join(architectures), runs=len(drivers),
                       refused="" if all(drivers.values()) else refused)
    return f"{text}\n{table(head, rows)}", missing


def main():
    folder, cuda, kernels_file = map(pathlib.Path, sys.argv[1:4])
    runs = [line.split("\t") for line in (folder / "drivers.tsv").read_text().splitlines()]
    records = {"driver-" + "-".join(run[:4]).replace(" ", "-"): run[5] == "0" for run in runs if run[4] != REFUSED}
    text, missing = kernels(folder, cuda, records)
    if missing:
        sys.exit("not launched:\n" + "\n".join(missing))
    kernels_file.write_text(text)
    print(f"{kernels_file} is written")


if __name__ == "__main__":
    main()
