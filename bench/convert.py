#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A configuration from ILDG to NERSC on one core, beside cp of the same file in the same folder: the time that each takes, and
# what the conversion holds in memory beyond one time slice. NERSC files begin with plaquette and link trace: an ILDG file
# that does not state them is read once more. With --sparse the file is a hole, of any size; what is measured is the same.
"""usage: convert.py LQ [--folder DIR] [--lattice XxYxZxT] [--sparse] [--rounds N]"""

import argparse
import os
import pathlib
import statistics
import struct
import subprocess
import tempfile
import time

FORMAT = """<?xml version="1.0" encoding="UTF-8"?>
<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd"><version>1.0</version><field>su3gauge</field>\
<precision>{bits}</precision><lx>{x}</lx><ly>{y}</ly><lz>{z}</lz><lt>{t}</lt></ildgFormat>"""


def record_header(name, length, begins_message, ends_message):
    flags = begins_message << 15 | ends_message << 14
    return struct.pack(">IHHQ128s", 0x456789AB, 1, flags, length, name.encode())


def write_sparse(path, lattice, bits):
    """An ILDG file of links that are zero, which takes no room on the disk."""
    text = FORMAT.format(bits=bits, **dict(zip("xyzt", lattice))).encode()
    length = 72 * bits // 8
    for extent in lattice:
        length *= extent
    with open(path, "wb") as file:
        file.write(record_header("ildg-format", len(text), True, False) + text + bytes(-len(text) % 8))
        file.write(record_header("ildg-binary-data", length, False, True))
        file.truncate(file.tell() + length)


def run(command):
    """(wall seconds, CPU seconds, peak memory in bytes) of a command on one core."""
    begin = time.monotonic()
    process = subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]))
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command} failed")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(lq, source, rounds):
    """Of each round (what the conversion took, what cp took)."""
    converted, copied = source.with_suffix(".nersc"), source.with_suffix(".copy")
    results = []
    for _ in range(rounds + 1):
        ours = run([lq, "convert", "-q", "-j1", "--sync", "none", source, converted])
        beside = run(["cp", "--sparse=never", source, copied])
        results.append((ours, beside))
        converted.unlink()
        copied.unlink()
    return results[1:]


def report(name, source, slice_bytes, rounds):
    bytes_of = source.stat().st_size
    for title, k in (("by the clock", 0), ("by CPU", 1)):
        ours, beside = (statistics.median(pair[side][k] for pair in rounds) for side in (0, 1))
        ratio = statistics.median(pair[1][k] / pair[0][k] for pair in rounds)
        print(f"{name}, {title}: convert {bytes_of / ours / 1e9:.2f} GB/s, cp {bytes_of / beside / 1e9:.2f} GB/s, ratio {ratio:.2f}")
    beyond = max(ours[2] for ours, _ in rounds) - slice_bytes
    print(f"{name}: {beyond / 2**20:.0f} MiB beyond a time slice of {slice_bytes / 2**20:.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lq", type=os.path.abspath)
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--lattice", default="24x24x24x48")
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    lattice = [int(extent) for extent in options.lattice.split("x")]
    slice_bytes = 576 * lattice[0] * lattice[1] * lattice[2]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name, arguments in (("plaquette stated", []), ("plaquette measured", ["--no-measure"])):
            source = pathlib.Path(folder) / "conf.ildg"
            if options.sparse and not arguments:
                continue
            if options.sparse:
                write_sparse(source, lattice, 64)
            else:
                subprocess.run([options.lq, "generate", "-q", "--hot", "--sweeps", "0", "--lattice", options.lattice,
                                "--overwrite", *arguments, source], check=True)
            report(name, source, slice_bytes, measure(options.lq, source, options.rounds))


if __name__ == "__main__":
    main()
