# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# Every path creates, writes over and reads; what a second job reads was kept by the first one, and what nobody keeps is removed.
$LQ_MPIRUN 4 lq-mpi bench lattice --protocol grid --lattice 4x4x4x8 --grid 2x1x1x2 --runs 1 --json result.json -q
ls
$LQ_MPIRUN 4 lq-mpi bench lattice --protocol grid --lattice 4x4x4x8 --grid 2x1x1x2 --runs 1 --keep-files -q
ls
cmp limequat-grid.lexicographic limequat-grid.aggregated
stat -c %s limequat-grid.lexicographic limequat-grid.segments
lq verify limequat-grid.ildg | head -1
$LQ_MPIRUN 4 lq-mpi bench lattice --protocol grid --lattice 4x4x4x8 --grid 2x1x1x2 --runs 1 -q 2> error || echo "exit code $?"
grep ^lq-mpi: error
$LQ_MPIRUN 4 lq-mpi bench lattice --protocol grid --lattice 4x4x4x8 --grid 2x1x1x2 --runs 1 --read-only > table || echo "exit code $?"
grep -c "read" table
grep -c "create" table
$LQ_MPIRUN 2 lq-mpi bench lattice --protocol grid --lattice 4x4x4x8 --grid 1x1x1x2 --runs 1 --read-only -q 2> error || echo "exit code $?"
grep -o "differ.*" error
$LQ_MPIRUN 4 lq-mpi bench lattice --protocol grid --lattice 4x4x4x8 --grid 2x1x1x2 --runs 1 --overwrite --extent-bytes 1024 -q
python3 - << 'END'
import json
for r in json.load(open("result.json"))["results"]:
    steps = [name for name, seconds in r["steps"].items() if seconds]
    assert r["bytes"] == 4 * 4 * 4 * 8 * 72 * 8 and "write" in steps, r
    assert r["seconds"]["median"] >= r["skew_seconds"]["median"] >= 0
    if r["name"] != "lattice":
        assert all(0 <= r["step_skews"][name] <= r["steps"][name] for name in steps), r
    print(r["name"], r["format"], r["direction"], r["lattice"], r["grid"], r["ranks"])
END
ls
