"""Checks that all commands build the same engine: `python3 tools/one_engine.py`.

Cargo compiles a package again for each set of features, and the features of a package depend on what else is built. The
engine takes minutes to build, so every documented command must give each package below `cubecl` the same features. If
some differ, prints each package and feature, and fails.
"""

import subprocess
import sys
from collections import defaultdict

ENGINE = "cubecl"
PLAIN, TESTS = "normal,build", "normal,build,dev"
# Crates whose dependencies give the engine's other features.
EXCLUDED = ["--exclude", "gpu-lsm-store", "--exclude", "gpu-lsm-python"]
# The commands that people run, with the packages that they build and the kinds of dependencies.
COMMANDS = [
    ("cargo build", [], PLAIN),
    ("cargo test", [], TESTS),
    ("cargo build -p gpu-lsm", ["-p", "gpu-lsm"], PLAIN),
    ("cargo run -p gpu-lsm --example", ["-p", "gpu-lsm"], TESTS),
    ("cargo install --path crates/gpu-lsm-cli", ["-p", "gpu-lsm-cli"], PLAIN),
    ("just emit", ["-p", "gpu-lsm-proof"], PLAIN),
    ("just test", ["--workspace", *EXCLUDED, "--features", "gpu-lsm-cli/rivals"], TESTS),
]


def tree(selection, edges):
    """The packages of a build with their features, one per line, preceded by the depth."""
    command = ["cargo", "tree", "--locked", *selection, "--edges", edges, "--prefix", "depth", "--format", "|{p}|{f}"]
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


def engine(selection, edges):
    """For each package of the engine's stack, the sets of features that it is built with."""
    features = defaultdict(set)
    for package, names in below(graph(tree(selection, edges)), ENGINE):
        features[package].add(frozenset(filter(None, names.split(","))))
    return features


def differences(one, other):
    """The packages that differ, with the features that only one of both has."""
    for package in sorted(one.keys() | other.keys()):
        mine, theirs = (frozenset().union(*of.get(package, ())) for of in (one, other))
        if one.get(package) != other.get(package):
            yield package, ", ".join(sorted(mine ^ theirs)) or "the same features, otherwise divided"


def main():
    (first, *selected), *others = COMMANDS
    expected, failed = engine(*selected), False
    for command, *selected in others:
        for package, features in differences(expected, engine(*selected)):
            print(f"`{command}` would build {package} again after `{first}`: {features}")
            failed = True
    if not expected:
        sys.exit(f"`{first}` builds no {ENGINE}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
