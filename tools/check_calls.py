#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the include rule in the linked code, because a room can call a room through a public header without including it.
# Reads the object files of a build and the table of rooms in ARCHITECTURE.md: a room calls only rooms of its row, and there
# are no cycles of calls between rooms. Exits 1 if there is a violation.
"""usage: check_calls.py BUILD [ROOT]"""

import collections
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_includes import read_rooms  # noqa: E402

LAST = ("cli", "programs", "bench", "compat")  # they contain sources of other rooms, whose names belong to those rooms


def symbols(objects):
    """[(object, type, name)] of the symbols that they define and need."""
    done = subprocess.run(["nm", "-A", *objects], text=True, capture_output=True, check=True)
    for line in done.stdout.splitlines():
        place, _, rest = line.rpartition(":")
        fields = rest.split()
        if len(fields) >= 2:
            yield place, fields[-2], fields[-1]


def plain(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True)
    return done.stdout.splitlines() if done.returncode == 0 else list(names)


def calls(build):
    """{(room, other room): names that the room needs from the other}"""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = (re.search(r" -o (\S+)", command["command"]) for command in commands)
    outputs = {pathlib.PurePath(output[1]) for output in found if output}  # other files remain from earlier builds
    rooms = {}
    for path in outputs:
        below = path.relative_to("dropins") if path.parts[0] == "dropins" else path
        if below.parts[0] == "src" and "_test.dir" not in str(path) and (build / path).exists():
            rooms[str(build / path)] = below.parts[1]
    objects = sorted(rooms, key=lambda path: (rooms[path] in LAST, path))
    if not objects:
        raise SystemExit(f"check_calls.py: {build} has no object files; build first")
    owner, needed = {}, collections.defaultdict(set)
    for path, kind, name in symbols(objects):
        if kind in "TDBR":
            owner.setdefault(name, rooms[path])
        elif kind == "U" and not name.startswith("_ZTI"):  # a type is not a call; sanitizers refer to the types of all objects
            needed[rooms[path]].add(name)
    found = collections.defaultdict(list)
    for room, names in needed.items():
        for name in names:
            if owner.get(name, room) != room:
                found[room, owner[name]].append(name)
    return found


def circle(found):
    """A cycle of rooms that call each other, in order; empty without a cycle."""
    graph = collections.defaultdict(set)
    for room, other in found:
        graph[room].add(other)

    def below(path):
        for other in sorted(graph[path[-1]]):
            if other in path:
                return path[path.index(other):] + [other]
            if other not in seen:
                seen.add(other)
                if (met := below(path + [other])):
                    return met
        return []

    seen = set()
    for room in sorted(graph):
        if room not in seen:
            seen.add(room)
            if (met := below([room])):
                return met
    return []


def check(build, root):
    """All violations, as sentences."""
    rooms, found = read_rooms(root / "ARCHITECTURE.md"), calls(build)
    for (room, other), names in sorted(found.items()):
        if room in rooms and other not in rooms[room][0]:
            shown = "; ".join(plain(sorted(names)[:3]))
            yield f"room {room} may not call room {other}: {shown}"
    if (met := circle(found)):
        yield f"rooms call each other in a circle: {' -> '.join(met)}"


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent.parent
    breaches = list(check(pathlib.Path(sys.argv[1]), root))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
