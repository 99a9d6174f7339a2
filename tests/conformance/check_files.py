#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: check_files.py [--lq PROGRAM] [--without FORMAT or COMPRESSION]... [FOLDER]

Holds a reader against FOLDER/expectations.json (docs/reference/conformance.md): the plain one of plain_fields.py, or,
with --lq, the program. Prints what differs; exits 1 if anything does. A reader of your own needs no more than a class
with a method `read`, as the two here."""

import json
import math
import pathlib
import subprocess
import sys

import plain_fields

HERE = pathlib.Path(__file__).resolve().parent


class Plain:
    def read(self, path):
        """What is in the file, under the names of the table; raises plain_fields.Defect."""
        found = plain_fields.read(path)
        found["site"] = lambda at: found["sites"][plain_fields.sites_of(found["lattice"]).index(tuple(at))]
        return found


class Program:
    """lq: `ls`, `verify` and `dump`."""

    # Codes of errors (docs/reference/errors.md), as the table names defects.
    DEFECTS = {"truncated": "truncated", "malformed": "malformed", "too_large": "malformed", "unsupported": "malformed",
               "checksum_mismatch": "checksum", "unknown_format": "unknown"}

    def __init__(self, program):
        self.program = program

    def ask(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=60, check=False)
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def site_of(self, path):
        return lambda at: self.ask("dump", "--json", str(path), "--site", ",".join(map(str, at)))["numbers"]

    def read(self, path):
        catalog, verdict = (self.ask(verb, "--json", str(path)) for verb in ("info", "verify"))
        errors = [finding for finding in verdict.get("findings", []) if finding["severity"] == "error"]
        errors += [dict(answer["error"], rule="", code_name=answer["error"]["name"]) for answer in (catalog, verdict) if "error" in answer]
        if errors:
            kind = "plaquette" if errors[0]["rule"] == "plaquette" else self.DEFECTS[errors[0]["code_name"]]
            raise plain_fields.Defect(kind, errors[0]["message"])
        field = catalog["fields"][0]
        spec, judged = field["spec"], verdict["fields"][0]
        physics = judged["physics"] or {}
        stored = judged["stored"] and "{suma}/{sumb}".format(**judged["stored"])
        return {"format": catalog["format"], "lattice": field["lattice"], "fields": len(catalog["fields"]),
                "kind": spec["kind"], "colors": spec["colors"], "spins": spec["spins"], "numbers": spec["numbers"],
                "precision": {"single": 32, "double": 64}[spec["precision"]], "byte_order": field["byte_order"],
                "status": judged["checksum_status"], "stored": stored, "stated_plaquette": field["plaquette"],
                "plaquette": physics["plaquette"]["average"] if physics else None, "site": self.site_of(path)}


def differences(reader, path, expected):
    """What a reader finds otherwise, as sentences."""
    try:
        found = reader.read(path)
    except plain_fields.Defect as defect:
        if expected["verdict"] == "accept":
            return [f"is to be read, but: {defect}"]
        return [] if defect.kind == expected["defect"] else [f"{expected['defect']} expected, but: {defect}"]
    if expected["verdict"] == "reject":
        return [f"is to be refused: {expected['why']}"]
    wrong = [f"{key} {found[key]}, expected {expected[key]}"
             for key in ("format", "lattice", "fields", "kind", "colors", "spins", "numbers", "precision", "byte_order")
             if key in found and found[key] != expected[key]]
    return wrong + differing_numbers(found, expected)


def differing_numbers(found, expected):
    wrong = []
    stored = expected["checksum"] and expected["checksum"]["value"]
    if "status" in found and found["status"] != ("ok" if stored else "absent"):
        wrong.append(f"the checksum is {found['status']}, expected is {stored}")
    elif found["stored"] != stored and (found["stored"] or "status" not in found):
        wrong.append(f"checksum {found['stored']}, expected {stored}")
    for key in ("plaquette", "stated_plaquette"):
        one, other = found[key], expected[key]
        if (one is None) != (other is None) or (one is not None and not math.isclose(one, other, abs_tol=1e-7)):
            wrong.append(f"{key} {one}, expected {other}")
    if found["site"]:
        numbers, known = found["site"](expected["site"]["at"]), expected["site"]["numbers"]
        tolerance = 0 if expected["site"]["exact"] else 1e-6
        if len(numbers) != len(known) or any(abs(a - b) > tolerance for a, b in zip(numbers, known)):
            wrong.append(f"site {expected['site']['at']} holds {numbers[:4]}..., expected {known[:4]}...")
    return wrong


def main(arguments):
    reader, without = Plain(), set() if plain_fields.plain_hdf5 else {"hdf5"}
    without |= set() if plain_fields.read_limequat else {"squeezed"}
    if arguments[:1] == ["--lq"]:
        reader, without, arguments = Program(arguments[1]), set(), arguments[2:]
    while arguments[:1] == ["--without"]:
        without, arguments = without | {arguments[1]}, arguments[2:]
    folder = pathlib.Path(arguments[0]) if arguments else HERE / "files"
    table = [one for one in json.loads((folder / "expectations.json").read_text())["files"]
             if not without & {one["format"], one.get("compression")}]
    failed = 0
    for expected in table:
        for sentence in differences(reader, folder / expected["file"], expected):
            print(f"{expected['file']}: {sentence}")
            failed += 1
    print(f"{len(table)} files, {failed} differences")
    return 1 if failed or not table else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
