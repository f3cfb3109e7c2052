"""The devices that dictionaries can live on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import _gpu_lsm
from .errors import OptionError


@dataclass(frozen=True)
class Device:
    """A device to choose from. `Dictionary(…, device=selector)` takes it."""

    selector: str
    name: str
    api: str
    driver: str
    kind: str
    memory: int | None


def devices() -> list[Device]:
    """The host, then the GPUs, best first.

    >>> devices()[0].selector
    'host'
    """
    return [Device(*device) for device in _gpu_lsm.devices()]


def self_test(device: str = "auto", progress: Callable[[int, int, str], object] | None = None) -> None:
    """Checks that a device gives right results; raises `CorruptError` if not. Takes seconds.

    `progress` is called before each step with the number of steps done, of all steps, and the name of the next.
    """
    _gpu_lsm.self_test(device, progress)


def names_of(device: str, devices: Sequence[str] | None) -> list[str]:
    """The names of the devices that a dictionary is to be on."""
    if isinstance(devices, str):
        raise OptionError(f"devices is {devices!r}; give a list of names, or one name by device=")
    return [device] if devices is None else list(devices)
