# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Cold links are exact in single precision.
make-config conf.ildg
lq convert conf.ildg single.lime --precision single --verify read-back
lq convert single.lime back.ildg --precision double --to ildg --no-slice-checksums
lq diff conf.ildg back.ildg -q
cmp <(lq cat conf.ildg ildg-binary-data) <(lq cat back.ildg ildg-binary-data)
