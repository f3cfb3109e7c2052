"""The modelled rates of what was counted: kernels beside a copy, operations, and the paper's LSM with our kernels."""
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
#: Rates that others published for structures like these, in G/s.
RIVALS = [("GPU LSM paper", "0.225", "0.076", "K40c"),
          ("re-implemented LSM, sorted batches and queries", "6.2", "5 to 19", "RTX with 48 GB"),
          ("FliX, same conditions", "2.0", "9.3 to 11", "the same"),
          ("GPU B-Tree, same conditions", "0.26", "1.0", "the same"),
          ("MVGpuBTree, versioned", "0.26", "1.76", "A100"),
          ("cuCollections, a hash table", "10.9", "16.8", "H100")]


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
with all levels full. A ratio below that of the paper's own primitives above says what our kernels cost."""


def beside_a_copy(launch, card):
    """The time of a copy of as many bytes as a launch must move, by the launch's own time; and what binds it."""
    seconds, bound = bounds.seconds(launch, card)
    moved = (launch.load_compulsory + launch.store_compulsory) * SECTOR
    return moved / card.copy_rate() / seconds, bound


def shares_of_a_copy(file, cuda, card, tiles):
    """For each case and kernel, without its shape, how its largest launch compares with a copy, and what binds it."""
    largest = {}
    for case in counted.operations(file, cuda, card, tiles):
        for launch, _ in case.launches if case.structure == counted.CASE else ():
            key = case.name, launch.kernel.removesuffix(f"_{tiles}")
            if launch.load_compulsory + launch.store_compulsory and (key not in largest or largest[key].cubes < launch.cubes):
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


def shares_section(file, cuda, card, b):
    """Where the modelled time of each operation of the dictionary goes on one card."""
    operations = counted.operations(file, cuda, card, STAGED)
    lines = []
    for operation in operations:
        if operation.structure != "gpu-lsm":
            continue
        grown = at_size(operations, operation, b)
        whole = bounds.operation_seconds(grown.launches, grown.waits, card)
        times = {}
        for launch, often in grown.launches:
            seconds, bound = bounds.seconds(launch, card)
            times[launch.kernel, bound] = times.get((launch.kernel, bound), 0) + often * seconds
        launched = sum(often for _, often in grown.launches) * card.launch
        top = sorted(times.items(), key=lambda item: -item[1])[:3]
        most = ", ".join(f"`{kernel}` {100 * seconds / whole:.0f} % ({bound})" for (kernel, bound), seconds in top)
        lines.append([operation.name, short(whole * 1e6), f"{100 * launched / whole:.0f} %",
                      f"{100 * grown.waits * card.wait / whole:.0f} %", most])
    text = f"\n### Where the modelled time goes: {card.name}, b = 2^{b.bit_length() - 1}\n\n"
    return text + table(["operation", "us, all calls", "launches", "waits", "most of the rest"], lines)


def our_paper_section(file, cuda, card):
    """The paper's LSM with our kernels, beside the paper's tables."""
    operations = counted.operations(file, cuda, card, STAGED)
    rates = {case: cases for (_, case), cases in paper.published().items()}
    lines = []
    for operation in operations:
        if operation.structure in ("paper_lsm", "sorted_array") and operation.name in OF_THE_PAPER:
            case, entries = OF_THE_PAPER[operation.name]
            published = rates[case][BATCHES][operation.structure == "sorted_array"]
            modelled = rate(at_size(operations, operation, entries // BATCHES), card) / 1e6
            b = f"2^{(entries // BATCHES).bit_length() - 1}"
            lines.append([operation.name, operation.structure, b, short(published), short(modelled),
                          ratio(modelled, published)])
    text = f"\n## The paper's structures with our kernels on the model's {card.name}\n\n{ABOUT_PAPER}\n\n"
    return text + table(["operation", "structure", "b", "published", "modelled", "ratio"], lines)


def rivals_section():
    text = "\n## Beside others\n\nPublished, in G/s, each on its own hardware and under its own conditions.\n\n"
    return text + table(["system", "insert", "lookup", "hardware"], [list(rival) for rival in RIVALS])


def sections(file, cuda, all_cards, by_name):
    card = by_name[BEFORE_ON]
    text = kernels_section(file, cuda, all_cards, by_name) + f"\n## Modelled: operations\n\n{ABOUT_OPERATIONS}\n"
    text += before_section(file, cuda, card)
    for b in SIZES:
        text += operations_section(file, cuda, all_cards, b) + shares_section(file, cuda, card, b)
    return text + our_paper_section(file, cuda, by_name["K40c"]) + rivals_section()
