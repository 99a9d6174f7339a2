#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The notes of a release out of CHANGELOG.md: its section, with how to get it. Fails when the versions in the tree differ, so
# that nothing is released half.
"""usage: release_notes.py [VERSION] [--root ROOT]"""

import argparse
import pathlib
import re
import sys

PLACES = {
    "python/pyproject.toml": r'^version = "(.*)"$', "pyproject.toml": r'^version = "(.*)"$', "CITATION.cff": r"^version: (.*)$",
    "packaging/conda/meta.yaml": r'set version = "(.*?)"', "packaging/debian/changelog": r"^limequat \((.*?)-\d+\)",
    "packaging/spack/packages/limequat/package.py": r'^    version\("(.*?)"',
}


def header_version(root):
    """The version in include/limequat/version.hpp, which all others follow."""
    text = (root / "include/limequat/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(rf"LQ_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def differing(root):
    """Sentences about files that name another version."""
    wanted = header_version(root)
    for place, pattern in PLACES.items():
        found = re.search(pattern, (root / place).read_text(encoding="utf-8"), re.M)
        if not found or found[1] != wanted:
            yield f"{place} names version {found[1] if found else 'none'}, include/limequat/version.hpp {wanted}"


def section(text, version):
    """The entries of a version in a change log, or None."""
    found = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    return found[1].strip() if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", nargs="?", default="Unreleased")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    wrong = list(differing(options.root))
    entries = section((options.root / "CHANGELOG.md").read_text(encoding="utf-8"), options.version)
    if entries is None:
        wrong.append(f"CHANGELOG.md has no section {options.version}")
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    print(f"# Limequat {header_version(options.root)}\n\n{entries}\n\n`pip install limequat` takes the wheel, which needs neither MPI "
          "nor a compiler; packaging/ has recipes for Debian, Spack, conda and containers.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
