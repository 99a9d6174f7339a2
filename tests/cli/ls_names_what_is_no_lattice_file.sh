# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Content decides, not the suffix.
echo "plain text" > text.ildg
: > empty.ildg
lq ls text.ildg empty.ildg
