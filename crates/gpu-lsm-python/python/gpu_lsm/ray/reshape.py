"""Adding, removing, splitting and moving shards while the dictionary serves.

All of these replace some neighbouring shards by new ones. The new ones copy the entries as of one batch, follow the log
from there on, and take over at a later batch. Until then nobody asks them, and whatever fails leaves everything as it
was. If a part dies meanwhile, all of it begins again.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, cast

import numpy as np
import ray
from ray.exceptions import RayActorError

from ..cluster.codes import Codes, codes, words
from ..cluster.errors import MomentGoneError, ReshapeError
from ..cluster.layout import Place, Shard
from ..columns import single
from ..errors import Error, OptionError
from .calls import AGAIN_SECONDS, Call, Patience, Wait, abandon, answer
from .dictionary import Dictionary
from .names import forget_actors, shard_actor
from .start import end_actor, parts_of, start_shards

CHUNK = 1 << 16
CARE_SECONDS = 1.0
# New shards may be so many batches behind when they take over; whoever asks them waits for these.
BEHIND = 8
# Old shards stay for so long, for queries that are on their way.
LINGER_SECONDS = 2.0


def split(
    dictionary: Dictionary, shard: Shard, at: Any = None, *, places: Sequence[Place] | None = None
) -> list[Shard]:
    """Divides a shard at a key, which begins the second half; without a key, so that both have equally many entries.

    The halves are placed as the shard was, unless two `places` are given.
    """
    key = dictionary._key
    cut = _middle(dictionary, shard) if at is None else codes(key, key.to_words(single(at, key, "the boundary")))
    if not shard.lower < int(cut[0]) <= shard.upper:
        raise OptionError(f"{shard.name} can't be split there: both halves must have keys")
    halves = [(shard.lower, int(cut[0]) - 1), (int(cut[0]), shard.upper)]
    return replace(dictionary, [shard], halves, places or [shard.place, shard.place])


def merge(dictionary: Dictionary, shards: Sequence[Shard], *, place: Place | None = None) -> Shard:
    """Makes one shard of neighbours, placed as the first was, or at `place`."""
    ordered = sorted(shards, key=lambda shard: shard.lower)
    if any(left.upper + 1 != right.lower for left, right in pairwise(ordered)):
        raise OptionError("only neighbours can be merged; `shards()` has them in their order")
    (made,) = replace(dictionary, ordered, [(ordered[0].lower, ordered[-1].upper)], [place or ordered[0].place])
    return made


def move(
    dictionary: Dictionary, shard: Shard, *, device: str | None = None, resources: Mapping[str, float] | None = None
) -> Shard:
    """Gives a shard another device, other resources, or just another place that Ray finds."""
    old = shard.place
    place = Place(device or old.device, dict(resources or old.resources))
    (made,) = replace(dictionary, [shard], [(shard.lower, shard.upper)], [place])
    return made


def add(dictionary: Dictionary, *, place: Place | None = None) -> list[Shard]:
    """Adds a shard: splits the one with the most entries, and puts the second half at `place`."""
    snapshot, shards = dictionary.snapshot(), dictionary.shards()
    ends = words(dictionary._key, np.array([[shard.lower, shard.upper] for shard in shards], np.uint64).T)
    counts = snapshot._now().count(*ends)
    largest = shards[int(np.argmax(counts))]
    return split(dictionary, largest, places=[largest.place, place or largest.place])


def remove(dictionary: Dictionary, shard: Shard) -> Shard:
    """Removes a shard: a neighbour gets its keys."""
    shards = dictionary.shards()
    here = next((i for i, other in enumerate(shards) if other.name == shard.name), None)
    if here is None or len(shards) == 1:
        raise OptionError(f"{shard.name} can't be removed: it is the last one, or has been replaced")
    neighbour = shards[here - 1] if here > 0 else shards[1]
    return merge(dictionary, [shard, neighbour], place=neighbour.place)


def replace(
    dictionary: Dictionary, gone: Sequence[Shard], parts: Sequence[tuple[int, int]], places: Sequence[Place]
) -> list[Shard]:
    """Replaces shards by new ones with these ranges of codes."""
    deadline = time.monotonic() + dictionary.patience.seconds
    while (joined := _attempt(dictionary, gone, parts, places, deadline)) is None:
        time.sleep(AGAIN_SECONDS)
    time.sleep(LINGER_SECONDS)
    _end(dictionary, gone)
    return joined


def _attempt(
    dictionary: Dictionary,
    gone: Sequence[Shard],
    parts: Sequence[tuple[int, int]],
    places: Sequence[Place],
    deadline: float,
) -> list[Shard] | None:
    """Replaces shards. Nothing is returned if a part died meanwhile, so that it is worth another try."""
    joined: list[Shard] = dictionary._log("join", parts, places)
    try:
        _prepare(dictionary, gone, joined)
        dictionary._log("replace", _names(gone), _names(joined))
    except (Error, RayActorError) as error:
        if not _give_up(dictionary, joined):
            return joined  # Only the call that replaced them failed.
        is_death = isinstance(error, MomentGoneError | ReshapeError | RayActorError)
        if not is_death or time.monotonic() > deadline or not _are_present(dictionary, gone):
            raise ReshapeError(f"{', '.join(_names(gone))} stay as they are: {error}") from error
        return None
    except BaseException:
        _give_up(dictionary, joined)  # Also if the user has interrupted it: nobody else knows of them.
        raise
    return joined


def tidy(dictionary: Dictionary) -> None:
    """Ends shards that nobody asks any more, because a program that replaced shards was killed a minute ago or more."""
    # In this order, because shards are started after they join, and join before they are present.
    running, joining = parts_of(dictionary.name), dictionary.status()["joining"]
    needed = {dictionary._config.actor_name(name) for name in ("log", *joining, *_names(dictionary.shards()))}
    for full_name in running:
        if full_name not in needed:
            end_actor(full_name)


def _prepare(dictionary: Dictionary, gone: Sequence[Shard], joined: Sequence[Shard]) -> None:
    """Fills new shards and lets them follow until they are nearly there."""
    base, patience = joined[0].base, _caring(dictionary, joined)
    for shard in gone:
        _ask(dictionary, patience, shard, "pin", base)
    start_shards(dictionary._config, dictionary._catalog, list(joined))
    for shard in joined:
        _ask(dictionary, _caring(dictionary, joined, gone), shard, "position")
    _copy(dictionary, gone, joined)
    for shard in gone:
        _ask(dictionary, patience, shard, "unpin", base)
    while min(_ask(dictionary, patience, shard, "position") for shard in joined) < _newest(dictionary) - BEHIND:
        # A shard that the log has forgotten would never get there.
        _care(dictionary, joined)
        time.sleep(0.05)


def _copy(dictionary: Dictionary, gone: Sequence[Shard], joined: Sequence[Shard]) -> None:
    """Lets new shards copy the entries of old ones."""
    copies = [shard_actor(dictionary._config, shard.name).copy.remote(_sources(shard, gone), CHUNK) for shard in joined]
    try:
        while copies:
            done, copies = ray.wait(copies, timeout=CARE_SECONDS)
            ray.get(done)
            _care(dictionary, joined, gone)
    except BaseException:
        abandon(copies)
        raise


def _sources(shard: Shard, gone: Sequence[Shard]) -> list[str]:
    return [source.name for source in gone if source.lower <= shard.upper and shard.lower <= source.upper]


def _caring(dictionary: Dictionary, joined: Sequence[Shard], copied: Sequence[Shard] = ()) -> Patience:
    """The dictionary's patience; while it lasts, all are told that the new shards are still wanted."""

    def on_wait(wait: Wait) -> None:
        _care(dictionary, joined, copied)
        dictionary.patience.on_wait(wait)

    return Patience(dictionary.patience.seconds, on_wait)


def _care(dictionary: Dictionary, joined: Sequence[Shard], copied: Sequence[Shard] = ()) -> None:
    """Says that new shards are still wanted: to the log, and to shards that keep the state which is to be copied."""
    dictionary._log("care", _names(joined))
    for shard in copied:
        # If the state is gone and still needed, the shard that copies it says so.
        with suppress(MomentGoneError):
            _ask(dictionary, _caring(dictionary, joined), shard, "pin", joined[0].base)


def _ask(dictionary: Dictionary, patience: Patience, shard: Shard, what: str, *arguments: Any) -> Any:
    def make() -> Any:
        return getattr(shard_actor(dictionary._config, shard.name), what).remote(*arguments)

    return answer(Call(shard.name, make, may_be_replaced=True), patience)


def _newest(dictionary: Dictionary) -> int:
    return cast(int, dictionary._log("now").number)


def _are_present(dictionary: Dictionary, shards: Sequence[Shard]) -> bool:
    """Whether shards answer at this moment."""
    present = _names(dictionary.shards())
    return all(name in present for name in _names(shards))


def _give_up(dictionary: Dictionary, joined: Sequence[Shard]) -> bool:
    """Ends new shards, unless they have taken over. Returns whether it did."""
    # Answered once it is decided: from then on they can't take over any more.
    dictionary._log("leave", _names(joined))
    if _are_present(dictionary, joined):
        return False
    _end(dictionary, joined)
    return True


def _end(dictionary: Dictionary, shards: Sequence[Shard]) -> None:
    for shard in shards:
        end_actor(dictionary._config.actor_name(shard.name))
    forget_actors()


def _names(shards: Sequence[Shard]) -> list[str]:
    return [shard.name for shard in shards]


def _middle(dictionary: Dictionary, shard: Shard) -> Codes:
    """The smallest code such that at least half of the shard's entries are below it."""
    state = dictionary._now()

    def below(code: int) -> int:
        ends = words(dictionary._key, np.array([shard.lower, code - 1], np.uint64))
        return int(state.count(ends[:1], ends[1:])[0])

    low, high = shard.lower + 1, shard.upper
    half = (below(shard.upper + 1) + 1) // 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if below(middle) >= half else (middle + 1, high)
    return np.array([low], np.uint64)
