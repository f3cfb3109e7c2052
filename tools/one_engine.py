"""Checks that all commands build the same engine, and all that build Parquet the same one: `python3 tools/one_engine.py`.

Cargo compiles a package again for each set of features, and the features of a package depend on what else is built. The
engine takes minutes to build, so every documented command must give each package below `cubecl` the same features; those
that build stores, each package below `parquet`. If some differ, prints each package and feature, and fails.
"""

import subprocess
import sys
from collections import defaultdict

PLAIN, TESTS = "normal,build", "normal,build,dev"
# Crates whose dependencies give the engine's other features.
EXCLUDED = ["--exclude", "gpu-lsm-store", "--exclude", "gpu-lsm-python"]
# The commands that people run, with the packages that they build and the kinds of dependencies.
ENGINE = [
    ("cargo build", [], PLAIN),
    ("cargo test", [], TESTS),
    ("cargo build -p gpu-lsm", ["-p", "gpu-lsm"], PLAIN),
    ("cargo run -p gpu-lsm --example", ["-p", "gpu-lsm"], TESTS),
    ("cargo install --path crates/gpu-lsm-cli", ["-p", "gpu-lsm-cli"], PLAIN),
    ("just emit", ["-p", "gpu-lsm-proof"], PLAIN),
    ("just test", ["--workspace", *EXCLUDED, "--features", "gpu-lsm-cli/rivals"], TESTS),
]
# `stores` in the justfile.
STORES = ["-p", "gpu-lsm-store", "-p", "gpu-lsm-cli", "-p", "gpu-lsm-python",
          "--no-default-features", "--features", "gpu-lsm-cli/store,gpu-lsm-python/default"]
PARQUET = [
    ("just python", ["-p", "gpu-lsm-python"], PLAIN),
    ("just doc", STORES, PLAIN),
    ("just store", STORES, TESTS),
]
SHARED = {"cubecl": ENGINE, "parquet": PARQUET}


def tree(selection, edges):
    """The packages of a build with their features, one per line, preceded by the depth."""
    command = ["cargo", "tree", "--color", "never", "--locked", *selection, "--edges", edges, "--prefix", "depth", "--format", "|{p}|{f}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def graph(text):
    """The dependencies of each package. Cargo lists them only once per package, and marks repetitions with a star."""
    needs, path = defaultdict(set), []
    for line in filter(None, text.splitlines()):
        depth, package, features = line.removesuffix(" (*)").split("|")
        node = (package.removesuffix(" (proc-macro)"), features)
        del path[int(depth):]
        if path:
            needs[path[-1]].add(node)
        path.append(node)
    return needs


def below(needs, name):
    """The package of this name, and all its direct and indirect dependencies."""
    found, waiting = set(), [node for node in needs if node[0].split()[0] == name]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(needs[node])
    return found


def stack(root, selection, edges):
    """For each package below a root, the sets of features that it is built with."""
    features = defaultdict(set)
    for package, names in below(graph(tree(selection, edges)), root):
        features[package].add(frozenset(filter(None, names.split(","))))
    return features


def differences(one, other):
    """The packages that differ, with the features that only one of both has."""
    for package in sorted(one.keys() | other.keys()):
        mine, theirs = (frozenset().union(*of.get(package, ())) for of in (one, other))
        if one.get(package) != other.get(package):
            yield package, ", ".join(sorted(mine ^ theirs)) or "the same features, otherwise divided"


def built_again(root, commands):
    """Says what commands would build again after the first of them, below a root. Fails if that does not build it."""
    (first, *selected), *others = commands
    expected = stack(root, *selected)
    if not expected:
        sys.exit(f"`{first}` builds no {root}")
    for command, *selected in others:
        for package, features in differences(expected, stack(root, *selected)):
            yield f"`{command}` would build {package} again after `{first}`: {features}"


def main():
    found = [line for root, commands in SHARED.items() for line in built_again(root, commands)]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
