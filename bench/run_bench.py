#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The set of measurements behind docs/benchmarks: runs lq-mpi and bench_peers, keeps their JSON, draws it with `lq plot`
# and writes the pages. Called by `./dev bench`; about ten minutes on two cores.
import argparse
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import bench_page  # noqa: E402
import beside_qio  # noqa: E402

LATTICES = ["24x24x24x48", "16x16x16x32", "12x12x12x24", "8x8x8x16", "4x4x4x8"]
# On 4 ranks, grids and strategies; fewer of them for the larger lattice.
SERIAL_CASES = ((["1x1x1x4", "2x2x1x1"], ["auto", "direct", "shared", "pull", "messages", "gather"]),
                (["1x1x2x2"], ["auto", "direct", "gather"]))
OLD_PAGES = ["transfer.json", "transfer.md", "transfer.svg"]


def field_bytes(lattice):
    volume = 576
    for extent in lattice.split("x"):
        volume *= int(extent)
    return volume


def largest_that_fits(path, largest):
    """One file of it must leave half of the free space alone, for it lies there beside its predecessor."""
    about = os.statvfs(path)
    fitting = [lattice for lattice in [largest, *LATTICES] if 2 * field_bytes(lattice) < about.f_bavail * about.f_frsize]
    if not fitting:
        raise SystemExit(f"{path}: too little space for any lattice")
    return fitting[0]


def busy_cores(seconds=2):
    """How many cores others keep busy. The load average would still count the benchmark that ran a minute ago."""
    def idle():
        with open("/proc/stat", encoding="ascii") as file:
            return sum(int(ticks) for ticks in file.readline().split()[4:6]) / os.sysconf("SC_CLK_TCK")

    before, began = idle(), time.monotonic()
    time.sleep(seconds)
    idle_cores = (idle() - before) / (time.monotonic() - began)
    return round(max(0, (os.cpu_count() or 1) - idle_cores), 1)


class Bench:
    def __init__(self, options):
        self.options = options
        self.bin = pathlib.Path(options.build) / "bin"
        self.out = pathlib.Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.busy_cores = busy_cores()  # of others: before we begin

    def run(self, ranks, program, *arguments, path):
        """The JSON of one program on so many ranks; its table goes to our output."""
        result = self.out / "result.json.part"
        # Without MPI there is lq alone, which takes the same words.
        if self.options.mpiexec:
            command = [self.options.mpiexec, "-n", ranks, self.bin / program]
        else:
            command = [self.bin / program.removesuffix("-mpi")]
        command += [*arguments, "--path", path, "--json", result, "--force"]
        try:
            subprocess.run([str(word) for word in command], check=True)
            measured = json.loads(result.read_text(encoding="utf-8"))
            measured["environment"]["busy_cores"] = self.busy_cores
            return measured
        finally:
            result.unlink(missing_ok=True)

    def lattice(self, ranks, *arguments, path, runs=None):
        return self.run(ranks, "lq-mpi", "bench", "lattice", "--runs", runs or self.options.runs, *arguments, path=path)

    def keep(self, name, measured):
        """NAME.json, the same for all machines: one run a line."""
        lines = ",\n".join(json.dumps(run) for run in measured)
        (self.out / f"{name}.json").write_text(f"[{lines}]\n", encoding="utf-8")

    def plot(self, name, picture, kind):
        package = {"PYTHONPATH": str(ROOT / "python"), "LIMEQUAT_LIBRARY": str(self.bin.parent / "lib" / "liblimequat.so")}
        path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
        subprocess.run([str(self.bin / "lq"), "plot", "-q", "--force", "--kind", kind, "-o", str(self.out / f"{picture}.svg"),
                        str(self.out / f"{name}.json")], check=True, env={**os.environ, **package, "PATH": path})

    def grids(self, path, sets):
        lattice = largest_that_fits(path, self.options.lattice)
        return [self.lattice(ranks, "--lattice", lattice, *(word for grid in grids for word in ("--grid", grid)), path=path)
                for ranks, grids in sets]

    def transfers(self):
        memory, disk = self.options.memory, self.options.disk
        measured = self.grids(memory, [(1, ["1x1x1x1"]), (2, ["1x1x1x2", "2x1x1x1"]), (8, ["2x2x2x1"])])
        self.keep("memory", measured)
        self.plot("memory", "memory-ratio", "ratio")
        self.plot("memory", "memory-steps", "steps")
        self.plot("memory", "memory-ranks", "rate-by-ranks")
        self.keep("disk", self.grids(disk, [(2, ["1x1x1x2", "2x1x1x1"])]))
        self.plot("disk", "disk-ratio", "ratio")

    def sizes(self):
        largest = field_bytes(largest_that_fits(self.options.memory, self.options.lattice))
        smaller = [lattice for lattice in LATTICES if field_bytes(lattice) <= largest]
        words = [word for lattice in smaller for word in ("--lattice", lattice)]
        self.keep("sizes", [self.lattice(2, *words, "--grid", "1x1x1x2", path=self.options.memory)])
        self.plot("sizes", "sizes", "rate-by-size")
        small = self.lattice(4, "--lattice", "4x4x4x4", "--grid", "1x1x1x4", path=self.options.memory,
                             runs=20 * self.options.runs)
        self.keep("small", [small])

    def peers(self):
        if not (self.bin / "bench_peers").exists():
            print("bench_peers was not built: nobody to compare with", file=sys.stderr)
            return
        lattice = largest_that_fits(self.options.memory, self.options.lattice)
        runs = max(1, self.options.runs // 2)
        self.keep("peers", [self.run(ranks, "bench_peers", "--lattice", lattice, "--grid", grid, "--runs", runs,
                                     path=self.options.memory) for ranks, grid in [(2, "2x1x1x1"), (8, "2x2x2x1")]])
        self.plot("peers", "peers", "ratio")

    def grid(self):
        """The protocol of Grid's own I/O test: in memory, on a disk, and read there by a second job."""
        memory, disk = self.options.memory, self.options.disk
        with tempfile.TemporaryDirectory(dir=memory) as in_memory, tempfile.TemporaryDirectory(dir=disk) as on_disk:
            cases = [(in_memory, []), (on_disk, ["--keep-files"]), (on_disk, ["--read-only"])]
            self.keep("grid", [self.lattice(4, "--protocol", "grid", "--lattice", largest_that_fits(path, LATTICES[1]), "--grid", "2x2x1x1",
                                            *how, path=path) for path, how in cases])

    def serial(self):
        """What the Lemon paper measured: one rank that does it all against every way of doing it together."""
        fitting = largest_that_fits(self.options.memory, self.options.large)
        lattices = [lattice for lattice in (self.options.lattice, fitting)
                    if field_bytes(lattice) <= field_bytes(fitting)]
        runs = max(3, self.options.runs // 2)
        measured = []
        for lattice in dict.fromkeys(lattices):
            grids, strategies = SERIAL_CASES[lattice == self.options.large]
            words = [word for strategy in strategies for word in ("--strategy", strategy)]
            measured += [self.lattice(4, "--lattice", lattice, "--grid", grid, *words, path=self.options.memory, runs=runs)
                         for grid in grids]
        self.keep("serial", measured)
        self.plot("serial", "serial", "ratio")

    def overlap(self):
        lattice = largest_that_fits(self.options.memory, self.options.lattice)
        runs = ["--runs", self.options.runs]
        self.keep("overlap", [self.run(ranks, "lq-mpi", "bench", "overlap", "--lattice", lattice, *runs,
                                       path=self.options.memory) for ranks in (1, os.cpu_count() or 1)])

    def cores(self):
        """One rank by more and more threads, and ranks times threads; without MPI one rank only."""
        memory, runs, cores = self.options.memory, min(self.options.runs, 5), os.cpu_count() or 1
        lattice = largest_that_fits(memory, self.options.lattice)
        ranks = [1 << n for n in range(cores.bit_length())] if self.options.mpiexec else [1]
        threads = [word for number in self.options.threads for word in ("--threads", number)]
        self.keep("cores", [self.run(n, "lq-mpi", "bench", "threads", "--lattice", lattice, "--runs", runs, *threads, path=memory)
                            for n in ranks])

    def draw_cores(self):
        """Of this machine, and of others whose results lie beside it as cores-NAME.json."""
        for path in bench_page.cores_files(self.out):
            for name, chosen in bench_page.cores_pictures(path).items():
                self.keep("picture", chosen)
                self.plot("picture", name, "rate-by-threads")
        (self.out / "picture.json").unlink(missing_ok=True)

    def tasklocal(self):
        """What the SIONlib paper measured: streams of tasks in one file each and in multifiles."""
        memory, disk = self.options.memory, self.options.disk
        # 3 to 5 measurements, as there
        few, more = (["--runs", min(self.options.runs, most)] for most in (3, 5))
        verb = ["lq-mpi", "bench", "tasklocal"]
        create = self.run(64, *verb, *few, "--part", "create", path=memory)
        by_files = self.run(4, *verb, *few, "--part", "transfer", "--bytes", 16 << 20, path=memory)
        self.keep("tasklocal", [create, by_files])
        self.plot("tasklocal", "tasklocal-create", "create-by-tasks")
        self.plot("tasklocal", "tasklocal-files", "rate-by-files")
        streams = ["--part", "transfer", "--files", 2, "--bytes", 256 << 20]
        self.keep("tasklocal-rates", [self.run(2, *verb, *more, "--files", 1, *streams, path=memory),
                                      self.run(2, *verb, *more, *streams, "--cold", "--sync", path=disk)])

    def hdf5(self):
        """What the slides of QDP++ and QLUA measured: ranks, chunks, alignment, lattices, and how steady it is."""
        memory, runs = self.options.memory, min(self.options.runs, 5)
        lattice = largest_that_fits(memory, LATTICES[1])
        how = ["--format", "hdf5", "--format", "ildg"]
        strong = [self.lattice(ranks, "--lattice", lattice, *how, path=memory, runs=runs) for ranks in (1, 2, 4)]
        self.keep("hdf5-strong", strong)
        self.plot("hdf5-strong", "hdf5-strong", "rate-by-ranks")
        space = lattice.rsplit("x", 1)[0]
        weak = [self.lattice(ranks, "--lattice", f"{space}x{8 * ranks}", *how, path=memory, runs=runs) for ranks in (1, 2, 4)]
        self.keep("hdf5-weak", weak)
        self.plot("hdf5-weak", "hdf5-weak", "rate-by-ranks")
        grid = ["--lattice", lattice, "--grid", "1x1x1x2", "--format", "hdf5"]
        chunks = [word for chunk in ("none", "slice", "16x16x16x4", "8x8x8x8", "4x4x4x4")
                  for word in ("--dataset-chunk", chunk)]
        self.keep("hdf5-chunks", [self.lattice(2, *grid, *chunks, path=memory, runs=runs)])
        self.plot("hdf5-chunks", "hdf5-chunks", "ratio")
        alignments = [word for bytes in (4096, 65536, 1 << 20, 16 << 20) for word in ("--alignment", bytes)]
        self.keep("hdf5-alignment", [self.lattice(2, *grid, *alignments, path=self.options.disk, runs=runs)])
        self.plot("hdf5-alignment", "hdf5-alignment", "ratio")
        lattices = [word for one in LATTICES[1:] for word in ("--lattice", one)]
        self.keep("hdf5-sizes", [self.lattice(2, *lattices, "--grid", "1x1x1x2", "--format", "hdf5", path=memory, runs=runs)])
        self.plot("hdf5-sizes", "hdf5-sizes", "rate-by-size")
        if (self.bin / "bench_peers").exists():
            self.keep("hdf5-peers", [self.run(4, "bench_peers", "--lattice", largest_that_fits(path, LATTICES[0]), "--grid", grid, *how,
                                              "--runs", 9, path=path)
                                     for path in (memory, self.options.disk) for grid in ("1x1x1x4", "2x2x1x1")])

    def squeeze(self):
        """How small archives are, and how fast, in both precisions; what general compressors do beside it."""
        lattice = largest_that_fits(self.options.memory, LATTICES[1])
        measured = []
        with tempfile.TemporaryDirectory(dir=self.options.memory) as folder:
            for precision in ("double", "single"):
                path = pathlib.Path(folder) / f"{precision}.ildg"
                subprocess.run([str(self.bin / "lq"), "generate", "--quiet", "--lattice", lattice, "--sweeps", "20",
                                "--precision", precision, "--sync", "none", str(path)], check=True)
                answer = subprocess.run([str(self.bin / "bench_squeeze"), str(path), str(self.options.runs)],
                                        check=True, capture_output=True)
                run = {"lattice": lattice, "precision": precision, **json.loads(answer.stdout)}
                sample = path.read_bytes()[-(4 << 20):]
                for name, compress in (("zlib", zlib.compress), ("xz", lzma.compress)):
                    start = time.process_time()
                    stored = len(compress(sample))
                    run["results"].append({"name": name, "bytes": len(sample), "stored": stored,
                                           "encode_cpu_seconds": time.process_time() - start})
                measured.append(run)
        small = self.lattice(1, "--lattice", "4x4x4x4", path=self.options.memory, runs=1)
        self.keep("squeeze", [{"environment": small["environment"], **run} for run in measured])

    def qio(self):
        """QIO's interface over our library, beside our own and, where --qio names a program, beside the original."""
        programs = {"libqio": self.bin / "bench_qio"}
        if not programs["libqio"].exists():
            print("bench_qio was not built: there is no MPI", file=sys.stderr)
            return
        if self.options.qio:
            programs["original"] = self.options.qio
        memory = self.options.memory
        lattice = largest_that_fits(memory, self.options.lattice)
        measured = []
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            for ranks, layout in ((ranks, layout) for ranks in (1, 2) for layout in ("box", "evenodd", "vectors")):
                extents = largest_that_fits(memory, "16x16x16x32") if layout == "vectors" else lattice

                def own(ranks=ranks, extents=extents):
                    return self.lattice(ranks, "--lattice", extents, "--grid", f"1x1x1x{ranks}", "--format", "scidac", path=folder, runs=1)

                measured.append(beside_qio.measure(programs, [self.options.mpiexec, "-n", ranks], own, pathlib.Path(folder), extents, layout,
                                                   min(self.options.runs, 5)))
        self.keep("qio", measured)
        self.plot("qio", "qio", "ratio")

    def application(self):
        """What share of three programs' time their files take, with serial and with parallel I/O; files reach the disk."""
        program = self.bin / "bench_application"
        if not program.exists():
            print("bench_application was not built: there is no MPI", file=sys.stderr)
            return
        small = self.lattice(1, "--lattice", "4x4x4x4", path=self.options.disk, runs=1)
        with tempfile.TemporaryDirectory(dir=self.options.disk) as folder:
            configuration = pathlib.Path(folder) / "conf.ildg"
            subprocess.run([str(self.bin / "lq"), "generate", "--quiet", "--lattice", "8x8x8x16", "--sweeps", "20", str(configuration)],
                           check=True)
            answer = subprocess.run([self.options.mpiexec, "-n", "2", str(program), str(configuration), folder, str(min(self.options.runs, 5))],
                                    check=True, capture_output=True)
        self.keep("application", [{"environment": small["environment"], **json.loads(answer.stdout)}])
        self.plot("application", "application", "program-parts")

    def pfs(self):
        """What the paper on PVFS measured, on each parallel file system that is named; with peers where they were built."""
        program = ["bench_peers", "--pfs"] if (self.bin / "bench_peers").exists() else ["lq-mpi", "bench", "pfs"]
        peers = ["mpi-io collective", "mpi-io independent", "undo split"] if program[0] == "bench_peers" else []
        words = [word for peer in peers for word in ("--peer", peer)]
        measured = [self.run(self.options.clients, *program, *words, "--runs", min(self.options.runs, 5), "--seconds",
                             self.options.seconds, "--fill", 3, "--bytes-per-server", self.options.pfs_bytes, path=folder) for folder in self.options.pfs]
        if not measured:
            return
        self.keep("pfs", measured)
        for run in measured:
            for direction in ("write", "read"):
                chosen = [r for r in run["results"] if (r["direction"], r["cache"]) == (direction, "warm")
                          and r["stripe_bytes"] == 0]
                self.keep("picture", [{**run, "results": chosen}])
                self.plot("picture", bench_page.pfs_picture(run, direction), "rate-per-server")
        (self.out / "picture.json").unlink()

    def pfs_fields(self):
        """A whole field there, by the choice of the library, by every other way worth a try, and by collective MPI-IO."""
        measured = []
        for folder in self.options.pfs if (self.bin / "bench_peers").exists() else []:
            for ranks, grid, others in ((4, "1x1x1x4", ["direct", "messages"]), (4, "2x2x1x1", ["shared", "pull", "messages"]),
                                        (8, "2x2x2x1", ["shared", "pull", "messages"])):
                ways = [word for strategy in ["auto", *others] for word in ("--strategy", strategy)]
                measured.append(self.run(ranks, "bench_peers", "--lattice", self.options.lattice, "--grid", grid, *ways, "--peer", "mpi-io collective",
                                         "--verify", "checksum", "--runs", min(self.options.runs, 5), path=folder))
                self.keep("pfs-fields", measured)

    def parts(self):
        self.keep("parts", [self.run(2, "lq-mpi", "bench", "parts", "--seconds", self.options.seconds,
                                     path=self.options.memory)])

    def model(self):
        """How far plans are from what was just measured."""
        subprocess.run([sys.executable, str(ROOT / "tools" / "check_model.py"), "--lq", str(self.bin / "lq"),
                        "-o", str(self.out / "model.md"), str(self.out / "parts.json"), str(self.out / "memory.json")],
                       check=True)
        subprocess.run([sys.executable, str(ROOT / "tools" / "check_machines.py"), "--lq", str(self.bin / "lq"),
                        "-o", str(self.out / "machines.md")], check=True)


def main():
    parser = argparse.ArgumentParser(description="the measurements behind docs/benchmarks")
    parser.add_argument("--build", required=True, help="a folder whose bin/ has the programs")
    parser.add_argument("--mpiexec", default="mpiexec", help="\"\": there is no MPI, and only steps of one rank are run")
    parser.add_argument("--memory", default="/dev/shm", help="a folder in memory")
    parser.add_argument("--disk", help="a folder on a disk; default: the build folder")
    parser.add_argument("--pfs", action="append", default=[], help="a folder on a parallel file system; may be repeated")
    parser.add_argument("--qio", help="bench/bench_qio.c, linked with the original QIO for the same MPI")
    parser.add_argument("--clients", type=int, default=4, help="ranks at the parallel file system")
    parser.add_argument("--pfs-bytes", type=int, default=16 << 20, help="that a client has for each of its servers")
    parser.add_argument("--lattice", default=LATTICES[0], help="the largest one")
    parser.add_argument("--large", default="32x32x32x64", help="the larger one of serial against parallel")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=15, help="for the parts of the machine")
    parser.add_argument("--threads", action="append", default=[], help="of cores: so many; may be repeated")
    parser.add_argument("--step", action="append", help="only this one, such as hdf5; may be repeated")
    parser.add_argument("--out", default=str(ROOT / "docs" / "benchmarks"))
    options = parser.parse_args()
    options.disk = options.disk or options.build

    start = time.monotonic()
    bench = Bench(options)
    for step in (bench.parts, bench.transfers, bench.model, bench.sizes, bench.serial, bench.peers, bench.grid, bench.overlap,
                 bench.cores, bench.draw_cores, bench.tasklocal, bench.hdf5, bench.squeeze, bench.qio,
                 bench.application, bench.pfs, bench.pfs_fields):
        if not options.step or step.__name__ in options.step:
            step()
    for old in OLD_PAGES:
        (bench.out / old).unlink(missing_ok=True)
    bench_page.write(bench.out)
    print(f"wrote {os.path.relpath(bench.out / 'index.md')} and the pages it names, in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
