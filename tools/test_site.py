import tempfile
import unittest
from pathlib import Path

from site_pages import destination, page

TRACKED = {"README.md", "docs/a.md", "docs/b/README.md", "docs/x.svg", "src/lib.rs"}
HOME = "https://example.org/it"


def made(text, name="docs/a.md", files=()):
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files:
            (Path(folder) / path).write_text(content)
        return page(text, name, TRACKED, HOME, Path(folder))


class Links(unittest.TestCase):
    def leads(self, target, name="docs/a.md"):
        return destination(target, name, TRACKED, HOME)

    def test_pages_images_and_other_sites_are_left_alone(self):
        for target in ["b/README.md#part", "../README.md", "x.svg", "#part", "https://example.com/"]:
            self.assertEqual(self.leads(target), (target, None))

    def test_files_and_folders_are_in_the_repository(self):
        self.assertEqual(self.leads("../src/lib.rs#L3"), (HOME + "/blob/main/src/lib.rs#L3", None))
        self.assertEqual(self.leads("../src"), (HOME + "/tree/main/src", None))

    def test_a_folder_with_a_page_is_that_page(self):
        self.assertEqual(self.leads("docs/b", "README.md"), ("docs/b/README.md", None))

    def test_a_link_that_leads_nowhere_is_an_error(self):
        self.assertEqual(made("[it](none.md)")[1], ["a link leads nowhere: none.md"])

    def test_a_link_may_go_over_two_lines(self):
        self.assertEqual(made("[a\nlink](../src)")[0], f"[a\nlink]({HOME}/tree/main/src)\n")

    def test_links_are_changed_in_text_but_not_in_code(self):
        text = "[`it`](../src/lib.rs) and `[no](../src/lib.rs)`\n\n```text\n[no](none.md)\n```"
        there = HOME + "/blob/main/src/lib.rs"
        expected = f"[`it`]({there}) and `[no](../src/lib.rs)`\n\n```text\n[no](none.md)\n```\n"
        self.assertEqual(made(text), (expected, []))


class Lists(unittest.TestCase):
    def test_what_belongs_to_a_numbered_item_has_four_spaces(self):
        text = "1. One\n   more\n\n   ```sh\n   go\n   ```\n\nEnd\n   here"
        self.assertEqual(made(text)[0], "1. One\n    more\n\n    ```sh\n    go\n    ```\n\nEnd\n   here\n")

    def test_an_item_behind_a_paragraph_has_an_empty_line_before_it(self):
        self.assertEqual(made("1. One\n\n   more\n2. Two\n3. Three")[0], "1. One\n\n    more\n\n2. Two\n3. Three\n")
        self.assertEqual(made("So:\n- one\n  more\n- two")[0], "So:\n\n- one\n  more\n- two\n")
        self.assertEqual(made("In the year\n2018. It")[0], "In the year\n2018. It\n")

    def test_code_that_looks_like_a_list_stays(self):
        text = "```text\n1. One\n   more\n```\n"
        self.assertEqual(made(text)[0], text)


class Code(unittest.TestCase):
    def test_rust_and_python_side_by_side_are_tabs(self):
        text, errors = made("```rs\na();\n```\n\n```python\na()\n```\n\nEnd.")
        self.assertEqual(errors, [])
        self.assertEqual(text.count('=== "'), 2)
        self.assertIn('=== "Rust"\n\n    ```rust\n    a();\n    ```\n', text)
        self.assertIn('=== "Python"\n\n    ```python\n    a()\n    ```\n', text)

    def test_what_is_for_doctests_only_is_left_out(self):
        self.assertEqual(made("```rust,no_run\na();\n```")[0], "```rust\na();\n```\n")

    def test_text_between_them_keeps_them_apart(self):
        self.assertNotIn("===", made("```rust\na();\n```\n\nAlso:\n\n```python\na()\n```")[0])

    def test_an_excerpt_is_in_its_file_at_any_indentation(self):
        text = "<!-- from a.rs -->\n```rust\nif a {\n    b();\n}\n```"
        self.assertEqual(made(text, files=[("a.rs", "fn f() {\n    if a {\n        b();\n    }\n}\n")])[1], [])

    def test_an_excerpt_that_has_changed_is_an_error(self):
        text = "<!-- from a.rs -->\n```rust\nold();\n```"
        self.assertEqual(made(text, files=[("a.rs", "new();\n")])[1], ["the code is not in a.rs: old();"])
        self.assertEqual(made(text)[1], ["the code is not in a.rs: old();"])
        self.assertEqual(len(made("<!-- from a.rs -->\n```rust\n```", files=[("a.rs", "new();\n")])[1]), 1)


if __name__ == "__main__":
    unittest.main()
