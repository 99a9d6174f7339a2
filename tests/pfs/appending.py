#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A program that adds modes to a set, for disturbed.py: says of each that it is kept, once that is promised.

    appending.py SET COUNT          adds COUNT modes, to a new set where there is none
    appending.py SET --check        says how many modes there are, and fails where one has other numbers than it was given
"""

import pathlib
import sys

import limequat as lq
import numpy as np

LATTICE = (8, 8, 8, 16)


def vector(k):
    numbers = np.random.default_rng(k).standard_normal((*reversed(LATTICE), 4, 3, 2))
    return numbers[..., 0] + 1j * numbers[..., 1]


def add(path, count):
    with lq.modes.append(path) if pathlib.Path(path).exists() else lq.modes.create(path, LATTICE) as modes:
        for k in range(len(modes), len(modes) + count):
            modes.append(vector(k), eigenvalue=k)
            print(f"kept {k + 1}", flush=True)


def check(path):
    with lq.modes.open(path) as modes:
        wrong = [k for k in range(len(modes)) if modes.eigenvalues[k] != k or not np.array_equal(modes[k], vector(k))]
        print(f"there {len(modes)}", flush=True)
    return f"modes {wrong} are not what was added" if wrong else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]) if sys.argv[2] == "--check" else add(sys.argv[1], int(sys.argv[2])))
