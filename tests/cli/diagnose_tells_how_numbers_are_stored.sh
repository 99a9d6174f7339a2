# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The numbers of a good file moved about by Python; a new file is the good one again.
lq generate -q good.ildg --lattice 4x4x4x8 --sweeps 10
lq diagnose good.ildg
for how in little words swapped-as-32 im-re apart transposed t-fastest links-txyz precision; do
  make-wrong good.ildg wrong.ildg $how
  echo "$how:"
  code=0
  lq diagnose --json wrong.ildg > wrong.json || code=$?
  json '"\n".join("  " + line for line in o["verdict"].split("\n"))' < wrong.json
  lq diagnose -q wrong.ildg --rewrite new.ildg --overwrite > /dev/null || true
  lq diff -q good.ildg new.ildg
  lq verify -q new.ildg
  cmp <(lq cat good.ildg ildg-binary-data) <(lq cat new.ildg ildg-binary-data)
  test $code = 1
done
