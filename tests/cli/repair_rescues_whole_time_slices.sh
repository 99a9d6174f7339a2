# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Of a configuration that was cut in its data the whole time slices stay, where they were in the lattice.
make-config plain.ildg 2x2x2x4 --angle 0.01
lq convert -q plain.ildg whole.ildg
data=$(lq info --json whole.ildg | json 'o["fields"][0]["offset"]')
head -c $((data + 3 * 8 * 576 - 1)) whole.ildg > cut.ildg
code=0
lq verify -q cut.ildg > /dev/null || code=$?
echo "verify: $code"
lq repair cut.ildg -o part.scidac || echo "slices are lost: $?"
lq verify part.scidac
lq info part.scidac | grep -E "lattice|rescued"
[ "$(lq dump part.scidac --site 1,1,1,1)" = "$(lq dump whole.ildg --site 1,1,1,1)" ] && echo the same links
lq dump part.scidac --site 0,0,0,2 || echo "not there: $?"
head -c $((data + 100)) whole.ildg > lost.ildg
lq repair lost.ildg -o nothing.scidac || echo "lost: $?"
# Data that are whole, the checksum cut off.
head -c -100 whole.ildg > tail.ildg
lq repair tail.ildg -o mended.ildg
cmp whole.ildg mended.ildg && echo the same bytes
