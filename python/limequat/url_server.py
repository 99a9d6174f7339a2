# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of a URL, or of a packed file, for the program lq, which requests them through its child's standard input and output.

    the child, first      ok SIZE MODIFIED COUNT\\n and the address as messages may show it, COUNT bytes
                          or  error CODE COUNT\\n and COUNT bytes of text
    the program           OFFSET COUNT\\n
    the child             ok COUNT\\n and COUNT bytes           or  error as above

CODE is a :class:`limequat.Code`. The child ends with its standard input.
"""

import signal
import sys

from limequat.errors import Code, Error
from limequat.sources import modified_of, opened, pieces_of, size_of


def main(words):
    """Serves the URL or packed file words[0]. Returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides when it is over
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    try:
        file = opened(words[0])
        size = size_of(file, file.address)
    except Exception as error:
        _refuse(answers, error)
        return 0
    with file:
        path = file.address.encode("utf-8", "surrogateescape")
        _say(answers, b"ok %d %d %d\n" % (size, modified_of(file), len(path)), path)
        for question in iter(questions.readline, b""):
            try:
                offset, count = map(int, question.split())
                file.seek(offset)
                data = b"".join(pieces_of(file, count))
            except Exception as error:
                _refuse(answers, error)
            else:
                _say(answers, b"ok %d\n" % len(data), data)
    return 0


def _refuse(answers, error):
    code = error.code if isinstance(error, Error) else Code.IO
    text = (str(error) if isinstance(error, (Error, ImportError)) else f"{type(error).__name__}: {error}").encode("utf-8", "replace")
    _say(answers, b"error %d %d\n" % (code, len(text)), text)


def _say(answers, *parts):
    for part in parts:
        answers.write(part)
    answers.flush()
