#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Many small files verified and indexed on one core, beside `cat` of the same files and their checksum.

    bench/many_files.py LQ [--folder DIR] [--files N] [--lattice X] [--rounds N] [--json FILE]

Makes N copies of one configuration in a folder of DIR (default /dev/shm, so that no disk is measured), then `cat` to
/dev/null, `lq verify -r -j 1`, the same without physics, and `lq index` take turns. What is asked is 1.3 times the
processor time of `cat` and of one pass of the checksum, whose rate `lq bench parts` measures on the same machine. How
often each file is opened and looked up is counted by strace, if there is one.
"""

import argparse
import collections
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def used(command):
    """Processor time and wall time of a command."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def checksum_rate(lq):
    """Bytes per second of a pass that turns numbers and takes their checksum in cache."""
    parts = json.loads(subprocess.run([lq, "bench", "parts", "--json", "-"], check=True, stdout=subprocess.PIPE).stdout)
    rates = []

    def look(part):
        if isinstance(part, dict):
            if part.get("name") == "pack with checksum, small":
                rates.append(next(part[key] for key in ("rate", "bytes_per_second", "median") if key in part))
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    look(parts)
    return rates[0]


def calls(command, names):
    """How often a command opens each of these files, and looks up a name or an open file."""
    with tempfile.NamedTemporaryFile("r") as trace:
        subprocess.run(["strace", "-f", "-o", trace.name, *command], check=True, stdout=subprocess.DEVNULL)
        found = collections.Counter()
        for line in trace:
            if not any(name in line for name in names):
                continue
            call = re.search(r"\b(openat|newfstatat|statx|readlink|lstat|stat)\(", line)
            found[call.group(1) if call else "other"] += 1
        return {call: count / len(names) for call, count in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("lq")
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--lattice", default="8x8x7x4", help="1.0 MB in double precision")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        one, folder = os.path.join(scratch, "one.ildg"), os.path.join(scratch, "many")
        subprocess.run([options.lq, "generate", one, "--lattice", options.lattice, "--sweeps", "5"], check=True,
                       stdout=subprocess.DEVNULL)
        os.mkdir(folder)
        paths = [os.path.join(folder, f"conf.{number:05}.ildg") for number in range(options.files)]
        for path in paths:
            shutil.copy(one, path)
            os.utime(path, (time.time() - 3600,) * 2)  # nobody has just written to them
        catalogue = os.path.join(scratch, "catalogue.db")
        commands = {
            "cat": ["cat", *paths],
            "verify": [options.lq, "verify", "-r", "-q", "-j", "1", folder],
            "verify --no-physics": [options.lq, "verify", "-r", "-q", "-j", "1", "--no-physics", folder],
            "verify, all cores": [options.lq, "verify", "-r", "-q", folder],
            "index": [options.lq, "index", "-q", "-j", "1", "--db", catalogue, folder],
        }
        seconds = {name: [] for name in commands}
        for _ in range(options.rounds):
            for name, command in commands.items():
                if os.path.exists(catalogue):
                    os.remove(catalogue)
                seconds[name].append(used(command))
        bytes_of_all = options.files * os.path.getsize(one)
        sums = bytes_of_all / checksum_rate(options.lq)
        cat = statistics.median(cpu for cpu, _ in seconds["cat"])
        result = {"files": options.files, "bytes": bytes_of_all, "checksum_seconds": sums, "runs": options.rounds}
        print(f"{options.files} files of {os.path.getsize(one) / 1e6:.2f} MB; cat and checksum: {cat:.3f} + {sums:.3f} s")
        for name, rounds in seconds.items():
            cpu, wall = (statistics.median(column) for column in zip(*rounds))
            result[name] = {"cpu": cpu, "wall": wall, "ratio": cpu / (cat + sums)}
            print(f"{name:20} {cpu:7.3f} s of processor time, {wall:7.3f} s; {cpu / (cat + sums):5.2f} of cat and checksum")
        if shutil.which("strace"):
            names = [os.path.basename(path) for path in paths[:100]]
            few = os.path.join(scratch, "few")
            os.mkdir(few)
            for name in names:
                shutil.copy2(os.path.join(folder, name), few)
            result["calls"] = calls([options.lq, "verify", "-r", "-q", "-j", "1", few], names)
            print("calls for each file:", ", ".join(f"{call} {count:g}" for call, count in result["calls"].items()))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
