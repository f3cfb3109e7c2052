"""Tests that a kernel that has changed since the proofs is told from one that has not."""
import pathlib
import tempfile
import unittest

import since


class Since(unittest.TestCase):
    def test_kernels_that_are_new_or_other_have_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            emitted = pathlib.Path(folder)
            (emitted / "hip").mkdir()
            for name in ("same", "other", "new"):
                (emitted / "hip" / f"{name}.cpp").write_text(name)
            digest = since.digest(emitted, "same")
            rows = [f"| `same` | 0 | {digest} |", "| `other` | 0 | 000000000000 |", f"| `gone` | 0 | {digest} |"]
            self.assertEqual(since.changed(emitted, "\n".join(rows)), (3, ["new", "other"]))

    def test_names_of_variables_do_not_count(self):
        one, same, other = "int v7 = v3; v7 += v9;", "int v1 = v4; v1 += v2;", "int v1 = v4; v4 += v2;"
        self.assertEqual(since.renamed(one), since.renamed(same))
        self.assertNotEqual(since.renamed(one), since.renamed(other))


if __name__ == "__main__":
    unittest.main()
