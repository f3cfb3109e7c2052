"""`python -m gpu_lsm.bench`: a table, and a plot with `--plot FILE`."""

import argparse
import sys
from pathlib import Path

from .contenders import contenders
from .measure import Workload, rates
from .report import markdown, plot


def main() -> None:
    """Measures every contender and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m gpu_lsm.bench", description=__doc__)
    parser.add_argument("--keys", type=int, default=Workload.keys, help="distinct keys (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=Workload.batch, help="operations a call (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=Workload.repeats, help="runs, of which medians are taken")
    parser.add_argument("--only", action="append", help="a contender; may be repeated (default: all)")
    parser.add_argument("--plot", type=Path, help="a file for the plot: .png, .svg or .pdf")
    options = parser.parse_args()
    load = Workload(keys=options.keys, batch=options.batch, repeats=options.repeats)
    chosen = {name: make for name, make in contenders().items() if not options.only or name in options.only}
    measured = {}
    for name, make in chosen.items():
        print(f"measuring {name} ...", file=sys.stderr)
        measured[name] = rates(make, load)
    print(markdown(measured))
    if options.plot:
        plot(measured, options.plot, f"{load.keys:,} keys in batches of {load.batch:,}; medians of {load.repeats}")


if __name__ == "__main__":
    main()
