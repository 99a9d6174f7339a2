# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files into multifiles and out of them, from Python."""

import limequat as lq
import pytest


@pytest.fixture
def inputs(tmp_path):
    paths = [tmp_path / "first", tmp_path / "second"]
    paths[0].write_bytes(b"one")
    paths[1].write_bytes(b"two and more" * 100)
    return paths


def test_files_go_into_a_multifile_and_out_of_it(tmp_path, inputs):
    packed = tmp_path / "packed.sion"
    assert lq.pack(packed, inputs, dry_run=True)["streams"] == 2 and not packed.exists()
    told = []
    report = lq.pack(packed, inputs, block_size=1, progress=lambda done, total: told.append((done, total)))
    assert report["streams"] == 2 and report["bytes"] == 1203 and told[-1][0] == told[-1][1]
    with pytest.raises(lq.Exists):
        lq.pack(packed, inputs)
    lq.unpack(packed, tmp_path / "parts")
    for task, path in enumerate(inputs):
        assert (tmp_path / "parts" / f"task.{task}").read_bytes() == path.read_bytes()
    lq.extract(packed, "task.1", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == inputs[1].read_bytes()
    with pytest.raises(lq.NoSuchRecord):
        lq.extract(packed, "task.1", tmp_path / "more", index=1)


def test_a_multifile_becomes_a_checkpoint_and_back(tmp_path, inputs):
    packed, checkpoint, plain = (tmp_path / name for name in ("packed.sion", "checkpoint.sion", "plain.sion"))
    lq.pack(packed, inputs)
    lq.defragment(packed, checkpoint, checkpoint=True, compression="lz4", sync="none")
    with lq.multifile.open(checkpoint) as m:
        assert m.info["records"] and m.info["compression"] == "lz4" and m[0].read() == b"one"
    lq.defragment(checkpoint, plain, checkpoint=False)
    with lq.multifile.open(plain) as m:
        assert not m.info["records"] and m[0].read() == b"one"


def test_what_was_damaged_is_left_out_or_taken_as_it_is(tmp_path, inputs):
    packed, checkpoint, new = (tmp_path / name for name in ("packed.sion", "checkpoint.sion", "new.sion"))
    lq.pack(packed, inputs)
    lq.defragment(packed, checkpoint, checkpoint=True)
    whole = checkpoint.read_bytes()
    place = whole.index(b"two and more")
    checkpoint.write_bytes(whole[:place] + b"T" + whole[place + 1:])
    with pytest.raises(lq.ChecksumError):
        lq.defragment(checkpoint, new)
    assert lq.defragment(checkpoint, new, verify="none")["findings"]
    with lq.multifile.open(new) as m:
        assert m[1].read().startswith(b"Two and more")


def test_a_set_that_was_not_closed_is_planned_and_repaired(tmp_path):
    path = tmp_path / "run.sion"
    with pytest.raises(ZeroDivisionError):
        with lq.multifile.create(path) as m:
            m.write(b"kept")
            m[0].flush()
            1 / 0
    part, = tmp_path.glob(".run.sion.*")
    assert lq.multifile.repair(part, dry_run=True)["outcome"] == "recovered" and not path.exists()
    assert lq.multifile.repair(part)["outcome"] == "recovered" and path.exists()


def test_options_of_other_verbs_are_none(tmp_path, inputs):
    with pytest.raises(TypeError, match="checkpoint"):
        lq.pack(tmp_path / "packed.sion", inputs, checkpoint=True)
    with pytest.raises(lq.InvalidArgument, match="unit"):
        lq.repair(inputs[0], tmp_path / "new.sion", unit=0)
