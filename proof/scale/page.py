"""Writes docs/scale.md: the text of `scale.md.in` with figures in place of their names."""
import pathlib
import re
import statistics

import figures as all_figures
import store
from assumptions import Assumptions
from limits import limits
from placement import footprint
from recovery import lost_seconds_a_day

TEXT = pathlib.Path(__file__).with_name("scale.md.in")
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/scale.md"
NAME = re.compile(r"<<(\w+)>>")
RATE = 1e9
#: Insertions that others published, in G/s, and bytes of memory for an entry of 8 bytes. `proof/model/ours.py` has more rates.
PEERS = [("GPU LSM paper", "one card", "no", "0.225", "-", "K40c"),
         ("re-implemented LSM, sorted batches", "one card", "no", "6.2", "26.8", "RTX with 48 GB"),
         ("FliX, the same", "one card", "no", "2.0", "12.4", "the same"),
         ("GPU B-Tree, the same", "4 GiB of a card", "no", "0.26", "13.9", "the same"),
         ("MVGpuBTree, versioned", "a part of a card", "no", "0.26", "-", "A100"),
         ("cuCollections, a hash table without order", "one card", "no", "10.9", "-", "H100"),
         ("LMDB, RocksDB, redb", "a disk", "yes", "0.0005, 0.0004, 0.0003", "-", "Ryzen 9950X3D")]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def short(number):
    """Two significant digits, with a power of ten if it is large."""
    if number == 0 or 0.01 <= number < 10_000:
        return f"{float(f'{number:.2g}'):,g}"
    mantissa, exponent = f"{number:.1e}".split("e")
    return f"{mantissa} * 10^{int(exponent)}"


def dollars(amount):
    return f"$ {round(float(f'{amount:.2g}')):,}"


def capacities(f):
    rows = [[place, *[short(f.capacities[memory, size] / 1e9 * times) for size in (4, 8)]]
            for place, memory, times in (("one card of 24 GB", "24 GB", 1), ("one card of 80 GB", "80 GB", 1),
                                         ("one card of 192 GB", "192 GB", 1), ("one machine, 8 cards of 80 GB", "80 GB", 8),
                                         ("one machine, 2 TB of its own memory, no card", "2 TB", 1))]
    return table(["where", "billions of entries of 8 bytes", "of 16 bytes"], rows)


def cell_limits(f):
    """The limits of one cell, by name, for its part of a batch of all."""
    cell = Assumptions(cards=f.a.cards_a_machine, entries=f.a.entries / f.a.machines)
    return {limit.name: limit.rate for limit in limits(cell, f.costs, f.checkpoint)}


def limits_table(f):
    cells, machines = cell_limits(f), f.a.machines
    rows = [[f"**{limit.name}**" if limit.is_hard else limit.name, short(limit.rate(2**20)), short(limit.rate(all_figures.BATCH)),
             short(machines * cells[limit.name](all_figures.BATCH / machines)), limit.remedy]
            for limit in sorted(f.limits, key=lambda limit: limit.rate(all_figures.BATCH))]
    return table(["what", "batches of 2^20", "of 2^26", f"of 2^26, {machines} cells", "what one would do"], rows)


def writes_table(f):
    a, rows = f.a, []
    for every in all_figures.INTERVALS:
        made, log_bytes = f.checkpoints[every], a.cards * f.log_of(every)
        creates = store.creates_per_second(a, RATE, all_figures.BATCH, log_bytes, made.files)
        price, _ = store.monthly_price(a, sum(creates.values()), 0)
        rows.append([short(f.log_of(every) / 2**20), short(log_bytes / (RATE * a.entry_bytes)), short(1 + made.bytes / a.entry_bytes),
                     short(RATE * (a.entry_bytes + made.bytes) / 1e9), short(creates["records"] + creates["parts"]),
                     short(creates["files"]), dollars(price)])
    head = ["MiB of log for each card", "seconds between checkpoints", "bytes by bytes inserted", "GB/s", "creates/s, log",
            "creates/s, files of runs", "creates, a month"]
    return table(head, rows)


def recoveries_table(f):
    a = f.a
    rack = a.cards_a_machine * a.machines_a_rack
    cases = [("a card, on its machine", 1, 1, a.actor_back), ("a machine, on a spare one", a.cards_a_machine, 1, a.node_back),
             ("a rack, on a spare rack", rack, a.machines_a_rack, a.node_back),
             ("a rack, on all other machines", rack, a.machines - a.machines_a_rack, a.node_back)]
    rows = []
    for name, cards, machines, start in cases:
        divided = f.recovery(cards, machines, start)
        whole = f.recovery(cards, machines, start, whole_log=True)
        rows.append([name, *map(short, (divided.start, divided.manifest, divided.load, divided.log + divided.replay, divided.total(),
                                        whole.total()))])
    head = ["what is lost", "start", "manifest", "load", "read and replay the log", "in all", "in all, if the log is not divided"]
    return table(head, rows)


def peers_table():
    resident, _ = footprint(10**9, 2**20, 2**20, 4, 4)
    ours = ["gpu-lsm", "one process, or with Ray one log (tried on one machine); this is the plan for more", "yes", "not measured", f"{short(resident / 1e9)} (computed)", "-"]
    return table(["system", "ends at", "saved", "insert, G/s, published", "bytes of an 8-byte entry", "on"], [ours, *PEERS])


def assumptions_table(a):
    rows = [[assumption.what, assumption.shown, assumption.kind, assumption.source] for assumption in a.all.values()]
    return table(["assumption", "value", "where it is from", "source"], rows)


def values(f):
    """The figures of the text by their names."""
    a, machine = f.a, 8 * f.capacities["80 GB", 8]
    hot_path, median = f.hot_ranges[0.5], statistics.median(f.cycle)
    lookups_network = a.card_network / 20
    manifest = f.manifest(a.entries, a.file_entries)
    machine_recovery = f.recovery(a.cards_a_machine, 1, a.node_back).total()
    lost = lost_seconds_a_day(a, machine_recovery)
    stored = a.shards * sum(run * store.stored_bytes(a, run) for run in f.levels.runs())
    caller_batches = a.calls_per_second / a.cards
    return {
        "entries": "10^12", "cards": f"{a.cards:,}", "machines": a.machines, "shards": f"{a.shards:,}", "card": a.card,
        "capacities": capacities(f), "machine_16": f"{short(machine / 1e9)} billion",
        "machine_days": short(machine / 1e5 / 86_400), "card_insert": short(f.one_card / 1e9),
        "lookups_card": short(min(f.lookup_rate, 1e12) / 1e9), "lookups_network": short(lookups_network / 1e9),
        "lookups_all": short(a.cards * min(f.lookup_rate, lookups_network) / 1e12),
        "most_entries": short(most_entries(f)), "card_peak": short(f.card_peak / 1e9), "card_gb": round(a.card_bytes / 1e9),
        "part": f"{f.part:,}", "limits": limits_table(f), "small_batch": short(min(limit.rate(2**14) for limit in f.limits if limit.is_hard) / 1e6),
        "median_ms": short(median * 1e3), "worst_ms": short(max(f.cycle) * 1e3),
        "cycle": f"{round(a.shard_entries / f.part / 1000):,},000", "drift_1": f.drift[1.0], "drift_5": f.drift[1.05],
        "lockstep_loss": short(f.in_the_mean / f.windows[1]), "window_32": round(100 * f.windows[32] / f.in_the_mean),
        "runs": len(f.levels.runs()), "caller_batches": short(caller_batches),
        "caller_lookups": short(caller_batches * 2**20 / 1e6), "caller_ms": short(1e3 / caller_batches), "writes": writes_table(f),
        "stored_entry": f"{store.stored_bytes(a, a.shard_entries):.1f}", "stored_small": f"{store.stored_bytes(a, f.part):.1f}",
        "stored_tb": short(stored / 1e12), "storage_price": dollars(store.monthly_price(a, 0, stored)[1]),
        "manifest_mb": short(manifest / 1e6), "files": f"{file_count(f):,}",
        "manifest_share": round(100 * manifest / a.checkpoint_bytes), "recoveries": recoveries_table(f), "whole_log": short(f.log_bytes / a.store_rate),
        "failures_day": short(a.failures * a.cards), "lost_card": short(lost), "availability": f"{100 - lost / 864:.3f}",
        "hot_first": round(100 * hot_path[0][0]), "hot_until": short(hot_until(hot_path)), "hot_last": short(100 * hot_path[-1][0]),
        "hot_total": short(all_figures.HOT_STEPS * all_figures.HOT_STEP / 1e9), "hot_cards": hot_path[-1][1],
        "hot_splits": hot_path[-1][2], "hot_10": f"{f.overwritten[10][0]:.2f}", "hot_100": f"{f.overwritten[100][0]:.2f}",
        "hot_half": f"{f.overwritten[100][0] / 2:.2f}", "hot_100_after": f"{100 * f.overwritten[100][1]:.0f} %",
        "cell_manifest": short(f.manifest(a.entries, a.file_entries, a.machines) / 1e6),
        "cell_rate": short(RATE / a.machines / 1e6), "rack_cells": a.machines_a_rack,
        "peers": peers_table(), "assumptions": assumptions_table(a),
    }


def most_entries(f):
    """The most entries of a shard by its live ones, in a cycle."""
    levels, most = all_figures.ingest.filled(f.a, f.part), 0
    for _ in range(round(2 * f.a.shard_entries / f.part)):
        levels.insert(f.part)
        most = max(most, levels.entries())
    return most / f.a.shard_entries


def file_count(f):
    return round(f.a.shards * sum(-(-run // f.a.file_entries) for run in f.levels.runs()), -3)


def hot_until(path):
    """The billions of entries until the busiest card has less than nine tenths of what it had first."""
    at = next(at for at, (part, _, _) in enumerate(path) if part < 0.9 * path[0][0])
    return at * all_figures.HOT_STEP / 1e9


def text(f):
    found = values(f)
    return NAME.sub(lambda name: str(found[name[1]]), TEXT.read_text())
