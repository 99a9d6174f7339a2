#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that a job that is signalled, killed and requeued ends with the same numbers as an undisturbed job: requeue_test.sh PYTHON.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$1
"$python" -c 'import numpy' 2> /dev/null || { echo "without numpy, not run"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/whole" "$folder/parts"
begin=$(date +%s)
expected=$("$python" "$here/hmc.py" "$folder/whole" 24)
# On a busy machine everything takes longer: the program must have begun when the signal comes, and not be done.
FAKE_LIMIT=$((2 + 3 * ($(date +%s) - begin)))
export FAKE_LIMIT
pause=$("$python" -c "print($FAKE_LIMIT / 20)")
for seed in 1 2; do
  rm -rf "$folder/parts"/* "$folder/parts"/.[!.]*
  PROGRAM="$python $here/hmc.py $folder/parts 24 $pause" "$python" "$here/fake_slurm.py" "$here/job.sh" $seed > "$folder/said"
  cat "$folder/said"
  grep -q requeued "$folder/said"
  test "$(grep '^step 24' "$folder/said")" = "$expected"
done
