# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The installed tree, as a stranger uses it: installed into one folder, moved to another, then built against by CMake
# and by pkg-config, with and without MPI, and the results run.
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from moved_tree import MovedTree, run

SOURCE = pathlib.Path(__file__).parent / "downstream"
OPTIONS = None


class Installed(MovedTree):
    @classmethod
    def setUpClass(cls):
        cls.install(OPTIONS.build, "limequat.pc")
        cls.environment = {**os.environ, "CMAKE_PREFIX_PATH": str(cls.prefix),
                           "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig"), "LD_LIBRARY_PATH": str(cls.libdir)}

    def configure(self, components):
        return subprocess.run(["cmake", "-S", SOURCE, "-B", self.work, f"-DCOMPONENTS={components}"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment)

    def compile(self, compiler, source, package, *options):
        flags = run("pkg-config", "--cflags", "--libs", *package.split(), env=self.environment).split()
        program = self.work / "program"
        run(*compiler.split(), *options, SOURCE / source, "-o", program, *flags, env=self.environment)
        return program

    def mpirun(self, program):
        return run(OPTIONS.mpiexec, "-n", "2", program, cwd=self.work, env=self.environment)

    def test_every_kind_of_file_has_its_folder(self):
        folders = ["include/limequat", "share/doc", "lib/python"]
        self.assertEqual([f for f in folders if not any((self.prefix / f).rglob("*"))], [])
        self.assertTrue(any(self.libdir.glob("liblimequat.so*")))

    def test_mpi_is_mentioned_only_where_it_is(self):
        there = (self.prefix / "include/limequat/mpi.hpp").exists()
        self.assertEqual(there, OPTIONS.mpi)
        self.assertEqual((self.prefix / "include/limequat_mpi.h").exists(), there)

    def test_cmake_project_builds_and_runs(self):
        components = ["mpi"] * OPTIONS.mpi + ["fortran"] * bool(OPTIONS.fortran)
        configured = self.configure(";".join(components))
        self.assertEqual(configured.returncode, 0, configured.stdout)
        run("cmake", "--build", self.work, env=self.environment)
        self.assertIn("same", run(self.work / "serial", cwd=self.work))
        self.assertIn("same", run(self.work / "serial_c", cwd=self.work))
        self.assertIn("same", run(self.work / "cxx17", cwd=self.work))
        if OPTIONS.mpi:
            self.assertIn("2 ranks same", self.mpirun(self.work / "parallel"))
        if OPTIONS.fortran:
            self.assertIn("same", run(self.work / "serial_f90", cwd=self.work))
        if OPTIONS.fortran and OPTIONS.mpi:
            self.assertIn("2 ranks same", self.mpirun(self.work / "parallel_f90"))

    def test_pkg_config_serves_fortran(self):
        if not OPTIONS.fortran:
            self.skipTest("built without Fortran")
        program = self.compile(OPTIONS.fortran, "serial.f90", "limequat_fortran")
        self.assertIn("same", run(program, cwd=self.work, env=self.environment))
        if OPTIONS.mpi_fortran:
            program = self.compile(OPTIONS.mpi_fortran, "parallel.f90", "limequat_fortran limequat_mpi")
            self.assertIn("2 ranks same", self.mpirun(program))

    def test_cmake_names_the_component_that_is_missing(self):
        configured = self.configure("nonsense")
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn('no component "nonsense"', " ".join(configured.stdout.split()))

    def test_pkg_config_serves_cpp_and_c(self):
        program = self.compile("c++", "serial.cpp", "limequat", "-std=c++20")
        self.assertIn("same", run(program, cwd=self.work, env=self.environment))
        program = self.compile("cc", "serial.c", "limequat", "-std=c99", "-pedantic", "-Wall", "-Werror")
        self.assertIn("same", run(program, cwd=self.work, env=self.environment))

    def test_pkg_config_brings_mpi(self):
        if not OPTIONS.mpi:
            self.skipTest("built without MPI")
        program = self.compile("c++", "parallel.cpp", "limequat_mpi", "-std=c++20")
        self.assertIn("2 ranks same", self.mpirun(program))

    def test_core_library_has_no_mpi_symbol(self):
        symbols = run("nm", "-D", "--undefined-only", self.libdir / "liblimequat.so")
        self.assertEqual([s for s in symbols.split() if s.upper().startswith(("MPI_", "PMPI_", "OMPI_"))], [])

    def test_programs_find_their_library(self):
        if not OPTIONS.lq:
            self.skipTest("built without lq")
        plain = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        version = run(self.prefix / "bin/lq", "--version", env=plain)
        self.assertRegex(version, r"\d+\.\d+\.\d+")

    def test_python_package_finds_its_library(self):
        python = {**os.environ, "PYTHONPATH": str(self.prefix / "lib/python")}
        if subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no numpy")
        code = "import limequat; print(limequat.__file__, limequat.__version__)"
        self.assertIn(str(self.prefix), run(sys.executable, "-c", code, env=python, cwd=self.work))
        code = "import importlib.metadata; print(importlib.metadata.distribution('limequat').entry_points)"  # of xarray
        self.assertIn("limequat.xarray_backend:LimequatBackendEntrypoint", run(sys.executable, "-c", code, env=python, cwd=self.work))


class Parent(unittest.TestCase):
    """A project that takes our sources as a part of it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-parent-")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        root = SOURCE.parents[2]
        run("cmake", "-S", SOURCE.parent / "parent", "-B", self.work / "build", f"-DLIMEQUAT={root}",
            f"-DLIMEQUAT_MPI={'AUTO' if OPTIONS.mpi else 'none'}")

    def test_gets_the_libraries_and_what_they_are_made_of(self):
        targets = set((self.work / "build/targets.txt").read_text(encoding="utf-8").split())
        self.assertIn("limequat", targets)
        asked = {"serial", "limequat", "limequat_mpi", "limequat_hdf5", "limequat_ensemble"}
        self.assertEqual({t for t in targets - asked if not t.startswith("lq_")}, set())
        self.assertEqual({t for t in targets if t.endswith("_test") or "example" in t}, set())

    def test_installs_its_own_files_alone(self):
        run("cmake", "--install", self.work / "build", "--prefix", self.work / "prefix")
        installed = {str(p.relative_to(self.work / "prefix")) for p in (self.work / "prefix").rglob("*") if p.is_file()}
        self.assertEqual(installed, {"share/parent/CMakeLists.txt"})

    def test_keeps_its_settings(self):
        cache = (self.work / "build/CMakeCache.txt").read_text(encoding="utf-8")
        self.assertNotIn("BUILD_SHARED_LIBS:", cache)
        self.assertIn("CMAKE_BUILD_TYPE:STRING=\n", cache)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", type=lambda text: text == "1", default=False)
    parser.add_argument("--lq", type=lambda text: text == "1", default=False)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--fortran", default="")
    parser.add_argument("--mpi-fortran", default="")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
