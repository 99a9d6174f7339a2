# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The libraries with the names of others, as a stranger's project meets them: through their CMake packages, through
# pkg-config, by name, shared and static, in C and in C++ alone, from a tree that was moved.
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from moved_tree import MovedTree, run

SOURCE = pathlib.Path(__file__).parent / "dropins"
OPTIONS = None


class Moved(MovedTree):
    """Installed into one folder, and moved to another."""

    @classmethod
    def setUpClass(cls):
        cls.install(OPTIONS.build, "lime.pc")
        cls.plain = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        cls.found = {**cls.plain, "CMAKE_PREFIX_PATH": str(cls.prefix),
                     "PKG_CONFIG_PATH": str(cls.libdir / "pkgconfig"), "LD_LIBRARY_PATH": str(cls.libdir)}

    def project(self, name, prefix=""):
        """Its programs. `prefix`: the folder in the installed tree that it is told to search."""
        found = {**self.found, "CMAKE_PREFIX_PATH": str(self.prefix / prefix)}
        run("cmake", "-S", SOURCE / name, "-B", self.work, env=found)
        run("cmake", "--build", self.work, env=self.found)
        programs = sorted(p for p in self.work.glob("over_*") if p.is_file())
        self.assertGreater(len(programs), 1)
        return programs

    def compile(self, compiler, source, *flags):
        program = self.work / "program"
        run(*compiler.split(), SOURCE / source, "-o", program, *flags)
        return program

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, env=self.found).split()

    def needed(self, file):
        lines = run("readelf", "-d", file).splitlines()
        return [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]

    def symbols_of(self, file, *options):
        """Without their versions."""
        return {line.split()[-1].partition("@")[0] for line in run("nm", *options, file).splitlines() if " T " in line}


class CLime(Moved):
    def runs(self, program, env=None):
        self.assertEqual(run(program, cwd=self.work, env=env or self.found), "same")

    def test_cmake_package_in_c_alone(self):
        for program in self.project("lime"):
            self.runs(program, self.plain)

    def test_cmake_package_in_cpp_alone(self):
        for program in self.project("lime_cxx"):
            self.runs(program, self.plain)

    def test_cmake_package_below_the_folder_of_drop_ins(self):
        for program in self.project("lime", "compat"):
            self.runs(program, self.plain)

    def test_found_by_its_names(self):
        for program in self.project("lime_found", "compat"):
            self.runs(program, self.plain)

    def test_pkg_config(self):
        self.assertEqual(self.pkg_config("--modversion", "lime"), ["2.53"])
        self.runs(self.compile("cc -std=c99 -pedantic -Wall", "lime/over_lime.c", *self.pkg_config("--cflags", "--libs", "lime")))

    def test_plain_names(self):
        where = f"-I{self.prefix}/include/compat", f"-L{self.libdir}"
        self.runs(self.compile("cc", "lime/over_lime.c", *where, "-llime"))
        self.runs(self.compile("c++", "lime_cxx/over_lime.cpp", *where, "-llime"))

    def test_archive_needs_no_other_library(self):
        if not OPTIONS.alone:
            self.skipTest("archives of this build name what they need")
        where = f"-I{self.prefix}/include/compat", f"-L{self.libdir}", "-l:liblime.a"
        program = self.compile("cc", "lime/over_lime.c", *where)
        self.assertFalse([name for name in self.needed(program) if not name.startswith(("libc.", "libgcc_s.", "ld-"))])
        self.runs(program, self.plain)
        self.runs(self.compile("c++", "lime_cxx/over_lime.cpp", *where), self.plain)
        self.assertFalse({s for s in self.symbols_of(self.libdir / "liblime.a", "-g") if s.startswith("_Z")})

    def test_shared_library_stands_alone(self):
        self.assertFalse([name for name in self.needed(self.libdir / "liblime.so") if "limequat" in name])
        symbols = self.symbols_of(self.libdir / "liblime.so", "-D")
        self.assertIn("limeReaderNextRecord", symbols)
        self.assertIn("limeEOM", symbols)
        self.assertFalse({s for s in symbols if s.startswith("_Z")})

    def test_programs_are_there(self):
        for name in ("contents", "pack", "unpack", "extract_record", "extract_type"):
            done = subprocess.run([self.prefix / f"bin/lime_{name}"], env=self.plain, capture_output=True, text=True)
            self.assertIn("Usage: ", done.stderr)

    def test_headers_lie_where_builds_look(self):
        for name in ("lime.h", "lime_fseeko.h", "dcap-overload.h"):
            for folder in ("include/compat", "compat/include"):
                self.assertTrue((self.prefix / folder / name).exists(), name)

    def test_headers_of_a_c_lime_in_the_same_prefix_stay(self):
        ours = {"limequat", "limequat.h", "limequat_mpi.h", "limequat_fortran", "compat"}
        self.assertEqual({path.name for path in (self.prefix / "include").iterdir()} - ours, set())


class Lemon(Moved):
    def setUp(self):
        super().setUp()
        if not OPTIONS.mpicc:
            self.skipTest("built without liblemon")

    def runs(self, program, env=None):
        self.assertEqual(run(OPTIONS.mpiexec, "-n", "2", program, cwd=self.work, env=env or self.found), "2 ranks same")

    def test_cmake_package_in_c_alone(self):
        for program in self.project("lemon"):
            self.runs(program, self.plain)

    def test_pkg_config(self):
        self.assertEqual(self.pkg_config("--modversion", "lemon"), ["0.99"])
        self.runs(self.compile(OPTIONS.mpicc, "lemon/over_lemon.c", *self.pkg_config("--cflags", "--libs", "lemon")))

    def test_plain_names(self):
        for header in ("lemon.h", "lemon/lemon.h"):
            self.runs(self.compile(OPTIONS.mpicc, "lemon/over_lemon.c", f"-DLEMON_HEADER=<{header}>",
                                   f"-I{self.prefix}/include/compat", f"-L{self.libdir}", "-llemon"))

    def test_archive_needs_mpi_alone(self):
        if not OPTIONS.alone:
            self.skipTest("archives of this build name what they need")
        where = f"-I{self.prefix}/include/compat/lemon", f"-L{self.libdir}"
        self.runs(self.compile(OPTIONS.mpicc, "lemon/over_lemon.c", *where, "-l:liblemon.a", "-lm"), self.plain)

    def test_both_archives_in_one_program(self):
        if not OPTIONS.alone:
            self.skipTest("archives of this build name what they need")
        shutil.copy(SOURCE / "lemon/over_lemon.c", self.work / "both.c")
        with open(self.work / "both.c", "a", encoding="utf-8") as both:
            both.write("#include <lime.h>\nvoid* lime(void);\nvoid* lime(void) { return limeCreateReader(stdin); }\n")
        self.runs(self.compile(OPTIONS.mpicc, self.work / "both.c", f"-I{self.prefix}/include/compat", f"-L{self.libdir}",
                               "-l:liblemon.a", "-l:liblime.a", "-lm"), self.plain)

    def test_shared_library_stands_alone(self):
        self.assertFalse([n for n in self.needed(self.libdir / "liblemon.so") if "limequat" in n or "cxx.so" in n and "mpi" in n])
        symbols = self.symbols_of(self.libdir / "liblemon.so", "-D")
        self.assertTrue(symbols)
        self.assertFalse({s for s in symbols if not s.startswith("lemon")})


class Qio(Moved):
    """One process, in a program that knows no MPI, over a library that may."""

    def runs(self, program, env=None):
        self.assertEqual(run(program, cwd=self.work, env=env or self.found), "same")

    def compiler(self):
        return OPTIONS.mpicc or "cc"

    def test_cmake_package_in_c_alone(self):
        for program in self.project("qio"):
            self.runs(program, self.plain)

    def test_cmake_package_found_in_a_folder_of_its_own(self):
        for program in self.project("qio_folder"):
            self.runs(program, self.plain)

    def test_pkg_config(self):
        self.assertEqual(self.pkg_config("--modversion", "qio"), ["3.0.0"])
        self.runs(self.compile(self.compiler(), "qio/over_qio.c", *self.pkg_config("--cflags", "--libs", "qio")))

    def test_qio_config(self):
        asked = [word for what in ("--cflags", "--ldflags", "--libs") for word in run(self.prefix / "bin/qio-config", what).split()]
        self.assertEqual(asked[-2:], ["-lqio", "-llime"])
        self.runs(self.compile(self.compiler(), "qio/over_qio.c", *asked), self.plain)
        self.assertEqual(run(self.prefix / "bin/qio-config", "--version"), "3.0.0")

    def test_archive_needs_mpi_alone(self):
        if not OPTIONS.alone:
            self.skipTest("archives of this build name what they need")
        where = f"-I{self.prefix}/include/compat", f"-L{self.libdir}", "-l:libqio.a", "-l:liblime.a", "-lm"
        self.runs(self.compile(self.compiler(), "qio/over_qio.c", *where), self.plain)

    def test_shared_library_stands_alone(self):
        self.assertFalse([n for n in self.needed(self.libdir / "libqio.so") if "limequat" in n])
        symbols = self.symbols_of(self.libdir / "libqio.so", "-D")
        self.assertIn("QIO_open_write", symbols)
        self.assertFalse({s for s in symbols if not s.startswith(("QIO_", "DML_", "LRL_"))})


class Sion(Moved):
    """Programs that ask sionconfig of the moved tree."""

    EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "sion"

    def build(self, compiler, source, *flags):
        config = self.prefix / "bin" / "sionconfig"
        if not config.exists():
            self.skipTest("built without SION")
        program = self.work / pathlib.Path(source).stem
        asked = [word for what in ("--cflags", "--libs") for word in run(config, *flags, what).split()]
        run(compiler, source, "-o", program, *asked, *(["-lz"] if OPTIONS.zlib else []))
        return program

    def test_a_serial_program_finds_its_way(self):
        source = self.work / "version.c"
        source.write_text("#include <sion.h>\nint main(void) { return sion_get_version(0, 0, 0, 0) != SION_SUCCESS; }\n",
                          encoding="utf-8")
        run(self.build("cc", source, "--ser"), env=self.plain)

    def test_the_names_of_the_renamed_edition_link(self):
        if not (self.prefix / "bin" / "sionconfig").exists():
            self.skipTest("built without SION")
        source = self.work / "renamed.c"
        source.write_text("int lsion_get_version(int *, int *, int *, int *);\n"
                          "int main(void) { return lsion_get_version(0, 0, 0, 0) != 1; }\n", encoding="utf-8")
        ends = [f"-llsion{name}_64" for name in ("gen", "ser", "com")] + ["-llsioncom_64_lock_none"]
        kinds = [("cc", "-llsionomp_64", *ends), ("cc", *ends)]
        if OPTIONS.mpicc:
            kinds += [(OPTIONS.mpicc, first, *ends) for first in ("-llsionmpi_64", "-llsionompi_64")]
        for compiler, *libraries in kinds:
            program = self.work / "renamed"
            run(compiler, source, "-o", program, f"-L{self.libdir}", *libraries)
            run(program, env=self.found)
            self.assertTrue(any(name.startswith("libsion") for name in self.needed(program)))
            if OPTIONS.alone:
                archives = [self.libdir / f"lib{library[2:]}.a" for library in libraries]
                run(compiler, source, "-o", program, *archives, "-lpthread")
                run(program, env=self.plain)

    def test_a_trace_is_recorded_and_analysed(self):
        if not OPTIONS.mpicc or not OPTIONS.zlib:
            self.skipTest("built without MPI or zlib")
        record = self.build(OPTIONS.mpicc, self.EXAMPLES / "trace_record.c", "--mpi")
        analyse = self.build(OPTIONS.mpicc, self.EXAMPLES / "trace_analyse.c", "--mpi")
        run(OPTIONS.mpiexec, "-n", "4", record, "trace.sion", cwd=self.work, env=self.plain)
        said = run(OPTIONS.mpiexec, "-n", "2", analyse, "trace.sion", cwd=self.work, env=self.plain)
        self.assertIn("4 streams hold 100000 events", said.splitlines())
        self.assertTrue((self.work / "trace.sion.000001").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--alone", type=lambda text: text == "ON", default=False)
    parser.add_argument("--zlib", type=lambda text: text == "1", default=False)
    parser.add_argument("--mpicc", default="")
    parser.add_argument("--mpiexec", default="mpiexec")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
