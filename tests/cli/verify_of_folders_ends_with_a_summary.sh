# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A line for each lattice file, in order; others are counted.
mkdir -p run/more
for n in 1 2 3; do make-config run/conf.$n.lime 2x2x2x4 --angle 0.0$n; done
lq generate -q run/more/ours.lime --lattice 2x2x2x4 --sweeps 1
echo text > run/notes
at=$(lq ls --json run/more/ours.lime | json 'o["fields"][0]["offset"]')
damage run/more/ours.lime $((at + 8 * 576 * 2 + 40)) 0xff
head -c 5000 run/conf.3.lime > run/more/short.lime
lq verify -r run -j 2 || echo "exit $?"
lq verify -q -r run/conf.1.lime
lq verify --json -r run | tail -n 1 || true
