# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Format, lattice, precision, group, checksum, and facts out of the texts.
make-config conf.ildg 2x2x2x6
lq info conf.ildg
