# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Correlators in files of other programs: HDF5 of Hadrons, of Chroma and LaLiBe (QDP++), of QLUA and of CVC; tables of tmLQCD and
plain ones. docs/guide/correlators.md lists their names and labels.
"""

import os
import re

import numpy as np

from limequat import hdf5
from limequat._library import path_bytes
from limequat.correlator_labels import shown
from limequat.errors import InvalidArgument, IoError, Malformed, NoPermission, NotFound, UnknownFormat

_HDF5 = b"\x89HDF\r\n\x1a\n"
_MOST_TABLE_BYTES = 1 << 30
_MOST_NUMBERS = 256 << 20  # bytes of an array
_MOST_DEPTH, _MOST_OBJECTS = 32, 1_000_000
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
        found += _read_file(os.fsdecode(path_bytes(path)), layout)
    return found


def _read_file(path, layout):
    head = _opened(path, lambda file: file.read(8))
    if head != _HDF5:
        if layout not in (None, "tmlqcd", "table"):
            raise UnknownFormat(f"{path}: not an HDF5 file, as the layout {layout} requires", path=path, offset=0)
        return _read_table(path, layout)
    if layout in ("tmlqcd", "table"):
        raise UnknownFormat(f"{path}: an HDF5 file, expected a table of text", path=path, offset=0)
    with hdf5.open(path, limit_text_bytes=_MOST_NUMBERS) as file:
        datasets = _datasets(file, path)
        layout = layout or _recognised(file, datasets)
        found = LAYOUTS[layout](file, datasets) if layout else []
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


# HDF5: by sessions, which check what they read before the HDF5 library sees it, and compare QLUA's SHA-256.

def _datasets(file, path):
    """(path, type) of all datasets. Links are not followed."""
    found, groups, seen = [], [("", 0)], 0
    while groups:
        group, depth = groups.pop()
        for entry in file.ls(group or "/"):
            seen += 1
            if depth == _MOST_DEPTH or seen > _MOST_OBJECTS:
                raise Malformed(f"{path}: {group}: more than {_MOST_DEPTH} groups in each other, or {_MOST_OBJECTS} objects: it may contain itself",
                                path=path, record=group)
            where = f"{group}/{entry.name}"
            if entry.target:
                continue
            if entry.kind == "group":
                groups.append((where, depth + 1))
            elif entry.kind == "dataset":
                found.append((where[1:], file.stat(where).type))
    return sorted(found)


def _recognised(file, datasets):
    """The layout of a file, recognised by features of only that program; None."""
    for where, kind in datasets:
        if kind.endswith("{re,im}"):
            return "hadrons"
        if re.fullmatch(r"px-?\d+_py-?\d+_pz-?\d+", where.split("/")[-1]):
            return "lalibe"
        if ".kind" in file.attrs("/" + where):
            return "qlua"
        if any(re.fullmatch(r"[gpi][a-z]*x-?\d+\w*y-?\d+\w*z-?\d+|PX-?\d+_PY-?\d+_PZ-?\d+", part) for part in where.split("/")):
            return "cvc"
    return None


def _numbers(file, where):
    """The numbers of a dataset; Unsupported, with its position, if it has none."""
    return np.ascontiguousarray(file.read("/" + where))


def _hadrons(file, datasets):
    """Groups such as meson/meson_0 with a dataset `corr` of {re, im} and attributes that say which: gamma_snk, gamma_src, ..."""
    found = []
    for where, kind in datasets:
        if not kind.endswith("{re,im}"):
            continue
        group, _, name = where.rpartition("/")
        labels = _attributes(file, "/" + group)
        if file.exists(f"/{group}/info"):
            labels.update(_attributes(file, f"/{group}/info"))
        labels["path"] = where
        values = _numbers(file, where)
        found.append((where.split("/")[0] if group else name, labels, values, ("t",) if values.ndim == 1 else None))
    return found


def _attributes(file, where):
    """Attributes as labels: texts, numbers, or tuples of them."""
    found = {}
    for name, value in file.attrs(where).items():
        if isinstance(value, np.ndarray):
            value = value.ravel().tolist()
        if isinstance(value, list):
            value = value[0] if len(value) == 1 else tuple(value)
        found[name] = value.item() if isinstance(value, np.generic) else value
    return found


def _lalibe(file, datasets):
    """PATH/PARTICLE[/spin_S]/xX_yY_zZ_tT/pxX_pyY_pzZ with the numbers of all times: as LaLiBe writes them through QDP++."""
    found = []
    for where, _ in datasets:
        *parts, last = where.split("/")
        if not re.fullmatch(r"px-?\d+_py-?\d+_pz-?\d+", last) or not parts:
            continue
        labels, words = {}, []
        for part in parts:
            if part.startswith("spin_"):
                labels["spin"] = part[5:]
            elif re.fullmatch(r"x-?\d+_y-?\d+_z-?\d+_t-?\d+", part):
                labels["source"] = _integers(part)
            else:
                words.append(part)
        labels["momentum"] = _integers(last)
        if len(words) > 1:
            labels["path"] = "/".join(words[:-1])
        labels.update(_attributes(file, "/" + where))
        values = _numbers(file, where)
        found.append((words[-1] if words else "correlator", labels, values, ("t",) if values.ndim == 1 else None))
    return found


def _integers(part):
    return tuple(int(text) for text in re.findall(r"-?\d+", part))


def _qlua(file, datasets):
    """Objects with `.kind`: numbers, vectors and matrices of them."""
    found = []
    for where, kind in datasets:
        attributes = _attributes(file, "/" + where)
        of = attributes.get(".kind")
        if not isinstance(of, str) or of.startswith("Lattice") or of == "String" or kind == "string":
            continue
        labels, words = _labels_of(where.split("/"))
        labels.update(path=where, kind=of)
        found.append((words[-1] if words else where.split("/")[-1], labels, _numbers(file, where), None))
    return found


def _cvc(file, datasets):
    """Paths that state everything, such as u+-g-u-g/t10/gf5/pfx0pfy0pfz1/gi5/pix0piy0piz0; real and imaginary parts alternate."""
    found = []
    for where, _ in datasets:
        labels, words = _labels_of(where.split("/"))
        if not labels:
            continue
        values = _numbers(file, where)
        if values.dtype.kind == "f":
            pairs = np.result_type(values.dtype, np.complex64)
            if values.ndim > 1 and values.shape[-1] == 2:
                values = values.view(pairs)[..., 0]
            elif values.ndim == 1 and len(values) % 2 == 0:
                values = values.view(pairs)
            else:
                raise Malformed(f"{file.path}: {where}: {list(values.shape)} real numbers, expected alternating real and imaginary parts",
                                path=str(file.path), record=where)
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
            raise kind(f"{path}: line {number}: {shown(line[:60].decode('latin-1'))} is not a row of numbers", path=path,
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
        raise Malformed(f"{path}: a table of {width} columns whose first one is not the time; expected rows of t and numbers",
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
