# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies, held against the bytes of their sources and, half done, against a record made by zlib and struct."""

import os
import struct
import zlib

import limequat as lq
import pytest


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "conf.dat"
    path.write_bytes(os.urandom(10000))
    return path


def test_one_file_and_several(source, tmp_path):
    report = lq.copy(source, tmp_path / "copy.dat")
    assert (tmp_path / "copy.dat").read_bytes() == source.read_bytes()
    assert report["bytes"] == report["moved_bytes"] == 10000
    report = lq.copy([source, tmp_path / "copy.dat"], tmp_path / "there", verify="read_back")
    assert sorted(os.listdir(tmp_path / "there")) == ["conf.dat", "copy.dat"]
    assert len(report["files"]) == 2


def test_what_is_there_stays(source, tmp_path):
    target = tmp_path / "copy.dat"
    lq.copy(source, target)
    with pytest.raises(lq.Exists):
        lq.copy(source, target)
    assert lq.copy(source, target, resume=True)["present_files"] == 1


def test_an_interrupted_copy_is_gone_on_with(source, tmp_path):
    data, block = source.read_bytes(), 3000
    head = b"LQCOPY01" + struct.pack("<QqQI", len(data), source.stat().st_mtime_ns, block, zlib.crc32(data[:4096]))
    record = head + struct.pack("<I", zlib.crc32(head))
    for number in (2, 0):
        entry = struct.pack("<QI", number, zlib.crc32(data[number * block:][:block]))
        record += entry + struct.pack("<I", zlib.crc32(entry))
    (tmp_path / ".copy.dat.lq-copied").write_bytes(record)
    (tmp_path / ".copy.dat.lq-copy").write_bytes(data[:block] + bytes(block) + data[2 * block:3 * block])
    report = lq.copy(source, tmp_path / "copy.dat", resume=True)
    assert report["moved_bytes"] == 4000
    assert (tmp_path / "copy.dat").read_bytes() == data
    assert sorted(os.listdir(tmp_path)) == ["conf.dat", "copy.dat"]


def test_what_cannot_be(source, tmp_path):
    with pytest.raises(lq.NotFound):
        lq.copy(tmp_path / "absent", tmp_path / "x")
    with pytest.raises(lq.InvalidArgument, match="folder"):
        lq.copy(tmp_path, tmp_path / "x")
    with pytest.raises(lq.InvalidArgument):
        lq.copy([], tmp_path / "x")
    with pytest.raises(lq.InvalidArgument):
        lq.copy(source, tmp_path / "x", block_bytes=0)
