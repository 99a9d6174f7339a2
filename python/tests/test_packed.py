# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compressed files and members of tar archives give what the files in them give; bombs and damage are refused in one sentence."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import pathlib
import resource
import shutil
import subprocess
import tarfile
import zlib

import numpy as np
import pytest
from range_server import serving

import limequat as lq
from limequat import packed


def zstd(data):
    program = shutil.which("zstd")
    if program is None:
        pytest.skip("no program zstd")
    return subprocess.run([program, "-cq"], input=data, stdout=subprocess.PIPE, check=True).stdout


PACK = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": zstd}


@pytest.fixture
def content(gauge_file):
    data = gauge_file.read_bytes()
    gauge_file.unlink()
    return data


def archive(path, mode, **members):
    with tarfile.open(path, mode) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name.replace("__", "."))
            info.size, info.mtime = len(data), 1_700_000_000
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("as_type", [str, pathlib.Path, os.fsencode])
def test_a_compressed_file_is_read_as_what_it_holds(tmp_path, content, links, kind, as_type):
    path = tmp_path / f"conf.ildg.{kind}"
    path.write_bytes(PACK[kind](content))
    name = as_type(path)
    assert np.array_equal(lq.read(name), links)
    assert lq.verify(name).verdict == "sound" and lq.info(name)["format"] == "ildg" and lq.validate(name)
    assert lq.explain(name) and lq.diff(name, name)
    with lq.open(name) as file:
        assert np.array_equal(file["gauge"][1:3], links[1:3])
    lq.convert(name, tmp_path / "copy.nersc")
    assert np.array_equal(lq.read(tmp_path / "copy.nersc"), links)
    assert sorted(os.listdir(tmp_path)) == [path.name, "copy.nersc"]


@pytest.mark.parametrize("suffix, mode", [("tar", "w"), ("tar.gz", "w:gz"), ("tgz", "w:gz"), ("tar.xz", "w:xz"), ("TAR.BZ2", "w:bz2")])
def test_a_member_of_an_archive_is_named_like_a_file_in_a_folder(tmp_path, content, links, suffix, mode):
    path = archive(tmp_path / f"ens.{suffix}", mode, **{"run/conf__1__ildg": content, "note__txt": b"text", "./b__ildg": content[:len(content) // 2]})
    assert np.array_equal(lq.read(path / "run" / "conf.1.ildg"), links)
    assert np.array_equal(lq.read(f"tar://run/conf.1.ildg::{path}"), links)
    assert lq.verify(f"{path}/run/conf.1.ildg").verdict == "sound"
    assert not lq.verify(path / "b.ildg")
    with pytest.raises(lq.NotFound, match=r"holds run/conf.1.ildg, note.txt, ./b.ildg: name one as"):
        lq.read(path)
    with pytest.raises(lq.NotFound, match='no "conf.2.ildg" in it'):
        lq.read(path / "conf.2.ildg")
    with pytest.raises(lq.Error, match="note.txt"):
        lq.read(path / "note.txt")


def test_of_two_members_of_one_name_the_last_counts_as_for_tar(tmp_path, content):
    for mode, name in (("w", "a.tar"), ("w:gz", "a.tgz")):
        path = tmp_path / name
        with tarfile.open(path, mode) as tar:
            for data in (b"old", content):
                info = tarfile.TarInfo("conf.ildg")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        assert lq.verify(path / "conf.ildg")
        assert lq.verify(path / "conf.ildg")


def test_what_is_no_regular_member_is_refused(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("folder", tarfile.DIRTYPE), ("pipe", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    for name in ("link", "hard", "folder", "pipe"):
        with pytest.raises(lq.InvalidArgument, match=name):
            lq.read(path / name)
    with pytest.raises(lq.NotFound, match="no file"):
        lq.read(path)


def test_several_streams_in_one_file_are_one_file(tmp_path, content, links):
    half = len(content) // 2
    for kind, pack in PACK.items():
        path = tmp_path / f"conf.ildg.{kind}"
        padding = b"\0" * 8 if kind in ("gz", "xz") else b""
        path.write_bytes(pack(content[:half]) + pack(content[half:]) + padding)
        assert np.array_equal(lq.read(path), links), kind


@pytest.mark.parametrize("kind", PACK)
def test_a_cut_or_changed_compressed_file_says_so(tmp_path, content, kind):
    data, path = PACK[kind](content), tmp_path / f"conf.ildg.{kind}"
    path.write_bytes(data[:len(data) // 2])
    with pytest.raises(lq.Truncated, match=rf"conf.ildg.{kind}: the compressed data end early"):
        lq.read(path)
    changed = bytearray(data)
    changed[len(data) // 2] ^= 0x10
    changed[-6] ^= 0x55
    path.write_bytes(changed)
    with pytest.raises(lq.Error, match=rf"conf.ildg.{kind}"):
        lq.verify(path)


def test_a_damaged_archive_says_so(tmp_path, content):
    path = archive(tmp_path / "a.tar", "w", conf__ildg=content)
    data = path.read_bytes()
    path.write_bytes(data[:len(content) // 2])
    with pytest.raises(lq.Truncated, match="ends within"):
        lq.read(path / "conf.ildg")
    path.write_bytes(b"x" * 2000)
    with pytest.raises(lq.Malformed, match="a.tar: the file is not a tar archive, or a damaged one"):
        lq.read(path / "conf.ildg")
    (tmp_path / "b.tgz").write_bytes(gzip.compress(data[:len(content) // 2]))
    with pytest.raises(lq.Error, match="b.tgz"):
        lq.read(tmp_path / "b.tgz" / "conf.ildg")


def test_names_alone_mean_nothing(tmp_path, content, links):
    (tmp_path / "conf.ildg.gz").write_bytes(content)  # not compressed
    assert np.array_equal(lq.read(tmp_path / "conf.ildg.gz"), links)
    os.makedirs(tmp_path / "folder.tar")
    (tmp_path / "folder.tar" / "conf.ildg").write_bytes(content)
    assert np.array_equal(lq.read(tmp_path / "folder.tar" / "conf.ildg"), links)
    with pytest.raises(lq.NotFound):
        lq.read(tmp_path / "none.ildg.gz")


def zeros_gz(count):
    """`count` MiB of zeros, compressed twice as well as gzip can."""
    packer, data = zlib.compressobj(9, zlib.DEFLATED, 31), []
    for _ in range(count):
        data.append(packer.compress(bytes(1 << 20)))
    return b"".join(data) + packer.flush()


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(packed, "_SMALL", 4 << 20)


def test_bombs_are_refused_before_they_burst(tmp_path, small_limit):
    (tmp_path / "bomb.ildg.gz").write_bytes(zeros_gz(16))
    (tmp_path / "bomb.ildg.xz").write_bytes(lzma.compress(bytes(16 << 20)))
    for name in ("bomb.ildg.gz", "bomb.ildg.xz"):
        with pytest.raises(lq.TooLarge, match=rf"{name}: its \d+ bytes become more than 200 times as many"):
            lq.verify(tmp_path / name)


def test_a_bomb_in_front_of_a_member_is_refused(tmp_path, content, small_limit):
    path = archive(tmp_path / "a.tgz", "w:gz", zeros=bytes(16 << 20), conf__ildg=content[:100])
    with pytest.raises(lq.TooLarge, match="a.tgz"):
        lq.read(path / "conf.ildg")


def test_a_name_of_gigabytes_is_refused(tmp_path):
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 31
    for name, pack in (("a.tar", bytes), ("a.tgz", gzip.compress)):
        (tmp_path / name).write_bytes(pack(info.tobuf(tarfile.GNU_FORMAT) + bytes(10240)))
        with pytest.raises(lq.TooLarge, match=rf"{name}.*2147483648 bytes"):
            lq.read(tmp_path / name / "conf.ildg")


def test_the_dictionary_of_a_hostile_header_is_not_allocated(tmp_path, content):
    path = tmp_path / "conf.ildg.xz"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path.write_bytes(_with_large_dictionary(lzma.compress(content)))
    with pytest.raises(lq.Malformed, match="conf.ildg.xz"):
        lq.read(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10


def _with_large_dictionary(data):
    """The dictionary of the first block becomes one of 3 GiB; the checksum of its header is made again."""
    head = bytearray(data)
    size = (head[12] + 1) * 4
    at = head.index(bytes([0x21, 0x01]), 12) + 2  # LZMA2, one byte of properties
    head[at] = 39
    head[12 + size - 4:12 + size] = zlib.crc32(bytes(head[12:12 + size - 4])).to_bytes(4, "little")
    return bytes(head)


def test_large_contents_wait_in_a_file_that_is_gone_afterwards(tmp_path, content, links, monkeypatch):
    monkeypatch.setattr(packed, "_KEPT_IN_MEMORY", 1000)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "room"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "room"))
    os.makedirs(tmp_path / "room")
    (tmp_path / "conf.ildg.gz").write_bytes(gzip.compress(content))
    assert np.array_equal(lq.read(tmp_path / "conf.ildg.gz"), links)
    assert os.listdir(tmp_path / "room") == []


def test_a_full_disk_says_which_folder(tmp_path, content, monkeypatch):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    monkeypatch.setattr(packed.tempfile, "SpooledTemporaryFile", lambda max_size: open("/dev/full", "wb", buffering=0))
    (tmp_path / "conf.ildg.gz").write_bytes(gzip.compress(content))
    with pytest.raises(lq.NoSpace, match="TMPDIR"):
        lq.read(tmp_path / "conf.ildg.gz")


def test_a_compressed_file_at_a_url(tmp_path, content, links):
    with serving(conf__ildg__gz=gzip.compress(content)) as (address, served):
        assert np.array_equal(lq.read(f"{address}/conf.ildg.gz"), links)
        assert lq.verify(f"{address}/conf.ildg.gz")
        lq.copy(f"{address}/conf.ildg.gz", tmp_path / "kept")  # a copy is the file as it is
    assert gzip.decompress((tmp_path / "kept").read_bytes()) == content


def test_only_what_reads_unpacks(tmp_path, content):
    path = tmp_path / "conf.ildg.gz"
    path.write_bytes(gzip.compress(content))
    lq.copy(path, tmp_path / "kept.gz")
    assert (tmp_path / "kept.gz").read_bytes() == path.read_bytes()
    with pytest.raises(lq.Error, match="gzip"):
        lq.repair(path)
    with contextlib.suppress(lq.Error):
        lq.protect(path)
    assert gzip.decompress(path.read_bytes()) == content


# lq

LQ = os.environ.get("LQ_PROGRAM") or shutil.which("lq")


def run(*words, at, given=None, code=0):
    """What lq prints, its messages behind it."""
    if LQ is None:
        pytest.skip("no program lq")
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(lq.__file__)), "TMPDIR": str(at / "room")}
    os.makedirs(at / "room", exist_ok=True)
    done = subprocess.run([LQ, *map(str, words)], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=at)
    assert done.returncode == code, done.stderr
    assert os.listdir(at / "room") == []
    return done.stdout, done.stderr.decode()


def test_lq_reads_compressed_files_and_members_by_their_names(tmp_path, content, links):
    (tmp_path / "conf.ildg.gz").write_bytes(gzip.compress(content))
    archive(tmp_path / "ens.tar", "w", **{"run/c__1__ildg": content})
    for name in ("conf.ildg.gz", "ens.tar/run/c.1.ildg"):
        for words in (["verify"], ["info"], ["ls"], ["validate"], ["explain"], ["dump", "--site", "0,0,0,0"]):
            shown, told = run(*words, name, at=tmp_path)
            assert words[0] in ("explain", "dump") or name in shown.decode(), (words, told)
    assert run("diff", "conf.ildg.gz", "ens.tar/run/c.1.ildg", at=tmp_path)
    run("convert", "conf.ildg.gz", "ens.tar/run/c.1.ildg", "out/", "--format", "nersc", at=tmp_path)
    assert np.array_equal(lq.read(tmp_path / "out" / "c.1.nersc"), links) and lq.verify(tmp_path / "out" / "conf.nersc")
    assert "name one as ens.tar/run/c.1.ildg" in run("verify", "ens.tar", at=tmp_path, code=3)[1]
    (tmp_path / "cut.ildg.xz").write_bytes(lzma.compress(content)[:-3000])
    assert "cut.ildg.xz: the compressed data end early" in run("verify", "cut.ildg.xz", at=tmp_path, code=3)[1]


@pytest.mark.parametrize("words", [["verify"], ["info"], ["ls"], ["validate"], ["explain"], ["dump", "--site", "0,0,0,0"], ["diff", "conf.ildg"],
                                   ["ildg", "check"]])
@pytest.mark.parametrize("how", ["-", "/dev/stdin", "fifo"])
def test_what_reads_reads_pipes(tmp_path, content, words, how):
    (tmp_path / "conf.ildg").write_bytes(content)
    if how == "fifo":
        os.mkfifo(tmp_path / "fifo")
        with subprocess.Popen(["sh", "-c", "cat conf.ildg > fifo"], cwd=tmp_path):
            assert run(*words, how, at=tmp_path)[0]
    else:
        assert run(*words, how, at=tmp_path, given=content)[0]


def test_what_writes_one_file_writes_to_pipes(tmp_path, content, links):
    (tmp_path / "conf.ildg").write_bytes(content)
    shown, told = run("convert", "conf.ildg", "-", "--format", "nersc", at=tmp_path)
    (tmp_path / "a.nersc").write_bytes(shown)
    assert lq.verify(tmp_path / "a.nersc") and np.array_equal(lq.read(tmp_path / "a.nersc"), links)
    assert "standard output: written from conf.ildg: nersc" in told
    assert run("convert", "-", "-", at=tmp_path, given=content)[0] == run("convert", "conf.ildg", "-", at=tmp_path)[0]
    squeezed = run("squeeze", "conf.ildg", "-", at=tmp_path)[0]
    assert run("unsqueeze", "-", "-", at=tmp_path, given=squeezed)[0] == content
    record = run("extract", "conf.ildg", "ildg-format", "-", at=tmp_path)[0]
    assert record == lq.read_record(tmp_path / "conf.ildg", "ildg-format")
    shown = run("generate", "-", "--lattice", "2x2x2x2", "--format", "ildg", at=tmp_path)[0]
    assert lq.verify(io.BytesIO(shown)).verdict == "sound"
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen(["cat", "fifo"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        run("convert", "conf.ildg", "fifo", "--format", "nersc", at=tmp_path)
        assert reader.stdout.read() == (tmp_path / "a.nersc").read_bytes()


def test_what_shows_the_data_of_files_writes_to_pipes_and_reads_none(tmp_path, content):
    (tmp_path / "conf.ildg").write_bytes(content)
    expected = lq.references(tmp_path / "conf.ildg")
    assert json.loads(run("export", "--references", "conf.ildg", "-o", "-", at=tmp_path)[0]) == expected
    os.mkfifo(tmp_path / "fifo")
    with subprocess.Popen(["cat", "fifo"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        run("export", "--references", "conf.ildg", "-o", "fifo", at=tmp_path)
        assert json.loads(reader.stdout.read()) == expected
    for kind in ("--references", "--virtual"):
        assert "has no place" in run("export", kind, "-", "-o", "out.h5", at=tmp_path, given=content, code=2)[1]
    if any(known["name"] == "hdf5" for known in lq.formats()):
        shown, told = run("export", "--virtual", "conf.ildg", "-o", "-", at=tmp_path)
        assert shown[:4] == b"\x89HDF" and len(shown) < len(content) and "standard output: shows the fields of conf.ildg" in told


def test_damage_is_not_passed_on(tmp_path, content):
    changed = bytearray(content)
    changed[len(content) // 2] ^= 1
    assert run("convert", "-", "-", "--format", "nersc", at=tmp_path, given=bytes(changed), code=1)[0] == b""


def test_a_full_pipe_is_an_error_and_a_reader_that_leaves_is_none(tmp_path, content):
    (tmp_path / "conf.ildg").write_bytes(content)
    if LQ is None or not os.path.exists("/dev/full"):
        pytest.skip("no program lq, or no /dev/full")
    done = subprocess.run([LQ, "convert", "conf.ildg", "-", "--format", "nersc"], stdout=open("/dev/full", "wb"), stderr=subprocess.PIPE, cwd=tmp_path)
    assert done.returncode == 4 and b"No space left" in done.stderr
    done = subprocess.run(["sh", "-c", f"{LQ} convert conf.ildg - --format nersc | head -c 10"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    assert len(done.stdout) == 10 and b"error" not in done.stderr
