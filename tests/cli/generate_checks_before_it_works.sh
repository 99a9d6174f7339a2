# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What is wrong with the target or the lattice shows before the sweeps (which would take hours here).
# Needs HDF5, which is among the formats that are listed.
code=0
echo mine > there.ildg
lq generate there.ildg --lattice 16x16x16x32 --sweeps 1000000 || true
lq generate new.fits --lattice 16x16x16x32 --sweeps 1000000 || true
lq generate no/such/place.ildg --lattice 16x16x16x32 --sweeps 1000000 || true
lq generate plane.ildg --lattice 16x16 --sweeps 1000000 || true
lq generate new.ildg --lattice 16x16x16x32 --dry-run
lq generate new.ildg --lattice 1000000x1000000x1000x1000 --dry-run || true
lq generate new.ildg || code=$?
ls
exit $code
