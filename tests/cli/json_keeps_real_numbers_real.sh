# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A whole value of a real quantity is no integer, whether the library or the program wrote it.
lq generate --json conf.ildg --lattice 2x2x2x2 --sweeps 1 | json '(o["beta"], o["sweeps"])'
lq diff --json conf.ildg conf.ildg | json '(o["tolerance"], o["largest_absolute"], o["differing_numbers"])'
