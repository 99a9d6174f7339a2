#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of check_model.py: its profile has the keys of the library, and its arithmetic agrees with values computed by hand.
import json
import pathlib
import re
import sys
import tempfile
import tomllib
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))
import check_model  # noqa: E402

MACHINE = {"name": "m", "cores_per_node": 2, "nodes": 1, "write_rate": 1e9, "write_rate_total": 1.5e9, "read_rate": 2e9,
           "read_rate_total": 4e9, "open_time": 0.5, "pull_permitted": True, "findings": ["one"]}


def case(strategy, seconds, **more):
    return {"name": "lattice", "lattice": "4x4x4x4", "grid": "2x1x1x1", "direction": "write", "ranks": 2, "bytes": 3e9,
            "strategy": "auto", "strategy_taken": strategy, "verify": "checksum", "ratio_to_raw": 0.5,
            "seconds": {"median": seconds}, **more}


def checked(strategy, measured, predicted):
    return check_model.Checked(MACHINE, case(strategy, measured), {"chosen": {"seconds": {"total": predicted}}})


class Model(unittest.TestCase):
    def test_the_profile_is_toml_with_the_keys_of_the_library(self):
        source = (TOOLS.parent / "src/storage/profile.cpp").read_text(encoding="utf-8")
        keys = re.findall(r'Key\{"(\w*)", "(\w+)"', source)
        listed = [(section, key) for section, names in check_model.SECTIONS.items() for key in names]
        self.assertEqual(sorted(listed), sorted(k for k in keys if k[1] != "findings"))

    def test_the_profile_reads_back(self):
        profile = tomllib.loads(check_model.profile_text(MACHINE))
        self.assertEqual(profile["storage"]["write_rate_total"], 1.5e9)
        self.assertIs(profile["neighbours"]["pull_permitted"], True)
        self.assertNotIn("findings", profile)

    def test_cold_and_synced_transfers_and_peers_do_not_count(self):
        results = [case("direct", 1), case("direct", 1, cache="cold"), case("direct", 1, sync=True),
                   {**case("direct", 1), "name": "hdf5"}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "l.json"
            path.write_text(json.dumps([{"results": results}]), encoding="utf-8")
            self.assertEqual(len(list(check_model.cases_in([path]))), 1)

    def test_raw_is_the_slower_of_one_rank_and_all(self):
        self.assertAlmostEqual(check_model.raw_seconds(MACHINE, case("direct", 1)), 2.0)  # 3 GB at 1.5 GB/s
        self.assertAlmostEqual(check_model.raw_seconds(MACHINE, case("direct", 1, ranks=1)), 3.0)
        self.assertAlmostEqual(check_model.raw_seconds(MACHINE, case("direct", 1, ranks=8)), 2.0)

    def test_errors_are_factors(self):
        one = checked("direct", 4.0, 1.5)  # 1.5 s and half a second to open
        self.assertAlmostEqual(one.error, 0.5)
        self.assertAlmostEqual(one.predicted_raw, 1.0)
        self.assertAlmostEqual(one.raw_error, 0.5)
        self.assertAlmostEqual(check_model.typical([0.5, 2.0]), 2.0)

    def test_the_page_tells_whether_the_fastest_was_foreseen(self):
        text = check_model.page(MACHINE, [checked("direct", 4.0, 1.0), checked("pull", 2.0, 3.0)])
        self.assertIn("| 4x4x4x4 | 2x1x1x1 | write | pull | direct | 100 % |", text)
        self.assertIn("of 2 cases", text)


if __name__ == "__main__":
    unittest.main()
