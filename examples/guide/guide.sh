#!/bin/sh
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The samples of README.md and docs/guide for the command line; `lq` must be on the path.
set -e

# [first]
lq generate conf.ildg --lattice 8x8x8x16 --beta 6.0 --sweeps 5 --overwrite   # a real configuration, for tests
lq verify conf.ildg                                                          # checksum, unitarity, plaquette
lq convert conf.ildg single.ildg --precision single --overwrite              # without --overwrite, existing files are never replaced
lq diff conf.ildg single.ildg --tolerance 1e-6
# [/first]

# [look]
lq ls conf.ildg                        # its records
lq info --json conf.ildg               # its facts, for programs
lq explain conf.ildg                   # every header byte
lq dump conf.ildg --site 1,2,3,4       # the links of one site
lq cat conf.ildg ildg-format           # one record to stdout
# [/look]

# [wrong]
lq verify conf.ildg                               # compares the stated values with the links
lq diagnose conf.ildg                             # which interpretation of its bytes is a gauge field, and what to do
lq diff conf.ildg single.ildg --tolerance 1e-6    # compared with another copy: where is the largest difference?
# [/wrong]

head -c 2000000 conf.ildg > cut.ildg  # like a copy that was killed
# [killed]
lq verify cut.ildg || echo "not whole"            # reports what is missing
lq repair cut.ildg -o rescued.scidac --overwrite || true    # the complete time slices in a new file; 1: some are lost
lq info rescued.scidac
# [/killed]
