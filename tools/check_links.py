#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the pages have no dead links: the file of a link exists, and the heading after a "#". Links to other hosts are
# not followed. Source files named in the pages for developers, `room/file`, must exist, too.
"""usage: check_links.py [ROOT]"""

import pathlib
import re
import sys

LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)|!\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.S)
SOURCE = re.compile(r"`(?:(?:dropins/)?src/)?(\w+)((?:/\w+)+(?:\.\w+)?)`")
PAGES = ["*.md", "docs/**/*.md", "bench/**/*.md", "examples/**/*.md", "python/**/*.md", "packaging/**/*.md"]


def slug(heading):
    """The anchor that sites generate for a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # the text of a link
    text = "".join(c for c in text.strip().lower() if c.isalnum() or c in "-_ ")
    return text.replace(" ", "-")


def anchors(page):
    """The anchors of a page; equal headings get "-1" and so on."""
    found, seen = set(), {}
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", text, re.M):
        name = slug(heading)
        count = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(page):
    """(line, target) of each link of a page."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    text = CODE.sub(blank, FENCE.sub(blank, page.read_text(encoding="utf-8")))
    for found in LINK.finditer(text):
        yield text[: found.start()].count("\n") + 1, found[1] or found[2]


def names_of_sources(page, rooms):
    """(line, name) of each `room/file` of a page."""
    text = page.read_text(encoding="utf-8")
    for found in SOURCE.finditer(text):
        if found[1] in rooms:
            yield text[: found.start()].count("\n") + 1, found[1] + found[2]


def lost_sources(root):
    """Names of source files that do not exist, as sentences."""
    trees = [root / "src", root / "dropins/src"]
    rooms = {folder.name for tree in trees for folder in tree.glob("*") if folder.is_dir()}
    for page in sorted({root / "ARCHITECTURE.md", *root.glob("docs/design/*.md")} & set(pages(root))):
        for line, name in names_of_sources(page, rooms):
            if not any((tree / name).exists() or [*tree.glob(f"{name}.*")] for tree in trees):
                yield f"{page.relative_to(root)}:{line}: {name}: there is no such source file"


def pages(root):
    found = {page for pattern in PAGES for page in root.glob(pattern)}
    # mainpage.md has links of Doxygen.
    return sorted(page for page in found if not {"_build", "build"} & set(page.parts) and page.name != "mainpage.md")


def check(root):
    """All dead links, as sentences."""
    dead = []
    for page in pages(root):
        for line, target in links(page):
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue
            path, _, anchor = target.partition("#")
            aim = (page.parent / path) if path else page
            where = f"{page.relative_to(root)}:{line}: {target}"
            if not aim.exists():
                dead.append(f"{where}: there is no {path}")
            elif anchor and (aim.suffix != ".md" or anchor not in anchors(aim)):
                dead.append(f"{where}: there is no heading #{anchor}")
    return dead + list(lost_sources(root))


def main():
    dead = check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent))
    for sentence in dead:
        print(sentence, file=sys.stderr)
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
