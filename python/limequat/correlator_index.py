# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The index of a correlator store: made from the directories of its file, searched by labels."""

import contextlib
import gc
import json
import threading
from typing import NamedTuple

import numpy as np

from limequat.correlator_labels import Condition, comparable, from_json, key_of, shown
from limequat.errors import Error, Malformed

_VALUES = {str, int, float, bool, list}


class Series(NamedTuple):
    """A correlator of a store, over all configurations: its name and labels, and type, shape and axes of its arrays.

    name    a text
    labels  a dict of names and values
    dtype   of the numbers
    shape   of the array of one configuration
    axes    names of the dimensions and their coordinates or None, as a dict; empty: not given
    number  in the store
    """

    name: str
    labels: dict
    dtype: np.dtype
    shape: tuple
    axes: dict
    number: int


class Configuration(NamedTuple):
    """A configuration of a store: its identifying value, and more labels such as the stream."""

    value: object
    labels: dict


class Order:
    """Which correlators an array holds, as runs of numbers."""

    def __init__(self, runs):
        self.runs = tuple(tuple(run) for run in runs)
        self.first = np.array([first for first, _ in self.runs], np.int64)
        self.counts = np.array([count for _, count in self.runs], np.int64)
        self.base = np.concatenate(([0], np.cumsum(self.counts)[:-1])) if self.runs else self.counts

    def slots(self, ids):
        """Where each of these correlators is in the array; -1: it is not."""
        run = np.searchsorted(self.first, ids, side="right") - 1
        inside = np.where(run >= 0, ids - self.first[run], -1)
        return np.where((run >= 0) & (inside < self.counts[run]), self.base[run] + inside, -1)

    def ids(self):
        """The numbers of its correlators, in order."""
        return np.concatenate([np.arange(first, first + count) for first, count in self.runs] or [np.zeros(0, np.int64)])


def runs_of(ids):
    """Ascending numbers as runs (first, count)."""
    ends = np.flatnonzero(np.diff(ids) != 1)
    firsts = np.concatenate((ids[:1], ids[ends + 1]))
    lasts = np.concatenate((ids[ends], ids[-1:]))
    return tuple((int(first), int(last - first + 1)) for first, last in zip(firsts, lasts))


class _Values:
    """Numbers of correlators by the value of a label: of the first `count` correlators."""

    def __init__(self):
        self.ids, self.count = {}, 0


class Index:
    """Correlators, configurations and places of a :class:`limequat.correlator_file.StoreFile`."""

    def __init__(self, file):
        self._file, self._lock = file, threading.RLock()
        self._reset()

    def _reset(self):
        self._taken, self._is_torn = 0, False
        self.kinds, self.axes, self.orders, self.order_numbers = [], [], [], {}
        self.configurations, self.appends, self._configuration_numbers = [], [], {}
        self.count = 0           # correlators
        self._tables = []        # of them that were not parsed: (directory, Piece)
        self._series, self._keys, self._ids_of_name, self._ids_of_label = [], {}, {}, {}
        self._named = self._prepared = 0  # how many of the correlators are in the dictionaries

    def update(self):
        """Adds directories that were appended since."""
        if self._taken == len(self._file.directories) and not self._is_torn:
            return
        with self._lock:
            if self._is_torn:  # an interrupt (Ctrl-C) left half of a directory
                self._reset()
            for directory in self._file.directories[self._taken:]:
                self._check(directory)
                self._is_torn = True
                self._take(directory)
                self._taken += 1
                self._is_torn = False

    def _check(self, directory):
        """Raises Malformed if the directory does not fit the previous ones."""
        if directory.first_series != self.count or (directory.series is None) != (directory.new_series == 0):
            raise self._malformed(directory, f"its correlators begin with number {directory.first_series}, expected {self.count}")
        old_kinds, old_orders = len(self.kinds), len(self.orders)
        count = self.count + directory.new_series
        for block in directory.blocks:
            if block.kind >= old_kinds + len(directory.kinds) or block.order >= old_orders + len(directory.orders):
                raise self._malformed(directory, f"an array of {block.arrays} correlators is not of a known kind and order")
            dtype, shape = self.kinds[block.kind] if block.kind < old_kinds else directory.kinds[block.kind - old_kinds]
            order = self.orders[block.order].runs if block.order < old_orders else directory.orders[block.order - old_orders]
            if sum(run[1] for run in order) != block.arrays or sum(order[-1]) > count:
                raise self._malformed(directory, f"an array of {block.arrays} correlators has the order of others")
            size = block.arrays * np.dtype(dtype).itemsize * int(np.prod(shape, dtype=object))
            if block.numbers + size > self._file.end:
                raise self._malformed(directory, f"the numbers at byte {block.numbers} have {size} bytes, more than the file has")

    def _take(self, directory):
        self.kinds += directory.kinds
        self.axes += directory.axes
        self.count += directory.new_series
        for runs in directory.orders:
            self.orders.append(Order(runs))
            self.order_numbers[self.orders[-1].runs] = len(self.orders) - 1
        if directory.series is not None:
            self._tables.append(directory)
        key = comparable(directory.configuration)
        number = self._configuration_numbers.get(key)
        if number is None:
            self._configuration_numbers[key] = len(self.configurations)
            self.configurations.append(Configuration(directory.configuration, directory.labels))
            self.appends.append([directory])
        else:
            self.appends[number].append(directory)

    def _malformed(self, directory, sentence):
        return Malformed(f"{self._file.path}: append {directory.number}: {sentence}; restore the file", path=self._file.path,
                         offset=directory.group)

    @property
    def append_count(self):
        """The number of appends."""
        return self._taken

    def number_of(self, configuration):
        """The number of a configuration, or None."""
        return self._configuration_numbers.get(comparable(configuration))

    @property
    def series(self):
        """All correlators, parsed when they are first needed."""
        if self._tables:
            with self._lock:
                while self._tables:
                    with _uncollected():
                        self._parse(self._tables[0])
                    del self._tables[0]
        return self._series

    def _parse(self, directory):
        text = self._file.text(directory.series, self._file.end, f"the correlators of append {directory.number}")
        try:
            rows = json.loads(text.decode("ascii"), parse_constant=_no_number)
            if len(rows) != directory.new_series:
                raise ValueError(f"{len(rows)} correlators, expected {directory.new_series}")
            kinds = [(np.dtype(dtype), shape) for dtype, shape in self.kinds]
            axes = [dict(names) for names in self.axes]
            added = [Series(_text(name), _labels(labels), *kinds[kind], axes[which] if which is not None else {}, number)
                     for number, (name, labels, kind, which) in enumerate(rows, directory.first_series)]
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            raise self._malformed(directory, f"its correlators at byte {directory.series.address} are damaged: {error}") from None
        del self._series[directory.first_series:]  # what an interrupt left
        self._series += added

    def keys(self):
        """Numbers of correlators by what identifies them."""
        with self._lock:
            series = self.series
            for number in range(len(self._keys), len(series)):
                self._keys[key_of(series[number].name, series[number].labels)] = number
            return self._keys

    def find(self, name, conditions):
        """Numbers of the correlators that satisfy all conditions, ascending; `name` is a :class:`Condition` or None."""
        with self._lock:  # the dictionaries grow when there are new correlators
            found = self._candidates(name, [(label, condition) for label, condition in conditions.items() if condition.values is not None])
        series = self._series
        for label, condition in conditions.items():
            if condition.values is None:
                found = [n for n in found if label in series[n].labels and condition.holds(series[n].labels[label])]
        return np.array(found, np.int64)

    def prepare(self):
        """Parses the labels and makes the dictionaries, so that the next look-up is as fast as all others. What is damaged is left to
        the look-up that needs it: configurations are known without."""
        with contextlib.suppress(Error), self._lock:
            series = self.series
            if self._prepared < len(series):
                self._names()
                for label in set().union(*{tuple(one.labels) for one in series[self._prepared:]}):
                    self._by_value(label)
                self._prepared = len(series)

    def _names(self):
        """Numbers of correlators by name; new ones are added."""
        series = self.series
        for number in range(self._named, len(series)):
            self._ids_of_name.setdefault(series[number].name, set()).add(number)
        self._named = len(series)
        return self._ids_of_name

    def _candidates(self, name, exact):
        """Numbers of correlators with these names and values, ascending."""
        series, names, found = self.series, self._names(), None
        if name is not None:
            texts = [text for text in names if name.holds(text)] if name.values is None else [t for t in name.values if t in names]
            found = set().union(*(names[text] for text in texts))
        sets = [set().union(*(self._by_value(label).get(value, ()) for value in condition.values)) for label, condition in exact]
        for ids in sorted(sets, key=len):
            found = ids if found is None else found & ids
        return sorted(range(len(series)) if found is None else found)

    def _by_value(self, label):
        """Numbers of correlators by the value of this label; new ones are added."""
        series, known = self.series, self._ids_of_label.setdefault(label, _Values())
        if known.count < len(series):
            with _uncollected():
                for number, one in enumerate(series[known.count:], known.count):
                    if label in one.labels:
                        known.ids.setdefault(comparable(one.labels[label]), set()).add(number)
            known.count = len(series)
        return known.ids

    def places(self, ids, configuration, known):
        """Where these correlators of a configuration (its number) are: [(Block, positions in ids, slots in the block)], and the
        positions of the missing ones. `known` is a dict that the caller keeps for other configurations with the same ids."""
        found, missing = [], np.arange(len(ids))
        for directory in reversed(self.appends[configuration]):  # the newest one counts
            for block in directory.blocks:
                if block.order not in known:
                    known[block.order] = self.orders[block.order].slots(ids)
                slots = known[block.order][missing]
                there = slots >= 0
                if there.any():
                    found.append((block, missing[there], slots[there]))
                    missing = missing[~there]
            if not len(missing):
                break
        return found, missing


@contextlib.contextmanager
def _uncollected():
    """Disables garbage collection while many permanent objects are created: Python would scan them repeatedly."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def name_condition(name):
    """A Condition on names, or None for all."""
    return None if name is None else Condition(name, "the name")


def _text(value):
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no name")
    return value


def _labels(labels):
    for name, value in labels.items():
        kind = type(value)
        if kind not in _VALUES:
            raise ValueError(f"the label {shown(name)} is {shown(value)}")
        if kind is list:
            labels[name] = from_json(value)
    return labels


def _no_number(text):
    raise ValueError(f"{text} is not a value of a label")
