# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A part of the lattice becomes a lattice of its own; where no sum of slices covers it, damage elsewhere is found, too.
lq generate -q conf.ildg --lattice 4x4x4x8 --sweeps 1 --seed 7
lq convert conf.ildg part.ildg --region t=2:6,x=-2:
lq verify part.ildg
lq dump conf.ildg --site 2,1,3,5 > whole.txt
lq dump part.ildg --site 0,1,3,3 > part.txt
tail -n +2 whole.txt > a; tail -n +2 part.txt > b; cmp a b && echo "same site"
lq convert conf.ildg no.ildg --region t=0:9 || echo "exit $?"
lq convert -q conf.ildg slice.ildg --region t=5 && lq info slice.ildg | grep "lattice  "; lq convert conf.ildg no.ildg --region t=8 || echo "exit $?"
python3 -c '
data = bytearray(open("conf.ildg", "rb").read())
data[-5000] ^= 1
open("damaged.ildg", "wb").write(data)'
lq convert -q damaged.ildg early.ildg --region t=0:4 && lq verify -q early.ildg && echo "slices 0 to 3 are proven"
lq convert damaged.ildg no.ildg --region t=0:4,x=0:2 || echo "exit $?"
test -e no.ildg || echo "no new file"
