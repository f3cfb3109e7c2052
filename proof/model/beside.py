"""Counted and modelled times beside measured ones, by operation and by kernel: for `tools/gpu_hour`."""
import csv
import json
import re

import bounds
import counted
import ours
from document import ratio, short, table

#: The counted operation that a case of the bench's experiment `traffic` is.
CASES = {"insert": "insert", "lookup": "lookup, present", "count": "count", "range": "range",
         "cleanup": "cleanup, 10 % stale"}
#: The shape of tiles that GPUs use.
TILES = "staged"
#: The names of columns of the profilers' tables: nsys and rocprofv3.
PROFILED = [("Name", "Instances", "Total Time (ns)"), ("Name", "Calls", "TotalDurationNs")]
#: What a kernel's name has besides that of its function.
AXES = re.compile(r"^baseline_|_(u32|u64|\d|one|per_query|direct|staged|up|down|keys|pairs)(?=_|$)")


def measured(folder):
    """The rows that a bench wrote, of all devices and sizes in the folder."""
    files = sorted(folder.rglob("traffic.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def counted_name(row):
    name = CASES[row["case"]]
    return name if row["L"] is None else f"{name}, L = {row['L']}"


def copies_section(rows, card):
    copies = [row for row in rows if row["case"] == "copy"]
    if not copies:
        return ""
    fastest = max(row["rates"]["max"] for row in copies)
    modelled = f"{short(card.copy_rate() / 1e9)} modelled for the {card.name}"
    return f"\nThe fastest copy: {short(fastest / 1e9)} GB/s measured, {modelled}.\n"


def sectors_at_l2(launch):
    return launch.load_l2 + launch.store_sectors + launch.atomic_sectors


def operations_section(rows, launches, cuda, card):
    operations = counted.operations(launches, cuda, card, TILES)
    by_name = {(operation.structure, operation.name): operation for operation in operations}
    lines = []
    rows = [row for row in rows if row["case"] in CASES]
    for row in sorted(rows, key=lambda row: (row["n"], row["case"], row["structure"])):
        operation = by_name.get((row["structure"], counted_name(row)))
        if operation is None:
            continue
        grown = ours.at_size(operations, operation, row["b"])
        sectors = sum(often * sectors_at_l2(launch) for launch, often in grown.launches)
        launches_of_model = sum(often for _, often in grown.launches)
        _, launched, waits, _ = row["traffic"]
        modelled, found = ours.rate(grown, card), row["effective"]
        lines.append([
            counted_name(row), row["structure"], f"2^{row['n'].bit_length() - 1}", short(sectors / grown.operations),
            f"{short(launches_of_model)} / {short(launched)}", f"{short(grown.waits)} / {short(waits)}",
            short(modelled / 1e6), short(found / 1e6), ratio(found, modelled),
            short(row["on_device"] / 1e6) if row["on_device"] else "-"])
    head = ["operation", "structure", "n", "sectors/operation, counted", "launches, modelled / measured",
            "waits, modelled / measured", "M/s, MODELLED", "M/s, measured", "measured / modelled", "M/s, measured by the device's clock"]
    return "\n## Operation by operation\n\n" + table(head, lines)


def function_of(kernel):
    """The function of a kernel's instance, or of the name that a profiler shows: `merge` of `merge_k_u32_f95b511e`."""
    name = re.sub(r"_[kv]_.*$|_[0-9a-f]{8}$", "", kernel)
    while AXES.search(name):
        name = AXES.sub("", name)
    return name


def profile(file):
    """Launches and nanoseconds of each function in a profiler's table."""
    times = {}
    with open(file) as text:
        lines = text.read().splitlines()
    start = next(at for at, line in enumerate(lines) if "Name" in line)
    for row in csv.DictReader(lines[start:]):
        name, calls, total = next(names for names in PROFILED if names[1] in row)
        launches, nanoseconds = times.get(function_of(row[name]), (0, 0))
        times[function_of(row[name])] = launches + int(row[calls]), nanoseconds + float(row[total])
    return times


def kernels_section(file, launches, cuda, card):
    """All launches of the counted cases, function by function: their modelled time, and the profiler's."""
    modelled = {}
    for case in counted.operations(launches, cuda, card, TILES):
        if case.structure == counted.CASE:
            for launch, often in case.launches:
                count, seconds = modelled.get(function_of(launch.kernel), (0, 0))
                modelled[function_of(launch.kernel)] = count + often, seconds + often * bounds.seconds(launch, card)[0]
    found = profile(file)
    lines = []
    for name in sorted(modelled.keys() & found.keys()):
        (count, seconds), (launched, nanoseconds) = modelled[name], found[name]
        factor = ratio(nanoseconds / 1e9, seconds) if seconds else "-"
        times = [short(seconds * 1e6), short(nanoseconds / 1e3), factor]
        lines.append([f"`{name}`", short(count), short(launched), *times])
    head = ["kernel", "launches, counted", "launches, profiled", "us, MODELLED", "us, measured", "measured / modelled"]
    text = "\n## Kernel by kernel\n\nAll launches of the counted cases, without the cost of launching.\n\n"
    return text + table(head, lines)


def document(folder, launches, cuda, card, profiled):
    rows = measured(folder)
    text = f"\nModelled for: {card.title}. Everything that is not called measured is counted or modelled.\n"
    text += copies_section(rows, card) + operations_section(rows, launches, cuda, card)
    if profiled is not None:
        text += kernels_section(profiled, launches, cuda, card)
    return text
