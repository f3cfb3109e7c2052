"""Tests whether a change made anything slower: pairs.py OLD NEW DEVICE [PAIRS]

OLD and NEW are two builds of the command `gpu-lsm`, preferably with `--release`. A pair is one small bench of each, one
right after the other. Which one is first alternates from pair to pair, so other load on the machine affects both alike.
A pair during which others used the processors, on this machine or on its host, is not counted and measured again.
For each row of the bench, prints the median, minimum and maximum over all pairs of NEW's rate divided by OLD's. Fails
if a median is below 0.95.
"""

import collections
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

LEAST = 0.95
PAIRS = 7
# The most pairs that are measured per pair that is counted.
TRIES = 6
# The share of processor time that other programs may use during a counted pair.
QUIET = 0.03
# The largest sizes that take less than a minute for all rows. The host is several times as fast as software Vulkan.
SIZES = {"host": 1 << 16}
OTHER_SIZE = 1 << 14
OURS = "gpu-lsm"
# The fields that identify a row, besides the experiment.
ROW = ["case", "keys", "n", "b", "L"]


def measured(program, device, folder):
    """Runs a bench with its files in the folder, and returns its records of gpu-lsm."""
    size = SIZES.get(device, OTHER_SIZE)
    command = [program, "bench", "all", "--quick", "--device", device, "--n", str(size), "--results", folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")
    # Older builds have the samples where newer ones have what they come to.
    files = sorted(pathlib.Path(folder).glob("quick/*/samples/*.jsonl"))
    files = files or sorted(pathlib.Path(folder).glob("quick/*/*.jsonl"))
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [record for record in records if record["structure"] == OURS]


def rates(records):
    """Operations per second by row, from the median of each sample's repetitions, without extremes."""
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    for record in records:
        if not record["extreme"]:
            rows[named(record)][record["r"]].append((record["seconds"], record["operations"]))
    medians = {name: [statistics.median_low(samples) for samples in row.values()] for name, row in rows.items()}
    return {name: sum(row[1] for row in rows) / sum(row[0] for row in rows) for name, rows in medians.items()}


def named(record):
    """The name of a record's row."""
    parts = [f"{field} {record[field]}" for field in ROW if record[field] is not None]
    return ", ".join([record["experiment"], *parts])


def others():
    """The processor seconds that other programs have used so far."""
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _, _, irq, softirq, steal = fields
    all_seconds = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    ours = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return all_seconds - sum(usage.ru_utime + usage.ru_stime for usage in ours)


def share_of_others(work):
    """The result of the work, and the share of processor time that other programs used meanwhile."""
    start, before = time.monotonic(), others()
    result = work()
    return result, (others() - before) / ((time.monotonic() - start) * os.cpu_count())


def quiet_pairs(programs, device, pairs):
    """Measures until the machine was quiet during `pairs` pairs, and returns those. Fails after too many attempts."""
    counted = []
    for at in range(pairs * TRIES):
        ratios, share = share_of_others(lambda: pair(programs, device, at % 2))
        if share <= QUIET:
            counted.append(ratios)
        note = "" if share <= QUIET else ", not counted"
        print(f"pair {len(counted)} of {pairs}: others used {share:.0%}{note}", file=sys.stderr, flush=True)
        if len(counted) == pairs:
            return counted
    sys.exit(f"only {len(counted)} of {pairs} pairs were made while the machine was quiet")


def pair(programs, device, first):
    """The rates of NEW divided by those of OLD in one pair."""
    found = {}
    for which in [first, 1 - first]:
        with tempfile.TemporaryDirectory() as folder:
            found[which] = rates(measured(programs[which], device, folder))
    old, new = found[0], found[1]
    for name in sorted(old.keys() ^ new.keys()):
        print(f"only one of both has the row {name}", file=sys.stderr)
    return {name: new[name] / old[name] for name in old.keys() & new.keys()}


def main():
    programs = [pathlib.Path(program).resolve() for program in sys.argv[1:3]]
    device, pairs = sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else PAIRS
    ratios = collections.defaultdict(list)
    for pair_ratios in quiet_pairs(programs, device, pairs):
        for name, ratio in pair_ratios.items():
            ratios[name].append(ratio)
    medians = {name: statistics.median(row) for name, row in ratios.items()}
    print("median  least   most")
    for name in sorted(medians, key=medians.get):
        flag = "SLOWER " if medians[name] < LEAST else ""
        print(f"{medians[name]:6.3f} {min(ratios[name]):6.3f} {max(ratios[name]):6.3f}  {flag}{name}")
    slower = sum(median < LEAST for median in medians.values())
    print(f"{slower} of {len(medians)} rows are below {LEAST}; the median row {statistics.median(medians.values()):.3f}")
    sys.exit(slower > 0 or not medians)


if __name__ == "__main__":
    main()
