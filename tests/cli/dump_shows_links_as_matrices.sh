# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Site (1,0,0,0) of the phases exp(0.1 i).
make-config warm.ildg --angle 0.1
lq dump warm.ildg --site 1,0,0,0 | head -4
lq dump warm.ildg --site 1,0,0,0 --json | json '[o["shape"], len(o["numbers"]), o["numbers"][:2]]'
