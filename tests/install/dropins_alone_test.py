# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The tree of the drop-ins, copied out of this one and built over an installed Limequat.
import argparse
import shutil
import sys
import unittest

from dropins_test import SOURCE
from moved_tree import MovedTree, run

OPTIONS, CMAKE = None, []


class Alone(MovedTree):
    @classmethod
    def setUpClass(cls):
        cls.install(OPTIONS.build, "limequat.pc")
        run("cmake", "--install", OPTIONS.build, "--prefix", cls.prefix, "--component", "internals")
        cls.tree = cls.folder / "dropins"
        shutil.copytree(SOURCE.parents[2] / "dropins", cls.tree)

    def configure(self):
        run("cmake", "-S", self.tree, "-B", self.work, f"-DCMAKE_PREFIX_PATH={self.prefix}", *CMAKE)

    def refusal(self):
        """What is said where the internals are not those."""
        with self.assertRaises(AssertionError) as said:
            self.configure()
        return " ".join(str(said.exception).split())

    def test_libraries_are_built_and_work(self):
        programs = [("lime/over_lime.c", "-llime", "lime"), ("qio/over_qio.c", "-lqio", "qio")]
        if OPTIONS.alone:
            programs.append(("lime/over_lime.c", "-l:liblime.a", "lime_static"))
        self.configure()
        run("cmake", "--build", self.work, "--parallel", "2", "--target", *(target for _, _, target in programs))
        where = f"-I{self.tree}/include", f"-L{self.work}/lib", f"-Wl,-rpath,{self.work}/lib"
        for source, library, _ in programs:
            run(OPTIONS.mpicc or "cc", SOURCE / source, "-o", self.work / "program", *where, library)
            self.assertEqual(run(self.work / "program", cwd=self.work), "same")

    def test_other_internals_are_refused(self):
        file = self.libdir / "cmake/Limequat/LimequatConfigVersion.cmake"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(f'"{OPTIONS.version}"', '"1.99.0"'), encoding="utf-8")
        self.addCleanup(file.write_text, text, encoding="utf-8")
        self.assertRegex(self.refusal(), f"need the internals of Limequat {OPTIONS.version}, and of no other version.*found: 1.99.0")

    def test_a_plain_install_has_none(self):
        internals, away = self.libdir / "limequat/internals", self.work / "away"
        internals.rename(away)
        self.addCleanup(away.rename, internals)
        self.assertRegex(self.refusal(), f'found: Limequat at {self.prefix} has no component "internals"')


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--alone", type=lambda text: text == "ON", default=False)
    parser.add_argument("--mpicc", default="")
    OPTIONS, CMAKE = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1])
