"""A shard's rules, without Ray: batches in their order, exactly once, and the states of the last moments."""

import time
from collections import OrderedDict, deque
from typing import Any, Protocol

from ..errors import DamagedError
from .errors import MomentGoneError
from .operations import Operations


class Awaited(Protocol):
    """A batch that may not be durable yet."""

    def done(self) -> bool:
        """Whether `wait` would return or raise at once."""

    def wait(self) -> int:
        """Waits until it is durable; raises if it never will be."""


class Kept(Protocol):
    """A durable dictionary. Whoever opens one takes it over: its former owner can't write any more."""

    def last_of(self, caller: str) -> int:
        """The number of a caller's last batch."""

    def submit(self, operations: Operations, caller: str, number: int) -> Awaited:
        """Applies a batch once, however often it is repeated."""

    def state(self) -> Any:
        """The current state, which later batches don't change."""


class Follower:
    """Applies the batches of the log to a durable dictionary, and knows the states after each of the last ones."""

    def __init__(self, kept: Kept, base: int, history: int) -> None:
        self._kept, self._base, self._history = kept, base, history
        self._caller = f"log from {base}"
        self.applied = self.durable = base + kept.last_of(self._caller)
        self._states: OrderedDict[int, Any] = OrderedDict({self.applied: kept.state()})
        self._unsure: deque[tuple[int, Awaited]] = deque()
        self._pins: dict[int, tuple[float, Any]] = {}

    @property
    def is_settled(self) -> bool:
        """Whether all that was applied is durable."""
        return not self._unsure

    def apply(self, number: int, operations: Operations) -> None:
        """Applies the next batch. One that was applied before changes nothing."""
        if number <= self.applied:
            return
        if number != self.applied + 1:
            raise DamagedError(f"batch {number} came after batch {self.applied}")
        receipt = self._kept.submit(operations, self._caller, number - self._base)
        self._unsure.append((number, receipt))
        self._states[number] = self._kept.state()
        # Last, because others may ask for the state as soon as they see the number.
        self.applied = number
        while len(self._states) > self._history:
            self._states.popitem(last=False)

    def settle(self) -> int:
        """The number up to which all is durable, as far as is known by now."""
        while self._unsure and self._unsure[0][1].done():
            number, receipt = self._unsure.popleft()
            receipt.wait()
            self.durable = number
        return self.durable

    def at(self, number: int) -> Any:
        """The state after a batch."""
        if number in self._pins:
            state = self._pins[number][1]
            self._pins[number] = time.monotonic(), state
            return state
        state = self._states.get(number)
        if state is None:
            raise MomentGoneError(f"batch {number} is not among the last {self._history} up to {self.applied}")
        return state

    def pin(self, number: int) -> None:
        """Keeps the state after a batch until it is unpinned."""
        self._pins[number] = time.monotonic(), self.at(number)

    def unpin(self, number: int) -> None:
        """Gives up a state that was kept."""
        self._pins.pop(number, None)

    def unpin_idle(self, seconds: float) -> None:
        """Gives up states that nobody has asked for in so many seconds: whoever wanted them is gone."""
        now = time.monotonic()
        for number in [number for number, (asked, _) in self._pins.items() if now - asked > seconds]:
            del self._pins[number]
