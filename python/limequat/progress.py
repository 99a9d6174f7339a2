# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Progress bars for long operations: on a terminal and in notebooks only."""

import contextlib
import functools
import sys
import time
import warnings

from limequat import _library
from limequat.needs import loaded

_DELAY = 0.5  # seconds: what is over sooner shows no bar
_WIDTH = 40


@contextlib.contextmanager
def shown(title, wanted=None):
    """The function of (done, total) that the library calls to report progress, or None. ``wanted``: the caller's function,
    True (a bar), False (none), None (a bar on a terminal and in notebooks)."""
    if callable(wanted) or wanted not in (None, True, False):
        with raised_later(wanted) as tell:
            yield tell
        return
    if wanted is False or (wanted is None and not _is_interactive()):
        yield None
        return
    bar = _bar(title)
    try:
        with raised_later(bar.tell) as tell:
            yield tell
    finally:
        bar.close()


@contextlib.contextmanager
def raised_later(function):
    """The function for the library to call. No exception can pass through C: an exception in it, including an interrupt from the
    keyboard, ends the operation on all ranks and is then raised again."""
    if not callable(function):  # it is refused with the other options, by all ranks
        yield function
        return
    failures = []

    @functools.wraps(function, assigned=())
    def told(*arguments):
        try:
            function(*arguments)
        except BaseException as failure:
            failures.append(failure)
            _library.stop()

    try:
        yield told
    finally:  # instead of the library's error, which says that the work was cancelled
        if failures:
            raise failures[0]


def _is_interactive():
    """True if this is a notebook, or if stderr is a terminal."""
    return _is_notebook() or bool(getattr(sys.stderr, "isatty", lambda: False)())


def _is_notebook():
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _place():
    """The stream for text bars: notebooks show stderr in a red box."""
    return sys.stdout if _is_notebook() else sys.stderr


def _bar(title):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets, the bar in a notebook is text
            tqdm = loaded("tqdm.auto").tqdm
    except ImportError:
        return _PlainBar(title)
    return _TqdmBar(tqdm, title)


class _TqdmBar:
    """A bar of tqdm, which is created when the operation has lasted a while."""

    def __init__(self, tqdm, title):
        self._make, self._title, self._bar, self._begin = tqdm, title, None, time.monotonic()

    def tell(self, done, total):
        """Moves the bar."""
        if self._bar is None:
            if time.monotonic() - self._begin < _DELAY:
                return
            self._bar = self._make(total=100, desc=self._title, bar_format="{desc}: {percentage:3.0f}% |{bar}| {elapsed}",
                                   leave=False, file=_place())
        self._bar.update(100 * done / max(total, 1) - self._bar.n)

    def close(self):
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()


class _PlainBar:
    """A line on stderr, redrawn repeatedly, and erased at the end."""

    def __init__(self, title):
        self._title, self._begin, self._percent = title, time.monotonic(), -1

    def tell(self, done, total):
        """Moves the bar."""
        percent = min(100, 100 * done // max(total, 1))
        if percent == self._percent or time.monotonic() - self._begin < _DELAY:
            return
        self._percent = percent
        full = "#" * (percent * _WIDTH // 100)
        print(f"\r{self._title}: {percent:3}% |{full:<{_WIDTH}}|", end="", file=_place(), flush=True)

    def close(self):
        """Removes the bar."""
        if self._percent >= 0:
            print("\r" + " " * (len(self._title) + _WIDTH + 10) + "\r", end="", file=_place(), flush=True)
