# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests whose program is run by mpirun: --program PROGRAM --mpirun "MPIRUN -n".
import argparse
import os
import subprocess
import sys
import unittest

OPTIONS = None


def run(ranks, words, folder, environment=None):
    """The program in a folder, with no other variables of SIONlib than these."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("SION_", "LSION_"))}
    return subprocess.run([*OPTIONS.mpirun.split(), str(ranks), OPTIONS.program, *words], cwd=folder,
                          env={**plain, **(environment or {})}, capture_output=True, text=True, timeout=100)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
