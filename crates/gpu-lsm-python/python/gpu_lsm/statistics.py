"""The contents of a dictionary, in numbers and as text."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Level:
    """One level: a sorted array of entries. Tombstones are entries that hide older ones."""

    level: int
    entries: int
    tombstones: int
    bytes: int


@dataclass(frozen=True)
class Section:
    """The levels on one device: all of a plain dictionary, or one shard."""

    device: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Statistics:
    """Levels, entries and bytes. Entries are live ones, hidden ones and tombstones."""

    sections: tuple[Section, ...]
    entries: int
    tombstones: int
    bytes: int
    bytes_in_use: int
    peak_bytes: int

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of all sections, newest first in each."""
        return tuple(level for section in self.sections for level in section.levels)

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the devices."""
        return tuple(dict.fromkeys(section.device for section in self.sections))


def statistics_of(sections: list[tuple[str, list[tuple[int, int, int, int]], int, int]]) -> Statistics:
    """The statistics of what the extension reports."""
    parts = tuple(Section(device, tuple(Level(*level) for level in levels)) for device, levels, *_ in sections)
    levels = [level for part in parts for level in part.levels]
    # Shards share one account of bytes in use.
    in_use, peak = (
        max((use for *_, use, _ in sections), default=0),
        max((peak for *_, peak in sections), default=0),
    )
    return Statistics(
        sections=parts,
        entries=sum(level.entries for level in levels),
        tombstones=sum(level.tombstones for level in levels),
        bytes=sum(level.bytes for level in levels),
        bytes_in_use=in_use,
        peak_bytes=peak,
    )


def size(count: float) -> str:
    """A number of bytes for people."""
    if count < 1024:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB"):
        count /= 1024
        if count < 1024:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:.1f} GiB"


def line(name: str, types: str, statistics: Statistics) -> str:
    """A dictionary in one line."""
    levels, shards = len(statistics.levels), len(statistics.sections)
    parts = [f"{statistics.entries:,} entries", f"{levels} level{'' if levels == 1 else 's'}"]
    if shards > 1:
        parts.append(f"{shards} shards")
    parts.append(f"{size(statistics.bytes)} on {', '.join(statistics.devices)}")
    return f"<gpu_lsm.{name} {types}: {', '.join(parts)}>"


def table(name: str, types: str, statistics: Statistics) -> str:
    """A dictionary as a table, for notebooks."""
    rows = [
        f"<tr><td>{escape(section.device)}</td><td>{level.level}</td><td>{level.entries:,}</td>"
        f"<td>{level.tombstones:,}</td><td>{size(level.bytes)}</td></tr>"
        for section in statistics.sections
        for level in section.levels
    ]
    head = "<tr><th>device</th><th>level</th><th>entries</th><th>tombstones</th><th>bytes</th></tr>"
    caption = escape(line(name, types, statistics).strip("<>"))
    # The caption is longer than the table is wide.
    caption = f'<caption style="white-space: nowrap; text-align: left">{caption}</caption>'
    return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
