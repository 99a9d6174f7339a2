#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The main task with real data, step by step: generates a gauge field, writes it from four ranks, reads it back on other
# process grids, in single precision and without MPI, damages a byte and finds the damage. All results are
# compared with a plain copy of the field, written without the library. Called by `./dev demo`.
import argparse
import array
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LITERATURE = 0.5937  # average plaquette at beta 6.0, large lattices


class Failed(Exception):
    """A step that the following ones stand on did not work."""


class Demo:
    def __init__(self, options, work):
        self.bin = pathlib.Path(options.build).resolve() / "bin"
        self.mpiexec = options.mpiexec
        self.lattice = options.lattice
        self.sweeps = options.sweeps
        self.work = work
        self.failures = []
        self.checks = 0

    # Running things.

    def run(self, *command, ranks=1):
        """Exit code, standard output, standard error."""
        launcher = [self.mpiexec, "-n", str(ranks)] if self.mpiexec and ranks else []
        command = [str(self.bin / command[0]), *map(str, command[1:])]
        done = subprocess.run([*launcher, *command], cwd=self.work, text=True, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout, done.stderr

    def lq(self, *arguments):
        return self.run("lq", *arguments, ranks=0)

    def ask(self, *command, ranks=1):
        """The JSON object that a command prints."""
        code, out, err = self.run(*command, ranks=ranks)
        if code not in (0, 1) or not out.strip():
            raise Failed(f"{command[0]} gave {code}: {err.strip() or out.strip()}")
        return json.loads(out.strip().splitlines()[-1])

    # Saying things.

    def check(self, good, what):
        """Counts a claim; returns how to show it."""
        self.checks += 1
        if not good:
            self.failures.append(what)
        return "yes" if good else "NO"

    @staticmethod
    def title(number, text):
        print(f"\n{number}  {text}")

    @staticmethod
    def line(name, text):
        print(f"   {name:<13} {text}")

    # The steps.

    def write(self):
        grid = "1x1x2x2" if self.mpiexec else "1x1x1x1"
        ranks = 4 if self.mpiexec else 1
        self.title(1, f"Generate {self.lattice}, SU(3), beta 6.0, and write it from {ranks} ranks ({grid})")
        self.written = self.ask("demo_write", "conf.lime", "plain.raw", self.lattice, grid, 6.0, self.sweeps, ranks=ranks)
        report, physics = self.written["report"], self.written["physics"]
        self.plaquette = physics["plaquette"]
        self.line("heat bath", f"{self.sweeps} sweeps, each with 3 of over-relaxation, in {self.written['generate_seconds']:.1f} s")
        self.line("plaquette", f"{self.plaquette['average']:.12f} in memory, before writing (large lattices: {LITERATURE})")
        near = self.check(abs(self.plaquette["average"] - LITERATURE) < 0.02, "plaquette near the literature")
        self.line("unitarity", f"largest |U U^+ - 1| = {physics['unitarity']['largest']:.1e}; near the literature: {near}")
        self.line("conf.lime", f"{report['bytes']} bytes of links, checksum {report['checksum']['suma']} "
                  f"{report['checksum']['sumb']}, read back and compared before it got its name")

    def read(self):
        cases = [(1, "1x1x1x1", "double"), (2, "2x1x1x1", "double"), (8, "2x2x2x1", "double"),
                 (2, "1x2x1x1", "single"), (3, "1x1x1x3", "double")]
        if not self.mpiexec:
            cases = [(1, "1x1x1x1", "double"), (1, "1x1x1x1", "single")]
        self.title(2, "Read it on other process grids; every number compared with the plain copy")
        print(f"   {'ranks':<7}{'grid':<10}{'precision':<11}{'checksum':<10}{'same bits':<11}plaquette after reading")
        for ranks, grid, precision in cases:
            got = self.ask("demo_read", "conf.lime", "plain.raw", self.lattice, grid, precision, ranks=ranks)
            same = self.check(got["different"] == 0, f"{precision} on {grid} bit for bit")
            average = got["plaquette"]["average"]
            tolerance = 0 if precision == "double" else 1e-6
            self.check(abs(average - self.plaquette["average"]) <= tolerance, f"plaquette in {precision} on {grid}")
            self.check(got["report"]["checksum_status"] == "ok", f"checksum on {grid}")
            print(f"   {ranks:<7}{grid:<10}{precision:<11}{got['report']['checksum_status']:<10}{same:<11}{average:.12f}")

    def without_mpi(self):
        self.title(3, "The same file through lq, a program without MPI")
        code, out, err = self.lq("verify", "conf.lime", "--json")
        if not out.strip():
            raise Failed(f"lq verify gave {code}: {err.strip()}")
        verdict = json.loads(out)["fields"][0]
        good = self.check(code == 0 and verdict["checksum_status"] == "ok", "lq verify")
        self.line("lq verify", f"checksum {verdict['checksum_status']}, exit code {code}: {good}")
        average = verdict["physics"]["plaquette"]["average"] if verdict.get("physics") else float("nan")
        same = self.check(average == self.plaquette["average"], "plaquette by lq")
        self.line("plaquette", f"{average:.12f}, the same to the last bit: {same}")

        payload = subprocess.run([self.bin / "lq", "cat", "conf.lime", "ildg-binary-data"], cwd=self.work,
                                 stdout=subprocess.PIPE, check=False).stdout
        plain = array.array("d")
        plain.frombytes((self.work / "plain.raw").read_bytes())
        if sys.byteorder == "little":
            plain.byteswap()
        same = self.check(payload == plain.tobytes(), "payload by lq cat")
        self.line("lq cat", f"{len(payload)} bytes, equal to the plain copy in big-endian order: {same}")

        code, _, err = self.lq("convert", "conf.lime", "single.lime", "--precision", "single")
        self.check(code == 0, f"lq convert ({err.strip()})")
        code, out, _ = self.lq("diff", "conf.lime", "single.lime", "--tol", "1e-6", "--json")
        apart = json.loads(out)["largest_absolute"] if out.strip() else float("inf")
        good = self.check(code == 0 and 0 < apart < 1e-6, "lq diff of double and single")
        self.line("lq convert", f"to single precision; lq diff: largest difference {apart:.1e}, below 1e-6: {good}")

    def damage(self):
        self.title(4, "Damage one byte of the links, and look for it")
        _, out, _ = self.lq("ls", "conf.lime", "--json")
        data = next(r for r in json.loads(out)["records"] if r["type"] == "ildg-binary-data")
        slice_bytes = data["data_length"] // int(self.lattice.split("x")[3])
        slice_number = 1
        position = data["offset"] + slice_number * slice_bytes + slice_bytes // 2 + 5
        content = bytearray((self.work / "conf.lime").read_bytes())
        content[position] ^= 0x10
        (self.work / "damaged.lime").write_bytes(content)
        self.line("damaged", f"byte {position}, in time slice {slice_number}, one bit turned")

        code, out, _ = self.lq("verify", "damaged.lime", "--json")
        verdict = json.loads(out)
        located = [f for f in verdict["findings"] if f["severity"] == "error" and f["offset"] is not None]
        self.check(code == 1, "lq verify on the damaged file gives 1")
        slices = verdict["fields"][0]["damaged_slices"]
        good = self.check(slices == [slice_number], "the damaged time slice is named")
        self.line("lq verify", f"exit code {code}; time slices damaged: {slices}; right: {good}")
        hit = [f for f in located if f["offset"] <= position < f["offset"] + (f["length"] or 1)]
        smallest = min(hit, key=lambda f: f["length"] or 1, default=None)
        good = self.check(smallest is not None, "the damaged byte range is named")
        if smallest:
            self.line("", f"bytes {smallest['offset']} to {smallest['offset'] + smallest['length'] - 1}, right: {good}")

        ranks, grid = (2, "1x1x2x1") if self.mpiexec else (1, "1x1x1x1")
        code, _, err = self.run("demo_read", "damaged.lime", "plain.raw", self.lattice, grid, "double", ranks=ranks)
        sentence = next((s for s in err.splitlines() if s.startswith("damaged.lime")), err.strip().split("\n")[0])
        self.check(code == 1 and "checksum" in sentence, "reading the damaged file is refused")
        self.line("reading it", f"refused on {ranks} rank{'s' if ranks > 1 else ''}:")
        self.line("", sentence)

    def rates(self):
        ours = statistics.median(self.written["write_seconds"])
        raw = statistics.median(self.written["raw_seconds"])
        size = self.written["report"]["bytes"]
        self.title(5, f"Rates: {size} bytes from {self.written['ranks']} ranks on {os.cpu_count()} cores, "
                   f"median of {len(self.written['write_seconds'])}, taking turns")
        self.line("limequat", f"{size / ours / 1e6:8.0f} MB/s   reordered, byte-swapped, checksummed, renamed")
        self.line("raw pwrite", f"{size / raw / 1e6:8.0f} MB/s   of the same bytes")
        self.line("ratio", f"{raw / ours:8.2f}        so small a file measures the latency of agreeing, not the rate")
        if self.mpiexec:
            self.larger_rates()

    def larger_rates(self):
        """What the rate is once there are some bytes."""
        lattice, ranks = "16x16x16x32", min(2, os.cpu_count() or 1)
        code, _, err = self.run("lq-mpi", "bench", "lattice", "--lattice", lattice, "--runs", "7",
                                "--json", "rates.json", ranks=ranks)
        self.check(code == 0, f"lq-mpi bench ({err.strip()})")
        if code == 0:
            for r in json.loads((self.work / "rates.json").read_text())["results"]:
                rate, raw = (r["bytes"] / r[which]["median"] / 1e6 for which in ("seconds", "raw_seconds"))
                self.line(f"{lattice}", f"{rate:8.0f} MB/s   {r['direction']}, {ranks} ranks, raw {raw:.0f} MB/s: "
                          f"ratio {r['ratio_to_raw']:.2f}")


def main():
    parser = argparse.ArgumentParser(description="the main job, on real input")
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpiexec", default="", help="what starts ranks; empty: a build without MPI")
    parser.add_argument("--lattice", default="8x8x8x16")
    parser.add_argument("--sweeps", type=int, default=50)
    options = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="limequat-demo-") as folder:
        demo = Demo(options, pathlib.Path(folder))
        try:
            for step in (demo.write, demo.read, demo.without_mpi, demo.damage, demo.rates):
                step()
        except (Failed, OSError, KeyError, ValueError, subprocess.TimeoutExpired) as error:
            demo.failures.append(str(error))
    seconds = time.monotonic() - start
    if demo.failures:
        print(f"\ndemo: {len(demo.failures)} of {demo.checks} checks FAILED in {seconds:.0f} s: {'; '.join(demo.failures)}")
        return 1
    spread = "written from 4 ranks, read on 1, 2, 3 and 8" if options.mpiexec else "written and read on one rank"
    print(f"\ndemo: all {demo.checks} checks passed in {seconds:.0f} s: {spread}, in double and single precision and by lq "
          "without MPI, the same to the last bit; the damaged byte was found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
