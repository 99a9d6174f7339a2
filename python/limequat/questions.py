# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Questions to files: what is in them, are they whole, do they agree; and conversion."""

import ctypes

from limequat import structs
from limequat._library import call, options, path_bytes, take_text, text_from
from limequat.answers import Verification, parse
from limequat.errors import InvalidArgument
from limequat.transfer import write_options

_PHYSICS = {None: 0, True: 1, False: 2}


def formats():
    """The formats there are: a list of ``name``, ``holds``, ``contents``, ``suffixes``, ``begins``."""
    return parse(text_from("lq_formats"))


def info(path):
    """What is in a file: ``format``, ``complete``, ``records``, ``fields``, ``metadata``, ``findings``.

    Damage is described in ``findings``. Raises NotFound, NoPermission, IoError, UnknownFormat.
    """
    return parse(text_from("lq_inspect", path_bytes(path), None))


inspect = info


def verify(path, *, physics=None):
    """Checks structure, sizes, checksums and (for gauge fields) physics; says where damage is.

    physics  None: when the field fits in memory; True: always; False: never
    Returns a :class:`Verification`, true when ``ok``; a damaged file is an answer, not an exception.
    """
    if physics not in _PHYSICS:
        raise InvalidArgument(f"physics is {physics!r}, expected None, True or False")
    how = options(structs.VerifyOptions, physics=_PHYSICS[physics])
    is_sound = ctypes.c_int()
    return parse(text_from("lq_verify", path_bytes(path), ctypes.byref(how), ctypes.byref(is_sound)), Verification)


def repair(path, output=None, *, force=False, dry_run=False):
    """A whole file of one that is damaged; ``path`` stays as it is.

    What can be put right is: headers, texts, single bytes of data that the checksums locate, checksums that are missing;
    of data that end early the whole time slices are rescued. Returns a dict whose ``findings`` tell what was done
    (severity "warning") and what is left ("error"). ``output`` may be left out for a checkpoint only; ``dry_run`` writes
    nothing. Raises WrongState when there is nothing to repair.
    """
    text = ctypes.c_void_p()
    call("lq_repair", path_bytes(path), None if output is None else path_bytes(output), int(bool(force)),
         int(bool(dry_run)), ctypes.byref(text))
    return parse(take_text(text))


def validate(path):
    """The rules of its format that a file breaks, as a list of findings; empty when there are none."""
    return parse(text_from("lq_validate", path_bytes(path), None))


def explain(path):
    """Every header byte of a file: a list of ``offset``, ``length``, ``name``, ``value``, ``section``."""
    return parse(text_from("lq_explain", path_bytes(path), None))


def convert(source, target, *, format=None, precision=None, metadata=None, verify="checksum", force=False,
            dry_run=False):
    """Any format to any, in bounded memory, checksums verified on the way. Options as in :func:`write`.

    dry_run  check everything, write nothing
    Returns the report of the transfer.
    """
    write, keep = write_options(format, precision, metadata, verify, force)
    how = options(structs.ConvertOptions, write=ctypes.pointer(write), dry_run=int(dry_run))
    text = text_from("lq_convert", path_bytes(source), path_bytes(target), ctypes.byref(how))
    del keep
    return parse(text)


def diff(a, b, *, tolerance=0.0, field=None, index=0):
    """Compares two fields number by number, whatever their formats and precisions.

    Returns ``same``, ``largest_absolute``, ``largest_relative``, ``site``, ``a``, ``b``, ``metadata``, ...
    """
    how = options(structs.DiffOptions, tolerance=float(tolerance), field=field.encode() if field else None,
                  index=index)
    is_same = ctypes.c_int()
    return parse(text_from("lq_diff", path_bytes(a), path_bytes(b), ctypes.byref(how), ctypes.byref(is_same)))


def read_record(path, type, index=0):
    """The bytes of record number `index` (from 0) of that type; raises NoSuchRecord."""
    pieces = []
    sink = structs.Sink(lambda data, count, context: pieces.append(ctypes.string_at(data, count)))
    call("lq_read_record", path_bytes(path), type.encode(), index, sink, None)
    return b"".join(pieces)


def metadata_of(answer):
    """The texts of a file or field as a dict; of texts with the same name the first."""
    texts = {}
    for entry in answer.get("metadata", []):
        texts.setdefault(entry["name"], entry["text"])
    return texts
