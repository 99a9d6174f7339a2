# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A checkpoint of two streams with two fields beside them: defragmented, converted, made plain, taken apart; with a
# damaged field, and without its fields. And a multifile of another program made a checkpoint.
cp "$LQ_SOURCE"/tests/cli/data/fields.sion* .
lq defrag fields.sion -o anew.sion --dry-run
lq defrag fields.sion -o anew.sion
lq verify anew.sion
lq convert anew.sion again.sion
lq ls again.sion | tail -4
lq defrag fields.sion -o plain.sion --plain
ls plain.sion*
lq extract fields.sion heights heights.scidac
lq convert heights.scidac single.scidac --precision single
lq unpack fields.sion -d apart
ls apart
place=$(lq ls fields.sion.fields | awk '$1 == "heights" { print $8 }')
printf '\377' | dd of=fields.sion.fields bs=1 seek="$place" conv=notrunc 2>/dev/null
lq defrag fields.sion -o anew.sion --force || echo "exit code $?"
lq verify anew.sion || echo "exit code $?"
lq extract fields.sion heights x 2> report || echo "exit code $?"
rm fields.sion.fields
lq convert fields.sion again.sion --force || echo "exit code $?"
lq verify again.sion || echo "exit code $?"
lq defrag "$LQ_SOURCE/tests/golden/good/sion/v03_multiblock.sion" -o ours.sion --checkpoint
lq verify ours.sion
lq defrag ours.sion -o both.sion --checkpoint --plain || echo "exit code $?"
