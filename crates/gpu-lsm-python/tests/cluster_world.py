"""A cluster without Ray: callers, a log and shards that die and come back; messages are lost, repeated and delayed."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from cluster_places import Content, LogPlace, ShardPlace, UnreliableShard, UnreliableTape, applied
from gpu_lsm.cluster.errors import MomentGoneError, ReshapeError
from gpu_lsm.cluster.follower import Follower
from gpu_lsm.cluster.layout import Catalog, Place, Shard
from gpu_lsm.cluster.operations import Operations, decode, digest
from gpu_lsm.cluster.sequencer import Moment, Sequencer
from gpu_lsm.errors import DamagedError, FencedError, OtherBatchError, OutOfOrderError, UnavailableError

KEYS = 16
TOP = (1 << 32) - 1
WORD = np.dtype(np.uint32)
HISTORY = 4


def random_operations(chance: random.Random) -> Operations:
    """A small batch of any kind."""
    if chance.random() < 0.15:
        lower = chance.randrange(KEYS)
        nothing = np.empty(0, WORD)
        return Operations(np.array([lower], WORD), nothing, nothing, np.array([lower + chance.randrange(5)], WORD))
    count = chance.randrange(1, 5)
    columns = [[chance.randrange(limit) for _ in range(count)] for limit in (KEYS, 1000, 3)]
    keys, values, kinds = (np.array(column, WORD) for column in columns)
    return Operations(keys, values, (kinds == 0).astype(WORD))


@dataclass
class Caller:
    """Numbers its batches, and repeats one until it is acknowledged."""

    name: str
    number: int = 1
    batch: Operations | None = None
    acknowledged: dict[int, int] = field(default_factory=dict)


@dataclass
class Actor:
    """A running shard: one of possibly several processes that believe to be it."""

    shard: Shard
    store: UnreliableShard
    follower: Follower


class World:
    """One history, chosen by a seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.failures = self.chance.choice([0.0, 0.1, 0.3])
        self.log = LogPlace()
        self.places: dict[str, ShardPlace] = {}
        cut = self.chance.randrange(1, KEYS)
        shards = (Shard(0, 0, cut - 1, 0, Place(), "a"), Shard(1, cut, TOP, 0, Place(), "b"))
        self.new = Catalog("u32", "u32", shards, 2)
        self.callers = [Caller(str(i)) for i in range(self.chance.randrange(1, 4))]
        self.messages: list[tuple[Caller, int, Operations]] = []
        self.zombies: list[Actor] = []
        self.old_logs: list[Sequencer] = []
        self.old_moments: list[Moment] = []
        self.sequencer = self._opened()
        self.actors = {shard.name: self._started(shard) for shard in shards}

    def step(self) -> None:
        """Something happens."""
        steps = [self.send, self.send, self.deliver, self.deliver, self.follow, self.follow, self.make_durable]
        steps += [self.read, self.trim, self.restart_shard, self.restart_log, self.reshape, self.wake_zombie]
        self.chance.choice(steps)()

    def send(self) -> None:
        """A caller sends its batch, for the first time or again."""
        caller = self.chance.choice(self.callers)
        caller.batch = caller.batch or random_operations(self.chance)
        self.messages.append((caller, caller.number, caller.batch))

    def deliver(self) -> None:
        """A message arrives, whichever, and perhaps once more later."""
        if not self.messages:
            return
        message = self.chance.choice(self.messages)
        if self.chance.random() < 0.6:
            self.messages.remove(message)
        self._receive(self.sequencer, *message)

    def follow(self) -> None:
        """A shard reads some of the log, perhaps what it has read already."""
        actor = self.chance.choice(list(self.actors.values()))
        after = max(actor.shard.base, actor.follower.durable - self.chance.choice([0, 0, 1]))
        try:
            parts = self.sequencer.parts(actor.shard.name, after, self.chance.choice([1, 1000]))
        except DamagedError:
            # Only what it has read already may be gone.
            assert after < actor.follower.durable
            return
        for number, operations in parts.parts:
            actor.follower.apply(number, operations)
        self.sequencer.report(actor.shard.name, actor.follower.settle())

    def make_durable(self) -> None:
        """A shard's store writes some of what it was given."""
        self.chance.choice(list(self.actors.values())).store.write_some(self.chance.randrange(1, 4))

    def trim(self) -> None:
        """The log forgets what all shards have."""
        below = self.sequencer.trimmable()
        self.sequencer._tape.trim(below)
        self.sequencer.trim(below)

    def restart_shard(self) -> None:
        """A shard dies, or seems to: then its process goes on."""
        actor = self.chance.choice(list(self.actors.values()))
        self.zombies.append(actor)
        self.actors[actor.shard.name] = self._started(actor.shard)

    def restart_log(self) -> None:
        """The log dies, or seems to."""
        self.old_logs.append(self.sequencer)
        self.sequencer = self._opened()

    def wake_zombie(self) -> None:
        """A process that was replaced tries to go on."""
        if self.zombies:
            zombie = self.chance.choice(self.zombies)
            if not zombie.follower.is_settled:
                self._refused(lambda: zombie.store.write_some(1))
        if self.old_logs and self.messages:
            caller, number, batch = self.chance.choice(self.messages)
            old = self.chance.choice(self.old_logs)
            before = len(self.log.history)
            try:
                encoded = batch.encode()
                old.accept(caller.name, number, digest(encoded), encoded)
            except (OtherBatchError, OutOfOrderError):
                return
            if entries := old.take():
                self._refused(lambda: old._tape.write(entries))
            assert len(self.log.history) == before

    def read(self) -> None:
        """Somebody reads everything as of one moment, a new one or an old one."""
        moment = self.sequencer.now()
        self.old_moments.append(moment)
        if self.chance.random() < 0.4:
            moment = self.chance.choice(self.old_moments)
        content: Content = {}
        for shard in moment.shards:
            actor = self.actors.get(shard.name)
            if actor is None or actor.follower.applied < moment.number:
                return
            try:
                content |= actor.follower.at(moment.number)
            except MomentGoneError:
                return
        assert content == self.expected(moment.number)

    def reshape(self) -> None:
        """Neighbours are replaced by one shard or two, unless something comes between."""
        shards = self.sequencer.now().shards
        first = self.chance.randrange(len(shards))
        gone = shards[first : first + self.chance.choice([1, 1, 2])]
        lower, upper = gone[0].lower, gone[-1].upper
        cuts = [lower + 1 + self.chance.randrange(KEYS)] if self.chance.random() < 0.5 else []
        starts = [lower, *(cut for cut in cuts if cut <= upper)]
        ranges = list(zip(starts, [*(start - 1 for start in starts[1:]), upper], strict=True))
        joined = self.sequencer.join(ranges, [Place()] * len(ranges))
        try:
            for shard in joined:
                self._copy(shard, gone)
            for _ in range(self.chance.randrange(4)):
                self.chance.choice([self.send, self.deliver, self.follow, self.restart_log, self.trim])()
            self.sequencer.replace([shard.name for shard in gone], [shard.name for shard in joined])
            self._flush(self.sequencer)
        except (MomentGoneError, ReshapeError):
            self.sequencer.leave([shard.name for shard in joined])
            present = {shard.name for shard in self.sequencer.now().shards}
            for shard in joined:
                if shard.name not in present:
                    self.actors.pop(shard.name, None)
        self._tidy()

    def finish(self) -> None:
        """Everybody gets through, and everything is as it should be."""
        self.failures = 0.0
        self.restart_log()
        for caller in self.callers:
            while caller.batch is not None:
                self._receive(self.sequencer, caller, caller.number, caller.batch)
        self._tidy()
        for _ in range(1000):
            if all(actor.follower.durable == self.sequencer.committed for actor in self.actors.values()):
                break
            self.follow()
            self.make_durable()
        self._check_callers()
        moment = self.sequencer.now()
        found: Content = {}
        for shard in moment.shards:
            found |= self.actors[shard.name].follower.at(moment.number)
        assert found == self.expected(moment.number)

    def expected(self, number: int) -> Content:
        """What everything that was ever written up to a number makes."""
        content: Content = {}
        for entry in self.log.history:
            if entry.number <= number:
                content = applied(content, decode(entry.encoded, WORD))
        return content

    def _check_callers(self) -> None:
        """Every batch counts once, in the order of its caller, and where its caller was told."""
        assert [entry.number for entry in self.log.history] == list(range(1, len(self.log.history) + 1))
        for caller in self.callers:
            theirs = [entry for entry in self.log.history if entry.caller == caller.name]
            assert [entry.last.number for entry in theirs if entry.last] == list(range(1, caller.number))
            commits = {entry.last.number: entry.number for entry in theirs if entry.last}
            assert caller.acknowledged == commits

    def _receive(self, sequencer: Sequencer, caller: Caller, number: int, batch: Operations) -> None:
        encoded = batch.encode()
        try:
            commit = sequencer.accept(caller.name, number, digest(encoded), encoded)
        except OutOfOrderError:
            assert number != caller.number, "the batch that a caller waits for is always the next one"
            return
        if commit > sequencer.committed and not self._flush(sequencer):
            return
        self._acknowledge(caller, number, commit)

    def _acknowledge(self, caller: Caller, number: int, commit: int) -> None:
        assert caller.acknowledged.setdefault(number, commit) == commit
        if number == caller.number:
            caller.number, caller.batch = number + 1, None

    def _flush(self, sequencer: Sequencer) -> bool:
        """Writes what was accepted. If that fails, the process ends and another takes over."""
        entries = sequencer.take()
        try:
            sequencer._tape.write(entries)
        except UnavailableError:
            self.restart_log()
            return False
        sequencer.commit(entries)
        return True

    def _opened(self) -> Sequencer:
        tape = UnreliableTape(self.log, self.chance, self.failures)
        sequencer = Sequencer(tape, self.new)
        if entries := sequencer.take():
            try:
                tape.write(entries)
            except UnavailableError:
                return self._opened()
            sequencer.commit(entries)
        return sequencer

    def _started(self, shard: Shard) -> Actor:
        store = UnreliableShard(self.places.setdefault(shard.name, ShardPlace()))
        return Actor(shard, store, Follower(store, shard.base, HISTORY))

    def _copy(self, shard: Shard, sources: tuple[Shard, ...]) -> None:
        entries: Content = {}
        for source in sources:
            follower = self.actors[source.name].follower
            if follower.applied < shard.base:
                raise MomentGoneError("the shard is behind")
            follower.pin(shard.base)
            entries |= follower.at(shard.base)
            follower.unpin(shard.base)
        actor = self._started(shard)
        actor.store.copy({key: value for key, value in entries.items() if shard.lower <= key <= shard.upper})
        self.actors[shard.name] = self._started(shard)

    def _tidy(self) -> None:
        """Ends actors that nobody asks any more, and starts those that are missing."""
        present = {shard.name: shard for shard in self.sequencer.now().shards}
        self.actors = {name: actor for name, actor in self.actors.items() if name in present}
        for name, shard in present.items():
            if name not in self.actors:
                self.actors[name] = self._started(shard)

    def _refused(self, write: Callable[[], None]) -> None:
        try:
            write()
        except FencedError:
            return
        raise AssertionError("a process that was replaced could write")
