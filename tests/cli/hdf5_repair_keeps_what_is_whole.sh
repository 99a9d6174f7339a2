# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A byte of the data is damaged, a checksum, the end of a file: what is known of the right bytes comes back, in a new
# file, and what is lost is named. Needs HDF5.
make-config plain.ildg 2x2x2x4 --angle 0.01
lq convert -q plain.ildg whole.h5 --no-time-stamps
cp whole.h5 bad.h5
damage bad.h5 $((4096 + 9 * 576)) 0x40
lq repair bad.h5 -o good.h5
cmp whole.h5 good.h5 && echo the same bytes
lq repair good.h5 -o again.h5
cp whole.h5 worse.h5
for site in 9 10 11 19; do damage worse.h5 $((4096 + site * 576)) 0x41; done
lq repair worse.h5 -o mended.h5 || echo "damaged slices: $?"
# Headers in front of the data, as QDP++ has them: what lies in front of the end is read.
head -c 300000 "$LQ_SOURCE/tests/golden/good/hdf5/qdpxx-objects-4x2x2x6.h5" > cut.h5
lq verify -q cut.h5 > /dev/null || echo "cut: $?"
lq repair cut.h5 -o rescued.h5 2> said || echo "rescued: $?"
sed 's/ (HDF5 .*//' said >&2
lq ls rescued.h5 2> said || echo "not all of it: $?"
sed 's/ (HDF5 .*//' said >&2
# Ours has its metadata behind the data.
head -c 20000 whole.h5 > lost.h5
lq repair lost.h5 -o nothing.h5 2> said || echo "lost: $?"
grep ^lq said >&2
# QLUA's fields have a SHA-256, which proves them; PyQUDA's sums prove nothing in a damaged file.
for name in qlua-layout-2x4x2x6 pyquda; do
  head -c -1000 "$LQ_SOURCE/tests/golden/good/hdf5/$name.h5" > "$name.h5"
  lq repair "$name.h5" -o "$name.rescued.h5" 2> said || true
  echo "unproven in $name: $(grep -c 'nothing proves these data' said)"
done
