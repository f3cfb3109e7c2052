"""Looks for files of a crate that import each other, directly or indirectly.

    python3 tools/circles.py CRATE...

CRATE is the folder of a crate. Each file in its `src` points at the files whose items it names, in `use` or in paths
such as `super::merge::merge` anywhere in its code. An item that is used through a re-export points at the file that
defines it. Tests, `mod` lines, re-exports of a file's own children, and methods that another file adds to a type are
ignored. If there is a circle, the command prints its imports and fails.
"""
import pathlib
import re
import sys
from collections import defaultdict

#: Comments, strings and the like, or code: a word, perhaps with the `$` of a macro, or one sign.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>#*)".*?"(?P=hashes)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\\n])'|'\w+"""
    r"""|(?P<code>\$?[A-Za-z_]\w*|::|[^\s\w])""",
    re.DOTALL,
)
#: The keywords that precede the name of an item.
ITEMS = {"fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"}
STARTS = {"crate", "$crate", "self", "super"}


class Module:
    """A module, in its own file or in its parent's."""

    def __init__(self, file, parent):
        self.file, self.parent = file, parent
        self.children, self.items, self.imports, self.globs = {}, set(), {}, []
        self.paths = []

    def root(self):
        return self.parent.root() if self.parent else self


def tokens(text):
    """The words and signs of the code, each with its line."""
    for match in TOKEN.finditer(text):
        if match["code"]:
            yield match["code"], text.count("\n", 0, match.start()) + 1


class Reader:
    """Reads one file into modules."""

    def __init__(self, file):
        self.file = file
        self.tokens = list(tokens(file.read_text()))
        self.at = 0

    def word(self, ahead=0):
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def line(self):
        return self.tokens[self.at][1]

    def take(self, *expected):
        words = [self.word(i) for i in range(len(expected))]
        if words != list(expected):
            return False
        self.at += len(expected)
        return True

    def skip_group(self):
        """Moves past the bracket that closes the current one."""
        depth = 0
        while self.at < len(self.tokens):
            depth += (self.word() in "([{") - (self.word() in ")]}")
            self.at += 1
            if depth == 0:
                return

    def skip_item(self):
        """Moves past the item that starts here."""
        while self.at < len(self.tokens) and self.word() not in (";", "{"):
            if self.word() in "([":
                self.skip_group()
            else:
                self.at += 1
        if self.word() == "{":
            self.skip_group()
        else:
            self.at += 1

    def is_test_attribute(self):
        start = self.at
        self.at += 1
        self.skip_group()
        words = [word for word, _ in self.tokens[start : self.at]]
        return words[2:4] == ["cfg", "("] and "test" in words and "not" not in words

    def read(self, module):
        """Reads up to the end of the file, or to the brace that closes the module."""
        depth, is_public = 0, False
        while self.at < len(self.tokens):
            word = self.word()
            if word == "#" and self.word(1) == "[":
                if self.is_test_attribute():
                    self.skip_item()
            elif word == "pub":
                is_public = True
                self.at += 1
                if self.word() == "(" and self.word(1) in STARTS | {"in"}:
                    self.skip_group()
            elif word == "mod" and self.word(2) in (";", "{"):
                self.read_module(module)
                is_public = False
            elif word == "use":
                self.read_use(module, is_public)
                is_public = False
            else:
                if word in ITEMS and depth == 0:
                    module.items.add(self.word(2) if word == "macro_rules" else self.word(1))
                is_public = is_public and word in ("unsafe", "async")
                depth += (word == "{") - (word == "}")
                if depth < 0:
                    return
                self.read_path(module)

    def read_module(self, module):
        name, is_inline = self.word(1), self.word(2) == "{"
        self.at += 3
        if is_inline:
            child = module.children[name] = Module(self.file, module)
            self.read(child)
            self.at += 1
        else:
            folder = self.file.parent if self.file.name in ("lib.rs", "main.rs", "mod.rs") else self.file.with_suffix("")
            for part in reversed(nesting(module, self.file)):
                folder = folder / part
            file = next(f for f in (folder / f"{name}.rs", folder / name / "mod.rs") if f.exists())
            child = module.children[name] = Module(file, module)
            Reader(file).read(child)

    def read_use(self, module, is_public):
        line = self.line()
        self.at += 1
        self.read_tree(module, [], line, is_public)
        self.take(";")

    def read_tree(self, module, path, line, is_public):
        """Reads one tree of a `use`, for instance `a::{self, b::C as D}`."""
        while True:
            if self.take("{"):
                while not self.take("}"):
                    self.read_tree(module, path, line, is_public)
                    self.take(",")
                return
            path = path + [self.word()]
            self.at += 1
            if not self.take("::"):
                break
        name = path[-1] if path[-1] != "self" or len(path) == 1 else path[-2]
        path = path[:-1] if path[-1] == "self" and len(path) > 1 else path
        if self.take("as"):
            name = self.word()
            self.at += 1
        if path[-1] == "*":
            module.globs.append(path[:-1])
            path = path[:-1]
        else:
            module.imports[name] = path
        module.paths.append((path, line, is_public))

    def read_path(self, module):
        """Reads a path in code, or one word."""
        line, path = self.line(), [self.word()]
        self.at += 1
        while self.word() == "::" and re.match(r"[A-Za-z_]", self.word(1)):
            path.append(self.word(1))
            self.at += 2
        if len(path) > 1:
            module.paths.append((path, line, False))


def nesting(module, file):
    """The names of a module and of the modules around it, as far as they are in the same file."""
    names = []
    while module.parent and module.parent.file == file:
        names.append(next(name for name, child in module.parent.children.items() if child is module))
        module = module.parent
    return names


def resolve(module, path, seen=frozenset()):
    """The module that a path names, or whose item it names; `None` if it is outside of the crate."""
    if (id(module), tuple(path)) in seen:
        return None
    seen = seen | {(id(module), tuple(path))}
    first, rest = path[0], path[1:]
    if first in ("crate", "$crate"):
        return walk(module.root(), rest, seen)
    if first == "self":
        return walk(module, rest, seen)
    if first == "super":
        return resolve(module.parent, rest, seen) if rest[:1] == ["super"] else walk(module.parent, rest, seen)
    if first in module.children or first in module.imports:
        return walk(module, path, seen)
    return None


def walk(module, path, seen):
    for i, name in enumerate(path):
        if name in module.children:
            module = module.children[name]
        elif name in module.items:
            return module
        elif name in module.imports:
            target = module.imports[name]
            # A name that is imported as itself, as in `use cubecl;`, comes from outside.
            return resolve(module, target + path[i + 1 :], seen) if target != [name] else None
        else:
            found = (resolve(module, glob + path[i:], seen) for glob in module.globs)
            return next(filter(None, found), module)
    return module


def modules(module):
    yield module
    for child in module.children.values():
        yield from modules(child)


def is_within(module, ancestor):
    return module is not None and (module is ancestor or is_within(module.parent, ancestor))


def arrows(crate):
    """For each file, the files that it points at, with the line and the path of each arrow."""
    root = Module(next(f for f in (crate / "src" / "lib.rs", crate / "src" / "main.rs") if f.exists()), None)
    Reader(root.file).read(root)
    found = defaultdict(dict)
    for module in modules(root):
        for path, line, is_public in module.paths:
            target = resolve(module, path)
            if target is None or target.file == module.file:
                continue
            if is_public and is_within(target, module):
                continue
            found[module.file].setdefault(target.file, (line, "::".join(path)))
    return found


def circles(found):
    """The sets of files that reach each other (Tarjan's algorithm)."""
    order, low, stack, components = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for target in found.get(file, ()):
            if target not in order:
                visit(target)
            if target in stack:
                low[file] = min(low[file], low[target])
        if low[file] == order[file]:
            component = [stack.pop()]
            while component[-1] != file:
                component.append(stack.pop())
            if len(component) > 1:
                components.append(set(component))

    for file in list(found):
        if file not in order:
            visit(file)
    return components


def report(crate):
    """One text per circle of a crate."""
    found = arrows(crate)
    for component in circles(found):
        lines = [f"{crate}: {len(component)} files import each other:"]
        for file in sorted(component):
            for target, (line, path) in sorted(found[file].items()):
                if target in component:
                    lines.append(f"  {file}:{line}: {path} -> {target.relative_to(crate)}")
        yield "\n".join(lines)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    texts = [text for crate in sys.argv[1:] for text in report(pathlib.Path(crate))]
    if texts:
        sys.exit("\n".join(texts))
    print("no two files import each other: " + ", ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
