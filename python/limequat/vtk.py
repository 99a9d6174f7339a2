# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files for ParaView, VisIt and other VTK programs: quantities of sites as images (.vti), time slices as a series (.pvd)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
from typing import TYPE_CHECKING, Any, List, Sequence

import numpy as np

from limequat._library import path_bytes
from limequat.errors import Exists, InvalidArgument
from limequat.publishing import NewFiles, require_no_data, take_access, told

if TYPE_CHECKING:
    from limequat.annotations import Target

__all__ = ["export_vtk"]

_TYPES = {"f4": "Float32", "f8": "Float64", "i1": "Int8", "u1": "UInt8", "i2": "Int16", "u2": "UInt16", "i4": "Int32", "u4": "UInt32",
          "i8": "Int64", "u8": "UInt64"}


def export_vtk(path: Target, fields: Any, *, t: Any = None, spacing: Sequence[float] = (1.0, 1.0, 1.0),
               overwrite: bool = False) -> List[str]:
    """Writes quantities of sites for ParaView and other VTK programs.

    path       NAME.pvd: a series of images, NAME_0000.vti and so on in the same folder, one for each time slice, which these programs play as
               an animation. NAME.vti: one image, of a lattice of three dimensions or of the time slice ``t``
    fields     a dict of names and real arrays, all [t, z, y, x] or all [z, y, x], with one more axis for vectors (four axes are a vector
               [z, y, x, n] if another array has three). Arrays are read slice by slice, so memmaps need no memory
    t          the time slice of an image
    spacing    of the sites in x, y, z
    overwrite  replace existing files; otherwise they are refused (Exists)

    Sites are points of the image, x fastest; the numbers are appended as raw binary, little-endian, in the precision of the array. Files get
    their names when all of them are complete, the .pvd last. Whenever a series is replaced, its .pvd names the old images or the new ones: these
    have names of their own until it does (NAME_xxxxxxxx_0000.vti; they stay if this is interrupted then, or if the file system has no hard links).
    Returns the paths of the files, the .pvd first. Raises InvalidArgument, Exists, NotFound (no such folder), NoPermission, NoSpace, IoError.
    """
    return export(path, fields, t, spacing, overwrite)


def export(path, fields, t=None, spacing=(1.0, 1.0, 1.0), overwrite=False, likes=()):
    """The same; nobody may read the images who may not read the files in ``likes``, of which they are made."""
    path = os.fsdecode(path_bytes(path))
    stem, suffix = os.path.splitext(path)
    if suffix.lower() not in (".vti", ".pvd"):
        raise InvalidArgument(f"{path}: expected NAME.pvd (a series of time slices) or NAME.vti (one image)", path=path)
    arrays, dims = _checked_fields(path, fields)
    spacing = _checked_spacing(spacing)
    times = _times(path, arrays, dims, t, suffix.lower() == ".pvd")
    if suffix.lower() == ".vti":
        names = [path]
    else:
        digits = max(4, len(str(len(times) - 1)))
        names = [f"{stem}_{time:0{digits}d}.vti" for time in times]
    written = names if names == [path] else [path, *names]
    for name in () if overwrite else written:
        if os.path.lexists(name):
            raise Exists(f"{name}: exists already; overwrite=True replaces it", path=name)
    images = (_image({key: array if time is None else array[time] for key, array in arrays.items()}, spacing) for time in times)
    if names != [path] and overwrite:
        return [path, *_replace_series(path, stem, names, images, likes)]
    with NewFiles(overwrite, likes) as files:
        for name, image in zip(names, images):
            files.write(name, image)
        if names != [path]:
            files.write(path, _series(names))
    return written


def _replace_series(path, stem, names, images, likes):
    """Replaces a series: the new images have other names until no .pvd refers to the old ones. Returns the names of the images."""
    for name in (path, *names):
        require_no_data(name)
    tag = f"{stem}_{secrets.token_hex(4)}"
    staged = [tag + name[len(stem):] for name in names]
    try:
        with NewFiles(False, [path, *names, *likes]) as files:
            for name, image in zip(staged, images):
                files.write(name, image)
        with told(path), _alone_in(os.path.dirname(path)):
            return _switch_series(path, stem, names, staged, likes)
    except BaseException:
        if staged[0] not in _images_of(path, stem):
            _remove(staged)
        raise


def _switch_series(path, stem, names, staged, likes):
    """Replaces the .pvd, which is the moment when the new images count; then they get the usual names, if links can be made."""
    old = [*_images_of(path, stem), *names]
    for one, name in zip(staged, names):
        if os.path.exists(name):
            take_access(one, name)
    _write_series(path, staged, likes, [name[len(stem):-len(".vti")] for name in old])
    _remove(old)
    given = []
    try:
        for one, name in zip(staged, names):
            os.link(one, name)
            given.append(name)
        _write_series(path, names, likes)
    except OSError:  # the series is complete without
        _remove(given)
        return staged
    _remove(staged)
    return names


def _write_series(path, names, likes, old=()):
    with NewFiles(True, likes) as files:
        files.write(path, _series(names, old))


def _images_of(path, stem):
    """The images of an existing series, if this module gave them their names, and those that it was to replace."""
    from xml.sax.saxutils import unescape
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        return []
    found = re.findall(r"""<DataSet [^<>]*\bfile=("[^"]*"|'[^']*')""", text)
    names = [unescape(one[1:-1], {"&quot;": '"', "&#10;": "\n", "&#13;": "\r", "&#9;": "\t"}) for one in found]
    for one in re.findall(r"<!-- instead of ([0-9a-f_ ]+) -->", text):
        names += [f"{os.path.basename(stem)}{ending}.vti" for ending in one.split()]
    ours = re.compile(re.escape(os.path.basename(stem)) + r"(_[0-9a-f]{8})?_\d{4,}\.vti", re.DOTALL)
    return [os.path.join(os.path.dirname(stem), name) for name in names if ours.fullmatch(name)]


def _remove(names):
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(name)


@contextlib.contextmanager
def _alone_in(folder):
    """Two programs that replace a series switch one after the other, if the file system has locks."""
    descriptor = os.open(folder or os.curdir, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _checked_fields(path, fields):
    if not hasattr(fields, "items") or not fields:
        raise InvalidArgument(f"{path}: no fields to write; expected a dict of names and arrays", path=path)
    lattices = set()
    for name, array in fields.items():
        if not isinstance(name, str) or not name or re.search(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", name):
            raise InvalidArgument(f"{path}: a field has the name {name!r}, expected a text without control characters", path=path)
        dtype, shape = getattr(array, "dtype", None), tuple(getattr(array, "shape", ()))
        if isinstance(array, np.ma.MaskedArray):
            raise InvalidArgument(f"{path}: {name!r} is a masked array; fill it first", path=path, record=name)
        if dtype is None or dtype.kind + str(dtype.itemsize) not in _TYPES:
            hint = "; take .real, .imag or abs()" if getattr(dtype, "kind", "") == "c" else ""
            raise InvalidArgument(f"{path}: {name!r} is of type {dtype or type(array).__name__}, expected an array of real numbers or "
                                  f"integers{hint}", path=path, record=name)
        if len(shape) not in (3, 4, 5) or 0 in shape:
            raise InvalidArgument(f"{path}: {name!r} has the shape {list(shape)}, expected [t, z, y, x] or [z, y, x], and an axis for "
                                  "vectors", path=path, record=name)
        lattices.add(shape)
    dims = 3 if any(len(shape) == 3 for shape in lattices) else 4
    if len({shape[:dims] for shape in lattices}) > 1 or max(map(len, lattices)) > dims + 1:
        raise InvalidArgument(f"{path}: fields of different lattices, {sorted(map(list, lattices))}", path=path)
    return dict(fields), dims


def _checked_spacing(spacing):
    try:
        spacing = tuple(float(step) for step in spacing)
    except (TypeError, ValueError):
        spacing = ()
    if len(spacing) != 3 or not all(0 < step < float("inf") for step in spacing):
        raise InvalidArgument("spacing is not three positive numbers, of x, y and z")
    return spacing


def _times(path, arrays, dims, t, is_series):
    """The time slices to be written; [None]: the arrays have no time axis."""
    if dims == 3:
        if is_series or t is not None:
            raise InvalidArgument(f"{path}: arrays of three dimensions have no time slices; write NAME.vti, without t", path=path)
        return [None]
    extent = len(next(iter(arrays.values())))
    if is_series:
        if t is not None:
            raise InvalidArgument(f"{path}: t={t!r} chooses one time slice; write it as NAME.vti", path=path)
        return range(extent)
    if t is None and extent > 1:
        raise InvalidArgument(f"{path}: {extent} time slices; write NAME.pvd, or choose one with t=", path=path)
    if isinstance(t, bool) or not isinstance(t, (int, np.integer, type(None))) or not 0 <= (t or 0) < extent:
        raise InvalidArgument(f"{path}: t={t!r}, expected a time slice from 0 to {extent - 1}", path=path, found=repr(t))
    return [int(t or 0)]


def _quoted(text):
    """A quoted XML attribute; the standard module for this loads an HTTP client, which takes too long."""
    from xml.sax.saxutils import quoteattr
    return quoteattr(text)


def _image(arrays, spacing):
    """The parts of an image file: its XML text and the numbers."""
    shape = next(iter(arrays.values())).shape[:3]
    extent = " ".join(f"0 {n - 1}" for n in reversed(shape))
    lines, parts, offset = [], [], 0
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        components = array.shape[3] if array.ndim == 4 else 1
        lines.append(f'<DataArray type="{_TYPES[array.dtype.kind + str(array.dtype.itemsize)]}" Name={_quoted(name)} '
                     f'NumberOfComponents="{components}" format="appended" offset="{offset}"/>')
        parts += [array.nbytes.to_bytes(8, "little"), array.reshape(-1).view(np.uint8)]
        offset += 8 + array.nbytes
    scalars = _quoted(next(iter(arrays)))
    yield (f'<?xml version="1.0" encoding="UTF-8"?>\n<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
           f'<ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="{" ".join(map(repr, spacing))}">\n<Piece Extent="{extent}">\n'
           f"<PointData Scalars={scalars}>\n" + "\n".join(lines)
           + '\n</PointData>\n</Piece>\n</ImageData>\n<AppendedData encoding="raw">\n_').encode("utf-8")
    yield from parts
    yield b"\n</AppendedData>\n</VTKFile>\n"


def _series(names, old=()):
    """The text of a .pvd; `old`: what is to be removed, as the ends of names."""
    lines = [f'<DataSet timestep="{time}" group="" part="0" file={_quoted(os.path.basename(name))}/>' for time, name in enumerate(names)]
    yield ('<?xml version="1.0" encoding="UTF-8"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>\n'
           + "\n".join(lines) + "\n</Collection>\n" + (f"<!-- instead of {' '.join(old)} -->\n" if old else "") + "</VTKFile>\n").encode("utf-8", "surrogateescape")
