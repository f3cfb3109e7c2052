"""The plots of docs/scale.md, as SVG. Needs matplotlib; nothing else here does.

Each plot is a list of curves with their points, so that a test can tell whether a file was drawn from these points: it has
their checksum.
"""
import dataclasses
import math
import pathlib
import zlib
from collections.abc import Callable

import figures as all_figures

#: Where the plots are.
FOLDER = pathlib.Path(__file__).parents[2] / "docs/scale"
COLOURS = ("#0b6e99", "#c4501b", "#3a7d34", "#7a4fa3", "#8a6d00", "#b8336a", "#555555", "#00857c", "#111111", "#c9a000")


@dataclasses.dataclass(frozen=True)
class Curve:
    name: str
    points: tuple
    dashed: bool = False
    marked: bool = False


@dataclasses.dataclass(frozen=True)
class Plot:
    """A plot: its file's name, its title, its axes with units and whether they are logarithmic, and its curves."""

    file: str
    title: str
    x: str
    y: str
    curves: tuple
    log: str = "xy"
    y_limits: tuple = ()
    #: How powers of two are written along the x axis, if it has them.
    x_powers: Callable | None = None
    is_share: bool = False
    height: float = 4.2

    def checksum(self):
        numbers = [(curve.name, [f"{x:.3g} {y:.3g}" for x, y in curve.points]) for curve in self.curves]
        return f"{zlib.crc32(repr((self.title, self.x, self.y, numbers)).encode()):08x}"


def thinned(values, most=200):
    """Points of a falling curve: the share of all values that are at least so large, at most so many of them."""
    values = sorted(values)
    places = sorted({round(len(values) * (1 - 10 ** (-4.3 * at / most))) for at in range(most)})
    return tuple((values[at] * 1e3, 1 - at / len(values)) for at in places if at < len(values))


def plots(f):
    a, log = f.a, [f.log_of(every) / 2**20 for every in all_figures.INTERVALS]
    steps = [(at + 1) * all_figures.HOT_STEP / 1e9 for at in range(all_figures.HOT_STEPS)]
    slowest = [max(seconds) for seconds in f.together]
    fastest_first = sorted(f.limits, key=lambda limit: -limit.rate(all_figures.BATCH))
    even = f"evenly spread over {a.cards:,} cards"
    return [
        Plot("limits.svg", "Where ingestion waits (simulated)\n— — only checkpoints fall behind",
             "entries of a batch, for all 1,000 cards together", "entries per second",
             tuple(Curve(limit.name, tuple((batch, limit.rate(batch)) for batch in all_figures.BATCHES), dashed=not limit.is_hard)
                   for limit in fastest_first),
             y_limits=(1e5, 1e13), height=5.4, x_powers=lambda value: f"$2^{{{round(math.log2(value))}}}$"),
        Plot("batches.svg", "How long a batch of $2^{26}$ takes (modelled)", "milliseconds", "batches that take at least so long",
             (Curve("the slowest of 1,000 cards, each somewhere else in its cycle", thinned(slowest)),
              Curve("one card, and all of them if they are in step", thinned(f.cycle))), y_limits=(5e-5, 1.3), is_share=True),
        Plot("windows.svg", "Cards that need not wait for each other (simulated)", "batches that a card may be ahead of the slowest",
             "billions of entries per second",
             (Curve("no card waits, or all are in step", tuple((w, f.in_the_mean / 1e9) for w in f.windows), dashed=True),
              Curve("1,000 cards, each somewhere else in its cycle", tuple((w, r / 1e9) for w, r in f.windows.items()), marked=True)),
             log="", y_limits=(0, 140), x_powers=lambda value: f"{value:g}"),
        Plot("written.svg", "Bytes to the store (simulated)", "MiB of log for each card between checkpoints",
             "bytes written for each byte inserted",
             (Curve("log and checkpoints, by bytes of log, as built", written(f, all_figures.INTERVALS), marked=True),
              Curve("log and checkpoints, each right after a large merge", written(f, all_figures.ALIGNED),
                    marked=True),
              Curve("the log alone", tuple((x, 1) for x in log), dashed=True)), log="x", y_limits=(0, 8)),
        Plot("recovery.svg", "Recovery of a rack of 32 cards (simulated)", "MiB of log for each card between checkpoints", "seconds",
             (Curve("each machine reads the whole log", tuple(zip(log, f.recoveries[True])), marked=True),
              Curve("each machine reads its own parts of the log", tuple(zip(log, f.recoveries[False])), marked=True)),
             y_limits=(10, 1000)),
        Plot("manifests.svg", "Size of a manifest (computed)", "live entries, a billion for each card", "megabytes", manifest_curves(f)),
        Plot("hot.svg", "A hot range of new keys spreads (simulated)", "billions of entries inserted since it became hot",
             "the busiest card's part of each batch",
             (*(Curve(f"{100 * share:g} % of inserts go to one shard's range",
                      tuple(zip(steps, [part for part, _, _ in f.hot_ranges[share]]))) for share in all_figures.HOT_SHARES),
              Curve(even, ((0, 1 / a.cards), (steps[-1], 1 / a.cards)), dashed=True)),
             log="y", y_limits=(0.0005, 1), is_share=True),
    ]


def written(f, intervals):
    """By the MiB of log for each card between checkpoints, the bytes written for each byte inserted."""
    return tuple((f.log_of(every) / 2**20, 1 + f.checkpoints[every].bytes / f.a.entry_bytes) for every in intervals)


def manifest_curves(f):
    """Sizes of manifests by entries: as built, with larger files, and with a store for each machine."""
    of_machine = f.a.cards_a_machine * 10**9

    def cells(entries):
        return max(1, round(entries / of_machine))

    sizes = all_figures.SIZES
    return (Curve("files of $2^{21}$ entries, as built", tuple((n, f.manifest(n, 2**21) / 1e6) for n in sizes), marked=True),
            Curve("files of $2^{25}$ entries", tuple((n, f.manifest(n, 2**25) / 1e6) for n in sizes), marked=True),
            Curve("a store for each machine of 8 cards", tuple((n, f.manifest(n, 2**21, cells(n)) / 1e6) for n in sizes), marked=True))


def tick(value, _=None):
    """A number on a logarithmic axis, as short as it can be read."""
    power = round(math.log10(value))
    return f"{value:,g}" if 0.001 <= value <= 1000 or power < 4 and value > 1 else f"$10^{{{power}}}$"


def scales(plot, axes):
    from matplotlib import ticker
    for letter, axis, set_scale in (("x", axes.xaxis, axes.set_xscale), ("y", axes.yaxis, axes.set_yscale)):
        if letter in plot.log:
            set_scale("log")
            axis.set_major_formatter(ticker.FuncFormatter(tick))
            axis.set_minor_formatter(ticker.NullFormatter())
    if plot.x_powers:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: plot.x_powers(value)))
    if plot.is_share:
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    if plot.y_limits:
        axes.set_ylim(*plot.y_limits)


def draw(plot, folder):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "gpu-lsm", "font.size": 11, "font.family": "DejaVu Sans"})
    figure, axes = pyplot.subplots(figsize=(5.4, plot.height))
    for at, curve in enumerate(plot.curves):
        axes.plot(*zip(*curve.points), label=curve.name, color=COLOURS[at], linewidth=1.8, linestyle="--" if curve.dashed else "-",
                  marker="o" if curve.marked else None, markersize=4)
    scales(plot, axes)
    axes.set_title(plot.title, fontsize=12, loc="left")
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(-0.12, -0.6 / plot.height), frameon=False, fontsize=10)
    # No date: the same points make the same file.
    figure.savefig(folder / plot.file, bbox_inches="tight", metadata={"Date": None, "Description": f"points {plot.checksum()}"})
    pyplot.close(figure)
