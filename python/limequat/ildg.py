# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of the International Lattice Data Grid: QCDml documents, rules, logical file names."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Optional

from limequat._library import path_bytes, text_from
from limequat.answers import Judgement, Verification, parse
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.annotations import Path
    from limequat.option_types import QcdmlOptions, Unpack

__all__ = ["check", "document", "lfn"]


@takes("QcdmlOptions")
def document(path: Path, **options: "Unpack[QcdmlOptions]") -> Judgement:
    """The QCDml document of the configuration in the file ``path``.

    {options}

    Returns a dict: ``text`` (XML), ``schema``, ``cksum`` (of ``file`` and ``data``), and ``missing``, the elements that hold
    placeholders because no text was given; true if there are none. Raises NotFound, Unsupported (not a gauge field), InvalidArgument.
    """
    return parse(text_from("lq_ildg_document", path_bytes(path), Options("QcdmlOptions", options)), Judgement)


@takes("QcdmlOptions")
def check(path: Path, document: Optional[Path] = None, **options: "Unpack[QcdmlOptions]") -> Verification:
    """Compares a document (path of an XML file) with the rules of its schema and with the file; without one, checks the file
    against the requirements of ILDG.

    {options}

    Returns a :class:`Verification`, true when ``ok``: ``schema``, ``cksum``, ``findings``.
    """
    is_ok = ctypes.c_int()
    given = None if document is None else path_bytes(document)
    return parse(text_from("lq_ildg_check", path_bytes(path), given, Options("QcdmlOptions", options), ctypes.byref(is_ok)),
                 Verification)


@takes("QcdmlOptions")
def lfn(path: Path, **options: "Unpack[QcdmlOptions]") -> Judgement:
    """The logical file name in the file ``path``.

    {options}

    Returns a dict: ``lfn`` (None if there is none) and ``findings``, problems with it; true if none of them is an error.
    """
    return parse(text_from("lq_ildg_lfn", path_bytes(path), Options("QcdmlOptions", options)), Judgement)
