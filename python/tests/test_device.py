# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on a GPU: of a driver that stands in for CUDA's, whose memory faults when the host touches it, or of the library
that LQ_TEST_CUDA names."""

import ctypes
import os

import numpy as np
import pytest

from conftest import random_field
import test_memory
import limequat as lq

LIBRARY = os.environ.get("LQ_TEST_CUDA", os.environ.get("LQ_CUDA_STAND_IN"))
pytestmark = pytest.mark.skipif(not LIBRARY, reason="LQ_TEST_CUDA names no driver")


class Gpu:
    """The calls that tests make of a driver themselves."""

    def __init__(self):
        self.cuda = ctypes.CDLL(LIBRARY)
        context = ctypes.c_void_p()
        self.require(self.cuda.cuInit(0))
        self.require(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        self.require(self.cuda.cuCtxSetCurrent(context))

    def require(self, result):
        assert result == 0

    def allocate(self, count):
        memory = ctypes.c_uint64()
        self.require(self.cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(count)))
        return memory.value

    def put(self, address, array):
        self.require(self.cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(address), array.ctypes.data_as(ctypes.c_void_p),
                                               ctypes.c_size_t(array.nbytes)))

    def get(self, address, array):
        self.require(self.cuda.cuMemcpyDtoH_v2(array.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                                               ctypes.c_size_t(array.nbytes)))


class CudaArray:
    """As CuPy, PyTorch and Numba describe theirs."""

    def __init__(self, gpu, values, **changes):
        self.gpu, self.shape, self.dtype = gpu, values.shape, values.dtype
        self.address = gpu.allocate(values.nbytes)
        gpu.put(self.address, np.ascontiguousarray(values))
        self.__cuda_array_interface__ = {"shape": values.shape, "typestr": values.dtype.str, "version": 3, "strides": None,
                                         "data": (self.address, False), **changes}

    def __array__(self, *_, **__):
        raise AssertionError("copied to the host behind the user's back")

    def values(self):
        result = np.empty(self.shape, self.dtype)
        self.gpu.get(self.address, result)
        return result


class DlpackTensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class DlpackArray(CudaArray):
    """As JAX describes its: by DLPack alone."""

    def __init__(self, gpu, values, device_type=2, strides=None):
        super().__init__(gpu, values)
        del self.__cuda_array_interface__
        self.device_type = device_type
        self.shape_in_c = (ctypes.c_int64 * values.ndim)(*values.shape)
        self.strides_in_c = None if strides is None else (ctypes.c_int64 * values.ndim)(*strides)
        self.tensor = DlpackTensor(self.address - 64, device_type, 0, values.ndim, {"c": 5, "f": 2, "i": 0}[values.dtype.kind],
                                   8 * values.itemsize, 1, self.shape_in_c, self.strides_in_c, 64, None, None)

    def __dlpack_device__(self):
        return self.device_type, 0

    def __dlpack__(self, **_):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


@pytest.fixture(scope="module")
def gpu():
    return Gpu()


@pytest.mark.parametrize("kind", [CudaArray, DlpackArray])
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_arrays_are_written_and_read_where_they_lie(tmp_path, gpu, kind, dtype):
    values = random_field((4, 3, 3), dtype)
    report = lq.write(tmp_path / "device.ildg", kind(gpu, values))
    assert report["checksum"] == lq.write(tmp_path / "host.ildg", values)["checksum"]
    assert report["device"]["computing_ranks"] + report["device"]["copying_ranks"] == 1, report["device"]
    assert (report["device"]["reason"] is None) == (report["device"]["copying_ranks"] == 0), report["device"]
    target = kind(gpu, np.zeros_like(values))
    assert lq.read(tmp_path / "host.ildg", out=target) is target
    np.testing.assert_array_equal(target.values(), values)


def test_generic_numbers_and_background(tmp_path, gpu):
    values = random_field((7,), np.float64)
    lq.write_async(tmp_path / "numbers.scidac", CudaArray(gpu, values), kind="generic").wait()
    target = DlpackArray(gpu, np.zeros_like(values))
    assert lq.read_async(tmp_path / "numbers.scidac", out=target).wait() is target
    np.testing.assert_array_equal(target.values(), values)


def test_as_in_the_guide(tmp_path, monkeypatch, gpu, links):
    monkeypatch.chdir(tmp_path)
    lq.write("conf.ildg", links)
    u = CudaArray(gpu, np.zeros_like(links))
    # [gpu]
    lq.read("conf.ildg", out=u)  # u: an array [t, z, y, x, mu, 3, 3] on the GPU
    lq.write("copy.ildg", u)
    # [/gpu]
    np.testing.assert_array_equal(lq.read("copy.ildg"), links)


def random_sites(site):
    """On the lattice of the tests of memory."""
    random = np.random.default_rng(19)
    shape = (*test_memory.SHAPE, *site)
    return random.standard_normal(shape) + 1j * random.standard_normal(shape)


@pytest.mark.parametrize("kind", [CudaArray, DlpackArray])
@pytest.mark.parametrize("layout", test_memory.LAYOUTS)
def test_described_memory_is_that_of_the_host(tmp_path, gpu, kind, layout):
    links = random_sites((4, 3, 3))
    truth = test_memory.LAYOUTS[layout](links)
    host = truth if isinstance(truth, list) else [truth]
    memory = lq.Memory([kind(gpu, array) for array in host], layout, test_memory.LATTICE)
    assert lq.write(tmp_path / "device.lime", memory)["checksum"] == lq.write(tmp_path / "plain.lime", links)["checksum"]
    filled = [kind(gpu, np.where(array == 7 + 7j, array, 0)) for array in host]
    lq.read(tmp_path / "plain.lime", out=lq.Memory(filled, layout, test_memory.LATTICE))
    for array, expected in zip(filled, host):
        np.testing.assert_array_equal(array.values(), expected)


@pytest.mark.parametrize("kind", [CudaArray, DlpackArray])
def test_half_precision_and_tables_on_the_device(tmp_path, gpu, kind):
    layout = "quda_native_spinor block=4 norms=in-array"
    field = random_sites((4, 3)).astype(np.complex64)
    integers, norms = test_memory.in_half_precision(field, 4)
    lq.write(tmp_path / "host.scidac", lq.Memory([integers, norms], layout, test_memory.LATTICE, "spinor"))
    here = [kind(gpu, integers), kind(gpu, norms)]
    lq.write(tmp_path / "device.scidac", lq.Memory(here, layout, test_memory.LATTICE, "spinor"))
    assert lq.diff(tmp_path / "host.scidac", tmp_path / "device.scidac")
    lq.write(tmp_path / "single.scidac", field)
    target = [kind(gpu, np.zeros_like(integers)), kind(gpu, np.zeros_like(norms))]
    lq.read(tmp_path / "single.scidac", out=lq.Memory(target, layout, test_memory.LATTICE, "spinor"))
    np.testing.assert_array_equal(target[0].values(), integers)
    np.testing.assert_array_equal(target[1].values(), norms)


def test_a_table_of_places_and_measuring_on_the_device(tmp_path, gpu):
    links = lq.generate(test_memory.LATTICE, sweeps=1)
    ipt = test_memory.points_of_openqcd()
    table = test_memory.links_of_openqcd(ipt)
    truth = np.zeros((table.max() + 1, 3, 3), complex)
    truth[table.reshape(-1)] = test_memory.tmlqcd(links).reshape(-1, 3, 3)
    memory = lq.Memory(CudaArray(gpu, truth), "openqcd", test_memory.LATTICE, places=table)
    lq.write(tmp_path / "conf.ildg", memory)
    np.testing.assert_array_equal(lq.read(tmp_path / "conf.ildg"), links)
    assert lq.plaquette(memory).average == lq.plaquette(links).average


def test_described_memory_that_does_not_fit_is_refused(tmp_path, gpu, links, gauge_file):
    lattice = links.shape[3::-1]

    def refused(arrays, layout="", work=lambda memory: lq.write(tmp_path / "no", memory), error=lq.InvalidArgument):
        with pytest.raises(error) as told:
            work(lq.Memory(arrays, layout, lattice))
        return str(told.value)

    parts = [np.ascontiguousarray(links[..., mu, :, :]) for mu in range(4)]
    mixed = [parts[0], *(CudaArray(gpu, part) for part in parts[1:])]
    assert "on the host" in refused(mixed, "links=in-arrays")
    read_only = CudaArray(gpu, links)
    read_only.__cuda_array_interface__["data"] = (read_only.address, True)
    assert "read-only" in refused(read_only, work=lambda memory: lq.read(gauge_file, out=memory))
    assert "numbers" in refused(CudaArray(gpu, links[1:]))
    assert "make it C-contiguous there" in refused(CudaArray(gpu, links, strides=tuple(reversed(links.strides))))
    assert "native byte order" in refused(CudaArray(gpu, links, typestr=">c16"))
    assert "DLPack's type 14" in refused(DlpackArray(gpu, links, device_type=14), error=lq.Unsupported)
    assert "expected an array of numpy, or one on a GPU" in refused([1, 2, 3][:1])
    assert list(tmp_path.glob("no*")) == []


def test_links_are_measured(gpu, links):
    assert lq.plaquette(CudaArray(gpu, links)) == lq.plaquette(links)
    # PyTorch and others on a GPU of AMD's tell this type.
    assert lq.plaquette(DlpackArray(gpu, links, device_type=10)) == lq.plaquette(links)


def test_what_does_not_fit_is_refused(tmp_path, gpu, links, gauge_file):
    strides = tuple(reversed(links.strides))
    with pytest.raises(lq.InvalidArgument, match="make it C-contiguous there"):
        lq.write(tmp_path / "no", CudaArray(gpu, links, strides=strides))
    with pytest.raises(lq.InvalidArgument, match="make it C-contiguous there"):
        lq.write(tmp_path / "no", DlpackArray(gpu, links, strides=[n // 16 for n in strides]))
    with pytest.raises(lq.InvalidArgument, match="native byte order"):
        lq.write(tmp_path / "no", CudaArray(gpu, links, typestr=">c16"))
    with pytest.raises(lq.InvalidArgument, match="read-only"):
        read_only = CudaArray(gpu, links)
        read_only.__cuda_array_interface__["data"] = (read_only.address, True)
        lq.read(gauge_file, out=read_only)
    with pytest.raises(lq.InvalidArgument, match="of shape"):
        lq.read(gauge_file, out=CudaArray(gpu, links[:1]))
    with pytest.raises(lq.Unsupported, match="DLPack's type 14"):
        lq.write(tmp_path / "no", DlpackArray(gpu, links, device_type=14))
    with pytest.raises(lq.Unsupported, match="no driver of this process knows"):
        lq.write(tmp_path / "no", CudaArray(gpu, links, data=(links.ctypes.data, False)))
    assert list(tmp_path.glob("no*")) == []
