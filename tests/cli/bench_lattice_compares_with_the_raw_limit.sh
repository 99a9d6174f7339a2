# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The shape of what it tells; the numbers of a tiny lattice mean nothing.
lq bench lattice --lattice 4x4x4x8 --lattice 4x2x6 --runs 1 --verify none --verify checksum --json result.json
python3 - << 'END'
import json
run = json.load(open("result.json"))
print(sorted(run["environment"]))
for r in run["results"]:
    assert abs(r["ratio_to_raw"] - r["raw_seconds"]["median"] / r["seconds"]["median"]) < 1e-9
    assert 0 < r["seconds"]["min"] <= r["seconds"]["median"] <= r["seconds"]["max"]
    print(r["name"], r["direction"], r["lattice"], r["grid"], r["ranks"], r["strategy"], r["format"], r["verify"], r["bytes"])
print(sorted(r), sorted(r["seconds"]), sorted(r["raw_seconds"]), sorted(r["steps"]))
END
ls
