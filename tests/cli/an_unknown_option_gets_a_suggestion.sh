# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Before files are missed; a value that is no choice, too.
lq ls --jsn || true
lq verify --fysics conf.ildg || true
lq --verison || true
lq convert a b --precision singel || true
lq convert a b --verify=read_back || true
lq generate out.ildg --lattice 4x4x4xt || true
lq generate out.ildg --lattice 4x4x4x4 --sweeps 1e3 || true
lq convert a b --precision || true
lq convert a b c
