# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lattice fields in files: read, write, verify, look inside.

Arrays are indexed [t, z, y, x, ...] because x runs fastest in memory; wherever extents are *named* (``lattice``,
``extents``) they are x, y, z, t. Links are in the order mu = x, y, z, t, and U_mu(x) transports from x+mu to x.

    >>> import limequat as lq
    >>> u = lq.read("conf.0010.ildg")          # any supported format; the checksum is verified
    >>> lq.write("copy.ildg", u, precision="single")
    >>> lq.plaquette(u).average

    >>> grid = lq.Grid([48, 48, 48, 96], comm=MPI.COMM_WORLD)   # under mpirun: each rank has its own box
    >>> mine = lq.read("conf.0010.ildg", grid=grid)

Failures raise subclasses of :class:`Error` that are also the matching built-in exceptions. Everything that moves
numbers releases the interpreter lock.
"""

from limequat import compat, hdf5, ildg, modes, multifile, needs, plot
from limequat.answers import Answer, Findings, Judgement, Verification
from limequat.arrays import Field
from limequat.background import Pending, read_async, write_async
from limequat.checkpoints import Checkpoint, Checkpoints, list_checkpoints
from limequat.communicators import Communicator
from limequat.densities import charge_density, plaquette_density, topological_charge
from limequat.ensembles import Files, assess, find, index, report_page, scrub, verify_below
from limequat.errors import (
    ChecksumError,
    Code,
    CommunicationError,
    Error,
    Exists,
    InternalError,
    InvalidArgument,
    IoError,
    Malformed,
    NoPermission,
    NoSpace,
    NoSuchRecord,
    NotFound,
    OutOfMemory,
    RanksDisagree,
    TooLarge,
    Truncated,
    UnknownFormat,
    Unsupported,
    WrongState,
)
from limequat.files import FieldView, File, open
from limequat.folders import convert_below, diff_below, extract_below
from limequat.grid import Grid
from limequat.partitions import View, element_at, partition_of, place_of, repartition
from limequat.labelled_writing import to_limequat
from limequat.changing import set_metadata
from limequat.manifests import check_manifest, manifest
from limequat.memory import Memory
from limequat.physics import (FlowPoint, Observables, Plaquette, Unitarity, WilsonLoop, generate, link_trace, observables, plaquette,
                              unitarity)
from limequat.questions import (
    build_parts,
    convert,
    diagnose,
    diff,
    explain,
    export_virtual,
    formats,
    info,
    inspect,
    plan,
    read_record,
    validate,
    verify,
)
from limequat.protecting import protect
from limequat.region_writing import RegionWriter
from limequat.repacking import defragment, extract, pack, repair, unpack
from limequat.sources import Source
from limequat.squeezing import squeeze, unsqueeze
from limequat.staging import copy
from limequat.storage import Stall, file_system_of, watch_stalls
from limequat.transfer import read, write
from limequat.vtk import export_vtk
from limequat.writer import Writer, create
from limequat.zarr_files import check_references
from limequat.zarr_references import references
from limequat._library import version as _version

__version__ = _version()

__all__ = [
    "Answer", "Checkpoint", "Checkpoints", "ChecksumError", "Code", "CommunicationError", "Communicator", "Error",
    "Exists", "Field", "FieldView", "File", "Files", "Findings", "FlowPoint", "Grid", "InternalError",
    "InvalidArgument", "IoError", "Judgement", "Malformed", "Memory", "NoPermission", "NoSpace", "NoSuchRecord",
    "NotFound", "Observables", "OutOfMemory", "Pending", "Plaquette", "RanksDisagree", "RegionWriter", "Source",
    "Stall", "TooLarge", "Truncated", "Unitarity", "UnknownFormat", "Unsupported", "Verification", "View", "WilsonLoop",
    "Writer", "WrongState", "assess", "build_parts", "charge_density", "check_manifest", "check_references", "compat", "convert",
    "convert_below", "copy",
    "correlators", "create", "defragment", "diagnose", "diff", "diff_below", "element_at", "explain", "export_virtual", "export_vtk", "extract", "extract_below",
    "file_system_of", "find", "formats", "generate", "hdf5", "ildg", "index", "info", "inspect", "link_trace",
    "list_checkpoints", "manifest", "modes", "multifile", "observables", "open", "pack", "partition_of", "place_of", "plan", "plaquette",
    "plaquette_density", "plot", "protect", "read", "read_async", "read_record",
    "references", "repair", "repartition", "report_page", "scrub", "set_metadata", "squeeze", "to_limequat", "topological_charge",
    "unitarity", "unpack", "unsqueeze", "validate", "verify", "verify_below", "watch_stalls", "write", "write_async",
]


def __getattr__(name):
    """limequat.correlators is imported when it is used: `python3 -m limequat.correlators` is it, too."""
    if name == "correlators":
        return needs.loaded("limequat.correlators")
    raise AttributeError(f"module 'limequat' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
