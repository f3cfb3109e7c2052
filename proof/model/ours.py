"""The modelled rates of what was counted: kernels beside a copy, operations, and the paper's LSM with our kernels."""
import re

import bounds
import counted
import paper
from bounds import SECTOR
from document import ratio, short, table

#: The entries of a structure that was counted, by those of a batch.
BATCHES = 64
#: Kernels are counted on 2^17 entries, and modelled on 2^24.
GROWTH = 2**7
#: The batch sizes for which operations are modelled.
SIZES = (2**16, 2**20)
#: What the paper measured with as many batches, by the counted operation: its case, and the entries of its structure.
OF_THE_PAPER = {"insert": ("insert", paper.INSERTED), "lookup, missing": ("lookup, none", paper.LOOKED_UP),
                "lookup, present": ("lookup, all", paper.LOOKED_UP)}
OF_THE_PAPER |= {case: (case, paper.LOOKED_UP)
                 for case in ("count, L = 8", "count, L = 1024", "range, L = 8", "range, L = 1024")}
#: The cases of the paper's hash table, by the counted operation.
OF_THE_HASH = {"build": ("build", paper.INSERTED), "lookup, missing": ("lookup, none", paper.LOOKED_UP),
               "lookup, present": ("lookup, all", paper.LOOKED_UP)}
#: Why the paper's structures with our kernels are off by more than a factor of 2 on the model's K40c.
WHY = {("insert", "sorted_array"): paper.WHY["insert", True],
       ("lookup, missing", "sorted_array"): "With the paper's own primitives it is 1.7; the rest is what L2 is taken to keep of "
                                            "the first steps of a search that we counted.",
       ("range, L = 8", "sorted_array"): paper.WHY["range, L = 8", True],
       ("count, L = 1024", "sorted_array"): paper.WHY["count, L = 1024", True],
       ("range, L = 1024", "sorted_array"): paper.WHY["count, L = 1024", True]}
#: Rates that others published for structures like these, in G/s: system, insertion, lookup, count and range (L = 8), hardware.
RIVALS = [("GPU LSM paper, mean", "0.225", "0.076", "0.033", "0.023", "K40c"),
          ("re-implemented LSM, sorted batches and queries", "6.2", "5 to 19", "-", "-", "RTX with 48 GB"),
          ("FliX, same conditions", "2.0", "9.3 to 11", "-", "-", "the same"),
          ("GPU B-Tree, same conditions", "0.26", "1.0", "-", "-", "the same"),
          ("MVGpuBTree, versioned", "0.26", "1.76", "-", "-", "A100"),
          ("cuCollections, a hash table", "10.9", "16.8", "-", "-", "H100"),
          ("gpusorted_map", "0.0037", "0.334", "-", "-", "not said")]
#: What of ours stands beside them.
BESIDE_RIVALS = ("insert", "lookup, present", "count, L = 8", "range, L = 8")


#: The shapes of kernels: see `gpu/axes.rs`.
DIRECT, STAGED = "direct", "staged"
#: The card on which both shapes are compared.
BEFORE_ON = "A100"
ABOUT_KERNELS = f"""The time that a copy of as many bytes takes as the launch must move at least, by the modelled time of the
launch, for 2^24 entries; and what binds it. 1 is as fast as a copy. Tiles are staged, as GPUs have them; the first column has
direct ones, on the {BEFORE_ON}."""
ABOUT_OPERATIONS = """Counted on 2^17 entries in batches of 2^11, and grown to batches of the size below: all launches become
larger in proportion, a sort takes more passes, and a search by halving more steps. Tiles are staged unless it says otherwise."""
ABOUT_PAPER = f"""M/s, n/b = {BATCHES}. The paper's means are over all numbers of resident batches; insertions here too, queries
with all levels full. A ratio below that of the paper's own primitives above says what our kernels cost. The last column
has the kernel, and the bound, that take most of the modelled time."""
ABOUT_RIVALS = """In G/s. Published rates are each of their own hardware and conditions. Ours are **modelled**: all levels full, keys and
queries in no order, which costs more than sorted ones."""
ABOUT_OCCUPANCY = """The share of a multiprocessor's units that can be resident, from registers (NVIDIA's compiler, for AMD too) and bytes of
shared memory ([proof/cuda.tsv](../proof/cuda.tsv)), with workgroups of 256. These are the kernels, in the shape of GPUs, that reach at
most half on one of these cards, the least over all widths of values; all others reach more."""
OCCUPIED = ("A100", "H100", "MI300X")


def beside_a_copy(launch, card):
    """The time of a copy of as many bytes as a launch must move, by the launch's own time; and what binds it."""
    seconds, bound = bounds.seconds(launch, card)
    return launch.touched() * SECTOR / card.copy_rate() / seconds, bound


def shares_of_a_copy(file, cuda, card, tiles):
    """For each case and kernel, without its shape, how its largest launch compares with a copy, and what binds it."""
    largest = {}
    for case in counted.operations(file, cuda, card, tiles):
        for launch, _ in case.launches if case.structure == counted.CASE else ():
            key = case.name, launch.kernel.removesuffix(f"_{tiles}")
            if launch.touched() and (key not in largest or largest[key].size() < launch.size()):
                largest[key] = launch
    compared = {key: beside_a_copy(launch.times(GROWTH), card) for key, launch in largest.items()}
    return {key: f"{share:.2f} {bound}" for key, (share, bound) in compared.items()}


def kernels_section(file, cuda, all_cards, by_name):
    shares = {card.name: shares_of_a_copy(file, cuda, card, STAGED) for card in all_cards}
    before = shares_of_a_copy(file, cuda, by_name[BEFORE_ON], DIRECT)
    lines = [[name, f"`{kernel}`", before.get((name, kernel), "-"), *[shares[card.name].get((name, kernel), "-") for card in all_cards]]
             for name, kernel in shares[BEFORE_ON]]
    head = ["case", "kernel", f"{BEFORE_ON}, direct", *[card.name for card in all_cards]]
    return f"\n## Modelled: kernels beside a copy\n\n{ABOUT_KERNELS}\n\n" + table(head, lines)


def at_size(operations, operation, b):
    """An operation with batches of b entries."""
    return operation.times(b * BATCHES / operation.n, counted.sort_of(operations))


def rate(operation, card):
    return operation.operations / bounds.operation_seconds(operation.launches, operation.waits, card)


def operations_section(file, cuda, all_cards, b):
    rows = {}
    for card in all_cards:
        operations = counted.operations(file, cuda, card, STAGED)
        for operation in operations:
            if operation.structure != counted.CASE:
                cells = rows.setdefault((operation.name, operation.structure), {})
                cells[card.name] = short(rate(at_size(operations, operation, b), card) / 1e6)
    lines = [[*key, *[cells[card.name] for card in all_cards]] for key, cells in sorted(rows.items())]
    text = f"\n### b = 2^{b.bit_length() - 1}, n/b = {BATCHES}: modelled, M operations/s\n\n"
    return text + table(["operation", "structure", *[card.name for card in all_cards]], lines)


def least_occupancy(cuda, card):
    """For each kernel in the shape of GPUs the least share of units that can be resident, over all widths of values."""
    least = {}
    for kernel, needs in counted.resources(cuda, card.registers_as).items():
        if not kernel.endswith(DIRECT):
            name = re.sub("_[0124](?=_|$)", "", kernel.removesuffix(f"_{STAGED}"))
            least[name] = min(least.get(name, 1), bounds.occupancy(bounds.Launch(kernel, 1, **needs), card))
    return least


def occupancy_section(cuda, by_name):
    """The kernels that leave at least half of a multiprocessor's units idle."""
    shares = [least_occupancy(cuda, by_name[name]) for name in OCCUPIED]
    by_kernel = {kernel: [found[kernel] for found in shares] for kernel in shares[0]}
    lines = [[f"`{kernel}`", *[f"{100 * share:.3g} %" for share in found]]
             for kernel, found in sorted(by_kernel.items(), key=lambda item: (min(item[1]), item[0])) if min(found) <= 0.5]
    text = f"\n## Modelled: how full multiprocessors are\n\n{ABOUT_OCCUPANCY}\n\n"
    return text + table(["kernel", *OCCUPIED], lines)


def before_section(file, cuda, card):
    """The operations of the dictionary in both shapes."""
    rates = {}
    for tiles in (DIRECT, STAGED):
        operations = counted.operations(file, cuda, card, tiles)
        for operation in operations:
            if operation.structure == "gpu-lsm":
                rates[operation.name, tiles] = [rate(at_size(operations, operation, b), card) / 1e6 for b in SIZES]
    lines = []
    for name in dict.fromkeys(name for name, _ in rates):
        pairs = zip(rates[name, DIRECT], rates[name, STAGED])
        lines.append([name, *[cell for old, new in pairs for cell in (short(old), short(new), ratio(new, old))]])
    head = [f"b = 2^{b.bit_length() - 1}, {what}" for b in SIZES for what in ("direct", "staged", "ratio")]
    text = f"\n### gpu-lsm on the {card.name}, before and after kernels were staged: modelled, M operations/s\n\n"
    return text + table(["operation", *head], lines)


def most_of(operation, card, kernels):
    """The kernels, with what binds them, that take most of an operation's modelled time, and their shares of it."""
    whole = bounds.operation_seconds(operation.launches, operation.waits, card)
    times = {}
    for launch, often in operation.launches:
        seconds, bound = bounds.seconds(launch, card)
        times[launch.kernel, bound] = times.get((launch.kernel, bound), 0) + often * seconds
    top = sorted(times.items(), key=lambda item: -item[1])[:kernels]
    return ", ".join(f"`{kernel}` {100 * seconds / whole:.0f} % ({bound})" for (kernel, bound), seconds in top)


def shares_section(file, cuda, card, b):
    """Where the modelled time of each operation of the dictionary goes on one card."""
    operations = counted.operations(file, cuda, card, STAGED)
    lines = []
    for operation in operations:
        if operation.structure != "gpu-lsm":
            continue
        grown = at_size(operations, operation, b)
        whole = bounds.operation_seconds(grown.launches, grown.waits, card)
        launched = sum(often for _, often in grown.launches) * card.launch
        lines.append([operation.name, short(whole * 1e6), f"{100 * launched / whole:.0f} %",
                      f"{100 * grown.waits * card.wait / whole:.0f} %", most_of(grown, card, 3)])
    text = f"\n### Where the modelled time goes: {card.name}, b = 2^{b.bit_length() - 1}\n\n"
    return text + table(["operation", "us, all calls", "launches", "waits", "most of the rest"], lines)


def of_the_paper(operation):
    """The paper's rate of an operation of one of its structures, and the entries that it had; or nothing."""
    if operation.structure == "cuckoo_hash":
        case, entries = OF_THE_HASH.get(operation.name, (None, None))
        return (paper.published_hash()[case], entries) if case else None
    if operation.structure not in ("paper_lsm", "sorted_array") or operation.name not in OF_THE_PAPER:
        return None
    case, entries = OF_THE_PAPER[operation.name]
    rates = {name: cases for (_, name), cases in paper.published().items()}
    return rates[case][BATCHES][operation.structure == "sorted_array"], entries


def beside_the_paper(file, cuda, card):
    """Each operation that the paper measured, grown to the paper's size, with the paper's rate and the modelled one, in M/s."""
    operations = counted.operations(file, cuda, card, STAGED)
    for operation in operations:
        found = of_the_paper(operation)
        if found:
            published, entries = found
            grown = at_size(operations, operation, entries // BATCHES)
            yield grown, entries // BATCHES, published, rate(grown, card) / 1e6


def our_paper_section(file, cuda, card):
    """The paper's structures with our kernels, beside the paper's tables."""
    lines, reasons = [], []
    for operation, b, published, modelled in beside_the_paper(file, cuda, card):
        lines.append([operation.name, operation.structure, f"2^{b.bit_length() - 1}", short(published), short(modelled),
                      ratio(modelled, published), most_of(operation, card, 1)])
        if not 1 / 2 < modelled / published < 2:
            reasons.append(f"- **{operation.name}, {operation.structure}**: {WHY[operation.name, operation.structure]}\n")
    text = f"\n## The paper's structures with our kernels on the model's {card.name}\n\n{ABOUT_PAPER}\n\n"
    text += table(["operation", "structure", "b", "published", "modelled", "ratio", "most of it"], lines)
    return text + "\nOff by more than a factor of 2:\n\n" + "".join(reasons)


def rivals_section(file, cuda, cards):
    lines = [list(rival) for rival in RIVALS]
    for card in cards:
        for tiles in (DIRECT, STAGED):
            operations = counted.operations(file, cuda, card, tiles)
            ours = {operation.name: operation for operation in operations if operation.structure == "gpu-lsm"}
            for b in SIZES if ours else ():
                rates = [short(rate(at_size(operations, ours[name], b), card) / 1e9) for name in BESIDE_RIVALS]
                which = f"gpu-lsm, {tiles}, b = 2^{b.bit_length() - 1}: modelled"
                lines.append([which, *rates, f"the model's {card.name}"])
    text = f"\n## Beside others\n\n{ABOUT_RIVALS}\n\n"
    return text + table(["system", "insert", "lookup, present", "count, L = 8", "range, L = 8", "hardware"], lines)


def sections(file, cuda, all_cards, by_name):
    card = by_name[BEFORE_ON]
    text = kernels_section(file, cuda, all_cards, by_name) + occupancy_section(cuda, by_name)
    text += f"\n## Modelled: operations\n\n{ABOUT_OPERATIONS}\n"
    text += before_section(file, cuda, card)
    for b in SIZES:
        text += operations_section(file, cuda, all_cards, b) + shares_section(file, cuda, card, b)
    kepler = by_name["K40c"]
    return text + our_paper_section(file, cuda, kepler) + rivals_section(file, cuda, (kepler, card))
