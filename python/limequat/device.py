# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in memory of a GPU, from CuPy, PyTorch, JAX, Numba and others, by their own descriptions."""

import ctypes
import dataclasses
import math

import numpy as np

from limequat.errors import InvalidArgument, Unsupported

# DLPack's device types.
_HOST_TYPES = {1: "CPU", 3: "page-locked by CUDA", 11: "page-locked by ROCm"}
_GPU_TYPES = {2: "CUDA", 10: "ROCm", 13: "CUDA, managed"}
_LETTERS = {0: "i", 2: "f", 5: "c"}  # DLPack's codes of numbers, as numpy has them


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


@dataclasses.dataclass(frozen=True)
class DeviceArray:
    """A C-contiguous array whose numbers are on a GPU. It is never copied implicitly."""

    address: int
    shape: tuple
    dtype: np.dtype
    is_read_only: bool
    owner: object  # keeps the memory

    @property
    def size(self):
        """The number of elements."""
        return math.prod(self.shape)

    def reshape(self, *shape):
        """The same memory with another shape of the same size."""
        return dataclasses.replace(self, shape=shape)


def seen(array):
    """The DeviceArray of an array on a GPU, None for anything else.

    InvalidArgument if it is not C-contiguous, Unsupported if its GPU is of another maker.
    """
    if isinstance(array, (np.ndarray, DeviceArray)):
        return array if isinstance(array, DeviceArray) else None
    interface = getattr(array, "__cuda_array_interface__", None)
    found = _from_interface(array, interface) if interface is not None else _from_dlpack(array)
    if found is not None and found.size and not _is_known(found.address):
        raise Unsupported(f"the array ({type(array).__name__}) says that it is on a GPU, but no driver of this process "
                          "knows its memory; copy it to the host first", found=type(array).__name__)
    return found


def _is_known(address):
    from limequat import _library  # which needs what needs this module

    return _library.is_device_memory(address)


def _from_interface(array, interface):
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    _require_contiguous(array, shape, interface.get("strides"), dtype.itemsize)
    address, is_read_only = interface["data"]
    return DeviceArray(address or 0, shape, dtype, bool(is_read_only), array)


def _from_dlpack(array):
    if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
        return None
    kind = int(array.__dlpack_device__()[0])
    if kind in _HOST_TYPES:
        return None
    if kind not in _GPU_TYPES:
        raise Unsupported(f"the array ({type(array).__name__}) is on a device of DLPack's type {kind}, expected memory of "
                          "the host, of CUDA or of ROCm; copy it to the host first", expected="2", found=str(kind))
    capsule = array.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer(capsule, b"dltensor"))
    if tensor.code not in _LETTERS or tensor.lanes != 1:
        raise InvalidArgument(f"the array ({type(array).__name__}) holds numbers of DLPack's type {tensor.code} in "
                              f"{tensor.lanes} lanes, expected integers, real or complex floating point", found=str(tensor.code))
    dtype = np.dtype(f"{_LETTERS[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[:tensor.dimensions])
    strides = [n * dtype.itemsize for n in tensor.strides[:tensor.dimensions]] if tensor.strides else None
    _require_contiguous(array, shape, strides, dtype.itemsize)
    # The capsule is not renamed: it frees the tensor when it is deleted with this object.
    return DeviceArray((tensor.data or 0) + tensor.byte_offset, shape, dtype, False, (array, capsule))


def _require_contiguous(array, shape, strides, itemsize):
    expected = [itemsize * math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    if strides is None or 0 in shape:
        return
    if any(n > 1 and have != want for n, have, want in zip(shape, strides, expected)):
        raise InvalidArgument(f"the array ({type(array).__name__}) on the GPU has strides of {list(strides)} bytes, expected "
                              f"{expected}: make it C-contiguous there, because it is never copied implicitly",
                              expected=str(expected), found=str(list(strides)))
