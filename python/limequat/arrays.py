# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Between arrays [t, z, y, x, site...], of numpy or on a GPU, and the fields of the C API."""

import dataclasses
import math
import operator
import os
import re
from collections.abc import Mapping

import numpy as np

from limequat import device, structs
from limequat.errors import InvalidArgument, Malformed
from limequat.memory import Memory

KINDS = ("gauge", "spinor", "propagator", "generic")
SHAPES = ("gauge [t,z,y,x,mu,N,N], spinor [t,z,y,x,4,3], propagator [t,z,y,x,4,4,3,3]; "
          "anything else needs kind= and, if that is not enough, dims= for lattices of other than four dimensions")
_PRECISIONS = {"complex128": 64, "float64": 64, "complex64": 32, "float32": 32}


@dataclasses.dataclass(frozen=True)
class Field:
    """What a site holds: kind, shape of its part of an array, whether the numbers are complex, 32 or 64 bit."""

    kind: str
    site: tuple
    is_complex: bool = True
    precision: int = 64

    @property
    def dtype(self):
        """The numpy type of the numbers."""
        letter, number_bytes = ("c", self.precision // 4) if self.is_complex else ("f", self.precision // 8)
        return np.dtype(f"{letter}{number_bytes}")

    def to_c(self, array):
        """The lq_field whose sites are in `array` (contiguous, of this dtype), possibly on a GPU."""
        array, field = adapted(array), self.without_data()
        field.data = array.address if isinstance(array, device.DeviceArray) else array.ctypes.data
        field.available = array.size * (2 if self.is_complex else 1)
        return field

    def without_data(self):
        """The lq_field that describes a site, without data."""
        field = structs.Field(kind=KINDS.index(self.kind), precision=self.precision, is_complex=int(self.is_complex))
        if self.kind == "gauge":
            field.links, field.colors = self.site[0], self.site[1]
        elif self.kind == "generic":
            field.numbers = int(np.prod(self.site, dtype=np.int64)) * (2 if self.is_complex else 1)
        else:
            field.spins, field.colors = self.site[0], self.site[-1]
        return field


def site_of(spec):
    """The Field of a "spec" in the catalog of a file."""
    colors, spins = spec["colors"], spec["spins"]
    numbers = spec["numbers"] // (2 if spec["complex"] else 1)
    shapes = {
        "gauge": (spec["links"], colors, colors),
        "spinor": (spins, colors),
        "propagator": (spins, spins, colors, colors),
        "generic": () if numbers == 1 else (numbers,),
    }
    return Field(spec["kind"], shapes[spec["kind"]], spec["complex"], 32 if spec["precision"] == "single" else 64)


SITE_SHAPE = "limequat-site-shape"  # the text that keeps the axes of a site of a generic field (formats/scidac.md 5.4)


def field_of(entry):
    """The Field of an entry of the catalog of a file, with the axes with which its site was written."""
    field = site_of(entry["spec"])
    text = next((one["text"] for one in entry.get("metadata", []) if one["name"] == SITE_SHAPE), "")
    words = text.split()
    if field.kind != "generic" or not 1 < len(words) <= 32 or not all(re.fullmatch(r"[1-9][0-9]{0,8}", word) for word in words):
        return field
    site = tuple(int(word) for word in words)
    return dataclasses.replace(field, site=site) if math.prod(site) == math.prod(field.site) else field


def site_shape_text(field):
    """The metadata that store the axes of a site, if a file has one axis for them. Described memory has no axes."""
    site = getattr(field, "site", ())
    return {SITE_SHAPE: " ".join(map(str, site))} if field.kind == "generic" and len(site) > 1 else {}


_KEEP_TEXTS = ("scidac", "hdf5", "squeezed")
_SUFFIXES_WITH_TEXTS = (".scidac", ".qio", ".lime", ".h5", ".hdf5", ".sqz")


def keeps_texts(path, format=None):
    """True if a new file of that name and format can store texts of generic fields."""
    return format in _KEEP_TEXTS if format is not None else os.fsdecode(path).endswith(_SUFFIXES_WITH_TEXTS)


def described(array, kind=None, dims=None, local=()):
    """(array, Field, extents) for an array to be written or measured: contiguous, in native byte order.

    extents are x, y, z, t. InvalidArgument explains what does not fit. The array may be empty only if the box `local` of
    this rank is.
    """
    if isinstance(array, Memory):
        if kind not in (None, array.kind):
            raise InvalidArgument(f"the memory describes a {array.kind} field, not a {kind} field")
        return array, array, array.lattice
    given, array = array, adapted(array)
    if array.dtype.name not in _PRECISIONS:
        raise _no_numbers(given, array.dtype)
    is_complex, is_guessed = array.dtype.kind == "c", kind is None
    kind = kind or _guess(array.shape, is_complex, dims)
    if is_guessed and kind == "gauge":
        _require_directions_last(array, dims or 4)
    array = _with_spins(array, kind, dims)
    lattice_dims = _lattice_dims(array.shape, kind, dims)
    field = Field(kind, array.shape[lattice_dims:], is_complex, _PRECISIONS[array.dtype.name])
    if 0 in array.shape and 0 not in local:
        raise InvalidArgument(f"the array of shape {list(array.shape)} is empty", found=str(list(array.shape)))
    _check(array, field)
    if isinstance(array, device.DeviceArray):
        _require_native(array)
        contiguous = array
    else:
        contiguous = np.ascontiguousarray(array, dtype=field.dtype)
    return contiguous, field, array.shape[:lattice_dims][::-1]


def adapted(array):
    """The DeviceArray of an array on a GPU, otherwise the numpy array of it, if that holds all of the numbers."""
    on_device = device.seen(array)
    if on_device is not None:
        return on_device
    require_unmasked(array)
    try:
        return np.asarray(array)
    except (ValueError, TypeError) as error:
        raise InvalidArgument(f"numpy makes no array of this {type(array).__name__}: {error}") from None


def require_unmasked(array):
    """Refuses an array of which some numbers do not count: np.asarray would take what is behind the mask."""
    if np.ma.is_masked(array):
        raise InvalidArgument("the array has masked numbers, which a file cannot store: fill them with array.filled(...)")


def exactly(array, dtype, path):
    """The numpy array of numbers that a field of that type at `path` holds without loss; refuses others."""
    require_unmasked(array)
    numbers = np.asarray(array)
    if not np.can_cast(numbers.dtype, dtype, "safe"):
        raise InvalidArgument(f"{path}: numbers of the type {numbers.dtype} do not fit {dtype} without loss: convert them with "
                              f"astype({str(dtype)!r})", path=str(path), expected=str(dtype), found=str(numbers.dtype))
    return numbers


def _require_native(array):
    if not array.dtype.isnative:
        raise InvalidArgument(f"the array on the GPU holds {array.dtype.str}, expected native byte order",
                              found=array.dtype.str)


def _guess(shape, is_complex, dims):
    """The kind of field whose sites have that shape on a lattice of `dims` dimensions (None: of four).

    Nothing is guessed from extents: if other kinds on lattices of other dimensions fit, kind= must be given.
    """
    if is_complex:
        kind = _kind_of_site(shape[dims or 4:], dims or 4)
        if kind:
            return kind
    numbers = "complex" if is_complex else "real"
    others = _candidates(shape) if is_complex and dims is None else []
    if others:
        raise InvalidArgument(f"an array of {numbers} numbers of shape {list(shape)} is not a known field on a lattice "
                              f"of four dimensions, but could be {', or '.join(others)}: say which with kind=",
                              expected=SHAPES, found=str(list(shape)))
    raise InvalidArgument(f"an array of {numbers} numbers of shape {list(shape)} is not a known field: {SHAPES}",
                          found=str(list(shape)))


def _require_directions_last(array, dims):
    """Refuses links that may also be [mu, t, z, y, x, N, N] and have a higher plaquette in that order: in the right order it
    is the highest. A few sites are enough."""
    if array.shape[0] != dims or array.shape[dims] != dims or not isinstance(array, np.ndarray):
        return
    corner = (slice(0, 5),) * dims
    links = array[corner]
    if not np.allclose(links @ np.conj(np.swapaxes(links, -1, -2)), np.eye(links.shape[-1]), atol=1e-3):
        return  # of numbers that are no links no plaquette tells anything
    given, count = _mean_plaquette(array[corner])
    other, others = _mean_plaquette(np.moveaxis(array, 0, dims)[corner])
    if not count or not others or not other > given + 1.5 * (count ** -0.5 + others ** -0.5):  # some five standard deviations
        return
    axes = list("tzyx"[-dims:]) if dims <= 4 else [f"axis {d}" for d in range(dims)]
    raise InvalidArgument(
        f"an array of shape {list(array.shape)} is taken as [{', '.join(axes)}, mu, N, N], but looks like [mu, {', '.join(axes)}, N, N]: "
        f"the plaquette of its first sites is {given:.3f}, and {other:.3f} in the other order. Move axis 0: "
        f"numpy.moveaxis(array, 0, {dims}); if the order is right, say kind='gauge'",
        expected=f"[{', '.join(axes)}, mu, N, N]", found=str(list(array.shape)))


def _mean_plaquette(links):
    """(mean of Re Tr U_P / N, number of plaquettes) of the plaquettes within a box of links [..., mu, N, N]."""
    dims, total, count = links.ndim - 3, 0.0, 0
    for mu in range(dims):
        for nu in range(mu):
            ahead = []
            here = [slice(None)] * dims
            for axis in (dims - 1 - mu, dims - 1 - nu):  # mu = 0 is x, the last axis
                here[axis] = slice(0, -1)
            for axis in (dims - 1 - mu, dims - 1 - nu):
                there = list(here)
                there[axis] = slice(1, None)
                ahead.append(links[tuple(there)])
            origin = links[tuple(here)]
            one = origin[..., mu, :, :] @ ahead[0][..., nu, :, :]
            two = origin[..., nu, :, :] @ ahead[1][..., mu, :, :]
            total += float(np.sum(one * two.conj()).real) / links.shape[-1]
            count += one[..., 0, 0].size
    return (total / count if count else 0.0), count


def looks_like_field(array):
    """The kind of field that an array of numbers has the shape of, on a lattice of four dimensions; None for none."""
    return _kind_of_site(array.shape[4:], 4) if array.dtype.kind == "c" and array.ndim > 4 else None


def _kind_of_site(site, dims):
    """The kind of field with such a site on a lattice of that many dimensions; None for none."""
    if len(site) == 3 and site[0] == dims and site[1] == site[2] >= 2:
        return "gauge"
    return {(4, 3): "spinor", (4, 4, 3, 3): "propagator"}.get(tuple(site))


def _candidates(shape):
    """What a shape could be on lattices of any dimensions, as phrases; empty if only "generic" fits."""
    found = []
    for dims in range(1, len(shape) + 1):
        kind = _kind_of_site(shape[dims:], dims)
        if kind:
            found.append(f"a {kind} field on a lattice of {list(shape[:dims])} (kind={kind!r})")
    if found and len(shape) >= 4:
        site = list(shape[4:])
        found.append(f"{site or 'one number'} per site on a lattice of {list(shape[:4])} (kind='generic')")
    return found


def _with_spins(array, kind, dims):
    """Staggered fields in four dimensions have no axes of spin: they get those of one spin."""
    if kind == "propagator" and array.ndim == 6 and dims in (None, 4):
        return array.reshape(array.shape[:4] + (1, 1) + array.shape[4:])
    if kind == "spinor" and array.ndim == 5 and dims == 4:
        return array.reshape(array.shape[:4] + (1,) + array.shape[4:])
    return array


def _lattice_dims(shape, kind, dims):
    site_axes = {"gauge": 3, "spinor": 2, "propagator": 4, "generic": None}
    if kind not in site_axes:
        raise InvalidArgument(f"kind is {kind!r}, expected one of {', '.join(KINDS)}", found=repr(kind))
    expected = 4 if kind == "generic" else len(shape) - site_axes[kind]
    dims = expected if dims is None else dims
    if kind != "generic" and dims != expected:
        raise InvalidArgument(f"a {kind} array of shape {list(shape)} has a lattice of {expected} dimensions, "
                              f"not dims={dims}")
    if not 1 <= dims <= min(8, len(shape)):
        raise InvalidArgument(f"an array of shape {list(shape)} cannot be a {kind} field on a lattice of {dims} "
                              f"dimensions: {SHAPES}", found=str(list(shape)))
    return dims


def _no_numbers(given, dtype):
    numbers = "complex128, complex64, float64 or float32"
    if dtype.kind in "OSU" and not hasattr(given, "dtype"):
        kind = type(given).__name__
        hint = "; lq.read(...) reads the field of a file" if isinstance(given, (str, bytes, os.PathLike)) else ""
        return InvalidArgument(f"a {kind} was given for a field, expected an array of {numbers}{hint}", expected=numbers, found=kind)
    return InvalidArgument(f"the array holds {dtype}, expected {numbers}: convert it with array.astype(...)", expected=numbers,
                           found=str(dtype))


def _check(array, field):
    site, shape = field.site, list(array.shape)
    if field.kind == "generic":
        return
    if not field.is_complex:
        raise InvalidArgument(f"a {field.kind} field is complex, but the array holds {array.dtype}",
                              expected="complex128 or complex64", found=str(array.dtype))
    square = field.kind == "spinor" or (site[-1] == site[-2] and (field.kind == "gauge" or site[0] == site[1]))
    if not square or site[-1] < 2:
        raise InvalidArgument(f"an array of shape {shape} is not a {field.kind} field: {SHAPES}", found=str(shape))


def _not_a_region(region):
    return InvalidArgument(f'region is {region!r}, expected slices by dimension, such as {{"t": slice(0, 8)}}, or a text such as '
                           '"t=0:8" or "t=5"', found=repr(region))


def _slices_of(text):
    """The slices of a text such as "t=0:8,x=:4,y=5"."""
    slices = {}
    for part in text.split(","):
        found = re.fullmatch(r"\s*([xyzt]|[0-9]+)=(?:(-?[0-9]+)?:(-?[0-9]+)?|(-?[0-9]+))\s*", part)
        axis = found and (found[1] if found[1] in "xyzt" else int(found[1]))
        if not found or axis in slices:
            raise _not_a_region(text)
        slices[axis] = int(found[4]) if found[4] else slice(*(int(bound) if bound else None for bound in found.group(2, 3)))
    return slices


def _as_slice(part):
    """One site as a slice, which keeps its axis."""
    if isinstance(part, slice) or isinstance(part, bool) or not hasattr(type(part), "__index__"):
        return part
    site = operator.index(part)
    return slice(site, site + 1 if site != -1 else None)


def region_box(region, extents):
    """(lower, extents) of a region such as {"t": slice(0, 8)} or "t=0:8", in x, y, z, t; None for no region."""
    if region is None:
        return None
    if isinstance(region, str):
        region = _slices_of(region)
        for axis, part in region.items():
            if not isinstance(part, slice):
                continue
            sites = extents[dimension_of(axis, len(extents))]
            if any(bound is not None and abs(bound) > sites for bound in (part.start, part.stop)):
                raise InvalidArgument(f"region {axis}={part.start}:{part.stop} is not a part of the {sites} sites of that axis")
    elif not isinstance(region, Mapping):
        raise _not_a_region(region)
    lower, upper = [0] * len(extents), list(extents)
    for axis, part in region.items():
        d = dimension_of(axis, len(extents))
        try:
            start, stop, step = _as_slice(part).indices(extents[d])
        except (AttributeError, TypeError):
            raise InvalidArgument(f"region[{axis!r}] is {part!r}, expected a slice such as slice(0, 8), or one site") from None
        if not isinstance(part, slice) and not -extents[d] <= part < extents[d]:
            raise InvalidArgument(f"region[{axis!r}] is site {part} of {extents[d]}, expected one from 0 to {extents[d] - 1}")
        if step != 1 or stop <= start:
            raise InvalidArgument(f"region[{axis!r}] is {part!r} of {extents[d]} sites, expected a slice of at "
                                  "least one site with step 1")
        lower[d], upper[d] = start, stop
    return lower, [b - a for a, b in zip(lower, upper)]


def region_text(region):
    """The text for a region such as {"t": slice(0, 8)}, of a lattice that is not known here; texts are unchanged."""
    if region is None or isinstance(region, str):
        return region
    if not isinstance(region, Mapping):
        raise _not_a_region(region)
    spans = []
    for axis, part in region.items():
        part = _as_slice(part)
        if not isinstance(part, slice) or part.step not in (None, 1):
            raise InvalidArgument(f"region[{axis!r}] is {part!r}, expected a slice with step 1, such as slice(0, 8)")
        first, end = ("" if bound is None else str(int(bound)) for bound in (part.start, part.stop))
        spans.append(f"{axis}={first}:{end}")
    return ",".join(spans) or None


def dimension_of(axis, dimensions):
    """The number of a dimension given as "x", "y", "z", "t" or as a number from 0 (x)."""
    names = "xyzt"[:dimensions] if dimensions <= 4 else "xyzt"
    if isinstance(axis, str) and len(axis) == 1 and axis in names:
        return names.index(axis)
    if isinstance(axis, int) and 0 <= axis < dimensions:
        return axis
    raise InvalidArgument(f"{axis!r} is not a dimension of a lattice of {dimensions} dimensions, expected one of "
                          f"{', '.join(names)} or a number below {dimensions}")


def memory_for(field, extents, dtype, out=None):
    """(array, Field) to read a field of a file into: as in the file, or with the numbers `dtype` asks for, or `out`."""
    if isinstance(out, Memory):
        return _described_memory(field, extents, dtype, out)
    if dtype is not None:
        dtype = _numbers_of(dtype)
    if out is not None:
        dtype = _fitting_dtype(out, tuple(extents)[::-1] + field.site, field, dtype)
    if dtype is not None:
        name = dtype.newbyteorder("=").name
        if name not in _PRECISIONS or (dtype.kind == "c") != field.is_complex:
            numbers = "complex128 or complex64" if field.is_complex else "float64 or float32"
            raise InvalidArgument(f"dtype is {dtype}, but the field needs {numbers}", expected=numbers, found=str(dtype))
        field = dataclasses.replace(field, precision=_PRECISIONS[name])
    if not extents:
        raise Malformed("the file gives no lattice for this field")
    if out is not None:
        return out, field
    shape = tuple(extents)[::-1] + field.site
    try:
        return np.empty(shape, dtype=field.dtype), field
    except ValueError as error:
        raise MemoryError(f"an array of shape {list(shape)} is too large for this machine: {error}") from None


def _described_memory(field, extents, dtype, out):
    """Described memory to read into; what a site holds is compared when it is read."""
    if dtype is not None:
        raise InvalidArgument("dtype is given with described memory, which has its own type of numbers")
    if field.kind != out.kind:
        raise InvalidArgument(f"the field is a {field.kind} field, the memory describes a {out.kind} field")
    if tuple(extents) != out.lattice:
        raise InvalidArgument(f"the memory is described for the lattice {list(out.lattice)}, but {list(extents)} is to be read "
                              "(x, y, z, t)", expected=str(list(extents)), found=str(list(out.lattice)))
    out.require_writeable()
    return out, out


def _numbers_of(dtype):
    """The numpy name of a type of numbers."""
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"dtype is {dtype!r}, expected complex128, complex64, float64 or float32: {error}",
                              found=repr(dtype)) from None


def _fitting_dtype(out, shape, field, dtype):
    """The dtype of `out`; refuses an array into which a field of that shape cannot be read directly."""
    numbers = ("complex128", "complex64") if field.is_complex else ("float64", "float32")
    wanted = f"a writeable C-contiguous array of shape {list(shape)}, {' or '.join(numbers)} in native byte order"
    array = device.seen(out) or out
    is_on_device = isinstance(array, device.DeviceArray)
    if not is_on_device and not isinstance(array, np.ndarray):
        raise InvalidArgument(f"out is a {type(out).__name__}, expected {wanted}", expected=wanted)
    is_read_only = array.is_read_only if is_on_device else not array.flags.writeable
    wrong = [(array.shape != shape, f"of shape {list(array.shape)}"),
             (array.dtype.name not in numbers or not array.dtype.isnative, f"of {array.dtype}"),
             (not is_on_device and not array.flags.c_contiguous, "not contiguous"), (is_read_only, "read-only"),
             (dtype is not None and dtype != array.dtype, f"of {array.dtype}, but dtype is {dtype}")]
    found = ", ".join(words for is_wrong, words in wrong if is_wrong)
    if found:
        raise InvalidArgument(f"out is {found}, expected {wanted}", expected=wanted, found=found)
    return array.dtype
