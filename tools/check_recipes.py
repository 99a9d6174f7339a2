#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the recipes of packaging/ (and ./dev) with CMake: each library that cmake/Dependencies.cmake looks for is a dependency
# in each recipe, and each option that a recipe sets exists.
"""usage: check_recipes.py [ROOT]"""

import pathlib
import re
import sys

# By CMake's name of a library: its packages in Debian for development and (unless it is header-only) for use, in Spack and in conda.
NAMES = {
    "fmt": ("libfmt-dev", "libfmt9", "fmt", "fmt"),
    "pugixml": ("libpugixml-dev", "libpugixml1v5", "pugixml", "pugixml"),
    "ISAL": ("libisal-dev", "libisal2", "isa-l", "isa-l"),
    "LIBDEFLATE": ("libdeflate-dev", "libdeflate0", "libdeflate", "libdeflate"),
    "LZ4": ("liblz4-dev", "liblz4-1", "lz4", "lz4-c"),
    "ZSTD": ("libzstd-dev", "libzstd1", "zstd", "zstd"),
    "SQLITE": ("libsqlite3-dev", "libsqlite3-0", "sqlite", "libsqlite"),
    "HDF5": ("libhdf5-dev", "libhdf5-103-1", "hdf5", "hdf5"),
    "TOMLPLUSPLUS": ("libtomlplusplus-dev", None, "tomlplusplus", "tomlplusplus"),
    "CLI": ("libcli11-dev", None, "cli11", "cli11"),
}
# For each recipe, which of these packages it names, and how it writes them.
RECIPES = (
    ("dev", 0, r"need {} "),
    ("packaging/debian/control", 0, r"[\s,]{}(?=[,\s])"),
    ("packaging/Containerfile", 1, r"\s{}\s"),
    ("packaging/spack/packages/limequat/package.py", 2, r'depends_on\("{}[@"]'),
    ("packaging/conda/recipe.yaml", 3, r"^    - {}\s"),
)
SETS_OPTIONS = ("packaging/debian/rules", "packaging/spack/packages/limequat/package.py", "packaging/conda/recipe.yaml",
                "tools/make_wheel.py")


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def libraries(root):
    """The packages that CMake looks for, except tests, compilers and MPI."""
    text = read(root, "cmake/Dependencies.cmake")
    return sorted(set(re.findall(r"^lq_(?:find_optional|library_of_headers|find_headers)\((\w+)", text, re.M)
                      + re.findall(r"\bLQ_WITH_([A-Z0-9]+)\b", text)))


def options(root):
    """The options of CMake."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "cmake").glob("*.cmake")))
    found = re.findall(r"^\s*option\((\w+)", text, re.M) + re.findall(r"^\s*set\((\w+) [^\n]* CACHE ", text, re.M)
    return {*found, *(f"LQ_WITH_{library}" for library in libraries(root))}


def missing(root):
    """Sentences about libraries that a recipe does not name."""
    for library in libraries(root):
        if library not in NAMES:
            yield f"cmake/Dependencies.cmake looks for {library}, of which tools/check_recipes.py knows no packages"
            continue
        for recipe, which, pattern in RECIPES:
            name = NAMES[library][which]
            if name and not re.search(pattern.format(re.escape(name)), read(root, recipe), re.M):
                yield f"{recipe} does not name {name}, which cmake/Dependencies.cmake looks for ({library})"


def unknown(root):
    """Sentences about options that a recipe sets and CMake does not have."""
    known = options(root)
    for recipe in SETS_OPTIONS:
        text = read(root, recipe)
        used = re.findall(r"-D((?:LIMEQUAT|LQ)_\w+)=", text) + re.findall(r'define(?:_from_variant)?\("(\w+)"', text)
        used += [f"LIMEQUAT_{name}" for name in re.findall(r'"([A-Z]+)=(?:ON|OFF|none)"', text)]
        for name in sorted(set(used) - known):
            yield f"{recipe} sets {name}, which is no option of CMake"


def check(root):
    """All errors in the recipes of a tree."""
    return [*missing(root), *unknown(root)]


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    complaints = check(root)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
