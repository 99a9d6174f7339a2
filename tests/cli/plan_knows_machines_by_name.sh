# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
lq plan --machine bluegene-p --lattice 64x64x64x128 --grid 8x8x8x8 --extents 0 | head -n 3
code=0
lq plan --machine bluegene-q --lattice 64x64x64x128 --grid 8x8x8x8 2>&1 || code=$?
echo "nobody's: $code"
