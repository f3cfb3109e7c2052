"""Prints what the changelog says of a version: `python3 tools/release_notes.py 0.1.0`.

Fails if the changelog has no such part or calls it unreleased, or if the workspace or CITATION.cff have another version.
"""

import pathlib
import re
import sys
import tomllib


def part(changelog, version):
    """The lines below a version's heading, which has the date of its release, up to the next heading."""
    parts = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for heading, _, text in (one.partition("\n") for one in parts):
        name, _, date = heading.partition(" ")
        if name == version:
            if not re.fullmatch(r"\(\d{4}-\d{2}-\d{2}\)", date.strip()):
                raise ValueError(f"CHANGELOG.md has no date for {version}, but {date.strip() or 'nothing'!r}")
            return text.strip()
    raise ValueError(f"CHANGELOG.md has no part for {version}")


def check_versions(version, manifest, citation):
    """All places that name a version name this one."""
    workspace = tomllib.loads(manifest)["workspace"]
    own = {
        f"dependency {name}": one["version"].removeprefix("=")
        for name, one in workspace["dependencies"].items()
        if isinstance(one, dict) and "path" in one and "version" in one
    }
    cited = re.search(r"^version: (\S+)$", citation, flags=re.MULTILINE)
    found = {"package": workspace["package"]["version"], **own, "CITATION.cff": cited[1] if cited else "nothing"}
    wrong = [f"{where} has {other}" for where, other in found.items() if other != version]
    if wrong:
        raise ValueError(f"{version} is to be released, but {', '.join(wrong)}")


def main():
    version = sys.argv[1]
    read = lambda name: pathlib.Path(name).read_text(encoding="utf-8")
    try:
        check_versions(version, read("Cargo.toml"), read("CITATION.cff"))
        print(part(read("CHANGELOG.md"), version))
    except ValueError as error:
        sys.exit(f"release_notes: {error}")


if __name__ == "__main__":
    main()
