# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause

from spack.package import *


class Limequat(CMakePackage):
    """Parallel input and output for lattice field theory."""

    # The sources that this recipe lies in; a release names its archive and sum instead.
    git = "file://" + __file__.rsplit("/packaging/", 1)[0]

    license("BSD-3-Clause")

    version("1.0.0", tag="v1.0.0")
    version("main", branch="main")

    variant("mpi", default=True, description="The library over MPI, and lq-mpi")
    variant("hdf5", default=True, description="HDF5 files")
    variant("isa-l", default=True, description="CRC-32 by ISA-L")
    variant("libdeflate", default=True, description="CRC-32 and chunks of HDF5 by libdeflate")
    variant("lz4", default=True, description="Streams of multifiles compressed by LZ4")
    variant("zstd", default=True, description="Archives, and streams and chunks compressed by Zstandard")
    variant("sqlite", default=True, description="Catalogues of ensembles")
    variant("fortran", default=True, description="The Fortran module")
    variant("python", default=False, description="The Python package")
    variant("dropins", default=False, description="Libraries with the names of C-LIME, Lemon, QIO and SIONlib")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt@9:")
    depends_on("pugixml")
    depends_on("cli11", type="build")
    depends_on("isa-l", when="+isa-l")
    depends_on("libdeflate", when="+libdeflate")
    depends_on("lz4", when="+lz4")
    depends_on("zstd", when="+zstd")
    depends_on("sqlite", when="+sqlite")
    depends_on("tomlplusplus", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5@1.10.5:", when="+hdf5")
    depends_on("python@3.9:", when="+python", type=("build", "run"))
    depends_on("py-numpy@1.22:", when="+python", type="run")

    conflicts("%gcc@:10", msg="C++20 needs gcc 11")
    conflicts("%clang@:13", msg="C++20 needs clang 14")

    generator("ninja")

    def cmake_args(self):
        parts = ("isa-l", "libdeflate", "lz4", "zstd", "sqlite", "hdf5")
        return [
            *(self.define(f"LQ_WITH_{part.replace('-', '').upper()}", "ON" if self.spec.satisfies(f"+{part}") else "OFF") for part in parts),
            self.define("LIMEQUAT_TESTS", False),
            self.define("LIMEQUAT_UNITY", True),
            self.define("LIMEQUAT_MPI", "AUTO" if self.spec.satisfies("+mpi") else "none"),
            self.define("LIMEQUAT_FORTRAN", "ON" if self.spec.satisfies("+fortran") else "OFF"),
            self.define_from_variant("LIMEQUAT_DROPINS", "dropins"),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", join_path(self.prefix.lib, "python"))
