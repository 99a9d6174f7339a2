# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite. What the page does in a browser: python/tests/test_ensembles.py.
mkdir run
for n in 1 2 4; do make-config run/conf.$n.lime 2x2x2x4 --angle 0.0$n; done
lq report run -o report.html
lq report run -o report.html || echo "exit $?"
lq report run -o report.html --overwrite --title 'A & B <i>' --json | json 'o["files"]'
grep -c '<title>A &amp; B &lt;i&gt;</title>' report.html
lq report run || echo "exit $?"
ls
