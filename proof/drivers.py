"""Runs the GPU tests on every available software Vulkan driver, through WGSL and SPIR-V, at all their plane sizes, in both
shapes of kernels.

    python3 proof/drivers.py FOLDER DOCUMENT -- COMMAND...

COMMAND runs tests; the features to compile and a filter of tests are appended to it. The system must be Debian 12 with
its own Mesa. Newer drivers are downloaded as packages and unpacked into FOLDER. Each run writes a log there, a line in
`drivers.tsv`, and a record of the launched kernels. The table is written into DOCUMENT, between the marks.

All runs together take more than an hour. Runs that passed are not repeated while the sources are committed and the same:
an interrupted proof goes on where it stopped.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from table import REFUSED, TILES, table

HEAD = ["driver", "kernels as", "subgroup size", "tiles", "tests passed", "parts of them refused for want of 64-bit integers"]
MARKS = "<!-- drivers: written by `just prove-drivers` -->", "<!-- end of drivers -->"
#: The features to compile, by language.
LANGUAGES = {"WGSL": "", "SPIR-V": "gpu-lsm/vulkan"}
#: A test prints this if the device lacks something and refuses.
REFUSAL = "\n    refused: "
#: Mesa's plane sizes, by the width of its vectors.
WIDTHS = {4: "128", 8: "256", 16: "512"}
#: What the tests are compiled from.
SOURCES = ["crates/gpu-lsm", "crates/gpu-lsm-model", "crates/gpu-lsm-primitives", "testdata", "Cargo.toml", "Cargo.lock"]


def apt(folder, *arguments):
    """Calls apt-get with separate lists and sources that include the backports. The system's own stay unchanged."""
    places = {"Dir::State::lists": folder / "lists", "Dir::Cache": folder / "cache", "Dir::Etc::sourceparts": folder / "sources"}
    options = [option for place, path in places.items() for option in ("-o", f"{place}={path}")]
    subprocess.run(["apt-get", "-qq", *options, *arguments], check=True, cwd=folder)


def backports(folder):
    """Writes the sources, and returns the name of the backports suite."""
    targets = ["apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)", "Identifier: Packages"]
    lines = subprocess.run(targets, capture_output=True, text=True, check=True).stdout.split()
    uri, release = next(line.split("|") for line in lines if re.fullmatch(r"[a-z]+", line.split("|")[1]))
    shutil.copytree("/etc/apt/sources.list.d", folder / "sources")
    entry = f"Types: deb\nURIs: {uri}\nSuites: {release}-backports\nComponents: main\n"
    (folder / "sources" / "backports.sources").write_text(entry)
    return f"{release}-backports"


def fetch(folder):
    """Unpacks the newest Mesa and SwiftShader into `folder/root`."""
    root = folder / "root"
    if root.exists():
        return root
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    suite = backports(folder)
    apt(folder, "update")
    apt(folder, "download", *[f"{package}/{suite}" for package in ("mesa-vulkan-drivers", "libdrm2", "libdrm-amdgpu1")])
    apt(folder, "download", "chromium-common")
    unpacked = folder / "unpacked"
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, unpacked], check=True)
        package.unlink()
    # In one step, so that an interrupted download starts over.
    unpacked.rename(root)
    return root


def runs(root):
    """Driver, plane size, and the environment that selects both."""
    newest = {
        "LD_LIBRARY_PATH": str(root / "usr/lib/x86_64-linux-gnu"),
        "VK_ICD_FILENAMES": str(next((root / "usr/share/vulkan/icd.d").glob("lvp_icd*.json"))),
    }
    for driver, selection in [("Mesa 22.3", {}), ("Mesa 25.0", newest)]:
        for plane, width in WIDTHS.items():
            cache = root.parent / "mesa" / f"{driver}-{width}".replace(" ", "-")
            cache.mkdir(parents=True, exist_ok=True)
            environment = {"LP_NATIVE_VECTOR_WIDTH": width, "MESA_SHADER_CACHE_DIR": str(cache)}
            yield driver, str(plane), {"GPU_LSM_DRIVER": driver, **selection, **environment}
    icd = root / "usr/lib/chromium/vk_swiftshader_icd.json"
    # SwiftShader is slow: test at most three tiles and seven elements.
    small = {"GPU_LSM_LARGEST": "12295", "GPU_LSM_BUSY": "512", "GPU_LSM_MODEL_OPERATIONS": "300"}
    yield "SwiftShader", "its own", {"GPU_LSM_DRIVER": "SwiftShader", "VK_ICD_FILENAMES": str(icd), **small}


def run(folder, name, command, environment):
    """Runs tests, and returns their output and whether they passed."""
    launched = folder / "launched" / f"driver-{name}"
    shutil.rmtree(launched, ignore_errors=True)
    launched.mkdir(parents=True)
    variables = {**os.environ, **environment, "GPU_LSM_LAUNCHED": str(launched)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    output = done.stdout + done.stderr
    (folder / f"driver-{name}.log").write_text(output)
    return output, done.returncode == 0


def row(folder, command, language, driver, plane, tiles, environment):
    """A run's row of the table, with the number of tests and of refused parts, and whether the run passed."""
    name = f"{driver} {language} {plane} {tiles}".replace(" ", "-")
    environment = {**environment, "GPU_LSM_TILES": tiles}
    features = LANGUAGES[language]
    if language == "SPIR-V":
        output, passed = run(folder, name, [*command, features, "test(spir_v_or_the_driver)"], environment)
        if not passed or REFUSAL in output:
            return [driver, language, plane, tiles, REFUSED if passed else "0", "-"], passed
    output, passed = run(folder, name, [*command, features, "all()"], environment)
    count = re.search(r"tests? run: (\d+) passed", output)
    return [driver, language, plane, tiles, count[1] if count else "0", str(output.count(REFUSAL))], passed


def sources():
    """What identifies the sources, or nothing if some of them are not committed."""
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *SOURCES]).returncode != 0:
        return None
    trees = ["git", "rev-parse", *[f"HEAD:{source}" for source in SOURCES]]
    return subprocess.run(trees, capture_output=True, text=True, check=True).stdout


def row_once(folder, identity, *arguments):
    """As `row`, or what it returned when the same sources passed before."""
    _, language, driver, plane, tiles, _ = arguments
    file = folder / "passed" / f"{driver} {language} {plane} {tiles}.json".replace(" ", "-")
    if identity is not None and file.exists():
        before = json.loads(file.read_text())
        if before["sources"] == identity:
            return before["cells"], True
    file.unlink(missing_ok=True)
    cells, passed = row(folder, *arguments)
    if passed and identity is not None and identity == sources():
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"sources": identity, "cells": cells}))
    return cells, passed


def write_between_marks(file, rows):
    text = table(HEAD, rows)
    whole = file.read_text()
    before, rest = whole.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    file.write_text(f"{before}{MARKS[0]}\n{text}{MARKS[1]}{after}")


def main():
    split = sys.argv.index("--")
    folder, document = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2])
    command = sys.argv[split + 1 :]
    root = fetch(folder / "drivers")
    identity = sources()
    rows, failed = [], []
    for language, tiles in itertools.product(LANGUAGES, TILES):
        for driver, plane, environment in runs(root):
            start = time.monotonic()
            cells, passed = row_once(folder, identity, command, language, driver, plane, tiles, environment)
            print("\t".join(cells), f"{time.monotonic() - start:.0f} s", flush=True)
            rows.append(cells)
            if not passed:
                failed.append(" ".join(cells[:4]))
    (folder / "drivers.tsv").write_text("".join("\t".join(cells) + "\n" for cells in rows))
    if failed:
        sys.exit(f"these failed, see the logs in {folder}:\n" + "\n".join(failed))
    write_between_marks(document, rows)


if __name__ == "__main__":
    main()
