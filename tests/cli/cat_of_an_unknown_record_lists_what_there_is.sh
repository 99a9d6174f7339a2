# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The remedy is in the sentence.
make-config conf.ildg
code=0
lq cat conf.ildg ildg-format:1 || code=$?
lq cat conf.ildg no-such-record || exit $code
