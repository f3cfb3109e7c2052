"""Tests the detectors with kernels and buffers that are broken on purpose.

    python3 proof/detector.py EMITTED FOLDER -- COMMAND...

COMMAND runs tests; a filter of tests is appended to it. Each barrier of each kernel is left out once, in one of its
instances, and ThreadSanitizer must report a race. If cubes add to one number without an atomic, it must report a race
between cubes. If buffers are one word too short, AddressSanitizer must report an overflow, and without it the harness
must stop.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
#: For one instance of each kernel with barriers, a test that launches it. The other instances have the same barriers.
TESTS = {
    "scan_reduce_direct": "scan::gpu::sums_small_numbers",
    "scan_apply_direct": "scan::gpu::sums_small_numbers",
    "scan_reduce_staged": "scan::gpu::sums_small_numbers",
    "scan_apply_staged": "scan::gpu::sums_small_numbers",
    "sort_tiles_u32_direct": "sort::gpu::sorts_u32",
    "sort_tiles_u64_direct": "sort::gpu::sorts_u64",
    "sort_tiles_u32_staged": "sort::gpu::sorts_u32",
    "sort_tiles_u64_staged": "sort::gpu::sorts_u64",
    "sort_merge_u32_staged": "sort::gpu::sorts_u32",
    "sort_merge_four_u32": "sort::gpu::sorts_u32",
    "merge_u32_1_staged": "merge::gpu::merges_u32_u32",
    "merge_marked_u32_1_staged": "merge::gpu::merges_u32_u32",
    "merge_four_u32": "merge::gpu::settles_several_u32_u32",
    "merge_four_values_1": "merge::gpu::settles_several_u32_u32",
    "overlay_u32_1_staged": "overlay::gpu::overlays_u32_u32",
    "overlay_marks_u32_staged": "overlay::gpu::overlays_u32_u32",
    "select_count_u32_one_staged": "select::gpu::selects_u32_u32",
    "select_write_u32_1_one_staged": "select::gpu::selects_u32_u32",
    "select_marks_u32_staged": "select::gpu::selects_u32_u32",
    "marks_gather_staged": "select::gpu::selects_u32_u32",
    "marks_to_bits_staged": "select::gpu::selects_u32_u32",
    "index_u32_staged": "index::gpu::tells_the_parts_of_u32_apart",
    "expand_u32_1_staged": "expand::gpu::expands_u32_u32",
    "tally_bits_staged": "tally::gpu::tallies_u32",
    "outside_marks_u64_staged": "outside::gpu::marks_what_is_outside",
    "baseline_interleave_staged": "baselines::interleave::gpu::interleaves_all",
    "baseline_unite_pairs_staged": "baselines::unite::gpu::unites_the_lists_of_each_query",
    "baseline_number_staged": "baselines::number::gpu::numbers_the_candidates_of_unequal_lists",
    "baseline_validate_staged": "baselines::validate::gpu::valid_entries_of_one_query",
    "baseline_compact_staged": "baselines::validate::gpu::valid_entries_of_one_query",
}
#: The end of an instance's name: what distinguishes it from the other instances of its kernel.
AXES = re.compile(r"(_(u32|u64|[0124]|one|per_query|up|down|keys|pairs))*(_direct|_staged)?$")
RACE = "WARNING: ThreadSanitizer: data race"


def kernel_of(instance):
    """The kernel of an instance, and its shape if it has several."""
    axes = AXES.search(instance)
    return instance[: axes.start()], axes[3]


def shape_of(instance):
    """The environment in which a test launches this instance. Kernels with barriers and one shape are staged."""
    shape = kernel_of(instance)[1] or "_staged"
    return {"GPU_LSM_TILES": shape[1:]}


def build(emitted, out, *options):
    subprocess.run([sys.executable, HERE / "harness.py", emitted, out, *options], check=True)
    return out / "kernels"


def output_of(command, kernels, test, **environment):
    """The output of a test that fails; nothing if it passes, whatever was reported."""
    variables = {"GPU_LSM_KERNELS": str(kernels), **environment}
    done = subprocess.run([*command, f"test(={test})"], env=os.environ | variables, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def is_race_reported(command, kernels, instance):
    """Whether the test of an instance reports a race. ThreadSanitizer remembers the last few accesses to a word only.
    Therefore several orders of the units are tried."""
    orders = (str(order) for order in range(1, 9))
    test, shape = TESTS[instance], shape_of(instance)
    return any(RACE in output_of(command, kernels, test, GPU_LSM_CUBE_ORDER=order, **shape) for order in orders)


def main():
    split = sys.argv.index("--")
    emitted, folder = map(pathlib.Path, sys.argv[1:split])
    command = sys.argv[split + 1 :]
    tested = {kernel_of(instance) for instance in TESTS}
    sources = sorted((emitted / "hip").glob("*.cpp"))
    barriers = {source.stem: source.read_text().count("__syncthreads();") for source in sources}
    if untested := [instance for instance in barriers if barriers[instance] and kernel_of(instance) not in tested]:
        sys.exit(f"these have barriers, name a test for one instance of each kernel: {', '.join(untested)}")
    left_out = [f"{instance}:{barrier}" for instance in sorted(TESTS) for barrier in range(barriers[instance])]
    silent = []
    for place in left_out:
        kernels = build(emitted, folder / "without", "--sanitizer", "thread", "--without", place)
        is_reported = is_race_reported(command, kernels, place.partition(":")[0])
        silent += [] if is_reported else [place]
        print(f"without barrier {place}: {'a race' if is_reported else 'nothing'}", flush=True)
    if silent:
        sys.exit(f"no race reported without the barriers {', '.join(silent)}")
    print(f"every barrier that is left out is reported as a race: {len(left_out)}")
    kernels = build(emitted, folder / "plain", "--sanitizer", "thread", "--cubes-apart", "--plain-additions", "nearest_u32_up")
    if RACE not in output_of(command, kernels, "nearest::gpu::nearest_u32_u32"):
        sys.exit("cubes that add to one number without an atomic are not reported")
    print("a race between cubes is reported")
    kernels = build(emitted, folder / "short", "--sanitizer", "address")
    in_shapes = sorted({(test, shape_of(instance)["GPU_LSM_TILES"]) for instance, test in TESTS.items()})
    for test, tiles in in_shapes:
        if "heap-buffer-overflow" not in output_of(command, kernels, test, GPU_LSM_SHORT_BUFFERS="1", GPU_LSM_TILES=tiles):
            sys.exit(f"{test}: a buffer that is too short was not seen")
    shorter = build(emitted, folder / "shorter", "--shorter-array", "scan_apply_direct")
    if "element 271 of a shared array of 271" not in output_of(
        command, shorter, TESTS["scan_apply_direct"], GPU_LSM_TILES="direct"
    ):
        sys.exit("an index past the end of a shared array was not seen")
    guarded = build(emitted, folder / "guarded")
    for test, tiles in in_shapes:
        stopped = output_of(command, guarded, test, GPU_LSM_SHORT_BUFFERS="1", GPU_LSM_TILES=tiles)
        if "the process that runs the kernels" not in stopped:
            sys.exit(f"{test}: a buffer that is too short was not stopped at its end")
    print("buffers that are too short are reported")


if __name__ == "__main__":
    main()
