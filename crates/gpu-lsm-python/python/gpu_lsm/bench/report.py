"""The table and the plot."""

from pathlib import Path

from ..errors import Error
from .measure import OPERATIONS

Rates = dict[str, dict[str, float]]


def markdown(rates: Rates) -> str:
    """A table in millions of operations per second."""
    lines = ["| M operations/s | " + " | ".join(OPERATIONS) + " |", "|---|" + "---:|" * len(OPERATIONS)]
    for name, row in rates.items():
        lines.append(f"| {name} | " + " | ".join(_number(row[operation]) for operation in OPERATIONS) + " |")
    return "\n".join(lines)


def _number(rate: float) -> str:
    millions = rate / 1e6
    return f"{millions:.2g}" if millions < 10 else f"{millions:.0f}"


def plot(rates: Rates, file: Path, title: str) -> None:
    """Bars for each operation, on a logarithmic axis."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise Error("matplotlib is not installed; pip install matplotlib") from error
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(rates)
    for i, (name, row) in enumerate(rates.items()):
        places = [place - 0.4 + width * (i + 0.5) for place in range(len(OPERATIONS))]
        axes.bar(places, [row[operation] / 1e6 for operation in OPERATIONS], width, label=name)
    axes.set_xticks(range(len(OPERATIONS)), OPERATIONS)
    axes.set_yscale("log")
    axes.set_ylabel("million operations per second")
    axes.set_title(title)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(file)
