# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
lq bench lattice --lattice 4x4x4x8 --runs 1 --precision single --json - |
  python3 -c 'import json, sys; print([(r["bytes"], r["precision"]) for r in json.load(sys.stdin)["results"]])'
