"""How long a launch takes on a card: the largest of several bounds, each of them counted transactions by a rate.

| bound | what is counted | the rate |
|---|---|---|
| memory | distinct sectors: each is loaded once, and stored once | what a copy reaches |
| | those that a search or gather loads alone, for the first time, or again since L2 is smaller than what it searches | random sectors |
| L2 | sectors that pass L1, and all sectors stored | L2's bandwidth |
| lines | lines of 128 bytes, request by request: passes through load/store units | lines per clock and multiprocessor |
| shared | ways of the requests to shared memory | one per clock and multiprocessor |
| chain | loads of a unit that wait for each other | the latency of L2, or of memory |

What a launch touches is in L2, and memory no bound, if it is so little that it stays there from launch to launch. Memory
and L2 are slower if too few units are resident; lines and shared memory if there are fewer cubes than multiprocessors, or
some have one cube more than others. Not bounds: instructions, divergence, barriers, the time in which cubes start and
end. So the model says how fast a launch could be, if nothing else stood in its way.
"""
import dataclasses
import math

SECTOR = 32
LINE = 128
#: The bytes of a key: the model has 32-bit ones only.
KEY = 4
UNITS = 256
#: Registers are handed out to waves in steps of eight per unit.
REGISTER_STEP = 8
#: Kernels whose loads go to places all over a buffer that only depend on data.
SCATTERED = ("search", "bounds", "window", "nearest", "gather_values", "marks_gather", "tally_between",
             "baseline_probe", "baseline_intervals", "baseline_encode_values", "baseline_cuckoo")
#: Those of them in which each load waits for the one before it.
CHAINED = ("search", "bounds", "window", "nearest", "tally_between", "baseline_probe", "baseline_intervals",
           "baseline_cuckoo")
#: Those of them that search by halving, so that all their first steps go to few sectors.
HALVING = ("baseline_probe", "baseline_intervals")
COUNTS = ("loads", "load_sectors", "load_lines", "load_l2", "load_compulsory", "stores", "store_sectors", "store_lines",
          "store_compulsory", "atomics", "atomic_sectors", "atomic_lines", "shared", "shared_ways")


@dataclasses.dataclass(frozen=True)
class Launch:
    """What one launch does to memory: see `proof/harness/counter.cpp`. Sectors, lines and ways of all its requests."""

    kernel: str
    cubes: float
    loads: float = 0
    load_sectors: float = 0
    load_lines: float = 0
    load_l2: float = 0
    load_compulsory: float = 0
    stores: float = 0
    store_sectors: float = 0
    store_lines: float = 0
    store_compulsory: float = 0
    atomics: float = 0
    atomic_sectors: float = 0
    atomic_lines: float = 0
    shared: float = 0
    shared_ways: float = 0
    units: int = UNITS
    registers: int = 32
    shared_bytes: int = 0
    #: The share of sectors at L2 that no unit of the launch has loaded just before, if its loads are scattered widely.
    fresh: float = 1
    #: Sectors that are loaded from memory one by one, from anywhere, if that is known, besides the compulsory ones; otherwise
    #: it is estimated.
    at_random: float | None = None

    def times(self, factor):
        """A launch that does this so many times, in as many times as many cubes."""
        changed = {name: getattr(self, name) * factor for name in COUNTS}
        at_random = None if self.at_random is None else self.at_random * factor
        return dataclasses.replace(self, cubes=math.ceil(self.cubes * factor), at_random=at_random, **changed)

    def touched(self):
        """The distinct sectors that it loads, and those that it stores."""
        return self.load_compulsory + self.store_compulsory

    def size(self):
        """Says which of two launches is the larger one."""
        return self.cubes, self.touched()

    def is_scattered(self):
        return self.kernel.startswith(SCATTERED)

    def is_halving(self):
        return self.kernel.startswith(HALVING)

    def is_chained(self):
        return self.kernel.startswith(CHAINED)


def resident_cubes(launch, card):
    """The number of cubes that fit a multiprocessor at once."""
    registers = math.ceil(launch.registers / REGISTER_STEP) * REGISTER_STEP * launch.units
    shared = launch.shared_bytes + card.reserved_shared if launch.shared_bytes else 0
    limits = [card.cubes, card.units // launch.units, card.registers // registers]
    if shared:
        limits.append(card.shared_bytes // shared)
    return max(1, int(min(limits)))


def occupancy(launch, card):
    """The share of a multiprocessor's units that can be resident."""
    return resident_cubes(launch, card) * launch.units / card.units


def bytes_at_l2(launch, card):
    """The bytes that a launch loads from L2, and stores there. A card that loads whole lines stores parts of them."""
    loaded = launch.load_l2 if card.l1_keeps_loads else launch.load_sectors
    return SECTOR * (loaded * whole_transfers(launch, card) + launch.store_sectors + launch.atomic_sectors)


def whole_transfers(launch, card):
    """How many times as many bytes a card loads that loads no less than, for instance, a line."""
    if not launch.load_sectors:
        return 1
    sectors_alone = LINE / SECTOR * launch.load_lines / launch.load_sectors
    return max(1, min(card.least_transfer / SECTOR, sectors_alone))


def is_kept(launch, card):
    """Whether all that a launch touches is so little that the launch before has left it in L2."""
    return launch.touched() * SECTOR <= card.kept_bytes


def alone(launch):
    """The share of requested sectors that come without their neighbours: none if all lines are whole, else up to all."""
    if not launch.load_sectors:
        return 0
    whole = SECTOR / LINE
    return min(1, max(0, (launch.load_lines / launch.load_sectors - whole) / (1 - whole)))


def at_random(launch, card):
    """The sectors that are loaded from memory one by one, from anywhere.

    Neighbouring units of a streaming kernel request the same sectors at nearly the same time, and so do the steps of one
    search. Otherwise a scattered kernel comes back to a sector at any time, and L2 has it with the share of all touched
    sectors that fit. A search by halving finds its first steps there, as many as halve what it touches until it fits.
    Its last steps stay in one sector: L1 serves them, or L2 where there is no L1.
    """
    if launch.at_random is not None:
        return launch.at_random
    if not launch.is_scattered() or is_kept(launch, card):
        return 0
    touched = launch.touched() * SECTOR
    if touched <= card.l2_bytes:
        missed = 0
    elif launch.is_halving():
        loaded, least = (launch.load_l2, SECTOR) if card.l1_keeps_loads else (launch.load_sectors, KEY)
        missed = loaded * math.log2(touched / card.l2_bytes) / math.log2(touched / least)
    else:
        missed = launch.load_l2 * launch.fresh * (1 - card.l2_bytes / touched)
    return max(missed, launch.load_compulsory) * alone(launch)


def streamed(launch, card):
    """The sectors that are loaded from memory or stored there side by side, as a copy does."""
    if is_kept(launch, card):
        return 0
    is_estimated = launch.at_random is None and launch.is_scattered()
    return launch.load_compulsory * (1 - alone(launch) if is_estimated else 1) + launch.store_compulsory


def bounds(launch, card):
    """The bounds of a launch on a card, in seconds, by name."""
    cubes = max(1, launch.cubes)
    fitting = resident_cubes(launch, card) * card.multiprocessors
    resident = min(cubes, fitting) * launch.units
    filled = card.filled(resident / (card.multiprocessors * card.units))
    passes = card.clock * card.multiprocessors
    # The multiprocessor with the most cubes ends last.
    uneven = math.ceil(cubes / card.multiprocessors) * card.multiprocessors / cubes
    lines = launch.load_lines + launch.store_lines + launch.atomic_lines
    per_clock = card.scattered_lines if launch.is_scattered() else card.lines
    scattered = at_random(launch, card)
    found = {
        "memory": (streamed(launch, card) * SECTOR / card.copy_rate() + scattered / card.random_sectors) / filled,
        "L2": bytes_at_l2(launch, card) / (card.l2 * filled),
        "lines": lines * uneven / (passes * per_clock),
        "shared": launch.shared_ways * uneven / (passes * card.shared_ways),
    }
    if launch.is_chained():
        waves = cubes * launch.units / card.wave
        rounds = math.ceil(cubes / fitting)
        share = scattered / max(launch.load_sectors, 1)
        latency = card.l2_latency + (card.memory_latency - card.l2_latency) * share
        found["chain"] = rounds * launch.loads / waves * latency
    return found


def seconds(launch, card):
    """The time of a launch on a card without the cost of launching it, and the name of the bound that decides."""
    found = bounds(launch, card)
    name = max(found, key=found.get)
    return found[name], name


def operation_seconds(launches, waits, card):
    """The time of an operation: its launches, one after the other, each with how often; and its waits."""
    return sum(often * (seconds(launch, card)[0] + card.launch) for launch, often in launches) + waits * card.wait


def once(launches):
    """Each launch, once."""
    return [(launch, 1) for launch in launches]
