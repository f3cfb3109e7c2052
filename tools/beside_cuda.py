"""What CUDA libraries for Python do at the rows of `gpu-lsm compare`, to be put beside it on an NVIDIA card.

    python3 tools/beside_cuda.py [--log-n 20] [--rounds 5] [--with cupy cudf]

Prints a Markdown table with medians of the rounds, in the units of `gpu-lsm compare`, copies there and back included as
there. A library that is not installed is named and left out. `numpy` and `pandas`, which have the same interfaces, stand in
where there is no card; tests run with them.

- **cupy**: a sorted array of keys beside one of values. A batch is appended and everything sorted again, which is what there is;
  queries are `searchsorted`.
- **cudf**: a table with a key column. A batch is appended and older duplicates are dropped; a lookup is a join.
"""
import argparse
import importlib
import statistics
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit("beside_cuda.py needs numpy, which cupy and cuDF bring along: run it with the Python that they are installed for")

#: As in `gpu-lsm compare`.
ROWS = {
    "insertion": "M entries/s", "overwriting": "M entries/s", "build": "M entries/s", "lookup of present keys": "M queries/s",
    "lookup of missing keys": "M queries/s", "first count of 1024": "M queries/s", "range of 8": "M queries/s",
    "range of 1024": "M queries/s",
}
QUERIES = 1 << 18


class SortedArrays:
    """A sorted array of keys and one of values, by numpy or by cupy."""

    def __init__(self, library):
        self.xp = library
        self.keys = self.values = library.zeros(0, dtype="uint32")

    def to_device(self, column):
        return self.xp.asarray(column)

    def to_host(self, column):
        return column.get() if hasattr(column, "get") else column

    def insert(self, keys, values):
        """Appends a batch, whose keys are distinct, and sorts everything; of equal keys, the newest stays."""
        keys = self.xp.concatenate([self.to_device(keys), self.keys])
        values = self.xp.concatenate([self.to_device(values), self.values])
        order = self.xp.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        is_newest = self.xp.concatenate([self.to_device(numpy.ones(1, dtype=bool)), keys[1:] != keys[:-1]])
        self.keys, self.values = keys[is_newest], values[is_newest]

    def lookup(self, keys):
        keys = self.to_device(keys)
        at = self.xp.minimum(self.xp.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = self.keys[at] == keys
        return int(self.to_host(found).sum()), self.to_host(self.values[at])

    def bounds(self, lower, upper):
        first = self.xp.searchsorted(self.keys, self.to_device(lower))
        return first, self.xp.searchsorted(self.keys, self.to_device(upper), side="right")

    def count(self, lower, upper):
        first, last = self.bounds(lower, upper)
        return int(self.to_host(last - first).sum())

    def range(self, lower, upper):
        first, last = self.bounds(lower, upper)
        lengths = last - first
        ends = self.xp.cumsum(lengths)
        total = int(ends[-1])
        query = self.xp.searchsorted(ends, self.xp.arange(total), side="right")
        at = self.xp.arange(total) - (ends - lengths)[query] + first[query]
        keys, values = self.to_host(self.keys[at]), self.to_host(self.values[at])
        assert len(keys) == len(values)
        return len(keys)


class Frame:
    """A table with a key column, by pandas or by cudf."""

    def __init__(self, library):
        self.library = library
        self.frame = library.DataFrame({"key": numpy.zeros(0, "uint32"), "value": numpy.zeros(0, "uint32")})

    def insert(self, keys, values):
        batch = self.library.DataFrame({"key": keys, "value": values})
        both = self.library.concat([self.frame, batch], ignore_index=True)
        self.frame = both.drop_duplicates("key", keep="last")

    def lookup(self, keys):
        found = self.library.DataFrame({"key": keys}).merge(self.frame, on="key", how="inner")
        values = found["value"].to_numpy()
        return len(values), values


def makers(names):
    """For each library that can be imported, its name and what makes an empty dictionary of it."""
    structures = {"cupy": SortedArrays, "numpy": SortedArrays, "cudf": Frame, "pandas": Frame}
    for name in names:
        try:
            library = importlib.import_module(name)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        yield name, lambda library=library, kind=structures[name]: kind(library)


class Work:
    """The same work for everybody: distinct keys in random order, half of the key space missing."""

    def __init__(self, n):
        random = numpy.random.default_rng(1)
        keys = random.permutation(2 * n).astype("uint32") * numpy.uint32((1 << 31) // n)
        self.n, self.keys, self.missing = n, keys[:n], random.permutation(keys[n:])[:QUERIES]
        self.values, self.present = random.permutation(n).astype("uint32"), random.permutation(self.keys)[:QUERIES]
        self.batches = numpy.array_split(numpy.arange(n), max(n >> 16, 16))
        self.short, self.long = self.intervals(8, random), self.intervals(1024, random)

    def intervals(self, entries, random):
        """Intervals of so many entries on average."""
        width = min((entries << 32) // self.n, 1 << 31)
        most = {8: 1 << 15, 1024: 1 << 10}[entries]
        lower = random.integers(0, (1 << 32) - width, min(max(self.n // entries, 1), most)).astype("uint32")
        return lower, lower + numpy.uint32(width - 1)


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def measure(make, work):
    """The rate of every row that the structure has, and what its queries found."""
    seconds, found = {}, {}
    seconds["build"], _ = timed(make().insert, work.keys, work.values)
    structure = make()
    for row in ("insertion", "overwriting"):
        seconds[row] = sum(timed(structure.insert, work.keys[at], work.values[at])[0] for at in work.batches)
    sizes = dict.fromkeys(seconds, work.n)
    for row, keys in (("lookup of present keys", work.present), ("lookup of missing keys", work.missing)):
        seconds[row], (found[row], _) = timed(structure.lookup, keys)
        sizes[row] = len(keys)
    intervals = (
        ("first count of 1024", "count", work.long),
        ("range of 8", "range", work.short),
        ("range of 1024", "range", work.long),
    )
    for row, name, (lower, upper) in intervals:
        if hasattr(structure, name):
            seconds[row], found[row] = timed(getattr(structure, name), lower, upper)
            sizes[row] = len(lower)
    return {row: sizes[row] / seconds[row] / 1e6 for row in seconds}, found


def table(columns):
    lines = ["| row | unit | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
    for row, unit in ROWS.items():
        cells = [f"{statistics.median(rates[row]):.3g}" if row in rates else "-" for rates in columns.values()]
        lines.append(f"| {row} | {unit} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def whole_number(least, most):
    """What reads a whole number from `least` to `most` off the command line."""
    def read(text):
        number = int(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{number} is not from {least} to {most}")
        return number

    read.__name__ = "whole number"  # argparse names it if `text` is none.
    return read


def main(arguments=None):
    parser = argparse.ArgumentParser(description="CUDA libraries for Python at the rows of `gpu-lsm compare`.")
    parser.add_argument("--log-n", type=whole_number(12, 26), default=20)
    parser.add_argument("--rounds", type=whole_number(1, 1000), default=5)
    parser.add_argument("--with", nargs="+", dest="libraries", default=["cupy", "cudf"], choices=["cupy", "cudf", "numpy", "pandas"])
    options = parser.parse_args(arguments)
    work, columns, answers = Work(1 << options.log_n), {}, {}
    for name, make in makers(options.libraries):
        measure(make, work)  # The first use compiles kernels and reserves memory.
        rounds = [measure(make, work) for _ in range(options.rounds)]
        columns[name] = {row: [rates[row] for rates, _ in rounds] for row in rounds[0][0]}
        answers[name] = rounds[0][1]
    if not columns:
        sys.exit("none of the libraries is installed; `--with numpy pandas` tries the script without a card")
    for name, found in answers.items():
        first = next(iter(answers.values()))
        differ = [row for row in found if row in first and found[row] != first[row]]
        if differ:
            sys.exit(f"{name} differs from the others: {', '.join(differ)}")
    print(table(columns))
    return answers


if __name__ == "__main__":
    main()
