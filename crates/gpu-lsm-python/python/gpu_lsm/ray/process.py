"""How actors begin and end."""

import ctypes
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, TypeVar

import ray

from ..errors import DeviceError, FencedError, NoDeviceError, OutOfMemoryError, UnavailableError

T = TypeVar("T")

REOPEN_SECONDS = 0.5
# Each time costs a process, and files for what it logs.
DEVICE_SECONDS = 5.0

logger = logging.getLogger("gpu_lsm.ray")


# What glibc calls M_MMAP_THRESHOLD, and the bytes from which on memory is given back as soon as it is free.
_THRESHOLD, _LARGE = -3, 1 << 17


def begin() -> None:
    """Writes what this package logs to the actor's file; `GPU_LSM_LOG=DEBUG` names every batch."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logger.setLevel(os.environ.get("GPU_LSM_LOG", "INFO"))


def give_memory_back() -> None:
    """Keeps many threads from keeping free memory, each in a heap of its own, which grew with every restart of a shard.

    The size is the one that glibc starts with, but raises by itself unless it is set.
    """
    with suppress(AttributeError):  # Other libraries don't have it.
        ctypes.CDLL(None).mallopt(_THRESHOLD, _LARGE)


def end(reason: str) -> NoReturn:
    """Ends the process. Ray starts it again, and the store then says what counts."""
    logger.exception("%s; the process ends and is started again", reason)
    logging.shutdown()
    os._exit(1)


def opened(part: str, open: Callable[[], T]) -> T:
    """Opens a store, however long that takes: an actor that fails while it starts would never be started again."""
    while True:
        start = time.monotonic()
        try:
            store = open()
            logger.info("%s: its store was opened in %.2f s", part, time.monotonic() - start)
            return store
        except (FencedError, UnavailableError) as error:
            logger.warning("%s: its store can't be opened yet: %s", part, error)
            time.sleep(REOPEN_SECONDS)
        except (DeviceError, NoDeviceError, OutOfMemoryError):
            # The first time its name may be wrong. Later it was there, and drivers find it again only in a new process.
            if not ray.get_runtime_context().was_current_actor_reconstructed:
                raise
            time.sleep(DEVICE_SECONDS)
            end(f"{part}: its device can't be opened yet")
