# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A checkpoint of two streams with two fields beside them: whole; with a byte of the first field changed; without the
# file with the fields, which streams do without.
cp "$LQ_SOURCE"/tests/cli/data/fields.sion* .
lq ls fields.sion
lq info fields.sion | grep -A 2 fields
lq verify fields.sion
lq verify fields.sion.fields
place=$(lq ls fields.sion.fields | awk '$1 == "heights" { print $8 }')
printf '\377' | dd of=fields.sion.fields bs=1 seek="$place" conv=notrunc 2>/dev/null
lq verify fields.sion > report || echo "exit code $?"
grep -o 'field "heights": .* have checksum' report
rm fields.sion.fields
lq verify fields.sion > report || echo "exit code $?"
grep -o 'but it is missing' report
lq cat fields.sion task.1
cp "$LQ_SOURCE"/tests/cli/data/fields.sion* .
lq ls --json fields.sion | python3 -c 'import json, sys; print([f["name"] for f in json.load(sys.stdin)["checkpoint_fields"]])'
lq cat fields.sion heights | od -An -tx1 | head -2
lq diff fields.sion fields.sion --field heights
lq diff fields.sion fields.sion.fields --field source
rm fields.sion.fields
lq ls fields.sion
lq diff fields.sion fields.sion || echo "exit code $?"
