# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""How many threads are of use to this process."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
