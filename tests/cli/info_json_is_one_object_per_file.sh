# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Also for a file that cannot be read.
make-config conf.ildg 2x2x2x6
lq info --json conf.ildg missing.ildg | json '[o["path"], o.get("lattice"), o.get("precision"), o.get("group"), o.get("complete"), "error" in o]' || true
lq info --json conf.ildg | json '[(p["name"], p["value"]) for p in o["properties"]]'
