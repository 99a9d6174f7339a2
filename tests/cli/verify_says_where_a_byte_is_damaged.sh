# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Byte 2000 of the payload: site 3 (576 bytes each) at x=1, y=1, z=0, t=0.
make-config conf.ildg --angle 0.1
at=$(lq ls --json conf.ildg | json 'o["fields"][0]["offset"]')
damage conf.ildg $((at + 2000))
echo "byte $((at + 2000))"
lq verify conf.ildg
