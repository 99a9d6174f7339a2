# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The file is not there, but its temporary file is: incomplete, with the way on.
make-config conf.ildg
mv conf.ildg conf.ildg.1a2b3c4d.part
lq info conf.ildg
