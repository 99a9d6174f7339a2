# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Needs SQLite.
make-config conf.lime
lq index -q .
lq find 'trajectory>=7 and (beta=6.0'
