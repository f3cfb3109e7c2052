"""Checks that every recipe that a document or a workflow tells to run exists in the justfile."""
import json
import pathlib
import re
import subprocess
import unittest

PROJECT = pathlib.Path(__file__).parents[1]


def recipes():
    """The names of all recipes, as `just` reads them."""
    command = ["just", "--dump", "--dump-format", "json"]
    dump = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    return set(json.loads(dump)["recipes"])


def documents():
    names = ["*.md", "docs/**/*.md", "crates/*/README.md", "proof/*.md", "examples/*/README.md", ".github/**/*"]
    return [file for name in names for file in PROJECT.glob(name) if file.is_file()]


class Recipes(unittest.TestCase):
    def test_every_recipe_that_a_document_names_exists(self):
        found, missing = recipes(), []
        for file in documents():
            for name in re.findall(r"(?:`|\brun: |^ *\$? ?)just ([a-z][\w-]*)", file.read_text(), re.M):
                if name not in found:
                    missing.append(f"{file.relative_to(PROJECT)}: just {name}")
        self.assertEqual(missing, [])

    def test_every_recipe_of_a_matrix_exists(self):
        found, missing = recipes(), []
        for file in [PROJECT / ".github/workflows" / name for name in ("check.yml", "weekly.yml")]:
            lines = re.findall(r"^ *recipes: (.*)$", file.read_text(), re.M)
            lists = re.findall(r"^ *recipe: \[(.*)\]$", file.read_text(), re.M)
            # Those of a list may have arguments.
            names = [name for line in lines for name in line.split()]
            names += [one.split()[0] for line in lists for one in line.split(",")]
            self.assertNotEqual(names, [], file.name)
            missing += [f"{file.name}: {name}" for name in names if name not in found]
        self.assertEqual(missing, [])

    def test_every_recipe_that_a_recipe_calls_exists(self):
        justfile = re.sub(r"^\s*#.*$", "", (PROJECT / "justfile").read_text(), flags=re.M)
        self.assertLessEqual(set(re.findall(r"\bjust ([a-z][\w-]*)", justfile)), recipes())


if __name__ == "__main__":
    unittest.main()
