# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Of 2304 numbers those of all sites but the first differ; the largest difference is named with its site.
make-config cold.ildg
make-config warm.ildg --angle 0.1
lq diff cold.ildg warm.ildg
