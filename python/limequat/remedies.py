# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of the library name an option as in C and C++, "options.overwrite = true"; here it becomes the keyword of a
call, "overwrite=True". `lq` does the same for its arguments (src/cli/remedy.cpp), and the verbs that are programs of this
package by :func:`in_arguments`."""

import re

_NAMED = re.compile(r"(?<=[ (])options\.([a-z_]+)(?: = ([\w:-]+))?")
_KEYWORD = re.compile(r"(?<=[ (])([a-z_]+)=True\b")
_VALUES = {"true": "True", "false": "False", "N": "N"}
_OF_GRIDS = ("idle_ranks",)  # keywords of Grid, which are in no table


def in_keywords(sentence):
    """The sentence with keyword arguments instead of members of structs."""
    return _NAMED.sub(_keyword, sentence) if "options." in sentence else sentence


def _keyword(found):
    from limequat import options  # which needs the library, whose errors come here
    name, value = found.groups()
    if name not in _OF_GRIDS and not options.is_option(name):  # a file may be called options.xml
        return found[0]
    if value is None:
        return name
    return f"{name}={_VALUES.get(value) or (value if value.isdigit() else repr(value))}"


def in_arguments(sentence):
    """The sentence with arguments of `lq`, "--overwrite", instead of keywords, "overwrite=True"."""
    return _KEYWORD.sub(lambda found: "--" + found[1].replace("_", "-"), sentence)
