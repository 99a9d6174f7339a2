# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Three times the plaquette is another normalisation; another number is another configuration.
lq generate -q good.ildg --lattice 4x4x4x8 --sweeps 10
plaquette=$(lq info --json good.ildg | json 'repr(o["fields"][0]["plaquette"])')
make-wrong good.ildg wrong.ildg plaquette=$(python3 -c "print(3 * $plaquette)")
lq diagnose wrong.ildg | head -2 || true
lq diagnose -q wrong.ildg --rewrite new.ildg > /dev/null || true
lq diagnose new.ildg | head -2
cmp <(lq cat good.ildg ildg-binary-data) <(lq cat new.ildg ildg-binary-data)
make-wrong good.ildg wrong.ildg plaquette=0.5999
lq diagnose wrong.ildg | head -2 || true
