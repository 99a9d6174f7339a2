# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of files, fields and benchmarks, by matplotlib.

    >>> lq.plot.layout("conf.0010.ildg")     # what is where in the file
    >>> lq.plot.plaquette(u)                 # per time slice, and how plaquettes are distributed
    >>> lq.plot.field(lq.charge_density(u), "xt", at={"z": 3})  # a plane of a quantity of sites
    >>> lq.plot.damage("conf.0010.ildg")     # where the file is damaged
    >>> lq.plot.results(["mine.json"])       # what `lq bench --json` measured

Each returns a figure, which notebooks show and ``savefig`` writes. Without matplotlib they raise ImportError.
"""

import io
import os
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from limequat.arrays import described
from limequat.errors import InvalidArgument
from limequat.needs import needed
from limequat.questions import info, verify
from limequat.units import spelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from limequat.annotations import ArrayIn
    from limequat.option_types import Unpack, VerifyOptions

_Name = Union[str, "os.PathLike[str]"]
__all__ = ["Piece", "damage", "field", "layout", "pieces", "plaquette", "plaquettes", "results"]

_COLORS = {"field": "#3b7d4f", "record": "#e0a93b", "between": "#b9bec6"}
_BAD, _SUSPECT, _SOUND, _INK = "#c0392b", "#f0c9c2", "#dfe9e1", "#333333"
_MOST_ROWS = 24  # of a picture


class Piece(NamedTuple):
    """A part of a file: its name, first byte and bytes, and its type: "field", "record" or "between"."""

    name: str
    offset: int
    length: int
    kind: str


def pieces(path: "_Name") -> List[Piece]:
    """The parts of the file ``path``: a list of :class:`Piece`, in order and without gaps. Bytes that are neither data of a record
    nor of a field are "between": headers, padding, unused space. If there are several physical files, the first one."""
    return _pieces_of(info(path))


def _pieces_of(catalog):
    fields = [Piece(entry["name"], entry["offset"], entry["length"], "field") for entry in catalog["fields"]
              if entry["file"] == 0]
    taken = {piece.offset for piece in fields}
    records = [Piece(entry["type"], entry["offset"], entry["data_length"], "record") for entry in catalog["records"]
               if entry["file"] == 0 and entry["offset"] not in taken]
    known, at = [], 0
    for piece in sorted(fields + records, key=lambda piece: (piece.offset, -piece.length)):
        if piece.offset < at or piece.length == 0:  # inside another one
            continue
        if piece.offset > at:
            known.append(Piece("header" if at == 0 else "between", at, piece.offset - at, "between"))
        known.append(piece)
        at = piece.offset + piece.length
    if catalog["file_bytes"] > at and len(catalog.get("files", ())) < 2:
        known.append(Piece("end", at, catalog["file_bytes"] - at, "between"))
    return known


def layout(path: "_Name") -> Any:
    """The parts of the file ``path``: at the top the file to scale, below a row for each part (for all parts with the same name, if
    there are many) with its first byte and its size.

    Returns a figure of matplotlib. Raises what :func:`limequat.info` raises, and ImportError."""
    catalog = info(path)
    known = _pieces_of(catalog)
    rows = _rows_of(known, catalog["file_bytes"])
    figure = _figure(2.0 + 0.27 * len(rows))
    title = f"{path}: {catalog['format']}, {spelled(catalog['file_bytes'])}"
    ribbon, table = _two_axes(figure, title, 1.0, max(len(rows), 1) * 0.45)
    _draw_ribbon(ribbon, known, catalog["file_bytes"])
    _draw_rows(table, rows)
    return figure


def _rows_of(known, file_bytes):
    """(name, bytes, text, kind) of each row."""
    told = [piece for piece in known if piece.kind != "between" or piece.length > file_bytes // 100]
    if len(told) <= _MOST_ROWS:
        return [(piece.name, piece.length, f"{spelled(piece.length)} from byte {piece.offset}", piece.kind) for piece in told]
    groups = {}
    for piece in told:
        groups.setdefault((piece.name, piece.kind), []).append(piece)
    rows = []
    for (name, kind), members in list(groups.items())[:_MOST_ROWS]:
        total = sum(piece.length for piece in members)
        rows.append((f"{len(members)} x {name}", total, f"{spelled(total)} from byte {members[0].offset}", kind))
    return rows


def _draw_ribbon(axes, known, file_bytes):
    for kind, color in _COLORS.items():
        axes.broken_barh([(piece.offset, piece.length) for piece in known if piece.kind == kind], (0, 1), color=color, lw=0,
                         label={"field": "fields", "record": "records", "between": "headers, padding"}[kind])
    _scale_of_bytes(axes, file_bytes)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=3, frameon=False, fontsize=8, handlelength=1)


def _draw_rows(axes, rows):
    sizes = [max(size, 1) for _, size, _, _ in rows]
    axes.barh(range(len(rows)), sizes, color=[_COLORS[kind] for *_, kind in rows], height=0.7)
    for row, (_, _, words, _) in enumerate(rows):
        axes.text(sizes[row] * 1.15, row, words, va="center", fontsize=8, color=_INK)
    axes.set_xscale("log")
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlim=(1, max(sizes, default=1) * 1e3), xlabel="bytes")
    axes.set_yticks(range(len(rows)), [_shortened(name) for name, *_ in rows], fontsize=8)
    _plain(axes)


def plaquettes(u: "ArrayIn") -> "Dict[str, NDArray[Any]]":
    """Re Tr U_P / N of every plaquette of the gauge field ``u``, [t, z, y, x, mu, N, N]: a dict from pairs of directions such as
    "xt" to arrays [t, z, y, x], computed by numpy."""
    links, field, extents = described(u, "gauge")
    dims = len(extents)
    if dims > 4:
        raise InvalidArgument(f"the lattice {list(extents)} has more than four dimensions", found=str(list(extents)))
    found = {}
    for nu in range(dims):
        for mu in range(nu):
            a, b = links[..., mu, :, :], links[..., nu, :, :]
            axis_mu, axis_nu = dims - 1 - mu, dims - 1 - nu
            ahead = a @ np.roll(b, -1, axis_mu)
            back = b @ np.roll(a, -1, axis_nu)  # Tr A B^dagger is a sum over products of elements
            found["xyzt"[mu] + "xyzt"[nu]] = np.einsum("...ij,...ij->...", ahead, back.conj()).real / field.site[-1]
    return found


def plaquette(u: "Union[ArrayIn, _Name]") -> Any:
    """The plaquette of the gauge field ``u``, [t, z, y, x, mu, N, N] or a file, in each time slice, without and with the time direction, and
    the distribution of Re Tr U_P / N over all plaquettes. It needs memory for a few more such fields.

    Returns a figure of matplotlib. Raises InvalidArgument (not a gauge field), ImportError."""
    if isinstance(u, (str, bytes, os.PathLike)):
        from limequat import read
        u = read(u)
    found = plaquettes(u)
    time = max((pair[1] for pair in found), key="xyzt".index, default="t")
    temporal = [values for pair, values in found.items() if time in pair]
    spatial = [values for pair, values in found.items() if time not in pair]
    figure = _figure(3.2)
    by_slice, distribution = figure.subplots(1, 2, width_ratios=(3, 2))
    for planes, name, color in ((spatial, "spatial", _COLORS["field"]), (temporal, "temporal", _COLORS["record"])):
        if not planes:
            continue
        values = np.stack(planes)
        means = values.mean(axis=(0, *range(2, values.ndim)))
        by_slice.plot(range(len(means)), means, "o-", ms=3, lw=1, color=color, label=name)
        distribution.hist(values.ravel(), bins=60, range=(-1, 1), histtype="step", density=True, color=color, label=name)
    average = float(np.mean([values.mean() for values in found.values()]))
    by_slice.axhline(average, color=_INK, lw=0.8, ls=":")
    by_slice.set(xlabel=f"time slice ({time})", ylabel="plaquette")
    by_slice.set_title(f"average {average:.6f}", fontsize=10, loc="left")
    by_slice.legend(frameon=False, fontsize=8)
    by_slice.ticklabel_format(useOffset=False)
    distribution.set(xlabel="Re Tr U / N of a plaquette", ylabel="density")
    for axes in (by_slice, distribution):
        _plain(axes)
    return figure


def field(values: "ArrayIn", plane: str = "xy", at: Optional[Dict[str, int]] = None, dims: Optional[int] = None,
          name: Optional[str] = None) -> Any:
    """A plane of a quantity of sites, as a picture of its values.

    values  an array [t, z, y, x] of real numbers, such as :func:`limequat.plaquette_density`. Of complex numbers, and of fields with more
            than one number at a site, the sum of |.|^2 over each site is shown
    plane   two of the directions x, y, z, t: the horizontal and the vertical one
    at      coordinates of the plane in the other directions, as a dict; default 0
    dims    dimensions of the lattice; None: 4, or those of an array that has fewer
    name    label of the colour bar

    Colours are symmetric about 0 if there are negative values. Returns a figure of matplotlib. Raises InvalidArgument, ImportError."""
    numbers, title = _plane(values, plane, at or {}, dims)
    aspect = numbers.shape[1] / numbers.shape[0]
    width = min(max(4.2 * aspect + 2.0, 3.8), 9.0)
    figure = _figure(min(max((width - 2.0) / aspect + 1.2, 2.2), 5.0), width)
    axes = figure.subplots()
    known = numbers[np.isfinite(numbers)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if low < 0:
        low, high = -max(-low, high), max(-low, high)
    image = axes.imshow(np.ma.masked_invalid(numbers), origin="lower", interpolation="nearest", vmin=low, vmax=high,
                        cmap="RdBu_r" if low < 0 else "viridis")
    axes.set_facecolor(_COLORS["between"])  # where a number is not finite nothing is drawn
    ticker = needed("matplotlib.ticker", "lq.plot", package="matplotlib")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(ticker.MaxNLocator(integer=True))
    lost = numbers.size - known.size
    words = [title, f"not finite (grey): {lost}" if lost else ""]
    axes.set(xlabel=plane[0], ylabel=plane[1])
    axes.set_title(";  ".join(filter(None, words)), fontsize=10, loc="left")
    bar = figure.colorbar(image, ax=axes, shrink=0.9)
    bar.ax.tick_params(labelsize=8)
    if name:
        bar.set_label(_shortened(name, 60))
    return figure


def _plane(values, plane, at, dims):
    """The numbers of a plane [vertical, horizontal], and its position."""
    shape = tuple(getattr(values, "shape", np.shape(values)))
    dims = min(4, len(shape)) if dims is None else dims
    names = "xyzt"[:dims] if dims in (2, 3, 4) else ""
    if len(shape) < len(names) or not names or 0 in shape:
        raise InvalidArgument(f"an array of shape {list(shape)}, expected [t, z, y, x] or a lattice of two or three dimensions",
                              found=str(list(shape)))
    if not isinstance(plane, str) or len(plane) != 2 or plane[0] == plane[1] or not set(plane) <= set(names):
        raise InvalidArgument(f"plane is {plane!r}, expected two of the directions {', '.join(names)}", found=repr(plane))
    others = [name for name in names if name not in plane]
    if not set(at) <= set(others):
        raise InvalidArgument(f"at has {', '.join(sorted(map(repr, set(at) - set(others))))}, expected {', '.join(others) or 'nothing'}: the "
                              "directions that are not in the plane")
    place = [slice(None)] * dims
    for name in others:
        extent, where = shape[dims - 1 - names.index(name)], at.get(name, 0)
        if isinstance(where, bool) or not isinstance(where, (int, np.integer)) or not 0 <= where < extent:
            raise InvalidArgument(f"{name} is {where!r}, expected a coordinate from 0 to {extent - 1}", found=repr(where))
        place[dims - 1 - names.index(name)] = int(where)
    if not hasattr(values, "shape"):
        values = np.asarray(values)
    numbers = values[tuple(place)]
    if isinstance(numbers, np.ma.MaskedArray):
        numbers = numbers.astype(complex if numbers.dtype.kind == "c" else float).filled(np.nan)
    numbers = np.asarray(numbers)
    if numbers.dtype.kind not in "biufc":
        raise InvalidArgument(f"values of type {numbers.dtype}, expected numbers", found=str(numbers.dtype))
    if numbers.dtype.kind == "c" or numbers.ndim > 2:
        numbers = (np.abs(numbers.astype(complex)) ** 2).sum(axis=tuple(range(2, numbers.ndim)))
    numbers = numbers.astype(float)
    is_turned = names.index(plane[0]) > names.index(plane[1])  # the slower direction is the first axis
    return numbers.T if is_turned else numbers, ", ".join(f"{name} = {at.get(name, 0)}" for name in others)


def damage(path: "_Name", **options: "Unpack[VerifyOptions]") -> Any:
    """Where the file ``path`` is damaged: the file to scale with the bytes that findings name, the time slices of each field, and the
    findings as sentences. The file is verified; ``options`` are those of :func:`limequat.verify`.

    Returns a figure of matplotlib. Raises what :func:`limequat.verify` raises, and ImportError."""
    verdict = verify(path, **options)
    catalog = info(path)
    fields = {(field["name"], field["index"]): field for field in verdict["fields"]}
    told = [finding for finding in verdict["findings"] if finding["severity"] != "note"]
    words = [_shortened(finding["message"].replace(f"{path}: ", ""), 130) for finding in told[:6]]
    figure = _figure(1.6 + 0.5 * max(len(fields), 1) + 0.25 * len(words))
    state = "sound" if verdict.ok else "damaged"
    ribbon, slices = _two_axes(figure, f"{path}: {state}, {spelled(catalog['file_bytes'])}", 1.0, 0.7 * max(len(fields), 1),
                               below=0.22 * len(words) + 0.1)
    _draw_damage(ribbon, catalog["file_bytes"], told)
    _draw_slices(slices, fields, _lattices(catalog))
    for number, sentence in enumerate(words):
        figure.text(0.01, 0.02 + 0.22 * (len(words) - 1 - number) / figure.get_figheight(), sentence, fontsize=8, color=_BAD)
    return figure


def results(paths: "Union[_Name, Sequence[_Name]]", kind: Optional[str] = None) -> Any:
    """Draws results of `lq bench --json` in the files ``paths``, as `lq plot` does: rates, steps or fractions of the raw limit.
    ``kind`` is a value of `lq plot --kind`; None: chosen to suit the results.

    Returns a figure of matplotlib. Raises InvalidArgument (nothing of this kind), Malformed, NotFound, ImportError."""
    from limequat import benchmarks  # which draws with functions of this module

    names = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    found = [result for path in names for result in benchmarks.read(path)]
    return benchmarks.draw(benchmarks.chart(found, kind))


def _lattices(catalog):
    """Time slices of each field, by name and number."""
    seen, extents = {}, {}
    for entry in catalog["fields"]:
        index = seen[entry["name"]] = seen.get(entry["name"], -1) + 1
        extents[entry["name"], index] = entry["lattice"][-1] if entry["lattice"] else 0
    return extents


def _draw_damage(axes, file_bytes, findings):
    axes.broken_barh([(0, file_bytes)], (0, 1), color=_SOUND, lw=0)
    known = [(finding["length"] or 1, finding["offset"]) for finding in findings if finding["offset"] is not None]
    for length, offset in sorted(known, reverse=True):  # a sum that does not agree stands for all its terms
        color = _SUSPECT if length > file_bytes // 4 and len(known) > 1 else _BAD
        axes.broken_barh([(offset, max(length, file_bytes // 400))], (0, 1), color=color, lw=0)  # one byte is seen, too
    _scale_of_bytes(axes, file_bytes)


def _draw_slices(axes, fields, slices):
    names, most = [], max([slices.get(key, 0) for key in fields] or [1])
    for row, (key, field) in enumerate(fields.items()):
        bad, all_bad = set(field["damaged_slices"]), field["checksum_status"] == "mismatch" and not field["damaged_slices"]
        colors = [_BAD if all_bad or t in bad else _COLORS["field"] for t in range(slices.get(key, 0))]
        axes.bar(range(len(colors)), 0.8, bottom=row - 0.4, width=0.9, color=colors)
        names.append(f"{_shortened(key[0])} {key[1]}" if key[1] else _shortened(key[0]))
    axes.set(xlim=(-0.6, max(most, 1) - 0.4), ylim=(max(len(names), 1) - 0.4, -0.6), xlabel="time slice")
    axes.set_yticks(range(len(names)), names, fontsize=8)
    _plain(axes)


def _figure(height, width=9.0):
    """A figure that notebooks show, without a window."""
    figure = needed("matplotlib.figure", "lq.plot", package="matplotlib")

    class Picture(figure.Figure):
        """A figure that shows itself."""

        def _repr_png_(self):
            data = io.BytesIO()
            self.savefig(data, format="png", dpi=110)
            return data.getvalue()

    return Picture(figsize=(width, height), layout="constrained")


def _two_axes(figure, title, first, second, below=0.0):
    parts = figure.subplots(2, 1, height_ratios=(first, second))
    parts[0].set_title(_shortened(title, 90), fontsize=10, loc="left")
    if below:
        figure.get_layout_engine().set(rect=(0, below / figure.get_figheight(), 1, 1 - below / figure.get_figheight()))
    return parts


def _scale_of_bytes(axes, file_bytes):
    ticker = needed("matplotlib.ticker", "lq.plot", package="matplotlib")
    unit = 1024 ** max(0, (int(file_bytes).bit_length() - 2) // 10)
    ticks = [tick * unit for tick in ticker.MaxNLocator(8, steps=(1, 2, 5, 10)).tick_values(0, file_bytes / unit) if tick * unit <= file_bytes]
    axes.set(xlim=(0, max(file_bytes, 1)), ylim=(0, 1), yticks=[])
    axes.set_xticks(ticks, [spelled(tick) for tick in ticks], fontsize=8)
    _plain(axes)


def _plain(axes):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _shortened(text, most=28):
    """A text of a file for a picture: no control characters, no formulas, not too long."""
    text = "".join(c if c.isprintable() else " " for c in str(text)).replace("$", r"\$")
    return text if len(text) <= most else text[:most - 3] + "..."
