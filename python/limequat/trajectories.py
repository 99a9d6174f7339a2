# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The number of a configuration in its Markov chain: from its texts, or otherwise its name, as in the catalogue of an ensemble."""

import functools
import os
import re

from limequat.questions import formats

_LARGEST = (1 << 63) - 1
_KEYS = r"trajectory(?:[ \t]+nr)?|SEQUENCE_NUMBER"
_LINE = re.compile(rf"(?:^|[,;])[ \t]*(?:{_KEYS})[ \t]*=[ \t]*([0-9]{{1,30}})[ \t]*(?=$|[,;\r])", re.MULTILINE)
_LEAF = re.compile(r"<trajectory>\s*([0-9]{1,30})\s*</trajectory>")


def trajectory_of(path, catalog, entry):
    """The number of the file ``path`` with that catalog, by the texts of the file, those of a field, or the name; or None."""
    for text in (*catalog.get("metadata", ()), *entry.get("metadata", ())):
        if text["name"] == "trajectory" and re.fullmatch(r"\s*[0-9]{1,30}\s*", text["text"]):
            found = text["text"]
        else:
            match = _LINE.search(text["text"]) or _LEAF.search(text["text"])
            found = match[1] if match else None
        if found is not None and int(found) <= _LARGEST:
            return int(found)
    return number_in(path)


def number_in(path):
    """The last number in the name of a file, apart from the suffix of its format; or None."""
    name = os.path.basename(os.fsdecode(path))
    numbers = re.findall("[0-9]+", name[:len(name) - len(_suffix_of(name))])
    return int(numbers[-1]) if numbers and int(numbers[-1]) <= _LARGEST else None


def natural(path):
    """A key that sorts names with numbers by these."""
    return [(int(part), part) if part[0] in "0123456789" else (-1, part)
            for part in re.split("([0-9]+)", os.fsdecode(path)) if part]


def _suffix_of(name):
    lower = name.lower()
    return max((suffix for suffix in suffixes() if len(name) > len(suffix) and lower.endswith(suffix)), key=len, default="")


@functools.lru_cache(maxsize=None)
def suffixes():
    """The suffixes of lattice files, and of the data of a raw description."""
    return {".h5", ".hdf5", ".raw.data", *(suffix for format in formats() for suffix in format["suffixes"])}
