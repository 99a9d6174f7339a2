# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Extents as numbers or as a text: [16, 16, 16, 32], "16x16x16x32"."""

import operator
import re

from limequat.errors import InvalidArgument


def extents_of(value, name):
    """The extents as a list of numbers; `name` is the name of the argument."""
    try:
        if isinstance(value, str) and re.fullmatch("[0-9]+(x[0-9]+)*", value):
            return [int(part) for part in value.split("x")]
        return [operator.index(number) for number in value]
    except TypeError:
        raise InvalidArgument(f"{name} is {value!r}, expected whole numbers in x, y, z, t order or a text such as "
                              "'8x8x8x16'", found=repr(value)) from None
