# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields that are written region by region, beside the same fields written at once."""

import errno
import os

import numpy as np
import pytest

import limequat as lq
from limequat import region_writing

SHAPE = (6, 4, 2, 3)


def numbers(shape=SHAPE + (4, 3, 3), dtype=complex, seed=1):
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)


@pytest.fixture(params=["in memory", "in a file"])
def room(request, monkeypatch):
    if request.param == "in a file":
        monkeypatch.setattr(region_writing, "_KEPT_IN_MEMORY", 0)


@pytest.mark.parametrize("suffix", ["lime", "h5", "nersc"])
def test_regions_in_any_order_are_the_field_written_at_once(tmp_path, room, suffix):
    if suffix == "h5" and not any(known["name"] == "hdf5" for known in lq.formats()):
        pytest.skip("built without HDF5")
    array = np.broadcast_to(np.eye(3), SHAPE + (4, 3, 3)) * np.exp(1j * np.arange(6))[:, None, None, None, None, None, None]
    array = np.ascontiguousarray(array)
    path, regions = tmp_path / f"regions.{suffix}", np.random.default_rng(3).permutation(6)
    with lq.create(path, like=array, kind="gauge") as field:
        assert field.shape == array.shape and field.dtype == array.dtype and field.kind == "gauge"
        for t in regions[:-2]:
            field[int(t)] = array[t]
        late = sorted(int(t) for t in regions[-2:])
        for t in late:
            field[t, :2] = array[t, :2]
            assert not path.exists() and list(tmp_path.iterdir()) == []
            field[t, 2:, ...] = array[t, 2:]
        assert field.missing == 0
    assert field.report["bytes"] == array.nbytes
    lq.write(tmp_path / f"whole.{suffix}", array, kind="gauge")
    assert np.array_equal(lq.read(path), lq.read(tmp_path / f"whole.{suffix}"))
    assert lq.verify(path)


def test_like_a_field_of_a_file_keeps_kind_precision_and_site(tmp_path, room):
    fields = {"links": (numbers(dtype=np.complex64), "gauge"), "psi": (numbers(SHAPE + (4, 3)), "spinor"),
              "tensor": (np.random.default_rng(2).normal(size=SHAPE + (2, 5)), "generic"),
              "scalar": (np.random.default_rng(2).normal(size=SHAPE).astype(np.float32), "generic")}
    for name, (array, kind) in fields.items():
        old, new = tmp_path / f"{name}.lime", tmp_path / f"{name}-new.lime"
        lq.write(old, array, kind=kind, name=name)
        with lq.open(old) as file:
            like = file[name]
            with lq.create(new, like=like, name=name) as field:
                assert (field.shape, field.dtype, field.kind) == (like.shape, like.dtype, like.kind)
                field[3:] = array[3:]
                field[:3] = array[:3]
        with lq.open(new) as file:
            assert list(file.keys()) == [name]
            assert file[name].kind == kind and file[name].dtype == array.dtype
        back = lq.read(new)
        assert back.shape == array.shape and np.array_equal(back, array)


def test_a_field_with_holes_never_gets_its_name(tmp_path, room):
    array, path = numbers(SHAPE + (4, 3)), tmp_path / "holes.lime"
    path.write_bytes(b"what was there")
    with pytest.raises(lq.WrongState, match=r"23 of 144 sites were not given, the first of them \[5, 0, 0, 1\]"):
        with lq.create(path, like=array, overwrite=True) as field:
            field[:5] = array[:5]
            field[5, 0, 0, 0] = array[5, 0, 0, 0]
    assert path.read_bytes() == b"what was there" and [f.name for f in tmp_path.iterdir()] == ["holes.lime"]


def test_regions_have_names_of_axes(tmp_path, room):
    array, path = numbers(SHAPE + (4, 3)), tmp_path / "named.lime"
    with lq.create(path, like=array) as field:
        field.write(array[:, :, :, 1:], region={"x": slice(1, None)})
        field.write(array[2:4, :, 1:, :1], region={"t": slice(2, 4), "y": slice(1, 2), "x": slice(0, 1)})
        with pytest.raises(lq.InvalidArgument, match=r"the region has the shape \[1, 4, 2, 3, 4, 3\]"):
            field.write(array, region={"t": slice(0, 1)})
        with pytest.raises(lq.InvalidArgument, match="step 1"):
            field.write(array[::2], region={"t": slice(0, None, 2)})
        assert field.missing == 40
        field.write(array)
    assert np.array_equal(lq.read(path), array)
    with pytest.raises(lq.WrongState, match="already closed"):
        field.write(array)
    with pytest.raises(lq.InvalidArgument, match="described memory"):
        lq.create(path, like=lq.Memory(array, "qdp", (3, 2, 4, 6), "spinor"))


def test_what_is_missing_may_still_be_given(tmp_path):
    array, path = numbers(SHAPE + (4, 3)), tmp_path / "late.lime"
    field = lq.create(path, like=array)
    field[1:] = array[1:]
    with pytest.raises(lq.WrongState, match="24 of 144 sites"):
        field.close()
    field[0] = array[0] * 0
    field[0] = array[0]  # what is given last counts
    assert field.close()["bytes"] == array.nbytes
    assert np.array_equal(lq.read(path), array)
    with pytest.raises(lq.WrongState, match="already closed"):
        field[0] = array[0]


def test_an_exception_leaves_nothing(tmp_path, room):
    array = numbers(SHAPE + (4, 3))
    with pytest.raises(ZeroDivisionError):
        with lq.create(tmp_path / "new.lime", like=array) as field:
            field[:] = array
            raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key, value, message", [
    (slice(0, 2), np.zeros((3, 4, 2, 3, 4, 3), complex), r"shape \[2, 4, 2, 3, 4, 3\], the array \[3, 4, 2, 3, 4, 3\]"),
    (slice(0, 2), 0, r"the array \[\]"),
    (slice(5, 9), np.zeros((4, 4, 2, 3, 4, 3), complex), r"shape \[1, 4, 2, 3, 4, 3\]"),
    ((slice(None),) * 4 + (0,), np.zeros(SHAPE + (3,), complex), "give whole sites"),
    ([0, 1], np.zeros((2, 4, 2, 3, 4, 3), complex), "an integer or a slice"),
    (True, np.zeros(SHAPE + (4, 3), complex), "an integer or a slice"),
    (None, np.zeros((1,) + SHAPE + (4, 3), complex), "an integer or a slice"),
    (slice(0, 1), np.zeros((1, 4, 2, 3, 4, 3), "c32"), "do not fit complex128 without loss"),
    (slice(0, 1), np.ma.masked_equal(np.zeros((1, 4, 2, 3, 4, 3), complex), 0), "masked numbers"),
])
def test_what_does_not_fit_is_refused(tmp_path, key, value, message):
    field = lq.create(tmp_path / "new.lime", like=numbers(SHAPE + (4, 3)))
    with pytest.raises(lq.InvalidArgument, match=message):
        field[key] = value
    assert field.missing == 144
    field.abandon()


def test_real_numbers_fit_complex_ones_and_not_the_reverse(tmp_path):
    real = np.ones(SHAPE + (4, 3))
    with lq.create(tmp_path / "new.lime", like=real.astype(complex)) as field:
        field[:] = real
    assert np.array_equal(lq.read(tmp_path / "new.lime"), real)
    field = lq.create(tmp_path / "real.lime", like=real, kind="generic")
    with pytest.raises(lq.InvalidArgument, match="without loss"):
        field[:] = real * 1j
    single = lq.create(tmp_path / "single.lime", like=numbers(SHAPE + (4, 3)).astype("c8"))
    with pytest.raises(lq.InvalidArgument, match="float64 do not fit complex64 without loss"):  # of 8 bytes each
        single[:] = numbers(SHAPE + (4, 3)).real


def test_options_are_looked_at_at_once(tmp_path):
    array = numbers(SHAPE + (4, 3))
    with pytest.raises(TypeError, match="overwrit"):
        lq.create(tmp_path / "new.lime", like=array, overwrit=True)
    with pytest.raises(lq.InvalidArgument, match="like determines the lattice"):
        lq.create(tmp_path / "new.lime", (3, 2, 4, 6), like=array)
    with pytest.raises(lq.InvalidArgument, match="like="):
        lq.create(tmp_path / "new.lime", kind="gauge")
    with pytest.raises(lq.Exists):
        (tmp_path / "new.lime").write_text("")
        with lq.create(tmp_path / "new.lime", like=array) as field:
            field[:] = array


def test_a_full_disk_is_told_of_at_the_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr(region_writing, "_KEPT_IN_MEMORY", 0)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(lq.NoSpace, match="no space for the numbers"):
        lq.create(tmp_path / "new.lime", like=numbers(SHAPE + (4, 3)))
    with pytest.raises(lq.NotFound):
        lq.create(tmp_path / "nowhere" / "new.lime", like=numbers(SHAPE + (4, 3)))
    assert list(tmp_path.iterdir()) == []


def test_a_grid_gives_each_rank_its_box(tmp_path):
    array = numbers(SHAPE + (4, 3))
    grid = lq.Grid((3, 2, 4, 6))
    with lq.create(tmp_path / "new.lime", like=array, grid=grid) as field:
        field[2:] = array[2:]
        field[:2] = array[:2]
    assert np.array_equal(lq.read(tmp_path / "new.lime"), array)
    with pytest.raises(lq.InvalidArgument, match="like has the lattice"):
        lq.create(tmp_path / "other.lime", like=array[1:], grid=grid)
