#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the cost model of `lq plan` with measurements: the machine comes from `lq bench parts`, the transfers
# from `lq bench lattice`. `lq` itself plans each case.
"""usage: check_model.py [--lq LQ] PARTS.json LATTICE.json... [-o PAGE.md]"""

import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Sections of a site profile; plans do not depend on other keys.
SECTIONS = {
    "": ["name"],
    "nodes": ["nodes", "ranks_per_node", "cores_per_node"],
    "memory": ["copy_rate", "pack_rate", "copy_rate_node"],
    "neighbours": ["shared_rate", "pull_rate", "handover_time", "pull_permitted", "shared_memory_permitted"],
    "network": ["latency", "message_rate", "link_rate"],
    "storage": ["file_system", "block_bytes", "servers", "write_rate", "write_rate_total", "write_call", "read_rate",
                "read_rate_total", "read_call", "open_time", "sync_time"],
}


def profile_text(machine):
    """The machine as the TOML of a site profile."""
    lines = []
    for section, keys in SECTIONS.items():
        if section:
            lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(machine[key])}" for key in keys if key in machine]
    return "\n".join(lines) + "\n"


def runs_in(path):
    """A file holds one run, or a list of them."""
    content = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return content if isinstance(content, list) else [content]


def cases_in(paths):
    """Our warm transfers, without a wait for the disk."""
    for path in paths:
        for run in runs_in(path):
            for result in run.get("results", []):
                if result["name"] == "lattice" and result.get("cache", "warm") != "cold" and not result.get("sync"):
                    yield result


def strategy_of(case):
    return case.get("strategy_taken") or case["strategy"]


def plan(lq, profile, case):
    command = [lq, "plan", "--json", "--extents", "0", "--machine", profile, "--lattice", case["lattice"], "--grid",
               case["grid"], "--precision", case.get("precision", "double"), "--strategy", strategy_of(case)]
    if case["direction"] == "read":
        command.append("--read")
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def raw_seconds(machine, case):
    """The prediction for the same bytes, contiguous and unchanged."""
    verb = case["direction"]
    turns = max(1, case["ranks"] / machine["cores_per_node"])
    alone = case["bytes"] / case["ranks"] * turns / machine[f"{verb}_rate"]
    return max(alone, case["bytes"] / machine[f"{verb}_rate_total"])


class Checked:
    """One case: measured, and predicted."""

    def __init__(self, machine, case, planned):
        self.case = case
        self.measured = case["seconds"]["median"]
        self.predicted = planned["chosen"]["seconds"]["total"] + machine["open_time"]
        self.raw = case["ratio_to_raw"]
        self.predicted_raw = raw_seconds(machine, case) / self.predicted

    @property
    def error(self):
        return self.predicted / self.measured

    @property
    def raw_error(self):
        """The error of the rate relative to the raw limit, which does not depend on the momentary load of the machine."""
        return self.raw / self.predicted_raw

    def cells(self):
        c = self.case
        return [c["lattice"], c["grid"], c["direction"], strategy_of(c), f"{self.measured * 1e3:.3g}",
                f"{self.predicted * 1e3:.3g}", f"{self.error:.2f}", f"{self.raw:.2f}", f"{self.predicted_raw:.2f}"]


def typical(factors):
    """The geometric mean of the factors by which predictions are wrong, in either direction."""
    return math.exp(sum(abs(math.log(f)) for f in factors) / len(factors))


def verdicts(checked):
    """Whether the fastest strategy was predicted, for each transfer measured with several strategies."""
    groups = {}
    for one in checked:
        c = one.case
        groups.setdefault((c["lattice"], c["grid"], c["direction"], c.get("verify")), {})[strategy_of(c)] = one
    for (lattice, grid, direction, _), by_strategy in groups.items():
        if len(by_strategy) < 2:
            continue
        fastest = min(by_strategy, key=lambda s: by_strategy[s].measured)
        foreseen = min(by_strategy, key=lambda s: by_strategy[s].predicted)
        loss = by_strategy[foreseen].measured / by_strategy[fastest].measured - 1
        yield [lattice, grid, direction, fastest, foreseen, f"{loss * 100:.0f} %"]


def table(heads, rows):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
                      *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def page(machine, checked):
    errors = [one.error for one in checked]
    raw_errors = [one.raw_error for one in checked]
    worst = max(checked, key=lambda one: abs(math.log(one.error)))
    text = f"""# The cost model, checked

This page compares predictions of `lq plan` ([the model](../design/0009-cost-model.md)) with measurements of `lq bench lattice`, for the machine
as measured by `lq bench parts`. Times are in milliseconds; the last two columns are rates relative to a raw transfer of
the same bytes, as measured and as predicted. Written by `tools/check_model.py`.

Predicted times are off by a factor of {typical(errors):.2f} in the mean of {len(errors)} cases, at worst by
{math.exp(abs(math.log(worst.error))):.2f} ({worst.case["direction"]} {worst.case["grid"]}, {strategy_of(worst.case)}); rates relative to raw by
{typical(raw_errors):.2f} in the mean, at worst by {math.exp(max(abs(math.log(e)) for e in raw_errors)):.2f}.

"""
    text += table(["lattice", "grid", "direction", "strategy", "measured", "predicted", "predicted / measured",
                   "to raw", "predicted to raw"], [one.cells() for one in checked])
    choices = list(verdicts(checked))
    if choices:
        text += "\nThe fastest strategy, the predicted one, and the cost of a wrong prediction.\n\n"
        text += table(["lattice", "grid", "direction", "fastest", "predicted", "slower by"], choices)
    facts = [[key, f"{machine[key]:.3g}"] for section in ("memory", "neighbours", "storage") for key in SECTIONS[section]
             if isinstance(machine.get(key), float)]
    text += "\nThe machine, in bytes per second and seconds.\n\n" + table(["fact", "measured"], facts)
    return text


def program():
    """The lq on the path, or else the newest one of a build folder."""
    built = pathlib.Path(__file__).resolve().parent.parent.glob("build/*/bin/lq")
    return shutil.which("lq") or str(max(built, key=lambda path: path.stat().st_mtime, default="lq"))


def main():
    parser = argparse.ArgumentParser(description="compares the cost model with measurements")
    parser.add_argument("parts")
    parser.add_argument("lattice", nargs="+")
    parser.add_argument("--lq", default=program(), help="the program (default: on the path, or built last)")
    parser.add_argument("-o", "--output", help="the page; default: standard output")
    options = parser.parse_args()

    machine = runs_in(options.parts)[0]["machine"]
    cases = list(cases_in(options.lattice))
    if not cases:
        raise SystemExit("check_model: no warm transfer of lq bench lattice in " + ", ".join(options.lattice))
    with tempfile.TemporaryDirectory() as folder:
        profile = str(pathlib.Path(folder) / "site.toml")
        pathlib.Path(profile).write_text(profile_text(machine), encoding="utf-8")
        text = page(machine, [Checked(machine, case, plan(options.lq, profile, case)) for case in cases])
    if options.output:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
