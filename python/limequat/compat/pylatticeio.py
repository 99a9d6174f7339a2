# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The functions of PyLatticeIO, with Limequat: those of :mod:`limequat.compat.pyquda_io`, except that reading returns only
the array, without latt_size.

    >>> from limequat.compat import pylatticeio as io    # instead of: import pylatticeio as io
    >>> gauge = io.readChromaQIOGauge("conf.0010.lime")

readTimeSlice of its module eigen is not here: :func:`limequat.modes.open` reads .mod files."""

from limequat.compat import pyquda_io
from limequat.compat.pyquda_io import (  # noqa: F401
    init,
    readILDGBinGauge,
    readIOGeneral,
    readKYUGauge,
    readKYUPropagator,
    readXQCDPropagator,
    readXQCDStaggeredPropagator,
    writeIOGeneral,
    writeKYUGauge,
    writeKYUPropagator,
    writeMILCGauge,
    writeOpenQCDGauge,
    writeXQCDPropagator,
    writeXQCDStaggeredPropagator,
)

__all__ = [
    "init", "readChromaQIOGauge", "readChromaQIOPropagator", "readChromaQIOStaggeredPropagator", "readILDGBinGauge", "readIOGeneral",
    "readKYUGauge", "readKYUPropagator", "readKYUPropagatorF", "readMILCGauge", "readMILCQIOPropagator",
    "readMILCQIOStaggeredPropagator", "readNERSCGauge", "readOpenQCDGauge", "readQIOGauge", "readQIOPropagator",
    "readQIOStaggeredPropagator", "readXQCDPropagator", "readXQCDStaggeredPropagator", "writeIOGeneral", "writeKYUGauge",
    "writeKYUPropagator", "writeKYUPropagatorF", "writeMILCGauge", "writeOpenQCDGauge", "writeXQCDPropagator",
    "writeXQCDStaggeredPropagator",
]

readKYUPropagatorF = readXQCDPropagator
writeKYUPropagatorF = writeXQCDPropagator


def readChromaQIOGauge(filename, checksum=True):
    """The gauge field of a SciDAC or ILDG file."""
    return pyquda_io.readChromaQIOGauge(filename, checksum)[1]


readQIOGauge = readChromaQIOGauge
readMILCGauge = readChromaQIOGauge


def readNERSCGauge(filename, link_trace=True, checksum=True):
    """The gauge field of an archive file of the Gauge Connection."""
    return pyquda_io.readNERSCGauge(filename, checksum, link_trace=link_trace)[1]


def readOpenQCDGauge(filename):
    """The gauge field of a configuration of openQCD."""
    return pyquda_io.readOpenQCDGauge(filename)[1]


def readChromaQIOPropagator(filename, checksum=True):
    """The propagator of a SciDAC file."""
    return pyquda_io.readChromaQIOPropagator(filename, checksum)[1]


def readChromaQIOStaggeredPropagator(filename, checksum=True):
    """The staggered propagator of a SciDAC file."""
    return pyquda_io.readChromaQIOStaggeredPropagator(filename, checksum)[1]


readQIOPropagator = readChromaQIOPropagator
readQIOStaggeredPropagator = readChromaQIOStaggeredPropagator


def readMILCQIOPropagator(filename):
    """The propagator of twelve pairs of source and solution of MILC."""
    return pyquda_io.readMILCQIOPropagator(filename)[1]


def readMILCQIOStaggeredPropagator(filename):
    """The staggered propagator of three pairs of source and solution of MILC."""
    return pyquda_io.readMILCQIOStaggeredPropagator(filename)[1]
