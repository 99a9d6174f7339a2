# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Packs files into a multifile and unpacks them, rewrites multifiles, and repairs damaged files."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Iterable, Optional

from limequat._library import call, path_bytes, reading_bytes, take_text, text_bytes
from limequat.answers import Judgement, parse
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.annotations import Path, Target
    from limequat.option_types import RepackOptions, Unpack


def _report(function, *arguments, options):
    text = ctypes.c_void_p()
    call(function, *arguments, Options("RepackOptions", options), ctypes.byref(text))
    return parse(take_text(text), Judgement)


@takes("RepackOptions", verb="pack")
def pack(path: Target, inputs: Iterable[Path], **options: "Unpack[RepackOptions]") -> Judgement:
    """Writes a multifile ``path`` with one logical file for each of the files ``inputs``.

    {options}

    Returns a dict: ``files`` written, ``streams``, ``bytes``, ``findings``; true if no finding is an error.
    """
    paths = [path_bytes(one) for one in inputs]
    return _report("lq_pack", path_bytes(path), (ctypes.c_char_p * len(paths))(*paths), len(paths), options=options)


@takes("RepackOptions", verb="unpack")
def unpack(path: Path, folder: Target, **options: "Unpack[RepackOptions]") -> Judgement:
    """Writes a file in ``folder`` for each record of the file ``path`` of any format, named after the record.

    {options}

    Returns a dict as :func:`pack`; ``findings`` say what is missing.
    """
    return _report("lq_unpack", path_bytes(path), path_bytes(folder), options=options)


@takes("RepackOptions", verb="extract")
def extract(path: Path, type: str, target: Target, *, index: int = 0, **options: "Unpack[RepackOptions]") -> Judgement:
    """Writes record number ``index`` of a ``type`` in the file ``path``, from 0, or the field of a checkpoint with that name, to
    the file ``target``.

    {options}

    Returns a dict as :func:`pack`.
    """
    return _report("lq_extract", reading_bytes(path), text_bytes(type, "the type"), index, path_bytes(target),
                   options=options)


@takes("RepackOptions", verb="defrag")
def defragment(source: Path, target: Target, **options: "Unpack[RepackOptions]") -> Judgement:
    """Writes the multifile ``source`` as one physical file ``target`` with one chunk for each task; a checkpoint stays one.

    {options}

    Returns a dict as :func:`pack`.
    """
    return _report("lq_defragment", path_bytes(source), path_bytes(target), options=options)


@takes("RepackOptions", verb="repair")
def repair(path: Path, output: Optional[Target] = None, **options: "Unpack[RepackOptions]") -> Judgement:
    """Repairs a damaged file; ``path`` is not changed, unless ``output`` is omitted.

    {options}

    It can correct headers, texts, single bytes of data that the checksums locate, and checksums that others prove; if data
    end early, the whole time slices are rescued. Returns a dict whose ``findings`` say what was done (severity "warning")
    and what is lost, damaged or unproven ("error"), and whose ``verdict`` is the verdict of the result; it is true if
    nothing is left to repair.
    ``needed`` is False for an intact file: then nothing is written. ``output`` may be omitted for checkpoints and
    interrupted appends, which are repaired in place.
    """
    return _report("lq_repair", path_bytes(path), None if output is None else path_bytes(output), options=options)
