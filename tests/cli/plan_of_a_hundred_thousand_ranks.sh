# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A machine described on the command line; the JSON is sound and bounded.
export LQ_PROFILE=$PWD/site.toml
echo 'name = "described"' > site.toml
lq plan --lattice 256x256x256x512 --grid 16x16x16x25 --ranks-per-node 64 --servers 32 --server-rate 6e9 \
  --stripe 1048576 --write-rate 1.5e9 --json > plan.json
python3 - <<'END'
import json

plan = json.load(open("plan.json"))
print(plan["ranks"], plan["nodes"], plan["bytes"], plan["alignment"])
print([s["strategy"] for s in plan["considered"]])
chosen = plan["chosen"]
print(chosen["strategy"] in ("shared", "pull", "messages"), chosen["memory_bytes"] <= 16 * 2**20)
# 4.9 TB at 192 GB/s.
print(25 < chosen["seconds"]["total"] < 60)
at = 0
for extent in plan["extents"]:
    assert extent["offset"] == at
    at += extent["bytes"]
print(len(plan["extents"]), all(e["offset"] % 2**20 == 0 for e in plan["extents"]))
END
