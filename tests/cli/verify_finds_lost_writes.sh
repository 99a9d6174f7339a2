# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A region of zeros where links should be; no checksum betrays it.
make-config conf.ildg --no-checksum
at=$(lq ls --json conf.ildg | json 'o["fields"][0]["offset"]')
dd if=/dev/zero of=conf.ildg bs=1 seek=$((at + 576 * 4)) count=$((576 * 2)) conv=notrunc status=none
lq verify conf.ildg
