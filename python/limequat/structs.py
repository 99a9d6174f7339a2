# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The structs and function types of limequat.h for ctypes, created when they are first used: lq_file_array is FileArray.
Structs of options are in options.py."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from limequat.c_interface import FUNCTION_TYPES, STRUCTS

GAUGE, SPINOR, PROPAGATOR, GENERIC = 0, 1, 2, 3
SINGLE, DOUBLE = 32, 64


class HandlePointer(c_void_p):
    """An argument that is a handle. ctypes alone takes texts and numbers as addresses."""

    @classmethod
    def from_param(cls, value: Any) -> Any:
        pointer = getattr(value, "_as_parameter_", value)
        if pointer is None or isinstance(pointer, c_void_p):
            return pointer
        raise TypeError("expected an object that the library made")


_CODES = {"v": None, "i": c_int, "l": c_int64, "u": c_uint64, "w": c_uint32, "z": c_size_t, "d": c_double, "c": c_char, "s": c_char_p,
          "p": c_void_p, "h": HandlePointer, "I": POINTER(c_int), "L": POINTER(c_int64), "U": POINTER(c_uint64), "D": POINTER(c_double),
          "S": POINTER(c_char_p), "T": POINTER(c_void_p)}


def rows(table):
    """The entries of a table of c_interface.py, by name: lists of words."""
    return {name: words for name, *words in (entry.split() for entry in table.split(";"))}


_STRUCTS, _FUNCTION_TYPES = rows(STRUCTS), rows(FUNCTION_TYPES)


def type_of(code):
    """The type for a code."""
    if code in _CODES:
        return _CODES[code]
    if code[0] == "*":
        made = POINTER(type_of(code[1:]))
    elif code[0] == "(":
        made = _function_type(code[1:-1].split(","))
    elif code[-1] == "]":
        element, _, length = code[:-1].partition("[")
        made = type_of(element) * int(length)
    elif code in _STRUCTS:
        # A member that is a function of a named type is an address: functions of Python become one where they are kept alive.
        members = [part.split(":") for part in _STRUCTS[code]]
        name = "".join(word.capitalize() for word in code.split("_"))
        made = type(name, (Structure,), {"__doc__": f"lq_{code}", "_fields_": [
            (member, c_void_p if kind in _FUNCTION_TYPES else type_of(kind)) for member, kind in members]})
    else:
        made = _function_type(_FUNCTION_TYPES[code])
    return _CODES.setdefault(code, made)


def _function_type(codes):
    # A text that a function of Python returns is an address, too.
    return CFUNCTYPE(c_void_p if codes[0] == "s" else type_of(codes[0]), *map(type_of, codes[1:]))


def __getattr__(name: str) -> Any:
    code = "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")
    if code not in _STRUCTS and code not in _FUNCTION_TYPES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, type_of(code))
