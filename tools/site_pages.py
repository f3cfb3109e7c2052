"""Lays out the repository's Markdown as the source of the site.

    python3 tools/site_pages.py REPOSITORY FOLDER

The same files serve GitHub and the site, so they are written for GitHub. On the way to the site

- a link to a file that is not a page leads to the repository; a link that leads nowhere is an error;
- a block of Rust followed by one of Python becomes two tabs;
- what belongs to a numbered item has four spaces before it, as Python's Markdown wants, and not three;
- an item behind a paragraph has an empty line before it, without which Python's Markdown takes it for more of the paragraph;
- a block of code behind `<!-- from PATH -->` must be an excerpt of that file, word for word.

All errors are printed, and the exit code says whether there were any.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

IMAGES = (".svg", ".png")
COPIED = (*IMAGES, ".css")
LINK_OR_CODE = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\()([^()\s]+)(\))|`[^`]*`")
FENCE = re.compile(r"^( *)```(.*)$")
ITEM = re.compile(r" *(-|\d+\.) ")
EXCERPT = re.compile(r"^<!-- from (\S+) -->$")


def main(repository, folder):
    repository, folder = Path(repository).resolve(), Path(folder)
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                             cwd=repository, check=True, capture_output=True, text=True).stdout.splitlines()
    tracked = [name for name in tracked if (repository / name).exists()]
    manifest = tomllib.loads((repository / "Cargo.toml").read_text())
    home = manifest["workspace"]["package"]["repository"]
    shutil.rmtree(folder, ignore_errors=True)
    errors = []
    for name in filter(is_page, tracked):
        text, found = page((repository / name).read_text(), name, set(tracked), home, repository)
        errors += [f"{name}: {error}" for error in found]
        write(folder / name, text.encode())
    for name in tracked:
        if name.endswith(COPIED):
            write(folder / name, (repository / name).read_bytes())
    print("\n".join(errors), file=sys.stderr, end="\n" if errors else "")
    return bool(errors)


def is_page(name):
    return name.endswith(".md") and not name.startswith(".github/")


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def page(text, name, tracked, home, repository):
    """The text of a page on the site, and its errors."""
    errors = []
    blocks = list(blocks_of(indented(spaced(text.splitlines()))))
    for kind, lines, source in blocks:
        if kind == "code" and source:
            path = repository / source
            if not path.exists() or not is_excerpt(lines[1:-1], path.read_text().splitlines()):
                errors.append(f"the code is not in {source}: {first_line(lines)}")

    def led(match):
        before, target, after = match.groups()
        if target is None:
            return match[0]
        place, error = destination(target, name, tracked, home)
        errors.extend([error] if error else [])
        return before + place + after

    made = []
    for lines, is_code in tabs(blocks):
        text = "\n".join(lines)
        made += [] if not lines else [text if is_code else LINK_OR_CODE.sub(led, text)]
    return "\n".join(made) + "\n", errors


def spaced(lines):
    """Lines with an empty one before each item of a list that follows a paragraph."""
    start, in_code = "", False
    for line in lines:
        in_code ^= line.lstrip().startswith("```")
        # A number that is not the first ends no paragraph but one that belongs to the item before.
        is_item = re.match(r"(-|1\.) " if start[:1].strip() else r"(-|\d+\.) ", line)
        if is_item and start and not in_code and not ITEM.match(start):
            yield ""
            start = ""
        start = (start or line) if line.strip() else ""
        yield line


def indented(lines):
    """Lines of which those that belong to a numbered item have one more space."""
    in_item = in_code = False
    for line in lines:
        in_code ^= line.startswith("```")
        if line and not line.startswith(" "):
            in_item = not in_code and bool(re.match(r"\d+\. ", line))
        yield " " + line if in_item and line.startswith("   ") else line


def blocks_of(all_lines):
    """Text and code in turns: the kind, the lines, and the file that code is an excerpt of."""
    lines, fence, source = [], None, None
    for line in all_lines:
        found = FENCE.match(line)
        if fence is None and found:
            source = next((excerpt[1] for excerpt in [EXCERPT.match(last(lines))] if excerpt), None)
            yield "text", lines, None
            lines, fence = [line], found[1]
        elif fence is not None and line == fence + "```":
            yield "code", [*lines, line], source
            lines, fence = [], None
        else:
            lines.append(line)
    yield "text", lines, None


def last(lines):
    return next((line for line in reversed(lines) if line.strip()), "")


def first_line(lines):
    return next((line.strip() for line in lines[1:-1] if line.strip()), "")


def language(lines):
    name = FENCE.match(lines[0])[2].split(",")[0].strip()
    return "rust" if name == "rs" else name


def tabs(blocks):
    """Lines with whether they are code. A block of Rust and the block of Python right after it become tabs."""
    i = 0
    while i < len(blocks):
        kind, lines, _ = blocks[i]
        pair = blocks[i:i + 3]
        if ([part[0] for part in pair] == ["code", "text", "code"] and not last(pair[1][1])
                and [language(pair[0][1]), language(pair[2][1])] == ["rust", "python"]):
            for title, code in [("Rust", pair[0][1]), ("Python", pair[2][1])]:
                yield ["", f'=== "{title}"', "", *("    " + line for line in plain(code)), ""], True
            i += 3
            continue
        yield (plain(lines), True) if kind == "code" else (lines, False)
        i += 1


def plain(code):
    """A block without what only doctests need: `rust,no_run` and `rs`, which doctests don't know, are `rust`."""
    indent = FENCE.match(code[0])[1]
    return [f"{indent}```{language(code)}", *code[1:]]


def is_excerpt(code, lines):
    """Whether the code occurs in a file, perhaps with another indentation."""
    code, size = dedented(code), len(code)
    return size > 0 and any(dedented(lines[i:i + size]) == code for i in range(len(lines) - size + 1))


def dedented(lines):
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return [line[min(indents, default=0):].rstrip() for line in lines]


def destination(target, name, tracked, home):
    """Where a link of a page leads on the site, and what is wrong with it."""
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return target, None
    path, _, part = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(name), path))
    part = "#" + part if part else ""
    if path in tracked and (is_page(path) or path.endswith(IMAGES)):
        return target, None
    if path + "/README.md" in tracked:
        return os.path.relpath(path + "/README.md", os.path.dirname(name) or ".") + part, None
    if path in tracked:
        return f"{home}/blob/main/{path}{part}", None
    if any(other.startswith(path + "/") for other in tracked):
        return f"{home}/tree/main/{path}{part}", None
    return target, f"a link leads nowhere: {target}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
