"""Tests whether the host's tests notice changes to the code: mutants.py COUNT SEED

Makes COUNT small changes to the dictionary and the host's primitives, one at a time, chosen at random by SEED, and runs
the host's tests on each. A change that no test notices is missed. If a person has found that a missed change affects no
answer, it is listed with the reason in mutants-equivalent.tsv, and ignored. Fails if fewer than 95 % of the others are
caught.
"""

import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PROJECT = HERE.parent
CONFIG = HERE / "mutants.toml"
EQUIVALENT = HERE / "mutants-equivalent.tsv"
PACKAGES = ["--package", "gpu-lsm", "--package", "gpu-lsm-primitives"]
LEAST = 0.95
# cargo-mutants 27.1 always tests these, even if they are not requested.
ALWAYS = ": delete field "
# The tests take 20 seconds on one core. If they take this long, the change has caused an endless loop.
SECONDS = 180
# A limit for changes that would use up all memory.
BYTES = 12 << 30
# At most arrays of two of the host's tiles.
ENVIRONMENT = {"GPU_LSM_LARGEST": "16385", "NEXTEST_PROFILE": "mutants"}


def chosen(count, seed):
    """The names of `count` mutants, or of all if there are fewer."""
    command = ["cargo", "mutants", "--list", "--json", "--config", CONFIG, *PACKAGES]
    mutants = json.loads(subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE).stdout)
    names = sorted(mutant["name"] for mutant in mutants)
    always = [name for name in names if ALWAYS in name]
    others = [name for name in names if ALWAYS not in name]
    wanted = min(max(count - len(always), 0), len(others))
    print(f"{len(always) + wanted} of {len(names)} mutants, seed {seed}", flush=True)
    return always + random.Random(seed).sample(others, wanted)


def run(names, folder):
    """Tests each mutant. The outcomes are written to files in the returned folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "mutants.toml"
    wanted = [f"^{re.escape(name)}$" for name in names]
    # A list of strings in JSON is also valid TOML.
    config.write_text(CONFIG.read_text() + f"examine_re = {json.dumps(wanted)}\n")
    # Each of the two jobs has a copy of the source with its own build folder.
    environment = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"} | ENVIRONMENT
    command = ["cargo", "mutants", "--config", config, "--output", folder, "--jobs", "2", "--timeout", str(SECONDS), *PACKAGES]
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    status = subprocess.run(command, cwd=PROJECT, env=environment, preexec_fn=limit).returncode
    # 2: some mutants were missed. 3: some took too long.
    if status not in (0, 2, 3):
        sys.exit(f"cargo-mutants ended with {status}")
    return folder / "mutants.out"


def described(mutant):
    """A mutant as its file, the change, and the changed line. Line numbers are left out, because they shift over
    time."""
    file, line, _, change = re.match(r"(.*?):(\d+):(\d+): (.*)", mutant).groups()
    source = (PROJECT / file).read_text().splitlines()[int(line) - 1].strip()
    return file, change, source


def known():
    """The mutants that change no answer."""
    lines = EQUIVALENT.read_text().splitlines()[1:]
    return {tuple(line.split("\t")[:3]) for line in lines}


def report(results):
    """Prints the outcomes, and returns whether enough mutants were caught."""
    outcomes = {kind: (results / f"{kind}.txt").read_text().splitlines() for kind in ["caught", "missed", "timeout", "unviable"]}
    equivalent = known()
    gaps = [mutant for mutant in outcomes["missed"] if described(mutant) not in equivalent]
    print(", ".join(f"{len(mutants)} {kind}" for kind, mutants in outcomes.items()))
    print(f"{len(outcomes['missed']) - len(gaps)} of those missed change no answer; the others:")
    for mutant in gaps:
        print("\t".join([mutant, described(mutant)[2]]))
    caught = len(outcomes["caught"]) + len(outcomes["timeout"])
    share = caught / max(caught + len(gaps), 1)
    print(f"{share:.1%} of those that change an answer were noticed")
    return share >= LEAST


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    target = os.environ.get("CARGO_TARGET_DIR", PROJECT / "target")
    folder = pathlib.Path(target).resolve() / "mutants"
    sys.exit(not report(run(chosen(count, seed), folder)))


if __name__ == "__main__":
    main()
