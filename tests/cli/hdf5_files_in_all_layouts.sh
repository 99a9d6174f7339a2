# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# From ILDG to each layout and back the numbers are the same; sums are those of the layout, a damaged slice is named.
# Needs HDF5.
make-config made.ildg
lq convert made.ildg conf.ildg -q
for layout in native qdp qlua; do
  lq convert conf.ildg $layout.h5 --layout $layout --no-time-stamps
  lq verify $layout.h5 --no-physics
  lq ls $layout.h5
  lq convert $layout.h5 back.ildg --force -q
  cmp conf.ildg back.ildg && echo the same bytes
done
lq convert conf.ildg small.h5 --dataset-chunk slice --filters shuffle,deflate:4,fletcher32 --no-time-stamps -q
lq diff conf.ildg small.h5
lq dump small.h5 --site 0,1,0,1 | head -3
lq cat native.h5 /gauge | cmp - <(tail -c +4097 native.h5 | head -c "$(lq cat native.h5 /gauge | wc -c)") && echo as they lie there
printf '\1' | dd of=native.h5 bs=1 seek=5000 conv=notrunc status=none
lq verify native.h5 --no-physics
