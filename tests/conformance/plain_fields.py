# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A naive reader of lattice fields in every format of tests/conformance/files, in plain Python, written in the order of
docs/formats. It shares no line with the library, nor with what makes the files.

    read(path) -> {"format", "lattice", "fields", "colors", "numbers", "precision", "byte_order", "checksum", "stored",
                   "plaquette", "stated_plaquette", "sites"}

`sites` are the numbers of all sites, x fastest, as they lie in our memory; `checksum` is computed, `stored` what the
file says (None: nothing). Raises Defect with a kind: truncated, malformed, checksum, plaquette, unknown."""

import itertools
import math
import pathlib
import re
import struct
import sys
import tempfile
import zlib

import plain_ildg
import plain_local

try:
    import plain_hdf5
except ImportError:
    plain_hdf5 = None  # needs h5py: files of HDF5 are left out

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
try:
    import read_limequat
except ImportError:
    read_limequat = None  # needs numpy: squeezed files are left out


class Defect(Exception):
    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def fail(kind, message):
    raise Defect(kind, message)


def require(condition, kind, message):
    if not condition:
        raise Defect(kind, message)


def numbers_of(data, order, precision):
    return struct.unpack(f"{order}{len(data) * 8 // precision}{'f' if precision == 32 else 'd'}", data)


def cut(values, size):
    return [list(values[at:at + size]) for at in range(0, len(values), size)]


def sites_of(lattice):
    """Coordinates, x fastest."""
    return [(x, y, z, t) for t in range(lattice[3]) for z in range(lattice[2]) for y in range(lattice[1])
            for x in range(lattice[0])]


def slow_x_sites(lattice):
    """Coordinates in the order t, x, y, z with z fastest."""
    return [(x, y, z, t) for t in range(lattice[3]) for x in range(lattice[0]) for y in range(lattice[1])
            for z in range(lattice[2])]


# Plaquettes

def matrices(site, colors):
    """[mu][row][column]"""
    numbers = iter(site)
    return [[[complex(next(numbers), next(numbers)) for _ in range(colors)] for _ in range(colors)] for _ in range(4)]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def plaquette_of(lattice, sites, colors):
    links = {x: matrices(site, colors) for x, site in zip(sites_of(lattice), sites)}

    def up(x, mu):
        return tuple((c + (d == mu)) % n for d, (c, n) in enumerate(zip(x, lattice)))

    total = 0.0
    for x, u in links.items():
        for mu in range(4):
            for nu in range(mu):
                one = times(u[mu], links[up(x, mu)][nu])
                other = times(u[nu], links[up(x, nu)][mu])
                total += sum((p * q.conjugate()).real for r, s in zip(one, other) for p, q in zip(r, s))
    return total / (6 * len(sites) * colors)


# LIME: the container and the SciDAC records by plain_ildg.py

def read_lime(data):
    try:
        records, _ = plain_ildg.records_of(data)
        if records[0]["type"] == "limequat-modes":
            return read_modes(data, records)
        answer = plain_ildg.parse(data)
    except ValueError as error:
        raise Defect("truncated" if "than the file has" in str(error) or "no header" in str(error) else "malformed",
                     str(error)) from error
    require("the last message is not ended" not in answer["broken"], "truncated", "the last message is not ended")
    require(answer["fields"], "malformed", "a field is described, but there are no data")
    field = answer["fields"][0]
    require(not field["broken"], "malformed", str(field["broken"]))
    values = numbers_of(data[field["offset"]:field["offset"] + math.prod(field["extents"]) * field["site_bytes"]], ">",
                        field["precision"])
    is_gauge = "ColorMatrix" in field["datatype"] or field["datatype"].endswith("gauge")
    per_site = field["site_bytes"] * 8 // field["precision"]
    stated = re.search(r"plaquette = (\S+)", answer["metadata"].get("xlf-info", ""))
    is_ildg = any(record["type"].startswith("ildg") for record in answer["records"])
    return {"format": "ildg" if is_ildg else "scidac", "lattice": field["extents"], "fields": len(answer["fields"]),
            "colors": math.isqrt(per_site // 8) if is_gauge else 3, "gauge": is_gauge, "precision": field["precision"],
            "byte_order": "big", "checksum": field["computed"], "stored": field["stored"], "sites": cut(values, per_site),
            "stated_plaquette": float(stated[1]) if stated else None}


def read_modes(data, records):
    """docs/formats/modes.md"""
    document = plain_ildg.children_of(data, records[0])
    if document["version"] not in ("1.0", "2.0") or "fnv1a" in document:
        text = data[records[0]["offset"]:records[0]["offset"] + records[0]["data_length"]]
        summed, _, end = text.rpartition(b"<fnv1a>")
        value = 0xCBF29CE484222325
        for byte in summed:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        require(end == b"%016x</fnv1a></limequatModes>" % value, "malformed", "the description has another sum")
    lattice = [int(n) for n in document["lattice"].split()]
    per_site, storage = int(document["numbers"]), document["storage"]
    vectors = [record for record in records if record["type"] == "limequat-mode-data"]
    entry = next(record for record in records if record["type"] == "limequat-mode")
    payload = data[vectors[0]["offset"]:vectors[0]["offset"] + vectors[0]["data_length"]]
    site_bytes = len(payload) // math.prod(lattice)
    if storage == "fixed16":
        sites = [[magnitude * i / 32767 for i in integers]
                 for magnitude, *integers in struct.iter_unpack(f">f{per_site}h", payload)]
    else:
        sites = cut(numbers_of(payload, ">", 64 if storage == "double" else 32), per_site)
    return {"format": "modes", "lattice": lattice, "fields": len(vectors), "colors": int(document["colors"]),
            "gauge": False, "precision": 64 if storage == "double" else 32, "byte_order": "big",
            "checksum": "{:08x}/{:08x}".format(*plain_ildg.checksum_of(payload, site_bytes)),
            "stored": "{:08x}/{:08x}".format(*struct.unpack_from(">II", data, entry["offset"] + 40)), "sites": sites,
            "stated_plaquette": None}


# NERSC: docs/formats/nersc.md

def read_nersc(data):
    end = data.find(b"END_HEADER\n")
    require(end >= 0, "truncated", "there is no END_HEADER")
    lines = [line.split("=", 1) for line in data[:end].decode().splitlines() if "=" in line]
    head = {key.strip(): value.strip() for key, value in lines}
    require(all(f"DIMENSION_{d}" in head for d in (1, 2, 3, 4)), "malformed", "an extent is missing")
    lattice = [int(head[f"DIMENSION_{d}"]) for d in (1, 2, 3, 4)]
    require(all(0 < n for n in lattice) and math.prod(lattice) < 2**40, "malformed", f"extents {lattice}")
    floating = re.fullmatch(r"IEEE(32|64)(BIG|LITTLE)", head["FLOATING_POINT"])
    require(floating, "malformed", head["FLOATING_POINT"])
    precision, order = int(floating[1]), {"BIG": ">", "LITTLE": "<"}[floating[2]]
    per_link = 18 if head["DATATYPE"] == "4D_SU3_GAUGE_3x3" else 12
    payload = data[end + 11:]
    require(len(payload) * 8 == math.prod(lattice) * 4 * per_link * precision, "truncated", f"{len(payload)} bytes of data")
    values = numbers_of(payload, order, precision)
    if per_link == 12:
        values = [v for link in cut(values, 12) for v in link + third_row(link)]
    words = struct.unpack(f"{order}{len(payload) // 4}I", payload)
    return {"format": "nersc", "lattice": lattice, "fields": 1, "colors": 3, "gauge": True, "precision": precision,
            "byte_order": floating[2].lower(), "checksum": f"{sum(words) & 0xffffffff:08x}",
            "stored": f"{int(head['CHECKSUM'], 16):08x}", "sites": cut(values, 72),
            "stated_plaquette": float(head["PLAQUETTE"])}


def third_row(link):
    a, b = ([complex(*link[k:k + 2]) for k in range(first, first + 6, 2)] for first in (0, 6))
    row = [(a[i] * b[j] - a[j] * b[i]).conjugate() for i, j in ((1, 2), (2, 0), (0, 1))]
    return [part for c in row for part in (c.real, c.imag)]


# MILC: docs/formats/milc.md

def read_milc(data):
    order = ">" if data[:1] == b"\0" else "<"
    magic, *lattice = struct.unpack_from(f"{order}5i", data)
    require(all(n > 0 for n in lattice), "malformed", f"extents {lattice}")
    start, precision = (28, 32) if magic == 59354 else (96, 64 if magic == 20104 else 32)
    payload = data[start:]
    require(len(payload) * 8 == math.prod(lattice) * 72 * precision, "truncated", f"{len(payload)} bytes of data")
    sum29 = sum31 = 0
    for i, (word,) in enumerate(struct.iter_unpack(f"{order}I", payload)):
        sum29 ^= plain_ildg.rotate(word, i % 29)
        sum31 ^= plain_ildg.rotate(word, i % 31)
    stored = struct.unpack_from(f"{order}2I", data, 88) if start == 96 else (0, 0)
    return {"format": "milc", "lattice": lattice, "fields": 1, "colors": 3, "gauge": True, "precision": precision,
            "byte_order": "big" if order == ">" else "little", "checksum": f"{sum29:08x}/{sum31:08x}",
            "stored": None if stored == (0, 0) else "{:08x}/{:08x}".format(*stored),
            "sites": cut(numbers_of(payload, order, precision), 72), "stated_plaquette": None}


# FNAL: docs/formats/fnal.md

def read_fnal(data):
    order = ">" if data[:1] == b"\x71" else "<"
    _, _, word, elements, *lattice = struct.unpack_from(f"{order}8i", data)
    require(word in (4, 8), "malformed", f"numbers of {word} bytes")
    require(elements > 0, "malformed", f"{elements} elements for each site")
    payload = data[36:]
    # Elements are complex where the format's own kinds say so; sizes count real numbers here.
    require(len(payload) == math.prod(lattice) * elements * word, "truncated", f"{len(payload)} bytes of data")
    return {"format": "fnal", "lattice": lattice, "fields": 1, "colors": 3, "gauge": elements == 72, "precision": 8 * word,
            "byte_order": "big" if order == ">" else "little", "checksum": None, "stored": None,
            "sites": cut(numbers_of(payload, order, 8 * word), elements), "stated_plaquette": None}


# openQCD: docs/formats/openqcd.md; no magic: size and check value must fit

def read_openqcd(data, path):
    t, x, y, z = struct.unpack_from("<4i", data)
    lattice, volume = [x, y, z, t], t * x * y * z
    if re.search(r"_b\d+$", path.name):
        return read_blocks(data, path, lattice)
    if len(data) == 24 + 576 * volume:
        stated = struct.unpack_from("<d", data, 16)[0] / 3
        require(-1 <= stated <= 1, "unknown", f"a plaquette of {3 * stated}")
        links = iter(cut(numbers_of(data[24:], "<", 64), 18))
        found = {}
        for site in (site for site in slow_x_sites(lattice) if sum(site) % 2):
            for mu in (3, 0, 1, 2):
                below = tuple((c - (d == mu)) % n for d, (c, n) in enumerate(zip(site, lattice)))
                found[site, mu], found[below, mu] = next(links), next(links)
        sites = [[v for mu in range(4) for v in found[site, mu]] for site in sites_of(lattice)]
        return {"format": "openqcd", "lattice": lattice, "fields": 1, "colors": 3, "gauge": True, "precision": 64,
                "byte_order": "little", "checksum": None, "stored": None, "sites": sites, "stated_plaquette": stated}
    head = len(data) - 192 * volume
    require(head in (24, 28), "unknown", f"{len(data)} bytes are no size of {lattice}")
    stored = struct.unpack_from("<d", data, head - 8)[0]
    values = numbers_of(data[head:], "<", 64)
    found = dict(zip(slow_x_sites(lattice), cut(values, 24)))
    norm = math.fsum(v * v for v in values)
    agrees = abs(norm - stored) <= 1e-12 * stored
    return {"format": "openqcd", "lattice": lattice, "fields": 1, "colors": 3, "gauge": False, "precision": 64,
            "byte_order": "little", "checksum": repr(stored if agrees else norm), "stored": repr(stored),
            "sites": [found[site] for site in sites_of(lattice)], "stated_plaquette": None}


def read_blocks(data, path, lattice):
    """docs/formats/openqcd.md 8: all files RUN_b0, RUN_b1, ..."""
    extents, block = (lattice[3], *lattice[:3]), struct.unpack_from("<4i", data, 16)
    require(all(n > 0 and whole % n == 0 for whole, n in zip(extents, block)), "unknown", f"blocks {block} of {extents}")
    counts = [whole // n for whole, n in zip(extents, block)]
    found, checks, is_gauge = {}, [], False
    for number in range(math.prod(counts)):
        other = path.with_name(re.sub(r"\d+$", str(number), path.name))
        require(other.exists(), "truncated", f"there is no {other.name}")
        part = other.read_bytes()
        lower, rest = [], number
        for count, n in reversed(list(zip(counts, block))):
            rest, digit = divmod(rest, count)
            lower.insert(0, digit * n)
        require(struct.unpack_from("<12i", part) == (*extents, *block, *lower), "unknown", f"the header of {other.name}")
        is_gauge = len(part) == 56 + 576 * math.prod(block)
        require(is_gauge or len(part) == 60 + 192 * math.prod(block), "unknown", f"{len(part)} bytes")
        head = 56 if is_gauge else 60
        checks.append(part[head - 8:head])
        values = iter(cut(numbers_of(part[head:], "<", 64), 18 if is_gauge else 24))
        inside = [tuple(lo + x for lo, x in zip(lower, point)) for point in itertools.product(*map(range, block))]
        for t, x, y, z in inside:
            if not is_gauge:
                found[x, y, z, t] = next(values)
                continue
            if (t + x + y + z) % 2 == 0:
                continue
            for mu in (3, 0, 1, 2):
                below = tuple((c - (d == mu)) % n for d, (c, n) in enumerate(zip((x, y, z, t), lattice)))
                found[(x, y, z, t), mu], found[below, mu] = next(values), next(values)
    require(len(set(checks)) == 1, "malformed", "files of different sets")
    check = struct.unpack("<d", checks[0])[0]
    answer = {"format": "openqcd", "lattice": lattice, "fields": 1, "colors": 3, "gauge": is_gauge, "precision": 64,
              "byte_order": "little", "checksum": None, "stored": None, "stated_plaquette": check / 3 if is_gauge else None}
    if is_gauge:
        return {**answer, "sites": [[v for mu in range(4) for v in found[site, mu]] for site in sites_of(lattice)]}
    norm = math.fsum(v * v for site in found.values() for v in site)
    agrees = abs(norm - check) <= 1e-12 * check
    return {**answer, "checksum": repr(check if agrees else norm), "stored": repr(check),
            "sites": [found[site] for site in sites_of(lattice)]}


def read_local(path):
    """docs/formats/openqcd.md 9: all files RUN_0, RUN_1, ..."""
    links, lattice, stated, head = plain_local.links_of(path, fail)
    sites = [[v for mu in range(4) for v in links[site, mu]] for site in sites_of(lattice)]
    found = plaquette_of(lattice, sites, 3)
    require(abs(found - stated) < 1e-5, "malformed", f"plaquette {stated} stated, {found} found")
    return {"format": "openqcd", "lattice": lattice, "fields": 1, "colors": 3, "gauge": True, "precision": 64,
            "byte_order": "little" if head["order"] == "<" else "big", "checksum": None, "stored": None, "sites": sites,
            "stated_plaquette": stated}


# Raw numbers beside a description: docs/formats/raw.md

RAW_AXES = {"gauge": "mu row column reim", "spinor": "spin color reim",
            "propagator": "sink_spin source_spin sink_color source_color reim"}


def read_raw(data, path):
    lines = data.decode().splitlines()
    require("END_RAW_FIELD" in lines, "truncated", "there is no END_RAW_FIELD")
    head = dict(line.split(" = ") for line in lines if " = " in line)
    require({"lattice", "kind", "precision", "byte_order"} <= set(head), "malformed", "a line is missing")
    lattice = [int(n) for n in head["lattice"].split("x")]
    extent = {"x": lattice[0], "y": lattice[1], "z": lattice[2], "t": lattice[3], "mu": 4, "reim": 2}
    memory = RAW_AXES[head["kind"]].split()
    axes = head.get("order", f"t z y x {RAW_AXES[head['kind']]}").split()
    require(sorted(axes) == sorted(["t", "z", "y", "x", *memory]), "malformed", f"axes {axes}")
    places = sorted(axes.index(d) for d in "xyzt")
    require(places[3] - places[0] == 3, "malformed", "the axes of the lattice are apart")
    size = {axis: extent.get(axis, 4 if "spin" in axis else 3) for axis in axes}
    precision, order = {"single": 32, "double": 64}[head["precision"]], {"big": ">", "little": "<"}[head["byte_order"]]
    payload = path.with_name(path.name + ".data").read_bytes()
    count = math.prod(size.values())
    require(len(payload) * 8 >= count * precision, "truncated", f"{len(payload)} bytes of numbers")
    stride, step = {}, 1
    for axis in reversed(axes):
        stride[axis], step = step, step * size[axis]
    values = numbers_of(payload[:count * precision // 8], order, precision)
    sites = [[values[sum(n * stride[a] for a, n in zip("xyzt", site)) + sum(n * stride[a] for a, n in zip(memory, inner))]
              for inner in itertools.product(*(range(size[axis]) for axis in memory))] for site in sites_of(lattice)]
    return {"format": "raw", "lattice": lattice, "fields": 1, "colors": 3, "gauge": head["kind"] == "gauge",
            "precision": precision, "byte_order": head["byte_order"], "checksum": None, "stored": None, "sites": sites,
            "stated_plaquette": None}


# Object files of QDP++: docs/formats/mod.md

def read_mod(data):
    (length,) = struct.unpack_from(">i", data, 37)
    text = data[41:41 + length].decode()
    lattice = [int(n) for n in re.search(r"<lattSize>(.*?)</lattSize>", text)[1].split()]
    (begin,) = struct.unpack_from(">Q", data, 41 + length + 8)
    require(begin < len(data), "truncated", "there is no map")
    (count,) = struct.unpack_from(">I", data, begin)
    places, at = {}, begin + 4
    for _ in range(count):
        size, t, vector = struct.unpack_from(">iii", data, at)
        require(size == 8, "malformed", f"a key of {size} bytes")
        places[vector, t] = struct.unpack_from(">Q", data, at + 20)[0]
        at += 28
    require(struct.unpack_from(">I", data, at)[0] == zlib.crc32(data[begin:at]), "malformed", "the map is damaged")
    slices = [places.get((0, t)) for t in range(lattice[3])]
    require(None not in slices, "malformed", f"{len(places)} time slices")
    ends = sorted([*slices, begin])
    size = ends[1] - ends[0] - 4
    precision = size * 8 // (6 * math.prod(lattice[:3]))
    payload = b"".join(data[place:place + size] for place in slices)
    computed = "/".join(f"{zlib.crc32(data[place:place + size]):08x}" for place in slices)
    stored = "/".join(data[place + size:place + size + 4].hex() for place in slices)
    return {"format": "mod", "lattice": lattice, "fields": len(places) // lattice[3], "colors": 3, "gauge": False,
            "precision": precision, "byte_order": "big", "checksum": computed, "stored": stored,
            "sites": cut(numbers_of(payload, ">", precision), 6), "stated_plaquette": None}


# HiRep: docs/formats/hirep.md; no magic

def read_hirep(data):
    colors, t, x, y, z = struct.unpack_from(">5i", data)
    stated = struct.unpack_from(">d", data, 20)[0]
    lattice, links = [x, y, z, t], 4 * t * x * y * z
    require(-1 <= stated <= 1, "unknown", f"a plaquette of {stated}")
    payload = data[28:]
    if colors == 2 and len(payload) == links * 32:
        found = iter(su2_of(*q) for q in cut(numbers_of(payload, ">", 64), 4))
    else:
        require(len(payload) == links * 16 * colors**2, "unknown", f"{len(payload)} bytes of links")
        found = iter(cut(numbers_of(payload, ">", 64), 2 * colors**2))
    sites = {}
    for site in slow_x_sites(lattice):
        by_direction = dict(zip((3, 0, 1, 2), (next(found) for _ in range(4))))
        sites[site] = [v for mu in range(4) for v in by_direction[mu]]
    return {"format": "hirep", "lattice": lattice, "fields": 1, "colors": colors, "gauge": True, "precision": 64,
            "byte_order": "big", "checksum": None, "stored": None, "sites": [sites[s] for s in sites_of(lattice)],
            "stated_plaquette": stated}


# DDalphaAMG: docs/formats/ddalphaamg.md; no magic, and openQCD has the same header and size: the plaquette tells

def read_ddalphaamg(data):
    """Nothing where the links in this order do not have the stated plaquette."""
    t, z, y, x, stated = struct.unpack_from("<4id", data)
    lattice, payload = [x, y, z, t], data[24:]
    if min(lattice) < 1 or len(payload) != 576 * t * z * y * x:
        return None
    sites = []
    for site in cut(numbers_of(payload, "<", 64), 72):
        sites.append([v for mu in (3, 2, 1, 0) for v in site[18 * mu:18 * mu + 18]])
    if not abs(3 * plaquette_of(lattice, sites, 3) - stated) < 1e-10:
        return None
    return {"format": "ddalphaamg", "lattice": lattice, "fields": 1, "colors": 3, "gauge": True, "precision": 64,
            "byte_order": "little", "checksum": None, "stored": None, "sites": sites, "stated_plaquette": stated / 3}


def su2_of(q0, q1, q2, q3):
    return [q0, q3, -q2, q1, q2, q1, q0, -q3]


# Qlattice: docs/formats/qlattice.md

def read_qlattice(data):
    end = data.find(b"END_HEADER\n")
    head = dict(line.split(" = ") for line in data[:end].decode().splitlines() if " = " in line)
    lattice = [int(head[f"total_site[{d}]"]) for d in range(4)]
    require(all(n > 0 for n in lattice), "malformed", f"extents {lattice}")
    element = int(head["sizeof(M)"])
    per_site = int(head["multiplicity"]) * element
    payload = data[end + 11:]
    require(len(payload) == math.prod(lattice) * per_site, "truncated", f"{len(payload)} bytes of data")
    precision = 32 if element == 4 else 64
    return {"format": "qlattice", "lattice": lattice, "fields": 1, "colors": 3, "gauge": per_site * 8 == 72 * precision,
            "precision": precision, "byte_order": "big", "checksum": f"{zlib.crc32(payload):08x}",
            "stored": head["field_crc32"].lower(), "sites": cut(numbers_of(payload, ">", precision), per_site * 8 // precision),
            "stated_plaquette": None}


def read_hdf5(data):
    return plain_hdf5.read(data, fail)


# Squeezed files: docs/formats/squeezed.md

def read_squeezed(data):
    """What the restored file holds, or the set of them."""
    try:
        files = read_limequat.originals_of(data)
    except read_limequat.Damaged as damage:
        raise Defect(damage.kind, str(damage)) from damage
    with tempfile.TemporaryDirectory() as folder:
        for name, original in files:
            pathlib.Path(folder, name).write_bytes(original)
        first = pathlib.Path(folder, files[0][0])
        return {**reader_of(files[0][1], first)(files[0][1]), "format": "squeezed"}


def reader_of(data, path):
    magic = data[:4]
    if magic == b"\x89HDF":
        return read_hdf5
    if data[16:34] == b"limequat-squeezed\0":
        return read_squeezed
    if magic == b"\x45\x67\x89\xab":
        return read_lime
    if data.startswith(b"BEGIN_HEADER"):
        return read_nersc
    if data.startswith(b"BEGIN_FIELD_HEADER"):
        return read_qlattice
    if data.startswith(b"BEGIN_RAW_FIELD"):
        return lambda text: read_raw(text, path)
    if data[4:].startswith(b"XXXXQDPLazyDiskMapObjFileXXXX"):
        return read_mod
    if re.search(r"_\d+$", path.name):
        return lambda _: read_local(path)
    for order in "<>":
        number = struct.unpack(f"{order}i", magic)[0]
        if number in (20103, 20104, 59354):
            return read_milc
        if number == 0x71626434:
            return read_fnal
    if magic[:3] == bytes(3):
        return read_hirep
    return lambda bytes_: read_ddalphaamg(bytes_) or read_openqcd(bytes_, path)


def read(path):
    path = pathlib.Path(path)
    data = path.read_bytes()
    found = reader_of(data, path)(data)
    found["numbers"] = len(found["sites"][0])
    found["plaquette"] = plaquette_of(found["lattice"], found["sites"], found["colors"]) if found["gauge"] else None
    require(found["stored"] in (None, found["checksum"]), "checksum", f"{found['stored']} stored, {found['checksum']} found")
    stated = found["stated_plaquette"]
    require(stated is None or abs(stated - found["plaquette"]) < 1e-6, "plaquette", f"{stated} stated, {found['plaquette']} found")
    return found
