# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The wheel and the source distribution, installed and used as strangers do: in an empty virtual environment, without a
# compiler and without MPI on the path.
import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = None

USE = """
import pathlib, sys
import limequat as lq
u = lq.read(sys.argv[1])
lq.write("copy.lime", u, precision="single")
assert lq.verify("copy.lime") and lq.diff(sys.argv[1], "copy.lime", tolerance=1e-6).same
print(pathlib.Path(lq._library.library_path()).resolve())
found = lq.plot.plaquettes(u)  # by numpy
assert abs(sum(v.mean() for v in found.values()) / 6 - lq.plaquette(u).average) < 1e-12
if "hdf5" in {one["name"] for one in lq.formats()}:  # by the component that is in the wheel
    lq.write("copy.h5", u)
    assert lq.diff(sys.argv[1], "copy.h5").same
"""

RANKS = """
import pathlib
from mpi4py import MPI
import limequat as lq
grid = lq.Grid([4, 4, 4, 4], comm=MPI.COMM_WORLD)
assert grid.size == 2
print(f"{pathlib.Path(lq.__file__).parent.parent}:{grid.communicator.is_native}\\n", end="", flush=True)
"""

LOADED = "import ctypes, os, sys; from mpi4py import MPI; ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOLOAD | os.RTLD_NOW)"
IMPORT = "try:\n    import limequat\nexcept ImportError as error:\n    print(error)"


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """One wheel for all."""
        folder = tempfile.TemporaryDirectory(prefix="limequat-wheel-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.dist = pathlib.Path(folder.name)
        done = subprocess.run([sys.executable, ROOT / "tools/make_wheel.py", OPTIONS.library, cls.dist], text=True,
                              stdout=subprocess.PIPE, check=True)
        cls.wheel = pathlib.Path(done.stdout.split()[-1])

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-wheel-test-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name).resolve()

    def run_here(self, *command, **environment):
        clean = {"PATH": "/nowhere", "HOME": str(self.home), "LANG": "C.UTF-8", **environment}
        done = subprocess.run(list(map(str, command)), cwd=self.home, env=clean, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def unpacked(self):
        """The library of an unpacked wheel, and what makes it found."""
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.home / "there")
        return self.home / "there/limequat/liblimequat.so.1", {"PYTHONPATH": str(self.home / "there")}

    def test_a_wheel_is_installed_and_used_without_compiler_and_mpi(self):
        self.assertRegex(self.wheel.name, r"^limequat-[\d.]+-py3-none-\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            entries, = [archive.read(name).decode() for name in names if name.endswith(".dist-info/entry_points.txt")]
        self.assertIn("[xarray.backends]\nlimequat = limequat.xarray_backend:LimequatBackendEntrypoint\n", entries)
        self.assertIn("limequat/liblimequat.so.1", names)
        self.assertIn("limequat/py.typed", names)
        for component in ("hdf5", "ensemble"):
            self.assertTrue([name for name in names if name.startswith(f"limequat/liblimequat_{component}.so.")], names)
        self.assertFalse([name for name in names if "mpi.so" in name or "__pycache__" in name])
        self.run_here(sys.executable, "-m", "venv", "--system-site-packages", "venv")  # numpy is that of the system
        python = self.home / "venv/bin/python"
        self.run_here(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
                      self.wheel)
        library = self.run_here(python, "-c", USE, OPTIONS.file)
        self.assertTrue(library.startswith(str(self.home / "venv")), library)

    @unittest.skipUnless(importlib.util.find_spec("mpi4py"), "mpi4py is missing")
    def test_of_several_mpis_the_one_of_mpi4py_is_taken(self):
        if not OPTIONS.mpi_library:
            self.skipTest("built without MPI")
        data = pathlib.Path(OPTIONS.mpi_library).read_bytes()
        needed = re.search(rb"\0(libmpi[\w+-]*\.so\.\d+)\0", data)[1].decode()
        if subprocess.run([sys.executable, "-c", LOADED, needed], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest(f"mpi4py is not over {needed}")
        other = self.home / "other.so"  # over one that is not in the process
        other.write_bytes(re.sub(rb"\0(lib[\w+-]*mpi[\w+-]*\.so\.)\d\d\0", rb"\0\g<1>99\0", data))
        self.assertNotEqual(other.read_bytes(), data)
        for names, is_native in (("a-this b-other", True), ("a-other b-this", True), ("a-other", False)):
            words = [f"--mpi={name}:{other if 'other' in name else OPTIONS.mpi_library}" for name in names.split()]
            done = self.run_here(sys.executable, ROOT / "tools/make_wheel.py", OPTIONS.library, self.home / "dist", *words,
                                 PATH=os.environ["PATH"])
            place = self.home / names.replace(" ", "_")
            with zipfile.ZipFile(done.split()[-1]) as archive:
                archive.extractall(place)
            said = self.run_here(*OPTIONS.mpiexec.split(), "2", sys.executable, "-c", RANKS, **{**os.environ, "PYTHONPATH": str(place)})
            self.assertEqual(said.split(), [f"{place}:{is_native}"] * 2)

    def programs(self, *names):
        """The module that runs the programs of a wheel, with scripts in their places; and what makes it found."""
        folder = self.home / "package"
        (folder / "limequat/bin").mkdir(parents=True, exist_ok=True)
        (folder / "limequat_programs.py").write_bytes((ROOT / "python/limequat_programs.py").read_bytes())
        for name in names:
            program = folder / "limequat/bin" / name
            program.write_text(f'#!/bin/sh\necho {name} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
        return {"PYTHONPATH": str(folder)}

    def test_lq_mpi_is_the_one_of_the_launcher(self):
        found = self.programs("lq", "lq-mpi-openmpi", "lq-mpi-mpich")
        (self.home / "lib").mkdir()
        call = "import sys, limequat_programs as p; sys.prefix = sys.argv.pop(1); sys.argv = ['x', '--version']; p."
        here = sys.executable, "-c"
        self.assertEqual(self.run_here(*here, call + "lq()", self.home, **found), "lq --version\n")
        for library in ("libmpi.so.40", "libmpi.so.12"):
            (self.home / "lib" / library).touch()
        for launcher, name in (({"PMI_RANK": "0"}, "mpich"), ({"OMPI_COMM_WORLD_SIZE": "2"}, "openmpi"), ({}, "openmpi")):
            self.assertEqual(self.run_here(*here, call + "lq_mpi()", self.home, **found, **launcher), f"lq-mpi-{name} --version\n")
        (self.home / "lib/libmpi.so.12").unlink()
        done = subprocess.run([*here, call + "lq_mpi()", self.home], env={**found, "PMI_RANK": "0"}, text=True, stderr=subprocess.PIPE)
        if done.returncode:  # else MPICH is installed where the loader looks
            self.assertRegex(done.stderr, rf"^lq-mpi: no MPI was found: libmpi.so.12, .* is neither where the loader looks nor in {self.home}/lib")

    def test_a_package_without_programs_says_where_they_are(self):
        done = subprocess.run([sys.executable, "-c", "import limequat_programs as p; p.lq()"], env=self.programs(), text=True,
                              stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (1, "lq: this package has no program; wheels have it, or CMake installs it "
                                                             "(PREFIX/bin)\n"))

    def test_a_missing_library_says_which_places_were_looked_at(self):
        library, found = self.unpacked()
        library.unlink()
        said = self.run_here(sys.executable, "-c", IMPORT, **found)
        if "Limequat library" in said:  # else one is installed here
            self.assertIn(f"{library}: does not exist", said)
            self.assertIn("LIMEQUAT_LIBRARY=", said)
            self.assertIn("where the loader looks", said)

    def test_a_library_of_another_platform_is_said_to_be_one(self):
        library, found = self.unpacked()
        data = bytearray(library.read_bytes())
        data[18:20] = (0xF3).to_bytes(2, sys.byteorder)  # e_machine: RISC-V
        for head, words in ((data[:20], "made for RISC-V"), (b"\xcf\xfa\xed\xfe" + bytes(20), "made for macOS"),
                            (b"MZ" + bytes(20), "made for Windows"), (b"no library at all...", "not a library")):
            library.write_bytes(head)
            said = self.run_here(sys.executable, "-c", IMPORT, **found, LIMEQUAT_LIBRARY=str(library))
            self.assertIn(f"{library}: {words}", said)

    def test_the_source_distribution_holds_what_a_build_needs(self):
        path = self.run_here(sys.executable, ROOT / "tools/make_wheel.py", "--sdist", self.home / "dist",
                             PATH=os.environ["PATH"]).split()[-1]
        with tarfile.open(path) as archive:
            names = {name.split("/", 1)[1] for name in archive.getnames()}
        wanted = {"CMakeLists.txt", "pyproject.toml", "PKG-INFO", "LICENSE", "tools/make_wheel.py",
                  "python/limequat/__init__.py", "src/capi/CMakeLists.txt", "include/limequat.h"}
        self.assertEqual(wanted - names, set())
        self.assertFalse([name for name in names if name.startswith(("build/", ".git/"))])
        with tarfile.open(path) as archive:
            archive.extractall(self.home)
        sources, facts = next(self.home.glob("limequat-*/")), self.home / "facts"
        facts.mkdir()
        found = self.run_here(sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1] + '/tools'); import make_wheel; "
                              "print(make_wheel.prepare_metadata_for_build_wheel(sys.argv[2]))", sources, facts).split()[-1]
        self.assertIn("xarray.backends", (facts / found / "entry_points.txt").read_text(encoding="utf-8"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library")
    parser.add_argument("--mpi-library")
    parser.add_argument("--mpiexec", help="what starts ranks; their number follows")
    parser.add_argument("--file", default=str(ROOT / "tests/conformance/files/ildg/qio_double.ildg"))
    OPTIONS, rest = parser.parse_known_args()
    OPTIONS.library = os.path.abspath(OPTIONS.library)
    OPTIONS.mpi_library = OPTIONS.mpi_library and os.path.abspath(OPTIONS.mpi_library)
    unittest.main(argv=[sys.argv[0], *rest])
