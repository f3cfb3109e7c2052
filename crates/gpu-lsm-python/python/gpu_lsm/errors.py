"""What can go wrong. Every exception of this package is an `Error`, and says what to do about it."""


class Error(Exception):
    """Any error of this package. The failed call has left the dictionary as it was."""


class DtypeError(Error, TypeError):
    """Data of a type that the dictionary does not take."""


class LossyCastError(Error, ValueError):
    """Data that the dictionary's type can't hold exactly."""


class LengthError(Error, ValueError):
    """Columns that belong together differ in length, or data is not a column."""


class OptionError(Error, ValueError):
    """An option is out of range."""


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
