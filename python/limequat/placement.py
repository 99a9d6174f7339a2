# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where the numbers of a field are in a file, as an array whose axes have names; or why they are not such an array.

The array describes the bytes: nothing is reordered, converted or completed. If the file has another order of axes or
directions than arrays of this package, the names and the labels of the axes show it.
"""

import dataclasses
import math
import os
import re
import warnings

import numpy as np

from limequat.arrays import site_of
from limequat.communicators import levels_to_the_caller
from limequat.errors import BY_CODE, Code, Malformed, Unsupported, WrongState
from limequat.questions import read_record

SITE_AXES = {"gauge": ("mu", "row", "column"), "spinor": ("spin", "color"),
             "propagator": ("sink_spin", "source_spin", "sink_color", "source_color")}

_LARGEST_DESCRIPTION = 1 << 16  # of raw data


@dataclasses.dataclass(frozen=True)
class Placement:
    """An array in a file: bytes ``offset`` to ``offset + length`` of ``path`` are its numbers in C order.

    dims        names of the axes, the slowest first
    shape       extents of these
    dtype       type of the numbers, with their byte order
    lower       the coordinate of the first site, by name of an axis of the lattice
    directions  of a gauge field: the links in the order of axis mu, such as "xyzt"
    facts       other notable facts about the numbers, as a dict of texts
    """

    path: str
    offset: int
    dims: tuple
    shape: tuple
    dtype: np.dtype
    lower: dict
    directions: str = ""
    facts: dict = dataclasses.field(default_factory=dict)

    @property
    def length(self):
        """Bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def coordinates(self):
        """The labels of each axis, by name: numbers of sites, and the directions of links."""
        labels = {name: np.arange(first, first + extent, dtype="<i8")
                  for name, extent in zip(self.dims, self.shape) for first in [self.lower.get(name)] if first is not None}
        if self.directions:
            labels["mu"] = np.array(list(self.directions))
        return labels


def lattice_axes(dimensions):
    """Names of the axes of a lattice, the slowest first."""
    return tuple(("x", "y", "z", "t")[d] if d < 4 else f"x{d + 1}" for d in reversed(range(dimensions)))


def axes_of(kind, dimensions, site):
    """Names of the axes of a field with sites of that shape: those of datasets in the native layout of HDF5 files
    (formats/hdf5.md 3.1)."""
    numbered = ("n",) if len(site) == 1 else tuple(f"n{k + 1}" for k in range(len(site)))
    return (*lattice_axes(dimensions), *SITE_AXES.get(kind, numbered))


def directions_of(kind, dimensions, site):
    """The directions of the links of a site, as labels of axis mu; empty if they have no names."""
    return "xyzt"[:dimensions] if kind == "gauge" and site[0] == dimensions <= 4 else ""


def identity_of(path):
    """What distinguishes a file from one that took its name or was changed; OSError of the system if it does not exist."""
    known = os.stat(path)
    return known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns


def require_readable(catalog):
    """Refuses a file that ends early or in which damage hides fields; warns of other errors in its headers."""
    path = str(catalog["path"])
    for finding in catalog["findings"]:
        if finding["severity"] != "error":
            continue
        if catalog["complete"] and catalog["fields"] and finding["code"] != Code.TRUNCATED:
            warnings.warn(f"{path}: {finding['message']}", RuntimeWarning, stacklevel=levels_to_the_caller())
            continue
        raise BY_CODE.get(finding["code"], Malformed)(
            f"{path}: {finding['message']}", path=path, record=finding["record"] or None, offset=finding["offset"],
            expected=finding["expected"] or None, found=finding["found"] or None)
    if not catalog["complete"]:
        raise WrongState(f"{path}: this file is not complete: its writer has not finished, or was interrupted; lq repair may "
                         "complete it", path=path)


def is_one_file(catalog, size):
    """True if places in a catalog are places in files; in sets of subfiles that are read as one file they are not. `size` is the
    size of the opened file."""
    return bool(catalog.get("files")) or catalog["file_bytes"] == size


def place(catalog, entry):
    """The :class:`Placement` of a field in the catalog of its file; Unsupported says why there is none."""
    path = physical_file(catalog, entry)
    field, format = site_of(entry["spec"]), catalog["format"]
    _require_one_file(catalog, entry, path)
    order = ">" if entry["byte_order"] == "big" else "<"
    base = {"path": path, "offset": entry["offset"], "dtype": field.dtype.newbyteorder(order)}
    if entry.get("in_order"):
        placed = _in_order(entry, field, base)
    else:
        placed = _OTHERS.get(format, _nothing)(catalog, entry, field, base)
    if placed is None or placed.length != entry["length"]:
        raise _refusal(catalog, entry, _reason(catalog, entry))
    size = os.stat(path).st_size
    if placed.offset + placed.length > size:
        raise _refusal(catalog, entry, f"they end at byte {placed.offset + placed.length} of {path}, which has {size}")
    return placed


def physical_file(catalog, entry):
    """The path of the file that holds the numbers of a field."""
    return str((catalog.get("files") or [catalog["path"]])[entry["file"]])


def _require_one_file(catalog, entry, path):
    """Refuses sets of files that are read as one file: their places are not places in files."""
    if not is_one_file(catalog, os.stat(path).st_size):
        raise _refusal(catalog, entry, "they are in a set of subfiles, which this file describes (lq repartition --to whole)")


def _nothing(*_):
    return None


def _in_order(entry, field, base):
    stored = entry["stored"]
    lattice = tuple(stored["extents"])[::-1]
    lower = dict(zip(lattice_axes(len(lattice)), stored["lower"][::-1]))
    return Placement(**base, dims=axes_of(field.kind, len(lattice), field.site), shape=lattice + field.site, lower=lower,
                     directions=directions_of(field.kind, len(lattice), field.site))


def _is_plain_gauge(entry, field):
    """True if links of four dimensions are stored as whole matrices of the whole lattice."""
    return (field.kind == "gauge" and field.site[0] == 4 and len(entry["lattice"]) == 4
            and entry["stored"]["extents"] == entry["lattice"])


def _permuted(axes, directions):
    """How a format stores links whose lattice axes and directions have another order than in this package."""
    def placed(catalog, entry, field, base):
        if not _is_plain_gauge(entry, field):
            return None
        extents = dict(zip("xyzt", entry["lattice"]))
        shape = tuple(extents[axis] for axis in axes) + field.site
        return Placement(**base, dims=(*axes, "mu", "row", "column"), shape=shape, lower=dict.fromkeys(axes, 0),
                         directions=directions)
    return placed


def _two_rows(catalog, entry, field, base):
    """NERSC files without the third row (formats/nersc.md 3)."""
    if not _is_plain_gauge(entry, field) or field.site[1] != 3:
        return None
    placed = _in_order(entry, field, base)
    return dataclasses.replace(placed, shape=placed.shape[:-2] + (2, 3), facts={
        "rows": "the first two of three: the third row is the complex conjugate of their vector product"})


def _raw(catalog, entry, field, base):
    """Raw numbers whose description gives an order of axes (formats/raw.md 3)."""
    words = _described_order(catalog)
    if not words or words[-1] != "reim" and field.is_complex:
        return None
    words = [word for word in words if word != "reim"]
    extents = dict(zip("xyzt", entry["lattice"]))
    directions = {"mu": "xyzt", "mu_txyz": "txyz"}
    extents.update(zip(SITE_AXES.get(field.kind, ("component",)), field.site or (1,)))
    names = ["mu" if word == "mu_txyz" else word for word in words]
    if len(entry["lattice"]) != 4 or sorted(names) != sorted(extents) or entry["stored"]["extents"] != entry["lattice"]:
        return None
    if "component" in names and not field.site:
        names.remove("component")
    shape = tuple(extents[name] for name in names)
    dims = tuple("n" if name == "component" else name for name in names)
    link = next((directions[word] for word in words if word in directions), "")
    return Placement(**base, dims=dims, shape=shape, lower=dict.fromkeys("tzyx", 0), directions=link)


def _described_order(catalog):
    """The words of the line `order` of a raw description; none if it has no such line, or the numbers are texts."""
    head = next((record for record in catalog["records"] if record["type"] == "raw-header"), None)
    if head is None or head["data_length"] > _LARGEST_DESCRIPTION:
        return []
    text = read_record(catalog["path"], "raw-header").decode("utf-8", "replace")
    lines = dict(re.findall(r"^[ \t]*([a-z_]+)[ \t]*=[ \t]*(.*?)[ \t\r]*$", text, re.MULTILINE))
    return [] if lines.get("numbers") == "text" or "layout" in lines else lines.get("order", "").split()


_OTHERS = {"hirep": _permuted("txyz", "txyz"), "ddalphaamg": _permuted("tzyx", "tzyx"), "nersc": _two_rows, "raw": _raw}


_REASONS = {
    "squeezed": "they are squeezed in an archive (lq unsqueeze restores the original)",
    "openqcd": "openQCD stores them in its own order of points, with links at odd points only",
    "hirep": "they are stored as quaternions",
    "mod": "the file stores its vectors time slice by time slice in its own map",
    "scidac": "they are in several files, or sites are listed in another order",
    "raw": "its description gives an order that is not an array of complex numbers, or numbers as text",
    "hdf5": "the dataset is chunked, compressed, divided into several datasets or in another order of axes",
}


def _reason(catalog, entry):
    if len(catalog.get("files") or ()) > 1 and catalog["format"] not in ("raw",):
        return "the sites are distributed over several files"
    return _REASONS.get(catalog["format"], "the file stores them in another order or form")


def _refusal(catalog, entry, reason):
    return Unsupported(f"{catalog['path']}: the numbers of field {entry['name']!r} ({catalog['format']}) are not stored as an array: "
                       f"{reason}; read them, or convert the file", path=str(catalog["path"]),
                       record=entry["name"])
