# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The package: how the library is found, that the structs fit, that everything public is documented."""

import ctypes
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import limequat as lq
from limequat import _library, structs
from limequat.options import Options

ROOT = pathlib.Path(lq.__file__).resolve().parent.parent


def imported(**environment):
    """Runs `import limequat` in a process of its own."""
    return subprocess.run([sys.executable, "-c", "import limequat; print(limequat.__version__)"], text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment})


def test_a_wrong_library_is_an_import_error_that_names_the_remedy():
    result = imported(LIMEQUAT_LIBRARY="/nowhere/liblimequat.so")
    assert result.returncode != 0
    assert "ImportError" in result.stderr and "LIMEQUAT_LIBRARY" in result.stderr and "/nowhere" in result.stderr


def test_a_library_of_something_else_is_an_import_error():
    result = imported(LIMEQUAT_LIBRARY="libc.so.6" if sys.platform != "darwin" else "libSystem.dylib")
    assert "is not the Limequat of this package" in result.stderr


def test_a_library_in_the_lib_folder_of_the_prefix_is_found(tmp_path):
    copied = tmp_path / "lib" / "python" / "limequat"
    shutil.copytree(ROOT / "limequat", copied, ignore=shutil.ignore_patterns("__pycache__", "*.so*"))
    (tmp_path / "lib" / "liblimequat.so").symlink_to(os.path.abspath(_library._library._name))
    result = imported(LIMEQUAT_LIBRARY="", PYTHONPATH=str(copied.parent))
    assert result.stdout.strip() == lq.__version__, result.stderr


def test_components_are_loaded_when_their_functions_are_called(tmp_path):
    core = pathlib.Path(_library.library_path()).resolve()
    alone = tmp_path / "liblimequat.so"
    alone.write_bytes(core.read_bytes())
    use = """
import limequat as lq
def loaded():
    return {name for name in ("hdf5", "ensemble") if f"liblimequat_{name}" in open("/proc/self/maps").read()}
assert not loaded()
try:
    lq.find("true", db="none")
except lq.NotFound:
    print(loaded())
except lq.Unsupported as error:
    print("unsupported:", error)
"""
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    run = [sys.executable, "-c", use]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    there = subprocess.run(run, text=True, capture_output=True, env={**environment, "LIMEQUAT_LIBRARY": str(core)})
    assert there.stdout.strip() == "{'ensemble'}" or "built without" in there.stdout, there.stdout + there.stderr
    missing = subprocess.run(run, text=True, capture_output=True, env={**environment, "LIMEQUAT_LIBRARY": str(alone)})
    assert "unsupported: lq_catalogue_options_init needs Limequat's component ensemble" in missing.stdout, missing.stderr
    assert f"install it beside {alone}" in missing.stdout


def test_what_the_library_was_built_with_is_what_it_is_linked_to():
    parts = {part["name"]: part for part in lq.build_parts()}
    core = pathlib.Path(_library.library_path()).read_bytes()
    for name, library in (("ISA-L", b"libisal.so"), ("lz4", b"liblz4.so"), ("zstd", b"libzstd.so")):
        assert parts[name]["is_present"] == (library in core), parts[name]
    assert parts["HDF5"]["is_present"] == ("hdf5" in {one["name"] for one in lq.formats()})
    assert all(part["note"] for part in parts.values())


def test_the_version_of_the_package_is_that_of_the_library():
    project = ROOT / "pyproject.toml"
    if project.exists():
        assert re.search(r'^version = "(.*)"$', project.read_text(), re.M).group(1) == lq.__version__


def test_struct_members_are_where_the_library_has_them():
    write = Options("WriteOptions").struct
    assert (write.struct_size, write.verify, write.sync, write.overwrite) == (ctypes.sizeof(write), 1, 2, 0)
    assert (write.slice_checksums, write.block_bytes) == (1, 0)
    assert (write.strategy, write.aggregators, write.memory_bytes) == (0, 0, 0)
    read = Options("ReadOptions").struct
    assert (read.verify, read.block_bytes, read.limit_records) == (1, 0, 1_000_000)
    assert (read.strategy, read.aggregators, read.memory_bytes) == (0, 0, 0)
    verify = Options("VerifyOptions").struct
    assert (verify.physics, verify.memory_bytes, verify.limit_records) == (0, 4 << 30, 1_000_000)
    generate = Options("GenerateOptions").struct
    assert (generate.beta, generate.sweeps, generate.over_relaxation, generate.seed) == (6.0, 100, 3, 1)
    for table in ("ConvertOptions", "DiffOptions"):
        assert Options(table).struct.limit_text_bytes == 16 << 20


MODULES = (lq, lq.correlators, lq.hdf5, lq.ildg, lq.modes, lq.multifile, lq.plot)
FROM_PARENTS = {"seek", "tell", "readable", "seekable", "readinto"}  # documented by io.RawIOBase


def public():
    """(name, thing) of all functions, classes, methods and properties that users are given."""
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and member not in FROM_PARENTS and (inspect.isfunction(value)
                                                                                  or isinstance(value, property)):
                    yield f"{module.__name__}.{name}.{member}", value


def test_everything_public_is_documented():
    for name, thing in public():
        assert inspect.getdoc(thing), name


def test_every_argument_is_explained():
    """By its name, or by saying whose arguments they are. Methods of sessions have paths and names in them, which the page
    of the module explains."""
    missing = []
    for name, thing in public():
        if not inspect.isfunction(thing):
            continue
        said = inspect.getdoc(thing)
        if re.search(r"(as|options) (in|of|as)\b|As :func:|those of :func:", said):
            continue
        own = set(inspect.signature(thing).parameters) - {"self"} - ({"path", "name"} if name.count(".") > 2 else set())
        missing += [f"{name}: {argument}" for argument in own if not re.search(rf"\b{re.escape(argument)}s?\b", said)]
    assert not missing, "\n".join(missing)


def test_everything_public_is_on_the_page_of_the_interface():
    page = ROOT.parent / "docs/api/python.md"
    if not page.exists():
        pytest.skip("the package is here without its pages")
    shown = re.findall(r"auto(module|function|class):: (?:limequat\.)?(\w+)", page.read_text(encoding="utf-8"))
    names = {name for _, name in shown}
    for kind, module in shown:
        names |= {name for name, thing in vars(getattr(lq, module)).items() if isinstance(thing, type)} if kind == "module" else set()
    assert sorted(set(lq.__all__) - names) == []


def test_nothing_but_numpy_is_needed():
    code = "import sys, limequat; print(sorted({m.split('.')[0] for m in sys.modules} & {'mpi4py', 'h5py', 'pandas'}))"
    result = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert result.stdout.strip() == "[]", result.stderr


def test_the_types_of_calls_are_those_of_the_header():
    """A few of each kind; the table they are made of is compared with the header by tools/check_abi.py."""
    library, field, handle = _library._library, structs.Field, structs.HandlePointer
    assert library.lq_write.argtypes == [ctypes.c_char_p, handle, field, ctypes.c_void_p] and library.lq_write.restype is ctypes.c_int
    assert library.lq_multifile_size.argtypes == [handle, ctypes.c_int64, ctypes.POINTER(ctypes.c_uint64)]
    assert library.lq_copy.argtypes[0] == ctypes.POINTER(ctypes.c_char_p) and library.lq_copy.argtypes[-1] == ctypes.POINTER(ctypes.c_void_p)
    assert (library.lq_version.restype, library.lq_stop.restype, library.lq_modes_size.restype) == (ctypes.c_char_p, None, ctypes.c_uint64)
    assert (ctypes.sizeof(field), field.available.offset, field.store_rows.offset) == (120, 40, 112)
    assert structs.Hdf5Array.axes.offset == 272 and structs.Hdf5Array._fields_[-1][1]._type_ is structs.Hdf5Axis
    assert structs.Sink is structs.Sink and structs.Sink._argtypes_ == (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
    with pytest.raises(AttributeError, match="no attribute 'NoSuchThing'"):
        structs.NoSuchThing
