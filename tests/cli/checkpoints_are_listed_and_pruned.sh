# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A folder of checkpoints that another program made by the format page: whole, with one damaged, with what a killed job left.
for step in 1 2 3; do make-checkpoint run $step $step; done
lq checkpoints run
printf X | dd of="$(echo run/step-000000000003-*/state)" bs=1 seek=4 conv=notrunc 2> /dev/null
mkdir run/.step-000000000004-0123abcd.lq-new
echo half > run/.step-000000000004-0123abcd.lq-new/.state.01234567
echo mine > run/notes
lq checkpoints run || echo "exit code $?"
lq checkpoints run --no-verify
lq checkpoints run --prune || echo "exit code $?"
lq checkpoints run --prune --keep 1 --json | python3 -c 'import json, sys
found = json.load(sys.stdin)
print([(one["step"], one["state"]) for one in found["checkpoints"]], found["foreign"], len(found["removed"]))' || true
cat run/notes
rm -rf run/step-000000000002-* run/step-000000000001-* 2> /dev/null
lq checkpoints run > /dev/null || echo "exit code $?"
lq checkpoints none || echo "exit code $?"
mkdir empty && lq checkpoints empty
