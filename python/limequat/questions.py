# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Questions about files: what they contain, whether they are intact, whether they agree; and conversion."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_int64
from typing import TYPE_CHECKING, Any, List, Literal, Optional, Sequence, Tuple, Union, overload

from limequat import structs
from limequat._library import call, path_bytes, reading_bytes, target_bytes, text_bytes, text_from
from limequat.answers import Findings, Judgement, Verification, parse
from limequat.arrays import region_text
from limequat.communicators import agreed, group_of
from limequat.errors import InvalidArgument
from limequat.extents import extents_of
from limequat.helpers import Helpers
from limequat.options import Options, takes
from limequat.transfer import warn_of

if TYPE_CHECKING:
    from limequat.annotations import Comm, Extents, Path, Target
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import ConvertOptions, DiagnoseOptions, DiffOptions, Limits, PlanRequest, Unpack, VerifyOptions


def formats() -> List[Answer]:
    """All formats: a list of ``name``, ``holds``, ``contents``, ``suffixes``, ``begins``."""
    return parse(text_from("lq_formats"))


def build_parts() -> List[Answer]:
    """What the library was built with: a list of ``name``, ``is_present``, ``note``, which gives the reason if it is absent."""
    return parse(text_from("lq_build_parts"))


def usable_cores() -> int:
    """The number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@takes("Limits")
def info(path: Path, *, comm: Optional[Comm] = None, **options: "Unpack[Limits]") -> Judgement:
    """The contents of the file ``path``: ``format``, ``complete``, ``records``, ``fields``, ``metadata``, ``findings``.

    {options}

    comm: a communicator or Grid; the call is then collective. Damage is described in ``findings``: the answer is true if none
    of them is an error. Raises NotFound, NoPermission, IoError, UnknownFormat.
    """
    group = group_of(comm)
    with agreed(group):
        path, how = reading_bytes(path), Options("Limits", options).over(group)
    return parse(text_from("lq_inspect", path, how), Judgement)


inspect = info


def _verify_all(paths: Sequence[Path], options: Any) -> List[Verification]:
    """As many files at a time as there are threads, which share cores and memory; progress counts files."""
    tell = options.get("progress")
    threads = options.get("threads") or usable_cores()
    at_once = max(1, min(threads, len(paths)))
    each = {**options, "progress": False, "threads": max(1, threads // at_once),
            "memory_bytes": options.get("memory_bytes", 4 << 30) // at_once}
    answers = []
    for answer in Helpers(at_once).map(lambda path: verify(path, **each), paths):
        answers.append(answer)
        if tell not in (None, True, False):  # bars are for single files
            tell(len(answers), len(paths))
    return answers


@overload
def verify(path: Path, *, comm: Optional[Comm] = ..., **options: "Unpack[VerifyOptions]") -> Verification: ...
@overload
def verify(path: Union[List[Path], Tuple[Path, ...]], *, comm: Optional[Comm] = ...,
           **options: "Unpack[VerifyOptions]") -> List[Verification]: ...


@takes("VerifyOptions")
def verify(path: Any, *, comm: Optional[Comm] = None, **options: "Unpack[VerifyOptions]") -> Any:
    """Checks structure, sizes, checksums and (for gauge fields) physics of the file ``path``, and locates damage.

    {options}

    physics may also be True (always) or False (never). comm: a communicator or Grid whose ranks share the work.
    Returns a :class:`Verification`, true if ``ok``: ``verdict`` ("sound", "consistent", "unproven", "damaged", ...),
    ``claims``, ``fields``, ``findings``; a damaged file is an answer, not an exception.

    A list or tuple of paths gives a list of answers in the same order. ``threads`` of them are verified at a time (by
    default one on each core), or, with comm, one after the other by all its ranks; progress counts files. What cannot be
    read raises its error, of several files that of the first in the list.
    """
    if isinstance(path, (list, tuple)):
        return _verify_all(path, options) if comm is None else [verify(one, comm=comm, **options) for one in path]
    is_sound, group = ctypes.c_int(), group_of(comm)
    with agreed(group):
        path, how = reading_bytes(path), Options("VerifyOptions", options).over(group)
    return parse(text_from("lq_verify", path, how, ctypes.byref(is_sound)), Verification)


@takes("DiagnoseOptions", verb="diagnose")
def diagnose(path: Path, **options: "Unpack[DiagnoseOptions]") -> Verification:
    """Reports in words what is wrong with the file ``path``: which reading of its bytes is a gauge field, and where it is damaged.

    {options}

    Returns a :class:`Verification`, true if ``ok``: ``ok``, ``verdict`` (sentences, one a line), ``remedy``, ``readings`` (best first, each
    with its evidence), ``grid`` (of the ranks that wrote the sites, if the checksum determines it), ``findings``. A
    wrong file is an answer, not an exception. Raises UnknownFormat (then give the lattice), InvalidArgument,
    NoSuchRecord, Unsupported, IoError.
    """
    is_ok = ctypes.c_int()
    return parse(text_from("lq_diagnose", reading_bytes(path), Options("DiagnoseOptions", options), ctypes.byref(is_ok)),
                 Verification)


@takes("Limits")
def validate(path: Path, **options: "Unpack[Limits]") -> Findings:
    """The rules of its format that the file ``path`` breaks: :class:`Findings`, a list that is true if the file conforms,
    that is, if no finding is an error.

    {options}
    """
    return parse(text_from("lq_validate", reading_bytes(path), Options("Limits", options)), Findings)


@takes("Limits")
def explain(path: Path, **options: "Unpack[Limits]") -> List[Answer]:
    """Every header byte of the file ``path``: a list of ``offset``, ``length``, ``name``, ``value``, ``section``.

    {options}
    """
    return parse(text_from("lq_explain", reading_bytes(path), Options("Limits", options)))


@takes("ConvertOptions")
def convert(source: Path, target: Target, *, comm: Optional[Comm] = None, **options: "Unpack[ConvertOptions]") -> Answer:
    """Converts any format to any other, in bounded memory, and verifies checksums in transit. Options as in :func:`write`:

    {options}

    comm: a communicator or Grid whose ranks share the work. Returns the report of the transfer. Warns (RuntimeWarning) of
    suspicious data in ``source``.
    """
    report = parse(text_from("lq_convert", *_conversion(source, target, comm, options)))
    warn_of(report)
    return report


def _conversion(source, target, comm, options):
    """(source, target, options) in C."""
    group = group_of(comm)
    with agreed(group):
        if "region" in options:
            options = {**options, "region": region_text(options["region"])}
        write, how = Options("WriteOptions", options), Options("ConvertOptions", options).over(group)
        how.struct.write = ctypes.addressof(how.keep(write).struct)
        return reading_bytes(source), target_bytes(target), how


@takes("ConvertOptions")
def export_virtual(source: Path, target: Target, *, comm: Optional[Comm] = None, **options: "Unpack[ConvertOptions]") -> None:
    """Writes a small HDF5 file with a dataset for each field of ``source``, whose numbers stay in ``source``: h5py and others
    read them there without a copy. The path of ``source`` is stored as an absolute path. Arguments as in :func:`convert`; only
    those of a new file are used. Readers that do not follow external data (VirtualiZarr, kerchunk) silently show zeros or
    NaN; use :func:`references` for these.

    {options}
    """
    call("lq_export_virtual", *_conversion(source, target, comm, options))


@takes("DiffOptions")
def diff(a: Path, b: Path, *, comm: Optional[Comm] = None, **options: "Unpack[DiffOptions]") -> Judgement:
    """Compares the fields of two files number by number, whatever their formats and precisions: all fields by name, or only
    the named one.

    {options}

    comm: a communicator or Grid whose ranks share the work.
    Returns ``same``, ``fields`` (that were compared), ``unpaired`` (that only one file has), ``largest_absolute``,
    ``largest_relative``, ``field``, ``site``, ``a``, ``b``, ``metadata``, ...; true if ``same``.
    """
    is_same, group = ctypes.c_int(), group_of(comm)
    with agreed(group):
        a, b, how = reading_bytes(a), reading_bytes(b), Options("DiffOptions", options).over(group)
    return parse(text_from("lq_diff", a, b, how, ctypes.byref(is_same)), Judgement)


@takes("PlanRequest")
def plan(lattice: Extents, processes: Extents, *, kind: Literal["gauge", "spinor", "propagator"] = "gauge",
         precision: Literal["single", "double"] = "double", colors: int = 3, spins: int = 4, reading: bool = False,
         folder: Optional[Path] = None, **options: "Unpack[PlanRequest]") -> Answer:
    """Predicts which rank would move which bytes of a file, by which strategy, and the time; nothing is read or written.

    lattice    extents x, y, z, t
    processes  ranks in each of these dimensions, any number
    kind, precision, colors, spins
               what a site of the file holds: "gauge", "spinor" or "propagator"; "single" or "double"
    reading    plan reading instead of writing
    folder     whose file system is used; default: the one of the profile
    {options}

    Returns ``chosen``, ``considered``, ``machine``, ... (docs/reference/json.md).
    """
    sites, ranks = extents_of(lattice, "lattice"), extents_of(processes, "processes")
    kinds, precisions = ("gauge", "spinor", "propagator"), {"single": 32, "double": 64}
    if kind not in kinds or precision not in precisions or len(sites) != len(ranks):
        raise InvalidArgument(f"plan: {kind!r}, {precision!r}, lattice {sites}, processes {ranks}; expected "
                              f"one of {', '.join(kinds)}, single or double, and as many processes as extents")
    field = structs.Field(kind=kinds.index(kind), precision=precisions[precision], colors=colors, spins=spins, is_complex=1)
    how = Options("PlanRequest", options)
    how.struct.reading = int(bool(reading))
    if folder is not None:
        how.struct.folder = how.keep(path_bytes(folder))
    numbers = c_int64 * len(sites)
    return parse(text_from("lq_plan", numbers(*sites), numbers(*ranks), len(sites), field, how))


def read_record(path: Path, type: str, index: int = 0) -> bytes:
    """The bytes of record number `index` (from 0) of that type in the file ``path``; raises NoSuchRecord."""
    pieces = []
    sink = structs.Sink(lambda data, count, context: pieces.append(ctypes.string_at(data, count)))
    call("lq_read_record", reading_bytes(path), text_bytes(type, "the type"), index, sink, None)
    return b"".join(pieces)


def metadata_of(answer):
    """The texts of a file or field as a dict; of texts with the same name only the first."""
    texts = {}
    for entry in answer.get("metadata", []):
        texts.setdefault(entry["name"], entry["text"])
    return texts
