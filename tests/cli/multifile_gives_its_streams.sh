# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Byte for byte: the first bytes of the formula for rank 6 of vector 11, and of a key.
cp "$LQ_SOURCE"/tests/golden/good/sion/v11* "$LQ_SOURCE"/tests/golden/good/sion/v05* .
lq cat v11_3files_splitcomm.sion task.6 | wc -c
lq cat v11_3files_splitcomm.sion task.6 | head -c 8 | od -An -tu1
lq extract v05_keyval.sion task.1.key.12 key12
wc -c < key12
head -c 8 key12 | od -An -tu1
