"""The types of what calls take and return."""

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt


class ArrowArray(Protocol):
    """Anything with an Arrow array, for instance `pyarrow.Array`."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Capsules of a schema and of an array."""


class ArrowStream(Protocol):
    """Anything with an Arrow stream, for instance `polars.Series` or `pyarrow.Table`."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule of a stream."""


class DLPack(Protocol):
    """Anything with a tensor in the host's memory, for instance `torch.Tensor`."""

    def __dlpack__(self, *, stream: Any = None) -> object:
        """A capsule of a tensor."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind and the number of the device."""


Array: TypeAlias = npt.NDArray[Any]
Column: TypeAlias = npt.ArrayLike | ArrowArray | ArrowStream | DLPack
Flags: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.int64]
