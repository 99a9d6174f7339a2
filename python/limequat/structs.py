# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The structs and callback types of limequat.h, member by member; those of options are in options.py."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_uint64, c_void_p

GAUGE, SPINOR, PROPAGATOR, GENERIC = 0, 1, 2, 3
SINGLE, DOUBLE = 32, 64

Sink = CFUNCTYPE(None, c_void_p, c_uint64, c_void_p)


class Field(Structure):
    """lq_field"""

    _fields_ = [("kind", c_int), ("precision", c_int), ("colors", c_int), ("spins", c_int), ("links", c_int),
                ("is_complex", c_int), ("numbers", c_uint64), ("data", c_void_p), ("available", c_uint64),
                ("order", POINTER(c_int)), ("order_length", c_int), ("fetch", c_void_p), ("store", c_void_p),
                ("context", c_void_p), ("reserved", c_uint64 * 4)]


class Metadata(Structure):
    """lq_metadata"""

    _fields_ = [("name", c_char_p), ("text", c_char_p)]
