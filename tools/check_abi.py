#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the binary C interface: signatures of functions, offsets and types of the members of structs, and values of enumerators,
# as libabigail reads them from debug information. A line of the list that no longer holds is an error until the soname
# changes; a new line is an error until it is in the list.
"""usage: check_abi.py [--fix] LIST [--include FOLDER] [--symbols LIST...] [--cc COMPILER]"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBE = "probe_"  # in front of the name of each function: a variable of its type


class Types:
    """The types of a dump, and their spelling."""

    def __init__(self, dump):
        self.by_id = {node.get("id"): node for node in dump.iter() if node.get("id")}

    def name(self, node):
        """The name of a struct or an enumeration, or else of its typedef."""
        typedef = self.by_id.get(node.get("naming-typedef-id"))
        return typedef.get("name") if typedef is not None else node.get("name")

    def spelled(self, number):
        """The type as in C; for functions, RESULT (ARGUMENTS)."""
        node = self.by_id[number]
        if node.tag == "pointer-type-def":
            return self.spelled(node.get("type-id")) + " *"
        if node.tag == "qualified-type-def":
            words = [word for word in ("const", "volatile", "restrict") if node.get(word) == "yes"]
            return " ".join([self.spelled(node.get("type-id")), *words])
        if node.tag == "array-type-def":
            lengths = "".join(f"[{part.get('length')}]" for part in node.iter("subrange"))
            return self.spelled(node.get("type-id")) + lengths
        if node.tag in ("function-type", "function-decl"):
            return self.function(node)
        return self.name(node)

    def function(self, node):
        arguments = ["..." if part.get("is-variadic") == "yes" else self.spelled(part.get("type-id"))
                     for part in node.iter("parameter")]
        return f"{self.spelled(node.find('return').get('type-id'))} ({', '.join(arguments)})"


def members(types, node):
    """Lines of a struct. They include its size, unless callers state it in the first member struct_size: then the struct may grow."""
    name = types.name(node)
    variables = [(part.find("var-decl"), int(part.get("layout-offset-in-bits")) // 8) for part in node.findall("data-member")]
    for variable, place in variables:
        yield f"{name}.{variable.get('name')}: {types.spelled(variable.get('type-id'))} at byte {place}"
    if variables and variables[0][0].get("name") != "struct_size":
        yield f"{name}: {int(node.get('size-in-bits')) // 8} bytes"


def described(dump):
    """Lines for all functions and types with names that begin with lq_."""
    types = Types(dump)
    lines = set()
    for node in dump.iter("var-decl"):
        if (node.get("name") or "").startswith(PROBE):
            pointer = types.by_id[node.get("type-id")]
            lines.add(f"{node.get('name')[len(PROBE):]}: {types.spelled(pointer.get('type-id'))}")
    for node in dump.iter("class-decl"):
        if types.name(node).startswith("lq_"):
            lines.update(members(types, node))
    for node in dump.iter("typedef-decl"):
        target = types.by_id[node.get("type-id")]
        if node.get("name").startswith("lq_") and target.tag not in ("class-decl", "enum-decl"):
            lines.add(f"{node.get('name')}: {types.spelled(node.get('type-id'))}")
    for node in dump.iter("enum-decl"):
        for value in node.findall("enumerator") if types.name(node).startswith("lq_") else ():
            lines.add(f"{types.name(node)}: {value.get('name')} = {value.get('value')}")
    return lines


def interface(include, functions, compiler):
    """The lines of the interface that limequat.h in a folder declares; CalledProcessError if it does not compile."""
    with tempfile.TemporaryDirectory(prefix="limequat-abi-") as name:
        folder = pathlib.Path(name)
        probes = "".join(f"__typeof__({function})* {PROBE}{function};\n" for function in functions)
        # This includes structs that no function uses.
        text = "".join(path.read_text(encoding="utf-8") for path in pathlib.Path(include).rglob("*.h") if "compat" not in path.parts)
        probes += "".join(f"{struct}* seen_{struct};\n" for struct in sorted(set(re.findall(r"typedef struct (lq_\w+) \{", text))))
        (folder / "probe.c").write_text(f"#include <limequat.h>\n{probes}", encoding="utf-8")
        subprocess.run([compiler, "-g", "-gdwarf-4", "-shared", "-fPIC", "-I", include, "probe.c", "-o", "probe.so"], cwd=folder,
                       check=True, text=True, capture_output=True)
        done = subprocess.run(["abidw", "probe.so"], cwd=folder, check=True, text=True, capture_output=True)
    return described(xml.fromstring(done.stdout))


def complaints(listed, found):
    """Broken promises, as sentences."""
    for line in sorted(listed - found):
        yield f"no longer true: {line}: programs that were compiled with it would go wrong. Keep it, or change the soname"
    for line in sorted(found - listed):
        yield f"new: {line}: tools/check_abi.py --fix adds it to the list"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.removeprefix("usage: "))
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("list", type=pathlib.Path, metavar="LIST")
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "include")
    lists = [ROOT / f"packaging/abi/liblimequat{component}.symbols" for component in ("", "_hdf5", "_ensemble")]
    parser.add_argument("--symbols", type=pathlib.Path, nargs="+", default=lists)
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    if not shutil.which("abidw"):
        print("SKIPPED: abidw (Debian: abigail-tools) is not there")
        return 0
    functions = sorted(function for page in options.symbols
                       for function in re.findall(r"^lq_\w+$", page.read_text(encoding="utf-8"), re.M))
    try:
        found = interface(options.include.resolve(), functions, options.cc)
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} failed:\n{error.stderr}")
        return 1
    if options.fix:
        options.list.write_text("\n".join(sorted(found)) + "\n", encoding="utf-8")
        return 0
    wrong = list(complaints(set(options.list.read_text(encoding="utf-8").splitlines()), found))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
