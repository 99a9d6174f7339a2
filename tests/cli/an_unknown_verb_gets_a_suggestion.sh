# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Swapped letters and abbreviations are near; nonsense gets the list.
lq sl conf.ildg || true
lq gen conf.ildg || true
lq transmogrify conf.ildg || true
lq
