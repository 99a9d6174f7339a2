# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Extents as people write them, a suffix in capitals, time stamps that a format has not, names with a line feed.
lq generate -q a.ildg --lattice 4X4X2x6 --sweeps 1
lq generate -q b.ILDG --lattice 4,4,2,6 --sweeps 1 --no-time-stamps
lq diff -q a.ildg b.ILDG && lq ls b.ILDG | head -1
cp a.ildg $'two\nlines.ildg'
lq verify $'two\nlines.ildg' | wc -l
lq verify $'two\nlines.ildg' | head -1
