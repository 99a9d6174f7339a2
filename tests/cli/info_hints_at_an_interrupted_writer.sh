# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The file is not there, but its temporary file is: incomplete, with the way on.
make-config conf.ildg
mv conf.ildg .conf.ildg.1a2b3c4d
cp .conf.ildg.1a2b3c4d conf.ildg.5e6f7081.part  # as earlier versions called it
lq info conf.ildg
