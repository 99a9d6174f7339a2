#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs bench_transfer in memory and on disk, on one and on two ranks, and writes docs/benchmarks/transfer.json, the page
# and the plot. Called by `./dev bench`.
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import bench_page  # noqa: E402

LATTICES = ["24x24x24x48", "16x16x16x32", "12x12x12x24", "8x8x8x16"]


def field_bytes(lattice):
    volume = 576
    for extent in lattice.split("x"):
        volume *= int(extent)
    return volume


def largest_that_fits(path):
    """Two files of it must leave a fifth of the free space alone."""
    about = os.statvfs(path)
    free = about.f_bavail * about.f_frsize
    return next((lattice for lattice in LATTICES if 2 * field_bytes(lattice) < 0.8 * free), None)


def run_one(options, path, ranks, scratch):
    lattice = options.lattice or largest_that_fits(path)
    if lattice is None:
        print(f"{path}: too little space, left out", file=sys.stderr)
        return None
    result = scratch / "result.json"
    program = pathlib.Path(options.build) / "bin" / "bench_transfer"
    subprocess.run([options.mpiexec, "-n", str(ranks), program, "--path", path, "--lattice", lattice,
                    "--runs", str(options.runs), "--json", result], check=True)
    return json.loads(result.read_text())


def main():
    parser = argparse.ArgumentParser(description="transfers against the raw limit")
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--path", action="append", help="where to write; default /dev/shm and the build folder")
    parser.add_argument("--ranks", type=int, action="append", help="default 1 and 2")
    parser.add_argument("--lattice", help="default: the largest that fits, up to 24x24x24x48")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--out", default=str(ROOT / "docs" / "benchmarks"))
    options = parser.parse_args()

    measured = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in options.path or ["/dev/shm", options.build]:
            for ranks in options.ranks or [1, 2]:
                one = run_one(options, path, ranks, pathlib.Path(scratch))
                if one:
                    measured.append(one)
    if not measured:
        return 1
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "transfer.json").write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    bench_page.write(measured, out)
    print(f"wrote {os.path.relpath(out / 'transfer.md')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
