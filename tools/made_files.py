# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Common code of scripts that generate files for tests: a folder contains their files and nothing else.
"""main(...) of make_golden_modes.py and others."""

import pathlib
import sys


def keep(made, root, there):
    """Writes the files, or compares them with --check; returns the exit code of the script.

    made   contents by path, relative to root
    there  the files in root that belong to the script, including outdated ones
    """
    root = pathlib.Path(root)
    there = {str(pathlib.Path(path).relative_to(root)) for path in there}
    if "--check" in sys.argv[1:]:
        wrong = sorted(there ^ set(made)) + sorted(n for n in there & set(made) if (root / n).read_bytes() != made[n])
        for name in wrong:
            print(f"{root / name} is not what {pathlib.Path(sys.argv[0]).name} writes")
        return 1 if wrong else 0
    for name in there - set(made):
        (root / name).unlink()
    for name, data in made.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return 0
