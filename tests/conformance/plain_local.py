# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A naive reader of openQCD's local files in plain Python, by docs/formats/openqcd.md 9, of processes with one thread; it
shares no line with the library, nor with what makes the conformance files. `fail(kind, message)` raises."""

import math
import re
import struct

AXES = "txyz"


def head_of(data, fail):
    for order in "<>":
        words = struct.unpack_from(f"{order}17i", data)
        grid, local, blocking, at = (dict(zip(AXES, words[k:k + 4])) for k in (0, 4, 8, 12))
        volume = math.prod(local.values())
        rest = len(data) - 64 - 8 - 576 * volume
        if volume > 0 and all(0 <= at[d] < grid[d] for d in AXES) and 0 < rest < 16384:
            is_24 = rest == 4
            if is_24 and words[16] != 1:
                fail("unsupported", f"{words[16]} threads")
            total, = struct.unpack_from(f"{order}d", data, 64 + rest)
            return {"order": order, "grid": grid, "local": local, "blocking": blocking, "at": at, "is_24": is_24, "sum": total,
                    "links": 72 + rest}
    return fail("unknown", "no header of a local file")


def number_of(head, at):
    """Section 9: (number of its block of processes) (processes of a block) + (number in the block)."""
    block = inside = 0
    for d in AXES:
        side = head["blocking"][d]
        block = block * (head["grid"][d] // side) + at[d] // side
        inside = inside * side + at[d] % side
    return block * math.prod(head["blocking"].values()) + inside


def sort_key(head):
    """Points in the order of the file: by piece, block, and place in the block."""
    def key(point):
        pieces, blocks = [], []
        for d, c in zip(AXES, point):
            extent = head["local"][d]
            if head["is_24"]:
                half = (extent + 1) // 2
                pieces.append(c >= half)
                c, extent = (c - half, extent - half) if c >= half else (c, half)
            side = extent if d == "t" else 4 if extent % 4 == 0 else 3 if extent % 3 == 0 else 2
            blocks.append(c // side)
        return pieces, blocks, point
    return key


def odd_points(head):
    every = [(t, x, y, z) for t in range(head["local"]["t"]) for x in range(head["local"]["x"])
             for y in range(head["local"]["y"]) for z in range(head["local"]["z"])]
    return sorted((point for point in every if sum(point) % 2), key=sort_key(head))


def links_of(path, fail):
    """{(site, mu): 18 numbers}, the lattice, the stated plaquette, and the first header."""
    first = head_of(path.read_bytes(), fail)
    lattice = {d: first["grid"][d] * first["local"][d] for d in AXES}
    links, total = {}, 0.0
    for number in range(math.prod(first["grid"].values())):
        file = path.with_name(re.sub(r"\d+$", str(number), path.name))
        if not file.exists():
            fail("truncated", f"there is no {file.name}")
        data = file.read_bytes()
        head = head_of(data, fail)
        if number_of(head, head["at"]) != number or any(head[k] != first[k] for k in ("grid", "local", "blocking", "order", "is_24")):
            fail("malformed", f"{file.name} belongs to another set")
        total += head["sum"]
        place = head["links"]
        for point in odd_points(head):
            site = [head["at"][d] * head["local"][d] + c for d, c in zip(AXES, point)]
            for axis in range(4):
                below = list(site)
                below[axis] = (below[axis] - 1) % lattice[AXES[axis]]
                for start in (site, below):
                    t, x, y, z = start
                    links[(x, y, z, t), (axis - 1) % 4] = list(struct.unpack_from(f"{head['order']}18d", data, place))
                    place += 144
    volume = math.prod(lattice.values())
    return links, [lattice[d] for d in "xyzt"], total / (18 * volume), first
