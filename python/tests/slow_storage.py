# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A storage so slow that a program is at its work when a signal comes, however fast or busy the machine is."""

import os
import shutil
import subprocess
import time

import pytest

# Loaded into `lq`. From the LQ_SLOW_AFTER-th call on each one takes 20 ms, and the file LQ_SLOW_BEGUN appears. Launchers inherit the
# environment, but are not slowed down.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
static int calls;
static int is_slow(void) {
  static int after = -1;
  if (after < 0) {
    const char* text = getenv("LQ_SLOW_AFTER");
    after = text != NULL && (strncmp(program_invocation_short_name, "lq", 2) == 0 || strncmp(program_invocation_short_name, "python", 6) == 0) ? atoi(text) : 0;
  }
  return after > 0 && __sync_add_and_fetch(&calls, 1) >= after;
}
static void wait_a_little(int file) {
  struct stat status;
  const int reason = errno;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_slow()) {
    const int begun = open(getenv("LQ_SLOW_BEGUN"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (begun >= 0) close(begun);
    usleep(20000);
  }
  errno = reason;
}
#define DEFINE(result, name, parameters, file, ...) \
  result name parameters { \
    static result(*real) parameters; \
    if (real == NULL) real = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    wait_a_little(file); \
    return real(__VA_ARGS__); \
  }
DEFINE(ssize_t, read, (int f, void* b, size_t n), f, f, b, n)
DEFINE(ssize_t, write, (int f, const void* b, size_t n), f, f, b, n)
DEFINE(ssize_t, pread, (int f, void* b, size_t n, off_t at), f, f, b, n, at)
DEFINE(ssize_t, pread64, (int f, void* b, size_t n, off64_t at), f, f, b, n, at)
DEFINE(ssize_t, pwrite, (int f, const void* b, size_t n, off_t at), f, f, b, n, at)
DEFINE(ssize_t, pwrite64, (int f, const void* b, size_t n, off64_t at), f, f, b, n, at)
DEFINE(ssize_t, preadv, (int f, const struct iovec* v, int n, off_t at), f, f, v, n, at)
DEFINE(ssize_t, preadv64, (int f, const struct iovec* v, int n, off64_t at), f, f, v, n, at)
DEFINE(ssize_t, pwritev, (int f, const struct iovec* v, int n, off_t at), f, f, v, n, at)
DEFINE(ssize_t, pwritev64, (int f, const struct iovec* v, int n, off64_t at), f, f, v, n, at)
DEFINE(ssize_t, copy_file_range, (int f, off64_t* i, int to, off64_t* o, size_t n, unsigned how), to, f, i, to, o, n, how)
"""


class SlowStorage:
    def __init__(self, folder):
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler")
        self.library, self.begun = folder / "slow.so", folder / "begun"
        (folder / "slow.c").write_text(SOURCE)
        subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", self.library, folder / "slow.c", "-ldl"], check=True)

    def start(self, words, after, **options):
        """The program, after so many calls, of which more follow than a test can wait for."""
        self.begun.unlink(missing_ok=True)
        environment = {**os.environ, "LD_PRELOAD": str(self.library), "LQ_SLOW_AFTER": str(after), "LQ_SLOW_BEGUN": str(self.begun)}
        program = subprocess.Popen(words, env=environment, **options)
        deadline = time.monotonic() + 120
        while not self.begun.exists():
            if program.poll() is not None or time.monotonic() > deadline:
                program.kill()
                raise AssertionError(f"{words}: not at work: {program.communicate()}")
            time.sleep(0.01)
        return program
