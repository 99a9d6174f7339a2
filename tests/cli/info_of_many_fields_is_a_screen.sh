# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Three hundred vectors, which are told as one group with what all of them state; -v tells each.
python3 - << 'END_OF_PYTHON'
import struct
def record(flags, name, data):
    head = struct.pack(">IHBBQ128s", 0x456789AB, 1, flags, 0, len(data), name.encode())
    return head + data + bytes(-len(data) % 8)
xml = '<?xml version="1.0" encoding="UTF-8"?>'
def message(n):
    private = (f'{xml}<scidacRecord><version>1.1</version><date>x</date><recordtype>0</recordtype><datatype>USQCD_F3_ColorVector</datatype>'
               '<precision>F</precision><colors>3</colors><typesize>24</typesize><datacount>1</datacount></scidacRecord>')
    texts = f"eigenvalue = {n / 100}\n mass = 0.01\n"
    return (record(0x80, "scidac-private-record-xml", private.encode()) + record(0, "scidac-record-xml", texts.encode()) +
            record(0x40, "scidac-binary-data", bytes(24 * 16)))
file = f'{xml}<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>2 2 2 2 </dims><volfmt>0</volfmt></scidacFile>'
open("many.scidac", "wb").write(record(0x80, "scidac-private-file-xml", file.encode()) + record(0x40, "scidac-file-xml", b"<title>many</title>")
                                + b"".join(map(message, range(300))))
END_OF_PYTHON
lq info many.scidac
lq info -v many.scidac 2> /dev/null | grep -c '^  field'
lq info --json many.scidac | json 'len(o["fields"])'
