# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Damage in the data of one mode, in a header, in the index; and a file that is whole.
set="$LQ_SOURCE"/tests/golden/good/modes/three_modes.modes
cp "$set" whole.modes
lq modes verify whole.modes
cp "$set" data.modes
printf 'xxxxxxxxxxxx' | dd of=data.modes bs=1 seek=5624 conv=notrunc 2>/dev/null
lq modes verify data.modes || echo "exit code $?"
lq verify data.modes || echo "exit code $?"
cp "$set" header.modes
printf 'x' | dd of=header.modes bs=1 seek=1204 conv=notrunc 2>/dev/null
lq modes verify header.modes || echo "exit code $?"
lq modes verify "$LQ_SOURCE"/tests/golden/bad/modes/sum_of_an_entry.modes | sed "s|$LQ_SOURCE|SOURCE|g" || echo "exit code $?"
