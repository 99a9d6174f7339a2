#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# One line on a laptop: a configuration read, verified, and its plaquette; beside the same by numpy, with the CRC-32 of zlib.
# Each round is a process of its own, in turn, and the fastest one counts. LIMEQUAT_LIBRARY and PYTHONPATH as for the package.
"""usage: laptop.py [FILE] [--rounds N]    FILE: an ILDG file of double precision; default: one of 24x24x24x48 is made"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

OURS = "import sys, limequat as lq; print(lq.plaquette(lq.read(sys.argv[1])).average)"

NUMPY = """
import sys, zlib
import numpy as np

path, offset, t, z, y, x, suma, sumb = sys.argv[1], *map(int, sys.argv[2:9])
shape = (t, z, y, x, 4, 3, 3)
data = np.fromfile(path, ">c16", count=int(np.prod(shape)), offset=offset)
found_a = found_b = 0
view, site = memoryview(data).cast("B"), 4 * 9 * 16
for rank in range(t * z * y * x):
    crc = zlib.crc32(view[rank * site:(rank + 1) * site])
    a, b = rank % 29, rank % 31
    found_a ^= (crc << a | crc >> (32 - a)) & 0xFFFFFFFF
    found_b ^= (crc << b | crc >> (32 - b)) & 0xFFFFFFFF
assert (found_a, found_b) == (suma, sumb), "the checksum differs"
u = data.astype(np.complex128).reshape(shape)
total = 0.0
for nu in range(4):
    for mu in range(nu):
        a, b = u[..., mu, :, :], u[..., nu, :, :]
        total += np.einsum("...ij,...ij->...", a @ np.roll(b, -1, 3 - mu), (b @ np.roll(a, -1, 3 - nu)).conj()).real.sum()
print(total / (6 * 3 * t * z * y * x))
"""


def run(code, arguments):
    """(wall seconds, CPU seconds, peak memory in MiB, what was printed)."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    told = code + "\nprint(next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) / 1024)"
    done = subprocess.run([sys.executable, "-c", told, *map(str, arguments)], text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    number, peak = done.stdout.split()
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.monotonic() - begin, cpu, float(peak), float(number)


def main():
    import limequat as lq

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or str(pathlib.Path(folder) / "conf.ildg")
        if not options.file:
            lq.write(path, lq.generate((24, 24, 24, 48), sweeps=1))
        field = lq.info(path).fields[0]
        sums = [int(field.checksum[name], 16) for name in ("suma", "sumb")]
        arguments = [path, field.offset, *reversed(field.lattice), *sums]
        rounds = [(run(OURS, [path]), run(NUMPY, arguments)) for _ in range(options.rounds)]
    base = run("import numpy; print(0)", [])[2]
    for name, side in (("limequat", 0), ("numpy", 1)):
        wall, cpu = (min(pair[side][k] for pair in rounds) for k in (0, 1))
        beyond = max(pair[side][2] for pair in rounds) - base - field.length / 2**20
        print(f"{name}: {wall:.2f} s, {cpu:.2f} s of CPU, {beyond:.0f} MiB beyond the field and numpy; plaquette {rounds[0][side][3]:.12f}")
    print(f"ratio: {min(p[1][0] for p in rounds) / min(p[0][0] for p in rounds):.1f} by the clock, "
          f"{min(p[1][1] for p in rounds) / min(p[0][1] for p in rounds):.1f} by CPU")


if __name__ == "__main__":
    main()
