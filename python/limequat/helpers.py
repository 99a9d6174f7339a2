# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that do parts of a call, and end with it."""

import concurrent.futures
import threading

from limequat import structs
from limequat._library import _library


class Helpers:
    """Threads for the parts of one call. After an exception in it, such as KeyboardInterrupt, no further parts begin, and calls of the
    library in parts that have begun end early: the exception waits for them."""

    def __init__(self, count):
        self._ended = threading.Event()
        self._check = structs.InterruptCheck(lambda context: int(self._ended.is_set()))
        self._pool = concurrent.futures.ThreadPoolExecutor(count, initializer=lambda: _library.lq_check_interrupts(self._check, None))

    @property
    def is_over(self):
        """True if nobody waits for the parts any more: long ones of Python ask for it."""
        return self._ended.is_set()

    def map(self, work, items):
        """work(item) for each, in order."""
        try:
            yield from self._pool.map(work, items)
        finally:
            self._ended.set()
            self._pool.shutdown(cancel_futures=True)
