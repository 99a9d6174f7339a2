# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A program links with the libraries of SIONlib in every order, shared and static, and works: what they share is there once.
import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parent
ROOT = SOURCE.parents[2]
OPTIONS = None


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}:\n{done.stdout}")


class Order(unittest.TestCase):
    orders = [*itertools.permutations(["sionmpi_64", "sionser_64", "sioncom_64"]),
              *itertools.permutations(["lsionompi_64", "sionomp_64", "siongen_64"]),
              # as SIONlib's own programs of Fortran 77 have it
              ["sioncom_64", "sioncom_64_lock_pthreads", "sionser_64", "sionmpi_64", "siongen_64", "sionser_64", "sioncom_64"]]

    def links_and_runs(self, of_name):
        with tempfile.TemporaryDirectory(prefix="limequat-sion-") as folder:
            work = pathlib.Path(folder)
            run(*OPTIONS.cc.split(), "-DSION_MPI", f"-I{ROOT / 'dropins' / 'include'}", "-c", SOURCE / "order.c", "-o", work / "o.o")
            for order in self.orders:
                with self.subTest(order=order):
                    run(*OPTIONS.cc.split(), work / "o.o", "-o", work / "p", f"-L{OPTIONS.libraries}",
                        f"-Wl,-rpath,{OPTIONS.libraries}", *[of_name(name) for name in order], *OPTIONS.more.split())
                    run(work / "p", cwd=work)

    def test_shared(self):
        self.links_and_runs(lambda name: f"-l{name}")

    def test_static(self):
        self.links_and_runs(lambda name: f"-l:lib{name}.a")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--more", default="", help="what archives of this build need")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
