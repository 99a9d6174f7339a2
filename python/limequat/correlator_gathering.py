# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks correlators to be appended to a store, and sorts them by kinds of arrays."""

import zlib

import numpy as np

from limequat.correlator_directory import DTYPES, MOST_DIMENSIONS, Block, Directory
from limequat.correlator_index import Series, runs_of
from limequat.correlator_labels import MOST_BYTES, checked, checked_labels, described, key_of, shown, to_json
from limequat.errors import InvalidArgument


class Gathered:
    """Correlators of one append, by kind, with the numbers that they have or will have in the store."""

    def __init__(self, path, index, correlators, what):
        self.path, self.index, self.what = path, index, what
        self.kinds, self.axes = list(index.kinds), list(index.axes)
        self.new_rows, self._new_keys, self._new_kinds, self._by_kind = [], {}, {}, {}
        self._keys = index.keys()
        self._seen, self._axes_numbers = set(), {axes: number for number, axes in enumerate(index.axes)}
        if hasattr(correlators, "items"):
            correlators = [(name, {}, values) for name, values in correlators.items()]
        try:
            correlators = iter(correlators)
        except TypeError:
            raise InvalidArgument(f"{path}: the correlators of {what} are {shown(correlators)}, expected a list of (name, labels, values)",
                                  path=path) from None
        for correlator in correlators:
            self._add(correlator)
        if not self._seen:
            raise InvalidArgument(f"{path}: no correlators for {what}", path=path)

    def ids(self):
        """Numbers of the correlators, ascending."""
        return np.sort(np.fromiter(self._seen, np.int64, len(self._seen)))

    def _add(self, correlator):
        if not isinstance(correlator, (tuple, list)) or not 2 <= len(correlator) <= 4:
            raise InvalidArgument(f"{self.path}: a correlator of {self.what} is {shown(correlator)}, expected (name, labels, values) or "
                                  "(name, labels, values, axes)", path=self.path)
        if len(correlator) == 2:
            series, values = correlator
            if not isinstance(series, Series) or self.index.series[series.number:series.number + 1] != [series]:
                raise InvalidArgument(f"{self.path}: a pair of {shown(series)} and values, expected a Series of this store, or (name, "
                                      "labels, values)", path=self.path)
            number, text, axes = series.number, None, None
            name, labels = series.name, series.labels
        else:
            name, labels, values = correlator[:3]
            axes = correlator[3] if len(correlator) == 4 else None
            number, text = None, f"a correlator of {self.what}"
            if not isinstance(name, str):
                raise InvalidArgument(f"{self.path}: the name of {text} is {shown(name)}, expected a text", path=self.path)
            name, labels = checked(name, f"the name of {text}"), checked_labels(labels, shown(name))
            key = key_of(name, labels)
            number = self._keys.get(key, self._new_keys.get(key))
        array, kind = self._kind_of(values, name, labels)
        if number is None:
            number = self._new(key, name, labels, kind, axes, array)
        else:
            self._require_alike(number, kind, axes, name, labels, array)
        if number in self._seen:
            raise InvalidArgument(f"{self.path}: {described(name, labels)} is twice among the correlators of {self.what}", path=self.path,
                                  record=described(name, labels))
        self._seen.add(number)
        self._by_kind.setdefault(kind, []).append((number, array))

    def _kind_of(self, values, name, labels):
        if isinstance(values, np.ma.MaskedArray):
            raise InvalidArgument(f"{self.path}: {described(name, labels)} is a masked array; fill it, or leave it out", path=self.path)
        try:
            array = np.asarray(values)
        except (ValueError, TypeError) as error:
            raise InvalidArgument(f"{self.path}: the values of {described(name, labels)} are not an array: {error}", path=self.path) from None
        dtype = array.dtype.newbyteorder("<").str
        if dtype not in DTYPES:
            raise InvalidArgument(f"{self.path}: {described(name, labels)} is of type {array.dtype}, expected one of "
                                  f"{', '.join(np.dtype(d).name for d in DTYPES)}; convert it with astype()", path=self.path,
                                  found=str(array.dtype))
        if array.ndim > MOST_DIMENSIONS or not array.size:
            raise InvalidArgument(f"{self.path}: {described(name, labels)} has the shape {list(array.shape)}, expected at most "
                                  f"{MOST_DIMENSIONS} dimensions, none of them of extent 0", path=self.path, found=str(array.shape))
        return array, (dtype, array.shape)

    def _new(self, key, name, labels, kind, axes, array):
        if kind not in self._new_kinds:
            known = self.kinds.index(kind) if kind in self.kinds else len(self.kinds)
            if known == len(self.kinds):
                self.kinds.append(kind)
            self._new_kinds[kind] = known
        number = self.index.count + len(self.new_rows)
        row = [name, labels, self._new_kinds[kind], self._axes_number(axes, array, name, labels)]
        if len(to_json(row[:2])) > MOST_BYTES:
            raise InvalidArgument(f"{self.path}: the name and labels of {described(name, labels)} have more than {MOST_BYTES} bytes as "
                                  "JSON", path=self.path)
        self.new_rows.append(row)
        self._new_keys[key] = number
        return number

    def _axes_number(self, axes, array, name, labels):
        if axes is None:
            return None
        axes = checked_axes(axes, array.shape, described(name, labels), self.path)
        if axes not in self._axes_numbers:
            self._axes_numbers[axes] = len(self.axes)
            self.axes.append(axes)
        return self._axes_numbers[axes]

    def _require_alike(self, number, kind, axes, name, labels, array):
        if number >= self.index.count:  # new in this append: given twice, which the caller says
            return
        series = self.index.series[number]
        if (series.dtype.newbyteorder("<").str, series.shape) != kind:
            raise InvalidArgument(f"{self.path}: {described(name, labels)} of {self.what} is {array.dtype} {list(array.shape)}, in this store "
                                  f"it is {series.dtype} {list(series.shape)}", path=self.path, record=described(name, labels),
                                  expected=f"{series.dtype} {list(series.shape)}", found=f"{array.dtype} {list(array.shape)}")
        if axes is not None and dict(checked_axes(axes, array.shape, described(name, labels), self.path)) != series.axes:
            raise InvalidArgument(f"{self.path}: {described(name, labels)} of {self.what} has other axes than in this store, "
                                  f"{shown(series.axes)}", path=self.path, record=described(name, labels))

    def directory(self, configuration, labels, replaces):
        """(Directory without addresses, arrays, sums)."""
        blocks, arrays, sums, orders = [], [], [], []
        for kind, members in self._by_kind.items():
            members.sort(key=lambda member: member[0])
            runs = runs_of(np.array([number for number, _ in members]))
            order = self.index.order_numbers.get(runs)
            if order is None and runs not in orders:
                orders.append(runs)
            array = np.empty((len(members), *kind[1]), kind[0])
            for at, (_, values) in enumerate(members):
                array[at] = values
            rows = array.reshape(len(members), -1).view(np.uint8)
            sums.append(np.fromiter(map(zlib.crc32, rows), "<u4", len(members)))
            arrays.append(array)
            order = len(self.index.orders) + orders.index(runs) if order is None else order
            blocks.append(Block(self.kinds.index(kind), order, len(members), 0, 0))
        added = Directory(self.index.append_count, None, 0, 0, configuration, labels, self.kinds[len(self.index.kinds):],
                          self.axes[len(self.index.axes):], orders, None, self.index.count, len(self.new_rows), blocks, replaces)
        return added, arrays, sums


def checked_axes(axes, shape, what, path):
    """Names and coordinates of the dimensions as a tuple."""
    try:
        axes = dict(axes) if hasattr(axes, "keys") else dict.fromkeys((axes,) if isinstance(axes, str) else axes)
        axes = {name: coordinates if coordinates is None else list(coordinates) for name, coordinates in axes.items()}
    except TypeError:
        raise InvalidArgument(f"{path}: the axes of {what} are {shown(axes)}, expected names, or a dict of names and coordinates",
                              path=path) from None
    if len(axes) != len(shape):
        raise InvalidArgument(f"{path}: {what} has {len(shape)} dimensions and {len(axes)} axes (two axes cannot have one name)", path=path)
    found = []
    for extent, (name, coordinates) in zip(shape, axes.items()):
        if not isinstance(name, str) or not name:
            raise InvalidArgument(f"{path}: an axis of {what} has the name {shown(name)}, expected a text", path=path)
        if coordinates is not None:
            coordinates = tuple(checked(c.item() if isinstance(c, np.generic) else c, f"a coordinate of the axis {shown(name)}")
                                for c in coordinates)
            if len(coordinates) != extent or any(isinstance(c, tuple) for c in coordinates):
                raise InvalidArgument(f"{path}: the axis {shown(name)} of {what} has {len(coordinates)} coordinates, expected {extent} "
                                      "numbers or texts", path=path)
        found.append((checked(name, "the name of an axis"), coordinates))
    return tuple(found)
