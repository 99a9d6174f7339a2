#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What `lq plan` says of the machines in machines/, beside what was published of them (machines/published.json).
"""usage: check_machines.py [--lq LQ] [-o PAGE.md]"""

import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def planned_rate(lq, case):
    """Bytes per second, strategy and ranks at the file by the plan."""
    kind = case.get("kind", "gauge")
    command = [lq, "plan", "--json", "--extents", "0", "--machine", str(ROOT / "machines" / f"{case['machine']}.toml"),
               "--lattice", case["lattice"], "--processes", case["grid"], "--kind", kind, *case["arguments"]]
    if case["direction"] == "read":
        command.append("--read")
    plan = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    chosen = plan["chosen"]
    return plan["bytes"] / chosen["seconds"]["total"], chosen["strategy"]


def page(lq, cases):
    lines, remarks = [], []
    for number, case in enumerate(cases, 1):
        rate, strategy = planned_rate(lq, case)
        published = case["published"]
        if published is None:
            beside = ["-", f"{rate / 1e9:.3g}", "-"]
        else:
            beside = [f"{published / 1e9:.3g}", f"{rate / 1e9:.3g}", f"{rate / published:.2f}"]
        given = "yes" if case["is_input"] else "no"
        lines.append(f"| {number} | {case['machine']} | {case['what']} | {case['direction']}, {case['grid']} | {strategy} | "
                     f"{' | '.join(beside)} | {given} |")
        remarks.append(f"{number}. {case['source']}. {case['why']}")
    table = "\n".join(lines)
    return f"""# Plans beside what the largest machines reported

What `lq plan` says of machines that are described in [machines](../../machines) beside what was published of them; rates in GB/s. *given*: the
number itself went into the description, so that it tests the pattern only. Written by `tools/check_machines.py`.

| | machine | what | direction, process grid | strategy planned | published | planned | planned / published | given |
|---|---|---|---|---|---|---|---|---|
{table}

{chr(10).join(remarks)}
"""


def main():
    parser = argparse.ArgumentParser(description="plans beside what was published")
    parser.add_argument("--lq", default="lq")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    text = page(options.lq, json.loads((ROOT / "machines" / "published.json").read_text(encoding="utf-8")))
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
