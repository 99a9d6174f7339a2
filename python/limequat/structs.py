# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The structs and callback types of limequat.h, member by member."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p)

GAUGE, SPINOR, PROPAGATOR, GENERIC = 0, 1, 2, 3
SINGLE, DOUBLE = 32, 64

# The last members of structs with a route.
_ROUTE = [("strategy", c_int), ("aggregators", c_uint64), ("chunk_bytes", c_uint64), ("alignment", c_uint64),
          ("memory_bytes", c_uint64)]

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


class WriteOptions(Structure):
    """lq_write_options"""

    _fields_ = [("struct_size", c_size_t), ("format", c_char_p), ("name", c_char_p), ("precision", c_int),
                ("verify", c_int), ("sync", c_int), ("overwrite", c_int), ("measure", c_int),
                ("slice_checksums", c_int), ("block_bytes", c_uint64), ("metadata", POINTER(Metadata)),
                ("metadata_count", c_size_t), ("report_json", POINTER(c_void_p)), *_ROUTE]


class ReadOptions(Structure):
    """lq_read_options"""

    _fields_ = [("struct_size", c_size_t), ("field", c_char_p), ("index", c_uint64),
                ("region_lower", POINTER(c_int64)), ("region_extents", POINTER(c_int64)),
                ("region_dimensions", c_int), ("verify", c_int), ("block_bytes", c_uint64),
                ("limit_records", c_uint64), ("limit_text_bytes", c_uint64), ("report_json", POINTER(c_void_p)),
                *_ROUTE]


class VerifyOptions(Structure):
    """lq_verify_options"""

    _fields_ = [("struct_size", c_size_t), ("communicator", c_void_p), ("physics", c_int),
                ("memory_bytes", c_uint64), ("block_bytes", c_uint64), ("limit_records", c_uint64),
                ("limit_text_bytes", c_uint64), ("progress", c_void_p), ("progress_context", c_void_p)]


class ConvertOptions(Structure):
    """lq_convert_options"""

    _fields_ = [("struct_size", c_size_t), ("communicator", c_void_p), ("write", POINTER(WriteOptions)),
                ("dry_run", c_int), ("limit_records", c_uint64), ("limit_text_bytes", c_uint64),
                ("progress", c_void_p), ("progress_context", c_void_p)]


class DiffOptions(Structure):
    """lq_diff_options"""

    _fields_ = [("struct_size", c_size_t), ("communicator", c_void_p), ("tolerance", c_double),
                ("field", c_char_p), ("index", c_uint64), ("limit_records", c_uint64),
                ("limit_text_bytes", c_uint64), ("progress", c_void_p), ("progress_context", c_void_p)]


class GenerateOptions(Structure):
    """lq_generate_options"""

    _fields_ = [("struct_size", c_size_t), ("beta", c_double), ("sweeps", c_int), ("over_relaxation", c_int),
                ("seed", c_uint64), ("hot_start", c_int), ("after_sweep", c_void_p), ("context", c_void_p)]


class MultifileOptions(Structure):
    """lq_multifile_options"""

    _fields_ = [("struct_size", c_size_t), ("communicator", c_void_p), ("streams", c_int), ("expected_bytes", c_uint64),
                ("files", c_int), ("compression", c_int), ("level", c_int), ("checksums", c_int), ("overwrite", c_int),
                ("sync", c_int), ("buffer_bytes", c_uint64)]


class MultifileReadOptions(Structure):
    """lq_multifile_read_options"""

    _fields_ = [("struct_size", c_size_t), ("communicator", c_void_p), ("record_bytes", c_uint64), ("verify", c_int),
                ("accept_missing", c_int)]
