"""Things that are closed when they are done with."""

from types import TracebackType
from typing import ClassVar, Generic, Self, TypeVar

from .errors import ClosedError

Core = TypeVar("Core")


class Closing(Generic[Core]):
    """Something that has a part of the extension until it is closed, at the latest by the end of a `with` block."""

    _core: Core | None
    _closed: ClassVar[str]

    def close(self) -> None:
        """Frees the memory, as soon as nothing else needs it."""
        self._core = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> Core:
        core = self._core
        if core is None:
            raise ClosedError(self._closed)
        return core
