"""Tests the detectors with kernels and buffers that are broken on purpose.

    python3 proof/detector.py EMITTED FOLDER -- COMMAND...

COMMAND runs tests; a filter of tests is appended to it. Each barrier of each kernel is left out once, and
ThreadSanitizer must report a race. If cubes add to one number without an atomic, it must report a race between cubes.
If buffers are one word too short, AddressSanitizer must report an overflow, and without it the harness must stop.
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
#: For each kernel with barriers, a test that launches it.
TESTS = {
    "scan_reduce": "scan::gpu::sums_small_numbers",
    "scan_apply": "scan::gpu::sums_small_numbers",
    "sort_tiles_u32": "sort::gpu::sorts_u32",
    "sort_tiles_u64": "sort::gpu::sorts_u64",
}
RACE = "WARNING: ThreadSanitizer: data race"


def build(emitted, out, *options):
    subprocess.run([sys.executable, HERE / "harness.py", emitted, out, *options], check=True)
    return out / "kernels"


def output_of(command, kernels, test, **environment):
    """The output of a test, which must fail."""
    variables = {"GPU_LSM_KERNELS": str(kernels), **environment}
    done = subprocess.run([*command, f"test(={test})"], env=os.environ | variables, capture_output=True, text=True)
    text = done.stdout + done.stderr
    if done.returncode == 0:
        sys.exit(f"{test} passes with {kernels}: nothing was detected")
    return text


def is_race_reported(command, kernels, test):
    """Whether a test, which must fail, reports a race. A value that is read too early may also lead to a stray write
    that ends the program before the race is reported. Therefore several orders of the units are tried."""
    orders = (str(order) for order in range(1, 9))
    return any(RACE in output_of(command, kernels, test, GPU_LSM_CUBE_ORDER=order) for order in orders)


def main():
    split = sys.argv.index("--")
    emitted, folder = map(pathlib.Path, sys.argv[1:split])
    command = sys.argv[split + 1 :]
    reported = 0
    for source in sorted((emitted / "hip").glob("*.cpp")):
        barriers = source.read_text().count("__syncthreads();")
        if barriers and source.stem not in TESTS:
            sys.exit(f"{source.stem} has barriers: name a test that launches it")
        for barrier in range(barriers):
            kernels = build(emitted, folder / "without", "--sanitizer", "thread", "--without", f"{source.stem}:{barrier}")
            if not is_race_reported(command, kernels, TESTS[source.stem]):
                sys.exit(f"{source.stem} without barrier {barrier}: no race reported")
            reported += 1
            print(f"{source.stem} without barrier {barrier}: a race", flush=True)
    print(f"every barrier that is left out is reported as a race: {reported}")
    kernels = build(emitted, folder / "plain", "--sanitizer", "thread", "--cubes-apart", "--plain-additions", "nearest_u32_up")
    if RACE not in output_of(command, kernels, "nearest::gpu::nearest_u32_u32"):
        sys.exit("cubes that add to one number without an atomic are not reported")
    print("a race between cubes is reported")
    kernels = build(emitted, folder / "short", "--sanitizer", "address")
    for test in sorted(set(TESTS.values())):
        if "heap-buffer-overflow" not in output_of(command, kernels, test, GPU_LSM_SHORT_BUFFERS="1"):
            sys.exit(f"{test}: a buffer that is too short was not seen")
    shorter = build(emitted, folder / "shorter", "--shorter-array", "scan_apply")
    if "element 271 of a shared array of 271" not in output_of(command, shorter, TESTS["scan_apply"]):
        sys.exit("an index past the end of a shared array was not seen")
    guarded = build(emitted, folder / "guarded")
    for test in sorted(set(TESTS.values())):
        if "the process that runs the kernels" not in output_of(command, guarded, test, GPU_LSM_SHORT_BUFFERS="1"):
            sys.exit(f"{test}: a buffer that is too short was not stopped at its end")
    print("buffers that are too short are reported")


if __name__ == "__main__":
    main()
