# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compilers, libraries and installations that do not fit: each is named in one sentence, with the remedy.
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from moved_tree import MovedTree, pathlib, run

OPTIONS = None
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def said(*command, **environment):
    """(exit code, all that it said, on one line)."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **environment})
    return done.returncode, " ".join(done.stdout.split())


class BadInstallation(MovedTree):
    @classmethod
    def setUpClass(cls):
        cls.install(OPTIONS.build, "limequat.pc")
        cls.lq = cls.prefix / "bin/lq"
        cls.core = next(cls.libdir.glob("liblimequat.so.?"))

    def stranger(self):
        """A folder with a library that is called as ours but is not."""
        source = self.work / "stranger.c"
        source.write_text('const char* lq_version(void) { return "0.3"; }\n', encoding="utf-8")
        library = self.work / self.core.name
        run(OPTIONS.cc, "-shared", "-fPIC", f"-Wl,-soname,{self.core.name}", source, "-o", library)
        return library

    def configure(self, *options, **environment):
        return said("cmake", "-S", SOURCE, "-B", self.work / "tree", "-DLIMEQUAT_MPI=none", "-DLIMEQUAT_TESTS=OFF",
                    "-DLIMEQUAT_FORTRAN=OFF", "-DLIMEQUAT_DROPINS=OFF", *options, **environment)

    def test_a_compiler_that_is_too_old(self):
        old = self.work / "g++-of-yesterday"
        old.write_text(f'#!/bin/sh\nexec {OPTIONS.cxx} -U__GNUC__ -D__GNUC__=10 "$@"\n', encoding="utf-8")
        old.chmod(0o755)
        code, words = self.configure(f"-DCMAKE_CXX_COMPILER={old}")
        self.assertNotEqual(code, 0)
        self.assertRegex(words, r"g\+\+-of-yesterday is GNU 10\.\S+; Limequat needs version 11 or later .*-DCMAKE_CXX_COMPILER=g\+\+-12")

    def includes_fmt(self, source, seen):
        """True if a source of ours includes fmt, or a header of ours that does."""
        if source in seen or not source.is_file():
            return False
        seen.add(source)
        names = re.findall(r'#include [<"]([^>"]+)[>"]', source.read_text(encoding="utf-8"))
        folders = [source.parent, *(SOURCE / name for name in ("src", "include", "tests", "dropins/src"))]
        return any(name.startswith("fmt/") or any(self.includes_fmt(folder / name, seen) for folder in folders) for name in names)

    def test_every_target_finds_the_copies_where_the_system_has_none(self):
        code, words = self.configure("-DLIMEQUAT_THIRD_PARTY=ON", "-DLIMEQUAT_MPI=AUTO", "-DLIMEQUAT_TESTS=ON", "-DLIMEQUAT_DROPINS=ON",
                                     "-DLIMEQUAT_UNITY=OFF")
        self.assertEqual(code, 0, words)
        commands = json.loads((self.work / "tree/compile_commands.json").read_text(encoding="utf-8"))
        lacking = [one["file"] for one in commands if one["file"].endswith(".cpp") and "third_party/fmt" not in one["command"]
                   and self.includes_fmt(pathlib.Path(one["file"]), set())]
        self.assertTrue(commands)
        self.assertEqual(lacking, [])

    def hdf5_headers(self, folder, major, minor, release):
        headers = self.work / folder / "include"
        headers.mkdir(parents=True)
        (headers / "hdf5.h").write_text("", encoding="utf-8")
        (headers / "H5pubconf.h").write_text("", encoding="utf-8")
        (headers / "H5public.h").write_text(f"#define H5_VERS_MAJOR {major}\n#define H5_VERS_MINOR {minor}\n"
                                            f"#define H5_VERS_RELEASE {release}\n", encoding="utf-8")
        return headers

    def old_hdf5(self):
        return f"-DLQ_HDF5_INCLUDE={self.hdf5_headers('old', 1, 8, 22)}", f"-DLQ_HDF5_LIBRARY={self.stranger()}"

    def test_the_headers_and_the_library_of_one_hdf5(self):
        prefix = self.hdf5_headers("new", 2, 2, 0).parent
        (prefix / "lib").mkdir()
        (prefix / "lib/libhdf5.so").symlink_to(self.stranger())
        code, words = self.configure("-DLQ_WITH_HDF5=ON", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertEqual(code, 0, words)
        self.assertRegex(words, rf"HDF5 yes 2\.2\.0, .*{prefix}/lib/libhdf5\.so")

    def test_an_hdf5_that_is_too_old(self):
        code, words = self.configure("-DLQ_WITH_HDF5=ON", *self.old_hdf5())
        self.assertNotEqual(code, 0)
        self.assertRegex(words, r"LQ_WITH_HDF5 is ON, but: \S+ is 1\.8\.22, at least 1\.10\.5 is needed")

    def test_what_is_absent_is_named_by_lq(self):
        code, words = said(self.lq, "--version", "-v")
        self.assertEqual(code, 0, words)
        for part, library in (("ISA-L", "libisal"), ("lz4", "liblz4"), ("zstd", "libzstd")):
            needed = library in run("readelf", "-d", self.core)
            self.assertRegex(words, rf"{part} {'yes' if needed else 'no ' + library + ' was not found'}")
        component = next(self.libdir.glob("liblimequat_hdf5.so.?"))
        with_hdf5 = "libhdf5" in run("readelf", "-d", component)
        self.assertRegex(words, rf"HDF5 {'yes' if with_hdf5 else 'no'}")
        away = self.work / "away"
        component.rename(away)
        self.addCleanup(away.rename, component)
        code, words = said(self.lq, "--version", "-v")
        if with_hdf5:
            self.assertRegex(words, r"HDF5 no install Limequat's component hdf5 \(it is not in the folder of")

    def test_a_stranger_that_the_loader_finds_first(self):
        code, words = said(self.lq, "--version", LD_LIBRARY_PATH=str(self.stranger().parent))
        self.assertEqual((code, words), (0, f"lq {OPTIONS.version}"))

    def python(self, code, **environment):
        return said(OPTIONS.python, "-c", code, PYTHONPATH=str(self.libdir.parent / "lib/python"), **environment)

    @unittest.skipUnless(sys.platform == "linux", "needs LD_PRELOAD")
    def test_a_stranger_in_the_process_of_the_package(self):
        stranger, use = self.stranger(), "import limequat as lq\ntry: lq.find('true', db='none')\nexcept lq.NotFound: print('sound')\n" \
            "except lq.Unsupported as error: print(error)"
        code, words = self.python(use, LIMEQUAT_LIBRARY=str(stranger))
        self.assertRegex(words, rf"ImportError: the library {stranger} is not the Limequat of this package: .*LIMEQUAT_LIBRARY=")
        twin = self.work / "twin" / self.core.name
        twin.parent.mkdir()
        shutil.copy(self.core, twin)
        for other in (stranger, twin):
            code, words = self.python(use, LD_PRELOAD=str(other))
            self.assertRegex(words, rf"the process has also loaded {other}, and the component would be linked to it: load only one Limequat")
        code, words = self.python(use, LD_LIBRARY_PATH=str(stranger.parent))
        self.assertRegex(words, "sound|built without")

    def test_a_stranger_that_the_package_finds_first(self):
        stranger = self.stranger()
        code, words = said(OPTIONS.python, "-c", "import limequat", PYTHONPATH=str(SOURCE / "python"), LIMEQUAT_LIBRARY="",
                           LD_LIBRARY_PATH=str(stranger.parent))
        self.assertNotEqual(code, 0)
        self.assertRegex(words, rf"ImportError: the library {stranger} is not the Limequat of this package: it has no function lq_\w+; name the right")

    def test_headers_of_another_minor_version(self):
        headers = self.work / "include"
        shutil.copytree(self.prefix / "include", headers)
        version = headers / "limequat/version.hpp"
        version.write_text(version.read_text(encoding="utf-8").replace("#define LQ_VERSION_MINOR 0", "#define LQ_VERSION_MINOR 9"),
                           encoding="utf-8")
        program, source = self.work / "program", self.work / "program.cpp"
        source.write_text("#include <limequat/inspect.hpp>\nint main() { return lq::formats().empty(); }\n", encoding="utf-8")
        link = [source, "-o", program, f"-L{self.libdir}", "-llimequat", f"-Wl,-rpath,{self.libdir}"]
        run(OPTIONS.cxx, "-std=c++20", f"-I{self.prefix}/include", *link)
        run(program)
        code, words = said(OPTIONS.cxx, "-std=c++20", f"-I{headers}", *link)
        self.assertNotEqual(code, 0)
        self.assertIn("lq_compiled_for_1_9", words)

    def test_another_mpi_in_the_process(self):
        program = self.prefix / "bin/lq-mpi"
        if not program.exists():
            self.skipTest("built without MPI")
        mine = run("ldd", program)
        others = [path for name in ("libmpich.so.12", "libmpi.so.40") if name not in mine
                  for path in glob.glob(f"/usr/lib/*/{name}") + glob.glob(f"/usr/lib64/{name}")]
        if not others:
            self.skipTest("there is one MPI only")
        code, words = said(program, "--version", LD_PRELOAD=others[0])
        self.assertEqual(code, 4, words)
        self.assertRegex(words, r"^lq-mpi: MPI: this process has loaded (MPICH|Open MPI).*, but liblimequat_mpi was built for "
                                r"(MPICH|Open MPI).*load one MPI only$")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("build", "version", "cc", "cxx", "python"):
        parser.add_argument(f"--{option}", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
