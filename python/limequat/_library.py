# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Describes liblimequat and its components; turns their statuses into exceptions."""

import atexit
import ctypes
import os
import reprlib
import threading
import weakref
from ctypes import c_char_p, c_int, c_int64, c_size_t, c_uint64, c_void_p

from limequat import signals, structs
from limequat._finding import load, load_component
from limequat.c_interface import FUNCTIONS
from limequat.errors import BY_CODE, InternalError, InvalidArgument, Unsupported
from limequat.remedies import in_keywords

_SIGNATURES = structs.rows(FUNCTIONS)

# Prefixes of the components' functions; each component is a separate library, loaded when one of its functions is needed.
_COMPONENTS = {"hdf5": ("lq_hdf5_",),
               "ensemble": ("lq_catalogue_", "lq_qcdml_", "lq_ildg_", "lq_index", "lq_find", "lq_scrub", "lq_assess", "lq_report_page",
                            "lq_verify_below",
                            "lq_set_unpacker")}


def _component_of(name):
    """The component that has a function; None: it is one of liblimequat."""
    return next((component for component, begins in _COMPONENTS.items() if name.startswith(begins)), None)


class _DlInfo(ctypes.Structure):
    """Dl_info of the system."""

    _fields_ = [("file", c_char_p), ("base", c_void_p), ("symbol", c_char_p), ("address", c_void_p)]


def _file_of(function):
    """The file from which a C function was loaded; None if the system does not report it."""
    info = _DlInfo()
    found = ctypes.CDLL(None).dladdr(ctypes.cast(function, c_void_p), ctypes.byref(info))
    return os.fsdecode(info.file) if found and info.file else None


class _Library:
    """The functions of the core and of its components, each typed at its first use."""

    def __init__(self, core):
        self._libraries, self._name = {None: core}, core._name
        self._require_functions(None, core)

    def _require_functions(self, component, library):
        names = ("lq_" + name for name in _SIGNATURES)
        missing = next((name for name in names if _component_of(name) == component and not hasattr(library, name)), None)
        if missing is not None:
            known = getattr(library, "lq_version", None)
            where = known and _file_of(known) or library._name
            raise ImportError(f"the library {where} is not the Limequat of this package: it has no function {missing}; "
                              "name the right one (LIMEQUAT_LIBRARY=/path/to/liblimequat.so), or install library and package again")

    def _library_of(self, component, name):
        if component not in self._libraries:
            try:
                library = load_component(component, library_path(), version())
                its_core = library.lq_version
                self._require_functions(component, library)
            except (OSError, ImportError) as error:
                its_core = getattr(ctypes.CDLL(None), "lq_version", None)  # of a core loaded with global symbols
                library, reason = None, error
            other = _file_of(its_core)
            if other not in (None, library_path()):
                library, reason = None, f"the process has also loaded {other}, and the component would be linked to it: load only one Limequat"
            if library is None:
                raise Unsupported(f"{name} needs Limequat's component {component}, which cannot be loaded: {reason}; install it "
                                  f"beside {library_path()}")
            self._libraries[component] = library
        return self._libraries[component]

    def __getattr__(self, name):
        function = getattr(self._library_of(_component_of(name), name), name)
        if name[3:] not in _SIGNATURES:  # of those who know its types
            return function
        result, *arguments = map(structs.type_of, _SIGNATURES[name[3:]])
        function.argtypes, function.restype = arguments, result
        setattr(self, name, function)
        return function


_library = _Library(load())
_check = structs.InterruptCheck(signals.deferred.handle)


class _Thread(threading.local):
    """The state of a thread: ``failure``, the exception of a callback during a call of the library."""

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
    """True if a GPU owns the memory at that address, according to the drivers of this process."""
    return bool(_library.lq_is_device_memory(address))


def stop():
    """Called in a function that the library calls: ends the running operation."""
    _library.lq_stop()


def _text(value):
    return value.decode("utf-8", "replace") or None


def keep_cause(failure):
    """Stores the exception of a callback, which the library only sees as a failure."""
    _thread.failure = failure


addresses: "dict[str, str]" = {}  # of paths that stand for them in the library, for messages


def _addressed(text):
    for path, address in list(addresses.items()):
        text = text.replace(path, address) if text else text
    return text


def _failure(status):
    """The exception for the last failure on this thread."""
    offset, rank = _library.lq_error_offset(), _library.lq_error_rank()
    return BY_CODE.get(status, InternalError)(
        _addressed(in_keywords(_library.lq_error_text().decode("utf-8", "replace"))),
        path=_addressed(_text(_library.lq_error_path())),
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
    """Refuses values that C cannot represent, as the call would; for calls that either all ranks make or none."""
    _require_types(getattr(_library, name), name, arguments)


def _require_types(function, name, arguments):
    for number, (kind, value) in enumerate(zip(function.argtypes, arguments)):
        require_range(kind, value, f"argument {number} of {name}")
        try:
            kind.from_param(value)
        except (TypeError, ctypes.ArgumentError) as error:
            found = " ".join(reprlib.repr(value).split())
            raise InvalidArgument(f"argument {number} of {name} is {found}: {error}", found=found) from None


def call(name, *arguments):
    """Calls a function that returns lq_status; raises unless it is LQ_OK."""
    checked(getattr(_library, name), name, *arguments)


def checked(function, name, *arguments):
    """The same for a function of this or another library."""
    for number, (kind, value) in enumerate(zip(function.argtypes, arguments)):
        require_range(kind, value, f"argument {number} of {name}")
    _thread.failure = None
    try:
        with signals.deferred:
            status = function(*arguments)
    except ctypes.ArgumentError:
        _require_types(function, name, arguments)
        raise
    if status != 0:
        cause = _thread.failure
        if cause is not None and not isinstance(cause, Exception):
            raise cause
        raise _failure(status) from cause


def answer(name, *arguments):
    """The result of a function that cannot fail."""
    require_types(name, arguments)
    return getattr(_library, name)(*arguments)


def text_from(name, *arguments):
    """Calls a function whose last parameter is char **; returns the text."""
    out = c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return take_text(out)


def take_text(out):
    """The text of a filled char *, which is freed."""
    try:
        return ctypes.string_at(out.value).decode("utf-8", "replace") if out.value else ""
    finally:
        _library.lq_text_free(out)
        out.value = None


class _HeldPath(bytes):
    """The path of a source (sources.py) that lives as long as these bytes."""

    source = None


def path_bytes(path):
    """A path of any kind as bytes for the system; a NUL is refused, because C would open another file. A file object or a
    URL becomes a source, which exists as long as these bytes."""
    source = None
    if not isinstance(path, (bytes, os.PathLike)):
        from limequat import sources
        path = sources.path_of(path)
        source = sources.source_of(path)
    if callable(getattr(path, "open", None)) and not isinstance(path, (str, bytes, os.PathLike)):  # of fsspec, UPath, zipfile.Path
        raise InvalidArgument(f"a {type(path).__name__} was given, which is not open: open it first, in binary mode, and give the file object")
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise InvalidArgument(f"the path {path!r} holds a NUL character")
    if source is not None:
        encoded = _HeldPath(encoded)
        encoded.source = source
    return encoded


def reading_bytes(path):
    """The same for a file that is only read, which may be compressed or a member of a tar archive (packed.py)."""
    from limequat import sources
    return path_bytes(sources.path_to_read(path))


def target_bytes(path):
    """The same for a file to be written."""
    from limequat import sources
    if isinstance(path, sources.Source) or not isinstance(path, (bytes, os.PathLike)) and sources.is_elsewhere(path):
        raise InvalidArgument(f"{sources.shown(path)}: only files of the file system can be written: name one, and copy it from there")
    return path_bytes(path)


def text_bytes(text, what):
    """A text for C, without NUL; `what` names it in messages about other types."""
    if not isinstance(text, str) or "\0" in text:
        raise InvalidArgument(f"{what} is {text!r}, expected a text without NUL", found=repr(text))
    return text.encode("utf-8", "surrogateescape")


def library_path():
    """The file from which liblimequat was loaded."""
    return _file_of(_library.lq_version) or _library._name


def address_of(library, name):
    """The address of a function in a library or the libraries that it needs; None: in liblimequat."""
    return ctypes.cast(getattr(_library if library is None else library, name), c_void_p).value


class Handle:
    """An opaque handle; it is passed to a call as an object, so that it exists during the call. `create` is the name of a
    function, or a function of another library."""

    _as_parameter_ = None

    def __init__(self, free, create, *arguments):
        self._free, self._as_parameter_ = free, c_void_p()
        function = getattr(_library, create) if isinstance(create, str) else create
        checked(function, function.__name__, *arguments, ctypes.byref(self._as_parameter_))

    def __bool__(self):
        return bool(self._as_parameter_)

    def free(self):
        """Frees the object of the handle, once."""
        if self._as_parameter_:
            getattr(_library, self._free)(self._as_parameter_)
            self._as_parameter_ = c_void_p()

    def __del__(self):
        self.free()


class FileHandle(Handle):
    """An open lq_file: scanned once, read any number of times."""

    def __init__(self, path, limits):
        self._path = path  # what it is read from
        super().__init__("lq_file_free", "lq_file_open", path, limits)


class WriterHandle(Handle):
    """An open lq_writer; if it is freed before it is closed, there is no file."""

    def __init__(self, path, grid, defaults):
        super().__init__("lq_writer_free", "lq_writer_create", path, grid, defaults)


class PendingHandle(Handle):
    """An lq_pending, and the array whose memory it has borrowed; if it is freed before wait, it is cancelled."""

    def __init__(self, create, source, grid, field, how, array):
        # numpy does not resize an array with weak references to it, even with refcheck=False.
        self._array, self._resized_by_nobody = array, weakref.ref(array)
        self._source = source  # an open file is read until the end
        super().__init__("lq_pending_free", create, source, grid, field, how)

    def release(self):
        """Releases the array."""
        self._array = self._resized_by_nobody = self._source = None
