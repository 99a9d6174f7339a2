# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Release notes and symbol lists: what is wrong is found, on trees and libraries made here; and the recipes name one version.
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_symbols  # noqa: E402
import release_notes  # noqa: E402


class Notes(unittest.TestCase):
    def test_all_recipes_name_the_version_of_the_header(self):
        self.assertEqual(list(release_notes.differing(ROOT)), [])

    def test_a_recipe_of_another_version_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for place in [*release_notes.PLACES, "include/limequat/version.hpp"]:
                (root / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / place, root / place)
            text = (root / "packaging/conda/meta.yaml").read_text()
            (root / "packaging/conda/meta.yaml").write_text(text.replace('set version = "', 'set version = "9'))
            wrong, = release_notes.differing(root)
        self.assertIn("packaging/conda/meta.yaml names version 9", wrong)

    def test_the_section_of_a_version_is_all_of_it_and_nothing_else(self):
        text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-11-21)\n\nFirst.\n\n- a\n- b\n"
        self.assertEqual(release_notes.section(text, "Unreleased"), "- new")
        self.assertEqual(release_notes.section(text, "0.1.0"), "First.\n\n- a\n- b")
        self.assertIsNone(release_notes.section(text, "0.1"))

    def test_the_notes_of_the_first_release_are_told(self):
        done = subprocess.run([sys.executable, ROOT / "tools/release_notes.py", "0.1.0"], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("# Limequat ") and "- **" in done.stdout)


@unittest.skipUnless(all(map(shutil.which, ("cc", "nm", "readelf"))), "no compiler here")
class Symbols(unittest.TestCase):
    def test_what_is_gone_new_or_of_another_soname_is_told(self):
        with tempfile.TemporaryDirectory() as name:
            library = pathlib.Path(name) / "libthing.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libthing.so.1", "-x", "c", "-", "-o", library], check=True,
                           input="int kept; void fresh(void) {} __attribute__((weak)) void weak(void) {} static int own;", text=True)
            self.assertEqual(list(check_symbols.complaints({"kept", "fresh"}, library, "libthing.so.1")), [])
            said = " ".join(check_symbols.complaints({"kept", "gone"}, library, "libthing.so.2"))
        for words in ("gone is gone", "fresh is new", "the soname is libthing.so.1, expected libthing.so.2"):
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
