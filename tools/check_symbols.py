#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the exported symbols of the shared libraries against the lists in packaging/abi, so that linked programs keep working.
# A missing symbol is an error until the soname changes; a new one is an error until it is in the list.
# Symbols of the version LIMEQUAT_<release>_INNER are not checked: they are for our own libraries of that release (base/inner.hpp).
"""usage: check_symbols.py [--fix] LIST LIBRARY SONAME"""

import pathlib
import re
import subprocess
import sys

INNER = re.compile(r"LIMEQUAT_[0-9.]+_INNER")


def dynamic(library):
    """(soname, {symbol that others may link to: its version}) of a shared library; weak ones are what compilers make of
    headers."""
    head = subprocess.run(["readelf", "-dW", library], text=True, capture_output=True, check=True).stdout
    soname = re.search(r"\(SONAME\)\s+Library soname: \[(.*)\]", head)
    lines = subprocess.run(["nm", "-D", "--defined-only", library], text=True, capture_output=True, check=True).stdout
    symbols = [fields[2] for fields in map(str.split, lines.splitlines()) if len(fields) == 3 and fields[1] in "TDBR"]
    versions = dict(symbol.partition("@@")[::2] for symbol in symbols if not symbol.startswith(("_init", "_fini", "LIMEQUAT_")))
    # Symbols for C++ programs of one minor version may disappear in the next one (limequat/language.hpp).
    return soname[1] if soname else None, {name: version for name, version in versions.items()
                                           if not INNER.fullmatch(version) and not name.startswith("lq_compiled_for_")}


def plain(names):
    """The demangled names."""
    done = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True)
    return done.stdout.splitlines() if done.returncode == 0 else list(names)


def complaints(listed, library, wanted_soname):
    """Broken promises, as sentences."""
    soname, symbols = dynamic(library)
    if soname != wanted_soname:
        yield f"{library}: the soname is {soname}, expected {wanted_soname}"
    wanted_version = f"LIMEQUAT_{wanted_soname.rpartition('.')[2]}"
    for name in plain(sorted(name for name, version in symbols.items() if version != wanted_version)):
        yield f"{library}: {name} has not the version {wanted_version}"
    gone, fresh = sorted(listed - set(symbols)), sorted(set(symbols) - listed)
    for name in plain(gone):
        yield f"{library}: {name} is gone: programs that use it will not start. Keep it, or change the soname"
    for name in plain(fresh):
        yield f"{library}: {name} is new: tools/check_symbols.py --fix adds it to the list"


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    if len(words) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    page, library, soname = pathlib.Path(words[0]), words[1], words[2]
    if "--fix" in sys.argv:
        page.write_text("\n".join(sorted(dynamic(library)[1])) + "\n", encoding="utf-8")
        return 0
    wrong = list(complaints(set(page.read_text(encoding="utf-8").split()), library, soname))
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
