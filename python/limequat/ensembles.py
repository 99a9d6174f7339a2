# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""An ensemble at a glance: a catalogue of lattice files in one SQLite file, searched, verified again, shown as a page."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, List, Union

from limequat._library import call, path_bytes, take_text, text_bytes, text_from
from limequat.answers import Answer, Judgement, Verification, parse
from limequat.display import table
from limequat.needs import needed
from limequat.options import Options, takes
from limequat.unpacking import require_unpacking

if TYPE_CHECKING:
    from limequat.annotations import Paths, Target
    from limequat.option_types import CatalogueOptions, Unpack, VerifyOptions

_SHOWN = ("path", "format", "lattice", "precision", "trajectory", "plaquette", "state")


class Files(List[Answer]):
    """Files of a catalogue: a list of dicts, and a table in notebooks.

    Each has ``path``, ``format``, ``kind``, ``lattice`` ("8x8x8x16"), ``precision``, ``group``, ``size`` (bytes), ``fields``,
    ``checksum``, ``cksum``, ``plaquette``, ``link_trace``, ``trajectory``, ``series``, ``state``, ``modified``, ``indexed``, ``verified``
    (UTC), and ``properties``, a dict of the facts in its texts. Unknown values are None.
    """

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each file; properties are separate columns, called ``properties.NAME``."""
        pandas = needed("pandas", "to_pandas()")
        rows = [{**{name: value for name, value in one.items() if name != "properties"},
                 **{f"properties.{name}": value for name, value in one["properties"].items()}} for one in self]
        return pandas.DataFrame(rows)

    def _repr_html_(self) -> str:
        most = 100
        rows = [[("" if one[name] is None else one[name]) for name in _SHOWN] for one in self[:most]]
        more = f", the first {most}" if len(self) > most else ""
        return table(f"{len(self)} files{more}", _SHOWN, rows)


def _paths(folders):
    paths = [path_bytes(one) for one in ([folders] if isinstance(folders, (str, bytes, os.PathLike)) else folders)]
    return (ctypes.c_char_p * len(paths))(*paths), len(paths)


@takes("CatalogueOptions", verb="index")
def index(folders: Paths = (), **options: "Unpack[CatalogueOptions]") -> Judgement:
    """Searches folders (a path or several) and all folders below for lattice files, and stores the facts in their headers in the catalogue.

    {options}

    Files with unchanged size and time stamp are not read again; without folders those of before are indexed.
    Returns a dict, true if no file is missing or damaged: ``db``, ``files``, ``added``, ``changed``, ``unchanged``,
    ``missing``, ``damaged``, ..., ``being_written``, ``leftovers``, ``strangers`` (a list of ``path``, ``what``), ``warnings``, and the
    ``assessment`` that :func:`assess` returns. Raises NotFound, Malformed (the catalogue is
    damaged), Unsupported (it is of a later version, or there is no SQLite), IoError (it is locked), NoPermission, NoSpace.
    """
    paths, count = _paths(folders)
    text = ctypes.c_void_p()
    require_unpacking()
    call("lq_index", paths, count, Options("CatalogueOptions", options), ctypes.byref(text))
    return parse(take_text(text), Judgement)


@takes("CatalogueOptions", verb="find")
def find(expression: str = "", **options: "Unpack[CatalogueOptions]") -> Files:
    """The files of the catalogue that match an expression such as ``"beta=6.0 trajectory>=1000 not damaged"``; all without one.

    {options}

    Returns :class:`Files`, a list of dicts; ``.to_pandas()`` makes a DataFrame of it. Raises InvalidArgument (with the position
    of a syntax error, or a name that no file has and a similar one), NotFound (there is no catalogue), and what :func:`index` raises.
    """
    files = parse(text_from("lq_find", text_bytes(expression, "the expression"), Options("CatalogueOptions", options)))["files"]
    for one in files:
        one["properties"] = {entry["name"]: entry["value"] for entry in reversed(one["properties"])}
    return Files(files)


@takes("CatalogueOptions", verb="scrub")
def scrub(files: "Union[str, os.PathLike[str], None]" = None, **options: "Unpack[CatalogueOptions]") -> Verification:
    """Verifies the files of the catalogue that are due, and distinguishes bit rot from replaced files. ``files`` is another name
    of the option ``which``, which may come first: ``lq.scrub("b600/r0", since="30d")``.

    {options}

    Returns a :class:`Verification`, true if ``ok``: ``due``, ``sound``, ``consistent``, ``replaced``, ``bit_rot``, ``damaged``,
    ``unproven``, ``incomplete``, ``missing``, ``unreadable``, and ``failed``, a list with ``path``, ``verdict``, ``sentence``,
    ``verification``. Raises what :func:`find` raises.
    """
    is_ok = ctypes.c_int()
    if files is not None:
        options["which"] = os.fspath(files)
    require_unpacking()
    return parse(text_from("lq_scrub", Options("CatalogueOptions", options), ctypes.byref(is_ok)), Verification)


@takes("VerifyOptions")
def verify_below(paths: Paths, **options: "Unpack[VerifyOptions]") -> Judgement:
    """Verifies the lattice files below ``paths`` (one or several folders, or files) as ``lq verify -r`` does.

    {options}

    Returns a dict, true if ``ok``, that is, if ``lq verify -r`` exits with 0: ``summary`` (the number of files with each
    verdict), ``files`` (a :class:`Verification` for each that should be a lattice file; files that cannot be verified, and
    files of the catalogue that no longer exist, have a ``problem``), ``strangers`` (files of other
    programs). One process reads ``threads`` files at a time. Raises InvalidArgument.
    """
    paths, count = _paths(paths)
    is_ok, text = ctypes.c_int(), ctypes.c_void_p()
    require_unpacking()
    call("lq_verify_below", paths, count, Options("VerifyOptions", options), ctypes.byref(is_ok), ctypes.byref(text))
    answer = parse(take_text(text), Judgement)
    answer["files"] = [Verification(one) for one in answer["files"]]
    return answer


@takes("CatalogueOptions", only=("db",))
def assess(**options: "Unpack[CatalogueOptions]") -> Judgement:
    """Reports what stands out among the files of the catalogue.

    {options}

    Returns a dict, true if nothing does: ``duplicates`` (``checksum``, ``paths``), ``gaps`` in trajectory numbers (``series``, ``first``, ``last``, ``step``, ``count``,
    ``missing``), ``outliers`` of the plaquette (``path``, ``series``, ``plaquette``, ``median``, ``deviation``), and ``remarks``
    about anything else (``rule``, ``series``, ``paths``, ``sentence``).
    """
    return parse(text_from("lq_assess", Options("CatalogueOptions", options)), Judgement)


@takes("CatalogueOptions", verb="report")
def report_page(folders: Paths, page: Target, **options: "Unpack[CatalogueOptions]") -> Answer:
    """Updates the catalogue, and writes one HTML page about the files of folders (none: all of the catalogue).

    {options}

    If there is no catalogue, none is stored. Returns a dict: ``path``, ``files``, ``bytes``, ``seconds``. Raises Exists, and what
    :func:`index` raises.
    """
    paths, count = _paths(folders)
    text = ctypes.c_void_p()
    require_unpacking()
    call("lq_report_page", paths, count, path_bytes(page), Options("CatalogueOptions", options), ctypes.byref(text))
    return parse(take_text(text))
