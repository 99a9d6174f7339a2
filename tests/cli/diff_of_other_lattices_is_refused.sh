# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# With both shapes in the sentence.
make-config a.ildg 2x2x2x4
make-config b.ildg 2x2x2x6
lq diff a.ildg b.ildg
