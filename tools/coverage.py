#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Shows which branches the tests take, by room: for each condition, whether both outcomes occurred. Reads the profiles of programs
# that clang compiled with -fprofile-instr-generate -fcoverage-mapping (./dev coverage).
"""usage: coverage.py TREE [--fix]

TREE   a build tree whose tests were run with LLVM_PROFILE_FILE=TREE/profiles/...
--fix  writes the table into docs/how-it-is-tested.md"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import count_tests  # noqa: E402

# The rooms of the core that unit tests are linked with.
ROOMS = ("base", "kernels", "comm", "lattice", "options", "storage", "protection", "format", "engine", "physics", "io")


def tool(name):
    """The llvm tool for the version of the compiler."""
    return os.environ.get(name.upper().replace("-", "_"), name + "-14")


def exported(tree):
    """The data of llvm-cov for each file."""
    profiles = [str(path) for path in sorted((tree / "profiles").glob("*.profraw"))]
    if not profiles:
        raise SystemExit(f"coverage.py: no profiles below {tree}/profiles: run the tests first (./dev coverage)")
    merged = tree / "tests.profdata"
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", str(merged), *profiles], check=True)
    programs = [str(path) for room in ROOMS for path in [tree / f"bin/lq_{room}_test"] if path.exists()]
    command = [tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}", programs[0], *(f"-object={path}" for path in programs[1:])]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["data"][0]["files"]


def by_room(files):
    """{room: [branches, of them taken, lines, of them executed]} without the tests themselves."""
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        match = re.search(r"/src/(\w+)/\S+$", file["filename"])
        if match and match[1] in ROOMS and not pathlib.Path(file["filename"]).stem.endswith("_test"):
            branches, lines = file["summary"]["branches"], file["summary"]["lines"]
            for at, number in enumerate((branches["count"], branches["covered"], lines["count"], lines["covered"])):
                rooms[match[1]][at] += number
    return rooms


def table(rooms):
    rows = ["| Room | Branches | Taken | Lines | Executed |", "|---|---|---|---|---|"]
    total = [sum(numbers[at] for numbers in rooms.values()) for at in range(4)]
    for name, numbers in [*((f"`{room}`", rooms[room]) for room in ROOMS if room in rooms), ("all", total)]:
        taken, executed = (f"{100 * part / whole:.1f} %" if whole else "-" for whole, part in (numbers[:2], numbers[2:]))
        rows.append(f"| {name} | {numbers[0]} | {taken} | {numbers[2]} | {executed} |")
    return "\n".join(rows)


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    shown = table(by_room(exported(pathlib.Path(words[0]))))
    print(shown)
    if "--fix" in sys.argv:
        page = count_tests.PAGE
        page.write_text(count_tests.filled(page.read_text(encoding="utf-8"), {"coverage": shown}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
