# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite. The second time nothing is read; what vanishes is missing.
mkdir -p run/below
for n in 10 20 30 50; do
  make-config run/conf.00$n.lime 2x2x2x4 --angle 0.00$n
  touch -d 2024-01-01 run/conf.00$n.lime
done
make-config run/below/seven.lime
touch -d 2024-01-01 run/below/seven.lime
echo no lattice file > run/README
touch -d 2024-01-01 run/README
lq index run
lq index run
rm run/conf.0020.lime
{ lq index --json || echo "exit $?" >&2; } | json '[o["unchanged"], o["missing"], o["added"], o["others"], [g["missing"] for g in o["assessment"]["gaps"]]]'
lq find --paths 'trajectory>=10 not missing'
lq find 'beta=6.0'
cd run/below
lq find --paths missing
lq find 'bta=6.0'
