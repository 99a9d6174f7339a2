#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields and modes written, read and copied on a parallel file system that is disturbed meanwhile (README.md)."""

import argparse
import hashlib
import json
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
APPENDING = pathlib.Path(__file__).with_name("appending.py")
MODES = 25  # that a program adds
COPIED = 48 << 20  # bytes of the file that is copied
BLOCK = 1 << 20


class Trials:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.client = shlex.split(os.environ.get("LQ_PFS_CLIENT", ""))
        self.expected = {}  # by seed
        self.failures, self.counts = [], {}
        self.kept = {}  # modes of each set that are promised

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
            done = subprocess.run(program + words, capture_output=True, text=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired as late:
            return None, LONGEST, as_text(late.stderr)
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
        self.tell(name, verdict, seconds, said if code else "")

    def tell(self, name, verdict, seconds, said):
        print(f"{name:<44} {verdict:<12} {seconds:6.1f} s  {(said.strip().splitlines() or [''])[-1][:120]}", flush=True)
        self.counts[verdict] = self.counts.get(verdict, 0) + 1
        if verdict.isupper():
            self.failures.append(name)

    def write(self, name, seed, grid, disturb=None, may_fail=True):
        path = self.folder / f"conf.{seed % 3}.ildg"
        before = next((s for s in self.expected if path.exists() and digest(path) == self.expected[s]), None)
        with disturbed(disturb):
            outcome = self.generate(path, seed, grid)
        self.judge(f"write {grid}, {name}", path, seed, before, outcome)
        if outcome[0] != 0 and not may_fail:
            self.failures.append(name)

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

    def append(self, name, path, disturb=None, after=None):
        """Modes are added by a program that is killed `after` so many seconds, if it is."""
        begin = time.monotonic()
        with disturbed(disturb), subprocess.Popen([sys.executable, str(APPENDING), str(path), str(MODES)], text=True,
                                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            code, printed, said = watch(program, LONGEST if after is None else after)
        seconds = time.monotonic() - begin
        kept = number_after("kept", printed) or self.kept.get(path, 0)
        there, wrong = self.look_at_modes(path)
        verdict = "complete" if code == 0 else "killed" if after is not None else "error"
        if code is None and after is None:
            verdict = "said it waits, still waiting" if "does not answer" in said else "SILENT HANG"
        # The last one may be there though nobody was told.
        if wrong or not kept <= there <= kept + 1:
            verdict, said = "SILENT DAMAGE", f"kept {kept}, there are {there}: {wrong}"
        self.kept[path] = there
        self.tell(f"append modes, {name}", verdict, seconds, said if code else "")

    def look_at_modes(self, path):
        if not path.exists():
            return 0, ""
        done = subprocess.run([sys.executable, str(APPENDING), str(path), "--check"], capture_output=True, text=True,
                              timeout=LONGEST, check=False)
        return number_after("there", done.stdout), done.stderr if done.returncode else ""

    def copy(self, name, source, disturb=None):
        target = self.folder / "copy.dat"
        words = ["copy", "--resume", "--overwrite", "--block-bytes", str(BLOCK), str(source), str(target)]
        with disturbed(disturb):
            code, seconds, said = self.run(words)
        verdict = "complete" if code == 0 else "error" if code is not None else "said it waits, still waiting"
        if code is None and "does not answer" not in said:
            verdict = "SILENT HANG"
        if code != 0 and self.run(words)[0] != 0:
            verdict = "NOT TO BE GONE ON WITH"
        elif digest(target) != digest(source):
            verdict = "SILENT DAMAGE"
        self.tell(f"copy, {name}", verdict, seconds, said if code else "")
        target.unlink(missing_ok=True)

    def killed_copies(self, source, kills, chance):
        """A copy is killed and gone on with, until it is complete, and so are others, until so many were killed."""
        target, record = self.folder / "copy.dat", self.folder / ".copy.dat.lq-copied"
        words = [self.options.lq, "copy", "--resume", "--json", "--block-bytes", str(BLOCK), str(source), str(target)]
        killed = 0
        while killed < kills:
            begin, before, recorded = time.monotonic(), killed, 0
            while True:
                recorded = blocks_in(record)
                with subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
                    code, printed, said = watch(program, chance.uniform(0.02, 0.6))
                killed += code is None
                if code is not None:
                    break
            most = source.stat().st_size - max(recorded - 1, 0) * BLOCK
            verdict = "complete" if code == 0 and digest(target) == digest(source) else "DAMAGE OR AN ERROR"
            if code == 0 and json.loads(printed)["moved_bytes"] > most:
                verdict, said = "MOVED TWICE", f"{printed} with {recorded} blocks recorded"
            self.tell(f"copy, killed {killed - before} times", verdict, time.monotonic() - begin, said)
            target.unlink(missing_ok=True)


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


def as_text(output):
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def watch(program, seconds):
    """Exit code (None: it was killed after so many seconds), and what it printed and said."""
    try:
        printed, said = program.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        program.kill()
        printed, said = program.communicate()
        return None, printed, said
    return program.returncode, printed, said


def number_after(word, text):
    """In the last line that begins with the word."""
    numbers = [line.split()[1] for line in text.splitlines() if line.startswith(word + " ") and len(line.split()) == 2]
    return int(numbers[-1]) if numbers else 0


def blocks_in(record):
    """That a copy which was interrupted has recorded (docs/formats/copied.md)."""
    return max(record.stat().st_size - 40, 0) // 16 if record.exists() else 0


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def disturb_servers(trials, source, options, chance):
    freeze, thaw, kill, start = (os.environ.get(f"LQ_PFS_{name}") for name in ("FREEZE", "THAW", "KILL", "START"))
    for number in range(options.rounds):
        grid, seed = GRIDS[number % len(GRIDS)], options.seed + number
        trials.digest_of(seed)
        trials.write("undisturbed", seed, grid, may_fail=False)
        for offset, name, stop, seconds, resume in ((1000, "all servers frozen for 3 s", freeze, 3, thaw),
                                                    (2000, "a server killed, back after 8 s", kill, 8, start)):
            if not stop or not resume:
                continue
            steps = [(chance.uniform(0.2, 2), stop), (seconds, resume)]
            trials.write(name, seed + offset, grid, steps)
            trials.read(name, seed, steps)
            trials.append(name, trials.folder / f"low.{number}.modes", steps)
            trials.copy(name, source, [(chance.uniform(0.02, 0.3), stop), (seconds, resume)])  # it does not take long


def kill_programs(trials, source, kills, chance):
    for number in range(kills):
        trials.append("killed", trials.folder / f"killed.{number // 10}.modes", after=chance.uniform(0.3, 2))
    trials.killed_copies(source, kills // 2, chance)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lq", required=True)
    parser.add_argument("--lq-mpi", required=True)
    parser.add_argument("--mpirun", default="mpirun -n")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=0, help="of programs that add modes, and half as many of copies")
    options = parser.parse_args()
    place = os.environ.get("LQ_SHARED_FILE_SYSTEM")
    if not place:
        print("LQ_SHARED_FILE_SYSTEM names no folder: nothing is tried")
        return 0
    folder = pathlib.Path(place) / f"disturbed.{os.getpid()}"
    folder.mkdir()
    trials, chance = Trials(options, folder), random.Random(options.seed)
    with tempfile.NamedTemporaryFile() as source:
        source.write(chance.randbytes(COPIED))
        source.flush()
        disturb_servers(trials, pathlib.Path(source.name), options, chance)
        kill_programs(trials, pathlib.Path(source.name), options.kills, chance)
    left = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("."))
    print(f"{trials.counts}; temporary files that were left: {left}")
    for entry in folder.iterdir():
        entry.unlink()
    folder.rmdir()
    if trials.failures:
        print("FAILED: " + "; ".join(trials.failures))
    return 1 if trials.failures else 0


if __name__ == "__main__":
    sys.exit(main())
