# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The same seed gives the same file, another one another.
lq generate a.ildg --lattice 2x2x2x4 --sweeps 2 --seed 7
lq generate -q b.ildg --lattice 2x2x2x4 --sweeps 2 --seed 7
lq generate -q c.ildg --lattice 2x2x2x4 --sweeps 2 --seed 8
cmp a.ildg b.ildg
lq verify a.ildg
lq info --json a.ildg | json 'dict((p["name"], p["value"]) for p in o["properties"])["seed"]'
cmp -s a.ildg c.ildg || echo "another seed, another file"
