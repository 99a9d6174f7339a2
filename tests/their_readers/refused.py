# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a reader of another project says where it does not take a file."""


class Refused(Exception):
    """The reader whose rule this is would raise here."""


def require(holds, why):
    if not holds:
        raise Refused(why)
