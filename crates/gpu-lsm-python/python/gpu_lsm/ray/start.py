"""Starting, finding and stopping a dictionary on a cluster."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from typing import Any

import ray
from ray import PlacementGroupID
from ray.util.placement_group import PlacementGroup, placement_group, placement_group_table, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from ..cluster.codes import codes, highest
from ..cluster.layout import Catalog, Place, Shard, even_boundaries, is_shard_name, ranges, sampled_boundaries
from ..columns import column
from ..errors import OptionError, StoreError, UrlError
from ..options import check_whole
from ..store import absolute
from ..stored_types import key_name, value_name
from ..types import KeyLike, KeyType, ValueLike, key_type, value_type
from ..typing import Column
from .calls import Call, Patience, answer
from .config import NAMESPACE, Config
from .dictionary import Dictionary
from .log_actor import LogActor
from .names import check_running, forget_actors, log_actor
from .shard_actor import ShardActor

# Actors are started again however often they end, and calls are repeated by Ray until they are answered.
FOREVER = {"namespace": NAMESPACE, "lifetime": "detached", "max_restarts": -1, "max_task_retries": -1}

# Each is an actor, in a process of its own.
MOST_SHARDS = 1 << 16


def start(
    name: str,
    url: str | PathLike[str],
    key: KeyLike | None = None,
    value: ValueLike = None,
    *,
    shards: int = 1,
    boundaries: Column | None = None,
    sample: Column | None = None,
    device: str = "auto",
    resources: Mapping[str, float] | None = None,
    patience: Patience | None = None,
    **options: Any,
) -> Dictionary:
    """Starts a dictionary from its stores below `url`, or makes one, and returns it.

    A relative path begins in the folder of this program. All machines must share the place that a path names.

    It goes on if the program ends, until `stop`. If it is running already, nothing is started. `key` and `value` are
    types as for `gpu_lsm.Dictionary`; a dictionary that has stores knows them. Others than these raise
    `OtherTypesError`, and whatever runs on the stores goes on. A new dictionary is divided into `shards`: at the
    quantiles of a `sample` of its keys, or evenly over all keys there could be; or at the `boundaries`.

    Each shard is an actor on the `device`, which `gpu_lsm.devices()` names, with the `resources` that Ray sets aside
    for it: `{"GPU": 1}`. `options` are the fields of `Config`.
    """
    check_whole(1, MOST_SHARDS, shards=shards)
    config = Config(name, absolute(url), **options)
    if config.url.startswith("memory:"):
        raise UrlError(
            "memory:/// is gone with each actor's process; give a folder or a bucket that all machines reach"
        )
    place = Place(device, dict(resources or {"CPU": 1.0}))
    new = None if key is None else _catalog(key_type(key), value, int(shards), boundaries, sample, place)
    forget_actors()
    options_of_log = {"name": config.log_name, "get_if_exists": True, "num_cpus": 0, **FOREVER}
    LogActor.options(**options_of_log).remote(config, new)
    try:
        dictionary = _connected(config, None, patience)
    except StoreError:
        end_actor(config.log_name)
        raise
    if dictionary.url != config.url:
        raise OptionError(f"{name!r} is running with the stores at {dictionary.url}; stop it, or take another name")
    if new is not None:
        dictionary._catalog.check_types(new, config.url)
    start_shards(dictionary._config, dictionary._catalog, dictionary.shards())
    return dictionary


def connect(name: str, *, caller: str | None = None, patience: Patience | None = None) -> Dictionary:
    """A dictionary that is running. Raises `NotRunningError` at once if none has this name, and waits for one that is
    on its way back after a kill.

    `caller` is the name of a caller that has written before, or will be known by it after a crash.
    """
    unknown = Config(name, "")
    check_running(unknown)
    return _connected(unknown, caller, patience)


def _connected(config: Config, caller: str | None, patience: Patience | None) -> Dictionary:
    """The dictionary with this name, run as its log says."""
    call = Call("log", lambda: log_actor(config).config.remote())
    return Dictionary(answer(call, patience or Patience()), caller=caller, patience=patience)


def stop(name: str) -> None:
    """Ends the actors of a dictionary, and gives back what was set aside for them. What was acknowledged is in its
    stores."""
    # The log last, since shards that can't reach it only wait.
    for full_name in sorted(parts_of(name), key=lambda full_name: full_name.endswith("/log")):
        end_actor(full_name)
    forget_actors()


def parts_of(name: str) -> set[str]:
    """The full names of a dictionary's actors, and of what is set aside for them, which is there without an actor if a
    program was killed at the wrong moment. Its own name may have slashes, those of its parts have none."""
    running = ray.util.list_named_actors(all_namespaces=True)
    actors = {actor["name"] for actor in running if actor["namespace"] == NAMESPACE}
    groups = {row["name"] for row in _present_groups() if is_shard_name(row["name"].rpartition("/")[2])}
    return {full_name for full_name in actors | groups if full_name.rpartition("/")[0] == name}


def start_shards(config: Config, catalog: Catalog, shards: tuple[Shard, ...] | list[Shard]) -> None:
    """Starts the shards that are not running."""
    for shard in shards:
        name, amounts = config.actor_name(shard.name), dict(shard.place.resources)
        strategy = PlacementGroupSchedulingStrategy(_group(name, amounts), placement_group_bundle_index=0)
        actor = ShardActor.options(
            name=name,
            get_if_exists=True,
            num_cpus=amounts.pop("CPU", 0),
            num_gpus=amounts.pop("GPU", 0),
            resources=amounts,
            scheduling_strategy=strategy,
            **FOREVER,
        )
        with _unwarned_of_groups():
            actor.remote(config, shard, catalog)


def end_actor(full_name: str) -> None:
    """Ends an actor for good, and gives back what was set aside for it."""
    with suppress(ValueError):  # It has ended already.
        ray.kill(ray.get_actor(full_name, NAMESPACE), no_restart=True)
    for group in _groups(full_name):
        remove_placement_group(group)


def _group(name: str, resources: Mapping[str, float]) -> PlacementGroup:
    """One placement group for each shard, so that its resources are free again when it is replaced."""
    found = _groups(name)
    return found[0] if found else placement_group([dict(resources)], name=name, lifetime="detached")


def _groups(name: str) -> list[PlacementGroup]:
    """The placement groups with a name, whichever program made them: for Ray, such a name belongs to the namespace of
    the program, and most programs have one of their own."""
    found = [row["placement_group_id"] for row in _present_groups() if row["name"] == name]
    return [PlacementGroup(PlacementGroupID.from_hex(id)) for id in found]


def _present_groups() -> list[Mapping[str, Any]]:
    """All placement groups, also those of other programs."""
    return [row for row in placement_group_table().values() if row["state"] != "REMOVED"]


@contextmanager
def _unwarned_of_groups() -> Iterator[None]:
    """Without Ray's warning that an actor ends with its placement group: ours are removed only with their actors."""
    logger = logging.getLogger("ray.actor")

    def is_other(record: logging.LogRecord) -> bool:
        return "placement group" not in record.getMessage()

    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)


def _catalog(
    key: KeyType,
    value: ValueLike,
    shards: int,
    boundaries: Column | None,
    sample: Column | None,
    place: Place,
) -> Catalog:
    """A new dictionary's."""
    if boundaries is not None:
        cuts = codes(key, key.to_words(column(boundaries, key, "boundaries")))
    elif sample is not None:
        cuts = sampled_boundaries(key, key.to_words(column(sample, key, "sample")), shards)
    else:
        cuts = even_boundaries(key, shards)
    parts = [Shard(i, lower, upper, 0, place, "new") for i, (lower, upper) in enumerate(ranges(cuts, highest(key)))]
    return Catalog(key_name(key), value_name(value_type(value)), tuple(parts), len(parts))
