# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Sites in the order in which ranks write them, by loops in Python: the grid is found from the sums alone.
lq generate -q good.ildg --lattice 4x6x4x12 --sweeps 5
sums=$(lq info --json good.ildg | json 'o["fields"][0]["checksum"]["suma"] + "/" + o["fields"][0]["checksum"]["sumb"]')
for grid in 2x3x2x4 1x2x1x3,t; do
  make-wrong good.ildg wrong.ildg grid=$grid
  lq diagnose wrong.ildg || true
  lq diagnose -q wrong.ildg --rewrite new.ildg --overwrite > /dev/null || true
  cmp <(lq cat good.ildg ildg-binary-data) <(lq cat new.ildg ildg-binary-data)
done
make-wrong good.ildg wrong.raw grid=2x3x2x4 little raw
lq diagnose wrong.raw 2> message || echo "exit code $?"
grep -o "; if it holds.*" message
lq diagnose wrong.raw --lattice 4x6x4x12 || echo "exit code $?"
make-wrong good.ildg wrong.raw grid=2x3x2x4 raw
lq diagnose wrong.raw --lattice 4x6x4x12 --sums $sums --rewrite raw.ildg -q || true
cmp <(lq cat good.ildg ildg-binary-data) <(lq cat raw.ildg ildg-binary-data)
lq diagnose wrong.raw --lattice 4x6x4x12 --sums 12345678/9abcdef0 | head -2 || true
