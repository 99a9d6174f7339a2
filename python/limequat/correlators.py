# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Stores of correlators: named arrays with labels, measured on the configurations of an ensemble, in one HDF5 file.

    >>> with lq.correlators.open("run.h5", "a") as store:
    ...     store.append(1010, [("pion", {"smearing": "SS", "momentum": (0, 0, 1)}, c)])
    >>> with lq.correlators.open("run.h5") as store:
    ...     store.read(1010, "pion", momentum=(0, 0, 1))     # one array, [t]
    ...     store.ensemble("pion", momentum=(0, 0, 1))       # of all configurations, [configuration, t]
    ...     for configuration, correlator, values in store.select("pion", momentum=lambda p: p[2] > 0):
    ...         ...

An append is in the file completely or not at all, whenever the program is killed, and data are written only once. One program
appends at a time; others can read concurrently. Every array has a checksum, which is compared when it is read. The file is an HDF5 file that any HDF5
program reads (docs/formats/correlators.md); neither h5py nor the HDF5 library is needed. See docs/guide/correlators.md.
"""

import sys
import threading
import zlib
from typing import NamedTuple

import numpy as np

from limequat import correlator_exports, foreign_correlators, hdf5_bytes
from limequat.answers import Answer, Verification
from limequat.correlator_file import StoreFile
from limequat.correlator_gathering import Gathered
from limequat.correlator_index import Configuration, Index, Series, name_condition
from limequat.correlator_labels import MOST_BYTES, Condition, checked, checked_labels, comparable, described, key_of, shown, to_json
from limequat.errors import ChecksumError, Error, Exists, InvalidArgument, NoSuchRecord, OutOfMemory
from limequat.publishing import keep_private

__all__ = ["Configuration", "Correlator", "Selection", "Series", "Store", "open", "read_files"]

_GAP = 65536  # bytes between two arrays that are read rather than skipped
_CHUNK = 8 << 20
_MOST_HEADER = 1 << 20


class Correlator(NamedTuple):
    """An array with its name and labels, to be appended.

    name    a text
    labels  a dict of names and values (texts, ints, floats, bools, tuples of such)
    values  an array
    axes    names of the dimensions, or a dict of names and coordinates or None; None: not given
    """

    name: str
    labels: dict
    values: np.ndarray
    axes: object = None


def open(path, mode="r", *, wait=0.0, sync=True):
    """Opens the correlator store in the file ``path``: a :class:`Store`, to be used in a with block.

    mode  "r" reads the present state; "a" appends, or creates a new store; "x" creates a new one and never replaces one
    wait  seconds to wait while another program appends to it; IoError if it still does after that
    sync  each append is on the disk when it returns, and survives a power failure. Without it, an append survives only kills

    Raises NotFound, Exists, NoPermission, UnknownFormat (not a correlator store), Malformed and Truncated (a damaged one), IoError.
    """
    if mode not in ("r", "a", "x"):
        hint = "; to replace a store, remove the file first" if mode == "w" else ""
        raise InvalidArgument(f"mode is {mode!r}, expected 'r', 'a' or 'x'{hint}", found=repr(mode))
    if isinstance(wait, bool) or not isinstance(wait, (int, float)) or not 0 <= wait < 1e9:
        raise InvalidArgument(f"wait is {wait!r}, expected seconds", found=repr(wait))
    return Store(path, mode, wait, sync)


def read_files(paths, layout=None):
    """The correlators in files of other programs: a list of :class:`Correlator`, for :meth:`Store.append`.

    paths   a file, or several of one configuration
    layout  "hadrons", "lalibe" (and Chroma's, by QDP++), "qlua", "cvc", "tmlqcd" or "table"; None: recognised from the content

    docs/guide/correlators.md lists the names and labels. HDF5 files are read by the library's component hdf5 (Unsupported
    without it). Raises UnknownFormat (no such layout), Malformed (does not match the layout, with the position), ChecksumError (of
    QLUA's SHA-256), NotFound.
    """
    return [Correlator(*found) for found in foreign_correlators.read_files(paths, layout)]


class Store:
    """A store of correlators; made by :func:`open`."""

    def __init__(self, path, mode, wait, sync):
        self._file = StoreFile(path, mode, wait, sync)
        self._index, self._lock = Index(self._file), threading.RLock()
        try:
            self._index.update()
            self._index.prepare()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        return (f"<limequat.correlators.Store {shown(self.path)}: {self._index.count} correlators, "
                f"{len(self._index.configurations)} configurations>")

    def close(self):
        """Closes the file. There is nothing to flush: appends are in the file when they return."""
        self._file.close()

    path = property(lambda self: self._file.path, doc="The name of the file.")
    mode = property(lambda self: self._file.mode, doc="'r', 'a' or 'x'.")

    @property
    def configurations(self):
        """The configurations in the order in which they were first appended: a list of :class:`Configuration`."""
        self._current()
        return list(self._index.configurations)

    @property
    def correlators(self):
        """All correlators, in the order in which they were first appended: a list of :class:`Series`."""
        return list(self._current().series)

    def __len__(self):
        return len(self._index.configurations)

    def __contains__(self, configuration):
        return self._current().number_of(configuration) is not None

    def refresh(self):
        """For a store open for reading: shows data appended since; returns the number of new appends."""
        with self._lock:
            count = self._file.refresh()
            self._index.update()
            self._index.prepare()
            return count

    def _current(self):
        self._file.require_open()
        self._index.update()
        return self._index

    # Appending

    def append(self, configuration, correlators, *, labels=None, replace=False):
        """Appends correlators of one configuration. When this returns all of them are in the file; after a failure or kill, all or none.

        configuration  what identifies it: an int, a text, or another value of a label
        correlators    :class:`Correlator` objects or tuples (name, labels, values) or (name, labels, values, axes); or pairs of a
                       :class:`Series` of this store and values, which is faster; or a dict of names and values
        labels         more labels of the configuration, such as the stream
        replace        replace correlators that this configuration already has; otherwise they are refused (Exists). The bytes of
                       the old ones stay in the file

        Values are arrays of float64, float32, complex128, complex64, int64 or int32; all arrays of one name and labels have the same
        type, shape and axes. Raises InvalidArgument, Exists, NoSpace, NoPermission, IoError, WrongState (opened for reading).
        """
        with self._lock:
            self._file.require_open()
            if self._file.mode != "r":
                self._file.refresh()  # an append that was interrupted after its last write
            index = self._current()
            what = f"configuration {shown(configuration)}"
            configuration = checked(configuration, "the configuration")
            labels = self._configuration_labels(configuration, labels, what)
            gathered = Gathered(self.path, index, correlators, what)
            if not replace:
                self._refuse_present(index, configuration, gathered.ids())
            added, arrays, sums = gathered.directory(configuration, labels, bool(replace))
            table = to_json(gathered.new_rows).encode("ascii") if gathered.new_rows else None
            self._file.commit(added, arrays, sums, table)
            index.update()
            index.prepare()

    def _configuration_labels(self, configuration, labels, what):
        number = self._index.number_of(configuration)
        given = checked_labels(labels, what)
        if len(to_json([configuration, given])) > MOST_BYTES:
            raise InvalidArgument(f"{self.path}: {what} with its labels has more than {MOST_BYTES} bytes", path=self.path)
        if number is None:
            return given
        known = self._index.configurations[number].labels
        if labels is not None and key_of("", given) != key_of("", known):
            raise InvalidArgument(f"{self.path}: {what} has the labels {shown(known)}, not {shown(given)}", path=self.path,
                                  expected=shown(known), found=shown(given))
        return known

    def _refuse_present(self, index, configuration, ids):
        number = index.number_of(configuration)
        if number is None:
            return
        _, missing = index.places(ids, number, {})
        if len(missing) < len(ids):
            present = np.setdiff1d(ids, ids[missing])
            names = [described(index.series[n].name, index.series[n].labels) for n in present[:3]]
            raise Exists(f"{self.path}: configuration {shown(configuration)} has {len(present)} of these correlators already: "
                         f"{', '.join(names)}{', ...' if len(present) > 3 else ''}; replace=True replaces them", path=self.path,
                         record=names[0])

    def import_files(self, configuration, paths, layout=None, *, labels=None, replace=False):
        """Appends the correlators in files of other programs, as one append; returns their number.

        configuration, labels, replace  as in :meth:`append`
        paths, layout                   as in :func:`read_files`
        """
        found = read_files(paths, layout)
        self.append(configuration, found, labels=labels, replace=replace)
        return len(found)

    # Looking up

    def select(self, name=None, *, configurations=None, labels=None, **conditions):
        """The correlators that satisfy conditions: a :class:`Selection`; nothing is read yet.

        name            of the correlators: a text, a set of texts, or a function of a name; None: any
        configurations  values in a list or set, a range of integers, or a function of a :class:`Configuration`; None: all
        labels          conditions as a dict, for labels whose names are not Python names, or are names of these arguments
        conditions      on labels: a value (compared by value: 1 equals 1.0, True is not 1), a set of values, a range of integers, or a
                        function of the value. A correlator without that label does not satisfy it
        """
        index = self._current()
        wanted = {**(labels or {}), **conditions}
        wanted = {label: Condition(value, f"the label {shown(label)}") for label, value in wanted.items()}
        ids = index.find(name_condition(name), wanted)
        return Selection(self, ids, self._numbers_of(index, configurations))

    def _numbers_of(self, index, configurations):
        every = range(len(index.configurations))
        if configurations is None:
            return list(every)
        if callable(configurations):
            return [n for n in every if configurations(index.configurations[n])]
        if isinstance(configurations, (range, set, frozenset)):
            condition = Condition(configurations, "configurations")
            return [n for n in every if condition.holds(index.configurations[n].value)]
        if isinstance(configurations, (str, bytes)) or not hasattr(configurations, "__iter__"):
            raise InvalidArgument(f"configurations is {shown(configurations)}, expected a list, a set, a range or a function")
        return [self._number_of(index, value.value if isinstance(value, Configuration) else value) for value in configurations]

    def _number_of(self, index, configuration):
        number = index.number_of(configuration)
        if number is None:
            raise NoSuchRecord(f"{self.path}: there is no configuration {shown(configuration)}; there are "
                               f"{len(index.configurations)}: {_some([c.value for c in index.configurations])}", path=self.path,
                               record=shown(configuration))
        return number

    def read(self, configuration, name=None, *, labels=None, **conditions):
        """One correlator of one configuration: an array.

        configuration             what identifies it
        name, labels, conditions  as in :meth:`select`; exactly one correlator must satisfy them, otherwise NoSuchRecord or
                                  InvalidArgument lists the candidates

        Raises ChecksumError if the numbers are damaged.
        """
        index = self._current()
        number = self._number_of(index, checked(configuration, "the configuration"))
        selection = self.select(name, labels=labels, **conditions)
        ids = selection.require_one()
        return Selection(self, ids, [number]).array()[0, 0]

    def ensemble(self, name=None, *, configurations=None, labels=None, fill=None, **conditions):
        """One correlator of all configurations: an array [configuration, ...] in the order of :attr:`configurations`.

        fill                                      as in :meth:`Selection.array`
        configurations, name, labels, conditions  as in :meth:`select`; exactly one correlator must satisfy them
        """
        selection = self.select(name, configurations=configurations, labels=labels, **conditions)
        selection.require_one()
        return selection.array(fill=fill)[:, 0]

    # Examining

    @property
    def sizes(self):
        """Sizes in bytes: an answer with ``file``, ``numbers`` (readable) and ``replaced`` (unused bytes in the file)."""
        index = self._current()
        total = sum(self._bytes_of(block) for appends in index.appends for d in appends for block in d.blocks)
        ids, live, known = np.arange(index.count), 0, {}
        for number in range(len(index.configurations)):
            live += sum(len(slots) * self._array_bytes(block) for block, _, slots in index.places(ids, number, known)[0])
        return Answer(file=self._file.end, numbers=live, replaced=total - live)

    def _array_bytes(self, block):
        dtype, shape = self._index.kinds[block.kind]
        return np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64))

    def _bytes_of(self, block):
        return block.arrays * self._array_bytes(block)

    def verify(self):
        """Reads everything and compares all checksums: a :class:`limequat.Verification`, true if all agree.

        ``findings`` names each damaged array, with its position; ``arrays`` counts the arrays that were read."""
        index = self._current()
        findings, arrays = [], 0
        for number, appends in enumerate(index.appends):
            for directory in appends:
                for block in directory.blocks:
                    arrays += block.arrays
                    findings += self._examine(index, block, number)
                findings += self._examine_headers(directory)
        return Verification(ok=not findings, verdict="damaged" if findings else "sound", path=self.path, arrays=arrays,
                            configurations=len(index.configurations), correlators=len(index.series), findings=findings)

    def _examine(self, index, block, configuration):
        size, ids = self._array_bytes(block), index.orders[block.order].ids()
        findings, step = [], max(_CHUNK // size, 1)
        for first in range(0, block.arrays, step):
            slots = np.arange(first, min(first + step, block.arrays))
            try:
                for _ in self._arrays_of(index, [(block, slots, slots)], ids, configuration, findings):
                    pass
            except Error as error:
                findings.append({"severity": "error", "message": str(error), "offset": error.offset})
        return findings

    def _examine_headers(self, directory):
        """What other programs see: the checksums of the headers of an append."""
        addresses, findings = [directory.group, directory.folder], []
        for address in addresses:
            try:
                size = hdf5_bytes.header_bytes(self._file.read(address, 10))
                if size > _MOST_HEADER:
                    raise ValueError(f"an object header of {size} bytes")
                links = hdf5_bytes.links_of(self._file.read(address, size))
                addresses += [a for _, a in links] if address == directory.group else []
            except (ValueError, Error) as error:
                findings.append({"severity": "error", "offset": address,
                                 "message": f"{self.path}: append {directory.number}: at byte {address}: {error}"})
        return findings

    # Reading

    def _arrays_of(self, index, places, ids, configuration, findings=None):
        """(positions in ids, bytes [array, byte]) of the arrays at these places, compared with their checksums. Damaged ones are
        raised, or go to findings."""
        for block, positions, slots in places:
            size = self._array_bytes(block)
            if np.any(np.diff(slots) < 0):
                order = np.argsort(slots, kind="stable")
                positions, slots = positions[order], slots[order]
            step = max(_CHUNK // size, 1)
            first = 0
            while first < len(slots):  # arrays that are near each other in one call, of at most _CHUNK bytes or one array
                near = slots[first:first + step]
                gaps = np.flatnonzero((np.diff(near) - 1) * size > _GAP)
                near = near[:gaps[0] + 1] if len(gaps) else near
                near = near[:np.searchsorted(near, near[0] + step)]
                yield self._run(index, block, size, near, positions[first:first + len(near)], ids, configuration, findings)
                first += len(near)

    def _run(self, index, block, size, slots, positions, ids, configuration, findings):
        first, count = int(slots[0]), int(slots[-1] - slots[0]) + 1
        rows = np.frombuffer(self._file.read(block.numbers + first * size, count * size), np.uint8).reshape(count, size)
        sums = np.frombuffer(self._file.read(block.sums + 4 * first, 4 * count), "<u4")
        if len(slots) < count:
            rows, sums = rows[slots - first], sums[slots - first]
        found = np.fromiter(map(zlib.crc32, rows), np.uint32, len(slots))
        for at in np.flatnonzero(found != sums):
            error = self._damaged(index, int(ids[positions[at]]), configuration, block.numbers + int(slots[at]) * size,
                                  f"{sums[at]:08x}", f"{found[at]:08x}")
            if findings is None:
                raise error
            findings.append({"severity": "error", "message": str(error), "offset": error.offset, "record": error.record})
        return positions, rows

    def _damaged(self, index, number, configuration, offset, expected, found):
        what = described(index.series[number].name, index.series[number].labels)
        return ChecksumError(f"{self.path}: {what} of configuration {shown(index.configurations[configuration].value)} at byte {offset}: "
                             f"the CRC-32 is {found}, expected {expected}; the numbers are damaged; append them again with replace=True",
                             path=self.path, record=what, offset=offset, expected=expected, found=found)


class Selection:
    """Correlators of a store on some of its configurations; made by :meth:`Store.select`. Iterating gives, configuration by
    configuration, tuples (value of the configuration, :class:`Series`, array), with None for an array that the store lacks."""

    def __init__(self, store, ids, numbers):
        self._store, self._ids, self._numbers, self._slots = store, ids, numbers, {}

    def _places(self, number):
        """Of a configuration; see Index.places()."""
        return self._store._index.places(self._ids, number, self._slots)

    @property
    def correlators(self):
        """The correlators: a list of :class:`Series`."""
        series = self._store._current().series
        return [series[n] for n in self._ids]

    @property
    def configurations(self):
        """Values of the configurations: a list."""
        index = self._store._current()
        return [index.configurations[n].value for n in self._numbers]

    def __len__(self):
        return len(self._ids)

    def __repr__(self):
        return f"<limequat.correlators.Selection: {len(self._ids)} correlators on {len(self._numbers)} configurations>"

    @property
    def missing(self):
        """Missing combinations: a list of (value of the configuration, :class:`Series`)."""
        index = self._store._current()
        return [(index.configurations[number].value, index.series[self._ids[at]])
                for number in self._numbers for at in self._places(number)[1]]

    def complete(self):
        """The same correlators on those configurations that have all of them: a :class:`Selection`."""
        self._store._current()
        return Selection(self._store, self._ids, [n for n in self._numbers if not len(self._places(n)[1])])

    def __iter__(self):
        index = self._store._current()
        series = index.series
        for number in self._numbers:
            places, missing = self._places(number)
            found = dict.fromkeys(missing.tolist())
            for positions, rows in self._store._arrays_of(index, places, self._ids, number):
                for position, row in zip(positions.tolist(), rows):
                    one = series[self._ids[position]]
                    found[position] = row.copy().view(one.dtype).reshape(one.shape)
            for position, n in enumerate(self._ids):
                yield index.configurations[number].value, series[n], found[position]

    def require_one(self):
        """NoSuchRecord or InvalidArgument, unless exactly one correlator was selected; its number in an array."""
        if len(self._ids) == 1:
            return self._ids
        path, series = self._store.path, self._store._current().series
        if not len(self._ids):
            raise NoSuchRecord(f"{path}: no correlator satisfies the conditions; there are {len(series)}: "
                               f"{_some([described(s.name, s.labels) for s in series[:4]], len(series))}", path=path)
        names = [described(series[n].name, series[n].labels) for n in self._ids[:4]]
        raise InvalidArgument(f"{path}: {len(self._ids)} correlators satisfy the conditions: {_some(names, len(self._ids))}; add labels "
                              "until one is left, or use select()", path=path, found=str(len(self._ids)))

    def array(self, *, fill=None):
        """All numbers: an array [configuration, correlator, ...].

        fill  a number for missing arrays; None: NoSuchRecord names them. See :attr:`missing` and :meth:`complete`

        The correlators have the same type and shape, or InvalidArgument. Raises ChecksumError, OutOfMemory.
        """
        index = self._store._current()
        series = [index.series[n] for n in self._ids]
        if not series:
            raise NoSuchRecord(f"{self._store.path}: no correlator was selected", path=self._store.path)
        odd = next((s for s in series if (s.dtype, s.shape) != (series[0].dtype, series[0].shape)), None)
        if odd:
            raise InvalidArgument(f"{self._store.path}: {described(odd.name, odd.labels)} is {odd.dtype} {list(odd.shape)}, "
                                  f"{described(series[0].name, series[0].labels)} is {series[0].dtype} {list(series[0].shape)}: select correlators "
                                  "of one shape, or iterate", path=self._store.path)
        places = [self._places(number) for number in self._numbers]
        if fill is None and any(len(missing) for _, missing in places):
            self._refuse_missing()
        shape = (len(self._numbers), len(series), *series[0].shape)
        fill = None if fill is None else _checked_fill(fill, series[0].dtype)
        try:
            array = np.empty(shape, series[0].dtype) if fill is None else np.full(shape, fill, series[0].dtype)
        except (MemoryError, ValueError) as error:  # ValueError: more than an array may have
            raise OutOfMemory(f"{self._store.path}: an array of shape {list(shape)}: {error}; select less, or iterate",
                              path=self._store.path) from None
        if len(places) > 1:
            self._advise(places)
        flat = array.reshape(*shape[:2], -1).view(np.uint8) if array.size else array
        for row, number, (found, _) in zip(flat, self._numbers, places):
            for positions, rows in self._store._arrays_of(index, found, self._ids, number):
                row[positions] = rows
        return array

    def _advise(self, places):
        """Lets the system prefetch distant parts of the file, while the first arrays are compared."""
        for found, _ in places:
            for block, _, slots in found:
                size = self._store._array_bytes(block)
                for slot in (slots.tolist() if len(slots) <= 16 else [int(slots.min())]):
                    self._store._file.advise(block.numbers + slot * size, size)
                    self._store._file.advise(block.sums + 4 * slot, 4)

    def _refuse_missing(self):
        missing = self.missing
        names = [f"{described(s.name, s.labels)} of configuration {shown(c)}" for c, s in missing[:3]]
        raise NoSuchRecord(f"{self._store.path}: {len(missing)} of {len(self._numbers) * len(self._ids)} arrays are not in the store: "
                           f"{_some(names, len(missing))}; use complete(), or give a number for them with fill=",
                           path=self._store.path, record=names[0], found=str(len(missing)))

    def copy(self, path, *, sync=True):
        """Writes the selection to a new store: a part of a store, or all of one without replaced arrays.

        path  the new file; Exists if there is one
        sync  as in :func:`open`

        Every checksum is compared in transit. If this is interrupted, the new store has the complete configurations."""
        labels = {comparable(c.value): c.labels for c in self._store.configurations}
        with open(path, "x", sync=sync) as store:
            keep_private(store.path, [self._store.path])
            rows = []
            for configuration, series, values in self:
                if values is not None:
                    rows.append((series.name, series.labels, values, series.axes or None))
                if series.number == self._ids[-1] and rows:
                    store.append(configuration, rows, labels=labels[comparable(configuration)])
                    rows = []

    def to_pandas(self):
        """A pandas.DataFrame with a row for each number: columns ``configuration``, ``name``, the labels (None where a correlator lacks
        one), the indices or coordinates of the axes, and ``value``. Missing arrays have no row. Needs pandas."""
        return correlator_exports.to_pandas(self)

    def to_xarray(self, *, fill=None):
        """An xarray.DataArray [configuration, correlator, ...] with coordinates for the configurations, names, labels and axes.

        fill  as in :meth:`array`

        Needs xarray."""
        return correlator_exports.to_xarray(self, fill)

    def to_pyerrors(self, ensemble):
        """Observables for pyerrors: a list with an object array of ``pyerrors.Obs`` (complex: ``pyerrors.CObs``) for each correlator, of
        its shape. Configurations are integers; those that lack the correlator are left out of its list of configurations.

        ensemble  the name of the ensemble in pyerrors, such as "A654r000"

        Needs pyerrors."""
        return correlator_exports.to_pyerrors(self, ensemble)

    def write_pyerrors(self, path, ensemble, *, overwrite=False):
        """Writes the same observables to a file that pyerrors reads, an array for each correlator; of complex ones real and imaginary parts.

        path       NAME.json or NAME.json.gz: JSON, with names and labels in its description. NAME.xml.gz: dobs, whose symbols are
                   the number of the array and of the observable in it
        ensemble   as in :meth:`to_pyerrors`
        overwrite  replace an existing file

        Raises Exists, InvalidArgument. Needs pyerrors."""
        correlator_exports.write_pyerrors(self, path, ensemble, overwrite)


def _checked_fill(fill, dtype):
    """A number that the type can represent; InvalidArgument."""
    try:
        with np.errstate(all="ignore"):
            given = np.asarray(fill)
            number = given.real.astype(dtype) if dtype.kind != "c" else given.astype(dtype)
        if given.ndim == 0 and given.dtype.kind in "iufc" and (number == given or (number != number and given != given)):
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidArgument(f"fill is {shown(fill)}, which {dtype} cannot represent", found=shown(fill))


def _some(values, total=None):
    total = len(values) if total is None else total
    words = [value if isinstance(value, str) else shown(value) for value in values[:4]]
    return ", ".join(words) + (", ..." if total > len(words) else "") if total else "none"


if __name__ == "__main__":
    from limequat.correlator_program import main

    sys.exit(main(sys.argv[1:]))
