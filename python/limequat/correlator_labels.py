# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Labels of correlators: their permitted values, when two are equal, and how they are stored.

A value is a text, an integer of 64 bits, a finite float, True or False, or a tuple of such. Numbers are equal by value (1 and 1.0);
True and False are not numbers. Texts are JSON texts in a store, never parts of paths or of queries, so any character is kept.
"""

import json
import math
import numbers

import numpy as np

from limequat.errors import InvalidArgument

MOST_BYTES = 32768  # of a name with its labels, as JSON
_MOST_DEPTH = 8
_NUMBERS_AND_TEXTS = {str, int, float}
_REFUSED = "a text, an int of 64 bits, a finite float, True or False, or a tuple of such"


def checked(value, what, depth=0):
    """The value of a label with numpy types converted to Python's. InvalidArgument: it cannot be a label."""
    if isinstance(value, str):
        return _checked_text(str(value), what)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        if -1 << 63 <= value < 1 << 63:
            return int(value)
        raise InvalidArgument(f"{what} is an integer of more than 64 bits; store it as a text", found=str(value))
    if isinstance(value, (float, np.floating)):
        if math.isfinite(value):
            return float(value)
        raise InvalidArgument(f"{what} is {value}, which equals nothing; store it as a text", found=str(value))
    if isinstance(value, tuple):
        if depth == _MOST_DEPTH:
            raise InvalidArgument(f"{what} is a tuple of more than {_MOST_DEPTH} levels")
        return tuple(checked(part, what, depth + 1) for part in value)
    hint = f"; write tuple(...) around the {type(value).__name__}" if isinstance(value, (list, np.ndarray)) else ""
    raise InvalidArgument(f"{what} is a {type(value).__name__}, expected {_REFUSED}{hint}", found=type(value).__name__)


def checked_labels(labels, what):
    """The labels of a correlator or configuration: a dict of names and values, as :func:`checked`."""
    if labels is None:
        return {}
    if not hasattr(labels, "items"):
        raise InvalidArgument(f"the labels of {what} are a {type(labels).__name__}, expected a dict of names and values")
    if all(type(name) is str and name and _is_plain(name) and _is_plain(value) for name, value in labels.items()):
        return dict(labels)
    return {_checked_name(name, what): checked(value, f"the label {shown(name)} of {what}") for name, value in labels.items()}


def _is_plain(value, in_tuple=False):
    """True if a value is certainly valid for a label: a fast check for tens of thousands of them."""
    kind = type(value)
    if kind is str:
        return len(value) < 256 and value.isascii()
    if kind is int:
        return -1 << 63 <= value < 1 << 63
    if kind is float:
        return math.isfinite(value)
    return kind is bool or (kind is tuple and not in_tuple and all(_is_plain(part, True) for part in value))


def _checked_name(name, what):
    if not isinstance(name, str) or not name:
        raise InvalidArgument(f"a label of {what} has the name {name!r}, expected a text that is not empty", found=repr(name))
    return _checked_text(str(name), f"the name of a label of {what}")


def _checked_text(text, what):
    if len(text) > MOST_BYTES:
        raise InvalidArgument(f"{what} is a text of {len(text)} characters, expected at most {MOST_BYTES}", found=str(len(text)))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"{what} has a character that UTF-8 cannot represent at position {error.start}; "
                              "names of files that are not UTF-8 need os.fsencode(...).hex()") from None
    return text


def comparable(value):
    """A key that is equal for equal values only: True is not 1."""
    kind = type(value)
    if kind in _NUMBERS_AND_TEXTS:  # most of them
        return value
    if kind is bool:
        return ("bool", value)
    if isinstance(value, tuple):
        return ("tuple", *[part if type(part) in _NUMBERS_AND_TEXTS else comparable(part) for part in value])
    return value


def key_of(name, labels):
    """What identifies a correlator: its name and labels in any order."""
    return name, frozenset([(label, comparable(value)) for label, value in labels.items()])


def to_json(value):
    """Compact JSON text; floats come back as the same floats, integers as integers."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def from_json(value):
    """A label from JSON: lists become tuples."""
    return tuple([from_json(part) if type(part) is list else part for part in value]) if type(value) is list else value


class Condition:
    """A condition of :func:`limequat.correlators.Store.select` on one label: a value, several of them (a set), a range of
    integers, or a function that is called with the value."""

    def __init__(self, wanted, what):
        self.values = self.function = None
        if isinstance(wanted, (set, frozenset)):
            self.values = {comparable(checked(value, what)) for value in wanted}
        elif isinstance(wanted, range):
            self.function = lambda value: not isinstance(value, bool) and isinstance(value, (int, float)) and value in wanted
        elif callable(wanted):
            self.function = wanted
        else:
            self.values = {comparable(checked(wanted, what))}

    def holds(self, value):
        """True if a value satisfies it."""
        return comparable(value) in self.values if self.values is not None else bool(self.function(value))


def shown(value, most=60):
    """A text of a file or of a caller for a message: escaped and not too long."""
    text = repr(value)
    return text if len(text) <= most else text[:most - 3] + "..."


def described(name, labels):
    """A correlator in a message: 'pion' (momentum=(0, 0, 0), ...)."""
    inside = ", ".join(f"{label if label.isidentifier() else shown(label)}={shown(value, 40)}"
                       for label, value in list(labels.items())[:6])
    more = ", ..." if len(labels) > 6 else ""
    return shown(name) + (f" ({inside}{more})" if labels else "")
