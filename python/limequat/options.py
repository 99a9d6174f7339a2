# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Options from the tables of the library (lq_options_json): structs, keyword arguments, documentation.

A new option of the library becomes a keyword argument here without a line of Python.
"""

import contextlib
import ctypes
import difflib
import functools
import inspect
import json
import numbers
import operator
import os
import re
import reprlib
import textwrap
from collections.abc import Mapping, Sequence
from ctypes import c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Callable, Optional, TypeVar

from limequat import progress, structs
from limequat._library import call, text_from
from limequat.errors import InvalidArgument
from limequat.extents import extents_of

_Function = TypeVar("_Function", bound=Callable[..., Any])
_TYPES = {"int": c_int, "uint64": c_uint64, "double": c_double, "text": c_char_p, "size": c_size_t,
          "pointer": c_void_p}
_PROGRESS = ctypes.CFUNCTYPE(None, c_uint64, c_uint64, c_void_p)
_REFUSED = "(refused)"  # among options: why they were, which whatever takes them raises where all ranks learn of it
_AFTER_SWEEP = ctypes.CFUNCTYPE(None, c_int, c_void_p)


class Table:
    """The options of one struct: ``rows`` by name, ``aliases`` to names, and the ``struct`` of C; ``base`` is another
    table whose options are also accepted."""

    def __init__(self, description):
        self.functions = description["functions"]
        self.name, self.c_name, self.base = description["name"], description["c_name"], description["base"]
        self.rows = {row["name"]: row for row in description["options"]}
        self.aliases = {alias: row["name"] for row in self.rows.values() for alias in row["aliases"]}
        self.struct = self._struct(description) if self.c_name else None

    def _struct(self, description):
        members = description["others"] + [member for row in self.rows.values() for member in row["members"]]
        members.sort(key=lambda member: member["offset"])
        struct = type(self.c_name, (ctypes.Structure,),
                      {"_fields_": [(member["name"], _TYPES[member["type"]]) for member in members]})
        places = {member["name"]: member["offset"] for member in members}
        if ctypes.sizeof(struct) != description["c_size"] or any(
                getattr(struct, name).offset != place for name, place in places.items()):
            raise ImportError(f"the members of {self.c_name} have other offsets than the library states")
        return struct


_tables = {table["name"]: Table(table) for table in json.loads(text_from("lq_options_json"))}


def is_option(name):
    """True if any call has an option of that name."""
    return any(name in table.rows for table in _tables.values())


class Options:
    """A struct of options with its defaults and `values` by name; passed to a call as it is."""

    def __init__(self, table, values=()):
        self._table, self._kept = _tables[table], []
        self.struct = self._table.struct()
        call(self._table.c_name + "_init", ctypes.byref(self.struct), ctypes.sizeof(self.struct))
        self._as_parameter_ = ctypes.byref(self.struct)
        for name, value in dict(values).items():
            if name == _REFUSED:
                raise value
            if value is not None and name in self._table.rows:
                self._set(self._table.rows[name], value)

    def keep(self, value):
        """Returns `value`, and keeps it alive as long as these options."""
        self._kept.append(value)
        return value

    def over(self, group):
        """These options, with the communicator among them; None: this process alone."""
        if group is not None:
            self.struct.communicator = self.keep(group)._as_parameter_.value
        return self

    def _set(self, row, value):
        kind = row["kind"]
        if kind == "texts":
            texts = self.keep(metadata_array(value))
            self.struct.metadata = ctypes.cast(texts, c_void_p)
            self.struct.metadata_count = len(texts) if texts is not None else 0
        elif kind == "callback":
            setattr(self.struct, row["name"], ctypes.cast(self.keep(_callback(row, value)), c_void_p))
        else:
            text = self.keep(_text(row, value))
            call(self._table.c_name + "_set", self._as_parameter_, row["name"].encode(), text)


def _callback(row, function):
    if not callable(function):
        raise _unexpected(row, function)
    if row["name"] == "after_sweep":
        return _AFTER_SWEEP(lambda sweep, context: function(sweep))
    return _PROGRESS(lambda done, total, context: function(done, total))


def _unexpected(row, value):
    return InvalidArgument(f"{row['name']} is {value!r}, expected {row['expected']}", expected=row["expected"],
                           found=repr(value))


def _text(row, value):
    """The value as a text for the library, which checks it."""
    kind = row["kind"]
    try:
        if isinstance(value, str):
            text = value
        elif kind == "text" and isinstance(value, os.PathLike):
            text = os.fsdecode(value)
        elif row["is_extents"]:
            text = "x".join(map(str, extents_of(value, row["name"])))
        elif kind == "flag":
            if value not in (False, True):
                raise _unexpected(row, value)
            text = "yes" if value else "no"
        elif kind in ("count", "whole"):
            text = str(operator.index(value))
        elif kind == "real":
            text = repr(float(value))
        elif kind == "choice" and isinstance(value, bool):
            text = "yes" if value else "no"
        else:
            raise _unexpected(row, value)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise _unexpected(row, value) from None
    if "\0" in text:
        raise InvalidArgument(f"{row['name']} is {value!r}, which holds a NUL character")
    return text.encode("utf-8", "surrogateescape")


def mapping_of(value, name):
    """A dict, or what behaves like one; {} if it is None."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    found = " ".join(reprlib.repr(value).split())
    raise InvalidArgument(f"{name} is {found}, expected a dict", expected="a dict", found=found)


def with_texts(options, texts):
    """The options of a write, with more metadata."""
    return {**options, "metadata": {**mapping_of(options.get("metadata"), "metadata"), **texts}} if texts else options


def metadata_texts(metadata):
    """A dict of texts and numbers as texts; numbers as the shortest texts that give the same numbers."""
    texts = {}
    for name, value in mapping_of(metadata, "metadata").items():
        text = _number_text(value)
        if not isinstance(name, str):
            raise InvalidArgument(f"metadata has the name {name!r}, expected texts as names", found=repr(name))
        if not isinstance(text, str):
            raise InvalidArgument(f"metadata[{name!r}] is {value!r}, expected texts or numbers: str(...) makes a text")
        if "\0" in name + text:
            raise InvalidArgument(f"metadata[{name!r}] holds a NUL character")
        texts[name] = text
    return texts


def metadata_array(metadata):
    """A dict of texts and numbers as the array for C; None if it is empty."""
    texts = metadata_texts(metadata)
    if not texts:
        return None
    return (structs.Metadata * len(texts))(*[(n.encode(), t.encode()) for n, t in texts.items()])


def _number_text(value):
    """The shortest text that int() or float() turn into the same number again; anything else as it is."""
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    return repr(float(value)) if isinstance(value, numbers.Real) else value


def takes(*tables: str, without: Sequence[str] = (), only: Optional[Sequence[str]] = None,
          verb: Optional[str] = None) -> Callable[[_Function], _Function]:
    """A decorator: the function's ``**options`` are those of these tables, checked, documented in place of a line
    "{options}", and part of its signature. With `verb`, without options that only other verbs of `lq` have."""
    names = [known for table in tables for known in (_tables[table].base, table) if known]
    rows = {name: row for table in names for name, row in _tables[table].rows.items()
            if name not in without and (only is None or name in only)
            and (verb is None or not row["verbs"] or verb in row["verbs"])}
    aliases = {alias: name for table in names for alias, name in _tables[table].aliases.items() if name in rows}

    def decorate(function):
        signature = inspect.signature(function)
        explicit = set(signature.parameters)

        @functools.wraps(function)
        def checked(*arguments, **options):
            try:
                for alias in [name for name in options if name in aliases and name not in explicit]:
                    name = aliases[alias]
                    if name in options:
                        raise TypeError(f"{function.__name__}(): {alias} is an older name of {name}; give one of them")
                    options[name] = options.pop(alias)
                for name in options:
                    if name not in rows and name not in explicit and name != _REFUSED:
                        raise TypeError(_unknown(function, name, [*rows, *explicit]))
            except TypeError as refusal:
                options = {name: value for name, value in options.items() if name in explicit}
                options[_REFUSED] = refusal
            with contextlib.ExitStack() as stack:
                if "progress" in rows:
                    options["progress"] = stack.enter_context(progress.shown(function.__name__, options.get("progress")))
                if options.get("after_sweep") is not None:
                    options["after_sweep"] = stack.enter_context(progress.raised_later(options["after_sweep"]))
                return function(*arguments, **options)

        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default_of(row))
                for name, row in rows.items() if name not in explicit]
        checked.__signature__ = signature.replace(parameters=own + more)
        checked.__doc__ = _documented(function.__doc__, rows)
        return checked

    return decorate


def _unknown(function, name, names):
    elsewhere = {row: table.functions for table in _tables.values() if table.functions for row in table.rows}
    near = difflib.get_close_matches(name, [*names, *elsewhere], 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if near and near[0] not in names:
        hint = f"; {near[0]!r} is an option of {', '.join(elsewhere[near[0]])}"
    return f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}"


def default_of(row):
    """The default of an option as a value of Python."""
    text, kind = row["default"], row["kind"]
    if kind == "flag":
        return text == "yes" if text else None
    if kind in ("count", "whole"):
        return int(text)
    if kind == "real":
        return float(text)
    return text or None if kind in ("choice", "text") else None


def _documented(documentation, rows):
    lines = []
    for line in inspect.cleandoc(documentation or "").splitlines():
        if line.strip() != "{options}":
            lines.append(line)
            continue
        described = {name for line in lines for name in re.split(", *", line.partition("  ")[0]) if "  " in line}
        for name, row in rows.items():
            if name in described:
                continue
            values = f" ({', '.join(row['choices'])})" if row["choices"] else ""
            lines += textwrap.wrap(f"{name:<14}  {row['meaning']}{values}", 110, subsequent_indent=" " * 16)
    return "\n".join(lines)
