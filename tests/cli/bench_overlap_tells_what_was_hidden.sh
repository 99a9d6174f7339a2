# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# The shape of what it tells; the numbers of a tiny lattice mean nothing.
$LQ_MPIRUN 2 lq-mpi bench overlap --lattice 4x4x4x8 --grid 2x1x1x1 --runs 1 --json result.json -q
python3 - << 'END'
import json
for r in json.load(open("result.json"))["results"]:
    both, compute, alone = (r[key]["median"] for key in ("seconds", "compute_seconds", "alone_seconds"))
    assert abs(r["ratio_to_longer"] - both / max(compute, alone)) < 1e-9
    raw, beside = (r[key]["median"] for key in ("raw_seconds", "beside_raw_seconds"))
    assert abs(r["raw_to_longer"] - beside / max(compute, raw)) < 1e-9
    assert abs(r["hidden_share"] - (compute + alone - both) / min(compute, alone)) < 1e-9
    print(r["name"], r["direction"], r["lattice"], r["grid"], r["ranks"], r["load"], r["bytes"])
END
ls
