# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What is damaged is told by site and time slice, and is not written anew.
verdict() {
  lq diagnose "$@" | sed -E '/plaquette stated|READING/,$d' || true
}
lq generate -q good.ildg --lattice 4x4x4x8 --sweeps 10
for how in slice-shifted=3,1 slices-exchanged=2,5 zeros=128,192 zeros=130,131 nan=100 antiperiodic; do
  make-wrong good.ildg wrong.ildg $how
  echo "$how:"
  verdict wrong.ildg
done
make-wrong good.ildg wrong.ildg nan=100
lq diagnose -q wrong.ildg --rewrite new.ildg || echo "exit code $?"
test ! -e new.ildg
head -c 200000 good.ildg > wrong.ildg
verdict wrong.ildg
sed 's:<lt>8<:<lt>6<:' good.ildg > wrong.ildg
verdict wrong.ildg
