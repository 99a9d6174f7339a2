#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Counts tests and lines for docs/how-it-is-tested.md. With --fix it writes the numbers into that page.
"""usage: count_tests.py BUILD [--fix]

BUILD  a build tree with tests, for example build/openmpi"""

import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/how-it-is-tested.md"
CODE = (".cpp", ".hpp", ".c", ".h", ".py", ".f90", ".F90", ".f", ".sh")
# A test with several labels counts for each of them.
LABELS = {
    "unit": "one module alone", "physics": "observables and the generator",
    "golden": "files of other programs, and broken files", "conformance": "several implementations of one interface",
    "mpi": "the same result on any number of ranks", "scale": "up to 4096 simulated ranks", "fault": "failures, kills, power failures",
    "fuzz": "replay of the fuzz targets", "device": "memory of GPUs, over a driver that stands in for CUDA's", "per_isa": "every instruction set of the kernels",
    "cli": "the command `lq`", "capi": "C, C++17 and Fortran", "python": "the Python package", "compat": "the libraries named after C-LIME, Lemon, QIO and SIONlib",
    "their_readers": "readers of other projects", "example": "the examples and the samples of the documentation", "install": "the installed tree, the wheel, exported symbols",
    "docs": "the site and its links", "torture": "a short run of the torture program",
    "simulation": "whole jobs on a simulated machine, drawn from seeds",
}

# The injected errors, and the files of tests/fault that inject them.
FAULTS = (
    ("every operation of the file system fails, one after another", "fault_test checkpoint_fault_test checkpoint_fields_fault_test checkpoint_open_fault_test "
     "checkpoint_rewrite_fault_test copy_fault_test hdf5_fault_test in_place_fault_test modes_replace_fault_test repartition_fault_test squeeze_fault_test "
     "squeeze_set_fault_test"),
    ("from any message or collective operation on, a rank can send nothing", "network_fault_test"),
    ("every allocation of one rank fails, alone or with all later ones", "memory_fault_test checkpoint_memory_fault_test collective_memory_fault_test "
     "hdf5_memory_fault_test multifile_memory_fault_test sion_memory_fault_test squeeze_memory_fault_test"),
    ("one bit flips in every read of a copy or conversion", "flipped_read_test"),
    ("files that belong together are replaced: failures, deaths and readers at every operation", "replacement_fault_test copy_set_fault_test"),
    ("the power fails: states that a journaling file system may leave are replayed", "power_failure_test"),
    ("programs are killed at random moments, or started twice", "checkpoint_kill_test copy_fault_test hdf5_kill_test modes_kill_test "
     "modes_twice_test repartition_fault_test"),
    ("several clients of a file system do not see each other's caches", "two_clients_test"),
)


def tests_of(build):
    """(name, labels) of each test."""
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(done.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", ())}
        yield test["name"], properties.get("LABELS", [])


def files(*folders):
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", *folders], capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def lines(paths):
    return sum(path.read_bytes().count(b"\n") for path in paths if path.suffix in CODE)


def counts(build):
    """Sections of the page: name -> text."""
    tests = list(tests_of(build))
    by_label = collections.Counter(label for _, labels in tests for label in labels)
    rows = [f"| `{label}` | {by_label[label]} | {text} |" for label, text in LABELS.items() if by_label[label]]
    kinds = "\n".join(["| Label | Tests | Subject |", "|---|---|---|", *rows, f"| all | {len(tests)} | |"])

    rows = []
    for what, names in FAULTS:
        text = "".join((ROOT / f"tests/fault/{name}.cpp").read_text(encoding="utf-8") for name in names.split())
        suites = set(re.findall(r"^TEST(?:_F|_P)?\((\w+),", text, re.M))
        suites = "|".join(sorted(suite for suite in suites if suite.startswith(("Killed", "StartedTwice")) == ("killed" in what)))
        number = sum(1 for name, _ in tests if re.search(rf"(?:^|/)(?:{suites})(?:/\d+)?\.", name))
        rows.append(f"| {what} | {number} | {', '.join(f'`{name}.cpp`' for name in names.split())} |")
    faults = "\n".join(["| Fault | Tests | `tests/fault/` |", "|---|---|---|", *rows])

    own = files("src", "dropins/src")
    unit = [path for path in own if path.stem.endswith("_test")]
    library = lines(set(own) - set(unit)) + lines(files("include", "dropins/include", "python/limequat", "fortran"))
    test = lines(unit) + lines(files("tests", "dropins/tests", "fuzz", "python/tests", "tools/tests"))
    size = f"{library} lines of library, programs and bindings; {test} lines of tests and fuzz targets ({test / library:.2f} for each line)"

    good, bad = ([path for path in files(f"tests/golden/{kind}") if path.suffix != ".expect"] for kind in ("good", "bad"))
    conformance = files("tests/conformance/files")
    data = (f"{len(good)} good files and {len(bad)} bad ones below `tests/golden`, {len(conformance)} files below `tests/conformance/files`, "
            f"{len([path for path in files('tests/cli') if path.suffix == '.sh'])} scripts of `lq` with their pinned output, "
            f"{len([path for path in files('fuzz') if re.match('fuzz_.*cpp', path.name)])} fuzz targets")
    return {"kinds": kinds, "faults": faults, "size": size, "data": data}


def filled(text, sections):
    """The page with its sections replaced."""
    for name, section in sections.items():
        text, found = re.subn(rf"(<!-- count: {name} -->\n)(?:(?!<!-- ).)*(<!-- end -->)", lambda match: match[1] + section + "\n" + match[2], text, flags=re.S)
        if found != 1:
            raise SystemExit(f"count_tests.py: {PAGE.name} has {found} sections {name}, expected one")
    return text


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    sections = counts(pathlib.Path(words[0]))
    if "--fix" in sys.argv:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), sections), encoding="utf-8")
    else:
        print("\n\n".join(sections.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
