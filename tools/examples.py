"""Looks for public methods without an example.

    python3 tools/examples.py CRATE...

CRATE is the folder of a crate. A method is public if its `fn` is `pub` within an `impl`; one that is hidden from the
documentation needs no example. If a method has none, the command prints it and fails.
"""
import pathlib
import re
import sys

METHOD = re.compile(r" {4}pub (?:const |async )*fn (\w+)")
TESTS = "#[cfg(test)]"


def without_example(text):
    """The names of the public methods of a file that have no example, each with its line."""
    lines = text.split(f"\n{TESTS}\n")[0].split("\n")
    above = []
    for number, line in enumerate(lines, 1):
        if line.startswith(("    ///", "    #[")):
            above.append(line)
            continue
        method = METHOD.match(line)
        if method and not any("```" in part or "doc(hidden)" in part for part in above):
            yield method[1], number
        above = []


def main(crates):
    files = sorted(file for crate in crates for file in pathlib.Path(crate, "src").rglob("*.rs"))
    missing = [(file, name, line) for file in files for name, line in without_example(file.read_text())]
    for file, name, line in missing:
        print(f"{file}:{line}: `{name}` has no example")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
