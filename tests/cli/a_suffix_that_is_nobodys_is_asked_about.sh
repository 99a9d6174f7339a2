# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The suffix picks the format; one that no format has picks none.
# Needs HDF5, which is among the formats that are listed.
make-config conf.ildg
lq convert conf.ildg out.xyz || true
lq convert conf.ildg out.fits || true
lq convert -q conf.ildg out.xyz --to ildg
lq convert -q conf.ildg out.0010
ls
