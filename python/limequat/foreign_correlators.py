# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Correlators in files of other programs: HDF5 of Hadrons, of Chroma and LaLiBe (QDP++), of QLUA and of CVC; tables of tmLQCD and
plain ones. What becomes a name and what a label is told in docs/guide/correlators.md.
"""

import hashlib
import os
import re

import numpy as np

from limequat.correlator_labels import shown
from limequat.errors import ChecksumError, Error, InvalidArgument, IoError, Malformed, NoPermission, NotFound, UnknownFormat
from limequat.needs import needed

_HDF5 = b"\x89HDF\r\n\x1a\n"
_MOST_TABLE_BYTES = 1 << 30
_MOST_NUMBERS = 64 << 20  # bytes of an array; more is believed of a file that has itself many
# A part of a path that states numbers: "px1_py0_pz-1", "pfx0pfy0pfz1", "x0_y0_z0_t12", "gf5", "t10", "mu0.0040".
_NUMBER = r"-?\d+(?:\.\d+)?"
_NUMBERED = re.compile(rf"^(?:([A-Za-z]+?)_?({_NUMBER})_?)+$")
_PAIR = re.compile(rf"([A-Za-z]+?)_?({_NUMBER})(?:_|(?=[A-Za-z])|$)")


def read_files(paths, layout=None):
    """[(name, labels, values, axes)] of one or several files."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    if layout is not None and layout not in LAYOUTS:
        raise InvalidArgument(f"layout is {layout!r}, expected one of {', '.join(map(repr, LAYOUTS))}, or None", found=repr(layout))
    found = []
    for path in paths:
        found += _read_file(os.fsdecode(path), layout)
    return found


def _read_file(path, layout):
    head = _opened(path, lambda file: file.read(8))
    if head != _HDF5:
        if layout not in (None, "tmlqcd", "table"):
            raise UnknownFormat(f"{path}: no HDF5 file, which the layout {layout} is", path=path, offset=0)
        return _read_table(path, layout)
    if layout in ("tmlqcd", "table"):
        raise UnknownFormat(f"{path}: an HDF5 file, expected a table of text", path=path, offset=0)
    h5py = needed("h5py", "reading correlators from HDF5 files")
    try:
        with h5py.File(path, "r") as file:
            layout = layout or _recognised(h5py, file)
            found = LAYOUTS[layout](h5py, file, path) if layout else []
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:  # of the HDF5 library
        if isinstance(error, Error):
            raise
        raise Malformed(f"{path}: the HDF5 library cannot read it: {error}", path=path) from None
    if not found:
        raise UnknownFormat(f"{path}: no correlators of {'any known layout' if layout is None else 'the layout ' + layout}; known are "
                            f"{', '.join(LAYOUTS)}", path=path)
    return found


def _opened(path, use):
    try:
        with open(path, "rb") as file:
            return use(file)
    except FileNotFoundError:
        raise NotFound(f"{path}: there is no such file", path=path) from None
    except PermissionError:
        raise NoPermission(f"{path}: may not be read", path=path) from None
    except OSError as error:
        raise IoError(f"{path}: cannot be read: {error.strerror}", path=path, errno=error.errno) from None


# HDF5

def _datasets(h5py, file):
    """(path, dataset) of all datasets. Soft links and links into other files are not followed."""
    found = []
    file.visititems(lambda name, one: found.append((name, one)) if isinstance(one, h5py.Dataset) else None)
    return found


def _recognised(h5py, file):
    """The layout of a file, by what only files of that program have; None."""
    for path, dataset in _datasets(h5py, file):
        if ".kind" in dataset.attrs:
            return "qlua"
        names = dataset.dtype.names or ()
        if names == ("re", "im"):
            return "hadrons"
        parts = path.split("/")
        if re.fullmatch(r"px-?\d+_py-?\d+_pz-?\d+", parts[-1]):
            return "lalibe"
        if any(re.fullmatch(r"[gpi][a-z]*x-?\d+\w*y-?\d+\w*z-?\d+|PX-?\d+_PY-?\d+_PZ-?\d+", part) for part in parts):
            return "cvc"
    return None


def _numbers(dataset, path, where):
    """The numbers of a dataset, native; compounds of two are complex. Not out of other files, and not more than the file can hold."""
    if dataset.external or dataset.is_virtual:
        raise Malformed(f"{path}: {where}: its numbers are in other files", path=path, record=where)
    if dataset.size is None or dataset.size * dataset.dtype.itemsize > max(_MOST_NUMBERS, 100 * os.path.getsize(path)):
        raise Malformed(f"{path}: {where}: an array of shape {dataset.shape} in a file of {os.path.getsize(path)} bytes", path=path,
                        record=where)
    values = np.asarray(dataset[()])
    names = values.dtype.names
    if names:
        parts = [values[name] for name in names]
        if len(names) != 2 or any(part.dtype.kind != "f" for part in parts):
            raise Malformed(f"{path}: {where}: numbers of type {values.dtype}, expected real or complex ones", path=path, record=where)
        wide = np.result_type(parts[0].dtype, np.complex64)
        values = np.empty(parts[0].shape, wide)
        values.real, values.imag = parts
    values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.kind == "f" and values.dtype.itemsize in (4, 8) or values.dtype.kind == "c":
        return values
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 4:
        return values.astype(np.int64 if values.dtype.itemsize == 4 else np.int32)
    if values.dtype.kind == "i":
        return values
    raise Malformed(f"{path}: {where}: numbers of type {values.dtype}, expected real or complex ones", path=path, record=where)


def _hadrons(h5py, file, path):
    """Groups such as meson/meson_0 with a dataset `corr` of {re, im} and attributes that say which: gamma_snk, gamma_src, ..."""
    found = []
    for where, dataset in _datasets(h5py, file):
        if dataset.dtype.names != ("re", "im"):
            continue
        parts = where.split("/")
        group = dataset.parent
        labels = {name: _attribute(value, path, where) for name, value in group.attrs.items()}
        if "info" in group and isinstance(group["info"], h5py.Group):
            labels.update((name, _attribute(value, path, where)) for name, value in group["info"].attrs.items())
        labels["path"] = where
        values = _numbers(dataset, path, where)
        found.append((parts[0] if len(parts) > 1 else where, labels, values, ("t",) if values.ndim == 1 else None))
    return found


def _attribute(value, path, where):
    """An attribute as a label: a text, a number, or a tuple of them."""
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OSUifub":
        raise Malformed(f"{path}: {where}: an attribute of type {value.dtype}, expected texts or numbers", path=path, record=where)
    if isinstance(value, np.ndarray):
        parts = tuple(_attribute(part, path, where) for part in value.ravel())
        return parts[0] if len(parts) == 1 else parts
    if isinstance(value, bytes):
        return value.split(b"\0")[0].decode("utf-8", "replace")
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (str, int, float, bool)) else str(value)


def _lalibe(h5py, file, path):
    """PATH/PARTICLE[/spin_S]/xX_yY_zZ_tT/pxX_pyY_pzZ with the numbers of all times: as LaLiBe writes them through QDP++."""
    found = []
    for where, dataset in _datasets(h5py, file):
        parts = where.split("/")
        if not re.fullmatch(r"px-?\d+_py-?\d+_pz-?\d+", parts[-1]) or len(parts) < 2:
            continue
        labels, words = {}, []
        for part in parts:
            if part.startswith("spin_"):
                labels["spin"] = part[5:]
            elif re.fullmatch(r"x-?\d+_y-?\d+_z-?\d+_t-?\d+", part):
                labels["source"] = tuple(int(n) for n in re.findall(r"-?\d+", part))
            elif part is parts[-1]:
                labels["momentum"] = tuple(int(n) for n in re.findall(r"-?\d+", part))
            else:
                words.append(part)
        if len(words) > 1:
            labels["path"] = "/".join(words[:-1])
        for name, value in dataset.attrs.items():
            labels[name] = _attribute(value, path, where)
        found.append((words[-1] if words else "correlator", labels, _numbers(dataset, path, where), ("t",)))
    return _with_axes(found)


def _qlua(h5py, file, path):
    """Objects with `.kind`: vectors of real or complex numbers, whose SHA-256 is compared."""
    found = []
    for where, dataset in _datasets(h5py, file):
        kind = dataset.attrs.get(".kind")
        if kind is None:
            continue
        kind = _attribute(kind, path, where).lower()
        if "lattice" in kind or dataset.dtype.kind in "SO":
            continue
        values = _numbers(dataset, path, where)
        if not values.size:
            continue
        stated = dataset.attrs.get(".sha256")
        if stated is not None:
            little = values.astype(values.dtype.newbyteorder("<"))
            if little.dtype.kind == "i":
                little = little.astype("<i8")
            _compare_digest(bytes(np.asarray(stated, np.uint8)), hashlib.sha256(little.tobytes()).digest(), path, where)
        parts = where.split("/")
        labels, words = _labels_of(parts)
        labels["path"] = where
        labels["kind"] = kind
        found.append((words[-1] if words else parts[-1], labels, values, None))
    return found


def _compare_digest(stated, found, path, where):
    if stated != found:
        raise ChecksumError(f"{path}: {where}: the SHA-256 is {found.hex()}, the file states {stated.hex()}; the numbers are damaged",
                            path=path, record=where, expected=stated.hex(), found=found.hex())


def _cvc(h5py, file, path):
    """Paths that state everything, such as u+-g-u-g/t10/gf5/pfx0pfy0pfz1/gi5/pix0piy0piz0; real and imaginary parts alternate."""
    found = []
    for where, dataset in _datasets(h5py, file):
        labels, words = _labels_of(where.split("/"))
        if not labels:
            continue
        values = _numbers(dataset, path, where)
        if values.dtype.kind == "f":
            if values.ndim > 1 and values.shape[-1] == 2:
                values = np.ascontiguousarray(values).view(np.result_type(values.dtype, np.complex64))[..., 0]
            elif values.ndim == 1 and len(values) % 2 == 0:
                values = values.view(np.result_type(values.dtype, np.complex64))
            else:
                raise Malformed(f"{path}: {where}: {list(values.shape)} real numbers, expected real and imaginary parts in turn", path=path,
                                record=where)
        found.append(("/".join(words) or "correlator", labels, values, ("t",) if values.ndim == 1 else None))
    return found


def _labels_of(parts):
    """(labels, words) of the parts of a path: gf5 is gf=5, pfx0pfy0pfz1 is pf=(0, 0, 1), PX0_PY0_PZ1 is P=(0, 0, 1)."""
    labels, words = {}, []
    for part in parts:
        if not _NUMBERED.match(part) or len(part) > 200:
            words.append(part)
            continue
        pairs = [(name, float(text) if "." in text else int(text)) for name, text in _PAIR.findall(part)]
        names = "".join(name[-1].lower() for name, _ in pairs)
        stem = pairs[0][0][:-1]
        if names in ("xyz", "xyzt") and all(name[:-1] == stem for name, _ in pairs):
            pairs = [(stem or "x", tuple(value for _, value in pairs))]
        for name, value in pairs:
            while name in labels:
                name += "'"
            labels[name] = value
    return labels, words


def _with_axes(found):
    return [(name, labels, values, axes if values.ndim == 1 else None) for name, labels, values, axes in found]


# Tables

def _read_table(path, layout):
    rows = _rows(path)
    widths = {len(row) for _, row in rows}
    if len(widths) > 1:
        line = next(line for line, row in rows if len(row) != len(rows[0][1]))
        raise Malformed(f"{path}: line {line}: {len(dict(rows)[line])} numbers, expected {len(rows[0][1])} as in line {rows[0][0]}",
                        path=path, record=f"line {line}")
    if layout == "tmlqcd" or layout is None and widths <= {5, 6} and os.path.basename(path).startswith("onlinemeas"):
        return _tmlqcd(path, rows)
    return _table(path, rows)


def _rows(path):
    """[(line, numbers)] of a table; comments begin with #."""
    data = _opened(path, lambda file: file.read(_MOST_TABLE_BYTES + 1))
    if len(data) > _MOST_TABLE_BYTES:
        raise Malformed(f"{path}: a table of more than {_MOST_TABLE_BYTES} bytes", path=path)
    rows = []
    for number, line in enumerate(data.split(b"\n"), 1):
        words = line.split(b"#")[0].replace(b",", b" ").split()
        if not words:
            continue
        try:
            rows.append((number, [_number(word) for word in words]))
        except ValueError:
            kind = UnknownFormat if not rows else Malformed
            raise kind(f"{path}: line {number}: {shown(line[:60].decode('latin-1'))} is no row of numbers", path=path,
                       record=f"line {number}") from None
    if not rows:
        raise UnknownFormat(f"{path}: no numbers", path=path)
    return rows


def _number(word):
    if b"_" in word:
        raise ValueError
    return float(word)


def _tmlqcd(path, rows):
    """Rows of type, smearing, t, C(t), C(T-t) (and, in some, the configuration) for t = 0 ... T/2."""
    found = {}
    if len(rows[0][1]) not in (5, 6):
        raise Malformed(f"{path}: line {rows[0][0]}: {len(rows[0][1])} numbers, expected 5 or 6: type, smearing, t, forward, backward",
                        path=path, record=f"line {rows[0][0]}")
    for line, row in rows:
        *key, t = (_integer(value, path, line) for value in (row[0], row[1], *row[5:], row[2]))
        members = found.setdefault(tuple(key), [])
        if t != len(members):
            raise Malformed(f"{path}: line {line}: t is {t}, expected {len(members)}", path=path, record=f"line {line}")
        members.append(row[3:5])
    names = {1: "pion", 2: "PA", 6: "PV"}  # <P P>, <P A_0>, <P V_0>
    correlators = []
    for (kind, smearing, *configuration), members in found.items():
        forward, backward = np.array(members).T
        if len(members) < 2:
            raise Malformed(f"{path}: correlator {kind} {smearing} has {len(members)} times, expected at least 2", path=path)
        values = np.concatenate((forward, backward[-2:0:-1]))
        labels = {"type": kind, "smearing": smearing, **({"configuration": configuration[0]} if configuration else {})}
        correlators.append((names.get(kind, "correlator"), labels, values, ("t",)))
    return correlators


def _integer(value, path, line):
    if not value.is_integer():
        raise Malformed(f"{path}: line {line}: {value}, expected an integer", path=path, record=f"line {line}")
    return int(value)


def _table(path, rows):
    """Rows of t and a number, or t, real and imaginary part; more columns are further correlators, by their column."""
    times = [row[0] for _, row in rows]
    width = len(rows[0][1])
    if width < 2 or not times[0].is_integer() or times != [times[0] + step for step in range(len(times))]:
        raise Malformed(f"{path}: a table of {width} columns whose first one does not count times; expected rows of t and numbers",
                        path=path)
    values = np.array([row[1:] for _, row in rows])
    name = os.path.basename(path).split(".")[0] or "correlator"
    axes = {"t": [int(t) for t in times]}
    if width == 3:
        return [(name, {}, values[:, 0] + 1j * values[:, 1], axes)]
    if width == 2:
        return [(name, {}, values[:, 0].copy(), axes)]
    return [(name, {"column": column}, values[:, column - 1].copy(), axes) for column in range(1, width)]


LAYOUTS = {"hadrons": _hadrons, "lalibe": _lalibe, "qlua": _qlua, "cvc": _cvc, "tmlqcd": None, "table": None}
