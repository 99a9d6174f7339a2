# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Not the same as a damaged one.
make-config conf.ildg
truncate -s 10000 conf.ildg
lq verify conf.ildg
