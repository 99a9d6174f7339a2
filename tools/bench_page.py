#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Generates pages from the JSON of benchmarks: every number on them is read from a file, none is typed. Without a file,
# its page or row is omitted.
"""usage: bench_page.py FOLDER (with the JSON files of bench/run_bench.py)"""

import json
import pathlib
import sys

MIB = 1024 * 1024


def load(folder, name):
    """The runs in NAME.json; empty without the file."""
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
    busy = ""
    if e.get("busy_cores", 0) > 0.2:
        busy = f" Other programs kept {e['busy_cores']} cores busy before it began, so that rates are low."
    elif e.get("load", 0) > 1:  # of older results: the load average
        busy = f" Other programs were running: load {e['load']} before it began, so that rates are low."
    mpi = "no MPI" if e["mpi"] == "none" else e["mpi"]
    return f"{e['processor']}, {e['cores']} cores; {mpi}; {e['compiler']}; Limequat {e['version']}; {e['date']}.{busy}"


def table(heads, lines):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
                      *("| " + " | ".join(cells) + " |" for cells in lines)]) + "\n"


# --- targets -------------------------------------------------------------------------------------------------------

XYZ = ("2x1x1x1", "2x2x2x1")


class Targets:
    """The targets of the library, and whether they are reached."""

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

    def plain_rows(self):
        """The smallest ratio to raw of plain reads of the rows of finely split grids, which bounds reads without an exchange."""
        found = [r["ratio_to_raw"] for r in find(self.peers, name="plain rows", direction="read")]
        return f"; plain reads of the same rows: {min(found):.2f}" if found else ""

    def beside_peers(self):
        """The smallest ratio of our rate to the rate of another library, and its case."""
        worst = None
        for ours in find(self.peers, name="lattice"):
            same = {key: ours[key] for key in ("direction", "grid", "lattice")}
            others = [r for r in find(self.peers, **same) if r["name"] not in ("lattice", "plain rows")]
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
             "the lower of both" + self.raw_and_kernel(*XYZ) + self.plain_rows()),
            ("rate relative to the fastest other library", 1.0, ">=", peers and peers[0], "", peers[1] if peers else ""),
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
    # Compared as printed, so that a number equal to the target counts as reached.
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

A double precision gauge field in an ILDG file: reordered, converted to big-endian, with checksums that are verified by a read. The raw rate is
the rate of plain `pwrite` and `pread` for the same bytes in the same round and folder: calls of 1 MiB, all ranks in parallel, one contiguous part of the
file each. Neither side calls sync. Every read is compared bit for bit with the written field. Medians of
{memory[0]['environment']['runs']} rounds after a first one, which is not counted. *memory*: the peak of the process besides the field and its memory before the transfer.

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
    return f"""# Comparison with other libraries

The same field and ranks, all libraries in turn in every round. Limequat converts the byte order and computes checksums; the others store plain doubles without
checksums. *gather*: rank 0 collects time slices and writes alone. *mpi-io*: a subarray view, collective or independent calls.
*plain rows*: every rank reads and writes each row of its own sites by one `pread` or `pwrite`, which bounds all that move rows without an exchange between ranks.
*hdf5*: one contiguous dataset, collective. *pnetcdf*: one variable of a CDF-5 file, collective. All use the defaults of their
libraries. A library that failed with an error, or read other numbers than it had written, is missing.

{where(peers)}

{table(["library", "checksum", "direction", "grid", "GB/s", "ratio to raw"], lines)}
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
    return f"""# Serial and parallel transfers

The measurements of the [Lemon paper](https://arxiv.org/abs/1106.4177), with its methods: lattices L^3 x 2L and several process grids. One
rank that gathers time slices and writes alone (*gather*: plain doubles, no checksum) is compared with every strategy of parallel transfers (byte order
converted, checksums written and verified). The table has the mean with its error, the best round, and the first round separately, because the first write
allocates new pages. Raw: plain `pwrite` and `pread` of the same bytes, in the same rounds.

{where(serial)}

{table(["lattice", "grid", "direction", "strategy", "mean GB/s", "best", "first", "relative to gather", "ratio to raw"], lines)}
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

A loop over arrays, in cache or in memory, takes as long as a write. Measured are the loop alone, the write alone, and both together: `write_async`, the
loop with `test` between its parts, `wait`. *to the longer*: the time of both together divided by the longer of the two alone; 1 is the best
possible. *raw*: the same ratio for a thread that only calls `pwrite` with the same bytes; this is the limit of the machine, because its cores share
memory and perhaps more. *hidden*: the fraction of the shorter of the two that costs no time.

{where(overlap)}

{table(["cores computing", "loop in", "compute ms", "write ms", "both ms", "to the longer", "raw", "hidden"], lines)}"""


def cores_files(folder):
    """Results of threads: this machine first, then files from other machines."""
    return sorted(folder.glob("cores*.json"), key=lambda path: path.stem)


def cores_pictures(path):
    """The results in each picture of one file of threads, by name: one rank with and without checksums; several ranks with checksums."""
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
    heads = ["ranks", "threads per rank", "grid", "write", "write, checksums", "read", "read, compared", "verify", "raw write",
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

A gauge field in an ILDG file is written, read, read with verification, and the file verified, by 1, 2, 4, ... threads per rank:
`lq bench threads`, in GB/s and in brackets relative to one rank with one thread. The raw columns are plain `pwrite` and `pread` in the same rounds by
as many threads and ranks, each with one part of the file. For ranks and threads in turn in one run, see [Ranks and threads](threads.md).

{text}"""


def tasklocal_rows(measured, **facts):
    """Cells of the transfers of tasks' streams."""
    lines = []
    for e, r in rows(measured):
        if r["direction"] == "create" or any(r.get(key) != value for key, value in facts.items()):
            continue
        lines.append([r["direction"], e["file_system"], r["name"], r["verify"], str(r["files"]),
                      "the file system's blocks" if r["block"] == 0 else f"{r['block']} bytes", f"{rate(r):.2f}",
                      f"{r['bytes'] / r['seconds']['min'] / 1e9:.2f}", f"**{r['ratio_to_raw']:.2f}**"])
    return lines


def tasklocal_page(folder):
    both, rates = load(folder, "tasklocal"), load(folder, "tasklocal-rates")
    heads = ["direction", "file system", "streams in", "verify", "files", "chunks at multiples of", "GB/s", "best",
             "ratio to one file per task"]
    one_writer = ("The operating system allows one writer at a time per file, even for different parts of it. If this is the limit, and not a disk or "
                  "network,\nit is fastest to use as many physical files as tasks that write simultaneously.\n\n")
    ms = lambda r, key: f"{r['seconds'][key] * 1e3:.2f}"  # noqa: E731
    created = [r for _, r in rows(both) if r["direction"] == "create"]
    lines = [[str(r["ranks"]), r["name"], ms(r, "median"), ms(r, "min"), ms(r, "max"), ms(r, "first")] for r in created]
    by_files = [r for _, r in rows(both) if r["direction"] != "create"]
    two = f"\n## Two tasks, 256 MiB each\n\n{one_writer}{table(heads, tasklocal_rows(rates))}" if rates else ""
    tasks, mib = (by_files[0]["ranks"], by_files[0]["bytes"] // by_files[0]["ranks"] // MIB) if by_files else (0, 0)
    return f"""# A stream per task

As in the paper on SIONlib (Frings, Wolf, Petkov: *Scalable massively parallel I/O to task-local files*, SC 2009, section 4), every task
has its own stream. *one file per task*: plain `open`, `pwrite` and `pread` of 1 MiB, `close`. *multifile*: through our `sion.h`,
without checksums. *checkpoint*: our own interface, which records every chunk, and verifies it on request. All run in turn in every round;
a different task than the writer reads each stream and compares it byte for byte. On a disk, files are
synced after writing and dropped from the cache before reading; in memory they are not. {both[0]['environment']['runs']} rounds after a
first one, which is not counted.

{where(both)}

## Opening and closing

One physical file is opened and closed; nothing is written. With more tasks than cores, the time of a message is mostly the wait for a core, so the table only shows
how many rounds of messages each method needs, in comparison. Memory creates a file immediately; on a parallel file system,
the creation of one file per task is the expensive part.

{table(["tasks", "streams in", "ms", "fastest", "slowest", "first"], lines)}
![time to open and close against the number of tasks](tasklocal-create.svg)

## By the number of physical files

{tasks} tasks, {mib} MiB each. In the last rows, chunks do not begin at blocks of the file system, so two tasks share blocks.

{table(heads, tasklocal_rows(both))}
![rate against the number of physical files](tasklocal-files.svg)
{two}"""


def parts_page(folder):
    parts = load(folder, "parts")
    lines = [[p["name"], str(p["ranks"]), f"{p['bytes_per_second'] / 1e9:.2f}" if p["bytes"] else "-",
              f"{p['seconds']['median'] / p['calls'] * 1e6:.2f}", f"{p['seconds']['min'] / p['calls'] * 1e6:.2f}",
              f"{p['seconds']['max'] / p['calls'] * 1e6:.2f}"] for run in parts for p in run["parts"]]
    return f"""# Parts of this machine

The upper limits, measured separately: `lq bench parts`. Medians of all rounds that fit into the given time.

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
    heads = ["file system", "grid", "direction", "GB/s", "relative to our ILDG", "relative to parallel HDF5", "parallel HDF5, ratio to raw"]
    return f"""## Comparison with parallel HDF5

`bench_peers --format hdf5 --format ildg`, {runs[0]["results"][0]["lattice"]} in double precision on 4 ranks: Limequat with checksums and the parallel HDF5 library with collective calls
and without checksums, in the same rounds. If the last column is above 0.5, even raw writing is less than twice as fast as that library.

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

    parts = [("strong", "Strong scaling", "The lattice is fixed. ILDG, which the same engine writes, is shown for comparison."),
             ("weak", "Weak scaling", "The lattice grows with the ranks: 8 time slices per rank."),
             ("chunks", "Chunks", "Blocks of the lattice compared with a contiguous dataset. Blocks separate sites that are contiguous in memory."),
             ("alignment", "Alignment of the data", "On a disk; the data begin at a page, or at a multiple of a stripe."),
             ("sizes", "Sizes of the lattice", "In memory.")]
    text = ""
    for name, title, words in parts:
        lines = [cells(r) for _, r in rows(load(folder, f"hdf5-{name}"))]
        text += f"## {title}\n\n{words}\n\n{table(heads, lines)}\n![{title}](hdf5-{name}.svg)\n\n" if lines else ""
    text += hdf5_peers(load(folder, "hdf5-peers"))
    return f"""# HDF5 files

The measurements of the slides on QDP++ and QLUA, with `lq bench lattice --format hdf5`: native layout with checksums, complete files from opening to the
final name. *quartiles*: half of the rounds are between these rates; this shows how steady they are.

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

A gauge field on {runs[0]["lattice"]} from our generator at beta 6.0, in tiles of at most {runs[0]["tile_bytes"] // 1024} KiB, is encoded and decoded in
memory by one core: `bench_squeeze`. Rates are original bytes per second of processor time, as medians. zlib and xz use their defaults, on the last 4 MiB of the file.

{where(runs)}

{table(["precision", "how", "stored / original", "encode GB/s", "decode GB/s"], lines)}{squeeze_peers(load(folder, "squeeze-peers"))}"""


def grid_page(folder):
    """The results of `lq bench lattice --protocol grid`: in memory, on a disk, and read by a second job."""
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
            longest = "read" if (longest, r["direction"]) == ("write", "read") else longest
            lines.append([name, r["direction"], r["cache"] if r["direction"] == "read" else "-", f"{rate(r):.2f}", f"{r['ratio_to_raw']:.2f}",
                          f"{r['skew_seconds']['median'] * 1e3:.1f}", f"{longest}, {seconds * 1e3:.1f}", "-" if skew is None else f"{skew * 1e3:.1f}"])
        table_text = table(["method", "direction", "cache", "GB/s", "ratio to raw", "skew, ms", "longest stage, ms", "its skew, ms"], lines)
        text += f"""## {one["lattice"]} on {one["grid"]}, {run["environment"]["file_system"]}{", read by a second job" if one["direction"] == "read" else ""}

{where([run])}

{table_text}

"""
    return f"""# Comparison with the I/O test of Grid

`lq bench lattice --protocol grid` ([guide](../guide/benchmarks.md#compared-with-grid)): the methods of the I/O test of the Grid library, for comparison with
[mpich#7935](https://github.com/pmodels/mpich/issues/7935), where collective MPI-IO on Frontier levels off at about 30 GB/s while plain reads reach 375 GB/s. Here more ranks than cores share a
small machine, so only the ratios to raw and the stages mean anything. Medians; *skew*: the difference between the slowest and the fastest rank.

{text.rstrip()}
"""


def squeeze_peers(run):
    """Other lossless compressors with the same links: bench/squeeze_peers.py."""
    if not run:
        return ""
    lines = [[r["name"] if r["name"] != "Limequat" else "**Limequat**", r["version"], r["settings"], f"{r['stored'] / r['bytes']:.3f}",
              f"{r['bytes'] / r['encode_seconds'] / 1e9:.3f}", f"{r['bytes'] / r['decode_seconds'] / 1e9:.3f}"] for r in run["results"]]
    missing = f" Not installed and not measured: {', '.join(run['missing'])}." if run["missing"] else ""
    return f"""

## Comparison with other lossless compressors

The same double precision links, in tiles of {run["tile_bytes"] // 1024} KiB, on one core: `bench/squeeze_peers.py`, with the published wheels of these projects. The others get the numbers
in the byte order of the machine, which is better for them; every tile is restored and compared. GB/s are original bytes per second of processor time, medians of {run["rounds"]} rounds
on {run["processor"]}; other programs were running. The difference is that the others do not use that a link has only eight free numbers.{missing}

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
    times = table(["layout", "ranks", "direction", "rate relative to the original", "processor time of the original relative to ours"], beside)
    return f"""# QIO's interface

A gauge field in double precision with checksum is transferred by `bench_qio` (`bench/bench_qio.c`), one source that is linked with our `libqio` and with the original, and by
`lq-mpi bench lattice --format scidac` through our own interface, in turn in every round; rates from opening to closing, {lattice_of(runs)}. The lattice is split along
t, with sites in the order of the lattice (*box*) or even sites first (*evenodd*); our own interface uses plain memory in both. *vectors* are
64 fermion fields in one file, in single precision on {next((r["lattice"] for run in runs for r in run["results"] if r["layout"] == "vectors"), "a lattice")}, one record each. The original is only measured if `./dev bench --step qio --qio PROGRAM` names
a program linked with it. Processor time is the time of node 0, in seconds: on a machine with other programs running it is more meaningful than rates.

{where(runs)}

{table(["library", "layout", "ranks", "direction", "GB/s", "processor s", "relative to our interface", "ratio to raw"], lines)}
{times if beside else ""}
![rates as fractions of the raw limit](qio.svg)
"""


# The Lemon paper (one rack of a Blue Gene/P, C-LIME), and the note on hmc_tm (48^3 x 96 on a rack): seconds of reading,
# solving and writing with serial and with parallel I/O.
PUBLISHED_INVERSION = {"serial": (33, 110, 73), "parallel": (1, 110, 2)}


def application_page(folder):
    runs = load(folder, "application")
    lines = []
    for run in runs:
        for r in run["results"]:
            total = r["read"] + r["compute"] + r["write"]
            lines.append([r["program"], r["io"], f"{r['bytes_read'] / 1e6:.1f}", f"{r['bytes_written'] / 1e6:.1f}", f"{1e3 * r['read']:.1f}",
                          f"{1e3 * r['compute']:.0f}", f"{1e3 * r['write']:.1f}", f"{100 * (r['read'] + r['write']) / total:.1f} %"])
    published = [["inversion", io, *map(str, parts), f"{100 * (parts[0] + parts[2]) / sum(parts):.0f} %"] for io, parts in PUBLISHED_INVERSION.items()]
    run = runs[0]
    return f"""# What share of a program its files take

`bench_application` (`bench/application.cpp`) runs the three programs of the Lemon paper over the Wilson operator of `examples/eigenmodes`: a trajectory of hybrid Monte
Carlo (pure gauge), an inversion, and one with 18 shifts that writes 19 results. Each reads a configuration, computes and writes, in turn with one rank that reads and writes
for all, as programs with C-LIME do, and in parallel. The files of both ways are compared. Each file has reached the disk before its write ends.
The solvers check their solutions, and the trajectory its energy, but nothing is optimised: a production code computes faster, so its shares are larger.

{run["lattice"]} on {run["ranks"]} ranks. {where(runs)} Medians of {run["rounds"]} rounds in ms.

{table(["program", "I/O", "MB read", "MB written", "read", "compute", "write", "I/O of the total"], lines)}

![parts of the time](application.svg)

With two ranks on one disk there is little to win. On large machines there is: the published times of an inversion on 48x48x48x96 on a rack of a Blue Gene/P, in seconds
(Deuzeman and Reker, 2009), and in the Lemon paper 57 % of the time of the program with 18 shifts with C-LIME.

{table(["program", "I/O", "read", "solve", "write", "I/O of the total"], published)}

[Predictions for large machines](machines.md) compares the planner with such numbers.
"""


def lattice_of(runs):
    return runs[0]["results"][0]["lattice"]


def pfs_picture(run, direction):
    """The name of a picture of one file system."""
    return f"pfs-{run['environment']['file_system'].split('.')[-1]}-{direction}"


def around_data(result):
    """The share of the time for looking up, creating, opening, syncing and closing files, if the result has stages."""
    steps = result.get("steps", {})
    whole = sum(steps.values())
    around = sum(steps.get(name, 0) for name in ("create", "barrier", "open", "truncate", "sync", "close"))
    return f"{100 * around / whole:.0f} %" if whole > 0 else ""


def pfs_fields(runs):
    """Whole fields: the automatic choice of the library and every other strategy in the same rounds."""
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
    heads = ["file system", "grid", "direction", "strategy", "MB/s", "relative to the best", "relative to collective MPI-IO", "ratio to raw"]
    return f"""## A field of {runs[0]["results"][0]["lattice"]}

Double precision, with checksums except for MPI-IO; every strategy in every round, medians of {runs[0]["environment"]["runs"]} rounds. If the library chooses a strategy that is also
listed by name, the two rows do the same: their difference shows the uncertainty of all numbers in this table.

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
        heads = ["clients", "split", "stripes", "direction", "library", "MB/s", "per server", "relative to the best in one file", "not data"]
        text += table(heads, lines)
        for direction in ("write", "read"):
            text += f"\n![rate of each server, {direction}]({pfs_picture(run, direction)}.svg)\n"
        text += "\n"
    one = load(folder, "pfs")[0]["results"][0]
    return f"""# Parallel file systems

The method of the paper on PVFS on a cluster ([cs/0303016](https://arxiv.org/abs/cs/0303016)), with `lq bench pfs` and `bench_peers --pfs`: each client has
{one['bytes'] / one['ranks'] / 1e6:.0f} MB of a double precision gauge field in slices of 16^3; {one['files']} files are written one after another, then the last and the first of
them are read. Times are those of the slowest client, as means of the rounds without the extremes. The servers are processes on the same small machine and store
in memory, so only ratios mean anything, and large ones more than small ones. Clients with a cache answer *read the last* from memory.
*raw*: one contiguous part of a common file per client. *own files*: one file per client. *undo split*: one all-to-all collects the rows of the fastest dimensions,
followed by plain writes. All except limequat store plain doubles without checksums. *not data*: the share of the time for looking up, creating, opening, renaming and closing
files. limequat looks for a file of the same name, renames a complete file without replacing another one, and reads headers and journals first; each of
these is a round trip to servers. This is visible with files of this size and does not grow with them.

{where(load(folder, 'pfs'))}

{text}{pfs_fields(load(folder, "pfs-fields"))}"""


PAGES = [("transfers", "memory", "Transfers", transfers_page), ("peers", "peers", "Comparison with other libraries", peers_page),
         ("serial", "serial", "Serial and parallel transfers", serial_page),
         ("overlap", "overlap", "Writing while computing", overlap_page),
         ("cores", "cores", "All cores of a node", cores_page),
         ("tasklocal", "tasklocal", "A stream per task", tasklocal_page),
         ("grid", "grid", "Comparison with the I/O test of Grid", grid_page),
         ("hdf5", "hdf5-strong", "HDF5 files", hdf5_page), ("squeeze", "squeeze", "Squeezing", squeeze_page), ("qio", "qio", "QIO's interface", qio_page),
         ("application", "application", "What share of a program its files take", application_page), ("pfs", "pfs", "Parallel file systems", pfs_page),
         ("parts", "parts", "Parts of this machine", parts_page)]


def is_measured(folder, data):
    """Whether the folder has results; those of threads may come from other machines only."""
    return bool(cores_files(folder) if data == "cores" else load(folder, data))


def index_page(folder):
    there = "\n".join(f"- [{title}]({page}.md)" for page, data, title, _ in PAGES if is_measured(folder, data))
    if (folder / "model.md").exists():
        there += "\n- [The cost model, checked](model.md)"
    if (folder / "machines.md").exists():
        there += "\n- [Predictions for large machines](machines.md)"
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
    if (folder / "many-files.md").exists():
        there += "\n- [Many small files](many-files.md)"
    files = ", ".join(f"[{path.name}]({path.name})" for path in sorted(folder.glob("*.json")))
    return f"""# Benchmarks

These pages show the results of `./dev bench` on the machine named below, unless a page names another. These machines are small, so the ratios mean more than the rates. Every transfer
is compared with the raw limit of the same run. [The guide](../guide/benchmarks.md) explains the numbers and how to measure your own machine.

{where(load(folder, 'memory'))}

{there}

## Targets

Numbers without a unit are fractions of the rate of a raw transfer of the same bytes, in memory.

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
