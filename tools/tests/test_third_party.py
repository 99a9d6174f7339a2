# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of third_party.py: the copies in this tree equal their releases, a change is found, and a release replaces a copy.
import contextlib
import io
import pathlib
import shutil
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import third_party  # noqa: E402


class Copies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.folder = self.root / "third_party"
        shutil.copytree(ROOT / "third_party", self.folder)

    def run_with(self, *arguments):
        """Exit status and messages."""
        said, before = io.StringIO(), sys.argv
        sys.argv = ["third_party.py", *map(str, arguments), "--root", str(self.root)]
        try:
            with contextlib.redirect_stderr(said):
                return third_party.main(), said.getvalue()
        finally:
            sys.argv = before

    def test_of_this_tree_are_as_released(self):
        self.assertEqual(list(third_party.check(ROOT / "third_party")), [])
        self.assertEqual(self.run_with("check"), (0, ""))

    def test_a_change_is_found(self):
        header = self.folder / "fmt/include/fmt/core.h"
        header.write_bytes(header.read_bytes() + b"\n")
        (self.folder / "CLI11/LICENSE").unlink()
        (self.folder / "pugixml/src/more.hpp").write_text("")
        status, said = self.run_with("check")
        self.assertEqual(status, 1)
        self.assertEqual([line.split()[0] for line in said.splitlines()],
                         ["third_party/CLI11/LICENSE", "third_party/fmt/include/fmt/core.h", "third_party/pugixml/src/more.hpp"])

    def test_a_release_replaces_a_copy(self):
        tarball = self.root / "pugixml-1.99.tar.gz"
        header = (self.folder / "pugixml/src/pugixml.hpp").read_bytes().replace(b"PUGIXML_VERSION 1130", b"PUGIXML_VERSION 1990")
        with tarfile.open(tarball, "w:gz") as release:
            for name, content in (("src/pugixml.hpp", header), ("LICENSE.md", b"MIT"), ("docs/manual.html", b"long")):
                member = tarfile.TarInfo(f"pugixml-1.99/{name}")
                member.size = len(content)
                release.addfile(member, io.BytesIO(content))
        self.assertEqual(self.run_with("update", "pugixml", "1.99", "--from", tarball), (0, ""))
        self.assertEqual(sorted(path.name for path in (self.folder / "pugixml").rglob("*") if path.is_file()),
                         ["LICENSE.md", "pugixml.hpp"])
        self.assertIn("| pugixml | 1.99 |", (self.folder / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(self.run_with("check"), (0, ""))
        with self.assertRaisesRegex(SystemExit, "has pugixml 1.99, not 2.0"):
            third_party.update(self.folder, "pugixml", "2.0", tarball)


if __name__ == "__main__":
    unittest.main()
