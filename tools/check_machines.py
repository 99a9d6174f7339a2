#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares predictions of `lq plan` for the machines in machines/ with published measurements (machines/published.json). Each case
# there has bounds for planned / published; --check fails if a ratio is outside its bounds.
"""usage: check_machines.py [--lq LQ] [--check] [-o PAGE.md]"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def planned(lq, case):
    """The quantity of the case in the plan: seconds, or bytes per second."""
    command = [lq, "plan", "--json", "--machine", str(ROOT / "machines" / f"{case['machine']}.toml"), *case["arguments"]]
    if "--lattice" in case["arguments"]:
        command += ["--extents", "0"]
    plan = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if "costs" in plan:
        seconds = {cost["what"]: cost["seconds"] for cost in plan["costs"]}
        seconds.update(transfer=plan["transfer_seconds"], task_local=plan["task_local_seconds"])
        size = plan["tasks"] * plan["expected_bytes"]
    else:
        seconds = {"total": plan["chosen"]["seconds"]["total"], "one_rank": plan["one_rank"]["seconds"]["total"]}
        seconds["saved"] = seconds["one_rank"] - seconds["total"]
        size = plan["bytes"]
    what = case["quantity"]
    return size / seconds[what.removesuffix(" rate")] if what.endswith(" rate") else seconds[what]


def text_of(value, case):
    if not case["quantity"].endswith("rate"):
        return f"{value:.0f} s" if value >= 100 else f"{value:.3g} s"
    return f"{value / 1e9:.3g} GB/s" if value >= 1e9 else f"{value / 1e6:.3g} MB/s"


def page(cases, values):
    lines, remarks = [], []
    for number, (case, value) in enumerate(zip(cases, values), 1):
        what = case["what"].removesuffix(", MB/s")
        given = "yes" if case["given"] else "no"
        lines.append(f"| {number} | {case['machine']} | {what} | {text_of(case['published'], case)} | {text_of(value, case)} | "
                     f"{value / case['published']:.2f} | {case['bounds'][0]:g} to {case['bounds'][1]:g} | {given} |")
        remarks.append(f"{number}. {case['source']}. {case['why']} `lq plan --machine {case['machine']} "
                       f"{' '.join(case['arguments'])}`")
    table = "\n".join(lines)
    return f"""# Predictions for large machines

This page compares predictions of `lq plan`, for the machines described in [machines](../../machines), with published measurements. *given*: the
number itself is part of the description, so only the pattern is tested. A test compares the ratios with their bounds. Written by
`tools/check_machines.py`.

| | machine | what | published | planned | planned / published | bounds | given |
|---|---|---|---|---|---|---|---|
{table}

{chr(10).join(remarks)}
"""


def main():
    parser = argparse.ArgumentParser(description="compares plans with published measurements")
    parser.add_argument("--lq", default="lq")
    parser.add_argument("--check", action="store_true", help="fail where a ratio is out of its bounds")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    cases = json.loads((ROOT / "machines" / "published.json").read_text(encoding="utf-8"))
    values = [planned(options.lq, case) for case in cases]
    if options.check:
        out = [f"{case['machine']}, {case['what']}: planned {value:g}, published {case['published']:g}, bounds of the ratio "
               f"{case['bounds']}" for case, value in zip(cases, values)
               if not case["bounds"][0] <= value / case["published"] <= case["bounds"][1]]
        sys.exit("\n".join(out) or None)
    if options.output:
        options.output.write_text(page(cases, values), encoding="utf-8")
    else:
        print(page(cases, values), end="")


if __name__ == "__main__":
    main()
