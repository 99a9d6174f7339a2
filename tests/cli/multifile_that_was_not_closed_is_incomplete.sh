# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Listed, verified and refused, until it is repaired, which is a guess and said to be one.
cp "$LQ_SOURCE"/tests/golden/good/sion/v17* .
lq verify v17_unclosed.sion && exit 1 || echo "verify: $?"
lq ls -q v17_unclosed.sion && exit 1 || echo "ls: $?"
lq unpack v17_unclosed.sion -d out && exit 1 || echo "unpack: $?"
lq repair v17_unclosed.sion -o good.sion --unit 400 && exit 1 || echo "repair: $?"
lq verify good.sion
lq cat good.sion task.2 | wc -c
