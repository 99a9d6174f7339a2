# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The checksum fits, but the text states another plaquette than the links have.
make-config conf.ildg
lq convert -q conf.ildg wrong.ildg --metadata "xlf-info=plaquette = 0.5"
lq verify wrong.ildg
