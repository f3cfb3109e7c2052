"""The first half of the model's document: the cards, and the checks against what others published."""
import math

import paper
import published

HEAD = """# Modelled times on named cards

<!-- written by `just model`; do not edit -->

**Every rate on this page is modelled, none is measured**, except where a column says "published": those are other people's
measurements. We have no GPU. `just sectors` counts what each launch requests from memory; this model turns counts into
times, with figures of cards that their vendors or others published. `tools/gpu_hour` puts measured times beside these,
on the day that somebody has a GPU.

## How

The time of a launch is the largest of:

| bound | counted | rate |
|---|---|---|
| memory | distinct sectors (compulsory) that it loads and stores; none if all is little enough to stay in L2 from launch to launch | what a copy reaches on this card |
| | of searches and gathers, sectors that are loaded without the rest of their line, for the first time or again because L2 is smaller than what they search | random sectors |
| L2 | sectors that pass L1, and all that are stored. On the K40c, which has no L1 for this, all that waves request; on cards that load whole lines, whole lines | L2's measured bandwidth |
| lines | 128-byte lines of each request: passes through the load/store units | one line a clock and multiprocessor; more if lanes are scattered over banks |
| shared | ways of each request to shared memory | one a clock and multiprocessor |
| chain | loads of a search that wait for each other | L2's latency, or memory's |

Memory and L2 give less if too few units are resident: registers and shared bytes ([proof/cuda.tsv](../proof/cuda.tsv)) and the
number of cubes decide how many are. Lines and ways take longer if there are fewer cubes than multiprocessors, or one more
than a multiple. An operation is the sum of its launches, each with the card's cost of a launch, and of its waits.

Not modelled: instructions and divergence; barriers; the engine's own time on the host (the costs of launches and waits are
CUDA's, HIP's and Metal's, and wgpu's are higher); registers of other compilers than NVIDIA's for the A100 and the H100 (the A100's
stand for them); caches of other sizes than the counted L1, 16 KiB for a cube, which on AMD's and Apple's is too much; clocks below
boost. So a modelled rate says what memory allows. In the checks below, others measured from a third of that to 1.4 times it.
"""

def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def short(number):
    """Three significant digits, or a whole number."""
    if number == round(number):
        return f"{round(number):,}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    return f"{number:,.{digits}f}"


UNITS = {"memory": (1e9, "GB/s"), "copy_share": (0.01, "% of it"), "random_sectors": (1e9, "G/s"), "l2": (1e9, "GB/s"),
         "l2_bytes": (1e6, "MB"), "kept_bytes": (1e6, "MB"), "clock": (1e6, "MHz"), "l2_latency": (1e-9, "ns"),
         "memory_latency": (1e-9, "ns"), "launch": (1e-6, "us"), "wait": (1e-6, "us"), "shared_bytes": (1024, "KiB"),
         "reserved_shared": (1024, "KiB")}
NAMES = {"memory": "memory", "copy_share": "what a copy reaches", "random_sectors": "random sectors", "l2": "L2",
         "l2_bytes": "L2's size", "kept_bytes": "stays in L2", "l1_keeps_loads": "L1 keeps loads",
         "least_transfer": "least transfer, bytes", "multiprocessors": "multiprocessors", "clock": "clock",
         "lines": "lines a clock", "scattered_lines": "scattered lines a clock",
         "shared_ways": "ways a clock, of 32 banks",
         "units": "resident units", "cubes": "resident cubes", "registers": "registers", "shared_bytes": "shared memory",
         "reserved_shared": "of it for each cube itself",
         "l2_latency": "L2's latency", "memory_latency": "memory's latency", "launch": "a launch", "wait": "a wait",
         "filling": "units that fill it to 90 %"}


ABOUT_FIGURES = """Behind each figure its source; * marks what is assumed: nobody published it for this card, as far as we
know. [proof/model/cards.toml](../proof/model/cards.toml) says for each what was done to it."""
#: Marks what is assumed.
ASSUMED = "\\*"


def value(name, card):
    if name == "filling":
        filled = next(share for share in range(101) if card.filled(share / 100) >= 0.9)
        return f"{filled} % of all"
    factor, unit = UNITS.get(name, (1, ""))
    return f"{short(getattr(card, name) / factor)} {unit}".strip()


def cards_section(sources, all_cards):
    numbers = {source: str(at + 1) for at, source in enumerate(sources)}
    rows = []
    for name, title in NAMES.items():
        figures = [card.figures[name] for card in all_cards]
        cells = [f"{value(name, card)} [{numbers[figure.source]}]{ASSUMED if figure.assumed else ''}"
                 for card, figure in zip(all_cards, figures)]
        rows.append([title, *cells])
    titles = "".join(f"- **{card.name}**: {card.title}\n" for card in all_cards)
    text = f"\n## Cards\n\n{titles}\n{ABOUT_FIGURES}\n\n"
    text += table(["per card, or per multiprocessor", *[card.name for card in all_cards]], rows)
    return text + "\n" + "".join(f"{numbers[source]}. {title}\n" for source, title in sources.items())


def ratio(modelled, rate):
    return f"{modelled / rate:.2f}"


def published_section(by_name):
    rows, reasons = [], []
    for figure in published.all_published():
        card = by_name[figure.card]
        modelled = figure.modelled(card)
        rate = f"{short(figure.rate / 1e9)} G {figure.unit}/s"
        rows.append([figure.what, figure.card, rate, short(modelled / 1e9),
                     ratio(modelled, figure.rate), figure.limit(card), figure.source])
        if figure.why:
            reasons.append(f"- **{figure.what}, {figure.card}**: {figure.why}.\n")
    text = "\n## Checks: what others published\n\nThe work is described by hand (`proof/model/textbook.py`), not counted.\n\n"
    text += table(["what", "card", "published", "modelled", "ratio", "bound by", "source"], rows)
    return text + "\nOff by more than a factor of 2:\n\n" + "".join(reasons)


ABOUT_PAPER = """The paper's LSM and its sorted array (SA), with the paper's primitives: CUB's radix sort, moderngpu's merges
and segmented sort. Mean rates in M/s; n is 2^27 for Table II and 2^24 for the others."""


def paper_section(card):
    rows, ratios = {}, {}
    for number, case, batches, is_array, rate, modelled in paper.tables(paper.Primitives(), card):
        cells = rows.setdefault((number, case, batches), [])
        cells += [short(rate), short(modelled), ratio(modelled, rate)]
        ratios.setdefault((case, is_array), {})[batches] = modelled / rate
    lines = [[number, case, str(batches), *cells] for (number, case, batches), cells in rows.items()]
    text = f"\n## Checks: the paper's tables on the model's K40c\n\n{ABOUT_PAPER}\n\n"
    head = ["table", "case", "n/b", "LSM, published", "modelled", "ratio", "SA, published", "modelled", "ratio"]
    return text + table(head, lines) + "\n" + reasons_section(ratios)


def span(numbers):
    return f"{min(numbers):.2f} to {max(numbers):.2f}"


def reasons_section(ratios):
    """How far off the model is, case by case, and why if it is by more than a factor of 2."""
    within, off = [], []
    for (case, is_array), by_batches in ratios.items():
        name = f"{case}, {'SA' if is_array else 'LSM'}"
        far = {batches: found for batches, found in by_batches.items() if found > 2 or found < 0.5}
        if far:
            where = ", ".join(map(str, far)) if len(far) < len(by_batches) else "all"
            off.append(f"- **{name}**: {span(far.values())} at n/b = {where}. {paper.WHY[case, is_array]}\n")
        else:
            within.append(f"{name} {span(by_batches.values())}")
    text = "Within a factor of 2, modelled by published: " + "; ".join(within) + ".\n\n"
    return text + "Off by more than a factor of 2:\n\n" + "".join(off)
