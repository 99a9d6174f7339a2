# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The places that are searched for liblimequat and its components, and why a library found there is rejected."""

import ctypes
import os
import pathlib
import sys

_NAMES = ["liblimequat.dylib"] if sys.platform == "darwin" else ["liblimequat.so", "liblimequat.so.1"]
_MACHINES = {3: "x86 of 32 bits", 21: "POWER", 22: "s390", 40: "ARM of 32 bits", 62: "x86-64", 183: "AArch64", 243: "RISC-V"}


def places():
    """Where the library may be, in search order: paths, and bare names for the loader of the system."""
    named = os.environ.get("LIMEQUAT_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve().parent
    # Bundled; PREFIX/lib/python/limequat -> PREFIX/lib, or where the system divides that by machine; where Python itself is, as
    # in an environment of conda.
    prefix_lib = here.parent.parent
    folders = [here, prefix_lib, *sorted(prefix_lib.glob("*-linux-gnu")), prefix_lib.parent / "lib64",
               pathlib.Path(sys.prefix) / "lib"]
    return [str(folder / name) for folder in folders for name in _NAMES] + _NAMES


def load():
    """The first library that can be loaded; ImportError gives the reason for each place."""
    failures = []
    for place in places():
        is_path = "/" in place
        if is_path and not os.path.exists(place):
            failures.append(f"  {place}: does not exist")
            continue
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            words = made_for(place) if is_path else None
            where = "" if is_path else " (where the loader looks: LD_LIBRARY_PATH, the folders of the system)"
            failures.append(f"  {place}{where}: {words or error}")
    raise ImportError("the Limequat library was not found; install it, or name it: LIMEQUAT_LIBRARY=/path/to/liblimequat.so\n"
                      + "\n".join(failures))


def load_component(component, core, version):
    """The library of a component of that version: next to liblimequat, otherwise found by the loader of the system; OSError."""
    major = version.split(".")[0]
    name = f"liblimequat_{component}.{major}.dylib" if sys.platform == "darwin" else f"liblimequat_{component}.so.{major}"
    beside = (os.path.join(os.path.dirname(path), name) for path in (core, os.path.realpath(core)))
    return ctypes.CDLL(next(filter(os.path.exists, beside), name))


def made_for(path):
    """A sentence if a library was made for another machine or system; None if for this one."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if head[:4] == b"\x7fELF" and len(head) == 20:
        machine = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
        with open(sys.executable, "rb") as file:
            mine = file.read(20)
        if mine[:4] == b"\x7fELF" and (head[4], machine) == (mine[4], int.from_bytes(mine[18:20], sys.byteorder)):
            return None
        kind = _MACHINES.get(machine, f"machine {machine}") + (" under Linux" if mine[:4] != b"\x7fELF" else "")
    elif head[:4] in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"):
        kind = "macOS"
    elif head[:2] == b"MZ":
        kind = "Windows"
    else:
        return "not a library"
    return f"made for {kind}, but this is {os.uname().machine} under {os.uname().sysname}: install the package for this platform"
