"""Tests circles.py on small made-up crates: python3 -m unittest discover tools"""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import circles


class Crate:
    """A crate of a few files, in a folder that is deleted at the end of the test."""

    def __init__(self, test, **files):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name, text in files.items():
            file = self.path / "src" / (name.replace("__", "/") + ".rs")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def name(self, file):
        return str(file.relative_to(self.path / "src").with_suffix(""))

    def arrows(self):
        found = circles.arrows(self.path)
        return {(self.name(file), self.name(target)) for file, targets in found.items() for target in targets}

    def circles(self):
        found = circles.circles(circles.arrows(self.path))
        return sorted(sorted(map(self.name, component)) for component in found)


class Circles(unittest.TestCase):
    def test_two_files_that_import_each_other_are_a_circle(self):
        crate = Crate(self, lib="mod a; mod b;", a="use crate::b::B; pub struct A;", b="use super::a::A; pub struct B;")
        self.assertEqual(crate.circles(), [["a", "b"]])

    def test_a_longer_circle_is_found_and_what_only_leads_to_it_is_not_part_of_it(self):
        crate = Crate(
            self,
            lib="mod a; mod b; mod c; mod d;",
            a="use crate::b;",
            b="fn f() { crate::c::g(); }",
            c="pub fn g() { super::a::f() }",
            d="use crate::a;",
        )
        self.assertEqual(crate.circles(), [["a", "b", "c"]])

    def test_arrows_in_one_direction_are_no_circle(self):
        crate = Crate(self, lib="mod a; mod b; pub use a::A;", a="use crate::b::{self, B as C}; pub struct A;", b="pub struct B;")
        self.assertEqual(crate.circles(), [])
        self.assertEqual(crate.arrows(), {("a", "b")})

    def test_a_re_export_points_at_where_an_item_is_defined(self):
        crate = Crate(
            self,
            lib="mod part; mod user;",
            part__mod="mod inner; pub use inner::Inner;",
            part__inner="pub struct Inner;",
            user="use crate::part::Inner;",
        )
        self.assertEqual(crate.arrows(), {("user", "part/inner")})

    def test_a_child_that_takes_an_item_of_its_parent_is_a_circle_if_the_parent_calls_it(self):
        files = {"part__child": "use super::Item; pub fn call() {}", "lib": "mod part;"}
        crate = Crate(self, part__mod="mod child; pub struct Item;", **files)
        self.assertEqual(crate.arrows(), {("part/child", "part/mod")})
        crate = Crate(self, part__mod="mod child; pub struct Item; fn f() { child::call() }", **files)
        self.assertEqual(crate.circles(), [["part/child", "part/mod"]])

    def test_tests_comments_and_strings_are_no_imports(self):
        text = """
            // use crate::b::B;
            /// See [`crate::b`].
            const TEXT: &str = "use crate::b::B;";
            #[cfg(test)]
            use crate::b::B;
            #[cfg(test)]
            mod tests { use crate::b::B; }
            fn life<'a>(c: &'a char) { let c = '"'; }
            pub(in crate::b) struct A;
        """
        crate = Crate(self, lib="mod a; mod b;", a=text, b="use crate::a::A; pub struct B;")
        self.assertEqual(crate.arrows(), {("b", "a")})

    def test_a_module_within_a_file_is_part_of_the_file(self):
        crate = Crate(
            self,
            lib="mod a; mod b;",
            a="pub struct A; mod inner { use super::A; use super::super::b::B; }",
            b="pub struct B;",
        )
        self.assertEqual(crate.arrows(), {("a", "b")})

    def test_a_macro_points_at_what_it_names_by_its_crate(self):
        crate = Crate(self, lib="mod a; mod b;", a="macro_rules! m { () => { $crate::b::B } }", b="pub struct B;")
        self.assertEqual(crate.arrows(), {("a", "b")})

    def test_a_report_names_the_lines(self):
        crate = Crate(self, lib="mod a; mod b;", a="\nuse crate::b::B; pub struct A;", b="use crate::a::A; pub struct B;")
        (text,) = circles.report(crate.path)
        self.assertIn("2 files import each other", text)
        self.assertIn("src/a.rs:2: crate::b::B -> src/b.rs", text)


if __name__ == "__main__":
    unittest.main()
