"""All figures of docs/scale.md and of its plots, computed once."""
import functools

import costs
import hot
import ingest
import limits
import memory
import recovery
import store
from assumptions import Assumptions

#: A batch of all cards.
BATCH = 2**26
#: The batches of the plot of limits.
BATCHES = [2**power for power in range(14, 35)]
WINDOWS = (1, 2, 4, 8, 16, 32)
#: Batches between checkpoints: from a few MB of log for each card to some GB.
INTERVALS = (3, 11, 45, 250, 900, 3500)
#: The same, so that checkpoints fall on large merges.
ALIGNED = (4, 16, 64, 256, 1024, 4096)
#: The batches that 1,000 cards are simulated for.
TOGETHER = 128
#: Entries that are inserted while a hot range is watched, in steps.
HOT_STEP, HOT_STEPS = 5e8, 80
HOT_SHARES = (0.5, 0.1)
SIZES = (10**9, 10**10, 10**11, 10**12, 10**13)


class Figures:
    """Each figure is computed when it is asked for, and then kept."""

    def __init__(self):
        self.a = Assumptions()
        self.costs = costs.Costs(costs.card_called(self.a.card), self.a.width)
        self.part = round(BATCH / self.a.shards)
        #: The log of all cards between checkpoints, as one would set it.
        self.log_bytes = self.a.cards * self.a.checkpoint_bytes

    @functools.cached_property
    def cycle(self):
        """The seconds of each batch on a card, over a whole cycle of merges."""
        batches = round(1.2 * self.a.shard_entries / self.part)
        times, _ = ingest.shard_times(self.a, self.costs, self.part, batches)
        return [self.a.shards_a_card * seconds for seconds in times]

    @functools.cached_property
    def together(self):
        return ingest.cluster_times(self.a, self.costs, self.part, TOGETHER)

    @functools.cached_property
    def windows(self):
        """Entries per second of all cards by the number of batches that a card may be ahead."""
        entries = self.part * self.a.shards * TOGETHER
        return {window: entries / ingest.total_seconds(self.together, window) for window in WINDOWS}

    @functools.cached_property
    def in_the_mean(self):
        """Entries per second of all cards if none waits for another."""
        return self.part * self.a.shards / (sum(self.cycle) / len(self.cycle))

    @functools.cached_property
    def drift(self):
        """The different states of 48 shards after 1,000 batches, by b / the mean part."""
        return {slack: ingest.drift(self.a, self.part, slack, 48, 1000) for slack in (1.0, 1.05)}

    @functools.cached_property
    def checkpoints(self):
        return store.checkpoints(self.a, self.part, INTERVALS + ALIGNED)

    @functools.cached_property
    def checkpoint(self):
        """Checkpoints with 256 MiB of log for each card."""
        return self.checkpoints[250]

    @functools.cached_property
    def limits(self):
        return limits.limits(self.a, self.costs, self.checkpoint)

    @functools.cached_property
    def levels(self):
        """The levels of a shard in the middle of its cycle of merges."""
        return recovery.levels_in_use(self.a, self.part)

    def recovery(self, cards, machines, start, **more):
        log_bytes = more.pop("log_bytes", self.log_bytes)
        return recovery.recovery(self.a, self.costs, self.levels, self.part, log_bytes, cards, machines, start, **more)

    def log_of(self, every):
        """The bytes of log for each card in so many batches."""
        return every * self.part * self.a.shards_a_card * self.a.entry_bytes

    @functools.cached_property
    def recoveries(self):
        """Seconds to recover a rack, by the batches between checkpoints: records divided by cards, and not."""
        rack = self.a.cards_a_machine * self.a.machines_a_rack, self.a.machines_a_rack, self.a.node_back
        return {whole: [self.recovery(*rack, log_bytes=self.a.cards * self.log_of(every), whole_log=whole).total()
                        for every in INTERVALS] for whole in (False, True)}

    def manifest(self, entries, file_entries, cells=1):
        """The bytes of a manifest if there were so many entries, and files were so large."""
        changed = Assumptions(entries=entries, cards=max(1, round(self.a.cards * entries / self.a.entries)),
                              file_entries=file_entries)
        return store.manifest_bytes(changed, self.levels, max(1, changed.shards // cells))

    @functools.cached_property
    def hot_ranges(self):
        """For each share of the inserts that one shard's range gets: the busiest card's part of a batch, and cards that share
        the range, step by step."""
        found = {}
        for share in HOT_SHARES:
            keys = hot.Range(self.a, share, 0.5, 0.5 + 1 / self.a.shards)
            found[share] = [(keys.insert(HOT_STEP) / HOT_STEP, keys.hot_cards(), keys.splits) for _ in range(HOT_STEPS)]
        return found

    @functools.cached_property
    def overwritten(self):
        return {heat: hot.overwritten(self.a, self.part, heat) for heat in (2, 10, 100)}

    @functools.cached_property
    def card_peak(self):
        return memory.card_peak(self.a, self.part)

    @functools.cached_property
    def one_card(self):
        """Entries per second of a dictionary with 10^9 entries on one card, in batches of 2^20."""
        alone = Assumptions(entries=10**9, cards=1, shards_a_card=1)
        return ingest.card_rate(alone, self.costs, 2**20)

    @functools.cached_property
    def lookup_rate(self):
        """Lookups per second of a card whose shards are in the middle of their cycle."""
        return self.costs.lookup_rate(self.levels.runs())

    @functools.cached_property
    def capacities(self):
        """Entries that fit a card and a host's memory, by the bytes of a key and of a value."""
        return {(name, size): memory.capacity(bytes_, size, size)
                for name, bytes_ in (("24 GB", 24e9), ("80 GB", 80e9), ("192 GB", 192e9), ("2 TB", 2e12)) for size in (4, 8)}
