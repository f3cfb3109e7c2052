"""Actors by their names."""

from functools import lru_cache
from typing import Any

import ray

from ..cluster.errors import MomentGoneError, NotRunningError, WaitingError
from .config import NAMESPACE, Config


@lru_cache(maxsize=1024)
def _actor(name: str, session: str) -> Any:
    return ray.get_actor(name, NAMESPACE)


def _session() -> str:
    """Handles belong to one connection to a cluster."""
    return str(ray.get_runtime_context().get_job_id())


def log_actor(config: Config) -> Any:
    """The actor of a dictionary's log."""
    try:
        return _actor(config.log_name, _session())
    except ValueError as error:
        raise WaitingError(f"the dictionary {config.name!r} is not running; start it") from error


def check_running(config: Config) -> None:
    """Refuses a dictionary that nobody has started, or that was stopped. Ray keeps the name of an actor that it starts
    again, on whatever machine, so one whose log is on its way back passes."""
    try:
        ray.get_actor(config.log_name, NAMESPACE)
    except ValueError as error:
        raise NotRunningError(
            f"no dictionary {config.name!r} is running on this cluster; start it by gpu_lsm.ray.start, "
            "or ray.init the cluster that it runs on"
        ) from error


def shard_actor(config: Config, shard: str) -> Any:
    """The actor of a shard."""
    try:
        return _actor(config.actor_name(shard), _session())
    except ValueError as error:
        raise MomentGoneError(f"{shard} is not running; others may have its keys") from error


def forget_actors() -> None:
    """Looks names up again: actors were ended or started."""
    _actor.cache_clear()
