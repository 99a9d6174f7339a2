# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Streams are no field: options for one, or its suffix, are refused, not ignored.
cp "$LQ_SOURCE"/tests/golden/good/sion/v03* .
lq convert v03_multiblock.sion new.sion --to ildg || echo "exit code $?"
lq convert v03_multiblock.sion new.sion --precision single || echo "exit code $?"
lq convert v03_multiblock.sion new.ildg || echo "exit code $?"
ls new* 2>/dev/null || echo "nothing was written"
lq convert v03_multiblock.sion new.sion
