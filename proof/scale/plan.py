"""When shards are split, joined and moved: the rules of `crates/gpu-lsm/src/sharded/plan.rs`.

`testdata/plan.tsv` holds both to the same steps.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Load:
    """The device of a shard, and its entries with the operations that are about to come."""

    place: int
    entries: int


@dataclasses.dataclass(frozen=True)
class Rules:
    """Shards to aim at; entries that are not worth a step; the share of each device; the most entries of a run."""

    shards: int
    few: int
    shares: tuple
    limit: int

    def next_step(self, loads):
        """The next step: ("split", shard, parts), ("join", shard) or ("move", shard, place). None if there is balance."""
        return self.split(loads) or self.join(loads) or self.relief(loads)

    def share(self, loads):
        return sum(load.entries for load in loads) // self.shards

    def room(self):
        return max(1, self.limit // 2)

    def parts(self, entries, share, missing):
        needed = -(-entries // self.room()) if entries > self.limit else 1
        shares = (entries + share // 2) // share
        if entries <= self.few:
            wanted = 1
        elif shares >= 2 and missing > 0:
            wanted = min(shares, missing + 1)
        elif 2 * entries > 3 * share:
            wanted = max(shares, 2)
        else:
            wanted = 1
        return max(needed, wanted)

    def split(self, loads):
        share, missing = max(1, self.share(loads)), max(0, self.shards - len(loads))
        parts = [self.parts(load.entries, share, missing) for load in loads]
        most = max(parts, default=1)
        # Of several, Rust's `max_by_key` takes the last.
        return ("split", len(parts) - 1 - parts[::-1].index(most), most) if most > 1 else None

    def join(self, loads):
        if len(loads) <= self.shards:
            return None
        both = [left.entries + right.entries for left, right in zip(loads, loads[1:])]
        least = min(both)
        return ("join", both.index(least)) if least <= min(self.share(loads), self.room()) else None

    def relief(self, loads):
        entries = [0] * len(self.shares)
        for load in loads:
            entries[load.place] += load.entries
        total = max(1, sum(entries))
        burdens = [there / (share * total) for there, share in zip(entries, self.shares)]
        highest, lowest = max(burdens), min(burdens)
        most, least = len(burdens) - 1 - burdens[::-1].index(highest), burdens.index(lowest)
        if highest <= 1.25 or entries[most] <= self.few:
            return None

        def fits(load):
            after = (entries[least] + load.entries) / (self.shares[least] * total)
            return load.place == most and 0 < load.entries <= self.room() and after < highest

        fitting = [(load.entries, shard) for shard, load in enumerate(loads) if fits(load)]
        return ("move", max(fitting)[1], least) if fitting else None
