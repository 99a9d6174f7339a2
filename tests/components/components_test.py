# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A program that is linked with the core alone is light, and still reads and writes the files of components: their
# libraries are loaded when a file needs them. One that is missing is named in the error, on all ranks alike.
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HDF5_FILE = pathlib.Path(__file__).resolve().parents[1] / "golden/good/hdf5/links.h5"
BEHIND_USER_BLOCK = HDF5_FILE.parent / "native-behind-user-block.h5"
MOST_OBJECTS = 12
MOST_MEMORY = 4096  # kB
OPTIONS = None


class Components(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-components-")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def core_alone(self):
        """The environment of programs that find the core and no component."""
        alone = self.work / "lib"
        alone.mkdir(exist_ok=True)
        shutil.copy(OPTIONS.library, alone / self.soname())
        return alone, {**os.environ, "LD_LIBRARY_PATH": str(alone)}

    @staticmethod
    def soname():
        head = subprocess.run(["readelf", "-dW", OPTIONS.library], text=True, capture_output=True, check=True).stdout
        return re.search(r"Library soname: \[(.*)\]", head)[1]

    def component(self):
        return self.soname().replace("liblimequat", "liblimequat_hdf5")

    def run_program(self, *words, env=None):
        return subprocess.run([OPTIONS.program, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                              cwd=self.work)

    def test_the_core_loads_few_shared_objects(self):
        listed = subprocess.run(["ldd", OPTIONS.program], text=True, capture_output=True, check=True).stdout.splitlines()
        objects = [line.split()[0] for line in listed if "liblimequat.so" not in line]
        self.assertLessEqual(len(objects), MOST_OBJECTS, objects)
        self.assertEqual([name for name in objects if re.search("hdf5|sqlite|curl|krb5|ldap", name)], [])

    def test_a_version_takes_little_memory(self):
        runs = [self.run_program().stdout for _ in range(5)]  # it depends a little on what the system has cached
        self.assertRegex(runs[0], r"version: \d+\.\d+\.\d+")
        self.assertLess(min(int(re.search(r"memory: (\d+)", said)[1]) for said in runs), MOST_MEMORY)

    def test_other_files_load_no_component(self):
        for command in (["write", "conf.ildg"], ["conf.ildg"]):
            done = self.run_program(*command)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("after: component hdf5 is absent", done.stdout)

    def test_a_file_loads_the_component_that_it_needs(self):
        if not OPTIONS.hdf5:
            self.skipTest("built without HDF5")
        for words in ([HDF5_FILE], [BEHIND_USER_BLOCK], ["threads", HDF5_FILE], ["write", "field.h5"], ["field.h5"]):
            done = self.run_program(*words)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("before: component hdf5 is absent", done.stdout)
            self.assertIn("after: component hdf5 is loaded", done.stdout)

    def test_a_missing_component_is_named_with_its_remedy(self):
        folder, environment = self.core_alone()
        for words, path in (([HDF5_FILE], HDF5_FILE), ([BEHIND_USER_BLOCK], BEHIND_USER_BLOCK), (["write", "new.h5"], "new.h5")):
            done = self.run_program(*words, env=environment)
            self.assertEqual(done.returncode, 1, done.stdout)
            error = re.search("error: (.*)", done.stdout)[1]
            self.assertTrue(error.startswith(f"{path}: an HDF5 file"), error)
            self.assertIn("; install Limequat's component hdf5 (it is not in the folder of " + str(folder), error)
            self.assertIn(self.component(), error)
        self.assertFalse((self.work / "new.h5").exists())

    def test_a_component_that_is_no_library_is_no_other_one(self):
        folder, environment = self.core_alone()
        (folder / self.component()).write_bytes(b"")
        error = self.run_program(HDF5_FILE, env=environment).stdout
        self.assertIn("install Limequat's component hdf5 (the installed one cannot be loaded: ", error)
        self.assertIn(str(folder / self.component()), error)

    def test_a_component_that_one_rank_lacks_is_the_error_of_all(self):
        if not OPTIONS.over_mpi or not OPTIONS.hdf5:
            self.skipTest("built without MPI or without HDF5")
        folder, _ = self.core_alone()
        for lacking in (0, 1):
            for words in ([HDF5_FILE], ["write", "new.h5"]):
                command = [OPTIONS.mpiexec]
                for rank in (0, 1):
                    path = folder if rank == lacking else OPTIONS.library.parent
                    command += [":"] * rank + ["-n", "1", "env", f"LD_LIBRARY_PATH={path}", OPTIONS.over_mpi, *words]
                done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.work, timeout=60)
                errors = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
                self.assertEqual(len(errors), 2, done.stdout + done.stderr)
                self.assertEqual(errors[0], errors[1])
                self.assertIn("install Limequat's component hdf5", errors[0])
                self.assertFalse((self.work / "new.h5").exists())


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--hdf5", type=lambda text: text in ("1", "ON", "TRUE"), default=False)
    parser.add_argument("--over-mpi", type=pathlib.Path)
    parser.add_argument("--mpiexec")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["components_test.py", *rest])


if __name__ == "__main__":
    main()
