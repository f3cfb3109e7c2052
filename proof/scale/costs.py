"""What a card takes for each step of an update and for lookups: MODELLED, from launches that were counted.

The launches are those of `proof/launches.tsv`, counted on 2^17 entries with 32-bit keys and values, and the times those of
`proof/model`. An entry of 16 bytes takes `width` times as long as one of 8: every stream is twice as long.
"""
import bisect
import dataclasses
import pathlib
import sys

PROOF = pathlib.Path(__file__).parents[1]
sys.path.append(str(PROOF / "model"))
import bounds
import cards
import counted

#: The entries of the counted cases.
COUNTED = 2**17
#: Sectors that a lookup of a 64-bit key loads in a run that has the key, and in one that has not: counted in
#: `proof/sectors.tsv`, the cases `search, present` and `search, missing`, staged, by 2^15 queries.
SECTORS_PRESENT, SECTORS_MISSING = 229_430 / 2**15, 50_825 / 2**15
#: Up to so many piles are merged at once.
AT_ONCE = 4
#: Times are modelled for powers of two, and interpolated between them.
SIZES = [2**power for power in range(4, 36)]


def card_called(name):
    return cards.read()[2][name]


def templates(card):
    """The counted launches of the kernels that an update needs, and the counted sort."""
    operations = counted.operations(PROOF / "launches.tsv", PROOF / "cuda.tsv", card, "staged")
    cases = {operation.name: operation.launches for operation in operations if operation.structure == counted.CASE}

    def largest(case, kernel):
        return max((launch for launch, _ in cases[case] if launch.kernel.startswith(kernel)), key=bounds.Launch.size)

    four = "settle, four piles"
    return counted.sort_of(operations), {
        "values": [largest("arrange", "gather_values_1")],
        "one": [largest("settle", "select_count_u32"), largest("settle", "scan_apply")],
        "two": [largest("merge", "merge_u32_1")],
        "four": [largest(four, "merge_four_u32"), largest(four, "merge_four_values_1")],
        "index": [largest(four, "index_u32")],
        "select": [largest(four, "select_count_u32"), largest(four, "scan_apply"), largest(four, "select_write_u32_1")],
    }


@dataclasses.dataclass
class Seconds:
    """Seconds by entries, between modelled points."""

    points: list

    def __call__(self, entries):
        at = min(max(bisect.bisect_left(SIZES, entries), 1), len(SIZES) - 1)
        left, right, low, high = SIZES[at - 1], SIZES[at], self.points[at - 1], self.points[at]
        return max(0.0, low + (high - low) * (entries - left) / (right - left))


def piles_of(lens):
    """The lengths of the piles that are merged at once, group by group, as `merge_all` does: newest first."""
    lens = list(lens)
    while len(lens) > 1:
        group, lens = lens[:AT_ONCE], lens[AT_ONCE:]
        yield group
        lens.insert(0, sum(group))


class Costs:
    """The modelled costs of a dictionary on a card, with entries that are `width` times as wide as 8 bytes."""

    def __init__(self, card, width):
        self.card, self.width = card, width
        sort, kernels = templates(card)
        self.steps = {name: (self.curve(launches), len(launches)) for name, launches in kernels.items()}
        sorts = [sort.launches(max(size, 64)) for size in SIZES]
        self.sort = Seconds([width * self.seconds(launches) + len(launches) * card.launch for launches in sorts])

    def seconds(self, launches):
        return sum(bounds.seconds(launch, self.card)[0] for launch in launches)

    def curve(self, launches):
        grown = ([launch.times(size / COUNTED) for launch in launches] for size in SIZES)
        return Seconds([self.width * self.seconds(all_of_size) for all_of_size in grown])

    def step(self, name, entries):
        curve, launches = self.steps[name]
        return curve(entries) + launches * self.card.launch

    def merges(self, lens):
        """Seconds of a merge of piles of these lengths, newest first, without its index."""
        return sum(self.step("two" if len(group) == 2 else "four", sum(group)) for group in piles_of(lens))

    def settle(self, lens, run):
        """Seconds until piles of these lengths are a run with so many entries, and somebody has waited for it."""
        merged = self.merges(lens) + self.card.launch if len(lens) > 1 else self.step("one", lens[0])
        rewritten = self.step("select", sum(lens)) + self.card.wait if run < sum(lens) else 0
        return merged + rewritten + self.step("index", run) + self.card.wait

    def update(self, step):
        """Seconds of a batch that did this: see `placement.Step`."""
        sorted_batch = self.sort(step.batch) + self.step("values", step.batch)
        seconds = sorted_batch + self.settle((step.batch, *step.merged), step.run)
        if step.cleaned:
            seconds += self.settle(step.cleaned, step.cleaned_run)
        return seconds

    def lookup_rate(self, lens):
        """Lookups of existing keys per second, in runs of these lengths, newest first, that no cache holds.

        A lookup asks runs until one has its key, and each sector that it loads comes from memory.
        """
        entries, left, sectors = sum(lens), 1.0, 0.0
        for run in lens:
            here = run / entries
            sectors += here * SECTORS_PRESENT + (left - here) * SECTORS_MISSING
            left -= here
        return self.card.random_sectors / sectors
