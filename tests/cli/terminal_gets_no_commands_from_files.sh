# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What a file holds or is called is shown on a terminal, not obeyed by it; a pipe gets the bytes as they are.
python3 - <<'PYTHON'
import struct

contents = b"plain\x1b[31mred\n"
header = struct.pack(">IHHQ", 0x456789ab, 1, 0xc000, len(contents)) + b"note".ljust(128, b"\0")
with open("a.lime", "wb") as file:
    file.write(header + contents.ljust((len(contents) + 7) // 8 * 8, b"\0"))
PYTHON
on_terminal() { python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" < /dev/null | tr -d '\r'; }
on_terminal lq cat a.lime note
on_terminal lq ls $'no\x1b]0;such\x07.lime'
lq cat a.lime note | od -An -c | head -1
make-config conf.ildg 2x2x2x2
on_terminal lq convert conf.ildg - --to nersc
