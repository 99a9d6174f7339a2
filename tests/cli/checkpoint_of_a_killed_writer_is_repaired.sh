# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What a killed writer leaves has a temporary name and no table of chunks (the 12 bytes behind the tables of tasks are 0).
generation=$(lq info "$LQ_SOURCE"/tests/cli/data/checkpoint.sion | sed -n 's/ *generation \(........\).*/\1/p')
part=.run.sion.$generation
cp "$LQ_SOURCE"/tests/cli/data/checkpoint.sion "$part"
dd if=/dev/zero of="$part" bs=1 seek=1108 count=12 conv=notrunc 2>/dev/null
lq verify run.sion 2> /dev/null || echo "exit code $?"
lq verify -q "$part" > /dev/null 2>&1 || echo "exit code $?"
lq repair run.sion --dry-run
ls -A
lq repair run.sion
ls -A
lq verify run.sion
lq cat run.sion task.1 | wc -c
lq repair run.sion
