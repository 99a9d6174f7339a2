# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Multifiles from Python."""

import io

import limequat as lq
import numpy as np
import plain_lime
import pytest


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sion"


def write(path, **options):
    with lq.multifile.create(path, tasks=4, **options) as m:
        for task in range(4):
            m[task].write(np.arange(1000 * task, dtype=np.float64))


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_what_is_written_is_read(path, compression):
    write(path, compression=compression)
    with lq.multifile.open(path) as m:
        assert m.tasks == len(m) == 4
        for task, stream in enumerate(m):
            assert stream.size == 8000 * task
            assert np.array_equal(np.frombuffer(stream.read()), np.arange(1000 * task))
        assert m[-1].size == m[3].size
        with pytest.raises(IndexError):
            m[4]
    assert m.info["compression"] == (compression or "none")


def test_streams_are_files(path):
    with lq.multifile.create(path) as m:
        for step in range(500):
            m[0].write(f"step {step}\n")
    with lq.multifile.open(path) as m:
        assert [line for line in io.TextIOWrapper(io.BufferedReader(m[0]))][499] == "step 499\n"
        stream = m[0]
        stream.seek(5)
        assert stream.read(1) == b"0" and stream.tell() == 6
        assert stream.seek(0, io.SEEK_END) == stream.size and stream.read() == b""


def test_sets_grow(path):
    write(path)
    with lq.multifile.append(path, tasks=5) as m:
        assert m[1].size == 8000 and m[4].task == 4
        m[1].write(b"more")
        m[4].write(b"new")
    with lq.multifile.open(path) as m:
        assert m.tasks == 5 and m[1].read()[-4:] == b"more" and m[4].read() == b"new"


def test_an_exception_leaves_what_can_be_repaired(path):
    with pytest.raises(ZeroDivisionError):
        with lq.multifile.create(path) as m:
            m.write(b"kept")
            m[0].flush()
            1 / 0
    assert not path.exists()
    part, = path.parent.glob(".run.sion.*")
    report = lq.multifile.repair(part)
    assert report["outcome"] == "recovered" and report["path"] == str(path) and not report["lost"]
    with lq.multifile.open(path) as m:
        assert m[0].read() == b"kept"


def test_a_repair_names_a_damaged_chunk_of_a_closed_set(path):
    write(path, files=1)
    data = bytearray(path.read_bytes())
    data[data.index(np.arange(1000.0).tobytes()) + 5] ^= 1
    path.write_bytes(data)
    for dry_run in (True, False):
        report = lq.multifile.repair(path, dry_run=dry_run)
        assert report["outcome"] == "nothing_to_do" and not report
        lost, = report["lost"]
        assert lost["task"] == 1 and lost["what"].startswith("8000 bytes are recorded")
    assert path.read_bytes() == data and not lq.multifile.verify(path)


def test_fields_lie_beside_the_streams(path):
    u = np.arange(2 * 3 * 4 * 5 * 36).reshape(2, 3, 4, 5, 4, 3, 3) * (1 + 0.5j)
    heights = np.arange(12, dtype="f4").reshape(3, 4)
    with lq.multifile.create(path) as m:
        m.write(b"random numbers")
        assert m.write_field("gauge", u, metadata={"trajectory": "7"})["bytes"] == u.nbytes
        m.write_field("heights", heights, kind="generic", dims=2)
        with pytest.raises(FileExistsError):
            m.write_field("gauge", u)
        with pytest.raises(ValueError):
            m.write_field("", u)
    with lq.multifile.open(path) as m:
        assert m[0].read() == b"random numbers"
        assert [f["name"] for f in m.fields] == ["gauge", "heights"]
        assert m.fields[0]["lattice"] == [5, 4, 3, 2] and m.fields[0]["processes"] == [1, 1, 1, 1]
        assert {"name": "trajectory", "text": "7"} in m.fields[0]["metadata"]
        assert np.array_equal(m.read_field("gauge"), u)
        assert np.array_equal(m.read_field("gauge", region={"t": slice(1, 2)}), u[1:2])
        assert np.array_equal(m.read_field("heights"), heights) and m.read_field("heights").dtype == "f4"
        with pytest.raises(lq.NoSuchRecord):
            m.read_field("depths")
    assert lq.multifile.verify(path)["fields_checked"] == 2


def test_fields_are_plain_scidac(path):
    numbers = np.arange(2.0 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    with lq.multifile.create(path) as m:
        m.write_field("numbers", numbers, kind="generic")
    records = dict(plain_lime.records(path.with_name(path.name + ".fields")))
    data = records["scidac-binary-data"]
    assert np.array_equal(np.frombuffer(data, ">f8"), numbers.ravel())
    suma, sumb = plain_lime.checksum(data, 8)
    assert f"<suma>{suma}</suma><sumb>{sumb}</sumb>" in records["scidac-checksum"].decode()
    assert "name = numbers\n" in records["limequat-checkpoint"].decode()


def test_damage_is_found(path):
    write(path)
    assert lq.multifile.verify(path)["sound"]
    data = bytearray(path.read_bytes())
    data[data.index(np.arange(100.0).tobytes()) + 50] ^= 1
    path.write_bytes(data)
    check = lq.multifile.verify(path)
    assert not check["sound"] and check["damage"][0]["task"] == 1
    with lq.multifile.open(path) as m:
        with pytest.raises(lq.ChecksumError):
            m[1].read()
        assert len(m[2].read()) == 16000
    with lq.multifile.open(path, verify=False) as m:
        assert len(m[1].read()) == 8000


def test_errors_are_the_usual_ones(path):
    with pytest.raises(FileNotFoundError):
        lq.multifile.open(path)
    with pytest.raises(ValueError):
        lq.multifile.create(path, compression="rar")
    write(path)
    with pytest.raises(FileExistsError):
        lq.multifile.create(path)
    writer = lq.multifile.create(path, force=True)
    writer.discard()
    with pytest.raises(lq.WrongState):
        writer.write(b"x")
    assert [file.name for file in path.parent.iterdir()] == ["run.sion"]


def test_numbers_that_c_would_cut_are_refused(tmp_path):
    with pytest.raises(lq.InvalidArgument, match="4294967299"):
        lq.multifile.create(tmp_path / "run.sion", tasks=2**32 + 3)
    assert not list(tmp_path.iterdir())


def test_a_set_opened_before_it_is_replaced_is_read_as_it_was(tmp_path):
    for name, value in (("a.sion", 1), ("b.sion", 2)):
        with lq.multifile.create(tmp_path / name, tasks=2, checksums=False) as writer:
            for task in range(2):
                writer[task].write(bytes([value]) * (5000 * value))
    reader = lq.multifile.open(tmp_path / "a.sion")
    (tmp_path / "b.sion").rename(tmp_path / "a.sion")
    assert [bytes(reader[task].read()) for task in range(2)] == [b"\1" * 5000] * 2
