# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MPIRUN
# The shape of what it tells; the numbers of tiny streams mean nothing. "multifile" only where sion.h was built.
$LQ_MPIRUN 3 lq-mpi bench tasklocal --bytes 10001 --runs 1 --tasks 1 --tasks 3 --files 1 --files 2 --json result.json > table.txt
python3 - << 'END_OF_PYTHON'
import json
run = json.load(open("result.json"))
for r in run["results"]:
    assert abs(r["ratio_to_raw"] - r["raw_seconds"]["median"] / r["seconds"]["median"]) < 1e-9
    if r["name"] != "multifile":
        print(r["part"], r["name"], r["verify"], r["direction"], r["ranks"], r["files"], r["shift"], r["bytes"])
tried = [(r["part"], r["direction"], r["files"], r["block"] > 0) for r in run["results"] if r["name"] == "multifile"]
every = [("create", "create", 1, False)] * 2 + [("transfer", way, files, awkward) for files, awkward in
                                                ((1, False), (2, False), (1, True)) for way in ("write", "read")]
assert tried in ([], every), tried
END_OF_PYTHON
grep -c checkpoint table.txt
ls
for wrong in "--tasks 4" "--files 0" "--bytes 0" "--runs 0"; do
  code=0
  $LQ_MPIRUN 3 lq-mpi bench tasklocal $wrong 2> message.txt || code=$?
  echo "$code: $(head -n 1 message.txt)"
done
lq bench tasklocal -q --part create --runs 1 --json - | python3 -c 'import json, sys; print([r["name"] for r in json.load(sys.stdin)["results"]])'
