# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Describes liblimequat and its components; turns their statuses into exceptions."""

import atexit
import ctypes
import os
import threading
import weakref
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from limequat import signals, structs
from limequat._finding import load, load_component
from limequat.errors import BY_CODE, InternalError, InvalidArgument, Unsupported

_INT64S, _DOUBLES, _TEXT_OUT, _HANDLE_OUT = POINTER(c_int64), POINTER(c_double), POINTER(c_void_p), POINTER(c_void_p)

# Functions that return lq_status, with the types of their arguments.
_STATUS_FUNCTIONS = {
    "lq_options_json": [_TEXT_OUT],
    "lq_communicator_create": [POINTER(structs.Operations), _HANDLE_OUT],
    "lq_communicator_agree": [c_void_p, POINTER(structs.Failure)],
    "lq_grid_options_init": [c_void_p, c_size_t],
    "lq_grid_create": [_INT64S, c_int, c_void_p, POINTER(structs.GridOptions), _HANDLE_OUT],
    "lq_grid_processes": [c_void_p, _INT64S],
    "lq_grid_local_box": [c_void_p, _INT64S, _INT64S],
    "lq_write": [c_char_p, c_void_p, structs.Field, c_void_p],
    "lq_read": [c_char_p, c_void_p, structs.Field, c_void_p],
    "lq_write_async": [c_char_p, c_void_p, structs.Field, c_void_p, _HANDLE_OUT],
    "lq_read_async": [c_char_p, c_void_p, structs.Field, c_void_p, _HANDLE_OUT],
    "lq_pending_test": [c_void_p, POINTER(c_int)],
    "lq_pending_wait": [c_void_p, _TEXT_OUT],
    "lq_pending_cancel": [c_void_p],
    "lq_writer_create": [c_char_p, c_void_p, c_void_p, _HANDLE_OUT],
    "lq_writer_write": [c_void_p, c_char_p, structs.Field, POINTER(structs.Metadata), c_size_t, _TEXT_OUT],
    "lq_writer_record": [c_void_p, c_char_p, c_char_p, c_size_t],
    "lq_writer_close": [c_void_p],
    "lq_formats": [_TEXT_OUT],
    "lq_inspect": [c_char_p, c_void_p, _TEXT_OUT],
    "lq_verify": [c_char_p, c_void_p, POINTER(c_int), _TEXT_OUT],
    "lq_diagnose": [c_char_p, c_void_p, POINTER(c_int), _TEXT_OUT],
    "lq_convert": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_export_virtual": [c_char_p, c_char_p, c_void_p],
    "lq_diff": [c_char_p, c_char_p, c_void_p, POINTER(c_int), _TEXT_OUT],
    "lq_memory_check": [c_char_p],
    "lq_memory_arrays": [c_char_p, c_int, POINTER(c_int), POINTER(c_int)],
    "lq_validate": [c_char_p, c_void_p, _TEXT_OUT],
    "lq_explain": [c_char_p, c_void_p, _TEXT_OUT],
    "lq_file_open": [c_char_p, c_void_p, _HANDLE_OUT],
    "lq_file_catalog": [c_void_p, _TEXT_OUT],
    "lq_file_read": [c_void_p, c_void_p, structs.Field, c_void_p],
    "lq_file_read_async": [c_void_p, c_void_p, structs.Field, c_void_p, _HANDLE_OUT],
    "lq_file_read_record": [c_void_p, c_char_p, c_uint64, structs.Sink, c_void_p],
    "lq_pack": [c_char_p, POINTER(c_char_p), c_uint64, c_void_p, _TEXT_OUT],
    "lq_unpack": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_extract": [c_char_p, c_char_p, c_uint64, c_char_p, c_void_p, _TEXT_OUT],
    "lq_defragment": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_copy": [c_void_p, c_uint64, c_char_p, c_void_p, _TEXT_OUT],
    "lq_repartition": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_partition_of": [c_char_p, POINTER(structs.FileArray), c_char_p, c_uint64, _TEXT_OUT],
    "lq_partition_place": [POINTER(structs.FileArray), c_char_p, c_uint64, POINTER(c_uint64), POINTER(c_uint64)],
    "lq_partition_element": [POINTER(structs.FileArray), c_char_p, c_uint64, c_uint64, POINTER(c_uint64)],
    "lq_view_open": [c_char_p, c_char_p, c_uint64, POINTER(structs.FileArray), c_int, _HANDLE_OUT],
    "lq_view_size": [c_void_p, POINTER(c_uint64)],
    "lq_view_seek": [c_void_p, c_uint64],
    "lq_view_tell": [c_void_p, POINTER(c_uint64)],
    "lq_view_read": [c_void_p, c_void_p, c_uint64, POINTER(c_uint64)],
    "lq_view_write": [c_void_p, c_void_p, c_uint64],
    "lq_view_read_all": [c_void_p, c_void_p, c_uint64, c_void_p, c_uint64],
    "lq_view_write_all": [c_void_p, c_void_p, c_uint64, c_void_p, c_uint64],
    "lq_view_sync": [c_void_p],
    "lq_view_close": [c_void_p],
    "lq_squeeze": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_unsqueeze": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_repair": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_index": [c_void_p, c_uint64, c_void_p, _TEXT_OUT],
    "lq_find": [c_char_p, c_void_p, _TEXT_OUT],
    "lq_scrub": [c_void_p, POINTER(c_int), _TEXT_OUT],
    "lq_verify_below": [c_void_p, c_uint64, c_void_p, POINTER(c_int), _TEXT_OUT],
    "lq_assess": [c_void_p, _TEXT_OUT],
    "lq_report_page": [c_void_p, c_uint64, c_char_p, c_void_p, _TEXT_OUT],
    "lq_ildg_document": [c_char_p, c_void_p, _TEXT_OUT],
    "lq_ildg_check": [c_char_p, c_char_p, c_void_p, POINTER(c_int), _TEXT_OUT],
    "lq_ildg_lfn": [c_char_p, c_void_p, _TEXT_OUT],
    "lq_read_record": [c_char_p, c_char_p, c_uint64, structs.Sink, c_void_p],
    "lq_plaquette": [c_void_p, structs.Field, _DOUBLES],
    "lq_link_trace": [c_void_p, structs.Field, _DOUBLES],
    "lq_unitarity": [c_void_p, structs.Field, _DOUBLES],
    "lq_multifile_create": [c_char_p, c_void_p, _HANDLE_OUT],
    "lq_multifile_append": [c_char_p, c_void_p, _HANDLE_OUT],
    "lq_multifile_write": [c_void_p, c_int, c_void_p, c_uint64],
    "lq_multifile_flush": [c_void_p, c_int],
    "lq_multifile_stream": [c_void_p, c_int, _INT64S, POINTER(c_uint64)],
    "lq_multifile_close": [c_void_p],
    "lq_multifile_discard": [c_void_p],
    "lq_multifile_open": [c_char_p, c_void_p, _HANDLE_OUT],
    "lq_multifile_info": [c_void_p, _TEXT_OUT],
    "lq_multifile_share": [c_void_p, _INT64S, _INT64S, POINTER(c_uint64), POINTER(c_uint64)],
    "lq_multifile_fields": [c_void_p, _TEXT_OUT],
    "lq_multifile_read_field": [c_void_p, c_char_p, c_void_p, structs.Field, c_void_p],
    "lq_multifile_write_field": [c_void_p, c_char_p, c_void_p, structs.Field, c_void_p],
    "lq_multifile_size": [c_void_p, c_int64, POINTER(c_uint64)],
    "lq_multifile_read": [c_void_p, c_int64, c_uint64, c_void_p, c_uint64, POINTER(c_uint64)],
    "lq_multifile_verify": [c_char_p, POINTER(c_int), _TEXT_OUT],
    "lq_multifile_repair": [c_char_p, c_char_p, c_void_p, _TEXT_OUT],
    "lq_hdf5_open": [c_char_p, c_int, c_void_p, _HANDLE_OUT],
    "lq_hdf5_flush": [c_void_p],
    "lq_hdf5_close": [c_void_p],
    "lq_hdf5_cd": [c_void_p, c_char_p],
    "lq_hdf5_push": [c_void_p, c_char_p],
    "lq_hdf5_pop": [c_void_p],
    "lq_hdf5_ls": [c_void_p, c_char_p, structs.Hdf5Visit, c_void_p],
    "lq_hdf5_stat": [c_void_p, c_char_p, POINTER(structs.Hdf5Facts)],
    "lq_hdf5_exists": [c_void_p, c_char_p, POINTER(c_int)],
    "lq_hdf5_mkdir": [c_void_p, c_char_p],
    "lq_hdf5_remove": [c_void_p, c_char_p],
    "lq_hdf5_rename": [c_void_p, c_char_p, c_char_p],
    "lq_hdf5_copy": [c_void_p, c_char_p, c_char_p],
    "lq_hdf5_write": [c_void_p, c_char_p, POINTER(structs.Hdf5Array), c_int],
    "lq_hdf5_read": [c_void_p, c_char_p, _HANDLE_OUT],
    "lq_hdf5_write_field": [c_void_p, c_char_p, c_void_p, structs.Field, c_void_p],
    "lq_hdf5_read_field": [c_void_p, c_char_p, c_void_p, structs.Field, c_void_p],
    "lq_hdf5_catalog": [c_void_p, _TEXT_OUT],
    "lq_hdf5_set_attribute": [c_void_p, c_char_p, c_char_p, POINTER(structs.Hdf5Array)],
    "lq_hdf5_attribute": [c_void_p, c_char_p, c_char_p, _HANDLE_OUT],
    "lq_hdf5_remove_attribute": [c_void_p, c_char_p, c_char_p],
    "lq_hdf5_attributes": [c_void_p, c_char_p, structs.Hdf5VisitAttribute, c_void_p],
    "lq_modes_description_init": [c_void_p, c_size_t],
    "lq_modes_create": [c_char_p, c_void_p, POINTER(structs.ModesDescription), c_void_p, _HANDLE_OUT],
    "lq_modes_append": [c_char_p, c_void_p, c_void_p, _HANDLE_OUT],
    "lq_modes_writer_append": [c_void_p, structs.Field, POINTER(structs.Mode), _TEXT_OUT],
    "lq_modes_writer_close": [c_void_p],
    "lq_modes_known": [c_void_p, POINTER(structs.ModesDescription)],
    "lq_modes_mode": [c_void_p, c_uint64, POINTER(structs.Mode)],
    "lq_modes_error": [c_void_p, c_uint64, POINTER(c_double)],
    "lq_modes_read": [c_void_p, c_uint64, c_void_p, structs.Field, c_void_p],
    "lq_modes_read_async": [c_void_p, c_uint64, c_void_p, structs.Field, c_void_p, _HANDLE_OUT],
    "lq_modes_open_vectors": [c_char_p, c_int64, c_int, c_void_p, c_void_p, _HANDLE_OUT],
    "lq_modes_convert_reported": [c_char_p, c_char_p, c_char_p, c_int64, c_int, c_void_p, c_int, c_uint64, c_uint64, c_uint64, c_void_p,
                              c_double, c_void_p, c_void_p, _TEXT_OUT],
    "lq_file_system_of": [c_char_p, _TEXT_OUT],
    "lq_watch_stalls": [c_double, structs.StallTell, c_void_p],
    "lq_plan": [_INT64S, _INT64S, c_int, structs.Field, c_void_p, _TEXT_OUT],
    "lq_generate": [c_void_p, structs.Field, c_void_p],
}
for _struct in ("write", "read", "scan", "verify", "diagnose", "convert", "diff", "plan", "generate", "multifile", "multifile_read",
                "multifile_repair", "repack", "copy", "repartition", "squeeze", "catalogue", "qcdml", "hdf5"):
    _STATUS_FUNCTIONS[f"lq_{_struct}_options_init"] = [c_void_p, c_size_t]
    _STATUS_FUNCTIONS[f"lq_{_struct}_options_set"] = [c_void_p, c_char_p, c_char_p]
_OTHER_FUNCTIONS = {
    "lq_version": ([], c_char_p),
    "lq_is_device_memory": ([c_void_p], c_int),
    "lq_error_text": ([], c_char_p),
    "lq_error_path": ([], c_char_p),
    "lq_error_record": ([], c_char_p),
    "lq_error_offset": ([], c_int64),
    "lq_error_rank": ([], c_int),
    "lq_error_expected": ([], c_char_p),
    "lq_error_found": ([], c_char_p),
    "lq_error_errno": ([], c_int),
    "lq_stop": ([], None),
    "lq_check_interrupts": ([structs.InterruptCheck, c_void_p], None),
    "lq_text_free": ([c_void_p], None),
    "lq_communicator_free": ([c_void_p], None),
    "lq_communicator_rank": ([c_void_p], c_int),
    "lq_communicator_size": ([c_void_p], c_int),
    "lq_grid_free": ([c_void_p], None),
    "lq_grid_rank": ([c_void_p], c_int),
    "lq_grid_size": ([c_void_p], c_int),
    "lq_file_free": ([c_void_p], None),
    "lq_writer_free": ([c_void_p], None),
    "lq_multifile_reader_free": ([c_void_p], None),
    "lq_multifile_writer_free": ([c_void_p], None),
    "lq_pending_free": ([c_void_p], None),
    "lq_view_free": ([c_void_p], None),
    "lq_modes_free": ([c_void_p], None),
    "lq_modes_size": ([c_void_p], c_uint64),
    "lq_modes_family": ([c_void_p], c_char_p),
    "lq_modes_writer_free": ([c_void_p], None),
    "lq_modes_writer_size": ([c_void_p], c_uint64),
    "lq_hdf5_free": ([c_void_p], None),
    "lq_hdf5_value_free": ([c_void_p], None),
    "lq_hdf5_value_array": ([c_void_p], POINTER(structs.Hdf5Array)),
    "lq_hdf5_value_status": ([c_void_p], c_int),
    "lq_hdf5_pwd": ([c_void_p], c_char_p),
}


# What the functions of components begin with; each is a library of its own, loaded when one of them is needed.
_COMPONENTS = {"hdf5": ("lq_hdf5_",),
               "ensemble": ("lq_catalogue_", "lq_qcdml_", "lq_ildg_", "lq_index", "lq_find", "lq_scrub", "lq_assess", "lq_report_page",
                            "lq_verify_below")}


def _component_of(name):
    """The component that has a function; None: it is one of liblimequat."""
    return next((component for component, begins in _COMPONENTS.items() if name.startswith(begins)), None)


class _Library:
    """The functions of liblimequat, and those of its components as far as they were asked for."""

    def __init__(self):
        self._core = load()
        self._name = self._core._name
        try:
            self._declare(None, self._core)
        except AttributeError as error:
            raise ImportError(f"the library {self._name} is not the Limequat of this package: {error}") from None

    def _declare(self, component, library):
        for name, arguments in _STATUS_FUNCTIONS.items():
            if _component_of(name) == component:
                function = getattr(library, name)
                function.argtypes, function.restype = arguments, c_int
                setattr(self, name, function)
        for name, (arguments, result) in _OTHER_FUNCTIONS.items():
            if _component_of(name) == component:
                function = getattr(library, name)
                function.argtypes, function.restype = arguments, result
                setattr(self, name, function)

    def __getattr__(self, name):
        component = _component_of(name)
        if component is None:
            raise AttributeError(name)
        try:
            self._declare(component, load_component(component, library_path(), version()))
        except (OSError, AttributeError) as error:
            raise Unsupported(f"{name} needs Limequat's component {component}, which cannot be loaded: {error}; install it "
                              f"beside {library_path()}") from None
        return self.__dict__[name]


_library = _Library()
_check = structs.InterruptCheck(signals.deferred.handle)


class _Thread(threading.local):
    """What is known of a thread: ``failure``, what a callback threw while the library is in a call."""

    def __init__(self):
        self.failure = None
        if threading.current_thread() is threading.main_thread():
            _library.lq_check_interrupts(_check, None)
            atexit.register(_library.lq_check_interrupts, structs.InterruptCheck(), None)


_thread = _Thread()


def version():
    """Version of the library, "MAJOR.MINOR.PATCH"."""
    return _library.lq_version().decode()


def is_device_memory(address):
    """Whether a GPU owns the memory at that address, as far as a driver of this process knows."""
    return bool(_library.lq_is_device_memory(address))


def stop():
    """Within a function that the library calls: the work that calls it is to end."""
    _library.lq_stop()


def _text(value):
    return value.decode("utf-8", "replace") or None


def keep_cause(failure):
    """The exception of a callback, which the library knows as a failure only."""
    _thread.failure = failure


def _failure(status):
    """The exception for the last failure on this thread."""
    offset, rank = _library.lq_error_offset(), _library.lq_error_rank()
    return BY_CODE.get(status, InternalError)(
        _library.lq_error_text().decode("utf-8", "replace"),
        path=_text(_library.lq_error_path()),
        record=_text(_library.lq_error_record()),
        offset=None if offset < 0 else offset,
        rank=None if rank < 0 else rank,
        expected=_text(_library.lq_error_expected()),
        found=_text(_library.lq_error_found()),
        errno=_library.lq_error_errno() or None,
    )


def _range_of(kind):
    """(smallest, largest) of a ctypes integer; None of another type."""
    if not isinstance(kind, type) or not issubclass(kind, (c_int, c_int64, c_uint64, c_size_t)):
        return None
    bits = 8 * ctypes.sizeof(kind)
    return (-1 << bits - 1, (1 << bits - 1) - 1) if kind(-1).value < 0 else (0, (1 << bits) - 1)


def require_range(kind, value, name):
    """Refuses what ctypes would silently cut to the low bits."""
    limits = _range_of(kind)
    if limits and isinstance(value, int) and not limits[0] <= value <= limits[1]:
        raise InvalidArgument(f"{name} is {value}, expected a number from {limits[0]} to {limits[1]}",
                              found=str(value))


def require_types(name, arguments):
    """Refuses what C has no value for, as the call would; for calls that all ranks make or none."""
    for number, (kind, value) in enumerate(zip(getattr(_library, name).argtypes, arguments)):
        require_range(kind, value, f"argument {number} of {name}")
        try:
            kind.from_param(value)
        except (TypeError, ctypes.ArgumentError) as error:
            raise InvalidArgument(f"argument {number} of {name} is {value!r}: {error}", found=repr(value)) from None


def call(name, *arguments):
    """Calls a function that returns lq_status; raises unless it is LQ_OK."""
    checked(getattr(_library, name), name, *arguments)


def checked(function, name, *arguments):
    """The same for a function of this or another library."""
    for number, (kind, value) in enumerate(zip(function.argtypes, arguments)):
        require_range(kind, value, f"argument {number} of {name}")
    _thread.failure = None
    with signals.deferred:
        status = function(*arguments)
    if status != 0:
        cause = _thread.failure
        if cause is not None and not isinstance(cause, Exception):
            raise cause
        raise _failure(status) from cause


def answer(name, *arguments):
    """What a function returns that cannot fail."""
    return getattr(_library, name)(*arguments)


def text_from(name, *arguments):
    """Calls a function whose last parameter is char **; returns the text."""
    out = c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return take_text(out)


def take_text(out):
    """The text behind a filled char *, which is freed."""
    try:
        return ctypes.string_at(out.value).decode("utf-8", "replace") if out.value else ""
    finally:
        _library.lq_text_free(out)
        out.value = None


def path_bytes(path):
    """A path of any kind as the bytes that the system wants; C would end it at a NUL, which is another file."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise InvalidArgument(f"the path {path!r} holds a NUL character")
    return encoded


def text_bytes(text, what):
    """A text as C takes it, which would end it at a NUL; `what` it is, for the one who gave something else."""
    if not isinstance(text, str) or "\0" in text:
        raise InvalidArgument(f"{what} is {text!r}, expected a text without NUL", found=repr(text))
    return text.encode("utf-8", "surrogateescape")


class _DlInfo(ctypes.Structure):
    """Dl_info of the system."""

    _fields_ = [("file", c_char_p), ("base", c_void_p), ("symbol", c_char_p), ("address", c_void_p)]


def library_path():
    """The file that liblimequat was loaded from."""
    info = _DlInfo()
    found = ctypes.CDLL(None).dladdr(ctypes.cast(_library.lq_version, c_void_p), ctypes.byref(info))
    return os.fsdecode(info.file) if found and info.file else _library._name


def address_of(library, name):
    """Where a function is that a library has itself or by the libraries it needs; None: of liblimequat."""
    return ctypes.cast(getattr(_library if library is None else library, name), c_void_p).value


class Handle:
    """An opaque handle; passed to a call as it is, so that it lives at least as long as the call. `create` is the name
    of a function, or a function of another library."""

    _as_parameter_ = None

    def __init__(self, free, create, *arguments):
        self._free, self._as_parameter_ = free, c_void_p()
        function = getattr(_library, create) if isinstance(create, str) else create
        checked(function, function.__name__, *arguments, ctypes.byref(self._as_parameter_))

    def __bool__(self):
        return bool(self._as_parameter_)

    def free(self):
        """Frees what is behind the handle, once."""
        if self._as_parameter_:
            getattr(_library, self._free)(self._as_parameter_)
            self._as_parameter_ = c_void_p()

    def __del__(self):
        self.free()


class FileHandle(Handle):
    """An open lq_file: looked through once, read as often as one likes."""

    def __init__(self, path, limits):
        super().__init__("lq_file_free", "lq_file_open", path, limits)


class WriterHandle(Handle):
    """An open lq_writer; freed before it is closed, it leaves no file."""

    def __init__(self, path, grid, defaults):
        super().__init__("lq_writer_free", "lq_writer_create", path, grid, defaults)


class PendingHandle(Handle):
    """An lq_pending, and the array whose memory it has borrowed; freed before it is waited for, it is cancelled."""

    def __init__(self, create, source, grid, field, how, array):
        # numpy resizes no array that somebody refers to weakly, even where it is told not to count references.
        self._array, self._resized_by_nobody = array, weakref.ref(array)
        super().__init__("lq_pending_free", create, source, grid, field, how)

    def release(self):
        """Gives the array back."""
        self._array = self._resized_by_nobody = None
