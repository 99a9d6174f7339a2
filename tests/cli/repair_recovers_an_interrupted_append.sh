# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# An append in place that was interrupted: what lies behind the old end, and a journal that says where that is.
make-config plain.ildg 2x2x2x4 --angle 0.01
lq convert -q plain.ildg conf.ildg
cp conf.ildg whole.ildg
python3 - << 'END'
import struct, zlib
old = open("conf.ildg", "rb").read()
head = b"LQJOURN1" + struct.pack("<QI", len(old), zlib.crc32(old[:4096]))
open(".conf.ildg.lq-journal", "wb").write(head + struct.pack("<I", zlib.crc32(head)))
open("conf.ildg", "ab").write(b"half of a fie")
END
cp .conf.ildg.lq-journal saved.lq-journal
lq info conf.ildg 2>&1 | grep -c appending
lq validate conf.ildg
for refused in "copy conf.ildg copy.ildg" "repartition conf.ildg conf.set --to t=block:2" "partition conf.ildg"; do
  { lq $refused 2>&1 || true; } | grep -c 'run "lq repair conf.ildg" first'
done
lq repair --dry-run conf.ildg
lq repair conf.ildg
cmp conf.ildg whole.ildg && echo as it was
[ -e .conf.ildg.lq-journal ] || echo no journal
# A longer file that begins as the old one did takes its name: it is not cut where that ended.
mkdir other
cat whole.ildg whole.ildg > other/twice.ildg
cp whole.ildg other/conf.ildg
cp saved.lq-journal other/.conf.ildg.lq-journal
lq copy -q --overwrite other/twice.ildg other/conf.ildg
lq info other/conf.ildg | grep size
lq copy -q --overwrite whole.ildg other/conf.ildg
ls -A other
# All of it was there, and is kept; under the name that earlier versions gave.
python3 - << 'END'
import struct, zlib
old = open("conf.ildg", "rb").read()
body = b"LQJOURN1" + struct.pack("<QI", len(old), zlib.crc32(old[:4096]))
body += struct.pack("<I", zlib.crc32(body))
body += struct.pack("<QQQQ", len(old) + 8, 1, 0, 4) + old[:4] + old[:4]
open("conf.ildg.lq-journal", "wb").write(body + struct.pack("<I", zlib.crc32(body)))
open("conf.ildg", "ab").write(b"appended")
END
lq repair conf.ildg
tail -c 8 conf.ildg; echo
lq repair conf.ildg || echo "nothing more: $?"
