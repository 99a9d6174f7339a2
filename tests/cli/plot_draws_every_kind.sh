# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# needs: LQ_MATPLOTLIB
# Of results of this machine, and such that any reader of SVG takes them.
for lattice in 2x2x2x2 2x2x2x4 4x4x4x4; do
  lq bench lattice -q --lattice $lattice --runs 1 --json $lattice.json
done
mkdir other
lq bench threads -q --lattice 4x4x4x8 --runs 1 --threads 1 --threads 3 --json other/threads.json
lq bench tasklocal -q --bytes 10001 --runs 1 --files 1 --json other/tasks.json
lq bench pfs -q --bytes-per-server 1 --servers 1 --runs 1 --seconds 0.01 --stripes default --json other/pfs.json
for kind in rate-by-ranks rate-by-size steps ratio; do
  lq plot ./*.json -o $kind.svg --kind $kind
done
lq plot ./*.json -o default.svg
cmp default.svg rate-by-size.svg
lq plot other/threads.json -o threads.svg
lq plot other/tasks.json -o create.svg
lq plot other/tasks.json -o files.svg --kind rate-by-files
lq plot other/pfs.json -o servers.svg --kind rate-per-server
lq plot -q ./*.json -o picture.png
python3 - << 'END'
import glob, xml.dom.minidom
print(sorted(glob.glob("*.svg")))
for path in glob.glob("*.svg"):
    texts = [node.firstChild.data for node in xml.dom.minidom.parse(path).getElementsByTagName("text") if node.firstChild]
    assert any("limit" in text or "checkpoint" in text for text in texts), (path, texts)
    assert any(text.startswith(("GB/s", "ms", "raw time")) for text in texts), (path, texts)
print(open("picture.png", "rb").read(4))
END
