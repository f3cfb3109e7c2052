"""Compiles the emitted HIP kernels with the harness, into a program that runs them on the CPU.

    python3 proof/harness.py EMITTED OUT [--wave 32|64] [--units N] [--sanitizer thread|address] [--cubes-apart]
                             [--count] [--without KERNEL:BARRIER] [--plain-additions KERNEL] [--shorter-array KERNEL]

`--cubes-apart` detects races between cubes instead of races between units. `--count` makes a program that counts the
transactions of memory at wave sizes 32 and 64: see `harness/counter.cpp`. The last three options break one kernel, and
a detector must notice it: `--without` leaves out one barrier, counted from 0; `--plain-additions` makes atomic
additions plain; `--shorter-array` makes its shared array of 272 elements one element shorter. The broken kernel has a file
of its own; what is already compiled in OUT and unchanged is not compiled again.
"""
import argparse
import hashlib
import pathlib
import re
import subprocess
import sys

HARNESS = pathlib.Path(__file__).parent / "harness"
#: This version, because what it keeps in registers decides what is counted.
COMPILER = "g++-12"
BARRIER = "__syncthreads();"
#: What takes its place: units meet there, but ThreadSanitizer is not told that they do.
LEFT_OUT = "harness::meet(__LINE__);"
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
    return BARRIER.join(pieces[: number + 1]) + LEFT_OUT + BARRIER.join(pieces[number + 1 :])


def with_loops_noted(source):
    """The source with an object of the counter before each loop, which is told of each pass."""
    noted = r"if (counter::Loop loop(__LINE__); true) \1 loop.pass();"
    source = re.sub(r"\b(for\(.*\) \{|while\(\[&\]\{)$", noted, source, flags=re.M)
    assert source.count("loop.pass()") == len(re.findall(r"\b(?:for|while|do)\b", source)), "a loop is not noted"
    return source


def write_lines(program):
    """Writes from which line of the kernels each hook is called, beside the program."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
    calls = re.findall(r"call +[0-9a-f]+ <__tsan_(?!func|init).*\n +([0-9a-f]+):", code.stdout)
    command = ["addr2line", "-a", "-i", "-e", program]
    # The address is of the call, not of what follows it.
    addresses = "\n".join(f"{int(call, 16) - 1:x}" for call in calls)
    found = subprocess.run(command, input=addresses, capture_output=True, text=True, check=True).stdout
    lines = []
    for place in found.split("0x")[1:]:
        address, *frames = place.split("\n")
        line = re.search(r"/kernels_\d+\.cpp:(\d+)", "\n".join(frames))
        # The counter's own objects also call hooks, for memory that is not counted.
        if line:
            lines.append(f"{int(address, 16) + 1:x} {line.group(1)}")
    program.with_name(program.name + ".lines").write_text("\n".join(lines))


def namespace(emitted, space, name, buffers, shared, broken=None):
    """One kernel in a namespace, and a function that calls it. `broken` says how to break it."""
    source = (emitted / "hip" / f"{name}.cpp").read_text()
    if broken and broken.barrier is not None:
        source = without_barrier(source, broken.barrier)
    if broken and broken.adds_plainly:
        source = source.replace("atomicAdd(", "plain_add(")
    symbol, parameters = re.search(r"__launch_bounds__\(\d+\) (\w+)\((.*?)\) \{", source).groups()
    if broken:
        # The intact kernel, which the linker would take for the same, is compiled too.
        source, symbol = source.replace(symbol, f"broken_{symbol}"), f"broken_{symbol}"
    types = [re.sub(r"\s*const __restrict__ \w+$", "", parameter.strip()) for parameter in parameters.split(", ")]
    assert len(types) == buffers + 1, f"{name}: {parameters}"
    # Shared memory is one mapping per cube, instead of a variable.
    shared_memory = r"extern __shared__ __align__\(\d+\) char (\w+)\[\];"
    source, found = re.subn(shared_memory, r"char *const \1 = harness::shared;", source)
    assert bool(found) == bool(shared), f"{name}: {shared} bytes of shared memory"
    # An index past the end of a shared array would hit the next array, which no sanitizer notices.
    source, checked = re.subn(r"\{ return data\[i\]; \}", "{ if (i >= N) harness::outside(i, N); return data[i]; }", source)
    assert checked or not shared, f"{name}: no check of shared arrays"
    if broken and broken.has_shorter_array:
        source, found = re.subn(r"array<uint32_t, 272>", "array<uint32_t, 271>", source)
        assert found, f"{name}: no shared array of 272 elements"
    arguments = ", ".join(f"({kind})arguments[{i}]" for i, kind in enumerate(types))
    call = f"void call(void **arguments) {{ {symbol}({arguments}); }}"
    return "\n".join([f"namespace {space} {{", source, call, "}"])


class Broken:
    """The kernel that is broken on purpose, and how."""

    def __init__(self, options):
        named = options.without or options.plain_additions or options.shorter_array or ""
        self.name, _, barrier = named.partition(":")
        self.barrier = int(barrier) if options.without else None
        self.adds_plainly = bool(options.plain_additions)
        self.has_shorter_array = bool(options.shorter_array)

    def space_of(self, number, name):
        return "broken" if name == self.name else f"kernel_{number}"


def sources(emitted, out, broken, count):
    listed = list(kernels(emitted))
    head = ['#include "builtins.h"', '#include "counter.h"']
    parts = {f"kernels_{i}.cpp": head[:] for i in range(PARTS)}
    for number, *entry in listed:
        kernel = namespace(emitted, f"kernel_{number}", *entry)
        parts[f"kernels_{number % PARTS}.cpp"].append(with_loops_noted(kernel) if count else kernel)
        if entry[0] == broken.name:
            parts["kernels_broken.cpp"] = [*head, namespace(emitted, "broken", *entry, broken)]
    for name, part in parts.items():
        (out / name).write_text("\n".join(part))
    table = ['#include <cstddef>', "struct Kernel { const char *name; unsigned buffers; size_t shared_bytes; "
             "void (*call)(void **); };"]
    table += [f"namespace {broken.space_of(number, name)} {{ void call(void **); }}" for number, name, *_ in listed]
    rows = [f'{{"{name}", {buffers}, {shared}, {broken.space_of(number, name)}::call}},'
            for number, name, buffers, shared in listed]
    table += ["extern const Kernel kernels[] = {", *rows, "};", f"extern const unsigned kernel_count = {len(listed)};"]
    (out / "table.cpp").write_text("\n".join(table))
    own = ["main.cpp", "counter.cpp"] if count else ["main.cpp"]
    return [out / name for name in parts] + [out / "table.cpp"] + [HARNESS / name for name in own]


def compile_all(files, out, flags, hooks):
    """Compiles all files that have changed since they were compiled in this folder, a few at a time."""
    headers = "".join(file.read_text() for file in sorted(HARNESS.glob("*.h")))
    objects, running = [], []
    for source in files:
        objects.append(out / f"{source.stem}.o")
        instrumented = hooks if source.stem.startswith("kernels") else []
        command = [COMPILER, *flags, *instrumented, "-c", str(source), "-o", str(objects[-1])]
        state = hashlib.sha256("".join([*command, source.read_text(), headers]).encode()).hexdigest()
        record = out / f"{source.stem}.state"
        if record.exists() and record.read_text() == state and objects[-1].exists():
            continue
        record.unlink(missing_ok=True)
        running.append((subprocess.Popen(command), record, state))
        if len(running) == PARTS:
            finish(running)
    finish(running)
    return objects


def finish(running):
    for process, record, state in running:
        if process.wait():
            sys.exit("the emitted kernels or the harness do not compile")
        record.write_text(state)
    running.clear()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("emitted", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--wave", type=int, default=32)
    parser.add_argument("--units", type=int, default=256)
    parser.add_argument("--sanitizer", choices=["thread", "address"])
    parser.add_argument("--cubes-apart", action="store_true")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--without")
    parser.add_argument("--plain-additions")
    parser.add_argument("--shorter-array")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    flags = ["-std=c++20", "-O1", "-g1", "-w", f"-I{HARNESS}", f"-DWAVE={options.wave}u", f"-DUNITS={options.units}"]
    sanitizer = [f"-fsanitize={options.sanitizer}"] if options.sanitizer else []
    if options.sanitizer:
        flags.append(f"-DWITH_{options.sanitizer.upper()}_SANITIZER")
    if options.cubes_apart:
        flags.append("-DCUBES_APART")
    hooks = sanitizer
    if options.count:
        flags += ["-DCOUNTING", "-fno-pie", "-no-pie"]
        hooks = ["-fsanitize=thread", "-fno-exceptions"]
    files = sources(options.emitted, options.out, Broken(options), options.count)
    objects = compile_all(files, options.out, flags, hooks)
    program = options.out / "kernels"
    if not sanitizer:
        subprocess.run([COMPILER, *flags, *objects, "-o", program], check=True)
        if options.count:
            write_lines(program)
        return
    subprocess.run([COMPILER, *flags, *sanitizer, *objects, "-o", options.out / "kernels.sanitized"], check=True)
    program.write_text(FIXED_ADDRESSES)
    program.chmod(0o755)


if __name__ == "__main__":
    main()
