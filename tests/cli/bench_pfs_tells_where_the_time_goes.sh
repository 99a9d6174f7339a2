# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# The shape of what it tells; the numbers of tiny fields mean nothing.
$LQ_MPIRUN 2 lq-mpi bench pfs --bytes-per-server 1 --servers 2 --fill 2 --runs 1 --seconds 0.01 --stripes default --stripes client --json result.json > table.txt
python3 - << 'END_OF_PYTHON'
import json
run = json.load(open("result.json"))
for r in run["results"]:
    assert r["servers"] == 2 and r["files"] == 2 and r["bytes"] == r["ranks"] * 16**3 * 576, r
    assert r["stripe_bytes"] in (0, 16**3 * 576), r
    if r["name"] == "lattice":
        assert 0 < r["steps"]["open"] < r["seconds"]["max"], r
    if r["stripe_bytes"] == 0:
        print(r["ranks"], r["split"], r["grid"], r["name"], r["direction"], r["cache"])
assert run["parts"] and run["machine"]["write_rate"] > 0
END_OF_PYTHON
grep -c "where the time goes" table.txt
ls
for wrong in "--clients 3" "--split xx" "--stripes wide" "--fill 0" "--precision single" "--strategy gather"; do
  code=0
  lq bench pfs $wrong 2> message.txt || code=$?
  echo "$code: $(head -n 1 message.txt)"
done
