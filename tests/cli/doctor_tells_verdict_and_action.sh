# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The shape, not the numbers: every question has an answer, and every failure an action below it.
lq doctor --json | json 'o["path"], o["ranks"], o["mpi"], o["profile"], [p["name"] for p in o["probes"]]'
lq doctor --json | json 'all(p["verdict"] in ("PASS", "WARN") and p["found"] and bool(p["action"]) == (p["verdict"] != "PASS") for p in o["probes"])'
lq doctor | sed -n '3p;$p'
ls -A
lq doctor --path no-such-folder > out.txt || echo "code $?"
grep -A 1 FAIL out.txt
lq doctor --json --path no-such-folder | json 'o["ok"]' || true
