# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A header, a text and a byte of the data are damaged; what comes back are the bytes that were there, in a new file.
make-config plain.ildg 2x2x2x4 --angle 0.01
lq convert -q plain.ildg whole.ildg
cp whole.ildg bad.ildg
lq validate -q bad.ildg || true
data=$(lq info --json whole.ildg | json 'o["fields"][0]["offset"]')
damage bad.ildg 0
damage bad.ildg 7
damage bad.ildg $((data + 9 * 576)) 0x40
code=0
lq verify -q bad.ildg > /dev/null || code=$?
echo "verify: $code"
lq repair bad.ildg -o good.ildg --dry-run
ls
lq repair bad.ildg -o good.ildg
cmp whole.ildg good.ildg && echo the same bytes
lq repair good.ildg -o again.ildg
ls again.ildg 2> /dev/null || echo "nothing was written"
lq repair bad.ildg || echo "no name: $?"
lq repair bad.ildg -o bad.ildg --force || echo "in place: $?"
lq repair -q bad.ildg -o good.ildg || echo "there: $?"
