"""Makes tables of counted memory transactions.

    python3 proof/sectors.py FILE
    python3 proof/sectors.py kernels TABLE FOLDER --all LIST
    python3 proof/sectors.py operations TABLE FOLDER
    python3 proof/sectors.py kernels|operations TABLE FOLDER --check

FILE is what a counting program wrote: see `harness/counter.cpp`. The first form prints the sums of each kernel. The
others make a table of what `gpu-lsm-sectors` ran: FOLDER has a file for each shape, `direct.jsonl` and `staged.jsonl`.
LIST names all kernels, and none may be missing. With `--check`, nothing is written, and every row that was counted must
be in the table.

In tables of kernels, `load_sectors`, `load_lines`, `store_sectors` and `store_lines` are means of a request; `load_l2` and
`store_l2` are sectors at L2, and `load_least` and `store_least` say how many times the compulsory ones they are; `ways` is
the mean in shared memory. In tables of operations, all numbers are sums, except for `sectors_each`: sectors at L2 per
inserted entry, or per query. `sectors` is their sum over loads, stores and atomics, and so is `lines`; `least` is the sum
of what is compulsory in each launch. What is the same in both shapes has one row.
"""
import json
import pathlib
import re
import sys
from collections import Counter

KERNELS = ["case", "kernel", "tiles", "wave", "launches", "cubes", "loads", "load_sectors", "load_lines", "load_l2",
           "load_least", "stores", "store_sectors", "store_lines", "store_l2", "store_least", "atomics", "shared", "ways"]
OPERATIONS = ["structure", "operation", "entries", "tiles", "wave", "kernel", "operations", "launches", "waits", "cubes",
              "sectors", "lines", "least", "shared", "ways", "sectors_each"]
#: In tables of operations, the row of all kernels.
ALL = "all"
#: The wave size at which the parts of an operation are listed.
WAVE_OF_PARTS = 32


def journal(file):
    """What a file says in order: notes as lists of words, and launches as dictionaries."""
    for line in pathlib.Path(file).read_text().splitlines():
        yield line.split("\t")[1:] if line.startswith("#") else json.loads(line) | {"launches": 1}


def add(sums, key, launch):
    sums.setdefault(key, Counter()).update({name: n for name, n in launch.items() if name not in ("kernel", "wave")})


def by_case(file):
    """The sums of each case, kernel and wave size. If several cases have one name, the first counts."""
    sums, section, case = {}, {}, ""
    for entry in [*journal(file), ["end"]]:
        if isinstance(entry, dict):
            add(section, (case, entry["kernel"], entry["wave"]), entry)
        else:
            sums |= {key: n for key, n in section.items() if key not in sums}
            section, case = {}, entry[-1]
    return sums


def by_operation(file):
    """The sums of each structure, operation, number of entries, wave size and kernel."""
    sums, section = {}, []
    for entry in journal(file):
        if isinstance(entry, dict):
            section.append(entry)
            continue
        if entry[0] == "operation":
            structure, operation, entries, *numbers = entry[1:]
            count, launches, waits = map(int, numbers)
            for wave in sorted({launch["wave"] for launch in section}):
                kernels = [launch for launch in section if launch["wave"] == wave]
                if len(kernels) != launches:
                    sys.exit(f"{structure}, {operation}: {launches} launches, and {len(kernels)} were counted")
                key = (structure, operation, entries, wave)
                add(sums, (*key, ALL), {"operations": count, "waits": waits})
                for launch in kernels:
                    add(sums, (*key, ALL), launch)
                    if wave == WAVE_OF_PARTS:
                        add(sums, (*key, launch["kernel"]), launch)
        section = []
    return sums


def ratio(part, whole):
    return f"{part / whole:.3f}" if whole else "-"


def kernel_row(key, tiles, n):
    case, kernel, wave = key
    row = [case, kernel, tiles, wave, n["launches"], n["cubes"]]
    for kind, at_l2 in (("load", "load_l2"), ("store", "store_sectors")):
        requests = n[f"{kind}s"]
        row += [requests, ratio(n[f"{kind}_sectors"], requests), ratio(n[f"{kind}_lines"], requests)]
        row += [n[at_l2], ratio(n[at_l2], n[f"{kind}_compulsory"])]
    return [str(cell) for cell in row + [n["atomics"], n["shared"], ratio(n["shared_ways"], n["shared"])]]


def operation_row(key, tiles, n):
    structure, operation, entries, wave, kernel = key
    sectors = n["load_l2"] + n["store_sectors"] + n["atomic_sectors"]
    lines = n["load_lines"] + n["store_lines"] + n["atomic_lines"]
    least = n["load_compulsory"] + n["store_compulsory"]
    row = [structure, operation, entries, tiles, wave, kernel, n["operations"], n["launches"], n["waits"], n["cubes"]]
    row += [sectors, lines, least, n["shared"], n["shared_ways"], ratio(sectors, n["operations"])]
    return [str(cell) for cell in row]


def without_tiles(kernel):
    return re.sub("_(direct|staged)$", "", kernel)


#: By this, rows are grouped. Groups are in the order in which they were counted.
def kernel_group(key):
    case, kernel, _ = key
    return case, without_tiles(kernel)


def operation_group(key):
    structure, operation, entries, wave, kernel = key
    return structure, operation, entries, wave, without_tiles(kernel)


def rows(folder, sums_of, group_of, row_of):
    """The rows of both shapes. If both are the same, there is one."""
    direct, staged = (sums_of(folder / f"{tiles}.jsonl") for tiles in ("direct", "staged"))
    first = {}
    for at, key in enumerate(direct | staged):
        first.setdefault(group_of(key), at)
    for key in sorted(direct | staged, key=lambda key: first[group_of(key)]):
        if key in direct and direct[key] == staged.get(key):
            yield row_of(key, "both", direct[key])
            continue
        for tiles, sums in (("direct", direct), ("staged", staged)):
            if key in sums:
                yield row_of(key, tiles, sums[key])


def show(file):
    found = [KERNELS] + [kernel_row(("", *key), "", n) for key, n in sorted(by_kernel(file).items())]
    found = [[kernel, *numbers] for _, kernel, _, *numbers in found]
    widths = [max(map(len, column)) for column in zip(*found)]
    for row in found:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def by_kernel(file):
    sums = {}
    for entry in journal(file):
        if isinstance(entry, dict):
            add(sums, (entry["kernel"], entry["wave"]), entry)
    return sums


def check(table, head, lines):
    known = set(table.read_text().splitlines())
    if not lines:
        sys.exit("nothing was counted")
    changed = [line for line in lines if line not in known]
    if changed:
        sys.exit("\n".join([f"not in {table}; `just sectors` writes it anew:", "\t".join(head), *changed]))
    print(f"{len(lines)} rows of {table} are as before")


def check_all(found, listed):
    names = [line.split("\t")[1] for line in pathlib.Path(listed).read_text().splitlines()]
    missing = [name for name in names if name not in {row[1] for row in found}]
    if missing:
        sys.exit(f"no case of `gpu-lsm-sectors` launches {', '.join(missing)}")


def main():
    if len(sys.argv) == 2:
        return show(sys.argv[1])
    what, table, folder, *options = sys.argv[1:]
    head, *how = {"kernels": (KERNELS, by_case, kernel_group, kernel_row),
                  "operations": (OPERATIONS, by_operation, operation_group, operation_row)}[what]
    found = list(rows(pathlib.Path(folder), *how))
    table, lines = pathlib.Path(table), ["\t".join(row) for row in found]
    if options == ["--check"]:
        return check(table, head, lines)
    if options:
        check_all(found, options[1])
    table.write_text("\n".join(["\t".join(head), *lines, ""]))


if __name__ == "__main__":
    main()
