# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are not what they should be get a sentence; those that are unusual are taken as they are."""

import ctypes
import mmap
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import SHAPE, random_field, random_links

import limequat as lq
from limequat import _library
from limequat.arrays import Field
from limequat.grid import Grid

WRONG = {
    "nothing": None, "a text": "conf", "a number": 1.0, "a list of texts": ["a"], "bytes": b"\0" * 64,
    "objects": np.full(SHAPE + (4, 3), None), "integers": np.zeros(SHAPE + (4, 3, 3), np.int64),
    "bool": np.zeros(SHAPE + (4, 3), bool), "half": np.zeros(SHAPE + (4,), np.float16),
    "long double": np.zeros(SHAPE + (4, 3), np.clongdouble), "records": np.zeros(SHAPE, "f8,f8"),
    "dates": np.zeros(SHAPE, "M8[s]"), "ragged": [[1.0], [1.0, 2.0]], "no axes": np.complex128(1), "empty": np.zeros(0, complex),
    "masked": np.ma.masked_array(np.zeros(SHAPE + (4, 3), complex), mask=True),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_field_is_refused_with_a_sentence(tmp_path, name):
    for use in (lambda a: lq.write(tmp_path / "a.lime", a), lambda a: lq.write_async(tmp_path / "a.lime", a), lq.plaquette,
                lq.link_trace, lq.unitarity, lq.plot.plaquettes):
        with pytest.raises(lq.InvalidArgument) as caught:
            use(WRONG[name])
        assert len(str(caught.value).split()) > 5
    with pytest.raises(lq.InvalidArgument), lq.create(tmp_path / "a.lime") as file:
        file.write("field", WRONG[name])
    assert not list(tmp_path.iterdir())


def unusual(links):
    """The same numbers, laid out in other ways."""
    bigger = np.zeros(tuple(2 * n for n in links.shape), links.dtype)
    strided = bigger[tuple(slice(None, None, 2) for _ in links.shape)]
    strided[...] = links
    shifted = np.zeros(links.nbytes + 1, np.uint8)[1:].view(links.dtype).reshape(links.shape)
    shifted[...] = links
    read_only = links.copy()
    read_only.flags.writeable = False
    return {"Fortran order": np.asfortranarray(links), "strided": strided, "reversed": links[::-1].copy()[::-1],
            "other byte order": links.astype(links.dtype.newbyteorder()), "unaligned": shifted, "read-only": read_only,
            "transposed": np.ascontiguousarray(links.T).T, "of a subclass": links.view(np.matrix if links.ndim == 2 else np.ndarray)}


@pytest.mark.parametrize("name", list(unusual(random_links())))
def test_unusual_layouts_of_memory_are_written_as_they_are_indexed(tmp_path, links, name):
    array = unusual(links)[name]
    assert np.array_equal(array, links)
    lq.write(tmp_path / "a.ildg", array)
    lq.write_async(tmp_path / "b.ildg", array).wait()
    assert np.array_equal(lq.read(tmp_path / "a.ildg"), links) and np.array_equal(lq.read(tmp_path / "b.ildg"), links)
    assert lq.plaquette(array) == lq.plaquette(links)


@pytest.mark.parametrize("dtype", ["complex", "c8", np.complex64, np.dtype(">c8"), complex])
def test_types_of_numbers_are_named_as_numpy_does(gauge_file, links, dtype):
    u = lq.read(gauge_file, dtype=dtype)
    assert u.dtype == np.dtype(dtype).newbyteorder("=") and np.array_equal(u, links.astype(u.dtype))


@pytest.mark.parametrize("dtype", ["complx", 17, object(), "f8,f8", "U3", {"t": 1}])
def test_what_is_no_type_of_numbers_is_refused(gauge_file, dtype):
    for move in (lq.read, lq.read_async, lq.open(gauge_file).fields[0].read):
        with pytest.raises(lq.InvalidArgument, match="dtype is"):
            move(*([] if move not in (lq.read, lq.read_async) else [gauge_file]), dtype=dtype)


@pytest.mark.parametrize("region", [{"t": 99}, {"t": -99}, {"t": 3.0}, {"t": True}, {"t": slice(0, 8, 2)}, {"t": slice(9, 12)}, {"w": slice(0, 1)}, {7: slice(0, 1)},
                                    "t", "t=", "t=99", "t=0:99", "t=2:2", "t=0:1,t=1:2", "w=0:1", "t=a:b", "t=0:1:2", "", [slice(0, 1)], 5, {"t": slice("a", "b")}, {None: slice(0, 1)}])
def test_what_is_no_region_is_refused(gauge_file, region):
    with pytest.raises(lq.InvalidArgument, match="region|dimension"):
        lq.read(gauge_file, region=region)


def test_regions_are_those_of_the_array(gauge_file, links):
    part = lq.read(gauge_file, region={"t": slice(-2, None), "x": slice(1, 3), 1: slice(0, 1)}, dtype="complex64")
    assert np.array_equal(part, links[-2:, :, 0:1, 1:3].astype(np.complex64))
    assert np.array_equal(lq.read(gauge_file, region="t=-2:,x=1:3,1=:1", dtype="complex64"), part)  # as for `lq convert --region`
    assert np.array_equal(lq.read(gauge_file, region={"t": -1, 0: np.int64(2)}), links[-1:, :, :, 2:3])  # one site keeps its axis
    assert np.array_equal(lq.read(gauge_file, region="t=-1,x=2"), links[-1:, :, :, 2:3])


def test_everything_that_is_open_closes_by_a_with_block():
    assert all(hasattr(kind, "__enter__") and hasattr(kind, "__exit__") for kind in (
        lq.File, lq.Writer, lq.Pending, lq.View, lq.hdf5.File, lq.modes.Set, lq.modes.Writer, lq.multifile.Reader,
        lq.multifile.Writer))


def turns_of_another_thread(function, arguments, tries):
    """Whether another thread runs while `function` is called again and again, if nothing else gives the lock away."""
    ran, go = threading.Event(), threading.Event()

    def other():
        go.wait()
        ran.set()

    interval, thread = sys.getswitchinterval(), threading.Thread(target=other, daemon=True)
    sys.setswitchinterval(1000)
    try:
        thread.start()
        go.set()
        for _ in range(tries):
            assert function(*arguments) == 0
            if ran.is_set():
                return True
        return False
    finally:
        sys.setswitchinterval(interval)
        thread.join()


@pytest.mark.parametrize("name, last", [("lq_plaquette", ctypes.c_double * 3), ("lq_verify", None)])
def test_other_threads_run_while_numbers_move(gauge_file, links, name, last):
    """With a thread that is switched to only where the lock is given away; a library that keeps it is the control."""
    keeping = ctypes.PyDLL(_library.library_path())
    grid, field = Grid(links.shape[3::-1]), Field("gauge", (4, 3, 3)).to_c(links)
    if last:
        arguments = (grid, field, last())
    else:
        arguments = (str(gauge_file).encode(), None, ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_void_p()))
    ours, kept = getattr(_library._library, name), getattr(keeping, name)
    kept.argtypes, kept.restype = ours.argtypes, ours.restype
    assert not turns_of_another_thread(kept, arguments, 20)
    assert turns_of_another_thread(ours, arguments, 20000)


def test_memory_that_is_in_use_cannot_be_taken_away(tmp_path, gauge_file, links):
    whole = links.copy()
    with lq.write_async(tmp_path / "a.ildg", whole):
        for check in (True, False):  # with False numpy does not count who else has the array
            with pytest.raises(ValueError, match="resize"):
                whole.resize((1,), refcheck=check)
    out = np.empty_like(links)
    with lq.read_async(gauge_file, out=out):
        with pytest.raises(ValueError, match="resize"):
            out.resize((1,), refcheck=False)
    assert np.array_equal(out, links)
    whole.resize((1,), refcheck=False)


def test_memory_of_others_stays_while_it_is_in_use(tmp_path, links):
    memory = mmap.mmap(-1, links.nbytes)
    array = np.frombuffer(memory, links.dtype).reshape(links.shape)
    array[...] = links
    with lq.write_async(tmp_path / "a.ildg", array) as pending:
        del array
        with pytest.raises(BufferError):
            memory.close()
    del pending
    memory.close()
    assert np.array_equal(lq.read(tmp_path / "a.ildg"), links)


def test_a_program_may_end_while_it_writes(tmp_path):
    code = ("import sys, numpy, limequat as lq\n"
            "u = numpy.ones((8, 8, 8, 8, 4, 3, 3), complex)\n"
            "pending = lq.write_async(sys.argv[1], u)\n")
    for ending in ("", "del u, pending\n", "raise SystemExit(3)\n"):
        result = subprocess.run([sys.executable, "-c", code + ending, tmp_path / "a.ildg"], capture_output=True, text=True)
        assert result.returncode == (3 if "3" in ending else 0) and result.stderr == "", result.stderr
        assert not list(tmp_path.iterdir())


def test_a_wrong_array_for_modes_and_sessions_gets_a_sentence(tmp_path):
    with lq.modes.create(tmp_path / "a.modes", (4, 2, 3, 5)) as modes:
        for wrong in (None, "v", random_field((4, 3))[1:], random_field((4, 4)), np.zeros(SHAPE + (4, 3))):
            with pytest.raises(lq.InvalidArgument):
                modes.append(wrong, eigenvalue=1.0)
        modes.append(random_field((4, 3)), eigenvalue=1.0)


@pytest.mark.parametrize("extents", [(4, 4, 4, 4), (4, 6, 2, 8), (4, 2, 2, 4)])
def test_links_with_the_direction_first_are_asked_about(tmp_path, extents):
    """[mu, t, z, y, x, N, N] with x = 4 has the shape of a gauge field on another lattice, on which it is noise."""
    u = lq.generate(extents, sweeps=3, seed=5)
    turned = np.moveaxis(u, 4, 0)
    with pytest.raises(lq.InvalidArgument, match=r"Move axis 0: numpy.moveaxis\(array, 0, 4\)"):
        lq.write(tmp_path / "turned.ildg", turned)
    assert not (tmp_path / "turned.ildg").exists()
    lq.write(tmp_path / "right.ildg", np.moveaxis(turned, 0, 4))
    assert np.array_equal(lq.read(tmp_path / "right.ildg"), u)
    lq.write(tmp_path / "insisted.ildg", turned, kind="gauge")
    assert np.array_equal(lq.read(tmp_path / "insisted.ildg"), turned)


def test_links_of_any_other_look_are_taken_in_the_order_that_is_documented(tmp_path):
    noise = random_links((4, 2, 3, 4, 4))
    cold = np.broadcast_to(np.eye(3, dtype=complex), noise.shape)
    undefined = np.full(noise.shape, np.nan, complex)
    for number, links in enumerate((noise, cold, undefined)):
        lq.write(tmp_path / f"{number}.ildg", links)
        assert np.array_equal(lq.read(tmp_path / f"{number}.ildg"), links, equal_nan=True)
