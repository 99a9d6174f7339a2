# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite
#
# A document or a page never takes the place of the file that it is made of, nor of any other that holds data.
lq generate -q a.ildg --lattice 4x4x4x4 --sweeps 1
lq index -q . --db c.db
cksum a.ildg > before
for verb in "ildg document a.ildg -o a.ildg --overwrite" "report . --db c.db -o c.db --overwrite" \
            "report . --db c.db -o a.ildg --overwrite"; do
  # shellcheck disable=SC2086
  lq $verb > /dev/null && echo "replaced" || echo "exit $?"
done
cksum a.ildg | diff - before && lq find -q --db c.db --paths
lq report -q . --db c.db -o page.html && lq report -q . --db c.db -o page.html --overwrite && echo "a page replaces a page"
