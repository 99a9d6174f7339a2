# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Signals that arrive while the library works: Ctrl-C ends the call, and what ends the process does so after it.

Python calls a handler between two lines of Python, and none are executed while the library works; an exception within
one of the library's callbacks would be lost. So signals are only recorded during a call. The library checks for them
some times a second. Their own handlers are then called, and an exception in one ends the call, which raises it again.

A function of Python that the library calls for data may wait for a server: handlers are called at once in its
``ended_by_signals`` block. An exception in one ends the block, the library gets an error, and the call raises the exception.

A request to end (``SIGTERM``, ``SIGHUP``: from batch systems, and from launchers that were interrupted by Ctrl-C) without a
handler ends the call in the same way, so that no incomplete file remains, and then ends the process.
"""

import contextlib
import os
import signal
import threading

_NAMES = ("SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGINT")
_NUMBERS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Ended(BaseException):
    """The request to end this process."""


def _end_process(number, frame):
    """The handler of a signal without a handler: it ends the process after the call."""
    raise _Ended(number)


class SignalArrived(BaseException):
    """Ends a function that the library called, because the handler of a signal raised an exception."""


class _Deferred:
    """A block in which handlers are deferred until :meth:`handle` calls them. For the main thread only, which alone receives
    signals; it has no effect in other threads, and within another such block."""

    def __init__(self):
        self._handlers, self._noted, self._failure, self._depth, self._raises = {}, {}, None, 0, False

    def __enter__(self):
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth += 1
        if self._depth > 1:
            return
        try:
            for number in _NUMBERS:
                handler = signal.getsignal(number)
                if handler == signal.SIG_DFL and number in _ENDING or callable(handler):
                    self._handlers[number] = handler
                    try:
                        signal.signal(number, self._note)
                    except ValueError:  # the main thread, but not of the main interpreter
                        del self._handlers[number]
        except BaseException:
            self._restore()
            raise

    def __exit__(self, *exception):
        if threading.current_thread() is not threading.main_thread():
            return
        if self._depth > 1:
            self._depth -= 1
            return
        handlers = self._restore()
        failure, self._failure = self._failure, None
        noted, self._noted = self._noted, {}
        try:
            for number, frame in noted.items():
                self._call(handlers[number], number, frame)
        except _Ended as ended:
            failure = ended
        finally:
            if isinstance(failure, _Ended):
                os.kill(os.getpid(), failure.args[0])  # the default action of the signal
            if failure is not None:
                raise failure

    is_within = property(lambda self: self._depth > 0, doc="whether the main thread is in a call of the library")

    def _restore(self):
        handlers, self._handlers, self._depth = self._handlers, {}, 0
        for number, handler in handlers.items():
            signal.signal(number, handler)
        return handlers

    @staticmethod
    def _call(handler, number, frame):
        (handler if callable(handler) else _end_process)(number, frame)

    def _note(self, number, frame):
        self._noted[number] = frame  # several of one kind are one, as always in Python
        if self._raises and self.handle(None):
            raise SignalArrived

    @contextlib.contextmanager
    def ended_by_signals(self):
        """A block that signals end with SignalArrived, within a function that the library calls in the main thread."""
        if threading.current_thread() is not threading.main_thread() or self._depth == 0:
            yield
            return
        self._raises = True
        try:
            if self.handle(None):
                raise SignalArrived
            yield
        finally:
            self._raises = False

    def handle(self, context):
        """Calls the handlers of signals that arrived; returns 1 if one of them raised an exception, which ends the call."""
        try:
            while self._noted and self._failure is None:
                number, frame = self._noted.popitem()
                self._call(self._handlers[number], number, frame)
        except BaseException as failure:
            self._failure = failure
        return int(self._failure is not None)


deferred = _Deferred()
