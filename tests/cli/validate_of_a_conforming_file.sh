# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Also under --strict.
make-config conf.ildg
lq validate --strict conf.ildg
lq validate --json conf.ildg | json '[o["conforms"], o["errors"], o["warnings"]]'
