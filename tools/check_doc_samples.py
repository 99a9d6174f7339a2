#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Samples in documents come from files that the tests run. A line "<!-- sample: PATH -->" or
# "<!-- sample: PATH NAME -->" is above a fenced block; the block must be the text of PATH between the lines
# "[NAME]" and "[/NAME]" (in a comment of that language), or the whole file without its opening comment.
# --fix rewrites the blocks from the files. A block of code without such a line is an error, unless
# "<!-- not run: WHY -->" is above it.
"""usage: check_doc_samples.py [--fix] [ROOT]"""

import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"<!-- sample: (\S+)(?: (\S+))? -->\n```(\w*)\n(.*?)```\n", re.DOTALL)
CODE = re.compile(r"(?P<above>[^\n]*)\n```(?:c|cpp|fortran|python|sh)\n(?:.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = ["README.md", "CONTRIBUTING.md", "docs", "bench", "examples", "python"]


def without_opening_comment(text):
    lines = text.splitlines()
    marker = "#" if lines and lines[0].startswith("#") and not lines[0].startswith("#include") else "//"
    first = next((i for i, line in enumerate(lines) if not line.startswith(marker)), len(lines))
    return "\n".join(lines[first:]).strip("\n") + "\n"


def sample(root, path, name):
    """The text that the document must show; ValueError if it cannot be determined."""
    file = root / path
    if not file.is_file():
        raise ValueError(f"there is no file {path}")
    text = file.read_text(encoding="utf-8")
    if not name:
        return without_opening_comment(text)
    inside = re.search(rf"^[^\n]*\[{re.escape(name)}\][^\n]*\n(.*?)^[^\n]*\[/{re.escape(name)}\]", text, re.DOTALL | re.MULTILINE)
    if not inside:
        raise ValueError(f"{path} has no part [{name}] ... [/{name}]")
    return textwrap.dedent(inside[1]).strip("\n") + "\n"


def pages(root):
    for name in PAGES:
        page = root / name
        yield from [page] if page.is_file() else sorted(p for p in page.rglob("*.md") if "_build" not in p.parts)


def check(root, fix=False):
    """All samples that differ from their file, as sentences."""
    wrong = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")

        def compare(block):
            where = f"{page.relative_to(root)}:{text[: block.start()].count(chr(10)) + 1}"
            try:
                wanted = sample(root, block[1], block[2])
            except ValueError as error:
                wrong.append(f"{where}: {error}")
                return block[0]
            if wanted == block[4]:
                return block[0]
            if not fix:
                wrong.append(f"{where}: the sample is not what {block[1]} says (tools/check_doc_samples.py --fix)")
            head = block[0][: block.start(4) - block.start()]
            return head + wanted + "```\n"

        renewed = BLOCK.sub(compare, text)
        if fix and renewed != text:
            page.write_text(renewed, encoding="utf-8")
        for block in CODE.finditer(text):
            if not re.match(r"<!-- (sample|not run): [^-\s]", block["above"]):
                wrong.append(f"{page.relative_to(root)}:{text[: block.start()].count(chr(10)) + 2}: this code is in no file that the "
                             "tests run; take it from one (<!-- sample: ... -->), or say why not (<!-- not run: ... -->)")
    return wrong


def main():
    arguments = [a for a in sys.argv[1:] if a != "--fix"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
    wrong = check(root, fix="--fix" in sys.argv)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
