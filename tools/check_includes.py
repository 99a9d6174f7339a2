#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the include rule: a room includes only what its row in the table of rooms of ARCHITECTURE.md names. This script
# reads that table and the #include lines of src/, include/ and dropins/, prints every violation as FILE:LINE, and exits 1 if
# there is one.
"""usage: check_includes.py [ROOT]"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SIBLINGS = re.compile(r"in `(\w+)`,\s((?:`\w+` <\s)+`\w+`)")  # folders of a room, each may use those before it
MPI_HEADERS = {"limequat/mpi.hpp", "limequat/cxx17_mpi.hpp", "limequat_mpi.h"}
# Headers that exist only on Linux: the rest of the code calls the system through base/system.hpp.
LINUX_HEADERS = re.compile(r"^(asm/|linux/|link\.h|sys/(auxv|epoll|eventfd|inotify|prctl|sendfile|signalfd|statfs|syscall|sysinfo|"
                           r"sysmacros|timerfd|vfs|xattr)\.h)")
# The pattern of an #include for each library in the last column of the table.
LIBRARIES = {
    "fmt": re.compile(r"^fmt/"),
    "pugixml": re.compile(r"^pugi"),
    "isa-l": re.compile(r"^(isa-l\.h|isa-l/|crc\.h)"),
    "lz4": re.compile(r"^lz4"),
    "zstd": re.compile(r"^zstd"),
    "libdeflate": re.compile(r"^libdeflate"),
    "sqlite": re.compile(r"^sqlite3\.h$"),
    "hdf5": re.compile(r"^(hdf5|H5[A-Za-z]*)\.h"),
    "tomlplusplus": re.compile(r"^toml\+\+"),
    "cli11": re.compile(r"^CLI/"),
    "mpi": re.compile(r"^(mpi\.h|limequat/mpi\.hpp|limequat_mpi\.h)$"),
    "gtest": re.compile(r"^(gtest|gmock)/"),
}


def read_rooms(architecture):
    """{room: (may include, libraries)} from the table whose head is Room | Lives here | May include | Libraries."""
    rooms, inside = {}, False
    for line in architecture.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[:3] == ["Room", "Lives here", "May include"]:
            inside = True
        elif inside and not line.startswith("|"):
            break
        elif inside and not set(line) <= set("|- "):
            names = [re.findall(r"`([^`]+)`", cell) for cell in cells]
            rooms[names[0][0]] = (names[2], names[3])
    return rooms


def read_siblings(architecture):
    """{room: its folders, in order}, from sentences such as: in `room`, `first` < `second`."""
    text = architecture.read_text(encoding="utf-8")
    return {room: re.findall(r"`(\w+)`", folders) for room, folders in SIBLINGS.findall(text)}


def is_public(header):
    return header.startswith("limequat/") or header in ("limequat.h", "limequat_mpi.h")


def library_of(header):
    return next((name for name, pattern in LIBRARIES.items() if pattern.match(header)), None)


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1], found[2]


def breach_in_room(room, sibling, header, quoted, rooms, siblings, is_test):
    """The reason why `header` must not be included there, or None."""
    may_include, libraries = rooms[room]
    library = library_of(header)
    if library == "gtest":
        return None if is_test else "only tests include GoogleTest"
    if library:
        return None if library in libraries else f"room {room} may not use {library}"
    if is_public(header):
        return None
    other = header.split("/")[0]
    if other in rooms:
        if other == room and room in siblings:
            parts = header.split("/")
            used = parts[1] if len(parts) > 2 else None
            if used and sibling and used != sibling and not is_left_of(used, sibling, siblings[room]):
                return f"{room} sibling {sibling} may not include {used}"
            return None
        if other == room or other in may_include or (is_test and quoted):
            return None
        return f"room {room} may not include room {other}"
    if quoted:
        if is_test and header.startswith("support/"):
            return None
        return "quoted includes are written from src/: \"room/file.hpp\""
    return None


def is_left_of(used, sibling, order):
    return used in order and sibling in order and order.index(used) < order.index(sibling)


def breach_in_dropin(header):
    foreign = is_public(header) or library_of(header) not in (None, "mpi")
    return "headers of drop-ins include each other, POSIX and MPI" if foreign else None


def breach_in_public(name, header, quoted):
    if header == "mpi.h" or header in MPI_HEADERS:
        return None if name in MPI_HEADERS else "only limequat/mpi.hpp, limequat/cxx17_mpi.hpp and limequat_mpi.h mention MPI"
    if is_public(header):
        return None if not quoted else "public headers are included with < >"
    if quoted or library_of(header) or "/" in header:
        return "public headers include only the standard library and each other"
    return None


def check(root):
    """All violations, as sentences."""
    rooms = read_rooms(root / "ARCHITECTURE.md")
    if not rooms:
        return [f"{root / 'ARCHITECTURE.md'}: no table of rooms (Room | Lives here | May include | Libraries)"]
    siblings = read_siblings(root / "ARCHITECTURE.md")
    breaches = []
    for path in sorted([*(root / "src").rglob("*.[ch]pp"), *(root / "dropins/src").rglob("*.[ch]pp")]):
        parts = path.relative_to(root / ("src" if path.is_relative_to(root / "src") else "dropins/src")).parts
        if parts[0] not in rooms:
            breaches.append(f"{path.relative_to(root)}:1: {parts[0]} is not a room of ARCHITECTURE.md")
            continue
        sibling = parts[1] if len(parts) > 2 else None
        for line, bracket, header in includes(path):
            is_test = path.stem.endswith("_test")
            why = breach_in_room(parts[0], sibling, header, bracket == '"', rooms, siblings, is_test)
            if not why and LINUX_HEADERS.match(header) and not is_test and not path.stem.endswith("_linux"):
                why = "only Linux has it: calls of the system go through base/system.hpp, sources of Linux are called NAME_linux.cpp"
            if why:
                breaches.append(f"{path.relative_to(root)}:{line}: {header}: {why}")
    for path in sorted(path for folder in ("include", "dropins/include") for path in (root / folder).rglob("*.h*")):
        is_dropin = path.is_relative_to(root / "dropins")
        name = str(path.relative_to(root / ("dropins/include" if is_dropin else "include")))
        for line, bracket, header in includes(path):
            why = breach_in_dropin(header) if is_dropin else breach_in_public(name, header, bracket == '"')
            if why:
                breaches.append(f"{path.relative_to(root)}:{line}: {header}: {why}")
    return breaches


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    breaches = check(root)
    for breach in breaches:
        print(breach, file=sys.stderr)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
