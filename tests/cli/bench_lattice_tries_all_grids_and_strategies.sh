# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
$LQ_MPIRUN 4 lq-mpi bench lattice --lattice 4x4x3x8 --grid all --strategy auto --strategy direct --strategy gather --runs 1 --json result.json -q
python3 - << 'END'
import json
for r in json.load(open("result.json"))["results"]:
    print(r["grid"], r["strategy"], r["direction"])
END
ls
