# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The installed tree of a build, moved to where it was not installed, as strangers get it.
import pathlib
import shutil
import subprocess
import tempfile
import unittest


def run(*command, **options):
    """Its output; AssertionError with all that it said if it fails."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}:\n{done.stdout}")
    return done.stdout.strip()


class MovedTree(unittest.TestCase):
    """Installed into one folder, and moved to another."""

    @classmethod
    def install(cls, build, package):
        """`package`: a file of pkg-config that tells where the libraries are."""
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="limequat-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cmake", "--install", build, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)
        cls.libdir = next(cls.prefix.rglob(package)).parent.parent

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
