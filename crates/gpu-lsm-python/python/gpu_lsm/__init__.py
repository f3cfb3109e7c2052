"""An ordered dictionary for numpy, Arrow and Polars, on the GPU or on the host.

>>> import gpu_lsm
>>> d = gpu_lsm.Dictionary("int64", "float64")
>>> d.insert([3, 1, 2], [0.3, 0.1, 0.2])
>>> d.lookup([1, 9])
(array([0.1, 0. ]), array([ True, False]))
"""

from . import errors
from ._gpu_lsm import version as _version
from .batch import Batch
from .buffers import Buffer, OnDevice
from .devices import Device, devices, self_test
from .dictionary import Dictionary, Snapshot
from .errors import Error
from .statistics import Level, Section, Statistics

__version__ = _version()

__all__ = [
    "Batch",
    "Buffer",
    "Device",
    "Dictionary",
    "Error",
    "Level",
    "OnDevice",
    "Section",
    "Snapshot",
    "Statistics",
    "devices",
    "errors",
    "self_test",
]
