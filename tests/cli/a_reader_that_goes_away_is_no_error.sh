# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The payload is larger than a pipe holds.
make-config conf.ildg 4x4x4x16
lq cat conf.ildg ildg-binary-data | head -c 1 | wc -c
