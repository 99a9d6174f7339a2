# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Each file goes under its own name; what is there and whole is passed over the next time, by the log or by a look at it.
for number in 10 20 30; do lq generate -q conf.$number.ildg --lattice 2x2x2x2 --sweeps 1 --seed $number; done
lq convert conf.*.ildg out/ --format nersc -q
ls out
cut -f 1,3 out/lq-convert.log
lq convert conf.*.ildg out --format nersc 2>&1 || echo "exit $?"
rm out/conf.20.nersc
lq convert conf.*.ildg out --format nersc --skip-existing 2>&1
rm out/lq-convert.log
truncate -s -5 out/conf.30.nersc
lq convert conf.*.ildg out --format nersc --skip-existing -q || echo "exit $?"
lq convert conf.*.ildg out --format nersc --skip-existing --overwrite 2>&1
lq verify -q out/*.nersc
lq convert conf.10.ildg conf.20.ildg nosuch --format nersc || echo "exit $?"
lq convert conf.10.ildg conf.20.ildg out || echo "exit $?"
cp conf.10.ildg out
lq convert conf.10.ildg out/conf.10.ildg out --format nersc || echo "exit $?"
