# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A gauge field through QIO's interface over our library, over the original if there is a program linked with it, and through our own
# interface, in turn within every round: rates from opening to closing, and the processor time of node 0. Results are in
# the form of `lq bench --json`.
import re
import statistics
import subprocess

ROUND = re.compile(r"write ([\d.]+) read ([\d.]+) GB/s, processor ([\d.]+) ([\d.]+) s")
NAMES = {"libqio": "qio.h over ours", "original": "qio.h over the original"}
VECTORS_PER_LINKS = 64 * 96 / 576  # bytes of a file of "vectors" over those of a gauge field


def summary(values):
    """As lq bench tells them."""
    ordered = sorted(values)
    lower, median, upper = statistics.quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    error = statistics.stdev(ordered) / len(ordered) ** 0.5 if len(ordered) > 1 else 0.0
    return {"min": ordered[0], "lower_quartile": lower, "median": median, "upper_quartile": upper, "max": ordered[-1],
            "mean": statistics.fmean(ordered), "error": error, "first": values[0]}


def one_round(command, file_bytes):
    """Of writing and of reading (seconds, processor seconds), the second time; the first one pays for pages."""
    answer = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    write, read, write_cpu, read_cpu = map(float, ROUND.findall(answer)[-1])
    return {"write": (file_bytes / 1e9 / write, write_cpu), "read": (file_bytes / 1e9 / read, read_cpu)}


def measure(programs, launch, own, folder, lattice, layout, rounds):
    """The run on some ranks: `programs` by name, `launch` starts one on these ranks, `own` measures our own interface once.

    Of vectors, which it has not, its raw limit is taken, by bytes."""
    times = VECTORS_PER_LINKS if layout == "vectors" else 1
    seen = {(name, way): [] for name in programs for way in ("write", "read")}
    raw, ours = {"write": [], "read": []}, {"write": [], "read": []}
    for _ in range(rounds):
        run = own()
        for r in run["results"]:
            ours[r["direction"]].append(r["seconds"]["median"])
            raw[r["direction"]].append(r["raw_seconds"]["median"] * times)
        for name, program in programs.items():
            words = [*launch, program, folder / "qio.lime", *lattice.split("x"), 2, layout]
            for way, pair in one_round(words, run["results"][0]["bytes"] * times).items():
                seen[name, way].append(pair)
    (folder / "qio.lime").unlink(missing_ok=True)
    results = []
    for r in run["results"]:
        way = r["direction"]
        limit = summary(raw[way])
        same = {key: value for key, value in r.items() if key not in ("seconds", "memory_bytes")}
        same.update(raw_seconds=limit, layout=layout, bytes=round(r["bytes"] * times), steps={"pack": None})

        def result(name, seconds, **more):
            whole = {**same, "name": name, "seconds": summary(seconds), **more}
            return {**whole, "ratio_to_raw": limit["median"] / whole["seconds"]["median"]}

        if layout != "vectors":
            results.append(result("lattice", ours[way]))
        for name in programs:
            results.append(result(NAMES[name], [pair[0] for pair in seen[name, way]],
                                  processor_seconds=statistics.median(pair[1] for pair in seen[name, way])))
    return {"environment": {**run["environment"], "runs": rounds}, "results": results}
