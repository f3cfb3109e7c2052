"""What can go wrong on a cluster, beside the errors of `gpu_lsm.errors`."""

from ..errors import Error


class NotRunningError(Error, LookupError):
    """No dictionary with this name is running on the cluster. Start it, or connect to the cluster that it runs on."""


class WaitingError(Error, TimeoutError):
    """A part of the dictionary did not come back in time, or had no room. Nothing is lost: repeat the query, or
    `resume` the batch."""


class UnfinishedError(Error, RuntimeError):
    """The last batch of this writer has not been acknowledged yet; `resume` it first."""


class MomentGoneError(Error, LookupError):
    """A shard no longer has the moment that was asked for. Take another snapshot."""


class ReshapeError(Error, RuntimeError):
    """Shards could not be replaced. The dictionary is as it was, and the call can be repeated."""


class BatchTooLargeError(Error, ValueError):
    """A batch has more bytes than a record of the log holds. Divide it."""
