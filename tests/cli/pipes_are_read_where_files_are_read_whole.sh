# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What has no length is read first; what a pipe gets is written to a file first.
lq generate -q conf.ildg --lattice 2x2x2x2 --sweeps 1 --seed 3
cat conf.ildg | lq verify /dev/stdin | head -1
lq verify -q <(cat conf.ildg) && echo fine
cat conf.ildg | lq info /dev/stdin | head -1
cat conf.ildg | lq convert - a.nersc
mkfifo pipe
cat conf.ildg > pipe &
lq convert pipe b.nersc -q
lq convert <(cat conf.ildg) c.nersc -q
cmp a.nersc b.nersc
cmp a.nersc c.nersc
lq convert conf.ildg - --format nersc | cmp - a.nersc
cmp pipe a.nersc &
lq convert conf.ildg pipe --format nersc
wait
ls
