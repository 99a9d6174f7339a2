# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Names of types for type checkers: the arguments of this package's functions. Imported by type checkers only.

    Path, Target   a file to be read (a name, an open binary file, a URL), and one to be written
    Paths          one or several files or folders
    Extents        numbers in x, y, z, t order, or a text such as "8x8x8x16"
    ArrayIn        an array of numpy, of a GPU, of dask or xarray, nested lists, or a :class:`limequat.Memory`
    Comm           a communicator of mpi4py, a :class:`limequat.Communicator` or a :class:`limequat.Grid`
"""

import os
from typing import Any, Iterable, List, Literal, Mapping, Protocol, Sequence, Tuple, Type, Union

import numpy as np
from numpy.typing import NDArray

from limequat.communicators import Communicator
from limequat.grid import Grid
from limequat.memory import Memory
from limequat.sources import Source


class ReadableFile(Protocol):
    """An open binary file, such as io.BytesIO or one of fsspec."""

    def read(self, size: int, /) -> bytes: ...

    def seek(self, offset: int, whence: int = ..., /) -> Any: ...


class _AnyArray(Protocol):
    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...


class MpiComm(Protocol):
    """A communicator of mpi4py."""

    def Get_rank(self) -> int: ...

    def Get_size(self) -> int: ...


Target = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Path = Union[Target, ReadableFile, Source]
Paths = Union[Target, Iterable[Target]]
Extents = Union[str, Sequence[int], NDArray[np.integer[Any]]]
ArrayIn = Union[NDArray[Any], List[Any], Tuple[Any, ...], _AnyArray, Memory]
Comm = Union[Communicator, Grid, MpiComm]
FieldName = Union[str, int, Tuple[str, int]]
Kind = Literal["gauge", "spinor", "propagator", "generic"]
Parity = Literal["both", "even", "odd"]
Storage = Literal["double", "single", "fixed16"]
Region = Union[Mapping[Union[str, int], Union[slice, int]], str]
Dtype = Union[Literal["complex128", "complex64", "float64", "float32"], Type[complex], Type[float], Type["np.inexact[Any]"], "np.dtype[Any]"]
Slices = Union[int, Literal["auto"], None]
