# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Some modes in fixed point; no file is replaced unless asked; a set whose end is missing keeps the modes that are whole.
set="$LQ_SOURCE"/tests/golden/good/modes/three_modes.modes
lq modes convert "$set" small.modes --storage fixed16 --first 1
lq modes ls small.modes
lq modes convert "$set" small.modes || echo "exit code $?"
lq modes convert "$set" small.modes --overwrite
lq modes convert "$set" wrong.modes --storage half || echo "exit code $?"
lq modes convert "$set" || echo "exit code $?"
(lq modes ls "$LQ_SOURCE"/tests/cli/data/fields.sion.fields 2>&1 || echo "exit code $?") | sed "s|$LQ_SOURCE|SOURCE|g"
cp "$LQ_SOURCE"/tests/golden/bad/modes/cut_in_the_last_mode.modes cut.modes
lq modes verify cut.modes || echo "exit code $?"
lq repair cut.modes -o good.modes || echo "a mode is lost: $?"
lq modes verify good.modes || echo "exit code $?"
lq modes ls good.modes
