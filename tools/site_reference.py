"""The reference of the Python package as a page: its public names with signatures and docstrings, without importing it.

    python3 tools/site_reference.py PACKAGE FILE
"""

import ast
import sys
from pathlib import Path

HEAD = """# Python reference

Made from the docstrings of the package, whose examples run as tests.
"""


def main(package, file):
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(reference(Path(package)))


def reference(package):
    trees = {path.stem: ast.parse(path.read_text()) for path in package.glob("*.py")}
    defined = {}
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                defined[module, node.name] = node
    parts = [HEAD]
    for name, module in public_names(trees["__init__"]):
        if (module, name) in defined:
            parts += described(defined[module, name], defined, f"{package.name}.{name}")
        elif name in trees:
            parts += [f"## {package.name}.{name}", documented(trees[name])]
            for (place, _), node in defined.items():
                if place == name and not node.name.startswith("_"):
                    parts += described(node, defined, f"{name}.{node.name}", 3)
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def public_names(tree):
    """The names in `__all__`, each with the module that it comes from."""
    origins = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            origins |= {alias.asname or alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = ast.literal_eval(node.value)
    return [(name, origins.get(name)) for name in names]


def described(node, defined, name, level=2):
    """The parts of a class or of a function."""
    head = f"{'#' * level} {name}"
    if isinstance(node, ast.FunctionDef):
        return [head, signature(node), documented(node)]
    parts = [head, documented(node), fields(node)]
    methods = methods_of(node, defined)
    if "__init__" in methods:
        parts.insert(1, signature(methods["__init__"], node.name))
    for method in methods.values():
        if not method.name.startswith("_"):
            parts += [f"{'#' * (level + 1)} {method.name}", signature(method), documented(method)]
    return parts


def methods_of(node, defined):
    """A class's methods, its bases' included, without overloads."""
    methods = {}
    for base in node.bases:
        base = base.value if isinstance(base, ast.Subscript) else base
        for (_, name), other in defined.items():
            if isinstance(base, ast.Name) and name == base.id and isinstance(other, ast.ClassDef):
                methods |= methods_of(other, defined)
    own = (method for method in node.body if isinstance(method, ast.FunctionDef))
    return methods | {method.name: method for method in own if "overload" not in decorators(method)}


def decorators(node):
    return [decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)]


def fields(node):
    """The fields of a dataclass."""
    found = [ast.unparse(field) for field in node.body if isinstance(field, ast.AnnAssign)]
    return "```python\n" + "\n".join(found) + "\n```" if found else ""


def signature(node, name=None):
    if "property" in decorators(node):
        return f"```python\n{node.name}: {ast.unparse(node.returns)}\n```"
    given, result = arguments(node.args), "" if name else f" -> {ast.unparse(node.returns)}"
    whole = f"{name or node.name}({', '.join(given)}){result}"
    if len(whole) > 100:
        lines = "".join(f"    {argument},\n" for argument in given)
        whole = f"{name or node.name}(\n{lines}){result}"
    return f"```python\n{whole}\n```"


def arguments(given):
    """The arguments of a function, without that for the object itself."""
    positional = [argument for argument in given.args if argument.arg not in ("self", "cls")]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    parts = [argument(one, default) for one, default in zip(positional, defaults)]
    if given.kwonlyargs:
        parts.append("*")
    parts += [argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults)]
    return parts + ([f"**{ast.unparse(given.kwarg)}"] if given.kwarg else [])


def argument(one, default):
    value = "" if default is None else " = " + ast.unparse(default)
    return ast.unparse(one) + value.replace("= _MISSING", "= …")


def documented(node):
    """A docstring in which examples are code."""
    lines, in_example = [], False
    for line in (ast.get_docstring(node) or "").splitlines():
        starts, ends = line.startswith(">>>") and not in_example, in_example and not line
        lines += ["```pycon"] * starts + ["```"] * ends + [line]
        in_example = (in_example or starts) and not ends
    return "\n".join(lines + ["```"] * in_example)


if __name__ == "__main__":
    main(*sys.argv[1:])
