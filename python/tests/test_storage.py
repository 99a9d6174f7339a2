# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a file system, and who is told of calls that do not return."""

import ctypes
import os

import pytest

import limequat as lq
from limequat import storage, structs


def test_a_file_system_is_described_as_the_system_does(tmp_path):
    found, truth = lq.file_system_of(tmp_path), os.statvfs(tmp_path)
    assert found.total_bytes == truth.f_blocks * truth.f_frsize
    assert found.block_bytes % 4096 == 0
    assert found.coherent in ("yes", "no", "unknown")
    assert lq.file_system_of("/proc").mount_point == "/proc"
    with pytest.raises(lq.NotFound):
        lq.file_system_of(tmp_path / "none" / "such")


def test_a_report_says_where_the_file_lies_and_what_was_done(tmp_path, links):
    found = lq.file_system_of(tmp_path)
    report = lq.write(tmp_path / "plain.ildg", links)
    assert report.storage.file_system == found.file_system
    assert report.storage.ranks == 1
    asked = lq.write(tmp_path / "striped.ildg", links, stripe_count=4, stripe_bytes=1 << 20, stripes_by_size=False)
    if found.stripe_control == "none":  # as of a disk
        assert (asked.storage.stripes.reason, asked.storage.stripes.refusal) == ("refused", os.strerror(95))


def test_a_stall_is_told_in_words_and_numbers():
    told = []
    lq.watch_stalls(1e6, told.append)
    stall = structs.Stall(ctypes.sizeof(structs.Stall), b"write", b"d/\xff", 4096, 1048576, 30.0,
                          b"waits for 30 s in write of 1048576 bytes at byte 4096 of d/\xff")
    storage._told(ctypes.pointer(stall), None)  # as the library calls it
    lq.watch_stalls(1, None)
    assert told == [lq.Stall("write", os.fsdecode(b"d/\xff"), 4096, 1048576, 30.0, os.fsdecode(stall.sentence))]
    assert str(told[0]).startswith("waits for 30 s in write of 1048576 bytes at byte 4096")


def test_seconds_of_a_watch_are_positive():
    with pytest.raises(lq.InvalidArgument):
        lq.watch_stalls(0, print)
