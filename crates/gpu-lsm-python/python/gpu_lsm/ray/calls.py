"""Calls of actors that may be on their way back."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import ActorDiedError, ActorUnavailableError, GetTimeoutError

from ..cluster.errors import MomentGoneError, WaitingError
from ..options import check_seconds
from .names import forget_actors

logger = logging.getLogger("gpu_lsm.ray")

LOOK_SECONDS = 0.5
AGAIN_SECONDS = 0.1
# Starting a part takes a few seconds. Only longer waits are worth a warning.
WARN_SECONDS = 5.0


@dataclass(frozen=True)
class Wait:
    """A call that waits: for which part of the dictionary, for how many seconds by now, and why."""

    part: str
    seconds: float
    reason: str


def report(wait: Wait) -> None:
    """Writes a wait to the log of the process."""
    level = logging.WARNING if wait.seconds > WARN_SECONDS else logging.INFO
    logger.log(level, "waiting for %s for %.1f s: %s", wait.part, wait.seconds, wait.reason)


@dataclass(frozen=True)
class Patience:
    """How long calls wait, and who is told each time that they look again."""

    seconds: float = 120.0
    on_wait: Callable[[Wait], None] = report

    def __post_init__(self) -> None:
        check_seconds(seconds=self.seconds)


@dataclass(frozen=True)
class Call:
    """A call of an actor that can be repeated."""

    part: str
    make: Callable[[], Any]
    # Whether the actor may be gone for good, because others have its keys now.
    may_be_replaced: bool = False
    # Why it waits, as long as nothing else is known.
    reason: str = "it does not answer yet"


def answers(calls: Sequence[Call], patience: Patience, start: float | None = None) -> list[Any]:
    """The answers to calls that run at the same time. Patience began at `start`, or begins now."""
    start = time.monotonic() if start is None else start
    references: list[Any] = []
    try:
        references.extend(_made(call) for call in calls)
        return [_answer(call, references, place, start, patience) for place, call in enumerate(calls)]
    except BaseException:
        abandon(references)
        raise


def answer(call: Call, patience: Patience, start: float | None = None) -> Any:
    """The answer to a call."""
    return answers([call], patience, start)[0]


def abandon(references: Iterable[Any]) -> None:
    """Says that nobody waits for answers any more. Else Ray would write an error among them to the program's output, as
    one that was overlooked."""
    for reference in references:
        if reference is not None:
            reference.future()


def check(wait: Wait, patience: Patience) -> None:
    """Ends a wait that takes too long."""
    if wait.seconds > patience.seconds:
        raise WaitingError(
            f"{wait.part} did not do it within {patience.seconds:.0f} s: {wait.reason}; "
            "nothing is lost, repeat the query, or resume() the batch"
        )


def _answer(call: Call, references: list[Any], place: int, start: float, patience: Patience) -> Any:
    """The answer to a call, whose reference has this place."""
    told = start
    while True:
        reason = call.reason
        try:
            references[place] = references[place] or call.make()
            return ray.get(references[place], timeout=LOOK_SECONDS)
        except GetTimeoutError:
            pass
        except (ActorDiedError, ActorUnavailableError, WaitingError) as error:
            if isinstance(error, ActorDiedError):
                forget_actors()
                if call.may_be_replaced:
                    raise MomentGoneError(f"{call.part} has ended; others may have its keys") from error
            references[place], reason = None, str(error).strip().splitlines()[-1]
            time.sleep(AGAIN_SECONDS)
        told = _tell(Wait(call.part, time.monotonic() - start, reason), start, told, patience)


def _made(call: Call) -> Any:
    """The reference of a call; nothing if its actor is not there yet, in which case it is made later."""
    try:
        return call.make()
    except WaitingError:
        return None


def _tell(wait: Wait, start: float, told: float, patience: Patience) -> float:
    """Tells of a wait every now and then, and ends it when it takes too long. Returns when it was told of last."""
    check(wait, patience)
    if start + wait.seconds - told < LOOK_SECONDS:
        return told
    patience.on_wait(wait)
    return start + wait.seconds
