# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies, held against the bytes of their sources and, half done, against a record made by zlib and struct."""

import hashlib
import os
import struct
import subprocess
import sys
import zlib

import limequat as lq
import numpy as np
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


def digests(folder):
    """What sha256sum prints, by name."""
    names = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("manifest-")]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in names}


def listed(manifest):
    return {line[66:]: line[:64] for line in manifest.read_text().splitlines()}


def test_a_manifest_of_the_copies(source, tmp_path):
    (tmp_path / "run" / "deep").mkdir(parents=True)
    lq.write(tmp_path / "run" / "deep" / "conf.ildg", np.zeros((2, 2, 2, 2, 4, 3, 3), complex) + np.eye(3))
    for target, folder in ((tmp_path / "new", tmp_path / "new"), (f"{tmp_path}/into/", tmp_path / "into" / "run")):
        report = lq.copy(tmp_path / "run", target, recursive=True, manifest="sha256")
        assert report.manifest == str(folder / "manifest-sha256.txt")
        assert listed(folder / "manifest-sha256.txt") == digests(folder) == digests(tmp_path / "run")
    lq.copy([source, tmp_path / "run" / "deep" / "conf.ildg"], tmp_path / "both", manifest="sha256")
    assert sorted(listed(tmp_path / "both" / "manifest-sha256.txt")) == ["conf.dat", "conf.ildg"]
    assert "manifest" not in lq.copy(tmp_path / "run", tmp_path / "dry", recursive=True, manifest="sha256", dry_run=True)
    with pytest.raises(lq.InvalidArgument, match="needs a folder"):
        lq.copy(source, tmp_path / "x.dat", manifest="sha256")
    with pytest.raises(lq.InvalidArgument, match="crc32"):
        lq.copy(source, tmp_path / "x.dat", manifest="crc32")
    assert not (tmp_path / "x.dat").exists()


@pytest.mark.parametrize("by", ["python", "lq"])
def test_a_manifest_that_is_copied_is_compared(source, tmp_path, by):
    def copied(target):
        if by == "python":
            try:
                return not lq.copy(tmp_path / "bag", target, recursive=True, manifest="sha256")["findings"]
            except lq.ChecksumError as error:
                assert "the copies disagree with the manifest: changed: data/conf.dat" in str(error)
                return False
        done = subprocess.run([os.environ["LQ_PROGRAM"], "copy", "-r", tmp_path / "bag", target, "--manifest", "sha256"],
                              capture_output=True, text=True, env={**os.environ, "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]})
        assert done.returncode in (0, 1), done.stderr
        assert done.returncode == 0 or "data/conf.dat: changed" in done.stdout
        return done.returncode == 0

    (tmp_path / "bag" / "data").mkdir(parents=True)
    source.rename(tmp_path / "bag" / "data" / "conf.dat")
    lq.manifest(tmp_path / "bag", bag=True)
    assert copied(tmp_path / "good") and (tmp_path / "good" / "bagit.txt").exists()
    data = bytearray((tmp_path / "bag" / "data" / "conf.dat").read_bytes())
    data[5000] ^= 1
    (tmp_path / "bag" / "data" / "conf.dat").write_bytes(data)  # since the manifest was made
    assert not copied(tmp_path / "bad")
