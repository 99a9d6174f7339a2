# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A set of another program with coefficients: errors are listed, damage of coefficients names time slices of the vector,
# and modes become whole ones; and a set of which too much would be lost keeps its modes whole.
set="$LQ_SOURCE"/tests/golden/good/modes/coefficients.modes
cp "$set" small.modes
lq modes ls small.modes
lq modes info small.modes
lq modes verify small.modes
printf 'XXXX' | dd of=small.modes bs=1 seek="$(lq modes ls small.modes --json | sed 's/.*"error":0.25,"offset":\([0-9]*\).*/\1/')" conv=notrunc 2> dd.txt
lq modes verify small.modes || echo "exit code $?"
lq modes convert "$set" whole.modes
lq modes verify whole.modes
lq modes ls whole.modes | cut -c1-20
lq modes convert "$LQ_SOURCE"/tests/golden/good/modes/three_modes.modes strange.modes --basis 1 --block 2x2x1x1
lq modes ls strange.modes | cut -c1-60
lq modes convert "$set" none.modes --basis 1 || echo "exit code $?"
lq modes convert "$set" none.modes --basis 1 --block 2x2x1x3 || echo "exit code $?"
