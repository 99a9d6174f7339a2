# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The examples in docstrings run as they stand."""

import doctest
import importlib
import inspect
import os
import pathlib
import shutil

import numpy as np
import pytest

import limequat as lq
from conftest import random_links

# Examples that need a server of others, and the packages that others need.
NEEDS_A_SERVER = {"limequat.sources", "limequat.virtualizarr"}
NEEDS = {"limequat.plot": "matplotlib", "limequat.grid": "mpi4py"}


def _documented(module):
    """The docstrings of a module, and of the classes and functions defined in it."""
    yield module.__name__, module.__doc__
    for name, member in vars(module).items():
        if getattr(member, "__module__", None) != module.__name__:
            continue
        yield f"{module.__name__}.{name}", inspect.getdoc(member)
        if inspect.isclass(member):
            for inner, method in vars(member).items():
                if inspect.isfunction(method):
                    yield f"{module.__name__}.{name}.{inner}", inspect.getdoc(method)


def _examples():
    parser = doctest.DocTestParser()
    root = pathlib.Path(lq.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(["limequat", *path.relative_to(root).with_suffix("").parts]).replace(".__init__", "")
        if name in NEEDS_A_SERVER or ">>>" not in path.read_text():
            continue
        for where, text in _documented(importlib.import_module(name)):
            sources = [example.source for example in parser.get_examples(text or "")]
            if sources:
                yield pytest.param(name, sources, id=where)


EXAMPLES = list(_examples())


@pytest.fixture
def names(tmp_path, monkeypatch):
    """A folder with the files that the examples read, and the names that they use."""
    monkeypatch.chdir(tmp_path)
    u = random_links((4, 4, 4, 4, 4))
    for path in ("conf.0010.ildg", "conf.ildg"):
        lq.write(path, u, metadata={"xlf-info": "beta = 6.0\n"})
    (tmp_path / "b600").mkdir()
    lq.write("b600/conf.0010.ildg", u)
    return {"lq": lq, "numpy": np, "u": u, "start": lambda: u, "x": 0, "y": 0, "z": 0, "t": 0, "mu": 0}


def _prepare(module, names):
    """What the example of one module needs besides."""
    if module == "limequat.modes":
        names["v"] = np.ones((32, 16, 16, 16, 4, 3), complex)
    elif module == "limequat.hdf5":
        names["c"] = np.ones((3, 64))
    elif module == "limequat.checkpoints":
        os.mkdir("run")
        names.update(update=lambda u: u, rng_bytes=b"state")
    elif module == "limequat.correlators":
        names["c"] = np.ones(64)
    elif module == "limequat.memory":
        names.update(zip(("ux", "uy", "uz", "ut"), np.empty((4, 32, 16, 16, 16, 3, 3), complex)))
        lq.write("conf.ildg", random_links((32, 16, 16, 16, 4)), overwrite=True)
    elif module == "limequat.partitions":
        lq.repartition("conf.ildg", "conf.set", to="t=block:2")
    elif module == "limequat.plot":
        names["u"] = lq.read("conf.0010.ildg")
        shutil.copy(pathlib.Path(__file__).parents[2] / "docs" / "benchmarks" / "memory.json", "mine.json")
    elif module in ("limequat.grid", "limequat"):
        lq.write("conf.0010.ildg", np.broadcast_to(np.eye(3, dtype=complex), (8, 4, 4, 4, 4, 3, 3)).copy(), overwrite=True)
    elif module == "limequat.compat.latqcdtools":
        lq.write("conf.0010.ildg", random_links((4, 8, 8, 8, 4)), overwrite=True)
    elif module == "limequat.compat.pylatticeio":
        lq.write("conf.0010.lime", names["u"], format="scidac")


def test_there_are_examples():
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize("module, sources", EXAMPLES)
def test_example_runs(module, sources, names):
    if module in NEEDS:
        pytest.importorskip(NEEDS[module])
    _prepare(module, names)
    for source in sources:
        # A lattice of 48^3x96 would need 3 GB.
        code = source.replace("[48, 48, 48, 96]", "[4, 4, 4, 8]")
        if "MPI.COMM_WORLD" in code:
            names.setdefault("MPI", importlib.import_module("mpi4py.MPI"))
        exec(compile(code, f"<example of {module}>", "single"), names)  # noqa: S102
