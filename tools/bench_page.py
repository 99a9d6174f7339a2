#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Benchmark results (the JSON of bench_transfer) as a page with a table and a bar plot of the ratio to raw.
"""usage: bench_page.py RESULT.json FOLDER"""

import json
import pathlib
import sys

BAR, GAP, LEFT, WIDTH, TOP = 18, 8, 250, 420, 34


def rows(measured):
    """(environment, result) of everything measured, in order."""
    return [(run["environment"], result) for run in measured for result in run["results"]]


def rate(result, which):
    return result["bytes"] / result[which]["median"] / 1e9


def label(environment, result):
    plural = "rank" if result["ranks"] == 1 else "ranks"
    return f"{result['direction']}, {environment['file_system']}, {result['ranks']} {plural}"


def table(measured):
    lines = ["| direction | file system | lattice | grid | bytes | GB/s | best GB/s | raw GB/s | ratio to raw |",
             "|---|---|---|---|---|---|---|---|---|"]
    for environment, r in rows(measured):
        lines.append(f"| {r['direction']} | {environment['file_system']} | {r['lattice']} | {r['grid']} | {r['bytes']} "
                     f"| {rate(r, 'seconds'):.2f} | {r['bytes'] / r['seconds']['min'] / 1e9:.2f} "
                     f"| {rate(r, 'raw_seconds'):.2f} | **{r['ratio_to_raw']:.2f}** |")
    return "\n".join(lines) + "\n"


def page(measured):
    e = measured[0]["environment"]
    return f"""# Transfers

A double precision gauge field in ILDG form: reordered, byte-swapped, checksummed, and on reading verified. Beside it, in the
same interleaved run and folder, the same bytes by plain `pwrite` and `pread` of 1 MiB, all ranks in parallel. Time is
split, so each rank has one stretch of the file. Nothing is synced on either side. Every read was compared bit for bit
with what was written. Median of {e['runs']} runs; the ratio is the median raw time divided by ours.

{e['processor']}, {e['cores']} cores; {e['mpi']}; {e['compiler']}; Limequat {e['version']}; {e['date']}.

{table(measured)}
![ratio to raw](transfer.svg)

The numbers behind this page are in [transfer.json](transfer.json); `./dev bench` measures again. How to measure and
how to report: [bench/README.md](../../bench/README.md).
"""


def plot(measured):
    """Horizontal bars; the line is the raw transfer."""
    items = [(label(e, r), r["ratio_to_raw"]) for e, r in rows(measured)]
    longest = max([1.0, *(ratio for _, ratio in items)])
    height = TOP + len(items) * (BAR + GAP) + 10
    unit = WIDTH / longest
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}" '
             'font-family="sans-serif" font-size="13">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="18">rate, as a fraction of a raw transfer of the same bytes</text>']
    for i, (name, ratio) in enumerate(items):
        y = TOP + i * (BAR + GAP)
        colour = "#5b9b3c" if name.startswith("write") else "#3c7a9b"
        parts.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{ratio * unit:.1f}" height="{BAR}" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + ratio * unit + 6:.1f}" y="{y + 14}">{ratio:.2f}</text>')
    x = LEFT + unit
    parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 8}" stroke="black" stroke-dasharray="3 3"/>')
    return "\n".join(parts) + "\n</svg>\n"


def write(measured, folder):
    (folder / "transfer.md").write_text(page(measured), encoding="utf-8")
    (folder / "transfer.svg").write_text(plot(measured), encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    write(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
