"""Whether the host's tests notice what changes an answer: mutants.py COUNT SEED

Makes COUNT small changes to the dictionary and the host's primitives, one at a time, chosen at random by SEED, and runs the
host's tests on each. A change that no test notices is missed. What was missed and looked at, and changes no answer, is
written down in mutants-equivalent.tsv with the reason; it does not count. Fails where fewer than 95 % of the others are
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
# cargo-mutants 27.1 tests these, whatever it is asked for.
ALWAYS = ": delete field "
# The tests take 20 seconds of a core: where they take so much longer, a change has made them endless.
SECONDS = 180
# One that makes them take all memory there is must not.
BYTES = 12 << 30
# Arrays of two tiles of the host, and no larger.
ENVIRONMENT = {"GPU_LSM_LARGEST": "16385", "NEXTEST_PROFILE": "mutants"}


def chosen(count, seed):
    """Names of mutants, as many as asked for or all there are."""
    command = ["cargo", "mutants", "--list", "--json", "--config", CONFIG, *PACKAGES]
    mutants = json.loads(subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.PIPE).stdout)
    names = sorted(mutant["name"] for mutant in mutants)
    always = [name for name in names if ALWAYS in name]
    others = [name for name in names if ALWAYS not in name]
    wanted = min(max(count - len(always), 0), len(others))
    print(f"{len(always) + wanted} of {len(names)} mutants, seed {seed}", flush=True)
    return always + random.Random(seed).sample(others, wanted)


def run(names, folder):
    """Tests each mutant; what became of them is in files in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "mutants.toml"
    wanted = [f"^{re.escape(name)}$" for name in names]
    # JSON's lists of strings are TOML's too.
    config.write_text(CONFIG.read_text() + f"examine_re = {json.dumps(wanted)}\n")
    # Each of the two has a copy of the source with a folder of its own for what is compiled.
    environment = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"} | ENVIRONMENT
    command = ["cargo", "mutants", "--config", config, "--output", folder, "--jobs", "2", "--timeout", str(SECONDS), *PACKAGES]
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    status = subprocess.run(command, cwd=PROJECT, env=environment, preexec_fn=limit).returncode
    # 2 and 3: some were missed, some took too long.
    if status not in (0, 2, 3):
        sys.exit(f"cargo-mutants ended with {status}")
    return folder / "mutants.out"


def described(mutant):
    """A mutant without the number of its line, which other changes move: its file, the change, and what it changes."""
    file, line, _, change = re.match(r"(.*?):(\d+):(\d+): (.*)", mutant).groups()
    source = (PROJECT / file).read_text().splitlines()[int(line) - 1].strip()
    return file, change, source


def known():
    """The mutants that change no answer."""
    lines = EQUIVALENT.read_text().splitlines()[1:]
    return {tuple(line.split("\t")[:3]) for line in lines}


def report(results):
    """Says what became of all, and whether enough were caught."""
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
