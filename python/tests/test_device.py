# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on a GPU: of a driver that stands in for CUDA's, whose memory faults when the host touches it, or of the library
that LQ_TEST_CUDA names."""

import ctypes
import os

import numpy as np
import pytest

from conftest import random_field
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
        self.tensor = DlpackTensor(self.address - 64, device_type, 0, values.ndim, 5 if values.dtype.kind == "c" else 2,
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


def test_links_are_measured(gpu, links):
    assert lq.plaquette(CudaArray(gpu, links)) == lq.plaquette(links)


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
    with pytest.raises(lq.Unsupported, match="DLPack's type 10"):
        lq.write(tmp_path / "no", DlpackArray(gpu, links, device_type=10))
    with pytest.raises(lq.Unsupported, match="no CUDA driver of this process knows"):
        lq.write(tmp_path / "no", CudaArray(gpu, links, data=(links.ctypes.data, False)))
    assert list(tmp_path.glob("no*")) == []
