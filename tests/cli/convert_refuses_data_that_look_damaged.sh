# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A file without a checksum whose second half was never written, or whose stated plaquette is another, gets no right
# checksums unless somebody insists. Nor do numbers that a checksum proves, if the file states another plaquette than they
# have: verify calls that damage, too.
lq generate -q conf.ildg --lattice 4x4x4x4 --sweeps 1 --seed 7
lq convert -q conf.ildg conf.openqcd
cp conf.openqcd half.openqcd
truncate -s 70000 half.openqcd
truncate -s $(stat -c %s conf.openqcd) half.openqcd
lq convert half.openqcd half.ildg || echo "exit $?"
test -e half.ildg || echo "no new file"
lq convert half.openqcd half.ildg --accept-damage
python3 -c '
data = bytearray(open("conf.openqcd", "rb").read())
data[30000:30008] = b"\xff" * 8
open("nan.openqcd", "wb").write(data)'
lq convert nan.openqcd nan.nersc || echo "exit $?"
lq generate -q other.ildg --lattice 4x4x4x4 --sweeps 1 --seed 8
lq convert -q other.ildg other.openqcd
(head -c 24 conf.openqcd; tail -c +25 other.openqcd) > mixed.openqcd
lq convert mixed.openqcd mixed.ildg || echo "exit $?"
lq generate -q said.ildg --lattice 4x4x4x4 --sweeps 1 --seed 7 --metadata "xlf-info=plaquette = 0.123"
lq convert said.ildg again.nersc || echo "exit $?"
lq convert said.ildg part.ildg --region t=1:3 || echo "exit $?"
lq verify -q said.ildg > /dev/null || echo "exit $?"
test -e again.nersc || test -e part.ildg || echo "no new file"
lq convert said.ildg again.ildg --accept-damage
