# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A message that begins twice (flags of the second record, byte 224 + 6) can be read, but breaks a rule.
make-config conf.ildg
damage conf.ildg 230 0xc0
lq validate conf.ildg > /dev/null && echo "conforms without --strict"
lq validate --strict conf.ildg
