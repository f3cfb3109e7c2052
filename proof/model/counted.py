"""What was counted: the launches of cases and of whole operations.

`just sectors` writes journals, one for each shape of tiles, named after it: a line of JSON per launch and wave size, and
notes, which start with `#`. `#, case, NAME` comes before the launches of a case; `#, operation, STRUCTURE, NAME, N,
OPERATIONS, LAUNCHES, WAITS` after those of an operation; other notes after launches that do not count.
"""
import csv
import dataclasses
import json
import math

from bounds import COUNTS, KEY, SECTOR, Launch

#: The columns of a table: sums over launches of one kernel with as many cubes that load about as much.
COLUMNS = ("tiles", "structure", "operation", "n", "operations", "waits", "kernel", "wave", "launches", "cubes", *COUNTS)
#: The structure of what is no operation of a structure, but a case for one kernel or few.
CASE = "case"
#: The keys of the case `sort`.
SORTED = 2**17
SORTING_TILES, MERGING_TILES, MERGING_FOUR = "sort_tiles", "sort_merge", "sort_merge_four"


@dataclasses.dataclass(frozen=True)
class Operation:
    """An operation of a structure of n entries: how many were inserted or asked, its launches, each how often, its waits."""

    structure: str
    name: str
    n: int
    operations: float
    waits: float
    launches: tuple

    def times(self, factor, sort):
        """The operation on so many times as many, of a structure that has grown as well.

        All launches grow. A sort takes more passes, and a search by halving more steps.
        """
        launches = []
        for launch, often in self.launches:
            if launch.kernel.startswith(MERGING_TILES):
                continue
            if launch.kernel.startswith(SORTING_TILES):
                launches += [(sorting, often) for sorting in sort.launches(self.operations * factor / often)]
            else:
                launches.append((with_more_steps(launch, self.n, factor).times(factor), often))
        n, operations = self.n * factor, self.operations * factor
        return dataclasses.replace(self, n=n, operations=operations, launches=tuple(launches))

    def asked(self, factor):
        """The query with so many times as many keys or intervals, of the same structure."""
        streamed = self.operations * KEY / SECTOR
        launches = tuple((with_more_queries(launch, streamed, factor), often) for launch, often in self.launches)
        return dataclasses.replace(self, operations=self.operations * factor, launches=launches)


@dataclasses.dataclass(frozen=True)
class Sort:
    """A counted sort: its launch that sorts tiles, and those that merge them, two and, if it does that, four at a time."""

    tiles: Launch
    two: Launch
    four: Launch | None

    def launches(self, keys):
        """The launches that sort so many keys. A tile fills shared memory with keys of four bytes."""
        launches, width, tiles = [self.tiles], 1, math.ceil(keys / (self.tiles.shared_bytes / 4))
        while width < tiles:
            is_by_four = self.four is not None and 2 * width < tiles
            launches.append(self.four if is_by_four else self.two)
            width *= 4 if is_by_four else 2
        return [launch.times(keys / SORTED) for launch in launches]


def sort_of(operations):
    """The counted sort of 32-bit keys: the case of this name."""
    case = next(operation for operation in operations if (operation.structure, operation.name) == (CASE, "sort"))
    tiles, two, four = (next((launch for launch, _ in case.launches if launch.kernel.startswith(f"{kind}_u32")), None)
                        for kind in (SORTING_TILES, MERGING_TILES, MERGING_FOUR))
    return Sort(tiles, two or four, four)


def with_more_steps(launch, entries, factor):
    """A search by halving of a structure of so many entries, if it had so many times as many."""
    if not launch.is_halving():
        return launch
    more = math.log2(entries * factor) / math.log2(entries)
    grown = {name: getattr(launch, name) * more for name in ("loads", "load_sectors", "load_lines", "load_l2")}
    return dataclasses.replace(launch, **grown)


def with_more_queries(launch, streamed, factor):
    """A launch for so many times as many queries, whose keys were so many sectors.

    All grows with the queries, except what they find in the structure if that is random: the more of them, the more
    often they find the same.
    """
    grown = launch.times(factor)
    if not launch.is_scattered():
        return grown
    streamed = min(streamed, launch.load_compulsory)
    found = distinct_of_more(launch.load_l2 - streamed, launch.load_compulsory - streamed, factor)
    return dataclasses.replace(grown, load_compulsory=streamed * factor + found)


def distinct_of_more(loads, distinct, factor):
    """The distinct sectors of so many times as many loads from random places, of which these had so many."""
    if not 0 < distinct < loads:
        return distinct * factor
    low, high = distinct, 2 * distinct
    while distinct_of(loads, high) < distinct:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if distinct_of(loads, middle) < distinct else (low, middle)
    return distinct_of(loads * factor, high)


def distinct_of(loads, places):
    """The expected number of distinct places if each load is from any of them."""
    return -places * math.expm1(-loads / places)


def resources(cuda, architecture):
    """For each kernel its registers, as compiled for this architecture, and its bytes of shared memory."""
    with open(cuda) as text:
        rows = list(csv.DictReader(text, delimiter="\t"))
    names = {"registers": f"registers, {architecture}", "shared_bytes": "shared bytes"}
    return {row["kernel"]: {name: int(row[column]) for name, column in names.items()} for row in rows}


def journal(file):
    """What a journal says in order: notes as lists of words, and launches as dictionaries."""
    for line in file.read_text().splitlines():
        yield line.split("\t")[1:] if line.startswith("#") else json.loads(line)


def named(file):
    """The launches of each case and operation of a journal: (structure, name, n, operations, waits, launches)."""
    launches, case = [], None
    for entry in [*journal(file), ["end"]]:
        if isinstance(entry, dict):
            launches.append(entry)
            continue
        if case is not None:
            yield CASE, case, 0, 0, 0, launches
        if entry[0] == "operation":
            structure, name, *numbers = entry[1:]
            n, operations, _, waits = map(int, numbers)
            yield structure, name, n, operations, waits, launches
        launches, case = [], entry[1] if entry[0] == "case" else None


def is_plain(kernel):
    """Whether a kernel has 32-bit keys, if any, and values of one word, if any."""
    words = kernel.split("_")
    return "u64" not in words and not {"0", "2", "4"} & set(words)


def sections(file):
    """What counts of a journal: each operation at the largest size, and each kernel of a case the first time.

    A case is repeated for every width of keys and values, the first time with 32-bit ones. Where a case is repeated on
    purpose, its kernels are others each time. `sectors.by_case` does the same.
    """
    found, largest, counted = list(named(file)), {}, set()
    for structure, name, n, *_ in found:
        largest[structure, name] = max(n, largest.get((structure, name), 0))
    for structure, name, n, operations, waits, launches in found:
        if structure == CASE:
            launches = [launch for launch in launches
                        if is_plain(launch["kernel"]) and (name, launch["kernel"]) not in counted]
            counted |= {(name, launch["kernel"]) for launch in launches}
        if n == largest[structure, name]:
            yield structure, name, n, operations, waits, launches


def extent(launch):
    """How much a launch loads, as the nearest power of two."""
    return round(math.log2(max(1, launch["load_compulsory"])))


def summed(*journals):
    """The rows of a table, from journals that are named after their shape: cases with 32-bit keys and values, and each
    operation at the largest size.

    The levels of a structure are asked by launches with as many cubes, but what caches hold of a level goes by its size;
    so launches that load more have a row of their own. The largest comes first, for those who want only one.
    """
    sums = {}
    for file in journals:
        for structure, name, n, operations, waits, launches in sections(file):
            total = sums.setdefault((file.stem, structure, name, n), {"operations": 0, "waits": 0, "launches": {}})
            total["operations"] += operations
            total["waits"] += waits
            for launch in launches:
                by_extent = total["launches"].setdefault((launch["kernel"], launch["wave"], launch["cubes"]), {})
                counts = by_extent.setdefault(extent(launch), [0] * (2 + len(COUNTS)))
                for at, number in enumerate([1, launch["cubes"], *[launch[column] for column in COUNTS]]):
                    counts[at] += number
    rows = [[*key, total["operations"], total["waits"], kernel, wave, *by_extent[one]]
            for key, total in sums.items() for (kernel, wave, _), by_extent in total["launches"].items()
            for one in sorted(by_extent, reverse=True)]
    return [list(COLUMNS), *rows]


def launch_of(row, needs):
    """The mean of a row's launches."""
    often = int(row["launches"])
    counts = {name: float(row[name]) / often for name in COUNTS}
    return Launch(row["kernel"], float(row["cubes"]) / often, **counts, **needs.get(row["kernel"], {}))


def operations(file, cuda, card, tiles):
    """The operations of a table that were counted with these tiles, with the card's wave size."""
    needs = resources(cuda, card.registers_as)
    found = {}
    with open(file) as text:
        for row in csv.DictReader(text, delimiter="\t"):
            if int(row["wave"]) == card.wave and row["tiles"] == tiles:
                key = row["structure"], row["operation"], int(row["n"]), float(row["operations"]), float(row["waits"])
                found.setdefault(key, []).append((launch_of(row, needs), int(row["launches"])))
    fresh = fresh_shares(launch for launches in found.values() for launch, _ in launches)
    return [Operation(*key, tuple((dataclasses.replace(launch, fresh=fresh[launch.kernel]), often)
                                  for launch, often in launches))
            for key, launches in found.items()]


def fresh_shares(launches):
    """For each kernel, the largest share of its sectors at L2 that were compulsory: where its loads lay farthest apart."""
    shares = {}
    for launch in launches:
        share = min(1, launch.load_compulsory / launch.load_l2) if launch.load_l2 else 0
        shares[launch.kernel] = max(share, shares.get(launch.kernel, 0))
    return shares
