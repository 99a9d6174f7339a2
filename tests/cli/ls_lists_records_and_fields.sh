# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Records with message, flags and place; fields with kind, lattice and checksum.
make-config conf.ildg
lq ls conf.ildg
