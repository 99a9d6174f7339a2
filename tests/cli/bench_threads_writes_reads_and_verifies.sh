# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Each number of threads by itself; the numbers of a tiny lattice mean nothing.
lq bench threads --lattice 4x4x4x8 --runs 1 --threads 1 --threads 3 --json result.json
python3 - << 'END'
import json
for r in json.load(open("result.json"))["results"]:
    assert r["seconds"]["median"] > 0 and r["raw_seconds"]["median"] > 0
    print(r["threads"], r["direction"], r["verify"], r["bytes"])
END
lq bench threads --lattice 4x4x4x8 --threads 0 || echo $?
lq bench threads --lattice 4x4x4x8 --strategy gather || echo $?
ls
