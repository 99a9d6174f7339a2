# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The structs and callback types of limequat.h, member by member; those of options are in options.py."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

GAUGE, SPINOR, PROPAGATOR, GENERIC = 0, 1, 2, 3
SINGLE, DOUBLE = 32, 64

InterruptCheck = CFUNCTYPE(c_int, c_void_p)
Sink = CFUNCTYPE(None, c_void_p, c_uint64, c_void_p)


class Field(Structure):
    """lq_field"""

    _fields_ = [("kind", c_int), ("precision", c_int), ("colors", c_int), ("spins", c_int), ("links", c_int),
                ("is_complex", c_int), ("numbers", c_uint64), ("data", c_void_p), ("available", c_uint64),
                ("order", POINTER(c_int)), ("order_length", c_int), ("fetch", c_void_p), ("store", c_void_p),
                ("context", c_void_p), ("problem", c_char_p), ("memory", c_char_p),
                ("fetch_rows", c_void_p), ("store_rows", c_void_p)]


class Places(Structure):
    """lq_places"""

    _fields_ = [("table", c_void_p), ("entries", c_uint64)]


class GridOptions(Structure):
    """lq_grid_options"""

    _fields_ = [("struct_size", c_size_t), ("processes", POINTER(c_int64)), ("rank_order", POINTER(c_int)),
                ("axes", POINTER(c_int)), ("idle_ranks", c_int), ("holds_sites", c_int)]


class Failure(Structure):
    """lq_failure"""

    _fields_ = [("struct_size", c_size_t), ("status", c_int), ("sentence", c_char_p), ("path", c_char_p),
                ("record", c_char_p), ("expected", c_char_p), ("found", c_char_p), ("offset", c_int64),
                ("system_errno", c_int)]


StartMessage = CFUNCTYPE(c_int, c_void_p, c_void_p, c_uint64, c_int, c_int, POINTER(c_uint64))
TestMessage = CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(c_int))
DropMessage = CFUNCTYPE(None, c_void_p, c_uint64)
FailureText = CFUNCTYPE(c_void_p, c_void_p)
FreeOperations = CFUNCTYPE(None, c_void_p)


class Operations(Structure):
    """lq_operations"""

    _fields_ = [("struct_size", c_size_t), ("rank", c_int), ("size", c_int), ("node", c_uint64), ("tags", c_int),
                ("send", StartMessage), ("receive", StartMessage), ("test", TestMessage), ("drop", DropMessage),
                ("failure", FailureText), ("free", FreeOperations), ("context", c_void_p)]


class FileArray(Structure):
    """lq_file_array"""

    _fields_ = [("begin", c_uint64), ("element_bytes", c_uint64), ("axes", c_int), ("extents", POINTER(c_int64))]


class Metadata(Structure):
    """lq_metadata"""

    _fields_ = [("name", c_char_p), ("text", c_char_p)]


class Mode(Structure):
    """lq_mode"""

    _fields_ = [("eigenvalue_re", c_double), ("eigenvalue_im", c_double), ("residual", c_double)]


class ModesParameter(Structure):
    """lq_modes_parameter"""

    _fields_ = [("name", c_char_p), ("type", c_int), ("integer", c_int64), ("re", c_double), ("im", c_double),
                ("text", c_char_p)]


class ModesDescription(Structure):
    """lq_modes_description"""

    _fields_ = [("struct_size", c_size_t), ("dimensions", c_int), ("lattice", c_int64 * 8), ("kind", c_int),
                ("colors", c_int), ("spins", c_int), ("is_complex", c_int), ("numbers", c_uint64), ("storage", c_int),
                ("parity", c_int), ("ls", c_int64), ("operator_name", c_char_p),
                ("parameters", POINTER(ModesParameter)), ("parameter_count", c_size_t), ("room", c_uint64),
                ("basis", c_uint64), ("block", c_int64 * 8), ("tolerance", c_double)]


class Hdf5Facts(Structure):
    """lq_hdf5_facts"""

    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("dimensions", c_int), ("extents", c_uint64 * 32),
                ("is_chunked", c_int), ("chunk", c_uint64 * 32), ("bytes", c_uint64), ("unused_bytes", c_uint64),
                ("has_time", c_int), ("microseconds", c_int64), ("attributes", c_uint64), ("path", c_char_p),
                ("type", c_char_p), ("storage", c_char_p), ("filters", c_char_p), ("checksum", c_char_p),
                ("layout", c_char_p), ("object", c_char_p)]


class Hdf5Axis(Structure):
    """lq_hdf5_axis"""

    _fields_ = [("name", c_char_p), ("coordinates", POINTER(c_double))]


class Hdf5Array(Structure):
    """lq_hdf5_array"""

    _fields_ = [("type", c_int), ("dimensions", c_int), ("extents", c_uint64 * 32), ("data", c_void_p),
                ("axes", POINTER(Hdf5Axis))]


Hdf5Visit = CFUNCTYPE(None, c_char_p, c_int, c_char_p, c_void_p)
Hdf5VisitAttribute = CFUNCTYPE(None, c_char_p, POINTER(Hdf5Array), c_void_p)


class Stall(Structure):
    """lq_stall"""

    _fields_ = [("struct_size", c_size_t), ("call", c_char_p), ("path", c_char_p), ("offset", c_uint64), ("bytes", c_uint64),
                ("seconds", c_double), ("sentence", c_char_p)]


StallTell = CFUNCTYPE(None, POINTER(Stall), c_void_p)
