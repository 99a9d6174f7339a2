# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets of subfiles against a second reader, written from docs/formats/partitions.md alone, and views against numpy."""

import io
import os
import re
import zlib

import numpy as np
import pytest

import limequat as lq


def dealt(extent, kind, parts, unit):
    """Which coordinates each part gets."""
    if kind == "block":
        return [list(block) for block in np.array_split(np.arange(extent), parts)]
    return [[x for x in range(extent) if x // unit % parts == part] for part in range(parts)]


def elements_of(extents, cuts):
    """Numbers of the elements of each part, in their order."""
    parts = [[list(range(extent)) for extent in extents]]
    for cut in [] if cuts == "whole" else cuts.split(","):
        axis, kind, count, unit = re.fullmatch(r"(\w+)=(block|cyclic):(\d+)(?::(\d+))?", cut).groups()
        axis = "xyzt".index(axis) if axis in "xyzt" else int(axis)
        made = []
        for part in range(int(count)):
            for old in parts:
                kept = dealt(len(old[axis]), kind, int(count), int(unit or 1))[part]
                made.append([[c[k] for k in kept] if d == axis else c for d, c in enumerate(old)])
        parts = made
    strides = np.cumprod([1, *extents[:-1]])
    numbers = []
    for part in parts:
        whole = np.zeros(1, dtype=int)
        for coordinates, stride in zip(part, strides):
            whole = (np.array(coordinates, dtype=int)[:, None] * stride + whole[None, :]).ravel()
        numbers.append(whole)
    return numbers


def read_set(path):
    """The whole file of a description."""
    text = path.read_bytes()
    body, last = text[:-15], text[-15:]
    assert last == b"crc32 %08x\n" % zlib.crc32(body)
    lines = body.decode().splitlines()
    assert lines[0] == "limequat partitioned file 1"
    fact = dict(line.split(" ", 1) for line in lines[1:6])
    files = [line.split(" ", 2)[1:] for line in lines[6:]]
    extents = [int(e) for e in fact["extents"].split(".")]
    size, begin, total = int(fact["element"]), int(fact["begin"]), int(fact["bytes"])
    whole = bytearray(total)
    for k, (numbers, (offset, name)) in enumerate(zip(elements_of(extents, fact["cuts"]), files, strict=True)):
        data = (path.parent / name).read_bytes()
        offset = int(offset)
        for place, element in enumerate(numbers):
            at = offset + place * size
            whole[begin + element * size:begin + (element + 1) * size] = data[at:at + size]
        if k == 0:
            end, behind = begin + int(np.prod(extents)) * size, offset + len(numbers) * size
            whole[:begin] = data[offset - begin:offset]
            whole[end:] = data[behind:behind + total - end]
    return bytes(whole)


@pytest.fixture
def conf(tmp_path):
    path = tmp_path / "conf.ildg"
    rng = np.random.default_rng(5)
    lq.write(path, rng.standard_normal((6, 4, 2, 4, 4, 3, 3)) + 0j)
    return path


@pytest.mark.parametrize("to", ["t=block:4", "x=cyclic:2,z=block:3", "t=cyclic:2:2,t=block:2", "t=block:1"])
def test_a_set_holds_the_file_and_gives_it_back(conf, tmp_path, to):
    report = lq.repartition(conf, tmp_path / "conf.set", to=to)
    assert report["to"] == to and report["bytes"] == conf.stat().st_size
    assert read_set(tmp_path / "conf.set") == conf.read_bytes()
    lq.repartition(tmp_path / "conf.set", tmp_path / "back.ildg")
    assert (tmp_path / "back.ildg").read_bytes() == conf.read_bytes()


def test_subfiles_go_into_folders_in_turn(conf, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    lq.repartition(conf, tmp_path / "conf.set", to="t=block:3", folders=f"one,{tmp_path / 'two'}")
    assert len(os.listdir(tmp_path / "one")) == 2 and len(os.listdir(tmp_path / "two")) == 1
    assert read_set(tmp_path / "conf.set") == conf.read_bytes()


def test_a_view_is_a_file_of_its_sites(conf):
    sites = lq.read(conf)  # t, z, y, x
    with lq.View(conf, "t=block:3", 1) as view:
        slices = np.frombuffer(view.read(), ">c16").reshape(2, *sites.shape[1:])
        np.testing.assert_array_equal(slices, sites[2:4])
    with lq.View(conf, "x=cyclic:2,y=block:2", 3) as view:
        part = np.frombuffer(io.BufferedReader(view).read(), ">c16").reshape(6, 4, 1, 2, 4, 3, 3)
        np.testing.assert_array_equal(part, sites[:, :, 1:, 1::2])
    with lq.View(conf) as view:
        assert view.read() == conf.read_bytes()


def test_a_view_is_written(tmp_path):
    path = tmp_path / "numbers"
    np.arange(12, dtype="<i4").tofile(path)
    with lq.View(path, "x=cyclic:3", 2, writable=True, extents=[12], element_bytes=4) as view:
        assert view.seek(-8, io.SEEK_END) == 8 and view.size == 16
        view.write(np.array([80, 110], dtype="<i4"))
        view.sync()
    assert np.fromfile(path, "<i4").tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 80, 9, 10, 110]


def test_partitions_are_described_and_proposed(conf):
    known = lq.partition_of(conf, access="t=block:2,x=block:2", parts=4)
    assert known["extents"] == [4, 2, 4, 6] and known["partition"] == "whole" and not known["is_set"]
    assert known["proposed"] == "t=block:2,x=block:2" and known["proposed_matching"]["degree"] == 1
    assert known["matching"]["pairs"] == 4 and known["matching"]["runs"] == 2 * 2 * 4 * 3 * 2


@pytest.mark.parametrize("partition", ["whole", "0=block:3", "1=cyclic:2", "0=cyclic:2:3,1=block:2"])
def test_every_element_has_one_place(partition):
    extents = (6, 4)
    axes = [(int(cut.split("=")[0]), cut.split("=")[1].split(":")) for cut in partition.split(",") if cut != "whole"]
    seen, counts = set(), {}
    for element in range(24):
        at, part, parts = (element % 6, element // 6), 0, 1
        for axis, (how, *sizes) in axes:  # by hand
            count, unit = int(sizes[0]), int((sizes + [1, 1])[1])
            unit = -(-extents[axis] // count) if how == "block" else unit
            part += parts * (at[axis] // unit % count)
            parts *= count
        position = counts[part] = counts.get(part, -1) + 1
        assert lq.place_of(partition, element, extents) == (part, position)
        assert lq.element_at(partition, part, position, extents) == element
        seen.add((part, position))
    assert len(seen) == 24
    for wrong in (-1, 24, "0"):
        with pytest.raises(lq.InvalidArgument):
            lq.place_of(partition, wrong, extents)
    with pytest.raises(lq.InvalidArgument):
        lq.element_at(partition, 0, 24, extents)


def test_what_is_wrong_is_said(conf, tmp_path):
    with pytest.raises(lq.InvalidArgument, match="is not a division"):
        lq.repartition(conf, tmp_path / "conf.set", to="t:block=2")
    with pytest.raises(lq.NotFound):
        lq.View(tmp_path / "none")
    with pytest.raises(lq.InvalidArgument):
        lq.View(conf, "t=block:2", 0, begin=3)
    lq.repartition(conf, tmp_path / "conf.set", to="t=block:2")
    text = (tmp_path / "conf.set").read_bytes()
    (tmp_path / "conf.set").write_bytes(text.replace(b"t=block", b"z=block"))
    with pytest.raises(lq.ChecksumError):
        lq.View(tmp_path / "conf.set")


def test_extents_are_numbers_or_a_text_everywhere(tmp_path, links):
    """One name takes both forms, whatever takes it."""
    path = tmp_path / "plain"
    path.write_bytes(bytes(range(64)))
    extents = "4x2x3x5"
    numbers = [int(n) for n in extents.split("x")]
    for given in ("8x8", [8, 8], (8, 8), np.array([8, 8])):
        with lq.View(path, "y=block:2", 1, extents=given) as view:
            assert view.read() == bytes(range(32, 64))
        assert lq.partition_of(path, extents=given)["extents"] == [8, 8]
        lq.repartition(path, tmp_path / "set", to="y=block:2", extents=given, overwrite=True)
        assert lq.partition_of(tmp_path / "set")["extents"] == [8, 8]
    for given in (extents, numbers):
        assert lq.Grid(given).extents == tuple(numbers)
        assert lq.generate(given, sweeps=0).shape[:4] == tuple(numbers[::-1])
        assert lq.plan(given, "1x1x1x1" if isinstance(given, str) else [1, 1, 1, 1])["chosen"]
        with lq.create(tmp_path / "a.lime", given, overwrite=True) as file:
            file.write("gauge", links)
        lq.write(tmp_path / "v.scidac", links, parts="1x1x1x5" if isinstance(given, str) else (1, 1, 1, 5), overwrite=True)
        lq.modes.create(tmp_path / "low.modes", given, overwrite=True).close()
        assert lq.diagnose(tmp_path / "a.lime", lattice=given)
    for wrong in ("8x", 8, [8.5, 8], ["8", "8"], object()):
        with pytest.raises(lq.InvalidArgument, match="extents"):
            lq.View(path, "y=block:2", 1, extents=wrong)
        with pytest.raises(lq.InvalidArgument, match="extents"):
            lq.repartition(path, tmp_path / "other", to="y=block:2", extents=wrong)


def test_a_set_of_subfiles_is_validated_as_the_file_that_it_is(tmp_path, gauge_file):
    path = tmp_path / "conf.set"
    lq.repartition(gauge_file, path, to="x=block:2")
    assert not list(lq.validate(path))
    first = next(entry for entry in tmp_path.iterdir() if entry.name.startswith("conf.set."))
    whole = first.read_bytes()
    first.write_bytes(whole[:len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1:])
    assert any(finding.severity == "error" for finding in lq.validate(path)) and not lq.verify(path).ok


def test_relative_paths_through_folders(tmp_path, monkeypatch):
    """A set and the file that is made of it are next to each other in a folder below the current one."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("run")
    u = np.tile(np.eye(3, dtype=complex), (8, 4, 4, 4, 4, 1, 1))
    lq.write("run/conf.ildg", u)
    lq.repartition("run/conf.ildg", "run/conf.set", to="t=block:2")
    for target in ("run/again.ildg", "again.ildg"):
        assert lq.repartition("run/conf.set", target, to="whole")["files"]
        assert open(target, "rb").read() == open("run/conf.ildg", "rb").read()
    assert not [name for name in os.listdir("run") if name.startswith(".")]
