# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Bytes are no report.
lq cat --json conf.ildg xlf-info || true
lq --json cat conf.ildg xlf-info
