"""How actors begin and end."""

import logging
import os
import time
from collections.abc import Callable
from typing import NoReturn, TypeVar

from ..errors import FencedError, UnavailableError

T = TypeVar("T")

logger = logging.getLogger("gpu_lsm.ray")


def begin() -> None:
    """Writes what this package logs to the actor's file; `GPU_LSM_LOG=DEBUG` names every batch."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logger.setLevel(os.environ.get("GPU_LSM_LOG", "INFO"))


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
            time.sleep(0.5)
