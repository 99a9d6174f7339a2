#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: vectors_test.py VECTORS WRITER MPIEXEC NUMPROC_FLAG [PREFLAGS ...]

The program beside the conformance vectors, compiled against our sion.h, writes the same bytes as SIONlib did, but for
the version of the library (bytes 8 to 15).
"""

import pathlib
import subprocess
import sys
import tempfile

RANKS = {"v01": 4, "v02": 5, "v03": 3, "v04": 4, "v05": 3, "v06": 1, "v07": 2, "v09": 1, "v10": 4, "v11": 7, "v12": 2,
         "v13": 4, "v15": 4, "v16": 2, "v17": 3, "v21": 2}
DIES = "v17"  # before it has closed its file


def without_version(data):
    return data[:8] + bytes(8) + data[16:]


def main():
    vectors, writer, launcher = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for vector, ranks in RANKS.items():
            command = [launcher[0], launcher[1], str(ranks), *launcher[2:], writer, vector]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
            if done.returncode != 0 and vector != DIES:
                bad.append(f"{vector}: exit {done.returncode}: {done.stderr}")
            for expected in sorted(vectors.glob(vector + "_*")):
                written = pathlib.Path(folder) / expected.name
                if not written.exists():
                    bad.append(f"{expected.name}: not written")
                elif without_version(written.read_bytes()) != without_version(expected.read_bytes()):
                    bad.append(f"{expected.name}: other bytes")
    print("\n".join(bad) if bad else "all vectors are the same")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
