# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Every name in names.txt, as programs meet it: declared in a header, with its value, and in the libraries, there also
# under the name of the renamed edition, which has an "l" in front.
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parent
ROOT = SOURCE.parents[2]
OPTIONS = None
# Known to programs that declare them, but in no header.
UNDECLARED = {"_sion_buddy_role_to_str"}


def names(kind):
    """The lines of that kind, without it."""
    lines = [line.split() for line in (SOURCE / "names.txt").read_text(encoding="utf-8").splitlines()]
    found = [line[1:] for line in lines if line and line[0] == kind]
    assert found, kind
    return found


def renamed(name):
    """As the other edition calls it: underscores in front stay there."""
    return "_l" + name[1:] if name.startswith("_") else "l" + name


def symbols(pattern, *options):
    """All that the libraries define, without versions."""
    libraries = sorted(pathlib.Path(OPTIONS.libraries).glob(pattern))
    listed = subprocess.run(["nm", "--defined-only", *options, *libraries], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in listed.stdout.splitlines() if len(line.split()) == 3}


class Names(unittest.TestCase):
    def test_functions_are_exported_under_both_names(self):
        exported = symbols("libsion*_64*.so", "-D")
        wanted = [name for name, in names("function")]
        if not OPTIONS.mpi:
            wanted = [name for name in wanted if not name.endswith(("_mpi", "_ompi"))]
        missing = [name for name in wanted if name not in exported or renamed(name) not in exported]
        self.assertEqual(missing, [])

    def test_libraries_are_there_under_both_names(self):
        folder = pathlib.Path(OPTIONS.libraries)
        for suffix in ("so", "a"):
            libraries = sorted(folder.glob(f"libsion*_64*.{suffix}"))
            self.assertGreaterEqual(len(libraries), 6)
            for library in libraries:
                other = folder / library.name.replace("libsion", "liblsion")
                self.assertTrue(other.exists() and other.samefile(library), other)

    def test_fortran_subroutines_are_there_under_both_names(self):
        defined = symbols("libsion*_f77_64.a", "-g")
        wanted = [name for name, in names("fortran")]
        if not OPTIONS.mpi:
            wanted = [name for name in wanted if not name.endswith(("_mpi", "_ompi"))]
        self.assertEqual([n for n in wanted if f"{n}_" not in defined or f"l{n}_" not in defined], [])

    def test_headers_declare_all_with_their_values(self):
        lines = ["#define SION_OMP"]
        if OPTIONS.mpi:
            lines += ["#include <mpi.h>", "#define SION_MPI", "#define SION_OMPI"]
        lines += ["#include <sion.h>", "#include <sion_debug.h>"]
        for name, value in names("constant"):
            lines.append(f'_Static_assert({name} == {value}, "{name}");')
        lines += [f"const char *text_{name} = {name};" for name, in names("text")]
        lines += ["typedef void (*function)(void);", "const function all[] = {"]
        for name, in names("function"):
            if name not in UNDECLARED and (OPTIONS.mpi or not name.endswith(("_mpi", "_ompi"))):
                lines.append(f"  (function){name},")
        lines.append("};")
        for name, in names("type"):
            if OPTIONS.mpi or not name.endswith("_mpi"):
                lines.append(f"extern {name} *pointer_to_{name};")
        with tempfile.TemporaryDirectory(prefix="limequat-sion-") as folder:
            source = pathlib.Path(folder) / "names.c"
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            done = subprocess.run([*OPTIONS.cc.split(), "-std=c11", "-Werror=implicit-function-declaration",
                                   "-fsyntax-only", f"-I{ROOT / 'dropins' / 'include'}", source],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--mpi", action="store_true")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
