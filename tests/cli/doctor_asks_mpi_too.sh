# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# What MPI answers is its own affair: some versions fail, and then the code is 4.
$LQ_MPIRUN 2 lq-mpi doctor --json > out.json 2> launcher.txt || true
json 'o["ranks"], o["mpi"] != "none", [p["name"] for p in o["probes"] if p["name"].startswith("mpi")]' < out.json
json 'o["ok"] == all(p["verdict"] != "FAIL" for p in o["probes"])' < out.json
