"""The cards of the model: their figures, each with its source. See `cards.toml`."""
import dataclasses
import pathlib
import tomllib

FILE = pathlib.Path(__file__).with_name("cards.toml")


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of a card, where it comes from, and whether that is more than a guess."""

    value: float | list
    source: str
    note: str
    assumed: bool


@dataclasses.dataclass(frozen=True)
class Card:
    """A card. Its figures are attributes: bytes, clocks and sectors per second, seconds, and shares."""

    name: str
    title: str
    wave: int
    registers_as: str
    figures: dict

    def __getattr__(self, name):
        if name not in self.figures:
            raise AttributeError(f"a card has no figure `{name}`")
        return self.figures[name].value

    def copy_rate(self):
        """The bytes per second that a copy moves, loads and stores together."""
        return self.memory * self.copy_share

    def filled(self, share):
        """The share of its bandwidth that a card reaches if this share of all its units is resident."""
        points = self.filling
        for (left, low), (right, high) in zip(points, points[1:]):
            if share <= right:
                return low + (high - low) * (share - left) / (right - left)
        return points[-1][1]


def figures_of(table):
    named = {name: entry for name, entry in table.items() if isinstance(entry, dict)}
    return {
        name: Figure(entry["value"], entry["source"], entry.get("note", ""), entry.get("assumed", False))
        for name, entry in named.items()
    }


def read(file=FILE):
    """The sources by their keys, the cards, and by name all cards, with those that are only checked against."""
    tables = tomllib.loads(file.read_text())
    cards = [
        Card(card["name"], card["title"], card["wave"], card["registers_as"], figures_of(card))
        for card in tables["card"]
    ]
    by_name = {card.name: card for card in cards}
    for check in tables["check"]:
        like = by_name[check["like"]]
        figures = like.figures | figures_of(check)
        by_name[check["name"]] = Card(check["name"], check["title"], like.wave, like.registers_as, figures)
    return tables["sources"], cards, by_name
