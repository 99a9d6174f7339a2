#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of README.md and docs/guide for the command line; `lq` must be on the path.
set -e

# [first]
lq generate conf.ildg --lattice 8x8x8x16 --beta 6.0 --sweeps 5 --overwrite   # a real configuration, to try things on
lq verify conf.ildg                                                          # checksum, unitarity, plaquette
lq convert conf.ildg single.ildg --precision single --overwrite              # without --overwrite, files stay what they are
lq diff conf.ildg single.ildg --tolerance 1e-6
# [/first]

# [look]
lq ls conf.ildg                        # its records
lq info --json conf.ildg               # what it is, for programs
lq explain conf.ildg                   # every header byte
lq dump conf.ildg --site 1,2,3,4       # the links of one site
lq cat conf.ildg ildg-format           # one record to stdout
# [/look]

# [wrong]
lq verify conf.ildg                               # what the file states against what its links give
lq diagnose conf.ildg                             # which reading of its bytes is a gauge field, and what to do
lq diff conf.ildg single.ildg --tolerance 1e-6    # against another copy: where they differ first
# [/wrong]

head -c 2000000 conf.ildg > cut.ildg  # as a copy leaves it that was killed
# [killed]
lq verify cut.ildg || echo "not whole"            # says what is missing
lq repair cut.ildg -o rescued.scidac --overwrite || true    # the time slices that are whole, in a file of their own; 1: some are lost
lq info rescued.scidac
# [/killed]
