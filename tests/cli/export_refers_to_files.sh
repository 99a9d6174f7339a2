# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# References to files as one Zarr array; what they say is compared with the bytes of the files by Python alone.
mkdir ensemble
make-config ensemble/conf.0010.ildg 2x2x2x4 --angle 0.1
make-config ensemble/conf.0020.ildg 2x2x2x4 --angle 0.2
lq export --references ensemble -o all.json
lq export --references ensemble/conf.0020.ildg -o one.json --slices 0 --prefix https://host/runs -q
python3 - << 'END'
import json
refs = json.load(open("all.json"))["refs"]
array, of = json.loads(refs["gauge/.zarray"]), json.loads(refs["gauge/.zattrs"])
print(array["shape"], array["chunks"], array["dtype"], " ".join(of["_ARRAY_DIMENSIONS"]))
for number, name in enumerate(("conf.0010", "conf.0020")):
    data = open(f"ensemble/{name}.ildg", "rb").read()
    found = b"".join(open(path, "rb").read()[offset:offset + length]
                     for path, offset, length in (refs[f"gauge/{number}.{t}.0.0.0.0.0.0"] for t in range(4)))
    place = data.index(b"ildg-binary-data") + 128
    print(name, found == data[place:place + 32 * 576])
one = json.load(open("one.json"))["refs"]
print([key for key, value in one.items() if isinstance(value, list)], one["gauge/0.0.0.0.0.0.0.0"][0])
END
code=0
lq export --references ensemble -o all.json || code=$?
echo "there already: $code"
lq export --references ensemble -o all.json --overwrite -q
code=0
lq export --references nowhere.ildg -o other.json || code=$?
echo "nothing there: $code"
code=0
lq export --references --virtual ensemble -o other.json || code=$?
echo "both: $code"
code=0
lq export --references ensemble -o other.json --dry-run || code=$?
echo "dry run: $code"
make-config other.ildg 2x2x2x2
code=0
lq export --references ensemble other.ildg -o other.json || code=$?
echo "another lattice: $code"
code=0
lq export --references ensemble -o other.json --slices 3 || code=$?
echo "slices: $code"
ls
