# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A checkpoint of two streams: whole; with a byte of the second one changed; with a byte of its table changed, which is
# made again from the records of its chunks.
cp "$LQ_SOURCE"/tests/cli/data/checkpoint.sion .
lq verify checkpoint.sion
lq info checkpoint.sion | grep -E 'streams|checksums'
cp checkpoint.sion damaged.sion
printf '\377' | dd of=damaged.sion bs=1 seek=8200 conv=notrunc 2>/dev/null
lq verify damaged.sion || echo "exit code $?"
lq cat damaged.sion task.1 > /dev/null || echo "exit code $?"
cp checkpoint.sion table.sion
printf '\377' | dd of=table.sion bs=1 seek=20496 conv=notrunc 2>/dev/null
lq info table.sion || echo "exit code $?"
lq repair table.sion --dry-run
lq repair table.sion
lq verify table.sion
