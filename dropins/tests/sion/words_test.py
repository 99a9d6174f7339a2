# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Every word of a mode string and every variable of the environment that has an effect: each case would be another if it
# had none. Expected numbers are those of SIONlib 1.7.6 for the same program; files are looked at byte by byte.
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import plain_sion  # noqa: E402
import under_mpi  # noqa: E402

ALONE, BY_TWO, BY_FOUR = [512, 512, 512, 1024], [300, 724, 512, 1024], [300, 400, 500, 848]  # widths of chunks


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="limequat-words-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_it(self, action, modes, environment):
        """Facts by file, and what was said on standard error."""
        names = [f"f{i}" for i in range(len(modes))]
        arguments = [word for pair in zip(names, modes) for word in pair]
        done = under_mpi.run(4, [action, *arguments], self.folder, environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        facts = [{} for name in names]
        for line in done.stdout.splitlines():
            name, fact = line.split(": ")
            facts[names.index(name)][fact.rsplit(" ", 1)[0]] = int(fact.rsplit(" ", 1)[1])
        return facts, done.stderr

    def write(self, *modes, **environment):
        facts, said = self.run_it("write", modes, environment)
        self.assertNotIn("SION_ERROR", said)
        return facts

    def widths(self, name="f0"):
        return list(plain_sion.Physical(self.folder / name).numbers("q", 1076 + 8 * 4, 4))

    def sizes(self, name="f0"):
        return [len(stream) for stream in plain_sion.streams_of(str(self.folder / name))]


class Words(Program):
    def test_only_directions_open_and_strangers_do_not_matter(self):
        good = ["w", "wb", "bw", "bw,whatever=7", "bw,buffered", "bw,compress", "bw,collmsa", "bw,keyval=meta"]
        for mode, facts in zip(good, self.write(*good)):
            self.assertEqual(facts, {"opened": 1, "streams": 4, "key-value mode": 50}, mode)
        files = {(self.folder / f"f{i}").read_bytes().replace(f"f{i}".encode(), b"f") for i in range(len(good))}
        self.assertEqual(len(files), 1)
        bad = ["a", "w+", "r+", ",", "posix"]
        for mode, facts in zip(bad, self.run_it("write", bad, {})[0]):
            self.assertEqual(facts, {"opened": 0}, mode)
        for mode, facts in zip(["r", "rb", "br"], self.run_it("read", ["r", "rb", "br"], {})[0]):
            self.assertEqual(facts["opened"], 1, mode)

    def test_the_last_word_says_what_lies_under_it(self):
        modes = ["bw,ansi", "bw,posix", "posix,bw,ansi", "ansi,bw,posix"]
        self.assertEqual([facts["streams"] for facts in self.write(*modes)], [4, 0, 4, 0])

    def test_groups_of_collectors(self):
        cases = {"bw": ALONE, "bw,collective": ALONE, "bw,collective,collsize=4": BY_FOUR,
                 "bw,collective,collsize=2": BY_TWO, "bw,collective,collsize=0": ALONE,
                 "bw,collective,collsize=-1": ALONE, "bw,collsize=4": ALONE}
        self.write(*cases)
        for i, (mode, widths) in enumerate(cases.items()):
            self.assertEqual(self.widths(f"f{i}"), widths, mode)
            self.assertEqual(self.sizes(f"f{i}"), 4 * [200])

    def test_merged_data_are_their_collectors(self):
        modes = ["bw,cmerge,collective,collsize=4", "bw,collectivemerge,collective,collsize=4", "bw,cmerge,collsize=-1"]
        self.write(*modes)
        self.assertEqual([self.sizes(f"f{i}") for i in range(3)], 2 * [[800, 0, 0, 0]] + [4 * [200]])
        self.assertEqual(self.widths(), [2048, 512, 512, 1024])

    def test_keys_and_orders_are_declared(self):
        cases = {"bw,keyval": 51, "bw,keyval=inline": 51, "bw,keyval=default": 51, "bw,keyval=none": 50,
                 "bw,keyval=unknown": 50, "bw,endianness=big": 50, "bw,endianness=little": 50}
        for facts, (mode, keys) in zip(self.write(*cases), cases.items()):
            self.assertEqual(facts["key-value mode"], keys, mode)
        words = [(self.folder / f"f{i}").read_bytes()[4:8].hex() for i in range(7)]
        self.assertEqual(words, 5 * ["00000000"] + ["00010100", "00000000"])
        read, said = self.run_it("read", 7 * ["br,keyval=unknown"], {})
        self.assertNotIn("SION_ERROR", said)
        self.assertEqual([facts["key-value mode"] for facts in read], list(cases.values()))
        self.assertEqual([(facts["order"], facts["swap"]) for facts in read], 5 * [(0, 0)] + [(1, 1), (0, 0)])
        read, said = self.run_it("read", 4 * ["br"] + ["br,keyval=inline"], {})
        self.assertEqual([facts["key-value mode"] for facts in read], list(cases.values())[:5])
        self.assertIn("f4: opened with key-value records", said)

    def test_buddies_copy(self):
        # A single file has no neighbour, so that the word is seen by the open that fails.
        facts, said = self.run_it("write", ["bw,buddy", "bw,buddy=2"], {})
        self.assertEqual(facts, 2 * [{"opened": 0}])
        self.assertEqual(said.count("neighbouring files keep buddy copies"), 2)


class Environment(Program):
    def test_number_and_size_of_groups(self):
        cases = [("bw", {"SION_COLLSIZE": "4"}, BY_FOUR), ("bw", {"SION_COLLSIZE": "2"}, BY_TWO),
                 ("bw,collective,collsize=2", {"SION_COLLSIZE": "4"}, BY_FOUR),
                 ("bw,collective,collsize=4", {"SION_COLLSIZE": "0"}, ALONE),
                 ("bw,collective,collsize=4", {"SION_COLLSIZE": "-1"}, ALONE),
                 ("bw", {"SION_COLLNUM": "1"}, BY_FOUR), ("bw", {"SION_COLLNUM": "2"}, BY_TWO),
                 ("bw", {"SION_COLLSIZE": "4", "SION_COLLNUM": "2"}, BY_FOUR), ("bw", {"LSION_COLLSIZE": "4"}, BY_FOUR)]
        for mode, environment, widths in cases:
            with self.subTest(mode=mode, environment=environment):
                self.write(mode, **environment)
                self.assertEqual(self.widths(), widths)

    def test_keys(self):
        facts = self.write("bw", "bw,keyval=none", SION_KEYVALUE_MODE="inline")
        self.assertEqual([fact["key-value mode"] for fact in facts], [51, 50])
        facts = self.write("bw", "bw,keyval=inline", SION_KEYVALUE_MODE="none")
        self.assertEqual([fact["key-value mode"] for fact in facts], [50, 51])
        self.assertIn("f0: opened with key-value", self.run_it("read", ["br"], {"SION_KEYVALUE_MODE": "inline"})[1])

    def test_a_buffer_holds_back_until_it_is_flushed(self):
        self.assertEqual(self.run_it("buffer", ["bw,posix"], {})[0], [{"arrived": 4, "flushed": 4}])
        for size in ("65536", "-1"):
            held = self.run_it("buffer", ["bw,posix", "bw"], {"SION_BUFFERSIZE": size})[0]
            self.assertEqual(held, 2 * [{"arrived": 0, "flushed": 4}], size)

    def test_errors_of_one_rank(self):
        def ranks(environment):
            said = self.run_it("complain", ["bw"], environment)[1].splitlines()
            return sorted({line.split("on rank ")[1].split(",")[0] for line in said if "on rank" in line})
        self.assertEqual(ranks({}), ["0", "1", "2", "3"])
        self.assertEqual(ranks({"SION_ERROR_MSG_RANK": "2"}), ["2"])
        self.assertEqual(ranks({"SION_ERROR_MSG_RANK": "-1"}), ["0", "1", "2", "3"])

    def test_turns_of_transactions(self):
        for environment, at_once in [({}, 4), ({"SION_SERBLOCKSIZE": "1"}, 1), ({"SION_SERBLOCKSIZE": "2"}, 2),
                                     ({"SION_SERBLOCKSIZE": "99999"}, 4)]:
            self.assertEqual(self.run_it("turns", [f"bw,atonce={at_once}"], environment)[0], [{"at once": at_once}])


if __name__ == "__main__":
    under_mpi.main()
