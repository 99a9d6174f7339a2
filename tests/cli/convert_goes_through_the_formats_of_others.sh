# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# From one format to the next and back: the same numbers, and what each of them says of itself.
lq generate -q conf.ildg --lattice 4x2x6x4 --sweeps 1 --seed 7
lq convert -q conf.ildg a.nersc
lq convert -q a.nersc b.milc --allow-loss
lq convert -q b.milc c.openqcd
lq convert -q c.openqcd d.hirep
lq convert -q d.hirep e.field
lq convert -q e.field f.fnal
lq convert -q f.fnal back.ildg
for file in a.nersc b.milc c.openqcd d.hirep e.field f.fnal back.ildg; do
  lq diff conf.ildg $file -q
  lq verify $file
  lq ls $file
done
cmp <(lq cat conf.ildg ildg-binary-data) <(lq cat back.ildg ildg-binary-data)
lq explain c.openqcd
lq explain b.milc
