# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Rounding to single precision.
make-config warm.ildg --angle 0.1
lq convert -q warm.ildg single.ildg --precision single
lq diff -q warm.ildg single.ildg --tol 1e-6
lq diff warm.ildg single.ildg --json | json '[o["same"], 0 < o["largest_absolute"] < 1e-7, o["path"], o["other"]]' || true
lq diff -q warm.ildg single.ildg > /dev/null
