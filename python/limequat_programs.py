# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The programs lq and lq-mpi of a wheel. The wheel has an lq-mpi for each MPI and runs the one for the MPI of the launcher.

This is a separate module, because the programs need neither numpy nor the package, and importing it takes longer than most of their work.
"""

import ctypes
import os
import pathlib
import sys

_FOLDER = pathlib.Path(__file__).resolve().parent / "limequat/bin"
# For each launcher, a variable that it sets, and the MPI libraries of its programs.
_LAUNCHERS = (("OMPI_COMM_WORLD_SIZE", ("openmpi",)), ("PMI_RANK", ("mpich", "mpich-of-debian", "abi")),
              ("PMIX_RANK", ("openmpi", "mpich", "mpich-of-debian", "abi")))
_NEEDS = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12", "mpich-of-debian": "libmpich.so.12", "abi": "libmpi_abi.so.1"}


def _run(program, environment=os.environ):
    if not program.is_file():
        sys.exit(f"{program.name}: this package has no program; wheels have it, or CMake installs it (PREFIX/bin)")
    os.execve(program, [str(program), *sys.argv[1:]], environment)


def lq():
    """Runs lq in place of this process."""
    _run(_FOLDER / "lq")


def lq_mpi():
    """Runs the lq-mpi for the MPI of the launcher in place of this process; without a launcher, for the first MPI found."""
    there = [name for name in _NEEDS if (_FOLDER / f"lq-mpi-{name}").is_file()]
    if not there:
        _run(_FOLDER / "lq-mpi")
    fitting = next((names for variable, names in _LAUNCHERS if variable in os.environ), tuple(_NEEDS))
    for name in fitting:
        environment = _where_found(_NEEDS[name]) if name in there else None
        if environment is not None:
            _run(_FOLDER / f"lq-mpi-{name}", environment)
    sys.exit("lq-mpi: no MPI was found: " + ", ".join(_NEEDS[name] for name in fitting) + " is neither where the loader looks nor in "
             f"{pathlib.Path(sys.prefix) / 'lib'}; load the module of your MPI, or set LD_LIBRARY_PATH")


def _where_found(library):
    """The environment in which the loader finds a library; None if it is missing. Wheels of MPIs install their libraries next to those of Python."""
    folder = pathlib.Path(sys.prefix) / "lib"
    if (folder / library).exists():
        return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("LD_LIBRARY_PATH"))))}
    try:
        ctypes.CDLL(library)
    except OSError:
        return None
    return dict(os.environ)
