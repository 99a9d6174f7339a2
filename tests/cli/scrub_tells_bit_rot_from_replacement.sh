# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite. A byte changes and the time stamp does not; a file is written anew; a file is written anew and damaged.
for n in 1 2 3 4; do
  make-config conf.$n.lime 2x2x2x4 --angle 0.0$n
  touch -d 2024-01-01 conf.$n.lime
done
lq index -q --db all.db .
lq scrub --db all.db
lq scrub --db all.db --since 1d
damage conf.1.lime 5000 && touch -d 2024-01-01 conf.1.lime
make-config conf.2.lime 2x2x2x4 --angle 0.5
damage conf.3.lime 6000
lq scrub --db all.db || echo "exit $?"
lq find --db all.db --paths damaged
