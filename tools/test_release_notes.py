"""Tests of `release_notes.py`."""

import unittest

from release_notes import check_versions, part

CHANGELOG = """# Changelog

## 0.2.0 (unreleased)

- New.

## 0.1.0 (2026-12-01)

The foundation.

- Old.
"""
MANIFEST = """
[workspace.package]
version = "0.1.0"
[workspace.dependencies]
gpu-lsm = { path = "crates/gpu-lsm", version = "0.1.0" }
gpu-lsm-model = { path = "crates/gpu-lsm-model" }
rayon = "1.12"
"""
CITATION = "cff-version: 1.2.0\nversion: 0.1.0\n"


class Test(unittest.TestCase):
    def test_a_part_ends_at_the_next_heading(self):
        self.assertEqual(part(CHANGELOG, "0.1.0"), "The foundation.\n\n- Old.")

    def test_what_is_unreleased_or_missing_has_no_notes(self):
        for version in ["0.2.0", "0.3.0", "0.1"]:
            with self.assertRaises(ValueError, msg=version):
                part(CHANGELOG, version)

    def test_all_versions_are_the_one_that_is_released(self):
        check_versions("0.1.0", MANIFEST, CITATION)
        changed = [
            (MANIFEST.replace('version = "0.1.0"\n', 'version = "0.2.0"\n', 1), CITATION),
            (MANIFEST.replace('lsm", version = "0.1.0"', 'lsm", version = "0.2.0"'), CITATION),
            (MANIFEST, CITATION.replace("0.1.0", "0.2.0")),
            (MANIFEST, "cff-version: 1.2.0\n"),
        ]
        for manifest, citation in changed:
            with self.assertRaises(ValueError):
                check_versions("0.1.0", manifest, citation)


if __name__ == "__main__":
    unittest.main()
