# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite. A configuration that was emptied, cut or replaced by another kind of file stays in the catalogue; a
# temporary file of a writer does not get into it; a set of subfiles is one entry.
mkdir run
for n in 100 110 120 130; do make-config run/conf.$n.ildg 2x2x2x4 --angle 0.$n; done
lq repartition -q run/conf.130.ildg run/conf.set --to t=block:2
rm run/conf.130.ildg
make-config run/.conf.140.ildg.1a2b3c4d
echo text > run/notes
sleep 0.1
lq index --db all.db run
lq scrub --db all.db
: > run/conf.110.ildg
head -c 9000 run/conf.120.ildg > cut
cp cut run/conf.120.ildg
sleep 0.1
lq index -v --db all.db run || echo "exit $?"
lq index --db all.db run || echo "exit $?"
lq find --db all.db --paths 'unreadable or incomplete'
lq scrub --db all.db || echo "exit $?"
lq verify -r -q run || echo "exit $?"
