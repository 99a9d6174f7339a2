# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite. ls lists the lattice files below a folder, verify verifies them, info says who does.
mkdir -p run/deep empty
make-config run/conf.1.ildg 2x2x2x4
make-config run/conf.2.ildg 2x2x2x2 --angle 0.1
make-config run/deep/conf.3.ildg 2x2x2x4 --angle 0.2
echo "beta = 6.0" > run/notes.txt
lq convert -q run/conf.1.ildg run/parts.scidac --parts 1x1x1x2
lq ls run
lq ls --json run | json 'o["format"], len(o["fields"])'
lq ls run/conf.1.ildg run/deep | tail -3
damage run/conf.2.ildg -5000
lq verify run || echo "exit code $?"
lq verify -q run/deep
lq info run || echo "exit code $?"
lq info --json run 2> /dev/null | json '"error" in o' || true
lq ls empty
lq ls nowhere || echo "exit code $?"
