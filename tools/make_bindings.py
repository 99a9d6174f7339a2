#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The C interface as Python calls it, python/limequat/c_interface.py, made of packaging/abi/limequat.h.types, which check_abi.py
# holds against the header. Without --fix the file is compared with what it should be.
"""usage: make_bindings.py [--fix] [ROOT]"""

import pathlib
import re
import sys
import textwrap

# Codes of types; what stands for itself is a struct or a function type of the interface.
CODES = {"void": "v", "int": "i", "int64_t": "l", "uint64_t": "u", "uint32_t": "w", "size_t": "z", "double": "d",
         "char": "c", "char *": "s"}
POINTERS = {"int": "I", "int64_t": "L", "uint64_t": "U", "double": "D", "char *": "S"}

HEAD = '''# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The functions and types of limequat.h, which structs.py reads; made by tools/make_bindings.py.

A function: name result arguments. A struct: name member:type ... A type of function: name result arguments. Types: v void, i int,
l int64_t, u uint64_t, w uint32_t, z size_t, d double, c char, s text, p a pointer; I, L, U, D, S pointers to these; T a pointer to a pointer
that is filled; NAME of a struct or a type of function, *NAME a pointer to a struct, (TYPES) a function, TYPE[N] an array.
"""
'''


def split_arguments(text):
    """The types in an argument list, in which functions have lists of their own."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


class Interface:
    """What the lines of the list say."""

    def __init__(self, lines):
        self.functions, self.kinds, members, self.enums = {}, {}, {}, set()
        for line in lines:
            name, _, rest = line.partition(": ")
            member = re.fullmatch(r"(\w+)\.(\w+)", name)
            if member:
                text, _, place = rest.rpartition(" at byte ")
                members.setdefault(member.group(1), []).append((int(place), member.group(2), text))
            elif re.fullmatch(r"\w+ = -?\d+", rest):
                self.enums.add(name)
            elif rest.endswith(") *"):
                self.kinds[name] = rest
            elif rest.endswith(")"):
                self.functions[name] = rest
        # Structs of options are described by the library itself.
        self.structs = {name: [entry[1:] for entry in sorted(parts)] for name, parts in members.items()
                        if not name.endswith("_options") or name == "lq_grid_options"}

    def code(self, text):
        """The code of a type."""
        if text == "char *":  # to be freed
            return "p"
        text = text.replace(" const", "")
        array = re.fullmatch(r"(.*)\[(\d+)\]", text)
        if array:
            return f"{self.code(array.group(1))}[{array.group(2)}]"
        if text in self.enums:
            return "i"
        if text in CODES:
            return CODES[text]
        if text.endswith(") *"):
            return "(" + self.signature(text[:-2], ",") + ")"
        if text.endswith(" *"):
            target = text[:-2]
            if target in POINTERS or target in self.enums:
                return POINTERS.get(target, "I")
            if target.endswith(" *"):
                return "T"
            return "*" + target[3:] if target in self.structs and target != "lq_grid_options" else "p"
        return text.removeprefix("lq_")

    def signature(self, text, separator=" "):
        result, arguments = re.fullmatch(r"(.*?) ?\((.*)\)", text.strip()).groups()
        return separator.join(self.code(one) for one in [result, *split_arguments(arguments)])

    def tables(self):
        """Name and lines of each table."""
        yield "FUNCTIONS", [f"{name[3:]} {self.signature(text)}" for name, text in sorted(self.functions.items())]
        yield "FUNCTION_TYPES", [f"{name[3:]} {self.signature(text[:-2])}" for name, text in sorted(self.kinds.items())]
        yield "STRUCTS", [" ".join([name[3:], *(f"{member}:{self.code(text)}" for member, text in parts)])
                          for name, parts in sorted(self.structs.items())]


def module(lines):
    """The file."""
    # `char **` is filled with a text, like a handle; texts that are given are `char const * const *`.
    interface = Interface(re.sub(r"\bchar \* \*", "lq_text * *", line) for line in lines)
    parts = [HEAD]
    for name, table in interface.tables():
        wrapped = textwrap.wrap("; ".join(table), 134, break_long_words=False, break_on_hyphens=False)
        parts.append("\n" + name + ' = """\\\n' + "\n".join(wrapped) + '"""\n')
    return "".join(parts)


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    root = pathlib.Path(words[0]) if words else pathlib.Path(__file__).resolve().parent.parent
    made = module((root / "packaging/abi/limequat.h.types").read_text(encoding="utf-8").splitlines())
    path = root / "python/limequat/c_interface.py"
    if "--fix" in sys.argv:
        path.write_text(made, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != made:
        print(f"{path}: is not what packaging/abi/limequat.h.types says: run tools/make_bindings.py --fix")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
