import tempfile
import unittest
from pathlib import Path

from site_reference import reference

INIT = """
from . import errors
from .things import Thing, count

__all__ = ["Thing", "count", "errors"]
"""
THINGS = '''
class Base:
    def shared(self, at: int = 3) -> None:
        """Comes from the base."""


class Thing(Base):
    """A thing.

    >>> Thing(1)
    Thing

    It is small.
    """

    size: int

    def __init__(self, one: int, *, two: str = "b") -> None: ...

    @property
    def name(self) -> str:
        """Its name."""

    @overload
    def hidden(self) -> None: ...

    def _private(self) -> None: ...


def count(things: list[Thing], **options: int) -> int:
    """How many there are."""
'''
ERRORS = '''
"""What can go wrong."""


class Error(Exception):
    """Any error."""
'''


class Reference(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "things_to_come"
            package.mkdir()
            for name, text in [("__init__", INIT), ("things", THINGS), ("errors", ERRORS)]:
                (package / f"{name}.py").write_text(text)
            self.text = reference(package)

    def test_public_names_have_their_signatures(self):
        for part in ["## things_to_come.Thing", "Thing(one: int, *, two: str = 'b')\n",
                     "count(things: list[Thing], **options: int) -> int", "shared(at: int = 3) -> None",
                     "name: str\n", "size: int\n"]:
            self.assertIn(part, self.text)

    def test_examples_are_code_and_the_rest_is_text(self):
        self.assertIn("A thing.\n\n```pycon\n>>> Thing(1)\nThing\n```\n\nIt is small.", self.text)

    def test_a_module_shows_what_it_has(self):
        self.assertIn("## things_to_come.errors\n\nWhat can go wrong.\n\n### errors.Error\n\nAny error.", self.text)

    def test_what_is_private_or_an_overload_is_left_out(self):
        for part in ["_private", "hidden", "Base"]:
            self.assertNotIn(part, self.text)


if __name__ == "__main__":
    unittest.main()
