# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# No checksum stored: said, and no failure.
make-config conf.ildg --no-checksum
lq verify conf.ildg
lq verify --json conf.ildg | json '[o["ok"], o["fields"][0]["checksum_status"]]'
