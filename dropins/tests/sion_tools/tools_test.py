# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# SIONlib's programs: what siondump prints, letter by letter as the original printed it (expected/), the files that the
# others make, taken apart by the plain reader, and their exit codes.
import argparse
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parent
ROOT = SOURCE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import plain_sion  # noqa: E402

GOOD = ROOT / "tests" / "golden" / "good" / "sion"
BAD = ROOT / "tests" / "golden" / "bad" / "sion"
OPTIONS = None

# Vector: seed of the formula, bytes of each task.
FORMULA = {
    "v01_1file_4tasks.sion": (1, [1000, 1500, 300, 512]),
    "v02_2files_5tasks.sion": (2, [700, 800, 900, 1000, 1100]),
    "v03_multiblock.sion": (3, [5000, 100, 2600]),
    "v04_emptytask.sion": (4, [600, 0, 50, 1200]),
    "v08_bigendian.sion": (8, [250, 1100, 0]),
    "v11_3files_splitcomm.sion": (11, [400 + 50 * r for r in range(7)]),
    "v12_mapped.sion": (12, [300 + 10 * r for r in range(6)]),
    "v16_manychunks.sion": (16, [64 * 130 - 10, 64 * 20]),
    "v18_fmt3.sion": (18, [250, 1100, 0]),
    "v19_fmt4.sion": (1, [1000, 1500, 300, 512]),
    "v21_hybrid.sion": (21, [150 + 20 * r for r in range(6)]),
}


def streams_by_formula(vector):
    seed, sizes = FORMULA[vector]
    return [plain_sion.formula(seed, task, size) for task, size in enumerate(sizes)]


def records(stream, order="<"):
    found, at = [], 0
    while at < len(stream):
        key, length = struct.unpack_from(order + "QQ", stream, at)
        found.append((key, stream[at + 16:at + 16 + length]))
        at += 16 + length
    return found


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))


class Programs(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="limequat-sion-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, name, *arguments, stdout=subprocess.PIPE, check=True):
        done = subprocess.run([pathlib.Path(OPTIONS.bin) / name, *map(str, arguments)], cwd=GOOD, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=60, preexec_fn=bounded)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done

    def fails(self, name, *arguments):
        done = self.run_program(name, *arguments, check=False)
        self.assertEqual(done.returncode, 1, f"{name} {arguments}: {done.stderr.decode()}")
        self.assertNotEqual(done.stderr, b"")
        return done.stderr.decode()

    # siondump

    def test_dumps_are_those_of_the_original(self):
        def kept(text):
            return [line for line in text.splitlines() if "endianness" not in line and "SIONlib version" not in line]

        expected = sorted((SOURCE / "expected").glob("*.txt"))
        self.assertEqual(len(expected), 22)
        for path in expected:
            vector, rest = path.name.split(".siondump")
            options = [rest[:2]] if rest.startswith("-") else ["-a", "-l", "-m"]
            with self.subTest(vector=vector, options=options):
                done = self.run_program("siondump", *options, f"{vector}.sion", stdout=subprocess.PIPE)
                self.assertEqual(kept((done.stderr + done.stdout).decode()), kept(path.read_text()))

    def test_dump_of_keys_both_ways_at_once(self):
        lines = self.run_program("siondump", "-k", "-K", "v05_keyval.sion").stdout.decode().splitlines()
        self.assertEqual(sum("totalsize" in line for line in lines), 12)
        self.assertEqual(sum("size=40]" in line for line in lines), 4)

    def test_dump_lists_keys_as_they_first_appear(self):
        copy = self.folder / "keys.sion"
        data = (GOOD / "v05_keyval.sion").read_bytes()
        # Key 11 of task 1, in both of its records.
        for length in [70, 270]:
            header = struct.pack("<QQ", 11, length)
            self.assertEqual(data.count(header), 1)
            data = data.replace(header, struct.pack("<QQ", 90, length))
        copy.write_bytes(data)
        lines = self.run_program("siondump", "-k", copy).stdout.decode().splitlines()
        keys = [line.split("=")[1].split(":")[0].strip() for line in lines if line.startswith("Task 01:")]
        self.assertEqual(keys, ["10", "90", "12", "13"])

    # A set without data: so many tasks of each physical file, with a chunk of a block each, of which so much is used.
    def write_set(self, name, tasks_of_files, block=512, used=0):
        files = len(tasks_of_files)
        head = (GOOD / "v02_2files_5tasks.sion").read_bytes()[:16]
        places = [(file, task) for file, tasks in enumerate(tasks_of_files) for task in range(tasks)]
        for file, tasks in enumerate(tasks_of_files):
            ranks = [rank for rank, place in enumerate(places) if place[0] == file]
            start = -(-(1088 + 16 * tasks) // block) * block
            tail = start + tasks * block
            data = bytearray(head + struct.pack("<5iqq1024s", 5, block, tasks, files, file, 50 << 32, 0, name.encode()))
            data += struct.pack(f"<{2 * tasks}qiq", *ranks, *[block] * tasks, 1, tail)
            data += bytes(tail - len(data)) + struct.pack(f"<{2 * tasks}q", *[1] * tasks, *[used] * tasks)
            if file == 0 and files > 1:
                data += struct.pack(f"<{1 + 2 * len(places)}i", len(places), *sum(places, ()))
            (self.folder / (name if file == 0 else f"{name}.{file:06}")).write_bytes(data)
        return self.folder / name

    def test_dump_of_a_set_without_data_has_no_share_of_used_blocks(self):
        for used, expected in [(0, ["file usage", "used fsblocks/chunk size"]),
                               (256, ["file usage", "used fsblocks/chunk size", "user data/used blocks"])]:
            dump = self.run_program("siondump", self.write_set("a.sion", [2], used=used)).stdout.decode()
            shares = [line for line in dump.splitlines() if line.endswith("%")]
            self.assertEqual(len(shares), len(expected), dump)
            for line, words in zip(shares, expected):
                self.assertIn(words, line)

    def test_dump_ends_a_map_of_full_lines_with_an_empty_one(self):
        dump = self.run_program("siondump", "-m", self.write_set("b.sion", [20, 12])).stdout.decode()
        lines = dump[dump.index("  mapping: "):].splitlines()
        self.assertEqual([line.count("->") for line in lines], [16, 16, 0, 0])
        self.assertEqual(lines[2], " " * 8)
        self.assertEqual(lines[3], "-" * 60)
        dump = self.run_program("siondump", "-m", self.write_set("c.sion", [20, 13])).stdout.decode()
        lines = dump[dump.index("  mapping: "):].splitlines()
        self.assertEqual([line.count("->") for line in lines], [16, 16, 1, 0])

    def test_dump_of_any_file_of_a_set_is_that_of_the_set(self):
        of_second = self.run_program("siondump", "-a", "-l", "-M", "v12_mapped.sion.000001").stdout.decode()
        self.assertIn("number of tasks:           6\n", of_second)
        self.assertIn("  file[000]:  2:00001  1:00003  0:00005 \n  file[001]:  2:00000  1:00002  0:00004 \n", of_second)

    # sionsplit

    def test_split_gives_a_file_per_task(self):
        for vector in FORMULA:
            with self.subTest(vector=vector):
                self.run_program("sionsplit", vector, self.folder / "task_")
                files = sorted(self.folder.glob("task_*"))
                self.assertEqual([file.read_bytes() for file in files], streams_by_formula(vector))
                self.assertEqual(files[0].name, "task_00000")
                for file in files:
                    file.unlink()

    def test_split_by_rank_with_fewer_digits(self):
        copy = self.folder / "ranks.sion"
        data = bytearray((GOOD / "v01_1file_4tasks.sion").read_bytes())
        struct.pack_into("<4q", data, 1076, 7, 5, 30, 12)
        copy.write_bytes(data)
        self.run_program("sionsplit", "-g", "-d", "2", copy, self.folder / "r")
        expected = dict(zip(["r07", "r05", "r30", "r12"], streams_by_formula("v01_1file_4tasks.sion")))
        self.assertEqual({file.name: file.read_bytes() for file in self.folder.glob("r??")}, expected)
        struct.pack_into("<4q", data, 1076, 7, 5, 7, 12)
        copy.write_bytes(data)
        self.assertIn("rank 7", self.fails("sionsplit", "-g", copy, self.folder / "twice"))

    def test_split_of_records_gives_a_file_per_task_and_key(self):
        for vector, order in [("v05_keyval.sion", "<"), ("v20_keyval_be.sion", ">")]:
            with self.subTest(vector=vector):
                expected = {}
                for task, stream in enumerate(plain_sion.streams_of(str(GOOD / vector))):
                    for key, data in records(stream, order):
                        name = f"k_{task:05}_{key:012}"
                        expected[name] = expected.get(name, b"") + data
                for _ in range(2):  # files of a run before are replaced
                    self.run_program("sionsplit", vector, self.folder / "k_")
                found = {file.name: file.read_bytes() for file in self.folder.glob("k_*")}
                self.assertEqual(found, expected)
                for name in found:
                    (self.folder / name).unlink()

    # sioncat

    def test_cat_gives_tasks_one_after_another(self):
        for vector in FORMULA:
            self.assertEqual(self.run_program("sioncat", vector).stdout, b"".join(streams_by_formula(vector)), vector)

    def test_cat_gives_a_task_or_a_chunk(self):
        streams = streams_by_formula("v03_multiblock.sion")
        self.run_program("sioncat", "-t", 2, "-o", self.folder / "out", "v03_multiblock.sion")
        self.assertEqual((self.folder / "out").read_bytes(), streams[2])
        self.assertEqual(self.run_program("sioncat", "-t", 0, "-b", 1, "v03_multiblock.sion").stdout, streams[0][800:1600])
        # Only tasks that have that chunk.
        self.assertEqual(self.run_program("sioncat", "-b", 2, "v03_multiblock.sion").stdout,
                         streams[0][1600:2400] + streams[2][2000:])

    def test_cat_refuses_what_is_not_there(self):
        self.assertIn("0 .. 2", self.fails("sioncat", "-t", 3, "v03_multiblock.sion"))
        self.assertIn("0 .. 5", self.fails("sioncat", "-b", 6, "v03_multiblock.sion"))
        self.assertIn("0 .. 0", self.fails("sioncat", "-t", 1, "-b", 1, "v03_multiblock.sion"))
        self.fails("sioncat", "-t", "x", "v03_multiblock.sion")

    # siondefrag

    def test_defrag_is_one_file_with_one_chunk_per_task(self):
        for vector in FORMULA:
            out = self.folder / "out.sion"
            for options, block in [([], None), (["-q", 1], 1), (["-q", 96], 96), (["-Q", 1], 1 << 20)]:
                with self.subTest(vector=vector, options=options):
                    self.run_program("siondefrag", *options, vector, out)
                    written = plain_sion.Physical(str(out))
                    self.assertEqual(written.streams, streams_by_formula(vector))
                    self.assertEqual((written.files, written.numbers("i", 1076 + 16 * len(written.streams), 1)), (1, (1,)))
                    if block:
                        self.assertEqual(written.block, block)

    def test_defrag_writes_what_the_original_wrote(self):
        out = self.folder / "out.sion"
        self.run_program("siondefrag", "-q", 1, "v03_multiblock.sion", out)
        expected = (GOOD / "v14_defrag_q1.sion").read_bytes()
        found = out.read_bytes()
        for begin, end in [(0, 8), (16, 52), (1076, len(expected))]:  # all but the version and the name
            self.assertEqual(found[begin:end], expected[begin:end])
        self.assertEqual(len(found), len(expected))

    def test_defrag_keeps_ranks_byte_order_and_keys(self):
        out = self.folder / "out.sion"
        self.run_program("siondefrag", "v07_userbig.sion", out)
        self.assertEqual(out.read_bytes()[4:8], b"\0\1\1\0")
        self.run_program("siondefrag", "v15_buddy.sion", out)
        self.assertEqual(plain_sion.Physical(str(out)).ranks, (0, 1, 2, 3))
        self.run_program("siondefrag", "v20_keyval_be.sion", out)
        for task, stream in enumerate(plain_sion.streams_of(str(out))):
            original = plain_sion.streams_of(str(GOOD / "v20_keyval_be.sion"))[task]
            self.assertEqual(records(stream), records(original, ">"))
        self.assertEqual(out.read_bytes()[4:8], b"\0\1\1\0")

    # sionrepair

    def test_repair_recovers_what_was_written(self):
        out = self.folder / "out.sion"
        done = self.run_program("sionrepair", "v17_unclosed.sion", "-o", out, check=False)
        self.assertIn("3 tasks, 3600 bytes", done.stdout.decode())
        self.assertEqual(done.returncode, 1)  # how far chunks were filled is a guess
        self.assertIn("not all of the data are proven", done.stderr.decode())
        self.assertEqual(plain_sion.streams_of(str(out)), [plain_sion.formula(17, task, 1200) for task in range(3)])
        self.assertIn("already", self.fails("sionrepair", "v17_unclosed.sion", "-o", out))
        self.assertIn("not all of the data are proven", self.fails("sionrepair", "-f", "v17_unclosed.sion", "-o", out))

    def test_what_is_whole_is_not_repaired(self):
        said = self.run_program("sionrepair", "v01_1file_4tasks.sion", "-o", self.folder / "x").stdout.decode()
        self.assertIn("nothing to repair", said)
        self.fails("sionrepair", "v17_unclosed.sion")
        self.assertEqual(list(self.folder.iterdir()), [])

    # All of them

    def every_reader(self, path):
        yield "siondump", "-a", "-k", "-K", "-m", "-M", path
        yield "sioncat", path
        yield "sionsplit", path, self.folder / "part_"
        yield "siondefrag", path, self.folder / "defragmented"

    def test_what_cannot_be_read_is_an_error(self):
        lonely = self.folder / "lonely.sion"
        lonely.write_bytes((GOOD / "v02_2files_5tasks.sion").read_bytes())
        text = self.folder / "text"
        text.write_text("no multifile")
        for path, sentence in [(self.folder / "nosuch", "No such file"), (GOOD / "v17_unclosed.sion", "not closed"),
                               (lonely, "missing"), (text, "begins with"), (self.folder, "directory")]:
            for command in self.every_reader(path):
                with self.subTest(command=command):
                    self.assertIn(sentence, self.fails(*command))
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["lonely.sion", "text"])

    def test_damaged_files_end_no_program_and_take_no_memory(self):
        for path in sorted(BAD.glob("*.sion")):
            for command in self.every_reader(path):
                done = self.run_program(*command, check=False)
                self.assertIn(done.returncode, (0, 1), f"{command}: {done.stderr.decode()}")
                self.assertNotIn(b"bad_alloc", done.stderr, command)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "wb") as full:
            for command in [("siondump", "v01_1file_4tasks.sion"), ("sioncat", "v01_1file_4tasks.sion"), ("sionversion",)]:
                done = self.run_program(*command, stdout=full, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("No space left", done.stderr.decode())
        self.fails("sionsplit", "v01_1file_4tasks.sion", "/no/such/folder/x")
        self.fails("siondefrag", "v01_1file_4tasks.sion", "/no/such/folder/x")

    def test_the_multifile_itself_is_not_overwritten(self):
        copy = self.folder / "copy.sion"
        shutil.copy(GOOD / "v01_1file_4tasks.sion", copy)
        before = copy.read_bytes()
        self.fails("sioncat", "-o", copy, copy)
        self.fails("siondefrag", copy, copy)
        self.assertEqual(copy.read_bytes(), before)

    def test_help_and_version_end_with_1_as_ever(self):
        for program in ["siondump", "sioncat", "sionsplit", "siondefrag", "sionrepair"]:
            self.assertTrue(self.fails(program, "-h").startswith("Usage: "))
            self.assertIn("Version 1.7p6", self.fails(program, "-V"))
            self.fails(program)
        self.assertRegex(self.run_program("sionversion").stdout.decode(),
                         r"^SIONlib Version 1\.7\.6 \(git_rev \S+\), fileformat version 5 \(.*sionversion\)\n$")

    # sionconfig

    def config(self, *options):
        done = subprocess.run([self.folder / "place" / "bin" / "sionconfig", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    def test_config_finds_its_own_place(self):
        place = self.folder / "place"
        (place / "bin").mkdir(parents=True)
        (place / "real").mkdir()
        shutil.copy(OPTIONS.config, place / "real" / "sionconfig")
        (place / "bin" / "sionconfig").symlink_to("../real/sionconfig")
        place = place.resolve()
        self.assertEqual(self.config("--path"), str(place))
        self.assertEqual(self.config("--mpi", "--cflags"), f"-I{place}/include/compat -D_SION_LINUX -DSION_MPI")
        self.assertEqual(self.config("--omp", "--cflags"), f"-I{place}/include/compat -D_SION_LINUX -DSION_OMP")
        self.assertEqual(self.config("--ompi", "--cflags", "--cxx"), f"-I{place}/include/compat -D_SION_LINUX -DSION_OMPI")
        self.assertEqual(self.config("--mpi", "--cflags", "--f90"), f"-I{place}/include/compat -I{place}/include/compat/mod_64")
        libraries = self.config("--mpi", "--libs").split()
        self.assertRegex(libraries[0], f"^-L{place}/lib")
        names = [flag[2:] for flag in libraries if flag.startswith("-l")]
        self.assertEqual(names[:5], ["sionmpi_64", "siongen_64", "sionser_64", "sioncom_64", "sioncom_64_lock_none"])
        self.assertIn("-lsionmpi_f90_64 -lsionser_f90_64 -lsionmpi_64", self.config("--mpi", "--libs", "--f90"))
        self.assertIn("-lsionser_cxx_64 -lsionser_64 -lsioncom_64 -lsioncom_64_lock_pthreads",
                      self.config("--ser", "--libs", "--cxx", "--threadsafe", "--64", "--gcc"))
        self.assertIsNone(self.config("--mpi", "--libs", "--32"))
        self.assertIsNone(self.config("--mpi"))
        self.assertIsNone(self.config("--nonsense"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--config", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
