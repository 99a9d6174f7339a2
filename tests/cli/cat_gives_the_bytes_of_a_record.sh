# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Byte for byte: the links of a cold configuration begin with 1, 0.
make-config conf.ildg
lq cat conf.ildg ildg-data-lfn
echo
lq cat conf.ildg xlf-info:0
lq cat conf.ildg ildg-binary-data | wc -c
lq cat conf.ildg ildg-binary-data | head -c 16 | od -An -tx1
