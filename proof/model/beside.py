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
#: The cases that are queries. The bench asks more or fewer than were counted, for a structure of that size.
QUERIES = ("lookup", "count", "range")
#: The shape of tiles that GPUs use.
TILES = "staged"
#: The names of columns of the profilers' tables: nsys and rocprofv3.
PROFILED = [("Name", "Instances", "Total Time (ns)"), ("Name", "Calls", "TotalDurationNs")]
#: What a kernel's name has besides that of its function.
AXES = re.compile(r"^baseline_|_(u32|u64|\d|one|per_query|direct|staged|up|down|keys|pairs)(?=_|$)")


def measured(folder):
    """The rows that a bench wrote, of all devices and sizes in the folder. Samples, of which they are made, lie beside them."""
    files = sorted(file for file in folder.rglob("traffic.jsonl") if file.parent.name != "samples")
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


def as_measured(operations, operation, row):
    """A counted operation on as many entries, and with as many queries, as were measured."""
    grown = ours.at_size(operations, operation, row["b"])
    return grown.asked(row["operations"] / grown.operations) if row["case"] in QUERIES else grown


def operations_section(rows, launches, cuda, card):
    operations = counted.operations(launches, cuda, card, TILES)
    by_name = {(operation.structure, operation.name): operation for operation in operations}
    lines = []
    rows = [row for row in rows if row["case"] in CASES]
    for row in sorted(rows, key=lambda row: (row["n"], row["case"], row["structure"])):
        operation = by_name.get((row["structure"], counted_name(row)))
        if operation is None:
            continue
        grown = as_measured(operations, operation, row)
        sectors = sum(often * sectors_at_l2(launch) for launch, often in grown.launches)
        launches_of_model = sum(often for _, often in grown.launches)
        _, launched, waits, _ = row["traffic"]
        modelled, found = ours.rate(grown, card), row["effective"]
        lines.append([
            counted_name(row), row["structure"], f"2^{row['n'].bit_length() - 1}", short(grown.operations),
            short(sectors / grown.operations),
            f"{short(launches_of_model)} / {short(launched)}", f"{short(grown.waits)} / {short(waits)}",
            short(modelled / 1e6), short(found / 1e6), ratio(found, modelled),
            short(row["on_device"] / 1e6) if row["on_device"] else "-"])
    head = ["operation", "structure", "n", "operations", "sectors/operation, counted", "launches, modelled / measured",
            "waits, modelled / measured", "M/s, MODELLED", "M/s, measured", "measured / modelled", "M/s, measured by the device's clock"]
    text = "\n## Operation by operation\n\nModelled for as many entries and queries as were measured. Only cleanups " \
           "differ: the counted one finds one entry in ten stale, the measured one none.\n\n"
    return text + table(head, lines)


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
    start = next((at for at, line in enumerate(lines) if "Name" in line), len(lines))
    for row in csv.DictReader(lines[start:]):
        name, calls, total = next(names for names in PROFILED if names[1] in row)
        launches, nanoseconds = times.get(function_of(row[name]), (0, 0))
        times[function_of(row[name])] = launches + int(row[calls]), nanoseconds + float(row[total])
    return times


def modelled_launches(launches, cuda, card):
    """Each launch of the counted cases: the case's name, the launch, how often, and its modelled seconds."""
    for case in counted.operations(launches, cuda, card, TILES):
        if case.structure == counted.CASE:
            for launch, often in case.launches:
                yield case.name, launch, often, bounds.seconds(launch, card)[0]


def summed(pairs):
    """For each name, the sums of its pairs of numbers."""
    sums = {}
    for name, first, second in pairs:
        before = sums.get(name, (0, 0))
        sums[name] = before[0] + first, before[1] + second
    return sums


def kernels_section(file, launches, cuda, card):
    """The mean launch of each function in the counted cases: its modelled time, and the profiler's."""
    modelled = summed((function_of(launch.kernel), often, often * seconds)
                      for _, launch, often, seconds in modelled_launches(launches, cuda, card))
    found = profile(file)
    lines = []
    for name in sorted(modelled.keys() & found.keys()):
        (count, seconds), (launched, nanoseconds) = modelled[name], found[name]
        mean, mean_found = seconds / count, nanoseconds / 1e9 / launched
        times = [short(mean * 1e6), short(mean_found * 1e6), ratio(mean_found, mean) if mean else "-"]
        lines.append([f"`{name}`", short(count), short(launched), *times])
    head = ["kernel", "launches, counted", "launches, profiled", "us a launch, MODELLED", "us a launch, measured",
            "measured / modelled"]
    text = "\n## Kernel by kernel, by a profiler\n\nWithout the cost of launching. Launches that only prepare a case are " \
           "profiled too.\n\n"
    return text + table(head, lines)


def fastest_times(file):
    """For each case of a journal of times, the seconds of its fastest round, and whose clock measured them."""
    rounds = []
    for what, *words in counted.journal(file):
        if what == "round":
            rounds.append({})
        elif what == "time":
            name, seconds, clock = words
            rounds[-1][name] = rounds[-1].get(name, (0, clock))[0] + float(seconds), clock
    return {name: min(times[name] for times in rounds if name in times) for times in rounds for name in times}


def cases_section(file, launches, cuda, card):
    """Each counted case, which is one kernel or a few: its modelled time, and that of the device."""
    modelled = summed((name, often, often * (seconds + card.launch))
                      for name, _, often, seconds in modelled_launches(launches, cuda, card))
    lines = []
    for name, (seconds, clock) in fastest_times(file).items():
        if name in modelled:
            count, expected = modelled[name]
            times = [short(expected * 1e6), short(seconds * 1e6), ratio(seconds, expected)]
            lines.append([name, short(count), *times, clock])
    head = ["case", "launches", "us, MODELLED", "us, measured", "measured / modelled", "whose clock"]
    text = "\n## Kernel by kernel\n\nThe counted cases, each one kernel or a few, with 32-bit keys and values: " \
           "the fastest of several rounds.\n\n"
    return text + table(head, lines)


def document(folder, launches, cuda, card, timed, profiled):
    rows = measured(folder)
    text = f"\nModelled for: {card.title}. Everything that is not called measured is counted or modelled.\n"
    text += copies_section(rows, card) + operations_section(rows, launches, cuda, card)
    if timed is not None:
        text += cases_section(timed, launches, cuda, card)
    if profiled is not None:
        text += kernels_section(profiled, launches, cuda, card)
    return text
