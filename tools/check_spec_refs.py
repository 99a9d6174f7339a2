#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Code cites format pages by numbered section: "formats/scidac.md 4.2". This script finds every such citation in
# the sources and prints those whose page or section does not exist; exits 1 if there is one.
"""usage: check_spec_refs.py [ROOT]"""

import pathlib
import re
import sys

CITATION = re.compile(r"\bformats/([a-z0-9_-]+)\.md(?: (\d+(?:\.\d+)*))?")
HEADING = re.compile(r"^#+\s+(\d+(?:\.\d+)*)[. ]")
FOLDERS = ["src", "dropins", "include", "tests", "fuzz", "python", "examples", "tools"]
SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".py"}


def sections(page):
    """The numbers of the headings of a page."""
    return {found[1] for found in map(HEADING.match, page.read_text(encoding="utf-8").splitlines()) if found}


def citations(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for found in CITATION.finditer(line):
            yield number, found[1], found[2]


def check(root):
    """All dead citations, as sentences."""
    pages = {page.stem: sections(page) for page in sorted((root / "docs" / "formats").glob("*.md"))}
    dead = []
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in SUFFIXES):
        if "tools/tests" in path.as_posix() or path.name == "check_spec_refs.py":
            continue
        for line, page, section in citations(path):
            where = f"{path.relative_to(root)}:{line}"
            if page not in pages:
                dead.append(f"{where}: there is no page docs/formats/{page}.md")
            elif section and section not in pages[page]:
                dead.append(f"{where}: docs/formats/{page}.md has no section {section}")
    return dead


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    dead = check(root)
    for sentence in dead:
        print(sentence, file=sys.stderr)
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
