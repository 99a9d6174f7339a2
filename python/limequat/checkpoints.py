# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A folder of checkpoints: saves them, keeps the newest ones, and loads the newest valid one again.

    >>> with lq.Checkpoints("run/checkpoints", keep=3) as checkpoints:
    ...     found = checkpoints.load_newest()
    ...     step = found.step if found else 0
    ...     u = found.read_field("gauge") if found else start()
    ...     while step < 100:
    ...         step, u = step + 1, update(u)
    ...         checkpoints.save(step, fields={"gauge": u}, state={"rng": rng_bytes, "run": {"beta": 6.0}})
"""

import ctypes
import datetime
import json
from typing import TYPE_CHECKING, List

import numpy as np

from limequat import background, multifile, transfer
from limequat._library import Handle, answer, call, path_bytes, take_text, text_bytes, text_from
from limequat.answers import parse
from limequat.arrays import site_shape_text
from limequat.communicators import agreed, group_of
from limequat.errors import InvalidArgument, NoSuchRecord, WrongState
from limequat.grid import laid_out, require_grid
from limequat.options import Options, mapping_of, takes

if TYPE_CHECKING:
    from limequat.annotations import Target
    from limequat.answers import Answer
    from limequat.option_types import CheckpointListOptions, CheckpointsOptions, MultifileReadOptions, Unpack

_JSON = ".json"  # ends the names of states that are kept as JSON
_BYTES = ".bytes"  # is added to those of bytes that would be taken for such
_OWN = ("array", "kind", "dims", "grid")  # of a field that is given with options


@takes("CheckpointListOptions")
def list_checkpoints(folder: "Target", **options: "Unpack[CheckpointListOptions]") -> "Answer":
    """Lists a folder of checkpoints; nothing is changed.

    {options}

    Returns a dict: ``checkpoints``, a list of dicts with "name", "state" ("valid", "not checked", "bad", "rejected", "being
    written", "leftover"), "step", "save", "date" (seconds since 1970), "bytes", "ranks", "tasks", "fields" and "problems";
    ``foreign``, the names of files that do not belong to checkpoints; ``holder``, the job that works in the folder, or None. Raises
    NotFound, NoPermission.
    """
    return parse(text_from("lq_checkpoints_list", path_bytes(folder), Options("CheckpointListOptions", options)))


class Checkpoints:
    @takes("CheckpointsOptions")
    def __init__(self, folder, *, comm=None, **options: "Unpack[CheckpointsOptions]"):
        """A folder of checkpoints, locked against other jobs while this is open; to be used in a with block.

        folder  created if it does not exist, but not its parents (NotFound)
        comm    an mpi4py communicator, a :class:`limequat.Communicator` or Grid: all calls are then collective
        {options}

        Raises WrongState, which names the job, if another job works in the folder.
        """
        self.folder, self._handle = folder, None
        self._lent: List[np.ndarray] = []
        self._kept: List[object] = []  # what is borrowed until the save is complete
        self._group = group_of(comm)
        with agreed(self._group):
            path, how = path_bytes(folder), Options("CheckpointsOptions", options).over(self._group)
        self._handle = Handle("lq_checkpoints_free", "lq_checkpoints_open", path, how)

    __doc__ = __init__.__doc__

    def save(self, step, *, streams=(), fields=None, state=None, grid=None):
        """Saves the contents as one checkpoint, completely or not at all: it is written, synced, read back, and gets its name in
        one step. Then checkpoints that need not be kept are removed; one of the same step is replaced.

        step     a whole number from 0
        streams  bytes, or arrays, of this rank: one task each, in the order of ranks
        fields   a dict of arrays by name; or of dicts with "array" and arguments of :func:`limequat.write`: kind, dims, grid,
                 precision, metadata, ...
        state    a dict of small values by name, the same on all ranks: bytes, or anything that JSON can hold
        grid     for fields without a grid

        Returns a report: ``path``, ``bytes``, ``seconds``, ``removed``, ``warnings``. After an error nothing of it remains, and
        older ones stay: NoSpace, NoPermission, RanksDisagree (a state that differs between ranks; put it into streams),
        ChecksumError, WrongState.
        """
        self.wait()  # what a save in the background has borrowed is kept until then
        text = ctypes.c_void_p()
        try:
            call("lq_checkpoints_save", *self._request(step, streams, fields, state, grid), ctypes.byref(text))
        finally:
            self._kept = []
        return parse(take_text(text))

    def save_async(self, step, *, streams=(), fields=None, state=None, grid=None):
        """The same in the background; step, streams, fields, state and grid as in :meth:`save`. Arrays are read-only until
        :meth:`wait` (do not change other arrays that share their memory). Only one save runs at a time; another one first
        waits for it."""
        self.wait()
        streams, fields = list(streams), mapping_of(fields, "fields")
        lent = [array for array in (*fields.values(), *streams) if isinstance(array, np.ndarray)]
        lent += [one["array"] for one in fields.values() if isinstance(one, dict)
                 and isinstance(one.get("array"), np.ndarray)]
        request = self._request(step, streams, fields, state, grid)
        for array in lent:
            background._loans.lend(array)
        self._lent = lent
        try:
            call("lq_checkpoints_save_async", *request)
        except BaseException:
            self._give_back()
            raise

    def test(self):
        """True if wait() only has to complete the save; call it from time to time."""
        done = ctypes.c_int()
        call("lq_checkpoints_test", self._open_handle(), ctypes.byref(done))
        return bool(done.value)

    def wait(self):
        """Completes the background save and raises its errors. Returns its report; None if no save is in progress."""
        text = ctypes.c_void_p()
        try:
            call("lq_checkpoints_wait", self._open_handle(), ctypes.byref(text))
        finally:
            self._give_back()
        return parse(take_text(text))

    def load_newest(self):
        """The :class:`Checkpoint` with the highest step, all of whose bytes agree with their sums; None if there are no
        checkpoints. A damaged one is marked, tried once more by a later call, and then left alone. Raises Malformed, with the
        reason for each, if none is valid."""
        handle = Handle("lq_checkpoint_free", "lq_checkpoints_load_newest", self._open_handle())
        self._give_back()
        return Checkpoint(handle, self._group) if handle else None

    def reject(self, checkpoint, reason):
        """Marks a checkpoint that is useless to the program, and stores the reason: it is not loaded again."""
        with agreed(self._group):
            handle, why = checkpoint._handle, text_bytes(reason, "the reason")
        call("lq_checkpoints_reject", self._open_handle(), handle, why)

    def forget_marks(self):
        """Removes the marks of damaged checkpoints, so that they are tried again."""
        call("lq_checkpoints_forget_marks", self._open_handle())

    def prune(self):
        """Removes leftovers of killed jobs, and checkpoints that need not be kept; returns the names."""
        text = ctypes.c_void_p()
        call("lq_checkpoints_prune", self._open_handle(), ctypes.byref(text))
        return parse(take_text(text))

    def close(self):
        """Completes a background save, and releases the folder for other jobs."""
        if self._handle is None:
            return
        try:
            self.wait()
        finally:
            self._end()

    def _request(self, step, streams, fields, state, grid):
        """Adds the contents; returns the first arguments of the save."""
        handle = self._open_handle()
        with agreed(self._group):
            if isinstance(step, bool) or not isinstance(step, (int, np.integer)) or not 0 <= step < 2**64:
                raise InvalidArgument(f"step is {step!r}, expected a whole number from 0")
            kept = []
            try:
                for stream in streams:
                    kept.append(raw := np.frombuffer(_flat(stream), np.uint8))
                    call("lq_checkpoints_add_stream", handle, ctypes.c_void_p(raw.ctypes.data), raw.size)
                for name, one in mapping_of(fields, "fields").items():
                    kept.append(_add_field(handle, name, one, grid or (None if self._group is None else self._grid_of(one))))
                for name, data in _states(mapping_of(state, "state")).items():
                    call("lq_checkpoints_add_state", handle, text_bytes(name, "the name of the state"), data, len(data))
            except BaseException:
                self._forget()
                raise
            self._kept = kept
        return handle, int(step)

    def _grid_of(self, one):
        if self._group.size > 1 and not (isinstance(one, dict) and one.get("grid") is not None):
            raise InvalidArgument("the fields of several ranks need a grid: save(..., grid=lq.Grid(extents, comm=...))")
        return None

    def _forget(self):
        """Discards contents that were added for a save that did not happen."""
        try:
            call("lq_checkpoints_forget_added", self._handle)
        finally:
            self._kept = []

    def _give_back(self):
        lent, self._lent, self._kept = self._lent, [], []
        for array in lent:
            background._loans.take_back(array)

    def _end(self):
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.free()
        self._give_back()

    def _open_handle(self):
        if self._handle is None:
            raise WrongState(f"{self.folder}: the checkpoints are closed", path=str(self.folder))
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
        else:
            self._end()


class Checkpoint:
    """A loaded checkpoint: all of its bytes agree with their sums.

    step, path, date (UTC), ranks, tasks  of the job that saved it; tasks is the number of streams
    state     a dict: bytes, or the values given to save()
    fields    names
    warnings  sentences: newer checkpoints that are damaged, and why
    """

    def __init__(self, handle, group):
        self._handle, self._group = handle, group
        info = parse(text_from("lq_checkpoint_info", handle))
        self.step = answer("lq_checkpoint_step", handle)
        self.path, self.ranks, self.tasks = info["path"], info["ranks"], info["tasks"]
        self.date = datetime.datetime.fromtimestamp(info["date"], datetime.timezone.utc)
        self.fields, self.warnings = info["fields"], info["warnings"]
        self._files = dict(zip(info["fields"], info["field_files"]))
        self.state = {}
        for name in info["states"]:
            data, size = ctypes.c_void_p(), ctypes.c_uint64()
            call("lq_checkpoint_state", handle, name.encode(), ctypes.byref(data), ctypes.byref(size))
            value = ctypes.string_at(data, size.value) if size.value else b""
            self.state.update([_known(name, value)])

    def read_field(self, name, **options):
        """Reads a field into a new array; arguments and result as in :func:`limequat.read`. Any process grid."""
        with agreed(require_grid(options.get("grid"))):
            if name not in self._files:
                raise NoSuchRecord(f"{self.path}: the checkpoint has no field {name!r}; it has "
                                   f"{', '.join(self.fields) or 'none'}", path=self.path, record=str(name))
        return transfer.read(self._files[name], **options)

    @takes("MultifileReadOptions")
    def streams(self, **options: "Unpack[MultifileReadOptions]"):
        """The streams, distributed over the ranks that load: a :class:`limequat.multifile.Reader`.

        {options}
        """
        with agreed(self._group):
            if not self.tasks:
                raise NoSuchRecord(f"{self.path}: the checkpoint has no streams", path=self.path)
        return multifile.Reader(f"{self.path}/streams.sion", comm=self._group, **options)

    def __repr__(self):
        return f"<Checkpoint of step {self.step} in {self.path}>"


def _known(name, value):
    """A state under its original name: a JSON value, or bytes."""
    if name.endswith(_JSON):
        try:
            return name[:-len(_JSON)], json.loads(value)
        except ValueError:  # bytes that a program in another language calls so
            pass
    if name.endswith(_BYTES) and name[:-len(_BYTES)].endswith((_JSON, _BYTES)):
        return name[:-len(_BYTES)], value
    return name, value


def _flat(data):
    """Its bytes, concatenated."""
    view = memoryview(data.encode() if isinstance(data, str) else data)
    return view.cast("B") if view.c_contiguous and view.nbytes else bytes(view)


def _add_field(handle, name, one, grid):
    """Adds a field; returns the object that owns its memory."""
    options = dict(one) if isinstance(one, dict) else {"array": one}
    if "array" not in options:
        raise InvalidArgument(f"field {name!r} has no array")
    array, kind, dims, own = (options.pop(key, None) for key in _OWN)
    grid = own if own is not None else grid
    require_grid(grid)
    array, field, grid = laid_out(array, kind, dims, grid)
    metadata = {**(options.pop("metadata", None) or {}), **site_shape_text(field)}
    how = Options("WriteOptions", {**options, "metadata": metadata})
    memory = field.to_c(array)
    call("lq_checkpoints_add_field", handle, text_bytes(name, "the name of the field"), grid, memory, how)
    return array, field, memory, grid, how


def _states(state):
    """Bytes by the names under which they are stored."""
    kept = {}
    for name, value in state.items():
        if not isinstance(name, str):
            raise InvalidArgument(f"the name of a state is {name!r}, expected a text")
        if isinstance(value, (bytes, bytearray, memoryview)):
            key, data = name + _BYTES if name.endswith((_JSON, _BYTES)) else name, bytes(value)
        else:
            try:
                key, data = name + _JSON, json.dumps(value).encode()
            except (TypeError, ValueError) as error:
                raise InvalidArgument(f"state {name!r} is neither bytes nor what JSON can hold: {error}") from error
        if key in kept:
            raise InvalidArgument(f"two states would be called {key!r}")
        kept[key] = data
    return kept
