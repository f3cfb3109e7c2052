"""The assumptions of the simulation, each with its source: see `assumptions.toml`."""
import dataclasses
import pathlib
import tomllib

FILE = pathlib.Path(__file__).with_name("assumptions.toml")
KINDS = ("chosen", "default", "measured", "counted", "modelled", "published", "assumed")


@dataclasses.dataclass(frozen=True)
class Assumption:
    what: str
    value: float | str
    shown: str
    kind: str
    source: str


class Assumptions:
    """Values by name, as attributes, and what follows from them alone."""

    def __init__(self, **changes):
        tables = tomllib.loads(FILE.read_text())
        self.all = {name: Assumption(table["what"], table["value"], str(table.get("shown", table["value"])), table["kind"],
                                     table["source"]) for name, table in tables.items()}
        for name in self.all:
            setattr(self, name, changes.pop(name, self.all[name].value))
        if changes:
            raise AttributeError(f"no assumption is called {', '.join(changes)}")

    @property
    def shards(self):
        return self.cards * self.shards_a_card

    @property
    def machines(self):
        return self.cards // self.cards_a_machine

    @property
    def shard_entries(self):
        """The live entries of a shard."""
        return round(self.entries / self.shards)

    @property
    def entry_bytes(self):
        """The bytes of an entry in memory and in the log."""
        return 2 * self.key_bytes
