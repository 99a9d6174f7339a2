#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Python package with the core library inside, as a wheel for every Python 3 of one platform: no MPI, no compiler; with
# libraries over several MPIs, of which the package takes the one that fits (python/limequat/communicators.py). Also the
# build backend of the source distribution (PEP 517): there the library is compiled by CMake first.
"""usage: make_wheel.py LIBRARY FOLDER [--repair] [--mpi=NAME:LIBRARY]...
       make_wheel.py --sdist FOLDER

LIBRARY  liblimequat.so as built; --mpi adds a liblimequat_mpi.so, such as --mpi=mpich:PATH; --repair bundles what it needs and the platform tag does not promise, by auditwheel"""

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


def version():
    """That of the package, which a test holds against the library."""
    return re.search(r'^version = "(.*)"$', (ROOT / "python/pyproject.toml").read_text(encoding="utf-8"), re.M)[1]


def platform():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def components(library):
    """The libraries of the components beside the core, by the names under which it loads them."""
    number = re.search(r"Library soname: \[liblimequat\.so\.(\d+)\]",
                       subprocess.run(["readelf", "-dW", library], text=True, capture_output=True, check=True).stdout)[1]
    return [path for name in COMPONENTS if (path := library.parent / f"liblimequat_{name}.so.{number}").exists()]


def stage(library, folder, over_mpi=()):
    """The package with the library in it, and with pairs of a name of an MPI and a library over it, as setuptools wants it."""
    library = pathlib.Path(library).resolve()
    if not library.is_file():
        raise SystemExit(f"make_wheel.py: {library}: there is no such library; build it first: ./dev build")
    shutil.copytree(ROOT / "python/limequat", folder / "limequat", ignore=shutil.ignore_patterns("__pycache__", "*.so*"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / "python" / name, folder)
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copy(library, folder / "limequat" / "liblimequat.so")
    for name in components(library):
        shutil.copy(name, folder / "limequat")
    for name, path in over_mpi:
        shutil.copy(path, folder / "limequat" / f"liblimequat_mpi-{name}.so")


def plain_wheel(library, output, over_mpi=()):
    """A wheel that needs the libraries of this system; the path of it."""
    warnings.simplefilter("ignore")  # of setuptools about its own future
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
        stage(library, folder, over_mpi)
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
    """The wheel with what it needs inside and the tag of the oldest systems that it runs on; the path of it."""
    # Components need the core, which is in the wheel and in the process before them: no second one for them. The MPI is
    # that of mpi4py.
    unbundled = [*(f"liblimequat.so.{number}" for number in range(10)), "libmpi.so.*", "libmpi_abi.so.*", "libopen-*", "libmpich.so.*"]
    excluded = [word for name in unbundled for word in ("--exclude", name)]
    with tempfile.TemporaryDirectory(prefix="limequat-repair-") as name:
        done = subprocess.run([sys.executable, "-m", "auditwheel", "repair", *excluded, "-w", name, wheel], text=True, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"make_wheel.py: auditwheel could not repair {wheel}: {done.stderr[-2000:]}")
        made, = pathlib.Path(name).glob("*.whl")
        wheel.unlink()
        return pathlib.Path(shutil.move(made, pathlib.Path(output) / made.name))


def sources():
    """The files of a source distribution, relative to the root: those that git knows, or all of an unpacked one."""
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True)
    if done.returncode == 0 and done.stdout:
        return [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file())


# --- PEP 517 ------------------------------------------------------------------------------------------------------------


def get_requires_for_build_wheel(config_settings=None):
    return ["setuptools>=61", "wheel"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Compiles the core without MPI and puts it into a wheel."""
    with tempfile.TemporaryDirectory(prefix="limequat-build-") as tree:
        options = ["MPI=none", "TESTS=OFF", "PROGRAMS=OFF", "DROPINS=OFF", "FORTRAN=OFF", "UNITY=ON"]
        for command in (["cmake", "-S", ROOT, "-B", tree, "-DCMAKE_BUILD_TYPE=Release", *(f"-DLIMEQUAT_{o}" for o in options)],
                        ["cmake", "--build", tree, "--target", "limequat", *(f"limequat_{name}" for name in COMPONENTS), "--parallel",
                         str(os.cpu_count() or 1)]):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise SystemExit(f"limequat: {' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}\nA compiler for C++20, "
                                 "CMake, fmt and pugixml are needed to build from sources; wheels need none of them")
        return plain_wheel(pathlib.Path(tree) / "lib" / "liblimequat.so", wheel_directory).name


def build_sdist(sdist_directory, config_settings=None):
    """All sources, with what pip needs to build the package out of them."""
    base = f"limequat-{version()}"
    target = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    about = f"Metadata-Version: 2.1\nName: limequat\nVersion: {version()}\nSummary: Parallel input and output for lattice field theory\n"
    epoch = os.environ.get("SOURCE_DATE_EPOCH")  # the same bytes at every attempt, if the time of the release is given

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
    wheel = plain_wheel(library, output, over_mpi)
    print(repaired_wheel(wheel, output) if "--repair" in sys.argv else wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
