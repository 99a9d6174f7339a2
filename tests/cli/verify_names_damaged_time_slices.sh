# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A file of ours has a checksum for each time slice.
lq generate -q conf.ildg --lattice 2x2x2x4 --sweeps 1
at=$(lq ls --json conf.ildg | json 'o["fields"][0]["offset"]')
damage conf.ildg $((at + 8 * 576 * 2 + 40)) 0xff
damage conf.ildg $((at + 8 * 576 * 3 + 44)) 0xff
lq verify --json conf.ildg | json '[o["ok"], o["fields"][0]["checksum_status"], o["fields"][0]["damaged_slices"]]'
