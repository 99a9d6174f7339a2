# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Names of up to 255 bytes, the most there are: that of a journal is cut.
lq generate -q a.ildg --lattice 4x4x4x4 --beta 6 --sweeps 1
for length in 244 245 250 255; do
  name=$(printf 'n%.0s' $(seq $((length - 5)))).ildg
  lq convert -q a.ildg "$name"
  lq verify -q "$name" && lq diff -q a.ildg "$name" && lq copy -q "$name" copies/ 2> /dev/null || mkdir -p copies && lq copy -q "$name" copies/ --overwrite
  lq squeeze -q "$name" "x$length.sqz"
  lq unsqueeze -q "x$length.sqz" "copies/$name" --overwrite
  cmp "$name" "copies/$name" && echo "$length: whole"
done
lq index . --db c.db | head -1 | cut -d, -f1
