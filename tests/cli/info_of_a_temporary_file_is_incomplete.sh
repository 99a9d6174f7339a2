# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Complete in content, but its writer did not get to its end.
make-config .conf.ildg.1a2b3c4d
lq info -q .conf.ildg.1a2b3c4d
