# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# SciDAC files hold what ILDG does not.
lq generate -q plane.lime --format scidac --group su2 --lattice 4x6 --beta 2.0 --sweeps 3 --hot --precision single
lq verify plane.lime
lq info --json plane.lime | json '[o["format"], o["lattice"], o["group"], o["precision"]]'
