#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Generates the C interface for Python, python/limequat/c_interface.py, from packaging/abi/limequat.h.types, which check_abi.py
# compares with the header; and for Fortran, fortran/limequat_c_interface.inc, with the names of arguments from the header.
# Without --fix it compares the files.
"""usage: make_bindings.py [--fix] [ROOT]"""

import pathlib
import re
import sys
import textwrap

# Codes of types; any other name is a struct or a function type of the interface.
CODES = {"void": "v", "int": "i", "int64_t": "l", "uint64_t": "u", "uint32_t": "w", "size_t": "z", "double": "d",
         "char": "c", "char *": "s"}
POINTERS = {"int": "I", "int64_t": "L", "uint64_t": "U", "double": "D", "char *": "S"}

HEAD = '''# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The functions and types of limequat.h, which structs.py reads; made by tools/make_bindings.py.

A function: name result arguments. A struct: name member:type ... A type of function: name result arguments. Types: v void, i int,
l int64_t, u uint64_t, w uint32_t, z size_t, d double, c char, s text, p a pointer, h a handle; I, L, U, D, S pointers to these; T a pointer to a pointer
that is filled; NAME of a struct or a type of function, *NAME a pointer to a struct, (TYPES) a function, TYPE[N] an array.
"""
'''


def split_arguments(text):
    """The types in an argument list, which can contain function types with their own lists."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


class Interface:
    """The contents of the lines of the list."""

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
        # The library itself describes structs of options.
        self.structs = {name: [entry[1:] for entry in sorted(parts)] for name, parts in members.items()
                        if not name.endswith("_options") or name == "lq_grid_options"}

    def code(self, text):
        """The code of a type."""
        if text == "char *":  # the caller frees it
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

    def signature(self, text, separator=" ", code=None):
        result, arguments = re.fullmatch(r"(.*?) ?\((.*)\)", text.strip()).groups()
        return separator.join([self.code(result), *map(code or self.code, split_arguments(arguments))])

    def argument_code(self, text):
        """The code of a type that an argument of a function has: handles differ from other pointers."""
        code = self.code(text)
        is_handle = re.fullmatch(r"lq_(?!text\b)\w+(?<!_options)( const)? \*", text)
        return "h" if code == "p" and is_handle else code

    def tables(self):
        """Name and lines of each table."""
        yield "FUNCTIONS", [f"{name[3:]} {self.signature(text, code=self.argument_code)}"
                            for name, text in sorted(self.functions.items())]
        yield "FUNCTION_TYPES", [f"{name[3:]} {self.signature(text[:-2])}" for name, text in sorted(self.kinds.items())]
        yield "STRUCTS", [" ".join([name[3:], *(f"{member}:{self.code(text)}" for member, text in parts)])
                          for name, parts in sorted(self.structs.items())]


def module(lines):
    """The file."""
    # `char **` receives a text, like a handle; texts passed in are `char const * const *`.
    interface = Interface(re.sub(r"\bchar \* \*", "lq_text * *", line) for line in lines)
    parts = [HEAD]
    for name, table in interface.tables():
        wrapped = textwrap.wrap("; ".join(table), 134, break_long_words=False, break_on_hyphens=False)
        parts.append("\n" + name + ' = """\\\n' + "\n".join(wrapped) + '"""\n')
    return "".join(parts)


# Fortran types with the layout of a struct in C, and arguments that are arrays of numbers: C does not distinguish them from single numbers.
FORTRAN_STRUCTS = ("lq_facts", "lq_field", "lq_grid_options", "lq_pairs", "lq_places", "lq_report")
FORTRAN_ARRAYS = ("extents", "lower", "processes", "values")
FORTRAN_NUMBERS = {"int": "integer(c_int)", "int64_t": "integer(c_int64_t)",
                   "uint64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)", "double": "real(c_double)"}

FORTRAN_HEAD = """! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! What the headers of C declare and fortran/*.f90 uses; made by tools/make_bindings.py. c_NAME is lq_NAME, or lq_fortran_NAME of
! binding.h.
"""


class FortranInterface:
    """The declarations of headers, in Fortran."""

    def __init__(self, headers, interface):
        text = re.sub(r"//[^\n]*|^#[^\n]*", "", "\n".join(headers), flags=re.M)
        self.interface = interface
        self.functions = self.by_name(re.findall(r"^(?:LQ_API )?([\w *]+?)(lq_\w+)\(([^()]*)\);", text, re.M))
        self.structs = self.by_name(("struct", name, body) for body, name in
                                    re.findall(r"^typedef struct \w+ \{(.*?)\} (lq_\w+);", text, re.M | re.S))

    @staticmethod
    def by_name(declarations):
        """A declaration for Fortran replaces the one for C."""
        return {re.sub("_fortran", "", one[1]): one for one in sorted(declarations, key=lambda one: "_fortran" in one[1])}

    def number(self, kind):
        return FORTRAN_NUMBERS.get("int" if kind in self.interface.enums else kind)

    def member(self, text):
        """Declaration of members of a struct."""
        kind, names = re.fullmatch(r"(.*?)(\w+(?:, \w+)*)", " ".join(text.split())).groups()
        pointer = "type(c_funptr)" if kind.strip() in self.interface.kinds else "type(c_ptr)"
        return f"{self.number(kind.strip()) or pointer} :: {names}"

    def argument(self, text):
        """Name and declaration."""
        kind, name = re.fullmatch(r"(.*?)(\w+)", " ".join(text.split())).groups()
        target, stars = kind.replace("const ", "").rstrip("* "), kind.count("*")
        struct = target.replace("_fortran", "")
        given, size = "const " in kind, ""
        if target == "CFI_cdesc_t":
            what = "type(*), dimension(..)" + ", intent(in)" * given
        elif stars == 2:
            what = "type(c_ptr), intent(inout)" + ", optional" * (target == "char")
        elif struct in FORTRAN_STRUCTS:
            way = ", intent(in)" if given else ", intent(inout), optional"
            what = f"type({struct})" + (way if stars else ", value")
        elif given and target in ("char", "void"):
            what, size = "character(kind=c_char), intent(in)", "(*)"
        elif self.number(target):
            what = self.number(target) + (f", intent({'in' if given else 'inout'})" if stars else ", value")
            size = "(*)" if stars and name in FORTRAN_ARRAYS else ""
        else:
            what = "type(c_ptr), value"
        return name, f"{what} :: {name}{size}"

    def procedure(self, name):
        """The lines of a function, or of a subroutine if it has no result."""
        result, c_name, arguments = self.functions["lq_" + name]
        result = result.strip()
        # Queries of a handle do not change it.
        pure = "pure " if result in FORTRAN_NUMBERS and re.fullmatch(r"const lq_\w+\* \w+", arguments) else ""
        arguments = [self.argument(one) for one in arguments.split(",") if one.strip() != "void"]
        kind = "subroutine" if result == "void" else "function"
        lines = ["import", *(declaration for _, declaration in arguments)]
        if kind == "function":
            lines.append(f"{self.number(result) or 'type(c_ptr)'} :: answer")
        head = f"    {pure}{kind} c_{name}({', '.join(one for one, _ in arguments)}) "
        tail = f"bind(c, name='{c_name}')" + (" result(answer)" if kind == "function" else "")
        yield head + tail if len(head + tail) <= 120 else f"{head}&\n        {tail}"
        yield from (f"      {line}" for line in lines)
        yield f"    end {kind}"

    def text(self, sources):
        """The file, with the functions that the sources call."""
        yield FORTRAN_HEAD
        for name in FORTRAN_STRUCTS:
            yield f"  type, bind(c) :: {name}"
            yield from (f"    {self.member(one)}" for one in self.structs[name][2].split(";") if one.strip())
            yield "  end type\n"
        yield "  interface"
        for name in sorted(set(re.findall(r"\bc_(\w+)\(", "\n".join(sources)))):
            if "lq_" + name in self.functions:
                yield from self.procedure(name)
        yield "  end interface"


def read(paths):
    return [path.read_text(encoding="utf-8") for path in paths]


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    root = pathlib.Path(words[0]) if words else pathlib.Path(__file__).resolve().parent.parent
    lines = (root / "packaging/abi/limequat.h.types").read_text(encoding="utf-8").splitlines()
    headers = [*sorted((root / "include/limequat/c").glob("*.h")), root / "include/limequat.h", root / "include/limequat_mpi.h",
               root / "fortran/binding.h"]
    fortran = FortranInterface(read(headers), Interface(lines))
    wrong = 0
    included = "\n".join(fortran.text(read((root / "fortran").glob("*.f90")))) + "\n"
    for name, made in (("python/limequat/c_interface.py", module(lines)), ("fortran/limequat_c_interface.inc", included)):
        path = root / name
        if "--fix" in sys.argv:
            path.write_text(made, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != made:
            print(f"{path}: is not what the C interface says: run tools/make_bindings.py --fix")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
