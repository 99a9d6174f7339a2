# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""openQCD's local files of make_files.py, a file for each process, by docs/formats/openqcd.md 9."""

import cmath
import itertools
import random
import struct

import make_flat as flat

DIRECTIONS = (3, 0, 1, 2)  # in the file: t, x, y, z
STATE_WORDS = 210


def dagger(matrix):
    return [[c.conjugate() for c in column] for column in zip(*matrix)]


class SmoothLinks:
    """Links whose plaquettes are near to 1 where neighbours are neighbours, made out of few matrices: the files compress well."""

    kind, colors, spins, word, numbers = "gauge", 3, 0, 8, 72

    def __init__(self, lattice, seed):
        stream = random.Random(seed)
        self.lattice = lattice
        self.points = [x[::-1] for x in itertools.product(*(range(n) for n in reversed(lattice)))]
        frames = [flat.special_unitary(3, stream) for _ in range(6)]
        turns = [[[cmath.rect(1, angle) if i == k else 0j for k in range(3)] for i, angle in enumerate((a, b, -a - b))]
                 for a, b in ((0.3, -0.1), (-0.2, 0.25))]
        frame = {x: stream.randrange(len(frames)) for x in self.points}
        made = {key: flat.product(flat.product(frames[key[0]], turns[key[1]]), dagger(frames[key[2]]))
                for key in itertools.product(range(6), range(2), range(6))}
        self.links = {(x, mu): made[frame[x], stream.randrange(2), frame[self.step(x, mu)]] for x in self.points for mu in range(4)}
        self.traces = {x: sum(self.trace(x, mu, nu) for mu in range(4) for nu in range(mu)) for x in self.points}
        self.plaquette = sum(self.traces.values()) / (18 * len(self.points))

    def step(self, x, mu, by=1):
        return tuple((c + by * (d == mu)) % n for d, (c, n) in enumerate(zip(x, self.lattice)))

    def trace(self, x, mu, nu):
        """Re tr of the plaquette that begins at x."""
        one = flat.product(self.links[x, mu], self.links[self.step(x, mu), nu])
        other = flat.product(self.links[x, nu], self.links[self.step(x, nu), mu])
        return sum((p * q.conjugate()).real for r, s in zip(one, other) for p, q in zip(r, s))

    def at(self, x):
        return [part for mu in range(4) for row in self.links[x, mu] for c in row for part in (c.real, c.imag)]

    def attached(self, x):
        """The eight links of an odd point."""
        both = [self.links[site, mu] for mu in DIRECTIONS for site in (x, self.step(x, mu, -1))]
        return [part for u in both for row in u for c in row for part in (c.real, c.imag)]


def boxes(lower, extents, counts):
    """Equal parts of a box, z fastest: (first point, extents), as t, x, y, z."""
    size = [n // c for n, c in zip(extents, counts)]
    for at in itertools.product(*map(range, counts)):
        yield [lo + k * n for lo, k, n in zip(lower, at, size)], size


def blocks_of(lower, extents):
    """As long as the box in t, and 4 (else 3, else 2) points in the others."""
    sides = [next(n for n in (4, 3, 2) if extent % n == 0) for extent in extents[1:]]
    return boxes(lower, extents, (1, *(extent // n for extent, n in zip(extents[1:], sides))))


def odd_points(local, version_24):
    """Of a process with one thread, in the order of its file, as t, x, y, z."""
    pieces = boxes((0, 0, 0, 0), local, (2, 2, 2, 2)) if version_24 else [((0, 0, 0, 0), local)]
    for lower, extents in pieces:
        for first, size in blocks_of(lower, extents):
            for point in itertools.product(*(range(lo, lo + n) for lo, n in zip(first, size))):
                if sum(point) % 2:
                    yield point


def local_file(links, grid, blocking, at, version_24=True, order="<", sum_changed=0.0):
    """The file of the process at these coordinates (t, x, y, z) of the grid."""
    lattice = (links.lattice[3], *links.lattice[:3])
    local = [n // p for n, p in zip(lattice, grid)]
    lower = [n * a for n, a in zip(local, at)]
    place = lambda point: tuple(lo + c for lo, c in zip(lower, point))
    site = lambda point: (*place(point)[1:], place(point)[0])
    total = sum(links.traces[site(point)] for point in itertools.product(*map(range, local)))
    between = [1] if version_24 else [(k * 2654435761) % 2**24 for k in range(STATE_WORDS)]
    head = struct.pack(f"{order}16i{len(between)}id", *grid, *local, *blocking, *at, *between, total + sum_changed)
    return head + b"".join(flat.pack(links.attached(site(point)), order, 8) for point in odd_points(local, version_24))


def rank_of(grid, blocking, at):
    counts = [p // b for p, b in zip(grid, blocking)]
    block = inside = 0
    for count, b, a in zip(counts, blocking, at):
        block, inside = block * count + a // b, inside * b + a % b
    number = 1
    for b in blocking:
        number *= b
    return block * number + inside


def local_files(make):
    links = SmoothLinks((4, 4, 8, 8), 170)
    grid, blocking = (2, 1, 1, 2), (2, 1, 1, 1)
    processes = list(itertools.product(*map(range, grid)))
    files = {rank_of(grid, blocking, at): local_file(links, grid, blocking, at) for at in processes}
    first, others = files[0], {f"local_24_{rank}": data for rank, data in files.items() if rank}
    yield make.beside(make.good("openqcd/local_24_0", "openqcd", links, first, byte_order="little", stated=links.plaquette,
                                why="local files of 2.4, of four processes of one thread; numbered t before z"), **others)
    yield make.bad("openqcd/bad_local_alone_0", "openqcd", first, "truncated", "the files of the other processes are missing")
    old = SmoothLinks((4, 4, 8, 4), 171)
    one = (1, 1, 1, 1)
    yield make.good("openqcd/local_16_0", "openqcd", old, local_file(old, one, one, (0, 0, 0, 0), False, ">"), byte_order="big",
                    stated=old.plaquette, why="a local file of 1.x of one process, with two blocks and states of generators")
    small = SmoothLinks((4, 4, 4, 4), 172)
    yield make.bad("openqcd/bad_local_sum_0", "openqcd", local_file(small, one, one, (0, 0, 0, 0), sum_changed=-3000.0), "malformed",
                   "plaquettes other than those of the links")
