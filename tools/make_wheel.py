#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds a wheel of the Python package with the core library inside, for every Python 3 of one platform. It needs neither MPI nor a compiler.
# It contains libraries and programs for several MPIs, and the package uses the matching one (python/limequat/communicators.py,
# python/limequat_programs.py). This is also the build backend of the source distribution (PEP 517), which compiles the library by CMake first.
"""usage: make_wheel.py LIBRARY FOLDER [--repair] [--mpi=NAME:LIBRARY]...
       make_wheel.py --sdist FOLDER

LIBRARY  liblimequat.so as built; --mpi adds a liblimequat_mpi.so, such as --mpi=mpich:PATH; --repair bundles what it needs and the platform
tag does not promise, by auditwheel, and the programs lq and lq-mpi, which lie in ../bin seen from their libraries"""

import contextlib
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPONENTS = ("hdf5", "ensemble")
IS_MPI = re.compile(r"libmpi(ch|_abi)?\.so\.")


def version():
    """The version of the package, which a test compares with the library."""
    return re.search(r'^version = "(.*)"$', (ROOT / "python/pyproject.toml").read_text(encoding="utf-8"), re.M)[1]


def platform():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def dynamic(path, kind):
    """The names of a kind ("soname", "Shared library") in the table of a library or program."""
    said = subprocess.run(["readelf", "-dW", path], text=True, capture_output=True, check=True).stdout
    return re.findall(rf"{kind}: \[(.*)\]", said)


def components(library):
    """The libraries of the components, by the names under which the core loads them."""
    number = dynamic(library, "soname")[0].rpartition(".")[2]
    return [path for name in COMPONENTS if (path := library.parent / f"liblimequat_{name}.so.{number}").exists()]


def flavours(over_mpi):
    """(name, library, name of the MPI's library) for each library over an MPI. Debian alone calls the library of MPICH
    libmpich.so.12; there is one for those who call it libmpi.so.12, too."""
    for name, path in over_mpi:
        mpi = next(filter(IS_MPI.match, dynamic(path, "Shared library")))
        if mpi == "libmpich.so.12" and shutil.which("patchelf"):
            yield name, path, "libmpi.so.12"
            yield f"{name}-of-debian", path, mpi
        else:
            yield name, path, mpi


def copy_stripped(source, target):
    """Copies a library or program without the names that only debuggers read, a tenth of a wheel."""
    shutil.copy(source, target)
    if shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", target], check=True)


def copy_linked(source, target, mpi=None, *changes):
    """Sets the name of the MPI of a library or program."""
    target.parent.mkdir(exist_ok=True)
    copy_stripped(source, target)
    for needed in dynamic(source, "Shared library") if mpi else ():
        if IS_MPI.match(needed) and needed != mpi:
            changes += ("--replace-needed", needed, mpi)
    if changes:
        subprocess.run(["patchelf", *changes, target], check=True)


def stage_programs(library, package, over_mpi):
    """lq and lq-mpi-NAME, if they were built: each finds the libraries of the package and the MPI of its library."""
    there = ("--force-rpath", "--set-rpath", "$ORIGIN/..")
    program = library.parent.parent / "bin/lq"
    if program.is_file():
        copy_linked(program, package / "bin/lq", None, *there)
    for name, path, mpi in flavours(over_mpi):
        program = pathlib.Path(path).resolve().parent.parent / "bin/lq-mpi"
        own, = [needed for needed in dynamic(program, "Shared library") if needed.startswith("liblimequat_mpi.")] or [None]
        if own:
            copy_linked(program, package / f"bin/lq-mpi-{name}", mpi, *there, "--replace-needed", own, f"liblimequat_mpi-{name}.so")


def stage_sources(folder):
    """The package without libraries, in the layout for setuptools."""
    shutil.copytree(ROOT / "python/limequat", folder / "limequat", ignore=shutil.ignore_patterns("__pycache__", "*.so*"))
    for name in ("pyproject.toml", "README.md", "limequat_programs.py"):
        shutil.copy(ROOT / "python" / name, folder)
    shutil.copy(ROOT / "LICENSE", folder)


def stage(library, folder, over_mpi=(), with_programs=False):
    """The package with the library, and with pairs of the name of an MPI and its library, in the layout for setuptools."""
    library = pathlib.Path(library).resolve()
    if not library.is_file():
        raise SystemExit(f"make_wheel.py: {library}: there is no such library; build it first: ./dev build")
    stage_sources(folder)
    copy_stripped(library, folder / "limequat" / dynamic(library, "soname")[0])  # the name that programs and components load
    for path in components(library):
        copy_stripped(path, folder / "limequat" / path.name)
    for name, path, mpi in flavours(over_mpi):
        copy_linked(path, folder / "limequat" / f"liblimequat_mpi-{name}.so", mpi)
    if with_programs:
        stage_programs(library, folder / "limequat", over_mpi)


def plain_wheel(library, output, over_mpi=(), with_programs=False):
    """Builds a wheel that needs the libraries of this system; returns its path."""
    warnings.simplefilter("ignore")  # deprecation warnings of setuptools
    from setuptools import Distribution, setup
    from wheel.bdist_wheel import bdist_wheel

    class WithLibrary(Distribution):
        def has_ext_modules(self):
            return True

    class AnyPython(bdist_wheel):
        def get_tag(self):
            return "py3", "none", platform()

    output = pathlib.Path(output).resolve()
    with tempfile.TemporaryDirectory(prefix="limequat-wheel-") as name:
        folder = pathlib.Path(name)
        stage(library, folder, over_mpi, with_programs)
        with contextlib.chdir(folder) if hasattr(contextlib, "chdir") else _inside(folder), _quiet():
            setup(script_name="setup.py", script_args=["-q", "bdist_wheel", "-d", str(output)], distclass=WithLibrary,
                  cmdclass={"bdist_wheel": AnyPython})
    return output / f"limequat-{version()}-py3-none-{platform()}.whl"


@contextlib.contextmanager
def _inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _quiet():
    return contextlib.redirect_stdout(io.StringIO())


def repaired_wheel(wheel, output):
    """Adds the required libraries to the wheel, and the tag of the oldest systems that it runs on; returns its path."""
    # Components use the core of the wheel, which is loaded before them: no second copy. The MPI is the MPI
    # of mpi4py.
    unbundled = ["liblimequat*.so*", "libmpi.so.*", "libmpi_abi.so.*", "libopen-*", "libmpich.so.*"]
    excluded = [word for name in unbundled for word in ("--exclude", name)]
    with tempfile.TemporaryDirectory(prefix="limequat-repair-") as name:
        done = subprocess.run([sys.executable, "-m", "auditwheel", "repair", *excluded, "-w", name, wheel], text=True, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"make_wheel.py: auditwheel could not repair {wheel}: {done.stderr[-2000:]}")
        made, = pathlib.Path(name).glob("*.whl")
        wheel.unlink()
        return pathlib.Path(shutil.move(made, pathlib.Path(output) / made.name))


def sources():
    """The files of a source distribution, relative to the root: the files in git, or all files of an unpacked distribution."""
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True)
    if done.returncode == 0 and done.stdout:
        return [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file())


# --- PEP 517 ------------------------------------------------------------------------------------------------------------


def get_requires_for_build_wheel(config_settings=None):
    return ["setuptools>=61", "wheel"]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """The metadata alone: without this, pip compiles the core a second time to get it."""
    warnings.simplefilter("ignore")
    from setuptools import build_meta
    target = str(pathlib.Path(metadata_directory).resolve())
    with tempfile.TemporaryDirectory(prefix="limequat-metadata-") as name:
        stage_sources(pathlib.Path(name))
        with contextlib.chdir(name) if hasattr(contextlib, "chdir") else _inside(name), _quiet():
            return build_meta.prepare_metadata_for_build_wheel(target)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Compiles the core without MPI and puts it into a wheel."""
    with tempfile.TemporaryDirectory(prefix="limequat-build-") as tree:
        options = ["MPI=none", "TESTS=OFF", "PROGRAMS=OFF", "DROPINS=OFF", "FORTRAN=OFF", "UNITY=ON"]
        for command in (["cmake", "-S", ROOT, "-B", tree, "-DCMAKE_BUILD_TYPE=Release", *(f"-DLIMEQUAT_{o}" for o in options)],
                        ["cmake", "--build", tree, "--target", "limequat", *(f"limequat_{name}" for name in COMPONENTS), "--parallel",
                         str(os.cpu_count() or 1)]):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise SystemExit(f"limequat: {' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}\nA compiler for C++20 "
                                 "and CMake are needed to build from sources; wheels need neither")
        return plain_wheel(pathlib.Path(tree) / "lib" / "liblimequat.so", wheel_directory).name


def build_sdist(sdist_directory, config_settings=None):
    """All sources, with the metadata that pip needs to build the package."""
    base = f"limequat-{version()}"
    target = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    about = f"Metadata-Version: 2.1\nName: limequat\nVersion: {version()}\nSummary: Parallel input and output for lattice field theory\n"
    epoch = os.environ.get("SOURCE_DATE_EPOCH")  # reproducible if the time of the release is given

    def dated(info):
        if epoch:
            info.mtime, info.uid, info.gid, info.uname, info.gname = int(epoch), 0, 0, "", ""
        return info

    with (open(target, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=int(epoch) if epoch else None) as packed,
          tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive):
        for name in sorted(sources()):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False, filter=dated)
        info = dated(tarfile.TarInfo(f"{base}/PKG-INFO"))
        info.size = len(about)
        archive.addfile(info, io.BytesIO(about.encode()))
    return target.name


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if "--sdist" in sys.argv and len(words) == 1:
        pathlib.Path(words[0]).mkdir(parents=True, exist_ok=True)
        print(pathlib.Path(words[0]) / build_sdist(words[0]))
        return 0
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    library, output = words
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    over_mpi = [word.removeprefix("--mpi=").split(":", 1) for word in sys.argv if word.startswith("--mpi=")]
    is_repaired = "--repair" in sys.argv
    wheel = plain_wheel(library, output, over_mpi, is_repaired)
    print(repaired_wheel(wheel, output) if is_repaired else wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
