# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs in Fortran 77, Fortran 90 and C++ over the SION libraries, built as strangers build them, by names of
# libraries in their order. What they write is taken apart by the plain reader.
import argparse
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parent
ROOT = SOURCE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import plain_sion  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "good" / "sion"
OPTIONS = None


class Languages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="limequat-sion-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_in_folder(self, *command):
        done = subprocess.run([str(c) for c in command], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, f"{command}:\n{done.stdout}")
        return done.stdout

    def build(self, compiler, source, libraries, *flags):
        """The program; skipped where the compiler or a library of these is not there."""
        if not compiler:
            self.skipTest("no such compiler")
        folder = pathlib.Path(OPTIONS.libraries)
        for name in libraries:
            if not any(folder.glob(f"lib{name}.*")):
                self.skipTest(f"no {name}")
        program = self.folder / "program"
        self.run_in_folder(*compiler.split(), *flags, f"-I{ROOT / 'dropins' / 'include'}", f"-I{OPTIONS.modules}",
                           SOURCE / source, "-o", program, f"-L{folder}", *[f"-l{name}" for name in libraries],
                           f"-Wl,-rpath,{folder}")
        return program

    def mpirun(self, ranks, program):
        return self.run_in_folder(*OPTIONS.mpirun.split(), ranks, program)

    def streams(self, name):
        return plain_sion.streams_of(str(self.folder / name))

    def test_a_fortran_90_program_writes_reads_and_asks(self):
        program = self.build(OPTIONS.fortran, "modules_serial.f90", ["sionser_f90_64", "sioncom_64"])
        said = self.run_in_folder(program, GOLDEN / "v02_2files_5tasks.sion")
        self.assertEqual(said.splitlines()[-1], "ok", said)
        self.assertEqual(self.streams("serial.sion"),
                         [plain_sion.formula(9, task, size) for task, size in enumerate([250, 1100, 0])])

    def test_fortran_90_ranks_write_data_of_all_types(self):
        program = self.build(OPTIONS.mpi_fortran, "modules_mpi.f90", ["sionmpi_f90_64", "sionser_f90_64", "sionmpi_64", "sioncom_64"])
        said = self.mpirun(3, program)
        self.assertIn("ok", said.splitlines())
        for rank, stream in enumerate(self.streams("types.sion")):
            whole = [100 * rank + i for i in range(1, 11)]
            expected = struct.pack("=10i3i3ii", *whole, *whole[7:], whole[0], whole[4], whole[8], -rank)
            expected += struct.pack("=3q4f", 5000000000, 1, -2, 0.5, 1.0, 1.5, 2.0)
            expected += struct.pack("=4d4d", 2, 6, 10, 14, 9, 10, 11, 12)
            expected += struct.pack("=2d2f", 1.5, -2.5, 3, 4)
            expected += struct.pack("=2i", 1, 0) + b"hello" + b"abc" + struct.pack("=3d", 10, 20, 30)
            self.assertEqual(stream, expected, f"rank {rank}")
        self.assertEqual(self.streams("together.sion"), [struct.pack("=8d", *[rank + 0.25] * 8) for rank in range(3)])
        self.assertEqual(self.streams("old.sion"), [struct.pack("=2i", rank, 7) for rank in range(3)])
        self.assertEqual(self.streams("constants.sion"), [b""] * 3)

    def test_fortran_77_ranks_write_and_read(self):
        program = self.build(OPTIONS.mpi_fortran, "fixed_mpi.f", ["sionmpi_f77_64", "sionser_f77_64", "sionmpi_64", "sioncom_64"])
        self.assertIn("ok", self.mpirun(3, program).split())
        for rank, stream in enumerate(self.streams("fixed.sion")):
            expected = struct.pack("=20i4f", *[1000 * rank + i for i in range(1, 21)], 1, 2, 3, 4) + b"eight ch"
            expected += struct.pack("=1000d", *[rank + i / 1024 for i in range(1, 1001)])
            self.assertEqual(stream, expected, f"rank {rank}")

    # With the libraries that SIONlib's own sionconfig names, in its order, and with names for threads.

    def test_fortran_90_threads_are_tasks(self):
        of_threads = ["sionomp_64", "siongen_64", "sionser_64", "sioncom_64", "sioncom_64_lock_none"]
        for front in [["sionser_f90_64", "sionser_f90_64"], ["sionomp_f90_64", "sionser_f90_64"]]:
            with self.subTest(front=front):
                program = self.build(OPTIONS.fortran, "modules_threads.f90", front + of_threads, "-cpp", "-fopenmp")
                self.assertIn("ok", self.run_in_folder(program).split())
                self.assertEqual(self.streams("threads.sion"), self.values_of_threads(3))

    def test_fortran_90_threads_of_ranks_are_tasks(self):
        of_threads = ["sionompi_64", "siongen_64", "sionser_64", "sioncom_64", "sioncom_64_lock_none"]
        for front in [["sionmpi_f90_64", "sionser_f90_64"], ["sionompi_f90_64", "sionser_f90_64"]]:
            with self.subTest(front=front):
                program = self.build(OPTIONS.mpi_fortran, "modules_threads.f90", front + of_threads, "-cpp", "-fopenmp",
                                     "-DHYBRID")
                self.assertIn("ok", self.mpirun(2, program).split())
                self.assertEqual(self.streams("threads.sion"), self.values_of_threads(6))

    def test_fortran_77_has_the_names_for_threads_where_sionlib_has_them(self):
        for library, name in [("sionser_f77_64", "fsion_paropen_omp_c"), ("sionmpi_f77_64", "fsion_paropen_ompi_c"),
                              ("lsionser_f77_64", "lfsion_parclose_omp_c"),
                              ("lsionmpi_f77_64", "lfsion_parclose_ompi_c")]:
            archive = pathlib.Path(OPTIONS.libraries) / f"lib{library}.a"
            if "mpi" in library and not OPTIONS.mpi_cxx:
                continue
            with self.subTest(library=library):
                self.assertRegex(self.run_in_folder("nm", archive), rf" [TW] {name}_\b")

    def values_of_threads(self, tasks):
        return [struct.pack("=5i", *[10 * task + i for i in range(1, 6)]) for task in range(tasks)]

    def test_classes_write_and_read_serially(self):
        program = self.build(OPTIONS.cxx, "classes.cpp", ["sionser_cxx_64", "sioncom_64"])
        self.assertIn("ok", self.run_in_folder(program).split())
        self.assertEqual(self.streams("classes.sion"),
                         [struct.pack("=id4i", task, 1.5, *[10 + task] * 4) for task in range(2)])

    def test_classes_write_and_read_in_parallel(self):
        program = self.build(OPTIONS.mpi_cxx, "classes.cpp", ["sionmpi_cxx_64", "sionser_cxx_64", "sionmpi_64", "sioncom_64"],
                             "-DSION_MPI")
        self.assertIn("ok", self.mpirun(3, program).split())
        self.assertEqual(self.streams("classes_mpi.sion"), [struct.pack("=8d", *[rank + 0.5] * 8) for rank in range(3)])

    def test_classes_of_threads_write_and_read(self):
        program = self.build(OPTIONS.cxx, "classes_threads.cpp", ["sionomp_cxx_64", "sionser_cxx_64", "sionomp_64"],
                             "-fopenmp", "-DSION_OMP")
        self.assertIn("ok", self.run_in_folder(program).split())
        self.check_classes_of_threads(2)

    def test_classes_of_threads_of_ranks_write_and_read(self):
        program = self.build(OPTIONS.mpi_cxx, "classes_threads.cpp",
                             ["sionompi_cxx_64", "sionser_cxx_64", "sionompi_64", "sioncom_64"], "-fopenmp", "-DSION_OMPI")
        self.assertIn("ok", self.mpirun(2, program).split())
        self.check_classes_of_threads(4)

    def check_classes_of_threads(self, tasks):
        self.assertEqual(self.streams("classes_threads.sion"),
                         [struct.pack("=8d", *[task + 0.5] * 8) for task in range(tasks)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ["libraries", "modules", "fortran", "mpi-fortran", "cxx", "mpi-cxx", "mpirun"]:
        parser.add_argument(f"--{option}", default="")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
