# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# All files are looked at, and the highest code is the exit code: a truncated file (5) among a good one and a missing one (3).
make-config good.ildg
head -c 5000 good.ildg > short.ildg
lq ls missing.ildg short.ildg good.ildg
