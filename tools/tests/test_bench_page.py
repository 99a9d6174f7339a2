# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The page of a benchmark says what the numbers say.
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import bench_page  # noqa: E402

SECONDS = {"min": 0.5, "median": 1.0, "max": 2.0, "first": 2.0}
RAW = {"min": 0.4, "median": 0.8, "max": 1.0, "first": 1.0}
ENVIRONMENT = {"version": "1.2.3", "compiler": "gcc", "processor": "P", "cores": 2, "mpi": "M", "file_system": "tmpfs",
               "path": "/dev/shm", "runs": 7, "date": "2026-01-01"}
RESULT = {"direction": "write", "lattice": "4x4x4x8", "grid": "1x1x1x2", "ranks": 2, "bytes": 3 * 10**9,
          "seconds": SECONDS, "raw_seconds": RAW, "ratio_to_raw": 0.8}
MEASURED = [{"environment": ENVIRONMENT, "results": [RESULT, {**RESULT, "direction": "read", "ratio_to_raw": 1.25}]}]


class BenchPage(unittest.TestCase):
    def test_table_has_median_best_raw_and_ratio(self):
        row = bench_page.table(MEASURED).splitlines()[2]
        self.assertEqual([cell.strip() for cell in row.strip("|").split("|")][-4:], ["3.00", "6.00", "3.75", "**0.80**"])

    def test_page_says_where_it_was_measured(self):
        self.assertIn("P, 2 cores; M; gcc; Limequat 1.2.3; 2026-01-01", bench_page.page(MEASURED))

    def test_plot_is_valid_and_bars_are_in_proportion(self):
        svg = xml.etree.ElementTree.fromstring(bench_page.plot(MEASURED))
        bars = [bar for bar in svg.iter("{http://www.w3.org/2000/svg}rect") if bar.get("width") != "100%"]
        widths = [float(bar.get("width")) for bar in bars]
        self.assertAlmostEqual(widths[1] / widths[0], 1.25 / 0.8, places=2)


if __name__ == "__main__":
    unittest.main()
