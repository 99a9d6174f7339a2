# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# From results of this machine, and such that any reader of SVG takes them.
for lattice in 2x2x2x2 2x2x2x4 4x4x4x4; do
  lq bench lattice -q --lattice $lattice --runs 1 --json $lattice.json
done
for kind in rate-by-ranks rate-by-size steps ratio; do
  lq plot ./*.json -o $kind.svg --kind $kind
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $kind.svg
done
lq plot ./*.json -o default.svg
cmp default.svg rate-by-size.svg
# PNG where there is cairo; else a sentence that says so.
lq plot -q ./*.json -o picture.png 2> message.txt && head -c 4 picture.png | tail -c 3 || grep -o PNG message.txt
