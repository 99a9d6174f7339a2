# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transfers in the background: the program computes while a field is written or read."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from limequat._library import PendingHandle, call, take_text, target_bytes
from limequat.answers import parse
from limequat.arrays import keeps_texts, site_shape_text
from limequat.communicators import agreed
from limequat.display import name_of
from limequat.grid import laid_out, require_grid
from limequat.options import Options, takes, with_texts
from limequat.transfer import open_request

if TYPE_CHECKING:
    from limequat.answers import Answer
    from limequat.annotations import ArrayIn, Dtype, FieldName, Kind, Path, Region, Target
    from limequat.grid import Grid
    from limequat.option_types import FurtherReadOptions, Unpack, WriteOptions


@takes("WriteOptions", without=("progress",))
def write_async(path: Target, array: ArrayIn, *, kind: Optional[Kind] = None, grid: Optional[Grid] = None,
                dims: Optional[int] = None, **options: "Unpack[WriteOptions]") -> "Pending":
    """Begins to write an array; arguments as in :func:`limequat.write`. Returns a :class:`Pending`.

    {options}

    The array is read-only until the transfer is over (other arrays that share its memory are not; do not change them
    either). An array that is not contiguous or in another byte order is copied first.

    The file appears under its name in wait(). With a grid, all ranks must start their transfers and wait for them in the
    same order.
    """
    with agreed(require_grid(grid)):
        contiguous, field, grid = laid_out(array, kind, dims, grid)
        path_in_c = target_bytes(path)
        if keeps_texts(path, options.get("format")) and site_shape_text(field):
            options = with_texts(options, site_shape_text(field))
        how = Options("WriteOptions", options)
    lent = array if isinstance(array, np.ndarray) and np.may_share_memory(array, contiguous) else None
    _loans.lend(lent)
    try:
        memory = field.to_c(contiguous)
        handle = PendingHandle("lq_write_async", path_in_c, grid, memory, how, contiguous)
    except BaseException:
        _loans.take_back(lent)
        raise
    return Pending(path, handle, lent, None)


@takes("ReadOptions", without=("progress",))
def read_async(path: Path, field: Optional[FieldName] = None, region: Optional[Region] = None,
               dtype: Optional[Dtype] = None, grid: Optional[Grid] = None, verify: bool = True, *, out: Any = None,
               **options: "Unpack[FurtherReadOptions]") -> "Pending":
    """Begins to read a field; arguments as in :func:`limequat.read`. Returns a :class:`Pending`, whose wait() returns
    the array; do not touch ``out`` until then.

    {options}
    """
    file, (array, memory, how, grid) = open_request(path, field, region, dtype, grid, out,
                                                     {**options, "verify": verify})
    return Pending(path, PendingHandle("lq_file_read_async", file, grid, memory, how, array), None, array)


class Pending:
    """A transfer in flight; there may be several. A with block waits for it at the end, and cancels it if an exception ends
    the block. Without wait() it is cancelled when it is deleted.

    report  the report of the transfer after wait(); None until then
    """

    path: Any
    report: Optional[Answer]

    def __init__(self, path, handle, lent, result):
        self.path, self.report = path, None
        self._handle, self._lent, self._result, self._over = handle, lent, result, False

    def __repr__(self) -> str:
        what = "write" if self._lent is not None or self.report is not None else "transfer"
        return f"<{what} of {name_of(self.path)!r}, {'over' if self._over else 'in flight'}>"

    def test(self) -> bool:
        """True if wait() would return immediately."""
        done = ctypes.c_int()
        call("lq_pending_test", self._handle, ctypes.byref(done))
        return bool(done.value)

    def wait(self) -> Any:
        """Completes the transfer and raises the errors of write and read. Returns the report of a write,
        the array of a read. Raises WrongState if the transfer is already over."""
        text = ctypes.c_void_p()
        try:
            call("lq_pending_wait", self._handle, ctypes.byref(text))
            self.report = parse(take_text(text))
            return self.report if self._result is None else self._result
        finally:
            self._end()

    def cancel(self) -> None:
        """Abandons the transfer: a write leaves no new file, and an existing file stays."""
        try:
            call("lq_pending_cancel", self._handle)
        finally:
            self._end()

    def _end(self):
        if not self._over:
            self._over, self._result = True, None
            self._handle.release()
            _loans.take_back(self._lent)
            self._lent = None

    def __enter__(self) -> "Pending":
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        if self._over:
            return
        if kind is None:
            self.wait()
        else:
            self.cancel()

    def __del__(self):
        if not self._over:
            self._handle.free()
            self._end()


class _Loans:
    """Arrays that are read-only because transfers use their memory, with the number of those transfers."""

    def __init__(self):
        self._lock, self._lent, self._returned = threading.RLock(), {}, []

    def lend(self, array):
        """Does nothing for None, and for arrays that were already read-only."""
        if array is None:
            return
        with self._lock:
            if id(array) in self._lent:
                self._lent[id(array)][1] += 1
            elif array.flags.writeable:
                array.flags.writeable = False
                self._lent[id(array)] = [array, 1]

    def take_back(self, array):
        """Undoes one lend()."""
        with self._lock:
            loan = self._lent.get(id(array))
            if loan is None:
                return
            loan[1] -= 1
            if loan[1] == 0:
                del self._lent[id(array)]
                self._returned.insert(0, array)  # owners before their views
            self._returned = [a for a in self._returned if not _made_writeable(a)]


def _made_writeable(array):
    """False while the array that owns the memory is itself lent."""
    try:
        array.flags.writeable = True
        return True
    except ValueError:
        return False


_loans = _Loans()
