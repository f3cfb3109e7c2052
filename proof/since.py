"""Says which kernels have changed since all proofs ran, by the digests of their sources.

    python3 proof/since.py EMITTED KERNELS

EMITTED has the emitted sources, and KERNELS is the table that `just prove` wrote. All proofs take four hours, so that they
do not run for every change: this tells what they still hold for.
"""
import hashlib
import pathlib
import re
import sys


def digest(emitted, name):
    """What tells a kernel's source from others: that for HIP, which the proofs run."""
    return hashlib.sha256(renamed((emitted / "hip" / f"{name}.cpp").read_text()).encode()).hexdigest()[:12]


def renamed(source):
    """A source whose variables are numbered as they come: the engine's numbers differ from run to run."""
    names = {}
    return re.sub(r"\bv\d+\b", lambda name: names.setdefault(name.group(), f"v{len(names)}"), source)


def proved(kernels):
    """The digest of each kernel when all proofs ran: the first and the last cell of each row."""
    rows = [line.strip("|").split("|") for line in kernels.splitlines() if line.startswith("| `")]
    return {row[0].strip(" `"): row[-1].strip() for row in rows}


def changed(emitted, kernels):
    """How many kernels there are, and those whose source is not the one that was proved."""
    names = [source.stem for source in sorted((emitted / "hip").glob("*.cpp"))]
    then = proved(kernels)
    return len(names), [name for name in names if then.get(name) != digest(emitted, name)]


def main():
    emitted, kernels = map(pathlib.Path, sys.argv[1:3])
    count, names = changed(emitted, kernels.read_text())
    print(f"{count - len(names)} of {count} kernels are, but for names of variables, those that all proofs ran with")
    if names:
        print("changed since: " + ", ".join(names) + "; `just prove` runs all proofs again")


if __name__ == "__main__":
    main()
