# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The functions of PyQUDA's package pyquda_io, with Limequat.

    >>> from limequat.compat import pyquda_io as io      # instead of: import pyquda_io as io
    >>> latt_size, gauge = io.readILDGGauge("conf.0010.ildg")

Arrays are those of that package: gauge fields [mu, t, z, y, x, row, column], propagators [t, z, y, x, sink spin, source spin,
sink colour, source colour], staggered ones without spins, complex128; ``latt_size`` is [x, y, z, t]. Links of files in
single precision are made unitary again unless ``reunitarize_sigma`` is 0 or less, and links further away from SU(3) than that
are an error. Paths may have ``~`` and variables of the environment. After init() under MPI arrays are those of this rank's box,
and all calls are collective.

Differences: errors are those of :mod:`limequat`, which name the file, instead of AssertionError; gauge fields are read from every
format that :func:`limequat.read` supports, whatever the name of the function; a file without a checksum is read; and new
files get their name when they are complete.
"""

import io
import math
import os
import tempfile
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from limequat import files, physics, transfer
from limequat.communicators import agreed, group_of
from limequat.errors import ChecksumError, InvalidArgument, IoError, Malformed, NotFound, NoSuchRecord, Truncated, Unsupported
from limequat.grid import Grid
from limequat.needs import needed
from limequat.publishing import kind_of

__all__ = [
    "IOGeneral", "Lime", "LimeRecord", "init", "readChromaQIOGauge", "readChromaQIOPropagator", "readChromaQIOStaggeredPropagator",
    "readILDGBinGauge", "readILDGGauge", "readIOGeneral", "readKYUGauge", "readKYUPropagator", "readMILCGauge",
    "readMILCQIOPropagator", "readMILCQIOStaggeredPropagator", "readNERSCGauge", "readNPYGauge", "readNPYPropagator",
    "readOpenQCDGauge", "readXQCDPropagator", "readXQCDPropagatorFast", "readXQCDStaggeredPropagator", "writeIOGeneral",
    "writeKYUGauge", "writeKYUPropagator", "writeMILCGauge", "writeNERSCGauge", "writeNPYGauge", "writeNPYPropagator",
    "writeOpenQCDGauge", "writeXQCDPropagator", "writeXQCDPropagatorFast", "writeXQCDStaggeredPropagator",
]

_SIGMA = 1e-6
_LATTICE = "tzyx"
_RANKS = {"comm": None, "processes": None}


def init(grid_size=None, latt_size=None):
    """Divides lattices over the ranks of MPI.COMM_WORLD from now on; t advances fastest with the rank.

    grid_size  ranks in each dimension x, y, z, t; None: one process, or a grid that fits ``latt_size``
    latt_size  extents for which a process grid is chosen if ``grid_size`` is None
    """
    if grid_size is None and latt_size is None:
        _RANKS.update(comm=None, processes=None)
        return
    MPI = needed("mpi4py.MPI", "init() of limequat.compat.pyquda_io", "mpi4py")
    if grid_size is None:
        grid_size = Grid(latt_size, comm=MPI.COMM_WORLD, ranks=(3, 2, 1, 0)).processes
    if len(grid_size) != 4 or math.prod(grid_size) != MPI.COMM_WORLD.size:
        raise InvalidArgument(f"grid_size is {list(grid_size)}, expected four numbers whose product is the number of ranks, "
                              f"{MPI.COMM_WORLD.size}", expected=str(MPI.COMM_WORLD.size), found=str(list(grid_size)))
    _RANKS.update(comm=MPI.COMM_WORLD, processes=tuple(grid_size))


def _grid(latt_size):
    """The Grid of a lattice; None for one process alone."""
    if _RANKS["comm"] is None or _RANKS["comm"].size == 1:
        return None
    wrong = [n for n, p in zip(latt_size, _RANKS["processes"]) if n % p]
    if wrong:
        raise InvalidArgument(f"a lattice of {list(latt_size)} does not divide over {list(_RANKS['processes'])} ranks")
    return Grid(latt_size, comm=_RANKS["comm"], processes=_RANKS["processes"], ranks=(3, 2, 1, 0))


def _extents(latt_size):
    extents = [int(n) for n in latt_size]
    if len(extents) != 4 or min(extents) < 1:
        raise InvalidArgument(f"latt_size is {list(latt_size)}, expected four extents x, y, z, t", found=str(list(latt_size)))
    return extents


def _local(latt_size):
    """(grid, [t, z, y, x] of this rank's box)."""
    grid = _grid(_extents(latt_size))
    return grid, (grid.shape if grid else tuple(_extents(latt_size))[::-1])


def _path(filename):
    return os.path.expanduser(os.path.expandvars(os.fspath(filename)))


# --- Fields in files of formats -----------------------------------------------------------------------------------------

def _entries(path):
    """The catalog entry of each field of a file."""
    with agreed(group_of(_RANKS["comm"])), files.open(path) as file:
        if not file.fields:
            raise NoSuchRecord(f"{path}: the file has no field", path=path)
        return file.catalog["fields"]


def _read(path, number, entry, verify):
    """(latt_size, field) number `number` of all fields, by name and number of that name."""
    latt_size = list(entry["lattice"])
    if len(latt_size) != 4:
        raise Unsupported(f"{path}: a lattice of {len(latt_size)} dimensions, expected four", path=path)
    grid, name = _grid(latt_size), entry["name"]
    before = [other for other in _entries(path)[:number] if other["name"] == name]
    return latt_size, transfer.read(path, (name, len(before)), verify=bool(verify), grid=grid, dtype=np.complex128)


def _read_gauge(filename, checksum, sigma, plaquette=False, link_trace=False):
    path = _path(filename)
    entry = _entries(path)[0]
    if entry["spec"]["kind"] != "gauge" or entry["spec"]["colors"] != 3:
        raise InvalidArgument(f"{path}: field {entry['name']!r} is a {entry['spec']['kind']} field, expected links of SU(3)", path=path)
    latt_size, links = _read(path, 0, entry, checksum)
    grid, tolerance = _grid(latt_size), 1e-9
    if entry["spec"]["precision"] == "single":
        links, tolerance = _unitary(links, sigma, path, grid), 1e-6
    for wanted, name, measure in ((plaquette, "plaquette", lambda u: physics.plaquette(u, grid).average),
                                  (link_trace, "link_trace", lambda u: physics.link_trace(u, grid))):
        stated = entry.get(name)
        found = measure(links) if wanted and stated is not None else None
        if found is not None and not abs(found - stated) <= tolerance:
            raise ChecksumError(f"{path}: the {name.replace('_', ' ')} of the links is {found:.12g}, the file states {stated:.12g}",
                                path=path, expected=str(stated), found=str(found))
    return latt_size, np.moveaxis(links, 4, 0)


def _unitary(links, sigma, path, grid):
    """The links with orthonormal rows, as in pyquda_io; an error if they were further away than sigma."""
    first, second = links[..., 0, :], links[..., 1, :]
    length = np.linalg.norm(first, axis=-1)
    first = first / length[..., None]
    overlap = np.sum(first.conj() * second, axis=-1)
    second = second - overlap[..., None] * first
    other_length = np.linalg.norm(second, axis=-1)
    second = second / other_length[..., None]
    third = np.cross(first, second).conj()
    with agreed(grid):
        if sigma > 0:
            distance = np.sqrt((1 - length) ** 2 + abs(overlap) ** 2 + (1 - other_length) ** 2
                               + np.sum(abs(third - links[..., 2, :]) ** 2, axis=-1))
            failed = int(np.sum(~(distance <= sigma)))
            if failed:
                raise Malformed(f"{path}: {failed} links are further away from SU(3) than reunitarize_sigma = {sigma}; the largest "
                                f"distance is {distance.max():.3g}. If the file is right, give a larger number, or 0",
                                path=path, found=f"{distance.max():.3g}", expected=str(sigma))
    return np.stack((first, second, third), axis=-2)


def _write_gauge(filename, latt_size, gauge, format, **options):
    grid, local = _local(latt_size)
    gauge = _array(gauge, (4, *local, 3, 3), "gauge")
    transfer.write(_path(filename), np.ascontiguousarray(np.moveaxis(gauge, 0, 4)), format=format, kind="gauge", grid=grid,
                   overwrite=True, **options)


def _array(array, shape, name):
    array = np.asarray(array)
    if array.shape != shape or array.dtype.kind != "c":
        raise InvalidArgument(f"{name} is an array of {array.dtype} of shape {list(array.shape)}, expected complex numbers of shape "
                              f"{list(shape)}", expected=str(list(shape)), found=str(list(array.shape)))
    return array.astype(np.complex128, copy=False)


def readILDGGauge(filename, checksum=True, reunitarize_sigma=_SIGMA):
    """(latt_size, gauge) of an ILDG file."""
    return _read_gauge(filename, checksum, reunitarize_sigma)


def readChromaQIOGauge(filename, checksum=True, reunitarize_sigma=_SIGMA):
    """(latt_size, gauge) of a SciDAC or ILDG file of Chroma."""
    return _read_gauge(filename, checksum, reunitarize_sigma)


def readMILCGauge(filename, checksum=True, reunitarize_sigma=_SIGMA):
    """(latt_size, gauge) of a configuration of MILC."""
    return _read_gauge(filename, checksum, reunitarize_sigma)


def writeMILCGauge(filename, latt_size, gauge):
    """Writes a configuration of MILC, in single precision."""
    _write_gauge(filename, latt_size, gauge, "milc", precision="single")


def readNERSCGauge(filename, checksum=True, plaquette=True, link_trace=True, reunitarize_sigma=_SIGMA):
    """(latt_size, gauge) of an archive file of the Gauge Connection; plaquette and link trace are compared to 1e-9, or to 1e-6
    in single precision."""
    return _read_gauge(filename, checksum, reunitarize_sigma, plaquette, link_trace)


def writeNERSCGauge(filename, latt_size, gauge, use_fp32=False, ensemble_id="PyQUDA", ensemble_label="", sequence_number=0):
    """Writes an archive file of the Gauge Connection, with all rows."""
    texts = {"ENSEMBLE_ID": str(ensemble_id), "ENSEMBLE_LABEL": str(ensemble_label), "SEQUENCE_NUMBER": str(sequence_number)}
    _write_gauge(filename, latt_size, gauge, "nersc", precision="single" if use_fp32 else "double",
                 metadata={name: text for name, text in texts.items() if text})


def readOpenQCDGauge(filename, plaquette=True, lexico=True):
    """(latt_size, gauge) of a configuration of openQCD.

    lexico  False: gauge is [mu, parity, t, z, y, x // 2, row, column]
    """
    latt_size, gauge = _read_gauge(filename, plaquette, 0, plaquette)
    return latt_size, gauge if lexico else _by_parity(gauge, latt_size)


def writeOpenQCDGauge(filename, latt_size, gauge, lexico=True):
    """Writes a configuration of openQCD, in double precision; lexico as in :func:`readOpenQCDGauge`."""
    if not lexico:
        t, z, y, x = _local(latt_size)[1]
        gauge = _from_parity(_array(gauge, (4, 2, t, z, y, x // 2, 3, 3), "gauge"), latt_size)
    _write_gauge(filename, latt_size, gauge, "openqcd", precision="double")


def _is_odd(latt_size):
    """For each line of sites in x, [t, z, y]: True if its first site is odd, counted from the box's own origin."""
    t, z, y, _ = _local(latt_size)[1]
    return np.add.outer(np.add.outer(np.arange(t), np.arange(z)), np.arange(y)) % 2 == 1


def _by_parity(gauge, latt_size):
    odd = _is_odd(latt_size)
    gauge = gauge.reshape(*gauge.shape[:4], -1, 2, 3, 3)  # [mu, t, z, y, x // 2, first or second, ...]
    first, second = gauge[..., 0, :, :], gauge[..., 1, :, :]
    turned = odd[None, :, :, :, None, None, None]
    return np.stack((np.where(turned, second, first), np.where(turned, first, second)), axis=1)


def _from_parity(gauge, latt_size):
    turned = _is_odd(latt_size)[None, :, :, :, None, None, None]
    even, odd = gauge[:, 0], gauge[:, 1]
    pairs = np.stack((np.where(turned, odd, even), np.where(turned, even, odd)), axis=5)
    return pairs.reshape(*pairs.shape[:4], -1, 3, 3)


def readChromaQIOPropagator(filename, checksum=True):
    """(latt_size, propagator) of a SciDAC file of Chroma."""
    return _read_propagator(filename, checksum, (4, 4, 3, 3))


def readChromaQIOStaggeredPropagator(filename, checksum=True):
    """(latt_size, propagator [t, z, y, x, sink colour, source colour]) of a SciDAC file of Chroma."""
    return _read_propagator(filename, checksum, (3, 3))


def _read_propagator(filename, checksum, site):
    path = _path(filename)
    entry = _entries(path)[0]
    if entry["spec"]["numbers"] != 2 * math.prod(site) or entry["spec"]["kind"] == "gauge":
        raise InvalidArgument(f"{path}: field {entry['name']!r} has {entry['spec']['numbers']} numbers at a site, expected "
                              f"{2 * math.prod(site)}", path=path)
    latt_size, numbers = _read(path, 0, entry, checksum)
    return latt_size, numbers.reshape(*numbers.shape[:4], *site)


def readMILCQIOPropagator(filename):
    """(latt_size, propagator) of twelve pairs of source and solution of MILC; checksums are compared."""
    latt_size, columns = _solutions(filename, 12, (4, 3))
    columns = columns.reshape(4, 3, *columns.shape[1:])
    return latt_size, columns.transpose(2, 3, 4, 5, 6, 0, 7, 1)


def readMILCQIOStaggeredPropagator(filename):
    """(latt_size, propagator [t, z, y, x, sink colour, source colour]) of three pairs of source and solution of MILC."""
    latt_size, columns = _solutions(filename, 3, (3,))
    return latt_size, columns.transpose(1, 2, 3, 4, 5, 0)


def _solutions(filename, count, site):
    """The second field of each pair."""
    path = _path(filename)
    entries = _entries(path)
    if len(entries) < 2 * count:
        raise Malformed(f"{path}: {len(entries)} fields, expected {count} pairs of source and solution", path=path,
                        expected=str(2 * count), found=str(len(entries)))
    columns = []
    for number in range(1, 2 * count, 2):
        if entries[number]["spec"]["numbers"] != 2 * math.prod(site):
            raise Malformed(f"{path}: field {number} has {entries[number]['spec']['numbers']} numbers at a site, expected "
                            f"{2 * math.prod(site)}", path=path)
        latt_size, column = _read(path, number, entries[number], True)
        columns.append(column.reshape(*column.shape[:4], *site))
    return latt_size, np.stack(columns)


# --- Numbers without a description ----------------------------------------------------------------------------------------

def _read_raw(filename, dtype, axes, latt_size, offset=0):
    """This rank's part of an array in a file, whose axes are letters of the lattice or extents of other axes."""
    path, dtype, grid = _path(filename), np.dtype(dtype), _grid(_extents(latt_size))
    extents = dict(zip("xyzt", _extents(latt_size)))
    shape = tuple(extents.get(axis, axis) for axis in axes)
    with agreed(grid):
        try:
            size = os.path.getsize(path)
            needed = offset + math.prod(shape) * dtype.itemsize
            if size != needed:
                raise (Truncated if size < needed else Malformed)(
                    f"{path}: {size} bytes, but a lattice of {list(latt_size)} needs {needed}; it states neither lattice nor precision: "
                    "is latt_size right?", path=path, expected=str(needed), found=str(size))
            whole = np.memmap(path, dtype, "r", offset, shape)
        except FileNotFoundError as error:
            raise NotFound(f"{path}: {error.strerror}", path=path) from None
        except OSError as error:
            raise IoError(f"{path}: {error.strerror}", path=path, errno=error.errno) from None
        return np.array(whole[_box(axes, grid)])


def _box(axes, grid):
    slices = dict(zip(_LATTICE, grid.slices)) if grid else {}
    return tuple(slices.get(axis, slice(None)) for axis in axes)


def _write_raw(filename, array, axes, latt_size, head=b""):
    """Writes a new file of `head` and the array of all ranks, completely or not at all; over MPI rank 0 gathers it."""
    path, grid = _path(filename), _grid(_extents(latt_size))
    if grid is not None:
        extents = dict(zip("xyzt", grid.extents))
        parts = _RANKS["comm"].gather((_box(axes, grid), array))
        if parts is not None:
            array = np.empty([extents.get(axis, axis) for axis in axes], array.dtype)
            for place, part in parts:
                array[place] = part
    with agreed(grid):
        if grid is None or grid.rank == 0:
            _publish(path, head, np.ascontiguousarray(array))


def _publish(path, head, array):
    folder, name = os.path.split(path)
    try:
        with tempfile.NamedTemporaryFile(dir=folder or ".", prefix=f".{name[:200]}.", delete=False) as file:
            try:
                file.write(head)
                file.write(memoryview(array).cast("B"))
                file.flush()
                os.fsync(file.fileno())
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise kind_of(error)(f"{path}: {error.strerror}", path=path, errno=error.errno) from None


def _umask():
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


def readILDGBinGauge(filename, dtype, latt_size):
    """The gauge field of a file that holds only the data of an ILDG file, of that dtype (such as ">c16")."""
    return np.moveaxis(_read_raw(filename, dtype, (*_LATTICE, 4, 3, 3), latt_size).astype(np.complex128), 4, 0)


def readKYUGauge(filename, latt_size):
    """The gauge field of a file of KYU: [mu, column, row, re/im, t, z, y, x] in double precision, big-endian."""
    numbers = _read_raw(filename, ">f8", (4, 3, 3, 2, *_LATTICE), latt_size)
    return _paired(numbers.transpose(0, 4, 5, 6, 7, 2, 1, 3))


def _paired(numbers):
    """Complex numbers of an array whose last axis is re/im."""
    return np.ascontiguousarray(numbers, dtype=np.float64).view(np.complex128)[..., 0]


def _parts(numbers):
    """The array with a last axis re/im."""
    return np.ascontiguousarray(numbers).view(np.float64).reshape(*numbers.shape, 2)


def writeKYUGauge(filename, latt_size, gauge):
    """Writes a gauge field as KYU does."""
    gauge = _array(gauge, (4, *_local(latt_size)[1], 3, 3), "gauge")
    _write_raw(filename, _parts(gauge).transpose(0, 6, 5, 7, 1, 2, 3, 4).astype(">f8"), (4, 3, 3, 2, *_LATTICE), latt_size)


def readKYUPropagator(filename, latt_size):
    """The propagator of a file of KYU, converted from the Dirac-Pauli basis to the DeGrand-Rossi basis."""
    numbers = _read_raw(filename, ">f8", (4, 3, 2, 4, 3, *_LATTICE), latt_size)
    return _turned(_paired(numbers.transpose(5, 6, 7, 8, 3, 0, 4, 1, 2)), _FROM_DIRAC_PAULI)


def writeKYUPropagator(filename, latt_size, propagator):
    """Writes a propagator as KYU does, converted to the Dirac-Pauli basis."""
    numbers = _parts(_turned(_propagator(propagator, latt_size), _TO_DIRAC_PAULI))
    _write_raw(filename, numbers.transpose(5, 7, 8, 4, 6, 0, 1, 2, 3).astype(">f8"), (4, 3, 2, 4, 3, *_LATTICE), latt_size)


_XQCD = (4, 3, *_LATTICE, 4, 3)


def readXQCDPropagator(filename, latt_size):
    """The propagator of a file of XQCD, converted from the Dirac-Pauli basis to the DeGrand-Rossi basis."""
    numbers = readXQCDPropagatorFast(filename, latt_size).transpose(2, 3, 4, 5, 6, 0, 7, 1)
    return _turned(numbers.astype(np.complex128), _FROM_DIRAC_PAULI)


def writeXQCDPropagator(filename, latt_size, propagator):
    """Writes a propagator as XQCD does, in single precision, converted to the Dirac-Pauli basis."""
    numbers = _turned(_propagator(propagator, latt_size), _TO_DIRAC_PAULI)
    _write_raw(filename, numbers.astype("<c8").transpose(5, 7, 0, 1, 2, 3, 4, 6), _XQCD, latt_size)


def readXQCDPropagatorFast(filename, latt_size):
    """The unconverted numbers of a file of XQCD: [source spin, source colour, t, z, y, x, sink spin, sink colour], complex64."""
    return _read_raw(filename, "<c8", _XQCD, latt_size)


def writeXQCDPropagatorFast(filename, latt_size, propagator):
    """Writes such numbers unconverted."""
    propagator = _array(propagator, (4, 3, *_local(latt_size)[1], 4, 3), "propagator")
    _write_raw(filename, propagator.astype("<c8"), _XQCD, latt_size)


def readXQCDStaggeredPropagator(filename, latt_size):
    """The staggered propagator of a file of XQCD, whose sink colours are padded to four."""
    numbers = _read_raw(filename, "<c8", (3, *_LATTICE, 4), latt_size)[..., :3]
    return numbers.transpose(1, 2, 3, 4, 5, 0).astype(np.complex128)


def writeXQCDStaggeredPropagator(filename, latt_size, propagator):
    """Writes a staggered propagator as XQCD does, in single precision."""
    propagator = _array(propagator, (*_local(latt_size)[1], 3, 3), "propagator")
    padded = np.zeros((3, *propagator.shape[:4], 4), "<c8")
    padded[..., :3] = propagator.transpose(5, 0, 1, 2, 3, 4)
    _write_raw(filename, padded, (3, *_LATTICE, 4), latt_size)


def _propagator(propagator, latt_size):
    return _array(propagator, (*_local(latt_size)[1], 4, 4, 3, 3), "propagator")


# Rows of the change of basis between Dirac-Pauli and DeGrand-Rossi, without the factor 1/sqrt(2): (spin, sign).
_FROM_DIRAC_PAULI = (((1, 1), (3, -1)), ((0, -1), (2, 1)), ((1, 1), (3, 1)), ((0, -1), (2, -1)))
_TO_DIRAC_PAULI = (((1, -1), (3, -1)), ((0, 1), (2, 1)), ((1, 1), (3, -1)), ((0, -1), (2, 1)))


def _turned(propagator, basis):
    """The propagator with both spins in another basis."""
    half, turned = propagator / 2, np.zeros_like(propagator)
    for sink, sinks in enumerate(basis):
        for source, sources in enumerate(basis):
            for s, sign in sinks:
                for q, other in sources:
                    turned[..., sink, source, :, :] += sign * other * half[..., s, q, :, :]
    return turned


# --- Files of numpy -------------------------------------------------------------------------------------------------------

def _npy_head(filename):
    """(shape, where the numbers begin) of a file of numpy."""
    path = _path(filename)
    try:
        with io.open(path, "rb") as file:
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, is_fortran, dtype = read(file)
            at = file.tell()
    except FileNotFoundError as error:
        raise NotFound(f"{path}: {error.strerror}", path=path) from None
    except ValueError as error:
        raise Malformed(f"{path}: this is not a numpy file: {error}", path=path) from None
    if is_fortran or dtype != np.dtype("<c16"):
        raise Malformed(f"{path}: it holds {dtype} in {'Fortran' if is_fortran else 'C'} order, expected <c16 in C order", path=path)
    return shape, at


def _read_npy(filename, axes, place):
    shape, at = _npy_head(filename)
    if len(shape) != len(axes) or any(n != axis for n, axis in zip(shape, axes) if axis not in _LATTICE_AXES):
        raise Malformed(f"{_path(filename)}: an array of shape {list(shape)}, expected {list(axes)}", path=_path(filename),
                        expected=str(list(axes)), found=str(list(shape)))
    latt_size = list(shape[place:place + 4][::-1])
    return latt_size, _read_raw(filename, "<c16", axes, latt_size, at)


_LATTICE_AXES = set(_LATTICE)


def _write_npy(filename, array, axes, latt_size):
    extents = dict(zip("xyzt", _extents(latt_size)))
    head = io.BytesIO()
    shape = tuple(extents.get(axis, axis) for axis in axes)
    np.lib.format.write_array_header_1_0(head, {"shape": shape, "fortran_order": False, "descr": "<c16"})
    _write_raw(filename, array.astype("<c16"), axes, latt_size, head.getvalue())


def readNPYGauge(filename):
    """(latt_size, gauge) of a .npy file."""
    return _read_npy(filename, (4, *_LATTICE, 3, 3), 1)


def writeNPYGauge(filename, latt_size, gauge):
    """Writes a gauge field as a .npy file, in the order of the array."""
    _write_npy(filename, _array(gauge, (4, *_local(latt_size)[1], 3, 3), "gauge"), (4, *_LATTICE, 3, 3), latt_size)


def readNPYPropagator(filename):
    """(latt_size, propagator) of a .npy file."""
    return _read_npy(filename, (*_LATTICE, 4, 4, 3, 3), 0)


def writeNPYPropagator(filename, latt_size, propagator):
    """Writes a propagator as a .npy file, in the order of the array."""
    _write_npy(filename, _propagator(propagator, latt_size), (*_LATTICE, 4, 4, 3, 3), latt_size)


# --- Records of LIME, and files of IOGeneral --------------------------------------------------------------------------------

class LimeRecord(NamedTuple):
    """A record of a LIME file: its type, where its data begin, and their bytes."""

    name: str
    offset: int
    length: int


class Lime:
    """The records of a LIME file."""

    def __init__(self, filename):
        self.filename = _path(filename)
        with files.open(self.filename) as file:
            self._records = [LimeRecord(entry["type"], entry["offset"], entry["data_length"]) for entry in file.records]

    def keys(self):
        """Types of all records, in the order of the file."""
        return [record.name for record in self._records]

    def records(self, key):
        """All records of a type."""
        return [record for record in self._records if record.name == key]

    def record(self, key, index=0):
        """One of them; IndexError if it does not exist."""
        return self.records(key)[index]

    def loadXML(self, key, index=0):
        """The document that a record holds, as an ElementTree."""
        self.record(key, index)
        with files.open(self.filename) as file:
            text = file.records[key, index].rstrip(b"\0")
        try:
            return ElementTree.ElementTree(ElementTree.fromstring(text.decode()))
        except (ElementTree.ParseError, UnicodeDecodeError) as error:
            raise Malformed(f"{self.filename}: record {key!r} is not XML: {error}", path=self.filename, record=key) from None


# The dimensions that files of IOGeneral name, by their number from 0.
_DIMENSIONS = """other x y z t d c d2 c2 complex mass smear displacement s_01 s_02 s_03 s_11 s_12 s_13 d_01 d_02 d_03 d_11 d_12 d_13 conf
    operator momentum direction t2 mass2 column row temporary temporary2 temporary3 temporary4 errorbar operator2 param fitleft
    fitright jackknife jackknife2 jackknife3 jackknife4 summary channel channel2 eigen d_row d_col c_row c_col parity noise evenodd
    disp_x disp_y disp_z disp_t t3 t4 t_source t_current t_sink nothing bootstrap last""".split()
_HEAD_BYTES, _MOST_DIMENSIONS, _MOST_INDICES = 102400, 16, 1024


class _Dimension:
    """A dimension of a file of IOGeneral: ``type`` (a number), ``n_indices``, ``indices`` (an array of n_indices numbers)."""

    def __init__(self, type, indices):
        self.type, self.indices = int(type), np.array(indices, np.int32)

    n_indices = property(lambda self: len(self.indices))


class _Head:
    """What a file of IOGeneral states of its array: ``n_dimensions``, ``dimensions``, ``dimensions_type`` (names) and
    ``dimensions_n_indices`` (the shape)."""

    def __init__(self, dimensions):
        self.dimensions = list(dimensions)

    n_dimensions = property(lambda self: len(self.dimensions))
    dimensions_type = property(lambda self: tuple(_DIMENSIONS[one.type] for one in self.dimensions))
    dimensions_n_indices = property(lambda self: tuple(one.n_indices for one in self.dimensions))

    @classmethod
    def of(cls, data, path):
        """The head that begins a file; Truncated, Malformed."""
        if len(data) < _HEAD_BYTES:
            raise Truncated(f"{path}: {len(data)} bytes, but the head of such a file has {_HEAD_BYTES}", path=path)
        numbers = np.frombuffer(data, "<i4", _HEAD_BYTES // 4)
        count, tables = int(numbers[0]), numbers[1:1 + _MOST_DIMENSIONS * (2 + _MOST_INDICES)].reshape(_MOST_DIMENSIONS, -1)
        if not 0 < count <= _MOST_DIMENSIONS or not all(0 <= kind < len(_DIMENSIONS) and 0 < n <= _MOST_INDICES
                                                        for kind, n in tables[:count, :2].tolist()):
            raise Malformed(f"{path}: this is not a file of IOGeneral: {count} dimensions of {tables[:, :2].tolist()[:max(min(count, 4), 1)]}",
                            path=path)
        return cls(_Dimension(table[0], table[2:2 + table[1]]) for table in tables[:count])

    def __bytes__(self):
        numbers = np.zeros(_HEAD_BYTES // 4, "<i4")
        numbers[0] = self.n_dimensions
        tables = numbers[1:1 + _MOST_DIMENSIONS * (2 + _MOST_INDICES)].reshape(_MOST_DIMENSIONS, -1)
        for table, one in zip(tables, self.dimensions):
            table[:2], table[2:2 + one.n_indices] = (one.type, one.n_indices), one.indices
        return numbers.tobytes()

    def __repr__(self):
        return "".join(f"dim_{_DIMENSIONS[one.type]:14s}{one.n_indices:<6d}( {' '.join(map(str, one.indices))} )\n" for one in self.dimensions)


class IOGeneral:
    """A file of IOGeneral, an array of real numbers whose dimensions have names: ``head`` now, ``data`` after read()."""

    def __init__(self, filename):
        self.filename = _path(filename)
        try:
            with io.open(self.filename, "rb") as file:
                self.head = _Head.of(file.read(_HEAD_BYTES), self.filename)
        except FileNotFoundError as error:
            raise NotFound(f"{self.filename}: {error.strerror}", path=self.filename) from None
        self.data = np.empty((0, 0), "<f8")

    def read(self):
        """Reads the numbers into ``data``, of shape head.dimensions_n_indices."""
        shape = self.head.dimensions_n_indices
        needed = _HEAD_BYTES + 8 * math.prod(shape)
        size = os.path.getsize(self.filename)
        if size != needed:
            raise (Truncated if size < needed else Malformed)(f"{self.filename}: {size} bytes, but an array of {list(shape)} needs {needed}",
                                                             path=self.filename, expected=str(needed), found=str(size))
        self.data = np.fromfile(self.filename, "<f8", offset=_HEAD_BYTES).reshape(shape)

    def write(self):
        """Writes head and data to the file, which is replaced when the new one is complete."""
        writeIOGeneral(self.filename, self.head, np.asarray(self.data).reshape(self.head.dimensions_n_indices))


def readIOGeneral(filename):
    """(head, data) of a file of IOGeneral; see :class:`IOGeneral`."""
    file = IOGeneral(filename)
    file.read()
    return file.head, file.data


def writeIOGeneral(filename, head, data):
    """Writes a file of IOGeneral: a head that was read, and an array of float64 of its shape."""
    data = np.asarray(data)
    if tuple(head.dimensions_n_indices) != data.shape or data.dtype != np.float64:
        raise InvalidArgument(f"data is an array of {data.dtype} of shape {list(data.shape)}, expected float64 of "
                              f"{list(head.dimensions_n_indices)}, as the head states", found=str(list(data.shape)))
    _publish(_path(filename), bytes(head), np.ascontiguousarray(data, "<f8"))
