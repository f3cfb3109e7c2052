"""What can go wrong. Every exception of this package is an `Error`, and says what to do about it."""


class Error(Exception):
    """Any error of this package. The failed call has left the dictionary as it was."""


class DtypeError(Error, TypeError):
    """Data of a type that the dictionary does not take."""


class LossyCastError(Error, ValueError):
    """Data that the dictionary's type can't hold exactly."""


class NoColumnError(Error, KeyError):
    """A table of Arrow has no column with this name."""

    # A KeyError would show the sentence as a key, in quotes.
    __str__ = Exception.__str__


class LengthError(Error, ValueError):
    """Columns that belong together differ in length, or data is not a column."""


class OptionError(Error, ValueError):
    """An option is out of range, or of a type that it never has."""


class NoDeviceError(Error, LookupError):
    """The requested device is not there, or this package was built without it."""


class TooLargeError(Error, ValueError):
    """More entries or candidates than one array of the device holds."""


class OutOfMemoryError(Error, MemoryError):
    """The device or the host has no memory left."""


class OverBudgetError(Error, MemoryError):
    """The call would exceed the dictionary's byte budget."""


class BoundsError(Error, IndexError):
    """A part of a buffer reaches past its end."""


class OtherDeviceError(Error, ValueError):
    """A buffer is on another device than the dictionary."""


class DeviceError(Error, RuntimeError):
    """The device failed or lacks something."""


class DeviceLostError(DeviceError):
    """The device is lost, and its memory is gone."""


class CorruptError(Error, RuntimeError):
    """A rule of the dictionary is broken: a defect of this package, of the engine or of the driver."""


class ForkError(Error, RuntimeError):
    """The dictionary was made before the process was forked."""


class ClosedError(Error, RuntimeError):
    """The dictionary or snapshot was closed."""


class FileError(Error, OSError):
    """A file can't be opened or made."""


class StoreError(Error):
    """Any error of a store. What had been acknowledged stays in the store."""


class UrlError(StoreError, ValueError):
    """The URL names no place that a store can be at."""


class NoStoreError(StoreError, LookupError):
    """There is no store at the URL."""


class OtherTypesError(StoreError, TypeError):
    """The store has keys or values of another type."""


class ManyShardsError(StoreError, ValueError):
    """The store has several shards."""


class NewerFormatError(StoreError, RuntimeError):
    """The store was written by a later version of this package."""


class DamagedError(StoreError, RuntimeError):
    """An object of the store is damaged or missing, or was not written by this package."""


class FencedError(StoreError, RuntimeError):
    """Somebody else has opened the store for writing since. This writer can write no more."""


class NoSuchVersionError(StoreError, LookupError):
    """The version was collected, or never existed."""


class OutOfOrderError(StoreError, ValueError):
    """A caller's batch does not follow its last one."""


class OtherBatchError(StoreError, ValueError):
    """A caller repeats a number with another batch."""


class UnavailableError(StoreError, OSError):
    """The object store failed. Whether the operation took effect is not known."""


class NotWrittenError(StoreError, RuntimeError):
    """The batch is not in the store and never will be, because an earlier operation failed."""


class TableError(StoreError, ValueError):
    """A Parquet file can't be used."""
