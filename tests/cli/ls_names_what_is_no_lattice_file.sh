# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Content decides, not the suffix.
# Needs HDF5, which is among the formats that are listed.
echo "plain text" > text.ildg
: > empty.ildg
lq ls text.ildg empty.ildg
