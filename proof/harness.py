"""Compiles the emitted HIP kernels with the harness, into a program that runs them on the CPU.

    python3 proof/harness.py EMITTED OUT [--wave 32|64] [--units N] [--sanitizer thread|address] [--cubes-apart]
                             [--without KERNEL:BARRIER] [--plain-additions KERNEL] [--shorter-array KERNEL]

`--cubes-apart` detects races between cubes instead of races between units. The last three options break one kernel, and
a detector must notice it: `--without` leaves out one barrier, counted from 0; `--plain-additions` makes atomic
additions plain; `--shorter-array` makes its shared array of 272 elements one element shorter.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HARNESS = pathlib.Path(__file__).parent / "harness"
BARRIER = "__syncthreads();"
#: Some sanitizers cannot start under strong address randomization. Some machines do not allow turning it off.
FIXED_ADDRESSES = """#!/bin/sh
setarch -R true 2>/dev/null && exec setarch -R "$0.sanitized"
exec "$0.sanitized"
"""
#: The number of files that are compiled in parallel.
PARTS = 2


def kernels(emitted):
    for line in (emitted / "kernels.tsv").read_text().splitlines():
        number, name, buffers, shared = line.split("\t")
        yield int(number), name, int(buffers), int(shared)


def without_barrier(source, number):
    pieces = source.split(BARRIER)
    if number + 1 >= len(pieces):
        sys.exit(f"there is no barrier {number}")
    return BARRIER.join(pieces[: number + 1]) + BARRIER.join(pieces[number + 1 :])


def namespace(emitted, number, name, buffers, shared, left_out, plain, shorter):
    """One kernel in its own namespace, and a function that calls it."""
    source = (emitted / "hip" / f"{name}.cpp").read_text()
    if left_out and left_out[0] == name:
        source = without_barrier(source, left_out[1])
    if plain == name:
        source = source.replace("atomicAdd(", "plain_add(")
    symbol, parameters = re.search(r"__launch_bounds__\(\d+\) (\w+)\((.*?)\) \{", source).groups()
    types = [re.sub(r"\s*const __restrict__ \w+$", "", parameter.strip()) for parameter in parameters.split(", ")]
    assert len(types) == buffers + 1, f"{name}: {parameters}"
    # Shared memory is one mapping per cube, instead of a variable.
    shared_memory = r"extern __shared__ __align__\(\d+\) char (\w+)\[\];"
    source, found = re.subn(shared_memory, r"char *const \1 = harness::shared;", source)
    assert bool(found) == bool(shared), f"{name}: {shared} bytes of shared memory"
    # An index past the end of a shared array would hit the next array, which no sanitizer notices.
    source, checked = re.subn(r"\{ return data\[i\]; \}", "{ if (i >= N) harness::outside(i, N); return data[i]; }", source)
    assert checked or not shared, f"{name}: no check of shared arrays"
    if shorter == name:
        source, found = re.subn(r"array<uint32_t, 272>", "array<uint32_t, 271>", source)
        assert found, f"{name}: no shared array of 272 elements"
    arguments = ", ".join(f"({kind})arguments[{i}]" for i, kind in enumerate(types))
    call = f"void call(void **arguments) {{ {symbol}({arguments}); }}"
    return "\n".join([f"namespace kernel_{number} {{", source, call, "}"])


def sources(emitted, out, left_out, plain, shorter):
    listed = list(kernels(emitted))
    parts = [['#include "builtins.h"'] for _ in range(PARTS)]
    for entry in listed:
        parts[entry[0] % PARTS].append(namespace(emitted, *entry, left_out, plain, shorter))
    for i, part in enumerate(parts):
        (out / f"kernels_{i}.cpp").write_text("\n".join(part))
    table = ['#include <cstddef>', "struct Kernel { const char *name; unsigned buffers; size_t shared_bytes; "
             "void (*call)(void **); };"]
    table += [f"namespace kernel_{number} {{ void call(void **); }}" for number, *_ in listed]
    rows = [f'{{"{name}", {buffers}, {shared}, kernel_{number}::call}},'
            for number, name, buffers, shared in listed]
    table += ["extern const Kernel kernels[] = {", *rows, "};", f"extern const unsigned kernel_count = {len(listed)};"]
    (out / "table.cpp").write_text("\n".join(table))
    return [out / f"kernels_{i}.cpp" for i in range(PARTS)] + [out / "table.cpp", HARNESS / "main.cpp"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("emitted", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--wave", type=int, default=32)
    parser.add_argument("--units", type=int, default=256)
    parser.add_argument("--sanitizer", choices=["thread", "address"])
    parser.add_argument("--cubes-apart", action="store_true")
    parser.add_argument("--without")
    parser.add_argument("--plain-additions")
    parser.add_argument("--shorter-array")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    left_out = None
    if options.without:
        name, barrier = options.without.split(":")
        left_out = (name, int(barrier))
    flags = ["-std=c++20", "-O1", "-g1", "-w", f"-I{HARNESS}", f"-DWAVE={options.wave}u", f"-DUNITS={options.units}"]
    sanitizer = [f"-fsanitize={options.sanitizer}"] if options.sanitizer else []
    if options.sanitizer:
        flags.append(f"-DWITH_{options.sanitizer.upper()}_SANITIZER")
    if options.cubes_apart:
        flags.append("-DCUBES_APART")
    objects, running = [], []
    for source in sources(options.emitted, options.out, left_out, options.plain_additions, options.shorter_array):
        objects.append(options.out / f"{source.stem}.o")
        instrumented = sanitizer if source.stem.startswith("kernels") else []
        running.append(subprocess.Popen(["g++", *flags, *instrumented, "-c", source, "-o", objects[-1]]))
        if len(running) == PARTS:
            failed = [process.wait() for process in running]
            running = []
            if any(failed):
                sys.exit("the emitted kernels do not compile")
    if any(process.wait() for process in running):
        sys.exit("the harness does not compile")
    program = options.out / "kernels"
    if not sanitizer:
        subprocess.run(["g++", *flags, *objects, "-o", program], check=True)
        return
    subprocess.run(["g++", *flags, *sanitizer, *objects, "-o", options.out / "kernels.sanitized"], check=True)
    program.write_text(FIXED_ADDRESSES)
    program.chmod(0o755)


if __name__ == "__main__":
    main()
