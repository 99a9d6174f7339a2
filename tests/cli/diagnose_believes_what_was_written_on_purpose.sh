# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Open boundaries have plaquettes of zeros, by which programs divide as well. Smeared links are in no group, and still the
# numbers that were written, if the checksum agrees; but these have another plaquette than the file states, which verify
# finds, too.
good="$LQ_SOURCE"/tests/golden/good
cp "$good"/openqcd/open_boundaries.openqcd "$good"/lime/qio_gauge_double.lime .
lq diagnose open_boundaries.openqcd | head -3
lq diagnose qio_gauge_double.lime | head -4 || true
printf '\101' | dd of=qio_gauge_double.lime bs=1 seek=1820 conv=notrunc status=none
lq diagnose qio_gauge_double.lime | head -3 || true
