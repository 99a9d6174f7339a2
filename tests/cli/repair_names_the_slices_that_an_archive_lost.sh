# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Nothing brings a damaged tile of an archive back: repair names the time slices that are lost, writes nothing, and the others can
# be read. In a whole archive nothing is to be repaired.
lq generate -q conf.ildg --lattice 8x8x8x16 --sweeps 1 --hot-start
lq squeeze -q conf.ildg conf.sqz
lq repair conf.sqz -o same.sqz
data=$(lq ls --json conf.sqz | json '[r["offset"] for r in o["records"] if r["type"] == "limequat-squeezed-data"][0]')
cp conf.sqz damaged.sqz
damage damaged.sqz $((data + 1000)) 0xff
lq verify -q damaged.sqz || echo "verify: $?"
lq repair damaged.sqz -o same.sqz || echo "damaged: $?"
cp damaged.sqz twice.sqz
damage twice.sqz $((data + $(stat -c %s conf.sqz) / 2)) 0xff
lq repair twice.sqz -o same.sqz || echo "damaged twice: $?"
[ "$(lq dump damaged.sqz --site 1,2,3,15 | tail -n +2)" = "$(lq dump conf.ildg --site 1,2,3,15 | tail -n +2)" ] && echo the same links
lq dump damaged.sqz --site 1,2,3,0 || echo "lost: $?"
ls
