# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an example and compares its output with the output in the opening comment of its source.

check_output.py SOURCE COMMAND...
"""

import pathlib
import re
import subprocess
import sys


def promised(source):
    """The indented lines behind "Prints" in the first comment."""
    lines = [re.sub(r"^(//|!) ?", "", line) for line in source.read_text().splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("Prints")) + 1
    output = []
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        output.append(line.strip())
    return output


def main():
    """Exit code 1 and both texts when they differ."""
    expected = promised(pathlib.Path(sys.argv[1]))
    result = subprocess.run(sys.argv[2:], text=True, stdout=subprocess.PIPE)
    printed = result.stdout.splitlines()
    if result.returncode != 0 or not expected or printed != expected:
        print("exit code", result.returncode, "\nexpected:", *expected, "printed:", *printed, sep="\n  ")
        sys.exit(1)


main()
