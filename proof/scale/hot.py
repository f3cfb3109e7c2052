"""Hot ranges: what becomes of ingestion if much of it goes to few keys, and when shards split. SIMULATED.

Splits, joins and moves are those of `plan.py`. A batch takes as long as the card with the most of it.
"""
import bisect
import dataclasses

from placement import Lengths
from plan import Load, Rules


@dataclasses.dataclass
class Shard:
    start: float
    place: int


class Range:
    """New keys, of which a part goes to one narrow range: keys are numbers from 0 to 1."""

    def __init__(self, assumptions, hot_share, hot_from, hot_to):
        self.assumptions, self.hot_share, self.hot_from, self.hot_to = assumptions, hot_share, hot_from, hot_to
        self.cold, self.hot = float(assumptions.entries), 0.0
        shards, cards = assumptions.shards, assumptions.cards
        self.shards = [Shard(at / shards, at * cards // shards) for at in range(shards)]
        self.rules = Rules(shards, 2**16, (1 / cards,) * cards, 2**31 // assumptions.key_bytes)
        self.moved = self.copied = self.splits = 0

    def hot_part(self, start, end):
        """The part of the hot range that is between two keys."""
        inside = max(0.0, min(end, self.hot_to) - max(start, self.hot_from))
        return inside / (self.hot_to - self.hot_from)

    def entries(self, start, end):
        return self.cold * (end - start) + self.hot * self.hot_part(start, end)

    def ends(self):
        return [shard.start for shard in self.shards[1:]] + [1.0]

    def loads(self):
        return [Load(shard.place, round(self.entries(shard.start, end))) for shard, end in zip(self.shards, self.ends())]

    def insert(self, batch):
        """Balances, as a dictionary does before a batch, and inserts it. Returns the most entries that one card gets."""
        self.cold += batch * (1 - self.hot_share)
        self.hot += batch * self.hot_share
        self.balance()
        parts = [0.0] * self.assumptions.cards
        for shard, end in zip(self.shards, self.ends()):
            of_hot = self.hot_share * self.hot_part(shard.start, end)
            parts[shard.place] += batch * (of_hot + (1 - self.hot_share) * (end - shard.start))
        return max(parts)

    def balance(self):
        loads = self.loads()
        while step := self.rules.next_step(loads):
            what, at, *more = step
            if what == "split":
                self.split(at, more[0], loads)
            elif what == "join":
                self.copied += loads[at].entries + loads[at + 1].entries
                loads[at] = Load(loads[at].place, loads[at].entries + loads[at + 1].entries)
                del self.shards[at + 1], loads[at + 1]
            else:
                self.moved += loads[at].entries
                self.shards[at].place = more[0]
                loads[at] = Load(more[0], loads[at].entries)

    def split(self, at, parts, loads):
        shard, end = self.shards[at], self.ends()[at]
        whole = self.entries(shard.start, end)
        starts = [shard.start] + [self.quantile(shard.start, end, whole * part / parts) for part in range(1, parts)]
        self.shards[at:at + 1] = [Shard(start, shard.place) for start in starts]
        loads[at:at + 1] = [Load(shard.place, round(self.entries(start, stop)))
                            for start, stop in zip(starts, [*starts[1:], end])]
        self.splits += 1
        self.copied += round(whole)

    def quantile(self, start, end, entries):
        """The key below which there are so many entries of a shard."""
        return bisect.bisect_left(Keys(start, end), entries, key=lambda key: self.entries(start, key)) / Keys.STEPS \
            * (end - start) + start

    def hot_cards(self):
        """The number of cards that share the hot range."""
        return len({shard.place for shard, end in zip(self.shards, self.ends()) if self.hot_part(shard.start, end) > 0})


class Keys:
    """Keys between two others, in equal steps, as a sequence that can be searched."""

    STEPS = 2**30

    def __init__(self, start, end):
        self.start, self.end = start, end

    def __len__(self):
        return self.STEPS

    def __getitem__(self, at):
        return self.start + (self.end - self.start) * at / self.STEPS


def overwritten(assumptions, part, heat):
    """A shard whose keys are overwritten `heat` times as often as those of all others, until all have had a whole cycle.

    Returns the most entries that it has, by its share of all, and by how many of its keys were overwritten until it had one
    and a half shares, if ever: then it would be split.
    """
    hot, others = (Lengths(part, keys=assumptions.shard_entries) for _ in range(2))
    for levels in (hot, others):
        levels.place(assumptions.shard_entries)
    most, split_after, written = 0.0, None, 0
    for _ in range(round(assumptions.shard_entries / part)):
        others.insert(part)
        hot.insert(round(heat * part))
        written += heat * part
        shares = hot.entries() / others.entries()
        most = max(most, shares)
        if split_after is None and shares > 1.5:
            split_after = written / assumptions.shard_entries
    return most, split_after
