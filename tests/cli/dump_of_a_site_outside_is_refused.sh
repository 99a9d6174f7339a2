# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Coordinates count from 0.
make-config conf.ildg
code=0
lq dump conf.ildg --site 0,0,0,4 || code=$?
lq dump conf.ildg --site 0,0,x || true
lq dump conf.ildg || exit $code
