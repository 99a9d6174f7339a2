# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Folders of checkpoints from Python."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import zlib

import numpy as np
import pytest

import limequat as lq
import plain_lime

SHAPE = (8, 4, 4, 4)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def numbers(step):
    return np.random.default_rng(step).normal(size=SHAPE)


def save(checkpoints, step):
    checkpoints.save(step, streams=[b"stream %d" % step, np.arange(step, dtype=np.int32)],
                     fields={"phi": {"array": numbers(step), "kind": "generic"}},
                     state={"rng": bytes(range(step)), "run": {"beta": 5.7, "step": step}})


def is_right(found):
    with found.streams() as streams:
        read = [stream.read() for stream in streams]
    return (np.array_equal(found.read_field("phi"), numbers(found.step)) and found.state["rng"] == bytes(range(found.step))
            and found.state["run"] == {"beta": 5.7, "step": found.step}
            and read == [b"stream %d" % found.step, np.arange(found.step, dtype=np.int32).tobytes()])


def folder_of(folder, step):
    return next(folder.glob(f"step-{step:012}-*"))


def flip(path, at=-9):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_the_newest_comes_back(folder):
    with lq.Checkpoints(folder, keep=2) as checkpoints:
        assert checkpoints.load_newest() is None
        for step in (1, 2, 3):
            save(checkpoints, step)
        found = checkpoints.load_newest()
        assert found.step == 3 and is_right(found) and found.fields == ["phi"] and found.tasks == 2 and not found.warnings
        with pytest.raises(lq.NoSuchRecord, match="phi"):
            found.read_field("psi")
    assert sorted(path.name[:17] for path in folder.glob("step-*")) == ["step-000000000002", "step-000000000003"]
    with pytest.raises(lq.WrongState):
        checkpoints.save(4)


def test_sums_are_those_of_another_implementation(folder):
    with lq.Checkpoints(folder) as checkpoints:
        save(checkpoints, 5)
    place = folder_of(folder, 5)
    text = (place / "checkpoint.lq").read_bytes()
    body, last = text[:-15], text[-15:]
    assert last == b"crc32 %08x\n" % zlib.crc32(body)
    lines = body.decode().splitlines()
    assert lines[0] == "limequat-checkpoint 1" and "step 5" in lines and "tasks 2" in lines
    block = int(next(line for line in lines if line.startswith("block ")).split()[1])
    files = [k for k, line in enumerate(lines) if line.startswith("file ")]
    assert {lines[k].split(" ", 2)[2] for k in files} == {path.name for path in place.iterdir()} - {"checkpoint.lq"}
    for k in files:
        _, size, name = lines[k].split(" ", 2)
        data = (place / name).read_bytes()
        assert len(data) == int(size)
        sums = [f"{zlib.crc32(data[at:at + block]):08x}" for at in range(0, len(data), block)]
        assert lines[k + 1].split() == sums
    states = {line.split(" ", 3)[3]: (place / "state").read_bytes()[int(line.split()[1]):][:int(line.split()[2])]
              for line in lines if line.startswith("state ")}
    assert states["rng"] == bytes(range(5)) and json.loads(states["run.json"]) == {"beta": 5.7, "step": 5}
    data = plain_lime.payload(place / "field-0.scidac", "scidac-binary-data")
    assert np.array_equal(np.frombuffer(data, ">f8"), numbers(5).ravel())


def test_states_have_the_names_that_they_were_given(folder):
    """Bytes that look like what is kept as JSON, too."""
    state = {"a.json": b"[1, 2]", "a": {"b": 1}, "b.json": {"c": [2]}, "c.json": b"no JSON", "d.bytes": b"1", "e.json.bytes": b"2",
             "e.json": b"3", "f.bytes": [4], "g.json.json": b"5", "h": b"6"}
    with lq.Checkpoints(folder) as checkpoints:
        checkpoints.save(1, state=state)
        assert checkpoints.load_newest().state == state


def test_a_damaged_one_is_tried_twice_and_then_left_alone(folder):
    with lq.Checkpoints(folder) as checkpoints:
        for step in (1, 2):
            save(checkpoints, step)
    flip(folder_of(folder, 2) / "field-0.scidac")
    for tries in (1, 2, 2):
        with lq.Checkpoints(folder) as checkpoints:
            found = checkpoints.load_newest()
            assert found.step == 1 and is_right(found) and "CRC-32" in found.warnings[0]
        assert len((folder_of(folder, 2) / "tries.lq").read_text().splitlines()) == tries
    states = [one["state"] for one in lq.list_checkpoints(folder)["checkpoints"]]
    assert states == ["rejected", "valid"]
    flip(folder_of(folder, 2) / "field-0.scidac")
    with lq.Checkpoints(folder) as checkpoints:
        assert checkpoints.load_newest().step == 1
        checkpoints.forget_marks()
        found = checkpoints.load_newest()
        assert found.step == 2
        checkpoints.reject(found, "of no use")
        assert checkpoints.load_newest().step == 1


def test_where_none_is_valid_each_is_named(folder):
    with lq.Checkpoints(folder) as checkpoints:
        for step in (1, 2):
            save(checkpoints, step)
    flip(folder_of(folder, 1) / "streams.sion")
    (folder_of(folder, 2) / "state").unlink()
    with lq.Checkpoints(folder) as checkpoints:
        with pytest.raises(lq.Malformed, match="no valid checkpoint") as caught:
            checkpoints.load_newest()
        assert folder_of(folder, 1).name in str(caught.value) and folder_of(folder, 2).name in str(caught.value)


def test_a_second_job_is_told(folder):
    with lq.Checkpoints(folder) as checkpoints:
        save(checkpoints, 1)
        code = f"import limequat as lq\ntry:\n  lq.Checkpoints({str(folder)!r})\nexcept lq.WrongState as error:\n  print(error)"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert f"process {os.getpid()}" in said
        assert str(os.getpid()) in lq.list_checkpoints(folder)["holder"]
        with lq.Checkpoints(folder, read_only=True) as reading:
            assert reading.load_newest().step == 1
    lq.Checkpoints(folder).close()
    assert lq.list_checkpoints(folder)["holder"] is None


def test_in_the_background_arrays_are_lent(folder):
    u = numbers(1)
    with lq.Checkpoints(folder) as checkpoints:
        checkpoints.save_async(1, fields={"phi": {"array": u, "kind": "generic"}})
        with pytest.raises(ValueError):
            u[0] = 0
        while not checkpoints.test():
            pass
        assert checkpoints.wait()["step"] == 1 and checkpoints.wait() is None
        u[0] = 0
        checkpoints.save_async(2, fields={"phi": {"array": u, "kind": "generic"}})
    assert [one["step"] for one in lq.list_checkpoints(folder)["checkpoints"]] == [2, 1]


def test_nodes_come_first(folder, tmp_path):
    with lq.Checkpoints(folder, local=tmp_path / "node") as checkpoints:
        save(checkpoints, 1)
        checkpoints._end()  # as if it were killed
    assert not list(folder.glob("step-*"))
    with lq.Checkpoints(folder, local=tmp_path / "node") as checkpoints:
        found = checkpoints.load_newest()
        assert found.step == 1 and is_right(found)
    assert list(folder.glob("step-*"))


@pytest.mark.parametrize("wrong", [{"step": -1}, {"step": 1.5}, {"step": 2**63}, {"state": {"x": object()}},
                                   {"state": {1: b""}}, {"fields": {"a\nb": np.zeros(SHAPE)}}, {"fields": {"u": {}}},
                                   {"state": {"": b""}}])
def test_what_cannot_be_saved_is_refused_and_forgotten(folder, wrong):
    with lq.Checkpoints(folder) as checkpoints:
        with pytest.raises(lq.InvalidArgument):
            checkpoints.save(**{"step": 1, "streams": [b"x"], **wrong})
        checkpoints.save(1, state={"a": b"b"})
        assert checkpoints.load_newest().tasks == 0


def test_folders(folder, tmp_path):
    with pytest.raises(lq.NotFound):
        lq.Checkpoints(tmp_path / "none" / "run")
    with pytest.raises(lq.NotFound):
        lq.list_checkpoints(tmp_path / "none")
    with pytest.raises(lq.InvalidArgument):
        lq.Checkpoints(folder, keep=0)
    with lq.Checkpoints(folder) as checkpoints:
        save(checkpoints, 1)
    (folder / "notes").write_text("mine")
    (folder / ".step-000000000007-00000000.lq-new").mkdir()
    found = lq.list_checkpoints(folder, verify=False)
    assert [one["state"] for one in found["checkpoints"]] == ["not checked", "leftover"] and found["foreign"] == ["notes"]
    with lq.Checkpoints(folder) as checkpoints:
        checkpoints.prune()
    assert not list(folder.glob(".step*")) and (folder / "notes").exists()


CHILD = """
import sys
import test_checkpoints as t, limequat as lq
with lq.Checkpoints(sys.argv[1]) as checkpoints:
    found = checkpoints.load_newest()
    step = found.step if found else 0
    print("loaded", step, t.is_right(found) if found else True, flush=True)
    while True:
        step += 1
        t.save(checkpoints, step)
        print("saved", step, flush=True)
"""


def test_a_killed_job_loses_one_step_at_most(folder):
    """LQ_PYTHON_KILLS: so many kills."""
    draw, saved = np.random.default_rng(3), 0
    for _ in range(int(os.environ.get("LQ_PYTHON_KILLS", "4"))):
        job = subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, text=True,
                               cwd=pathlib.Path(__file__).parent)
        word, step, right = job.stdout.readline().split()
        assert word == "loaded" and right == "True" and saved <= int(step) <= saved + 1
        lines = [job.stdout.readline() for _ in range(draw.integers(0, 4))]
        job.send_signal(signal.SIGKILL)
        lines += job.communicate()[0].splitlines()
        saved = max([int(step), *(int(line.split()[1]) for line in lines if line.startswith("saved"))])
    assert saved > 0
    shutil.rmtree(folder)
