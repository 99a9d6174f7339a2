# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of bench_page.py: the pages agree with the numbers.
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import bench_page  # noqa: E402

SECONDS = {"min": 0.5, "median": 1.0, "max": 2.0, "first": 2.0}
RAW = {"min": 0.4, "median": 0.8, "max": 1.0, "first": 1.0}
ENVIRONMENT = {"version": "1.2.3", "compiler": "gcc", "processor": "P", "cores": 2, "mpi": "M", "file_system": "tmpfs",
               "runs": 7, "date": "2026-01-01"}
RESULT = {"name": "lattice", "direction": "write", "lattice": "4x4x4x8", "grid": "1x1x1x1", "ranks": 1, "strategy": "auto",
          "strategy_taken": "direct", "verify": "checksum", "bytes": 3 * 10**9, "seconds": SECONDS, "raw_seconds": RAW,
          "ratio_to_raw": 0.8, "memory_bytes": 2 * 1024 * 1024}


def run(*results, **environment):
    return [{"environment": {**ENVIRONMENT, **environment}, "results": list(results)}]


def cells(text, first):
    """The cells of the row that begins with `first`."""
    for line in text.splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if row[0] == first:
            return row
    raise AssertionError(f"no row {first} in\n{text}")


class BenchPage(unittest.TestCase):
    def setUp(self):
        self.folder_object = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder_object.cleanup)
        self.folder = pathlib.Path(self.folder_object.name)

    def keep(self, name, measured):
        (self.folder / f"{name}.json").write_text(json.dumps(measured), encoding="utf-8")

    def test_table_has_median_best_raw_ratio_and_memory(self):
        row = cells(bench_page.transfer_table(run(RESULT)), "write")
        self.assertEqual(row[-5:], ["3.00", "6.00", "3.75", "**0.80**", "2.0"])

    def test_a_target_is_reached_at_what_is_printed(self):
        self.keep("memory", run({**RESULT, "ratio_to_raw": 0.926}))
        self.assertEqual(cells(bench_page.target_table(self.folder), "write, 1 rank")[1:4], [">= 0.93", "0.93", "reached"])
        self.keep("memory", run({**RESULT, "ratio_to_raw": 0.92}))
        self.assertEqual(cells(bench_page.target_table(self.folder), "write, 1 rank")[3], "not reached")

    def test_qio_stands_beside_our_own_interface_and_the_original(self):
        one = {**RESULT, "layout": "box"}
        through = {**one, "name": "qio.h over ours", "seconds": {**SECONDS, "median": 2.0}, "processor_seconds": 1.5}
        original = {**one, "name": "qio.h over the original", "seconds": {**SECONDS, "median": 12.0}, "processor_seconds": 6.0}
        self.keep("qio", run(one, through, original))
        page = bench_page.qio_page(self.folder)
        self.assertEqual(cells(page, "qio.h over ours")[3:7], ["write", "1.50", "1.500", "0.50"])
        self.assertEqual(cells(page, "box"), ["box", "1", "write", "6.0", "4.0"])
        self.keep("qio", run(one, through))
        self.assertNotIn("original over ours", bench_page.qio_page(self.folder))

    def test_what_was_not_measured_is_not_reached(self):
        row = cells(bench_page.target_table(self.folder), "write, 2x2x2x1 on 8 ranks")
        self.assertEqual(row[2:4], ["-", "not measured"])

    def test_reading_split_counts_the_lower_and_only_if_both_are_there(self):
        case = "read with verification, x and xyz splits"
        one = {**RESULT, "direction": "read", "grid": "2x1x1x1", "ratio_to_raw": 0.9}
        self.keep("memory", run(one))
        self.assertEqual(cells(bench_page.target_table(self.folder), case)[3], "not measured")
        self.keep("memory", run(one, {**one, "grid": "2x2x2x1", "ratio_to_raw": 0.7}))
        self.assertEqual(cells(bench_page.target_table(self.folder), case)[2:4], ["0.70", "not reached"])

    def test_the_fastest_peer_counts(self):
        faster = {**RESULT, "name": "hdf5", "seconds": {**SECONDS, "median": 0.5}}
        slower = {**RESULT, "name": "pnetcdf", "seconds": {**SECONDS, "median": 4.0}}
        self.keep("peers", run(RESULT, slower, faster))
        row = cells(bench_page.target_table(self.folder), "rate relative to the fastest other library")
        self.assertEqual(row[2:5], ["0.50", "not reached", "hdf5, write, grid 1x1x1x1"])

    def test_plain_rows_are_a_bound_and_no_library(self):
        self.keep("peers", run(RESULT, {**RESULT, "name": "plain rows", "direction": "read", "ratio_to_raw": 0.66,
                                        "seconds": {**SECONDS, "median": 0.1}}))
        text = bench_page.target_table(self.folder)
        self.assertEqual(cells(text, "rate relative to the fastest other library")[3], "not measured")
        self.assertIn("plain reads of the same rows: 0.66", cells(text, "read with verification, x and xyz splits")[4])

    def test_overlap_is_told_by_whether_a_core_is_free(self):
        alone = {**RESULT, "name": "overlap", "ratio_to_longer": 1.04, "hidden_share": 0.9}
        busy = {**alone, "ranks": 2, "ratio_to_longer": 1.5, "hidden_share": 0.4}
        self.keep("overlap", run(alone, busy))
        text = bench_page.target_table(self.folder)
        self.assertEqual(cells(text, "background write, a core free: total over the longer")[2:4], ["1.04", "reached"])
        row = cells(text, "background write, all cores computing: hidden share of the shorter")
        self.assertEqual(row[2:4], ["0.40", "not reached"])

    def test_streams_of_tasks_count_where_they_are_slowest(self):
        stream = {"part": "transfer", "name": "multifile", "direction": "write", "ranks": 2, "files": 2, "block": 0,
                  "verify": "none", "bytes": 2 * 10**9, "seconds": SECONDS, "raw_seconds": RAW, "ratio_to_raw": 0.97}
        alone = {**stream, "name": "one file per task", "ratio_to_raw": 0.1}
        awkward = {**stream, "block": 3072, "ratio_to_raw": 0.2}
        shared = {**stream, "files": 1, "ratio_to_raw": 0.5}
        checked = {**stream, "name": "checkpoint", "verify": "checksum", "direction": "read", "ratio_to_raw": 0.8}
        created = {**stream, "part": "create", "direction": "create", "bytes": 0}
        self.keep("tasklocal-rates", run(stream, alone, awkward, shared, checked))
        self.keep("tasklocal", run(created, stream))
        text = bench_page.target_table(self.folder)
        self.assertEqual(cells(text, "streams of 2 tasks in 2 files over one file per task")[2:4], ["0.97", "reached"])
        self.assertEqual(cells(text, "the same with checksums")[2:], ["0.80", "not reached", "checkpoint, read, tmpfs"])
        page = bench_page.tasklocal_page(self.folder)
        self.assertEqual(cells(page, "2")[1:], ["multifile", "1000.00", "500.00", "2000.00", "2000.00"])
        self.assertIn("3072 bytes", page)

    def test_threads_stand_beside_one_thread_of_one_rank(self):
        def of(threads, median, **more):
            kinds = [("write", "none"), ("write", "checksum"), ("read", "none"), ("read", "checksum"), ("verify", "checksum")]
            return [{**RESULT, "threads": threads, "direction": direction, "verify": verify, "precision": "double",
                     "seconds": {**SECONDS, "median": median}, **more} for direction, verify in kinds]
        two = run(*of(1, 1.5, ranks=2, grid="1x1x1x2"))
        self.keep("cores", run(*of(1, 3.0), *of(2, 1.0)) + two)
        self.keep("cores-large", run(*of(1, 2.0), *of(16, 0.25), processor="L", mpi="none"))
        page = bench_page.cores_page(self.folder)
        self.assertTrue(bench_page.is_measured(self.folder, "cores"))
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")]
        self.assertEqual(rows[2][:4], ["1", "2", "1x1x1x1", "3.00 (3.00)"])
        self.assertEqual(rows[3][:4], ["2", "1", "1x1x1x2", "2.00 (2.00)"])
        self.assertEqual(rows[-1][7:], ["12.00 (8.00)", "3.75", "3.75"])
        self.assertIn("L, 2 cores; no MPI", page)
        pictures = bench_page.cores_pictures(self.folder / "cores.json")
        self.assertEqual(list(pictures), ["cores-threads", "cores-write", "cores-read"])
        self.assertEqual([len(one["results"]) for one in pictures["cores-read"]], [2, 1])
        self.assertEqual(list(bench_page.cores_pictures(self.folder / "cores-large.json")), ["cores-large-threads"])

    def test_ways_to_move_a_whole_field_stand_beside_the_best_of_them(self):
        def of(median, **more):
            return {**RESULT, "seconds": {**SECONDS, "median": median}, **more}
        ways = [of(2.0, strategy="auto", strategy_taken="pull"), of(1.0, strategy="shared", strategy_taken="shared"),
                of(8.0, name="mpi-io collective", strategy="mpi-io collective", strategy_taken="")]
        text = bench_page.pfs_fields(run(*ways, file_system="fuse.x"))
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| fuse.x")]
        self.assertEqual(rows, [["fuse.x", "1x1x1x1", "write", "**auto**: pull", "1500", "0.50", "4.0", "0.80"],
                                ["fuse.x", "1x1x1x1", "write", "shared", "3000", "1.00", "8.0", "0.80"],
                                ["fuse.x", "1x1x1x1", "write", "mpi-io collective", "375", "0.12", "1.0", "0.80"]])
        self.assertEqual(bench_page.pfs_fields([]), "")

    def test_pages_are_there_for_what_was_measured(self):
        for name in ("memory", "disk", "sizes"):
            self.keep(name, run(RESULT))
        bench_page.write(self.folder)
        index = (self.folder / "index.md").read_text(encoding="utf-8")
        self.assertIn("P, 2 cores; M; gcc; Limequat 1.2.3; 2026-01-01", index)
        self.assertIn("(transfers.md)", index)
        self.assertNotIn("(peers.md)", index)
        self.assertFalse((self.folder / "peers.md").exists())


if __name__ == "__main__":
    unittest.main()
