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
from .durable import Durable, Receipt
from .errors import Error
from .reader import Reader
from .reports import Collected, StoreInfo, Verified, Version
from .statistics import Level, Section, Statistics
from .store import OpenOptions, Store, WriteOptions, open

__version__ = _version()

__all__ = [
    "Batch",
    "Buffer",
    "Collected",
    "Device",
    "Dictionary",
    "Durable",
    "Error",
    "Level",
    "OnDevice",
    "OpenOptions",
    "Reader",
    "Receipt",
    "Section",
    "Snapshot",
    "Statistics",
    "Store",
    "StoreInfo",
    "Verified",
    "Version",
    "WriteOptions",
    "devices",
    "errors",
    "open",
    "self_test",
]
