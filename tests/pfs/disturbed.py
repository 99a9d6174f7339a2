#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields written and read on a parallel file system that is disturbed meanwhile (README.md)."""

import argparse
import hashlib
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile
import threading
import time

LATTICE = "16x16x16x32"
GRIDS = ["1x1x1x4", "2x2x1x1", "1x2x2x1"]
LONGEST = 150  # seconds that a trial may take


class Trials:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.client = shlex.split(os.environ.get("LQ_PFS_CLIENT", ""))
        self.expected = {}  # by seed
        self.failures, self.counts = [], {}

    def generate(self, path, seed, grid=None):
        words = ["generate", str(path), "--lattice", LATTICE, "--sweeps", "0", "--hot-start", "--seed", str(seed), "-q", "--overwrite"]
        return self.run(words + (["--processes", grid] if grid else []), ranks=4 if grid else 1)

    def run(self, words, ranks=1):
        """Exit code (None: it took too long), seconds, and what it said."""
        program = [self.options.lq]
        if ranks > 1:
            program = shlex.split(self.options.mpirun) + [str(ranks)] + self.client + [self.options.lq_mpi]
        begin = time.monotonic()
        try:
            done = subprocess.run(program + words, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired as late:
            said = late.stderr.decode(errors="replace") if isinstance(late.stderr, bytes) else late.stderr or ""
            return None, LONGEST, said
        return done.returncode, time.monotonic() - begin, done.stderr

    def digest_of(self, seed):
        if seed not in self.expected:
            with tempfile.TemporaryDirectory() as local:
                path = pathlib.Path(local) / "conf.ildg"
                code, _, said = self.generate(path, seed)
                assert code == 0, said
                self.expected[seed] = digest(path)
        return self.expected[seed]

    def judge(self, name, path, seed, before, outcome):
        """`before`: the seed of what was there; None: nothing."""
        code, seconds, said = outcome
        found = digest(path) if path.exists() else None
        old = self.digest_of(before) if before is not None else None
        if code == 0:
            verdict = "complete" if found == self.digest_of(seed) else "SILENT DAMAGE"
        elif found == old or found == self.digest_of(seed):
            verdict = "said it waits, still waiting" if code is None else "error"
            if code is None and "does not answer" not in said:
                verdict = "SILENT HANG"
        else:
            verdict = "DAMAGE UNDER THE FINAL NAME"
        print(f"{name:<44} {verdict:<12} {seconds:6.1f} s  {said.strip().splitlines()[-1][:120] if code else ''}", flush=True)
        self.counts[verdict] = self.counts.get(verdict, 0) + 1
        if verdict.isupper():
            self.failures.append(name)

    def write(self, name, seed, grid, disturb=None):
        path = self.folder / f"conf.{seed % 3}.ildg"
        before = next((s for s in self.expected if path.exists() and digest(path) == self.expected[s]), None)
        with disturbed(disturb):
            outcome = self.generate(path, seed, grid)
        self.judge(f"write {grid}, {name}", path, seed, before, outcome)

    def read(self, name, seed, disturb=None):
        path = self.folder / f"read.{seed}.ildg"
        code, _, said = self.generate(path, seed)
        assert code == 0, said
        with disturbed(disturb):
            outcome = self.run(["verify", str(path), "--physics"], ranks=4)
        code = outcome[0]
        if code == 1:
            self.failures.append(name)  # sound bytes were called damaged
        self.judge(f"read, {name}", path, seed, seed, outcome)
        path.unlink(missing_ok=True)


class disturbed:
    """Runs `steps`, (seconds to wait, command) one after the other, beside what happens within."""

    def __init__(self, steps):
        self.thread = threading.Thread(target=self.disturb, args=(steps or [],))

    @staticmethod
    def disturb(steps):
        for seconds, command in steps:
            time.sleep(seconds)
            subprocess.run(command, shell=True, check=False, capture_output=True)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.thread.join()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lq", required=True)
    parser.add_argument("--lq-mpi", required=True)
    parser.add_argument("--mpirun", default="mpirun -n")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    place = os.environ.get("LQ_SHARED_FILE_SYSTEM")
    if not place:
        print("LQ_SHARED_FILE_SYSTEM names no folder: nothing is tried")
        return 0
    folder = pathlib.Path(place) / f"disturbed.{os.getpid()}"
    folder.mkdir()
    trials, chance = Trials(options, folder), random.Random(options.seed)
    freeze, thaw, kill, start = (os.environ.get(f"LQ_PFS_{name}") for name in ("FREEZE", "THAW", "KILL", "START"))
    for number in range(options.rounds):
        grid, seed = GRIDS[number % len(GRIDS)], options.seed + number
        trials.digest_of(seed)
        trials.write("undisturbed", seed, grid)
        if freeze and thaw:
            steps = [(chance.uniform(0.2, 2), freeze), (3, thaw)]
            trials.write("all servers frozen for 3 s", seed + 1000, grid, steps)
            trials.read("all servers frozen for 3 s", seed, steps)
        if kill and start:
            steps = [(chance.uniform(0.2, 2), kill), (8, start)]
            trials.write("a server killed, back after 8 s", seed + 2000, grid, steps)
            trials.read("a server killed, back after 8 s", seed, steps)
    left = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("."))
    print(f"{trials.counts}; temporary files that were left: {len(left)}")
    for entry in folder.iterdir():
        entry.unlink()
    folder.rmdir()
    if trials.failures:
        print("FAILED: " + "; ".join(trials.failures))
    return 1 if trials.failures else 0


if __name__ == "__main__":
    sys.exit(main())
