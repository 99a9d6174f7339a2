# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files of references: written completely or not at all, and compared with the files that they name."""

from __future__ import annotations

import base64
import json
import os
import shutil
from typing import Any

from limequat._library import path_bytes
from limequat.answers import Answer, Judgement
from limequat.errors import Error, Exists, IoError, Malformed, NotFound
from limequat.needs import needed
from limequat.publishing import keep_private, kind_of, publish, require_no_data, sync_folder, temporary_name


FILES = "limequat_files"  # the attribute that lists the files
_PARQUET = (".parq", ".parquet")
_RECORD = 10000  # references in a file of parquet


def require_output(output, overwrite):
    """The path to be written, which must not exist, or be a file of references."""
    path = os.fsdecode(path_bytes(output))
    if os.path.lexists(path) and not overwrite:
        raise Exists(f"{path}: there is a file of this name already; choose another name, or replace it with overwrite=True", path=path)
    if os.path.isdir(path) and not os.path.isfile(os.path.join(path, ".zmetadata")):
        raise Exists(f"{path}: this is a folder, and not one of references; only those are replaced", path=path)
    require_no_data(path)
    return path


def save(found, path, overwrite, files):
    """Writes references to these files under a temporary name, which becomes `path` when they are complete."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        temporary = temporary_name(os.path.join(folder, os.path.basename(path)))
        os.mkdir(temporary, 0o700)
    except OSError as error:
        raise _unwritten(path, error) from None
    try:
        made = os.path.join(temporary, "references")
        (_save_parquet if path.endswith(_PARQUET) else _save_json)(found, made)
        keep_private(made, files)
        require_output(path, overwrite)
        if os.path.isdir(path):
            _replace_folder(made, path, os.path.join(temporary, "old"))
        elif os.path.isdir(made):
            os.rename(made, path)
        else:
            publish(made, path, overwrite)
        sync_folder(folder)
    except OSError as error:
        raise error if isinstance(error, Error) else _unwritten(path, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _replace_folder(made, path, old):
    os.rename(path, old)
    try:
        os.rename(made, path)
    except OSError:
        os.rename(old, path)
        raise


def _unwritten(path, error):
    return kind_of(error)(f"{path}: cannot write the references: {error.strerror}", path=path, errno=error.errno)


def _save_json(found, path):
    with open(path, "x", encoding="utf-8") as file:
        file.write(json.dumps(found))
        file.flush()
        os.fsync(file.fileno())


def _save_parquet(found, path):
    """Saves them in kerchunk's format: the metadata as JSON, and for each array tables of up to _RECORD chunks in C order."""
    arrow = needed("pyarrow", "references in parquet")
    parquet = needed("pyarrow.parquet", "references in parquet")
    metadata = {key: json.loads(value) for key, value in found["refs"].items()
                if key.rsplit("/", 1)[-1].startswith(".z")}
    tables = {}
    for key, value in found["refs"].items():
        if key not in metadata:
            tables.setdefault(key.rsplit("/", 1)[0], []).append(value)
    os.mkdir(path)
    for name, values in tables.items():
        os.mkdir(os.path.join(path, name))
        for record in range(0, len(values), _RECORD):
            part = values[record:record + _RECORD]
            # No column that has values for some rows only: readers take a missing one for a value.
            columns = ({"raw": [base64.b64decode(value[7:]) for value in part]} if isinstance(part[0], str) else
                       dict(zip(("path", "offset", "size"), map(list, zip(*part)))))
            target = os.path.join(path, name, f"refs.{record // _RECORD}.parq")
            parquet.write_table(arrow.table(columns), target, compression="zstd")
    with open(os.path.join(path, ".zmetadata"), "x", encoding="utf-8") as file:
        json.dump({"metadata": metadata, "record_size": _RECORD}, file)


def check_references(references: Any, *, storage_options: Any = None) -> Any:
    """Checks if the files that references name have changed since :func:`references` was called.

    references       the file (JSON), the folder (parquet), or the dict
    storage_options  of fsspec, for addresses that are not paths; for these only the size is compared

    Relative paths start at the current folder. Returns a dict, true if nothing changed: ``ok``, ``files`` (their number),
    ``changed`` (a list of ``path``, ``problem``). Raises NotFound, Malformed if they were not made by Limequat.
    """
    name, found = _loaded(references)
    try:
        facts = found[".zattrs"]
        files = json.loads((json.loads(facts) if isinstance(facts, str) else facts)[FILES])
        expected = [(str(one["path"]), int(one["size"]), int(one["mtime_ns"])) for one in files]
    except (KeyError, TypeError, ValueError):
        raise Malformed(f"{name}: these references do not name their source files ({FILES}); make them by "
                        "lq.references", path=name) from None
    problems = [(path, _change(path, size, mtime_ns, storage_options)) for path, size, mtime_ns in expected]
    changed = [Answer(path=path, problem=problem) for path, problem in problems if problem]
    return Judgement(ok=not changed, files=len(expected), changed=changed)


def _loaded(references):
    """(name, metadata by key) of references."""
    if isinstance(references, dict):
        return "the references", references.get("refs", references)
    path = os.fsdecode(path_bytes(references))
    is_folder = os.path.isdir(path)
    try:
        with open(os.path.join(path, ".zmetadata") if is_folder else path, encoding="utf-8") as file:
            whole = json.load(file)
        found = whole["metadata" if is_folder else "refs"]
        if isinstance(found, dict):
            return path, found
    except FileNotFoundError:
        raise NotFound(f"{path}: there are no such references", path=path) from None
    except OSError as error:
        raise IoError(f"{path}: cannot read the references: {error.strerror}", path=path, errno=error.errno) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise Malformed(f"{path}: this is not a file of references", path=path)


def _change(path, size, mtime_ns, storage_options):
    """How a file has changed, as a sentence; None: it has not."""
    if "://" in path:
        return _remote_change(path, size, storage_options)
    try:
        known = os.stat(path)
    except FileNotFoundError:
        return "it no longer exists"
    except OSError as error:
        return f"it cannot be examined: {error.strerror}"
    if known.st_size != size:
        return f"it has {known.st_size} bytes, before it had {size}"
    return None if known.st_mtime_ns == mtime_ns else "it was rewritten or replaced: its time stamp has changed"


def _remote_change(path, size, storage_options):
    fsspec = needed("fsspec", f"a check of {path}")
    try:
        system, inside = fsspec.core.url_to_fs(path, **(storage_options or {}))
        found = system.info(inside).get("size")
    except FileNotFoundError:
        return "it no longer exists"
    except Exception as error:  # of any library of any protocol
        return f"it cannot be examined: {type(error).__name__}"
    return None if found in (None, size) else f"it has {found} bytes, before it had {size}"
