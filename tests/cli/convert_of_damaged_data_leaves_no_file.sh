# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checksums are verified on the way.
make-config conf.ildg --angle 0.1
damage conf.ildg 3000
code=0
lq convert conf.ildg out.ildg || code=$?
ls
exit $code
