# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are killed while they give names to files."""

import os
import signal

CHANGES = ("link", "replace", "rename", "unlink", "fsync")


def is_killed(work, number):
    """Runs `work` in a child process that is killed before its change of that number; False: it ended before."""
    child = os.fork()
    if child == 0:
        count = 0

        def dying(change):
            def changed(*arguments, **options):
                nonlocal count
                count += 1
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                return change(*arguments, **options)
            return changed

        status = 1
        try:
            for name in CHANGES:
                setattr(os, name, dying(getattr(os, name)))
            work()
            status = 0
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)
