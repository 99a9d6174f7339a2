# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The records that stand where the format leaves room, behind it and at the ends of chunks; nothing is odd about them.
cp "$LQ_SOURCE"/tests/cli/data/checkpoint.sion "$LQ_SOURCE"/tests/cli/data/fields.sion* .
lq explain checkpoint.sion | grep 'sion-records'
lq explain fields.sion | grep 'tail record'
lq validate checkpoint.sion fields.sion
printf 'more than there was' >> fields.sion
lq validate fields.sion | grep -o '19 bytes follow metadata block 2'
