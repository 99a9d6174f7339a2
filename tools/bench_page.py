#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Pages from the JSON of benchmarks: every number on them is read from a file, none is typed. A file that is not there
# leaves its page, or its row, out.
"""usage: bench_page.py FOLDER (with the JSON files of bench/run_bench.py)"""

import json
import pathlib
import sys

MIB = 1024 * 1024


def load(folder, name):
    """The runs in NAME.json, or none."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def rows(measured):
    """(environment, result) of everything measured, in order."""
    return [(run["environment"], result) for run in measured for result in run.get("results", [])]


def find(measured, **facts):
    """The results with these facts."""
    return [r for _, r in rows(measured) if all(r.get(key) == value for key, value in facts.items())]


def rate(result, which="seconds"):
    return result["bytes"] / result[which]["median"] / 1e9


def where(measured):
    if not measured:
        return ""
    e = measured[0]["environment"]
    busy = f" Other programs were running: load {e['load']} before it began, so that rates are low." if e.get("load", 0) > 1 else ""
    mpi = "no MPI" if e["mpi"] == "none" else e["mpi"]
    return f"{e['processor']}, {e['cores']} cores; {mpi}; {e['compiler']}; Limequat {e['version']}; {e['date']}.{busy}"


def table(heads, lines):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
                      *("| " + " | ".join(cells) + " |" for cells in lines)]) + "\n"


# --- targets -------------------------------------------------------------------------------------------------------

XYZ = ("2x1x1x1", "2x2x2x1")


class Targets:
    """What was promised, and what became of it."""

    def __init__(self, folder):
        self.memory, self.disk, self.peers = (load(folder, name) for name in ("memory", "disk", "peers"))
        self.overlap, self.parts, self.small = (load(folder, name) for name in ("overlap", "parts", "small"))
        self.streams_of_tasks = load(folder, "tasklocal-rates")

    @staticmethod
    def ratio(measured, direction, *grids):
        """The smallest ratio to raw over these grids; nothing unless all were measured."""
        found = [find(measured, direction=direction, grid=grid, name="lattice") for grid in grids]
        return min((r["ratio_to_raw"] for each in found for r in each), default=None) if all(found) else None

    def streams(self, verify):
        """The smallest ratio of tasks' streams, in as many physical files, to one file per task, and where."""
        found = [(r["ratio_to_raw"], f"{r['name']}, {r['direction']}, {e['file_system']}") for e, r in rows(self.streams_of_tasks)
                 if r["verify"] == verify and r["name"] != "one file per task" and r["block"] == 0 and
                 r["files"] == r["ranks"]]
        return min(found, default=None)

    def kernel(self, which):
        """GB/s of pack, swap and CRC in cache in the round that `which` names: "min" or "median" of the seconds."""
        parts = [p for run in self.parts for p in run.get("parts", []) if p["name"] == "pack with checksum, small"]
        return parts[0]["bytes"] / parts[0]["seconds"][which] / 1e9 if parts else None

    def kernel_target(self):
        """The reference machine's rate with such vectors; 0.85 of it elsewhere."""
        widths = {"avx512": (512, 40), "vpclmul": (256, 22), "pclmul": (128, 11)}
        used = next((run["kernels"] for run in self.parts if run.get("kernels") in widths), None)
        if used is None:
            return 40, ""
        width, rate = widths[used]
        usual = self.kernel("median")
        usual = f"; the fastest round, the median one {usual:.1f}" if usual else ""
        return 0.85 * rate, (f"0.85 of the {rate} GB/s of the reference machine with {width}-bit carry-less "
                             f"multiplication{usual}")

    def raw_and_kernel(self, *grids):
        """The ratio of a raw transfer that is followed by one pass of the kernel in cache, smallest over these grids."""
        kernel, found = self.kernel("median"), []
        for grid in grids:
            for measured, result in rows(self.memory):
                if result["name"] == "lattice" and result["direction"] == "read" and result["grid"] == grid:
                    raw = result["bytes"] / result["raw_seconds"]["median"] / 1e9
                    found.append(1 / (1 + raw / (kernel * min(result["ranks"], measured["cores"]))) if kernel else None)
        return f"; raw, then one pass of this kernel: {min(found):.2f}" if found and kernel else ""

    def beside_peers(self):
        """Our rate over that of the fastest peer, where that is smallest; and where that is."""
        worst = None
        for ours in find(self.peers, name="lattice"):
            same = {key: ours[key] for key in ("direction", "grid", "lattice")}
            others = [r for r in find(self.peers, **same) if r["name"] != "lattice"]
            for other in others:
                ratio = rate(ours) / rate(other)
                if worst is None or ratio < worst[0]:
                    worst = (ratio, f"{other['name']}, {other['direction']}, grid {other['grid']}")
        return worst

    def beside_compute(self, key, worst, is_alone):
        found = [r for e, r in rows(self.overlap) if (r["ranks"] < e["cores"]) == is_alone and key in r]
        return worst((r[key] for r in found), default=None)

    def largest_memory(self):
        found = [r.get("memory_bytes") for _, r in rows(self.memory) if r["name"] == "lattice"]
        return max(found) / MIB if found and None not in found else None

    def commit(self):
        found = find(self.small, name="lattice", direction="write")
        return found[0]["seconds"]["median"] * 1e3 if found else None

    def lines(self):
        """(case, target, at least or at most, measured, unit, note)"""
        memory, disk = self.memory, self.disk
        peers = self.beside_peers()
        kernel, vectors = self.kernel_target()
        plain, checked = self.streams("none"), self.streams("checksum")
        return [
            ("kernel: pack, swap and CRC, one core, in cache", round(kernel, 2), ">=", self.kernel("min"), " GB/s", vectors),
            ("write, 1 rank", 0.93, ">=", self.ratio(memory, "write", "1x1x1x1"), "", ""),
            ("write, t split, 2 ranks", 1.0, ">=", self.ratio(memory, "write", "1x1x1x2"), "", ""),
            ("write, x split, 2 ranks", 0.97, ">=", self.ratio(memory, "write", "2x1x1x1"), "", ""),
            ("write, 2x2x2x1 on 8 ranks", 0.95, ">=", self.ratio(memory, "write", "2x2x2x1"), "", ""),
            (f"write, x split on {file_system(disk)}", 0.90, ">=", self.ratio(disk, "write", "2x1x1x1"), "", ""),
            ("read with verification, contiguous", 0.90, ">=", self.ratio(memory, "read", "1x1x1x1", "1x1x1x2"), "",
             "the lower of 1 rank and t split" + self.raw_and_kernel("1x1x1x1", "1x1x1x2")),
            ("read with verification, x and xyz splits", 0.82, ">=", self.ratio(memory, "read", *XYZ), "",
             "the lower of both" + self.raw_and_kernel(*XYZ)),
            ("rate over that of the fastest peer", 1.0, ">=", peers and peers[0], "", peers[1] if peers else ""),
            ("background write, a core free: total over the longer", 1.05, "<=",
             self.beside_compute("ratio_to_longer", max, True), "", "the higher of loops in cache and in memory"),
            ("background write, all cores computing: hidden share of the shorter", 0.5, ">=",
             self.beside_compute("hidden_share", min, False), "", "the lower of both loops"),
            ("memory beyond the field, per rank", 16, "<=", self.largest_memory(), " MiB", "the highest of all transfers"),
            ("open and commit of a small file, 4 ranks", 2, "<=", self.commit(), " ms", ""),
            ("streams of 2 tasks in 2 files over one file per task", 0.95, ">=", plain and plain[0], "", plain[1] if plain else ""),
            ("the same with checksums", 0.85, ">=", checked and checked[0], "", checked[1] if checked else ""),
        ]


def file_system(measured):
    return measured[0]["environment"]["file_system"] if measured else "disk"


def verdict(target, sign, measured):
    if measured is None:
        return "not measured"
    # As it is printed, so that nobody wonders about equal numbers.
    shown = float(f"{measured:.2f}")
    return "reached" if (shown >= target if sign == ">=" else shown <= target) else "not reached"


def target_table(folder):
    lines = []
    for case, target, sign, measured, unit, note in Targets(folder).lines():
        value = "-" if measured is None else f"{measured:.2f}{unit}"
        lines.append([case, f"{sign} {target:g}{unit}", value, verdict(target, sign, measured), note])
    return table(["case", "target", "measured", "", "remark"], lines)


# --- pages ---------------------------------------------------------------------------------------------------------

def transfer_table(measured):
    lines = []
    for e, r in rows(measured):
        memory = r.get("memory_bytes")
        lines.append([r["direction"], e["file_system"], r["lattice"], r["grid"], str(r["ranks"]),
                      r.get("strategy_taken") or r["strategy"], f"{rate(r):.2f}", f"{r['bytes'] / r['seconds']['min'] / 1e9:.2f}",
                      f"{rate(r, 'raw_seconds'):.2f}", f"**{r['ratio_to_raw']:.2f}**",
                      "-" if memory is None else f"{memory / MIB:.1f}"])
    return table(["direction", "file system", "lattice", "grid", "ranks", "strategy", "GB/s", "best GB/s", "raw GB/s",
                  "ratio to raw", "memory MiB"], lines)


def transfers_page(folder):
    memory, disk, sizes = load(folder, "memory"), load(folder, "disk"), load(folder, "sizes")
    return f"""# Transfers

A double precision gauge field in ILDG form: reordered, byte-swapped, checksummed, and on reading verified. Beside it, in the
same round and folder, the same bytes by plain `pwrite` and `pread` of 1 MiB, all ranks in parallel, one stretch of the
file for each. Nothing is synced on either side. Every read was compared bit for bit with what was written. Medians of
{memory[0]['environment']['runs']} rounds; a first one stands apart. *memory*: the peak of the process beyond the field and what it had before.

{where(memory)}

## In memory

{transfer_table(memory)}
![rate as a fraction of the raw limit, in memory](memory-ratio.svg)

![time per step](memory-steps.svg)

![rate against the number of ranks](memory-ranks.svg)

## On disk, through the page cache

{transfer_table(disk)}
![rate as a fraction of the raw limit, on disk](disk-ratio.svg)

## By size

{transfer_table(sizes)}
![rate against the size of the file](sizes.svg)
"""


def peers_page(folder):
    peers = load(folder, "peers")
    lines = [[r["name"] if r["name"] != "lattice" else "**limequat**", r["verify"], r["direction"], r["grid"], f"{rate(r):.2f}",
              f"{r['ratio_to_raw']:.2f}"] for _, r in rows(peers)]
    return f"""# Beside others

The same field, the same ranks, in turn within every round: ours with byte order and checksum, theirs as plain doubles without
checksum. *gather*: rank 0 collects time slices and writes alone. *mpi-io*: a subarray view, collective or independent calls.
*hdf5*: one contiguous dataset, collective. *pnetcdf*: one variable of a CDF-5 file, collective. All with the defaults of their
libraries; who left rounds because of an error, or because what it read was not what it had written, is missing.

{where(peers)}

{table(["who", "checksum", "direction", "grid", "GB/s", "ratio to raw"], lines)}
![rates as fractions of the raw limit](peers.svg)
"""


def serial_page(folder):
    serial = load(folder, "serial")
    lines = []
    for run in serial:
        for r in run["results"]:
            same = {key: r[key] for key in ("direction", "lattice", "grid")}
            alone = [o for o in run["results"] if o["name"] == "gather" and all(o[k] == v for k, v in same.items())]
            mean, error = r["seconds"]["mean"], r["seconds"]["error"]
            gb = r["bytes"] / 1e9
            who = f"auto ({r['strategy_taken']})" if r["strategy"] == "auto" else r["strategy"]
            lines.append([r["lattice"], r["grid"], r["direction"], who, f"{gb / mean:.2f} +- {gb / mean * error / mean:.2f}",
                          f"{gb / r['seconds']['min']:.2f}", f"{gb / r['seconds']['first']:.2f}",
                          f"{alone[0]['seconds']['mean'] / mean:.2f}" if alone else "-", f"{r['ratio_to_raw']:.2f}"])
    return f"""# One rank that does it all, and all together

What the [Lemon paper](https://arxiv.org/abs/1106.4177) measured, with its methods: lattices L^3 x 2L, process grids, writing by
one rank that gathers time slices (*gather*: plain doubles, no checksum) against every way of writing together (byte order
turned, checksums written and compared); the average with its error, the best, and the first round by itself, for the first write
pays for new pages. Raw: the same bytes by plain `pwrite` and `pread`, in the same rounds.

{where(serial)}

{table(["lattice", "grid", "direction", "who", "mean GB/s", "best", "first", "over gather", "ratio to raw"], lines)}
![rates as fractions of the raw limit](serial.svg)

Larger lattices, as in the paper: `mpirun -n 16 lq-mpi bench lattice --lattice 48x48x48x96 --lattice 64x64x64x128 --grid all --strategy auto
--strategy gather --path /scratch/me --json paper.json`, then `lq plot paper.json -o paper.svg`. Every rank holds its part of the field twice.
"""


def overlap_page(folder):
    overlap = load(folder, "overlap")
    ms = lambda series: f"{series['median'] * 1e3:.1f}"  # noqa: E731
    lines = [[f"{r['ranks']} of {e['cores']}", r["load"], ms(r["compute_seconds"]), ms(r["alone_seconds"]), ms(r["seconds"]),
              f"{r['ratio_to_longer']:.2f}", f"{r['raw_to_longer']:.2f}" if "raw_to_longer" in r else "-",
              f"{r['hidden_share']:.2f}"] for e, r in rows(overlap)]
    return f"""# Writing while computing

A loop over arrays, in cache or in memory, that takes as long as the write; the write alone; both together: `write_async`, the
loop with `test` between its slices, `wait`. *to the longer*: both together over the longer of the two alone, 1 is the best
possible. *raw*: the same of a thread that does nothing but `pwrite` of the same bytes: what this machine allows, whose cores share
memory and may share more. *hidden*: how much of the shorter one it did not cost.

{where(overlap)}

{table(["cores computing", "loop in", "compute ms", "write ms", "both ms", "to the longer", "raw", "hidden"], lines)}"""


def cores_files(folder):
    """Results of threads: this machine, then others, whose files were brought along."""
    return sorted(folder.glob("cores*.json"), key=lambda path: path.stem)


def cores_pictures(path):
    """What each picture of one file of threads shows, by its name: one rank with and without checksums; ranks, with them."""
    measured = json.loads(path.read_text(encoding="utf-8"))
    alone = [run for run in measured if run["results"][0]["ranks"] == 1]
    pictures = {f"{path.stem}-threads": alone}
    for direction in ("write", "read") if len(measured) > len(alone) else ():
        pictures[f"{path.stem}-{direction}"] = [
            {**run, "results": [r for r in run["results"] if (r["direction"], r["verify"]) == (direction, "checksum")]}
            for run in measured]
    return pictures


def cores_page(folder):
    columns = [("write", "none"), ("write", "checksum"), ("read", "none"), ("read", "checksum"), ("verify", "checksum")]
    heads = ["ranks", "threads of each", "grid", "write", "write, checksums", "read", "read, compared", "verify", "raw write",
             "raw read"]
    text = ""
    for path in cores_files(folder):
        measured = load(folder, path.stem)
        lines = []
        first = measured[0]["results"]
        for run in measured:
            for number in dict.fromkeys(r["threads"] for r in run["results"]):
                of = {(r["direction"], r["verify"]): r for r in run["results"] if r["threads"] == number}
                start = {(r["direction"], r["verify"]): r for r in reversed(first)}
                cells = [f"{rate(of[key]):.2f} ({rate(of[key]) / rate(start[key]):.2f})" for key in columns]
                one = of["write", "none"]
                lines.append([str(one["ranks"]), str(number), one["grid"], *cells, f"{rate(one, 'raw_seconds'):.2f}",
                              f"{rate(of['read', 'none'], 'raw_seconds'):.2f}"])
        text += f"""## {measured[0]['environment']['processor']}, {measured[0]['environment']['cores']} cores

{where(measured)} {first[0]['lattice']} in {first[0]['precision']} precision, {first[0]['bytes'] / 1e6:.0f} MB, {measured[0]['environment']['file_system']}; median of
{measured[0]['environment']['runs']} rounds.

{table(heads, lines)}
"""
        text += "\n".join(f"![rate against the number of threads]({name}.svg)\n" for name in cores_pictures(path))
        text += "\n"
    return f"""# All cores of a node

A gauge field in ILDG form written, read, read with its checksum compared, and the file verified, by 1, 2, 4, ... threads of each rank:
`lq bench threads`, GB/s and in brackets how many times the rate of one rank with one thread. Beside it, in the same rounds, plain `pwrite` and `pread` by
as many threads of as many ranks, each a part of the file. Ranks and threads in turn, in one run: [Ranks and threads](threads.md).

{text}"""


def tasklocal_rows(measured, **facts):
    """Cells of the transfers of tasks' streams."""
    lines = []
    for e, r in rows(measured):
        if r["direction"] == "create" or any(r.get(key) != value for key, value in facts.items()):
            continue
        lines.append([r["direction"], e["file_system"], r["name"], r["verify"], str(r["files"]),
                      "the system's blocks" if r["block"] == 0 else f"{r['block']} bytes", f"{rate(r):.2f}",
                      f"{r['bytes'] / r['seconds']['min'] / 1e9:.2f}", f"**{r['ratio_to_raw']:.2f}**"])
    return lines


def tasklocal_page(folder):
    both, rates = load(folder, "tasklocal"), load(folder, "tasklocal-rates")
    heads = ["direction", "file system", "streams in", "verify", "files", "chunks at multiples of", "GB/s", "best",
             "ratio to one file per task"]
    one_writer = ("The system lets one writer at a time into a file, whatever part of it is written: where that, and no disk or "
                  "network,\nis the limit, as many physical files as tasks that write at once are fastest.\n\n")
    ms = lambda r, key: f"{r['seconds'][key] * 1e3:.2f}"  # noqa: E731
    created = [r for _, r in rows(both) if r["direction"] == "create"]
    lines = [[str(r["ranks"]), r["name"], ms(r, "median"), ms(r, "min"), ms(r, "max"), ms(r, "first")] for r in created]
    by_files = [r for _, r in rows(both) if r["direction"] != "create"]
    two = f"\n## Two tasks, 256 MiB each\n\n{one_writer}{table(heads, tasklocal_rows(rates))}" if rates else ""
    tasks, mib = (by_files[0]["ranks"], by_files[0]["bytes"] // by_files[0]["ranks"] // MIB) if by_files else (0, 0)
    return f"""# A stream per task

As in the paper on SIONlib (Frings, Wolf, Petkov: *Scalable massively parallel I/O to task-local files*, SC 2009, section 4): every task
has a stream of its own. *one file per task*: plain `open`, `pwrite` and `pread` of 1 MiB, `close`. *multifile*: through our `sion.h`,
without checksums. *checkpoint*: our own interface, which records every chunk, and checks it if asked to. All in turn within every round;
every stream is read by another task than wrote it, and compared byte for byte. In memory nothing is synced; on a disk files are
synced when they are written, and dropped from the cache before they are read. {both[0]['environment']['runs']} rounds; a
first one stands apart.

{where(both)}

## Opening and closing

Nothing is written; one physical file. More tasks than cores take turns, so that messages cost what waiting for a core costs: what
counts here is how many rounds of messages there are, and that the ways stand side by side. The memory of this machine makes a file at
once, which no parallel file system does: there one file per task is what costs.

{table(["tasks", "streams in", "ms", "fastest", "slowest", "first"], lines)}
![time to open and close against the number of tasks](tasklocal-create.svg)

## By the number of physical files

{tasks} tasks, {mib} MiB each. The last rows: chunks that begin where no block of the file system does, so that two tasks share blocks.

{table(heads, tasklocal_rows(both))}
![rate against the number of physical files](tasklocal-files.svg)
{two}"""


def parts_page(folder):
    parts = load(folder, "parts")
    lines = [[p["name"], str(p["ranks"]), f"{p['bytes_per_second'] / 1e9:.2f}" if p["bytes"] else "-",
              f"{p['seconds']['median'] / p['calls'] * 1e6:.2f}", f"{p['seconds']['min'] / p['calls'] * 1e6:.2f}",
              f"{p['seconds']['max'] / p['calls'] * 1e6:.2f}"] for run in parts for p in run["parts"]]
    return f"""# Parts of this machine

The ceilings, one by one: `lq bench parts`. Medians over all rounds that fitted into the time.

{where(parts)}

{table(["part", "ranks", "GB/s", "us per call", "fastest", "slowest"], lines)}"""


def hdf5_peers(runs):
    lines = []
    for run in runs:
        for direction in ("write", "read"):
            of = {(r["name"], r["format"]): r for r in run["results"] if r["direction"] == direction}
            if ("hdf5", "hdf5") not in of:
                continue
            ours, ildg, peer = of["lattice", "hdf5"], of["lattice", "ildg"], of["hdf5", "hdf5"]
            lines.append([run["environment"]["file_system"], ours["grid"], direction, f"{rate(ours):.2f}", f"{rate(ours) / rate(ildg):.2f}",
                          f"{rate(ours) / rate(peer):.1f}", f"{peer['ratio_to_raw']:.2f}"])
    if not lines:
        return ""
    heads = ["file system", "grid", "direction", "GB/s", "of our ILDG", "times parallel HDF5", "parallel HDF5, of raw"]
    return f"""## Beside parallel HDF5

`bench_peers --format hdf5 --format ildg`, {runs[0]["results"][0]["lattice"]} in double precision on 4 ranks: ours with checksums, beside the parallel HDF5 library, collective
and without any, in the same rounds. Where the last column is above 0.5, raw writing itself is not twice as fast as that library.

{table(heads, lines)}
"""


def hdf5_page(folder):
    heads = ["direction", "format", "in the file", "lattice", "ranks", "GB/s", "quartiles", "ratio to raw"]

    def cells(r):
        low, high = (r["bytes"] / r["seconds"][which] / 1e9 for which in ("upper_quartile", "lower_quartile"))
        aligned = f"at multiples of {r['alignment']}" if r.get("alignment") else ""
        kept = ", ".join(filter(None, [r.get("layout", ""), aligned])) or "-"
        return [r["direction"], r["format"], kept, r["lattice"], str(r["ranks"]), f"{rate(r):.2f}", f"{low:.2f} to {high:.2f}",
                f"{r['ratio_to_raw']:.2f}"]

    parts = [("strong", "One lattice, more and more ranks", "beside ILDG, which the same engine writes"),
             ("weak", "A lattice that grows with the ranks", "8 time slices a rank"),
             ("chunks", "Chunks", "blocks of the lattice against one piece: blocks take sites apart that lie together in memory"),
             ("alignment", "Where the data begin", "on a disk; a page, or the size of a stripe"),
             ("sizes", "Lattices", "in memory")]
    text = ""
    for name, title, words in parts:
        lines = [cells(r) for _, r in rows(load(folder, f"hdf5-{name}"))]
        text += f"## {title}\n\nHere {words}.\n\n{table(heads, lines)}\n![{title}](hdf5-{name}.svg)\n\n" if lines else ""
    text += hdf5_peers(load(folder, "hdf5-peers"))
    return f"""# HDF5 files

What the slides of QDP++ and QLUA measured, with `lq bench lattice --format hdf5`: layout native with its checksums, whole files from opening to their
final name. *quartiles*: half of the rounds lay between these rates, which tells how steady they are.

{where(load(folder, 'hdf5-strong'))}

{text}"""


def squeeze_page(folder):
    runs = load(folder, "squeeze")
    lines = []

    def speed_of(r, which):
        if which not in r:
            return "-"
        gigabytes = r["bytes"] / r[which] / 1e9
        return f"{gigabytes:.2f}" if gigabytes >= 0.1 else f"{gigabytes:.3f}"

    for run in runs:
        for r in run["results"]:
            speed = [speed_of(r, which) for which in ("encode_cpu_seconds", "decode_cpu_seconds")]
            if r["name"] != "memcpy":
                lines.append([run["precision"], r["name"], f"{r['stored'] / r['bytes']:.3f}", *speed])
    return f"""# Squeezing

A gauge field on {runs[0]["lattice"]} from our generator at beta 6.0, in tiles of {runs[0]["tile_bytes"] // 1024} KiB and less, encoded and decoded in
memory by one core: `bench_squeeze`. Rates are original bytes per second of the processor; medians. zlib and xz, with their defaults, on the last 4 MiB of the file.

{where(runs)}

{table(["precision", "how", "stored / original", "encode GB/s", "decode GB/s"], lines)}{squeeze_peers(load(folder, "squeeze-peers"))}"""


def grid_page(folder):
    """What `lq bench lattice --protocol grid` printed: in memory, on a disk, and read by a second job."""
    runs = load(folder, "grid")
    names = {"mpi-io collective": "lexicographic, MPI-IO", "undo split": "aggregated, Grid's plan", "raw": "raw segments"}
    text = ""
    for run in runs:
        one = run["results"][0]
        lines = []
        for r in run["results"]:
            name = names.get(r["name"]) or f"**Limequat**, {r['format']}"
            steps = [(r["steps"][step], step) for step in r["steps"] if r["steps"][step]]
            seconds, longest = max(steps) if steps else (0, "-")
            skew = r["step_skews"][longest] if steps and r["step_skews"] else None
            lines.append([name, r["direction"], r["cache"] if r["direction"] == "read" else "-", f"{rate(r):.2f}", f"{r['ratio_to_raw']:.2f}",
                          f"{r['skew_seconds']['median'] * 1e3:.1f}", f"{longest}, {seconds * 1e3:.1f}", "-" if skew is None else f"{skew * 1e3:.1f}"])
        table_text = table(["path", "direction", "cache", "GB/s", "of raw", "skew, ms", "longest stage, ms", "its skew, ms"], lines)
        text += f"""## {one["lattice"]} on {one["grid"]}, {run["environment"]["file_system"]}{", read by a second job" if one["direction"] == "read" else ""}

{where([run])}

{table_text}

"""
    return f"""# Beside what Grid prints

`lq bench lattice --protocol grid` ([guide](../guide/benchmarks.md#compared-with-grid)): the paths of the I/O test of the Grid library, to be compared with
[mpich#7935](https://github.com/pmodels/mpich/issues/7935), where collective MPI-IO on Frontier levels off at about 30 GB/s while plain reads reach 375 GB/s. Here more ranks than cores share a
small machine on which other programs were running, so only the columns *of raw* and the stages tell anything. Medians; *skew*: how much longer the slowest rank took than the fastest one.

{text.rstrip()}
"""


def squeeze_peers(run):
    """The same links by other lossless compressors: bench/squeeze_peers.py."""
    if not run:
        return ""
    lines = [[r["name"] if r["name"] != "Limequat" else "**Limequat**", r["version"], r["settings"], f"{r['stored'] / r['bytes']:.3f}",
              f"{r['bytes'] / r['encode_seconds'] / 1e9:.3f}", f"{r['bytes'] / r['decode_seconds'] / 1e9:.3f}"] for r in run["results"]]
    missing = f" Not installed, and left out: {', '.join(run['missing'])}." if run["missing"] else ""
    return f"""

## Beside other lossless compressors

The same double precision links, tile by tile ({run["tile_bytes"] // 1024} KiB) on one core: `bench/squeeze_peers.py`, with the wheels that these projects publish. The others get the numbers
in the byte order of the machine, which suits them; every tile is restored and compared. GB/s are original bytes per second of the processor, medians of {run["rounds"]} rounds
on {run["processor"]}; other programs were running. None of the others knows that a link has eight free numbers: that is the difference.{missing}

{table(["program", "version", "settings", "stored / original", "in, GB/s", "out, GB/s"], lines)}
"""


def qio_page(folder):
    runs = load(folder, "qio")
    lines, beside = [], []
    for run in runs:
        alone = {r["direction"]: r for r in run["results"] if r["name"] == "lattice"}
        for r in run["results"]:
            own = alone.get(r["direction"])
            processor = f"{r['processor_seconds']:.3f}" if "processor_seconds" in r else "-"
            lines.append([r["name"] if r is not own else "**our interface**", r["layout"], str(r["ranks"]), r["direction"], f"{rate(r):.2f}",
                          processor, f"{rate(r) / rate(own):.2f}" if own else "-", f"{r['ratio_to_raw']:.2f}"])
        for way in ("write", "read"):
            pair = [next((r for r in run["results"] if r["direction"] == way and r["name"] == name), None)
                    for name in ("qio.h over ours", "qio.h over the original")]
            if all(pair):
                ours, original = pair
                beside.append([ours["layout"], str(ours["ranks"]), way, f"{rate(ours) / rate(original):.1f}",
                               f"{original['processor_seconds'] / ours['processor_seconds']:.1f}"])
    times = table(["layout", "ranks", "direction", "rate over the original's", "processor time of the original over ours"], beside)
    return f"""# QIO's interface

A gauge field in double precision with checksum, by `bench_qio` (`bench/bench_qio.c`), which is one source, linked with our `libqio` and with the original, and by
`lq-mpi bench lattice --format scidac` through our own interface, in turn within every round; rates from opening to closing, {lattice_of(runs)}. Boxes along
t, sites in the order of the lattice (*box*) or even ones first (*evenodd*); our own interface has plain memory in both. Of *vectors*
there are 64 in one file, fermion fields in single precision on {next((r["lattice"] for run in runs for r in run["results"] if r["layout"] == "vectors"), "a lattice")}, a record each. The original is measured where `./dev bench --step qio --qio PROGRAM` names
a program linked with it. Processor time is that of node 0, in seconds: on a machine that does other things as well it says more than rates.

{where(runs)}

{table(["who", "layout", "ranks", "direction", "GB/s", "processor s", "over our interface", "ratio to raw"], lines)}
{times if beside else ""}
![rates as fractions of the raw limit](qio.svg)
"""


def lattice_of(runs):
    return runs[0]["results"][0]["lattice"]


def pfs_picture(run, direction):
    """The name of a picture of one file system."""
    return f"pfs-{run['environment']['file_system'].split('.')[-1]}-{direction}"


def around_data(result):
    """The share of the time in which names are looked up, made, opened, synced and closed, where stages are told."""
    steps = result.get("steps", {})
    whole = sum(steps.values())
    around = sum(steps.get(name, 0) for name in ("create", "barrier", "open", "truncate", "sync", "close"))
    return f"{100 * around / whole:.0f} %" if whole > 0 else ""


def pfs_fields(runs):
    """Whole fields: the choice of the library beside every other way in the same rounds."""
    lines = []
    for run in runs:
        for direction in ("write", "read"):
            of = [r for r in run["results"] if r["direction"] == direction]
            if not of:
                continue
            best = max(of, key=rate)
            collective = [r for r in of if r["name"] == "mpi-io collective"]
            for r in of:
                name = r["name"] if r["name"] != "lattice" else f"**auto**: {r['strategy_taken']}" if r["strategy"] == "auto" else r["strategy"]
                lines.append([run["environment"]["file_system"], r["grid"], direction, name, f"{1e3 * rate(r):.0f}",
                              f"{rate(r) / rate(best):.2f}", *(f"{rate(r) / rate(c):.1f}" for c in collective), f"{r['ratio_to_raw']:.2f}"])
    if not lines:
        return ""
    heads = ["file system", "grid", "direction", "way", "MB/s", "of the best", "times collective MPI-IO", "of raw"]
    return f"""## A field of {runs[0]["results"][0]["lattice"]}

In double precision, with checksums but for MPI-IO; each way in every round, medians of {runs[0]["environment"]["runs"]} of them. Where the library chooses what is also there by
name, the two do the same: how far they are apart is how far any two numbers of this table may be.

{where(runs)}

{table(heads, lines)}
"""


def pfs_page(folder):
    text = ""
    for run in load(folder, "pfs"):
        results = run["results"]
        system = run["environment"]["file_system"]
        text += f"## {system}\n\n"
        for parts in ("write, 1 MiB, all ranks", "write, 4 KiB, all ranks", "message, 1 MiB", "memcpy, large, all ranks"):
            for part in (p for p in run["parts"] if p["name"] == parts):
                text += f"- {part['name']}: {part['bytes_per_second'] / 1e9:.3f} GB/s\n"
        text += "\n"
        lines = []
        for r in results:
            best = max(o["bytes"] / o["seconds"]["trimmed_mean"] for o in results
                       if all(o[key] == r[key] for key in ("ranks", "split", "stripe_bytes", "direction", "cache"))
                       and o["name"] != "own files")
            speed = r["bytes"] / r["seconds"]["trimmed_mean"]
            name = "**limequat**" if r["name"] == "lattice" else r["name"]
            direction = r["direction"] if r["direction"] == "write" else f"read the {'first' if r['cache'] == 'cold' else 'last'}"
            stripe = f"{r['stripe_bytes'] // 1024} KiB" if r["stripe_bytes"] else "default"
            lines.append([str(r["ranks"]), r["split"], stripe, direction, name, f"{speed / 1e6:.0f}",
                          f"{speed / 1e6 / r['servers']:.0f}", f"{speed / best:.2f}", around_data(r)])
        lines.sort(key=lambda cells: cells[:4])
        heads = ["clients", "split", "stripes", "direction", "who", "MB/s", "per server", "to the best in one file", "not data"]
        text += table(heads, lines)
        for direction in ("write", "read"):
            text += f"\n![rate of each server, {direction}]({pfs_picture(run, direction)}.svg)\n"
        text += "\n"
    one = load(folder, "pfs")[0]["results"][0]
    return f"""# Parallel file systems

The method of the paper on PVFS on a cluster ([cs/0303016](https://arxiv.org/abs/cs/0303016)), `lq bench pfs` and `bench_peers --pfs`: clients with
{one['bytes'] / one['ranks'] / 1e6:.0f} MB each, a double precision gauge field in slices of 16^3; {one['files']} files written in turn, then the last and the first of
them read; means of the rounds without the extremes, by the slowest client. The servers are processes of the same small machine with their
stores in memory, so only ratios tell anything, and large ones more than small ones; clients that cache answer *read the last* from memory.
*raw*: each client one piece of a common file. *own files*: a file each. *undo split*: the split of the fastest dimensions undone by one
all-to-all, then plain writes. All but limequat move plain doubles without checksum. *not data*: the share of the time of the stages in which
names are looked up, made, opened, given and closed; limequat looks for what it would replace, gives a complete file its name without replacing another one, and reads headers and journals first, each of
which is a round trip to servers. Files of so few bytes show it; it does not grow with them.

{where(load(folder, 'pfs'))}

{text}{pfs_fields(load(folder, "pfs-fields"))}"""


PAGES = [("transfers", "memory", "Transfers", transfers_page), ("peers", "peers", "Beside others", peers_page),
         ("serial", "serial", "One rank that does it all, and all together", serial_page),
         ("overlap", "overlap", "Writing while computing", overlap_page),
         ("cores", "cores", "All cores of a node", cores_page),
         ("tasklocal", "tasklocal", "A stream per task", tasklocal_page),
         ("grid", "grid", "Beside what Grid prints", grid_page),
         ("hdf5", "hdf5-strong", "HDF5 files", hdf5_page), ("squeeze", "squeeze", "Squeezing", squeeze_page), ("qio", "qio", "QIO's interface", qio_page), ("pfs", "pfs", "Parallel file systems", pfs_page),
         ("parts", "parts", "Parts of this machine", parts_page)]


def is_measured(folder, data):
    """Threads perhaps on other machines only."""
    return bool(cores_files(folder) if data == "cores" else load(folder, data))


def index_page(folder):
    there = "\n".join(f"- [{title}]({page}.md)" for page, data, title, _ in PAGES if is_measured(folder, data))
    if (folder / "model.md").exists():
        there += "\n- [The cost model, checked](model.md)"
    if (folder / "machines.md").exists():
        there += "\n- [Plans beside what the largest machines reported](machines.md)"
    if (folder / "modes.md").exists():
        there += "\n- [Reading sets of modes](modes.md)"
    if (folder / "layouts.md").exists():
        there += "\n- [Memory by description](layouts.md)"
    if (folder / "threads.md").exists():
        there += "\n- [Ranks and threads](threads.md)"
    if (folder / "gpu.md").exists():
        there += "\n- [Fields in GPU memory](gpu.md)"
    if (folder / "convert.md").exists():
        there += "\n- [Converting a configuration](convert.md)"
    files = ", ".join(f"[{path.name}]({path.name})" for path in sorted(folder.glob("*.json")))
    return f"""# Benchmarks

What `./dev bench` measured on the machine named below: a small one, so the ratios tell more than the rates. Every transfer
stands beside the raw limit of the same run. What the numbers mean, and how to measure your own machine:
[the guide](../guide/benchmarks.md).

{where(load(folder, 'memory'))}

{there}

## Targets

Unless a unit is given, a fraction of the raw transfer of the same bytes, in memory.

{target_table(folder)}
The numbers behind these pages: {files}.
"""


def write(folder):
    for page, data, _, make in PAGES:
        if is_measured(folder, data):
            (folder / f"{page}.md").write_text(make(folder), encoding="utf-8")
    (folder / "index.md").write_text(index_page(folder), encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    write(pathlib.Path(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
