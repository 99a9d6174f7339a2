# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A complete checkpoint that lost the records of its last chunk and its table, as a lost stripe leaves it; then one with
# a damaged byte in the record behind its header.
data="$LQ_SOURCE"/tests/cli/data/checkpoint.sion
table=$(od -An -tu8 -j1112 -N8 "$data" | tr -d ' ')
cp "$data" lost.sion
size=$(wc -c < lost.sion)
dd if=/dev/zero of=lost.sion bs=1 seek=$((table - 128)) count=$((size - table + 128)) conv=notrunc 2>/dev/null
lq repair lost.sion || echo "exit code $?"
lq verify lost.sion || echo "exit code $?"
lq cat lost.sion task.1 > /dev/null || echo "exit code $?"
lq explain lost.sion | grep loss
lq defrag lost.sion -o new.sion || echo "exit code $?"
lq defrag lost.sion -o new.sion --no-verify || echo "exit code $?"
lq verify new.sion
cp "$data" record.sion
printf '\377' | dd of=record.sion bs=1 seek=1125 conv=notrunc 2>/dev/null
lq cat record.sion task.1 | wc -c
lq verify record.sion || echo "exit code $?"
lq repair record.sion
lq verify record.sion
