# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The directory of an append to a correlator store: JSON texts (docs/formats/correlators.md, section 4)."""

import json
from typing import NamedTuple, Optional

from limequat import correlator_labels
from limequat.errors import InvalidArgument

VERSION = 1
DTYPES = ("<f8", "<c16", "<f4", "<c8", "<i4", "<i8")
MOST_DIMENSIONS = 16
_MOST_TEXT = 16 << 20  # bytes of a directory or of a table of correlators, decompressed; more is believed of a text that has itself many
_MOST_RATIO = 100
_LEAST_ROW = 14  # bytes of a correlator in a table


class Piece(NamedTuple):
    """Compressed JSON text in the file: its address, bytes and CRC-32."""

    address: int
    bytes: int
    sum: int


class Block(NamedTuple):
    """The numbers of one kind that one append added: `arrays` arrays of a kind, in the order of that number."""

    kind: int
    order: int
    arrays: int
    numbers: int
    sums: int


class Directory(NamedTuple):
    """What one append added."""

    number: int
    previous: Optional[Piece]
    group: int
    folder: int
    configuration: object
    labels: dict
    kinds: list   # (dtype, shape) that are new
    axes: list    # tuples of (name, coordinates) that are new
    orders: list  # runs of numbers of correlators (first, count) that are new
    series: Optional[Piece]
    first_series: int
    new_series: int
    blocks: list
    replaces: bool


def most_text(size):
    """The maximum size of a text that has `size` bytes compressed: a larger claim is an attempt to fill the memory."""
    return max(_MOST_TEXT, _MOST_RATIO * size)


def directory_text(d):
    """The JSON text of a Directory."""
    content = {"version": VERSION, "append": d.number, "previous": d.previous, "group": d.group, "folder": d.folder,
               "configuration": d.configuration, "labels": d.labels, "kinds": d.kinds, "axes": d.axes, "orders": d.orders,
               "correlators": d.series, "first_correlator": d.first_series, "new_correlators": d.new_series, "blocks": d.blocks,
               "replaces": d.replaces}
    return correlator_labels.to_json(content).encode("ascii")


def parse_directory(text, end):
    """A Directory; ValueError and similar exceptions say what is wrong."""
    found = json.loads(text.decode("ascii"))
    if found["version"] != VERSION:
        raise ValueError(f"version {found['version']}")
    what = "the configuration"
    try:
        configuration = correlator_labels.checked(correlator_labels.from_json(found["configuration"]), what)
        labels = {name: correlator_labels.from_json(value) for name, value in found["labels"].items()}
        labels = correlator_labels.checked_labels(labels, what)
    except InvalidArgument as error:
        raise ValueError(str(error)) from None
    series, new = _piece(found["correlators"]), _count(found["new_correlators"])
    if new > (most_text(series.bytes) // _LEAST_ROW if series else 0):
        raise ValueError(f"{new} new correlators in {series.bytes if series else 0} bytes")
    return Directory(_count(found["append"]), _piece(found["previous"]), _count(found["group"]), _count(found["folder"]), configuration,
                     labels, [_kind(kind) for kind in found["kinds"]], [_axes(axes) for axes in found["axes"]],
                     [_order(order) for order in found["orders"]], series, _count(found["first_correlator"]), new,
                     [_block(block, end) for block in found["blocks"]], found["replaces"] is True)


def _count(value):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise ValueError(f"{correlator_labels.shown(value)} is no count")
    return value


def _piece(value):
    return None if value is None else Piece(*map(_count, value))


def _kind(value):
    dtype, shape = value
    if dtype not in DTYPES or len(shape) > MOST_DIMENSIONS or not all(_count(extent) for extent in shape):
        raise ValueError(f"{correlator_labels.shown(value)} is not a kind of array")
    return dtype, tuple(shape)


def _axes(value):
    axes = tuple((name, None if coordinates is None else tuple(coordinates)) for name, coordinates in value)
    for name, coordinates in axes:
        if not isinstance(name, str) or not all(isinstance(c, (str, int, float)) for c in coordinates or ()):
            raise ValueError(f"{correlator_labels.shown(name)} is no axis")
    return axes


def _order(value):
    runs, end = [], 0
    for first, count in value:
        if _count(first) < end or not _count(count):
            raise ValueError("an order of correlators has runs that do not ascend")
        runs.append((first, count))
        end = first + count
    if not runs:
        raise ValueError("an order without correlators")
    return runs


def _block(value, end):
    block = Block(*map(_count, value))
    if max(block.numbers + block.arrays, block.sums + 4 * block.arrays) > end:
        raise ValueError(f"numbers at byte {block.numbers} are outside of the file")
    return block
