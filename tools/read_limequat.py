#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of Limequat where nothing but Python and numpy is left: this file is the whole reader.

    python3 read_limequat.py FILE                      lists what is in it
    python3 read_limequat.py FILE -o out.npy           the first field as an array
    python3 read_limequat.py FILE --item gauge:3 -o out.npy
    python3 read_limequat.py ARCHIVE --restore FOLDER  the files that were squeezed
    python3 read_limequat.py FILE --verify             reads everything, and verifies every checksum

    >>> import read_limequat
    >>> u = read_limequat.read("conf.ildg")            # [t, z, y, x, mu, row, column]
    >>> for item in read_limequat.contents("low.modes"): print(item)

It reads ILDG and SciDAC files (several files of one field included), sets of modes, squeezed archives and multifiles
with the fields of checkpoints, and verifies all their checksums. It follows the order of docs/formats
(lime.md, scidac.md, ildg.md, modes.md, squeezed.md, sion.md, sion-records.md); comments cite them. Frames of zstd and lz4
follow RFC 8878 and the LZ4 frame format 1.6. It is simple, not fast: it decodes archives of links
at about 8 MB/s, and streams in frames of zstd at 1 MB/s.

Arrays are indexed [t, z, y, x, ...], x fastest, in the byte order of the machine. Damage raises Damaged with a kind:
"truncated", "malformed", "checksum", "unknown", "unsupported", "missing". Arrays of damaged numbers are only returned
with verify=False."""

import argparse
import contextlib
import glob
import math
import mmap
import os
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np


class Damaged(Exception):
    """Damage of a file; `kind` is one of the words above."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def require(holds, message, kind="malformed"):
    if not holds:
        raise Damaged(kind, message)


@contextlib.contextmanager
def no_surprises():
    """Turns errors of Python about impossible numbers in a file into Damaged."""
    try:
        yield
    except (struct.error, IndexError, KeyError, ValueError, OverflowError, RecursionError) as error:
        raise Damaged("malformed", f"{type(error).__name__}: {error}") from None


class Item:
    """Something that can be read: name, index (of items of that name), kind, shape, dtype, text (facts in words).

    kind  "gauge", "spinor", "propagator", "generic": a field; "mode"; "stream": bytes of a task; "file": of an archive
    """

    def __init__(self, name, kind, shape, dtype, load, text="", facts=None):
        self.name, self.kind, self.shape, self.dtype, self.text = name, kind, tuple(shape), np.dtype(dtype), text
        self.index, self.facts, self._load = 0, facts or {}, load

    def read(self, verify=True):
        """The numbers as a new array; checksums are verified unless verify is False."""
        with no_surprises():
            return self._load(verify)

    def __str__(self):
        shape = "x".join(map(str, self.shape)) or "1"
        return f"{self.name}:{self.index}  {self.kind}  {shape}  {self.dtype}  {self.text}"


# --- LIME: docs/formats/lime.md ---------------------------------------------------------------------------------------

HEAD = 144
MAGIC = b"\x45\x67\x89\xab"


class Record:
    def __init__(self, data, at, message):
        _, self.version, self.flags, _, self.length = struct.unpack(">IHBBQ", data[at:at + 16])
        self.type = bytes(data[at + 16:at + HEAD]).split(b"\0")[0].decode("latin-1")
        self.begins, self.ends = bool(self.flags & 0x80), bool(self.flags & 0x40)
        self.data, self.at, self.offset, self.message = data, at, at + HEAD, message + self.begins

    def payload(self):
        return bytes_at(self.data, self.offset, self.length)

    def text(self):
        require(self.length <= 1 << 20, f"record {self.type!r} at byte {self.at}: a text of more than 1 MiB")
        return bytes(self.payload()).rstrip(b"\0")


def bytes_at(data, offset, length):
    """Does not copy if the file is mapped."""
    if isinstance(data, mmap.mmap):
        return memoryview(data)[offset:offset + length]
    return data[offset:offset + length]


def records_of(data):
    """All records; sections 2, 3 and 6."""
    records, at, size = [], 0, len(data)
    require(bytes(data[:4]) == MAGIC, f"it begins with {bytes(data[:4])!r}, which is no record of LIME", "unknown")
    while at < size:
        head = bytes(data[at:at + HEAD])
        after_end = bool(records) and records[-1].ends
        if len(head) < HEAD or head[:4] != MAGIC:
            is_header = head[:4] == MAGIC or re.match(rb"[!-~]{3,}\0", head[16:])
            if after_end and not is_header or not head.strip(b"\0 \t\r\n"):
                break  # old contents after the last message, or a line end: 6.1, 6.5
            require(len(head) == HEAD, f"byte {at}: the file ends {len(head)} bytes into a record header", "truncated")
            raise Damaged("malformed", f"byte {at}: {head[:4].hex(' ')} where a record header must be")
        record = Record(data, at, records[-1].message if records else 0)
        require(record.version == 1, f"byte {at}: version {record.version} of a record header")
        require(record.length < 1 << 63, f"byte {at}: a record of {record.length} bytes")
        require(record.offset + record.length <= size, f"record {record.type!r} at byte {at}: the file ends after "
                f"{size - record.offset} of {record.length} bytes", "truncated")
        require(len(records) < 1_000_000, "more than a million records")
        records.append(record)
        at = record.offset + record.length + -record.length % 8
    return records


def children_of(record, root):
    """The texts of the elements of a flat document with that root, by name without namespace; scidac.md 3."""
    text = record.text()
    where = f"record {record.type!r} at byte {record.at}"
    require(b"<!DOCTYPE" not in text and b"<!ENTITY" not in text, f"{where}: a document with definitions")
    found, depth, count, parser = {}, 0, 0, ElementTree.XMLPullParser(("start", "end"))
    try:
        parser.feed(text)
        parser.close()
        events = [(event, element) for event, element in parser.read_events()]
    except ElementTree.ParseError as error:
        raise Damaged("malformed", f"{where} is not XML: {error}") from None
    for event, element in events:
        depth += 1 if event == "start" else -1
        count += event == "start"
        require(depth <= 32 and count <= 10000, f"{where}: a document that is too deep or too long")
        if event == "end" and depth >= 1:
            found.setdefault(element.tag.split("}")[-1], []).append((element.text or "").strip())
    require(events and events[0][1].tag.split("}")[-1] == root, f"{where}: expected the element {root}")
    return {name: texts[0] for name, texts in found.items()} | {"all of": found}


def number_in(document, name, record, least=0, default=None):
    """A whole number of a document."""
    text = document.get(name)
    if text is None and default is not None:
        return default
    require(text is not None and re.fullmatch(r"\d{1,19}", text) and least <= int(text) < 1 << 62,
            f"record {record.type!r} at byte {record.at}: {name} is {text!r}")
    return int(text)


# --- SciDAC and ILDG: docs/formats/scidac.md, ildg.md -------------------------------------------------------------------

DATA = ("scidac-binary-data", "ildg-binary-data")
ILDG, ETMC = "ildg-format", ("etmc-propagator-format", "etmc-source-format")


def fields_of(path, data):
    """The fields of a SciDAC or ILDG file."""
    records = records_of(data)
    if path is not None and any(r.type == "scidac-sitelist" for r in records) and not is_first_of_set(records):
        paths = [one for one in volume_paths(path) if is_first_of_set(records_of(mapped(one)))]
        require(paths, "the file of the set with the descriptions is missing", "missing")
        return fields_of(paths[0], mapped(paths[0]))
    groups = grouped(records)
    end = records[-1].offset + records[-1].length
    require(groups or len(data) - end <= HEAD, f"no record holds data, and byte {end} does not begin a record")
    require_ended(records, groups)
    volumes, items = None, []
    for group in groups:
        lattice = lattice_of(group.get("file"))
        if lattice and lattice[1] and volumes is None:
            volumes = Volumes(path, lattice[0])
        spec = described(group, lattice and lattice[0], volumes)
        if spec:
            items.append(field_item(group, spec, volumes))
    return items


def is_first_of_set(records):
    return any(record.type == "scidac-private-record-xml" for record in records)


def grouped(records):
    """The records that belong to each data record: a dict of records by role; section 2.3."""
    groups, pending, file_record, spare = [], {}, None, {}
    for record in records:
        if record.type == "scidac-private-file-xml":
            file_record = record
        elif record.type in DATA:
            group = {"data": record, "file": file_record, **pending}
            if not set(pending) & {"record", "lattice"} and spare.get("left", 0) > 0:
                group["lattice"] = spare["record"]  # flavours: several data for one description
            spare["left"] = spare.get("left", 0) - 1
            if "lattice" in pending and pending["lattice"].type in ETMC:
                document = children_of(pending["lattice"], "etmcFormat")
                spare = {"record": pending["lattice"], "left": number_in(document, "flavours", record, 1, 1) - 1}
            groups.append(group)
            pending = {}
        elif record.type in ("scidac-private-record-xml", ILDG, *ETMC):
            role = "record" if record.type == "scidac-private-record-xml" else "lattice"
            last = groups[-1] if groups else {}
            if last and not set(last) & {"record", "lattice"} and last["data"].message == record.message:
                last[role] = record  # a description after its data
            else:
                pending[role] = record
        elif record.type == "scidac-checksum":
            require(groups, f"record {record.type!r} at byte {record.at}: a checksum without data")
            groups[-1].setdefault("sums", []).append(record)
        elif record.type in ("limequat-slices", "limequat-name", "limequat-unproven", "limequat-site-shape",
                             "limequat-description"):
            pending[record.type] = record
    require("record" not in pending and "limequat-slices" not in pending and not (
        "lattice" in pending and groups and set(groups[-1]) & {"record", "lattice"}),
        "a field is described, but there are no data of it")
    return groups


def require_ended(records, groups):
    """lime.md 6.6: a message that was begun and not ended, if the last data have no checksum."""
    marked = next((record for record in reversed(records) if record.begins or record.ends), None)
    is_open = marked is not None and not marked.ends
    require(not is_open or (groups and "sums" in groups[-1]), "the file ends inside a message: its end is missing", "truncated")


def lattice_of(record):
    """(extents, volfmt) of a scidac-private-file-xml; section 3.1."""
    if record is None:
        return None
    document = children_of(record, "scidacFile")
    words = document.get("dims", "").split()
    require(1 <= len(words) <= 8 and all(re.fullmatch(r"\d{1,18}", w) and int(w) > 0 for w in words)
            and len(words) == number_in(document, "spacetime", record, 1, len(words)),
            f"record {record.type!r} at byte {record.at}: dims are {words}")
    extents = [int(word) for word in words]
    require(math.prod(extents) < 1 << 62, f"a lattice of {extents}")
    parts = number_in(document, "volfmt", record, 0, 0)
    if "volfmt" not in document:
        parts = number_in(document, "multifile", record, 0, 0) > 1
    return extents, parts


class Spec:
    """The contents and the positions of sites: kind, site (shape), is_complex, word (bytes of a number), box."""

    def __init__(self, kind, site, word, extents, is_complex=True, box=None):
        self.kind, self.site, self.word, self.extents, self.is_complex = kind, tuple(site), word, extents, is_complex
        self.box = box or ([0] * len(extents), list(extents))

    numbers = property(lambda self: math.prod(self.site) * (2 if self.is_complex else 1))
    site_bytes = property(lambda self: self.numbers * self.word)
    shape = property(lambda self: tuple(self.box[1])[::-1] + self.site)
    dtype = property(lambda self: np.dtype(f"{'c' if self.is_complex else 'f'}{self.word * (2 if self.is_complex else 1)}"))

    def total(self):
        return math.prod(self.box[1]) * self.site_bytes

    def with_word(self, word):
        return Spec(self.kind, self.site, word, self.extents, self.is_complex, self.box)


def described(group, extents, volumes):
    """The Spec of a data record with the right length; None for a global object. Sections 4.2 to 4.5."""
    record, data = group.get("record"), group["data"]
    length = volumes.length_of(data) if volumes else data.length
    where = f"record {data.type!r} at byte {data.at}"
    given, all_given = [], []
    if record is not None:
        document = children_of(record, "scidacRecord")
        kind = number_in(document, "recordtype", record, 0, number_in(document, "globaldata", record, 0, 0))
        require(kind in (0, 1, 2), f"{where}: record type {kind}")
        size = number_in(document, "typesize", record, 1) * number_in(document, "datacount", record, 1)
        require(size < 1 << 62, f"{where}: sites of {size} bytes")
        if kind == 1:
            require(size == data.length, f"{where}: a global object of {size} bytes is described, and has {data.length}")
            return None
        if extents is None and "lattice" in group:
            extents = lattice_document(group["lattice"])[0]
        require(extents is not None, f"{where}: no record states the size of the lattice")
        box = hypercube(document, record, extents) if kind == 2 else None
        spec = by_datatype(document, record, extents, box)
        given += [spec] if spec else []
    if "lattice" in group and (record is None or kind == 0):
        given += [by_lattice(group["lattice"], length)]
    require(given, f"{where}: no record states what its sites hold")
    exact = [s for s in given if s.total() == length and length]
    require(len({tuple(s.extents) for s in exact}) <= 1, f"{where}: two records state different lattices; both fit")
    if exact:
        return min(exact, key=lambda spec: spec.kind == "generic")
    for spec in given:
        all_given += other_precision(spec, data, length) + other_matrices(spec, length)
    require(all_given, f"{where}: {length} bytes, but {given[0].total()} are described")
    return all_given[0]


def hypercube(document, record, extents):
    """(lower, extents) of the sites that are stored; section 3.2."""
    lower, upper = ([int(w) for w in document.get(name, "").split() if w.isdigit()] for name in ("hyperlower", "hyperupper"))
    require(len(lower) == len(upper) == len(extents) and all(a <= b < n for a, b, n in zip(lower, upper, extents)),
            f"record {record.type!r} at byte {record.at}: the hypercube from {lower} to {upper} is not inside {extents}")
    return lower, [b - a + 1 for a, b in zip(lower, upper)]


def by_datatype(document, record, extents, box):
    """The contents of a site according to scidac-private-record-xml; section 4.2."""
    datatype, precision = document.get("datatype", ""), document.get("precision", "")
    colors, spins = (number_in(document, name, record, 0, 0) for name in ("colors", "spins"))
    typesize, datacount = (number_in(document, name, record, 1) for name in ("typesize", "datacount"))
    declared = 8 if precision == "D" else 4
    for word in (declared, 12 - declared):
        site = None
        links, per_link = len(extents), typesize * datacount // (2 * word * len(extents))
        root = math.isqrt(per_link)
        is_per_link = datacount == links or (datacount == 1 and "LorentzVector" in datatype)
        if (re.search("Colou?rMatrix", datatype) and is_per_link and root * root * 2 * word * links == typesize * datacount
                and 1 <= root <= 1000 and (root > 1 or colors == 1)):
            return Spec("gauge", (links, root, root), word, extents, True, box)
        if datacount == 1 and "DiracFermion" in datatype:
            kind, site = "spinor", (spins or 4, colors or 3)
        elif datacount == 1 and "ColorVector" in datatype:
            kind, site = "spinor", (1, colors or 3)
        elif datacount == 1 and datatype == "Lattice" and spins and colors:
            kind, site = "propagator", (spins, spins, colors, colors)
        if site and max(site) <= 1000 and typesize == 2 * word * math.prod(site):
            return Spec(kind, site, word, extents, True, box)
    numbers, rest = divmod(typesize * datacount, declared)
    if rest:
        return None  # sites that are not numbers
    is_complex = numbers % 2 == 0 and not re.search("Real|Int", datatype) and bool(
        re.search("Complex|Colou?r|Fermion|Propagator|Spin|Vector|GRID", datatype))
    return generic(numbers, is_complex, declared, extents, box)


def generic(numbers, is_complex, word, extents, box=None):
    count = numbers // (2 if is_complex else 1)
    return Spec("generic", () if count == 1 else (count,), word, extents, is_complex, box)


def lattice_document(record):
    """(extents, document) of ildg-format or etmc-propagator-format; ildg.md 3, scidac.md 6.1."""
    root = {"etmc-source-format": "etmcFormat", "etmc-propagator-format": "etmcFormat"}.get(record.type, "ildgFormat")
    if record.type == "etmc-source-format" and b"<etmcFormat" not in record.text():
        root = "etmcSourceFormat"
    document = children_of(record, root)
    if root != "ildgFormat":
        document.setdefault("lz", document.get("lx"))
        xs = document["all of"].get("lx", [])
        document["lz"] = document["all of"].get("lz", xs[-1:])[0]
    return [number_in(document, name, record, 1) for name in ("lx", "ly", "lz", "lt")], document


def by_lattice(record, length):
    extents, document = lattice_document(record)
    precision = number_in(document, "precision", record)
    require(precision in (32, 64), f"record {record.type!r} at byte {record.at}: precision {precision}")
    require(math.prod(extents) < 1 << 62, f"a lattice of {extents}")
    word, field = precision // 8, document.get("field", "")
    group = re.fullmatch(r"su(\d{1,3})gauge", field)
    if group and 1 < int(group[1]) <= 1000:
        return Spec("gauge", (4, int(group[1]), int(group[1])), word, extents)
    if field == "diracFermion":
        spec = Spec("spinor", (4, 3), word, extents)
        if record.type != ILDG and length not in (spec.total(), spec.with_word(12 - word).total()):
            layer = spec.total() // extents[2]  # lx is printed instead of lz: the length decides
            if length and length % layer == 0:
                return Spec("spinor", (4, 3), word, extents[:2] + [length // layer] + extents[3:])
        return spec
    numbers = max(length // (math.prod(extents) * word), 1)
    return generic(numbers, numbers % 2 == 0, word, extents)


def other_precision(spec, data, length):
    """Section 4.5: the length fits the other precision, and the numbers do not look as in the declared one."""
    other = spec.with_word(12 - spec.word)
    if other.total() != length or likely_word(data) == spec.word:
        return []
    return [other]


def other_matrices(spec, length):
    if spec.kind != "gauge":
        return []
    links = spec.site[0]
    fits = [Spec("gauge", (links, n, n), word, spec.extents, True, spec.box) for word in (4, 8) for n in range(2, 17)]
    return [one for one in fits if one.total() == length][:1]


def likely_word(data):
    """4 or 8, or None if it is unknown; scidac.md 4.5."""
    sample = []
    for part in range(3):
        begin = data.length // 3 * part // 8 * 8
        count = min(4096, data.length - begin) // 8 * 8
        sample.append(np.frombuffer(bytes_at(data.data, data.offset + begin, count), ">u4").reshape(-1, 2))
    halves = [half[half << 1 != 0].astype("u4") for half in np.concatenate(sample).T]
    if min(map(len, halves)) < 16:
        return None
    with np.errstate(invalid="ignore"):
        huge = [np.mean(~(abs(half.view("f4")) < 1e10)) for half in halves]
        odd = np.mean((abs(halves[1].view("f4")) < 1e-20) | (halves[1] & 0xFFF == 0))
    if huge[0] > 0.01:
        return None
    if huge[1] > 0.15:
        return 8
    return None if huge[1] > 0.01 or odd > 0.15 else 4


def volume_paths(path):
    """The files of the set of this file: NAME.vol0003, or vol0003/NAME; section 4.6."""
    folder, name = os.path.split(os.path.abspath(path))
    above, last = os.path.split(folder)
    if re.search(r"\.vol\d{4,}$", name):
        found = glob.glob(os.path.join(glob.escape(folder), glob.escape(name[:name.rindex(".")]) + ".vol*"))
        return sorted(one for one in found if re.search(r"\.vol\d{4,}$", one))
    require(re.fullmatch(r"vol\d{4,}", last), "its sites are in several files, whose names do not follow from this one's",
            "unsupported")
    found = glob.glob(os.path.join(glob.escape(above), "vol*", glob.escape(name)))
    return sorted(one for one in found if re.fullmatch(r"vol\d{4,}", os.path.basename(os.path.dirname(one))))


class Volumes:
    """Sites in several files; section 4.6."""

    def __init__(self, path, extents):
        require(path is not None, "a set of several files inside an archive", "unsupported")
        self.sites, self.ranks, self.files = math.prod(extents), [], []
        for one in volume_paths(path):
            mine = records_of(mapped(one))
            lists = [record for record in mine if record.type == "scidac-sitelist"]
            require(lists, f"{one}: it has no scidac-sitelist")
            wide = ">u8" if self.sites > 1 << 32 else ">u4"
            require(lists[0].length % np.dtype(wide).itemsize == 0, f"{one}: scidac-sitelist of {lists[0].length} bytes")
            self.ranks.append(np.frombuffer(lists[0].payload(), wide).astype(np.int64))
            self.files.append([record for record in mine if record.type in DATA])
        there = np.sort(np.concatenate(self.ranks)) if self.ranks else np.zeros(0, np.int64)
        require(not len(there) or (0 <= there[0] and there[-1] < self.sites and np.all(np.diff(there) > 0)),
                f"{path}: a site of its files occurs twice, or is none of the lattice")
        require(len(there) == self.sites, f"{path}: files of the set are missing: {self.sites - len(there)} sites are in none", "truncated")
        self.first = max(range(len(self.files)), key=lambda k: len(self.files[k]))

    def number_of(self, data):
        """The number of the field in the other files for this data record of the first file, which alone has global objects."""
        own = [record.at for record in self.files[self.first]]
        extra = len(own) - min(map(len, self.files))
        require(data.at in own, "open the first file of the set, that with the descriptions", "unsupported")
        return own.index(data.at) - extra

    def length_of(self, data):
        """The length of the whole field; the size of a site is the same in each file."""
        share = len(self.ranks[self.first])
        return data.length // share * self.sites if data.length % share == 0 else data.length

    def whole(self, data, site_bytes):
        """The bytes of the field with its sites in the order of the lattice."""
        number, sites = self.number_of(data), np.empty((self.sites, site_bytes), np.uint8)
        for k, (ranks, records) in enumerate(zip(self.ranks, self.files)):
            record = records[number + len(records) - min(map(len, self.files)) if k == self.first else number]
            require(record.length == len(ranks) * site_bytes, f"a file of the set has {record.length} bytes of a field, "
                    f"expected {len(ranks) * site_bytes}")
            sites[ranks] = np.frombuffer(record.payload(), np.uint8).reshape(-1, site_bytes)
        return sites.reshape(-1).data


def field_item(group, spec, volumes):
    record = group["data"]
    stored = stored_sums(group.get("sums", []))
    name = group["limequat-name"].text().decode("utf-8", "replace") if "limequat-name" in group else ""

    def load(verify):
        payload = volumes.whole(record, spec.site_bytes) if volumes else record.payload()
        if verify:
            compare(payload, spec, stored, group.get("limequat-slices"), f"record {record.type!r} at byte {record.at}")
        numbers = np.frombuffer(payload, spec.dtype.newbyteorder(">"))
        return numbers.astype(spec.dtype).reshape(spec.shape)

    if "limequat-description" in group and "record" in group:
        texts = [group[kind].text() if kind in group else b"" for kind in ("limequat-name", "limequat-site-shape")]
        described = b"".join(b"%d " % n for n in spec.extents) + b"\n" + b"\n".join([group["record"].text(), *texts])
        require(group["limequat-description"].text() == b"fnv1a %016x" % fnv1a(described),
                f"record {record.type!r} at byte {record.at}: its description has another sum")
    if "limequat-site-shape" in group:
        words = group["limequat-site-shape"].text().split()
        site = tuple(int(word) for word in words) if all(re.fullmatch(rb"[1-9]\d{0,8}", word) for word in words) else ()
        if spec.kind == "generic" and len(site) > 1 and math.prod(site) == math.prod(spec.site):
            spec.site = site
    text = "checksum {:08x}/{:08x}".format(*stored) if stored else "no checksum"
    if "limequat-unproven" in group:
        text = "unproven: " + group["limequat-unproven"].text().decode("utf-8", "replace")
    default = "field" if spec.kind == "generic" else spec.kind
    return Item(name or default, spec.kind, spec.shape, spec.dtype, load, text, {"lower": spec.box[0], "lattice": spec.extents})


def stored_sums(records):
    """(suma, sumb) that the file states, or None; section 3.3."""
    found = []
    for record in records:
        document = children_of(record, "scidacChecksum")
        words = [document.get(name) for name in ("suma", "sumb")]
        if words == [None, None]:
            continue
        require(all(w is not None and re.fullmatch(r"(0[xX])?[0-9a-fA-F]{1,8}", w) for w in words),
                f"record {record.type!r} at byte {record.at}: the sums are {words}")
        found.append(tuple(int(word, 16) for word in words))
    return found[0] if found else None


def site_crcs(payload, site_bytes):
    view = memoryview(payload).cast("B")
    crc32 = zlib.crc32
    return np.array([crc32(view[at:at + site_bytes]) for at in range(0, len(view), site_bytes)], np.uint64)


def sums_of(crcs, ranks):
    """suma and sumb; section 4.4."""
    sums = []
    for prime in (29, 31):
        shift = (ranks % prime).astype(np.uint64)
        rotated = ((crcs << shift) | (crcs >> (np.uint64(32) - shift))) & np.uint64(0xFFFFFFFF)
        sums.append(int(np.bitwise_xor.reduce(rotated)) if len(crcs) else 0)
    return tuple(sums)


def ranks_of(extents, box):
    """The ranks of the sites of a box in the whole lattice, x fastest."""
    ranks = np.zeros(1, np.int64)
    for lower, count, extent in list(zip(*box, extents))[::-1]:
        ranks = (ranks[:, None] * extent + np.arange(lower, lower + count)[None, :]).reshape(-1)
    return ranks


def checksum(payload, site_bytes):
    """(suma, sumb) of sites in the order of a whole lattice."""
    crcs = site_crcs(payload, site_bytes)
    return sums_of(crcs, np.arange(len(crcs)))


def compare(payload, spec, stored, slices, where):
    """Raises Damaged unless the data have the stored checksums; sections 4.4 and 5.1."""
    if stored is None and slices is None:
        return
    crcs, ranks = site_crcs(payload, spec.site_bytes), ranks_of(spec.extents, spec.box)
    found = sums_of(crcs, ranks)
    wrong = wrong_slices(slices, stored, crcs, ranks, spec) if slices is not None else []
    if stored is not None and found != stored or wrong:
        named = f"; slices {', '.join(map(str, wrong))} of the slowest dimension are damaged" if wrong else ""
        stated = "{:08x}/{:08x}".format(*stored) if stored else "sums of slices"
        raise Damaged("checksum", f"{where}: the checksum of the data is {found[0]:08x}/{found[1]:08x}, the file states {stated}{named}")


def wrong_slices(record, stored, crcs, ranks, spec):
    """The slices with different sums; none if the record itself is damaged."""
    count, kept = spec.box[1][-1], []
    lines = [line.split() for line in bytes(record.payload()).decode("latin-1").splitlines()]
    if not lines or lines[0][:1] != ["limequat-slices"] or lines[0][1:] not in (["1.1", str(count)], ["1.0", str(count)]):
        return []
    columns = 4 if lines[0][1] == "1.1" else 2
    names = [str(number) for number in range(count)] + (["total"] if columns == 4 else [])
    for name, words in zip(names, lines[1:]):
        if words[:1] != [name] or len(words) != 1 + columns or not all(re.fullmatch("[0-9a-f]{1,16}", w) for w in words[1:]):
            return []
        kept.append([int(word, 16) for word in words[1:]])
    if len(kept) != len(names) or len(lines) != 1 + len(names):
        return []
    total, stated = [0, 0, 0, 0][:columns], kept.pop() if columns == 4 else None
    for one in kept:
        total = [total[0] ^ one[0], total[1] ^ one[1]] + [(a + b) % 2**64 for a, b in zip(total[2:], one[2:])]
    if stated is not None and stated != total:
        return []
    if stored is not None and tuple(total[:2]) != stored:
        return []  # one of the two records is damaged: only the checksum of the field decides
    return [k for k, (mine, theirs) in enumerate(zip(slice_sums(crcs, ranks, count), kept)) if list(mine[:columns]) != theirs]


def slice_sums(crcs, ranks, count):
    """suma, sumb, sum and weighted sum of each slice; section 5.1."""
    for part, places in zip(np.split(crcs, count), np.split(ranks, count)):
        with np.errstate(over="ignore"):
            plain = int(np.add.reduce(part, dtype=np.uint64))
            weighted = int(np.add.reduce(part * (places.astype(np.uint64) + np.uint64(1)), dtype=np.uint64))
        yield (*sums_of(part, places), plain, weighted)


# --- Sets of modes: docs/formats/modes.md ------------------------------------------------------------------------------

def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def compare_sum_of_description(first, document):
    """Versions 1.1 and 2.1 end with the sum of everything before it; section 3.2."""
    if document.get("version") in ("1.0", "2.0") and "fnv1a" not in document:
        return
    raw = first.payload()
    held = re.fullmatch(rb"(.*)<fnv1a>([0-9a-f]{16})</fnv1a></limequatModes>", raw, re.DOTALL)
    require(held and fnv1a(held[1]) == int(held[2], 16), "the description of the modes has another sum")


class Modes:
    """A set of modes: len, vector(k), eigenvalues and residuals (NaN: not known)."""

    def __init__(self, data):
        first = records_of_modes(data)
        self.data, document = data, children_of(first, "limequatModes")
        compare_sum_of_description(first, document)
        self.read_description(first, document)
        self.entries = self.read_index()

    def read_description(self, first, document):
        def whole(name, least=0, default=None):
            return number_in(document, name, first, least, default)

        require(document.get("version") in ("1.0", "1.1", "2.0", "2.1"), f"a set of modes of version {document.get('version')}")
        words = document.get("lattice", "").split()
        require(1 <= len(words) <= 8 and all(re.fullmatch(r"\d{1,18}", w) and int(w) for w in words),
                f"the lattice of a set of modes is {words}")
        self.lattice, self.parity, self.storage = [int(w) for w in words], document.get("parity"), document.get("storage")
        require(self.storage in ("double", "single", "fixed16") and self.parity in ("both", "even", "odd"),
                f"modes of storage {self.storage!r}, parity {self.parity!r}")
        self.ls, self.numbers, self.is_complex = whole("ls", 1, 1), whole("numbers", 1), whole("complex") == 1
        require(self.parity == "both" or self.lattice[0] % 2 == 0, "one parity of an odd extent in x")
        self.extents = [self.lattice[0] // (1 if self.parity == "both" else 2), *self.lattice[1:]]
        colors, spins, kind = whole("colors", 0, 0), whole("spins", 0, 0), document.get("kind")
        count = self.numbers // (2 if self.is_complex else 1)
        self.site = {"spinor": (spins, colors), "propagator": (spins, spins, colors, colors)}.get(
            kind, () if count == 1 else (count,))
        require(kind in ("spinor", "propagator", "generic") and math.prod(self.site) == count, f"modes of kind {kind!r}")
        require(math.prod(self.extents) * self.numbers * self.ls < 1 << 60, "modes that are too large")
        self.has_basis = document["version"].startswith("2.")
        self.basis = whole("basis", 1) if self.has_basis else 0
        self.block = [int(w) for w in document.get("block", "").split() if w.isdigit()] if self.has_basis else self.extents
        require(len(self.block) == len(self.extents) and all(b and n % b == 0 for n, b in zip(self.extents, self.block)),
                f"blocks of {self.block} do not divide the lattice {self.extents}")
        self.slices, per_site = self.extents[-1], self.numbers * self.ls
        self.site_bytes = {"double": 8 * per_site, "single": 4 * per_site, "fixed16": 4 * (1 + (per_site + 1) // 2)}[self.storage]
        self.entry_bytes = 56 + 24 * self.slices + (8 if self.has_basis else 0)

    def read_index(self):
        """The entries of all blocks; section 4. A block or entry with a wrong sum is an error here."""
        entries, place, seen = [], records_of_index(self.data), set()
        while place:
            require(place not in seen and place + 48 <= len(self.data), "the index leads to itself, or out of the file")
            seen.add(place)
            head = bytes(self.data[place:place + 48])
            entry_bytes, room, number, used, following, total = struct.unpack(">6Q", head)
            require(fnv1a(head[:40]) == total, f"byte {place}: a block of the index has another sum", "checksum")
            require(entry_bytes == self.entry_bytes and number == len(entries) and used <= room
                    and (not following or used == room), f"byte {place}: a block of the index that cannot be")
            require(place + 48 + room * entry_bytes <= len(self.data), "the file ends in the index", "truncated")
            for k in range(used):
                at = place + 48 + k * entry_bytes
                entries.append(self.entry(bytes(self.data[at:at + entry_bytes]), len(entries), entries))
            place = following
        return entries

    def entry(self, raw, number, before):
        """A dict of section 4.2."""
        require(fnv1a(raw[:-8]) == struct.unpack(">Q", raw[-8:])[0], f"mode {number}: its entry has another sum", "checksum")
        stated, place, re_, im, residual, suma, sumb = struct.unpack(">QQdddII", raw[:48])
        error = struct.unpack(">d", raw[-16:-8])[0] if self.has_basis else math.nan
        require(stated == number, f"mode {number}: its entry is that of mode {stated}")
        is_whole = math.isnan(error)
        require(is_whole or (error >= 0 and number >= self.basis), f"mode {number}: an error of {error}")
        size = math.prod(self.extents) * self.site_bytes if is_whole else (
            math.prod(n // b for n, b in zip(self.extents, self.block)) * self.coefficient_bytes())
        require(place + size <= len(self.data), f"mode {number}: the file ends within its data", "truncated")
        require(not before or place >= before[-1]["place"] + before[-1]["size"], f"mode {number}: its data begin within others")
        return {"place": place, "size": size, "eigenvalue": complex(re_, im), "residual": residual, "sums": (suma, sumb),
                "slices": raw[48:48 + 24 * self.slices], "error": error, "whole": is_whole}

    def coefficient_bytes(self):
        return 2 * self.basis * (8 if self.storage == "double" else 4)

    def __len__(self):
        return len(self.entries)

    eigenvalues = property(lambda self: np.array([entry["eigenvalue"] for entry in self.entries]))
    residuals = property(lambda self: np.array([entry["residual"] for entry in self.entries]))
    dtype = property(lambda self: np.dtype({(True, True): "c16", (True, False): "c8", (False, True): "f8", (False, False): "f4"}[
        self.is_complex, self.storage == "double"]))
    shape = property(lambda self: tuple(self.extents)[::-1] + ((self.ls,) if self.ls > 1 else ()) + self.site)

    def vector(self, number, verify=True):
        """Mode `number`, [t, z, y, x, (s,) ...]."""
        real = np.dtype("f8" if self.storage == "double" else "f4")
        values = self.doubles(number, verify).astype(real)
        return values.view(self.dtype if self.is_complex else real).reshape(self.shape)

    def doubles(self, number, verify):
        """Its numbers in double precision, [site, number]; as read in the precision of the set."""
        entry = self.entries[number]
        payload = bytes_at(self.data, entry["place"], entry["size"])
        extents = self.extents if entry["whole"] else [n // b for n, b in zip(self.extents, self.block)]
        site_bytes = self.site_bytes if entry["whole"] else self.coefficient_bytes()
        if verify:
            self.compare(number, payload, extents, site_bytes)
        return self.of_whole(payload) if entry["whole"] else self.of_coefficients(payload, verify)

    def compare(self, number, payload, extents, site_bytes):
        entry, crcs = self.entries[number], site_crcs(payload, site_bytes)
        ranks, count = np.arange(len(crcs)), extents[-1]
        found = sums_of(crcs, ranks)
        stated = list(struct.iter_unpack(">IIQQ", entry["slices"]))[:count]
        wrong = [k for k, sums in enumerate(slice_sums(crcs, ranks, count)) if sums != stated[k]]
        require(found == entry["sums"] and not wrong, f"mode {number}: the checksum of the data is {found[0]:08x}/{found[1]:08x}, "
                f"its entry states {entry['sums'][0]:08x}/{entry['sums'][1]:08x} (slices that differ: {wrong})", "checksum")

    def of_whole(self, payload):
        per_site, sites = self.numbers * self.ls, math.prod(self.extents)
        if self.storage != "fixed16":
            return np.frombuffer(payload, ">f8" if self.storage == "double" else ">f4").astype(np.float64).reshape(sites, per_site)
        rows = np.frombuffer(payload, np.uint8).reshape(sites, self.site_bytes)
        magnitudes = np.ascontiguousarray(rows[:, :4]).view(">f4").astype(np.float64)
        integers = np.ascontiguousarray(rows[:, 4:4 + 2 * per_site]).view(">i2").astype(np.float64)
        return (magnitudes * integers / 32767).astype(np.float32).astype(np.float64)

    def of_coefficients(self, payload, verify):
        """v(x) = sum over i of c[block of x][i] times m_i(x), added in the order of i; section 6."""
        blocks = [n // b for n, b in zip(self.extents, self.block)]
        kind = ">c16" if self.storage == "double" else ">c8"
        coefficients = np.frombuffer(payload, kind).astype(np.complex128).reshape(*blocks[::-1], self.basis)
        for axis, width in enumerate(self.block[::-1]):
            coefficients = np.repeat(coefficients, width, axis)
        coefficients = coefficients.reshape(-1, self.basis)
        total = np.zeros((math.prod(self.extents), self.numbers * self.ls // 2), np.complex128)
        for i in range(self.basis):
            total += coefficients[:, i:i + 1] * self.doubles(i, verify).view(np.complex128)
        return total.view(np.float64)


def records_of_modes(data):
    """The first record: others are found through the index."""
    require(len(data) >= HEAD, "the file ends in its first record", "truncated")
    first = Record(data, 0, 0)
    require(first.offset + first.length <= len(data), "the file ends in its first record", "truncated")
    return first


def records_of_index(data):
    """Where the payload of the first block of the index begins: the second record."""
    first = records_of_modes(data)
    at = first.offset + first.length + -first.length % 8
    require(at + HEAD <= len(data), "the file ends before its index", "truncated")
    require(bytes(data[at:at + 4]) == MAGIC and Record(data, at, 0).type == "limequat-modes-index", "there is no index")
    return at + HEAD


def modes_items(data):
    modes = Modes(data)

    def item(k):
        entry = modes.entries[k]
        text = f"eigenvalue {entry['eigenvalue']:g}, residual {entry['residual']:g}, checksum " \
               "{:08x}/{:08x}".format(*entry["sums"])
        return Item("mode", "mode", modes.shape, modes.dtype, lambda verify: modes.vector(k, verify), text, entry)

    return [item(k) for k in range(len(modes))]


# --- Squeezed archives: docs/formats/squeezed.md -----------------------------------------------------------------------

class Original:
    """The files of an archive, as bytes that are decoded on demand: len and slices."""

    def __init__(self, archive):
        records = records_of(archive)
        head = children_of(records[0], "limequatSqueezed")
        require(records[-1].type == "limequat-squeezed-index", "there is no index: the archive was not completed", "truncated")
        self.archive, self.decoded = archive, {}
        self.segments = self.segments_of(bytes(records[-1].payload()))
        self.size = sum(segment["bytes"] for segment in self.segments)
        require(str(self.size) == head.get("bytes"), f"segments of {self.size} bytes, the original has {head.get('bytes')}")
        self.format, self.files = head.get("format"), self.files_of(head)

    def files_of(self, head):
        """(name, begin, bytes) of each file; section 3.1."""
        name, version = head.get("name", ""), head.get("version")
        if version == "1":
            return [(os.path.basename(name), 0, self.size)]
        require(version in ("2", "3"), f"version {version} of an archive", "unsupported")
        if version == "3" and "files" not in head:
            return [(os.path.basename(name), 0, self.size)]
        lines = [line.split(" ") for line in head.get("files", "").splitlines()]
        require(lines and all(len(line) == 2 and line[0].isdigit() and re.fullmatch(r"[^\s/\x00-\x1f]+", line[1]) for line in lines)
                and len({line[1] for line in lines}) == len(lines), "the files of the set")
        require(sum(int(size) for size, _ in lines) == self.size, "files together longer or shorter than the original")
        begins, files, at = {segment["begin"] for segment in self.segments} | {self.size}, [], 0
        for size, end in lines:
            require(at in begins, "a segment goes beyond the end of its file")
            files.append((os.path.basename(name) + end, at, int(size)))
            at += int(size)
        return files

    def segments_of(self, index):
        """Section 3.3."""
        require(len(index) >= 20 and len(index) % 8 == 4, f"an index of {len(index)} bytes")
        require(zlib.crc32(index[:-4]) == int.from_bytes(index[-4:], "big"), "the index has another CRC-32")
        words = struct.unpack(f">{len(index) // 8}Q", index[:-4])
        require(words[0] == 1, f"version {words[0]} of the index")
        segments, at, begin = [], 2, 0
        for _ in range(words[1]):
            require(at + 6 <= len(words) and at + 6 + words[at + 5] <= len(words), "the index ends in a segment")
            length, place, crc, tile_bytes, _, count = words[at:at + 6]
            sizes = words[at + 6:at + 6 + count]
            stored = sum(sizes) if tile_bytes else length
            require(place + stored <= len(self.archive), "a segment beyond the end of the archive", "truncated")
            require(tile_bytes <= 1 << 26, f"tiles of {tile_bytes} bytes")
            require(not tile_bytes or count == -(-length // tile_bytes), "a segment with more or fewer tiles than it needs")
            segments.append({"bytes": length, "begin": begin, "place": place, "crc": crc, "tile": tile_bytes,
                             "places": np.cumsum((place, *sizes)).tolist() if count else [place]})
            at, begin = at + 6 + count, begin + length
        require(at == len(words), "the index is longer than its segments")
        return segments

    def __len__(self):
        return self.size

    def __getitem__(self, part):
        begin, end, _ = part.indices(self.size)
        pieces = []
        for segment in self.segments:
            first, last = max(begin, segment["begin"]), min(end, segment["begin"] + segment["bytes"])
            while first < last:
                piece, at = self.piece(segment, first - segment["begin"])
                taken = piece[first - segment["begin"] - at:last - segment["begin"] - at]
                pieces.append(taken)
                first += len(taken)
        return b"".join(pieces)

    def piece(self, segment, at):
        """(bytes, their offset in the segment) of the tile with byte `at`; the last tile of each segment is kept."""
        tile, archive = segment["tile"], self.archive
        number = at // tile if tile else 0
        kept = self.decoded.get(segment["begin"])
        if kept and kept[0] == number:
            return kept[1], number * tile
        if tile:
            data = bytes(archive[segment["places"][number]:segment["places"][number + 1]])
            piece = tile_of(data, min(tile, segment["bytes"] - number * tile))
        else:
            piece = bytes(archive[segment["place"]:segment["place"] + segment["bytes"]])
            require(zlib.crc32(piece) == segment["crc"], "verbatim bytes with another CRC-32", "checksum")
        self.decoded[segment["begin"]] = (number, piece)
        return piece, number * tile


class File:
    """One of the files of an Original."""

    def __init__(self, original, begin, size):
        self.original, self.begin, self.size = original, begin, size

    def __len__(self):
        return self.size

    def __getitem__(self, part):
        begin, end, _ = part.indices(self.size)
        return self.original[self.begin + begin:self.begin + max(begin, end)]


def tile_of(data, length):
    """Section 4: the bytes of the original in a tile."""
    require(len(data) >= 8, "a tile of fewer than 8 bytes")
    way, reals, size, big, crc = struct.unpack(">4BI", data[:8])
    require(way in (0, 1, 2, 3) and size in (4, 8) and big in (0, 1), f"a tile in the way {way}, numbers of {size} bytes")
    if way in (1, 3):
        require(reals in (12, 18) and length % (reals * size) == 0, f"links of {reals} reals in {length} bytes")
        links = Links if way == 1 else LinksByColumn
        original = links(data, length // (reals * size)).restored()
    else:
        original = data[8:] if way == 0 else unshuffled(zstd(data[8:], length), size)
    require(len(original) == length, f"a tile gives {len(original)} bytes, expected {length}")
    require(zlib.crc32(original) == crc, "a tile with another CRC-32", "checksum")
    return original


def unshuffled(planes, size):
    require(len(planes) % size == 0, "shuffled bytes that are no numbers")
    return np.frombuffer(planes, np.uint8).reshape(size, -1).T.tobytes()


def prefix_table(lengths):
    """For the next 11 bits, the lowest first: (symbol, bits) of a canonical code; section 5.3."""
    table, code = [None] * 2048, 0
    for length in range(1, 12):
        for symbol in sorted(lengths):
            if lengths[symbol] == length:
                require(code < 1 << length, "a prefix code with too many symbols")
                reverse = int(format(code, f"0{length}b")[::-1], 2)
                table[reverse::1 << length] = [(symbol, length)] * (2048 >> length)
                code += 1
        code <<= 1
    return table


class Links:
    """The links of a tile; section 5. Sixty-four links are rebuilt at a time, by numpy."""

    def __init__(self, data, count):
        self.count, self.reals, self.size, self.order = count, data[1], data[2], ">" if data[3] else "<"
        self.bits, self.mantissa, self.half = (64, 52, 1022) if self.size == 8 else (32, 23, 126)
        self.most = data[8:11]
        self.symbol_streams, self.streams = self.parts_of(data)
        self.low, self.low_at = np.frombuffer(self.streams[1] + bytes(16), np.uint8), 0

    def parts_of(self, data):
        """The streams of symbols, kept bits, low bits and whole links; section 5.4."""
        parts = self.parts(data, ">4Q")
        return parts[:1], parts[1:]

    def parts(self, data, lengths_format):
        at, self.codes = 12 + struct.calcsize(lengths_format), []
        require(len(data) >= at, "a tile that ends in its front")
        lengths = struct.unpack(lengths_format, data[12:at])
        for _ in range(6):
            require(len(data) >= at + 32, "a tile that ends in the lengths of its codes")
            used = [s for s in range(256) if data[at + s // 8] >> (s % 8) & 1]
            require(len(data) >= at + 32 + (len(used) + 1) // 2, "a tile that ends in the lengths of its codes")
            nibbles = [data[at + 32 + k // 2] >> (4 * (k % 2)) & 15 for k in range(len(used))]
            self.codes.append(prefix_table(dict(zip(used, nibbles))))
            at += 32 + (len(used) + 1) // 2
        require(at + sum(lengths) == len(data), "the streams are longer or shorter than the tile")
        ends = np.cumsum((at, *lengths)).tolist()
        return [data[begin:end] for begin, end in zip(ends, ends[1:])]

    def ends_of_batches(self, is_whole):
        """The number of rebuilt links up to the end of each batch of 64 links of the tile."""
        ends = np.cumsum(~is_whole)[63::64]
        there = int((~is_whole).sum())
        return np.append(ends, there) if self.count % 64 or not len(ends) else ends

    def restored(self):
        symbols = self.symbols()
        is_whole = symbols[:, 0] == 96
        there = symbols[~is_whole]
        numbers = np.empty((len(there), self.reals), f"f{self.size}")
        kept = self.kept_bits(len(there))
        begin = 0
        with np.errstate(all="ignore"):
            for end in self.ends_of_batches(is_whole).tolist():
                numbers[begin:end] = self.rebuilt(there[begin:end], kept[begin:end])
                begin = end
        require(-(-self.low_at // 8) == len(self.streams[1]), "a stream of low bits is too long or too short")
        links = np.empty((self.count, self.reals), f"{self.order}f{self.size}")
        links[~is_whole] = numbers
        require(len(self.streams[2]) == int(is_whole.sum()) * self.reals * self.size, "links stored unchanged: other bytes")
        rows = links.view(np.uint8).reshape(self.count, -1)
        rows[is_whole] = np.frombuffer(self.streams[2], np.uint8).reshape(-1, self.reals * self.size)
        return rows.tobytes()

    def symbols(self):
        """Section 5.3: for each link the choice, then 9 (12 reals: 6) bytes of two symbols."""
        stream, kinds = self.symbol_streams[0], (1, 1, 2, 2, 3, 4) + ((5, 5, 5) if self.reals == 18 else ())
        tables, first = [self.codes[kind] for kind in kinds], self.codes[0]
        held = bits = at = 0
        result = np.zeros((self.count, 1 + len(kinds)), np.uint8)
        try:
            for link in range(self.count):
                row = []
                for table in (first, *tables):
                    if bits < 11:
                        held |= int.from_bytes(stream[at:at + 6], "little") << bits
                        bits, at = bits + 48, at + 6
                    symbol, length = table[held & 2047]
                    held, bits = held >> length, bits - length
                    row.append(symbol)
                    if symbol == 96 and len(row) == 1:
                        break
                result[link, :len(row)] = row
        except TypeError:
            raise Damaged("malformed", "bits that are no code") from None
        require(-(-(8 * at - bits) // 8) == len(stream), "a stream of symbols is too long or too short")
        return result

    def kept_bits(self, count):
        """Signs and mantissas, [link, number]."""
        wide = self.mantissa + 1
        require(len(self.streams[0]) == count * wide, "a stream of kept bits is too long or too short")
        return self.fields(self.streams[0], 8 * count).reshape(count, 8)

    def fields(self, data, count):
        """The first `count` numbers of sign and mantissa of a stream."""
        wide = self.mantissa + 1
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[:count * wide].reshape(-1, wide)
        padded = np.zeros((len(bits), 64), np.uint8)
        padded[:, :wide] = bits
        return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64).reshape(-1)

    def take(self, count):
        """The next bits of the stream of low bits, one number."""
        at, self.low_at = self.low_at, self.low_at + count
        require(self.low_at <= 8 * len(self.streams[1]), "a stream of low bits is too short")
        held = int.from_bytes(self.low[at // 8:at // 8 + 8].tobytes(), "little")
        return held >> (at % 8) & ((1 << count) - 1)

    def number_of(self, words):
        return words.astype(f"u{self.size}").view(f"f{self.size}").astype(np.float64)

    def correct(self, predicted, symbols, group):
        """Section 5.2: the numbers that differ from their predictions by residuals."""
        words = predicted.astype(f"f{self.size}").view(f"u{self.size}").astype(np.uint64)
        exponents = (words >> np.uint64(self.mantissa)).astype(np.int64) & ((1 << (self.bits - 1 - self.mantissa)) - 1)
        counts = np.minimum(np.maximum(self.half - exponents, 0), min(24, self.most[group]))
        above, places = symbols.astype(np.int64), self.low_at + np.cumsum(counts) - counts
        if (above == 15).any():
            for k in np.flatnonzero(above == 15).tolist():
                self.low_at = int(places[k] + counts[k])
                more = self.take(6)
                require(more <= 40, "a residual of more than 40 bits")
                above[k] = self.take(more)
                places[k + 1:] += 6 + more
            self.low_at = max(self.low_at, int(places[-1] + counts[-1])) if above.size else self.low_at
        elif len(places):
            self.low_at = int(places[-1] + counts[-1])
        require(self.low_at <= 8 * len(self.streams[1]), "a stream of low bits is too short")
        windows = self.low[(places // 8)[:, None] + np.arange(8)].copy().view("<u8").reshape(-1)
        low = ((windows >> (places % 8).astype(np.uint64)).astype(np.int64)) & ((np.int64(1) << counts) - 1)
        above = np.where(above % 2, -(above + 1) // 2, above // 2)
        signed = words.view(np.int64) if self.bits == 64 else words.astype(np.uint32).view(np.int32).astype(np.int64)
        flip = np.int64((1 << (self.bits - 1)) - 1)
        ordinals = np.where(signed >= 0, signed, signed ^ flip) + (above << counts) + low
        return self.number_of(np.where(ordinals >= 0, ordinals, ordinals ^ flip).view(np.uint64))

    def rebuilt(self, symbols, kept):
        """The numbers of at most 64 links; section 5.1."""
        n = len(symbols)
        pairs = symbols[:, 1:]
        nibbles = np.stack([pairs & 15, pairs >> 4], -1).reshape(n, -1)
        fields = self.half - nibbles[:, :8].astype(np.int64)
        for link, k in np.argwhere(nibbles[:, :8] == 15).tolist():
            fields[link, k] = self.take(11 if self.bits == 64 else 8)
        sign = (kept >> np.uint64(self.mantissa)) << np.uint64(self.bits - 1)
        mantissa = kept & np.uint64((1 << self.mantissa) - 1)
        p = self.number_of(sign | fields.astype(np.uint64) << np.uint64(self.mantissa) | mantissa)
        residuals = iter(nibbles[:, 8:].T)
        a, b = self.first_rows(symbols[:, 0].astype(np.int64), p, residuals)
        columns = [a, b]
        for j in range(3) if self.reals == 18 else ():
            u, v = 2 * ((j + 1) % 3), 2 * ((j + 2) % 3)
            real = (a[:, u] * b[:, v] - a[:, u + 1] * b[:, v + 1]) - (a[:, v] * b[:, u] - a[:, v + 1] * b[:, u + 1])
            imag = -((a[:, u] * b[:, v + 1] + a[:, u + 1] * b[:, v]) - (a[:, v] * b[:, u + 1] + a[:, v + 1] * b[:, u]))
            columns += [self.correct(x, next(residuals), 2)[:, None] for x in (real, imag)]
        return np.concatenate(columns, 1)

    def first_rows(self, choice, p, residuals):
        """Rows a and b: steps 1 to 3."""
        n, link = len(choice), np.arange(len(choice))
        i, d = choice // 16, choice // 4 % 4
        s, r = np.where(choice & 2, -1.0, 1.0), np.where(choice & 1, -1.0, 1.0)
        require((i < 6).all(), "a symbol of no link")
        rest = 1 - (((p[:, 0] * p[:, 0] + p[:, 1] * p[:, 1]) + p[:, 2] * p[:, 2]) + (p[:, 3] * p[:, 3] + p[:, 4] * p[:, 4]))
        x = self.correct(s * np.sqrt(np.where(rest > 0, rest, 0.0)), next(residuals), 0)
        place = np.arange(6)
        a = np.take_along_axis(p, np.clip(place - (place > i[:, None]), 0, 4), 1)
        a[link, i] = x
        norms = a[:, ::2] * a[:, ::2] + a[:, 1::2] * a[:, 1::2]
        k = np.where(norms[:, 1] > norms[:, 0], 1, 0)
        k = np.where(norms[:, 2] > norms[link, k], 2, k)
        left, right = np.where(k == 0, 1, 0), np.where(k == 2, 1, 2)
        m, o = np.where(d < 2, left, right), np.where(d < 2, right, left)
        y, ro, io = p[:, 5], p[:, 6], p[:, 7]
        rk, ik, rm, im, rao, iao = (a[link, 2 * c + part] for c in (k, m, o) for part in (0, 1))
        pivot, mine = rk * rk + ik * ik, rm * rm + im * im
        qr, qi = rao * ro + iao * io, rao * io - iao * ro
        gr, gi = rm * qr - im * qi, rm * qi + im * qr
        gx, gy = np.where(d & 1, gi, gr), np.where(d & 1, gr, gi)
        big = mine + pivot
        c = ((big * y) * y + (2 * gy) * y) + ((qr * qr + qi * qi) + pivot * ((ro * ro + io * io) - 1))
        inside = gx * gx - big * c
        x = self.correct((r * np.sqrt(np.where(inside > 0, inside, 0.0)) - gx) / big, next(residuals), 0)
        rb, ib = np.where(d & 1, y, x), np.where(d & 1, x, y)
        sr = (rm * rb + im * ib) + (rao * ro + iao * io)
        si = (rm * ib - im * rb) + (rao * io - iao * ro)
        b = np.zeros((n, 6))
        b[link, 2 * m], b[link, 2 * m + 1], b[link, 2 * o], b[link, 2 * o + 1] = rb, ib, ro, io
        b[link, 2 * k] = self.correct((si * ik - sr * rk) / pivot, next(residuals), 1)
        b[link, 2 * k + 1] = self.correct(-(sr * ik + si * rk) / pivot, next(residuals), 1)
        return a, b


class LinksByColumn(Links):
    """Links whose symbols are columns: way 3 of section 4."""

    def parts_of(self, data):
        parts = self.parts(data, ">27I")
        return parts[:24], parts[24:]

    def ends_of_batches(self, is_whole):
        there = int((~is_whole).sum())
        return np.append(np.arange(64, there, 64), there)

    def symbols(self):
        kinds = [1, 1, 2, 2, 3, 4] + ([5, 5, 5] if self.reals == 18 else [])
        choice = self.symbols_of(0, self.count)
        is_whole = choice == 96
        require((choice <= 96).all(), "a symbol of no link")
        there = int((~is_whole).sum())
        result = np.zeros((self.count, 1 + len(kinds)), np.uint8)
        result[:, 0] = choice
        for kind in sorted(set(kinds)):
            columns = [1 + k for k, one in enumerate(kinds) if one == kind]
            result[np.flatnonzero(~is_whole)[:, None], columns] = self.symbols_of(kind, there * len(columns)).reshape(-1, there).T
        return result

    def symbols_of(self, kind, count):
        """All symbols of a code: four runs of equal length, one stream each."""
        table, each, found = self.codes[kind], -(-count // 4), []
        used = {entry[0] for entry in table if entry}
        if len(used) == 1:
            require(not any(self.symbol_streams[4 * kind:4 * kind + 4]), "bits of a code that needs none")
            return np.full(count, used.pop(), np.uint8)
        for run in range(4):
            found += self.run_of(table, self.symbol_streams[4 * kind + run], max(0, min(each, count - run * each)))
        return np.array(found, np.uint8)

    @staticmethod
    def run_of(table, stream, count):
        held = bits = at = 0
        found = []
        try:
            for _ in range(count):
                if bits < 11:
                    held |= int.from_bytes(stream[at:at + 6], "little") << bits
                    bits, at = bits + 48, at + 6
                symbol, length = table[held & 2047]
                held, bits = held >> length, bits - length
                found.append(symbol)
        except TypeError:
            raise Damaged("malformed", "bits that are no code") from None
        require(-(-(8 * at - bits) // 8) == len(stream), "a stream of symbols is too long or too short")
        return found

    def kept_bits(self, count):
        """One number after another for eight links at a time; the last batch may have fewer links."""
        wide, whole = self.mantissa + 1, count // 8 * 8
        stream, rest = self.streams[0], (count - whole) * 8
        require(len(stream) == whole * wide + -(-rest * wide // 8), "a stream of kept bits is too long or too short")
        first = self.fields(stream[:whole * wide], 8 * whole).reshape(-1, 8, 8).transpose(0, 2, 1).reshape(-1, 8)
        last = self.fields(stream[whole * wide:], rest).reshape(8, -1).T if rest else first[:0]
        return np.concatenate([first, last])


def originals_of(archive):
    """[(name, bytes)] of the files that an archive holds, in their order."""
    original = Original(archive)
    return [(name, original[begin:begin + size]) for name, begin, size in original.files]


def archive_items(data):
    """The fields of an archive, if this module reads the format of its files, and the files."""
    original, items = Original(data), []
    files = [Item(name, "file", (size,), np.uint8, lambda verify, b=begin, n=size: np.frombuffer(original[b:b + n], np.uint8),
                  f"of format {original.format}, restored from the archive") for name, begin, size in original.files]
    for name, begin, size in original.files:
        file = File(original, begin, size)
        if bytes(file[:4]) == MAGIC and len(original.files) == 1:
            items += items_of(None, file)
    return items + files


# --- Frames of zstd (RFC 8878) and lz4 ---------------------------------------------------------------------------------

LITERAL_LENGTHS = [(n, 0) for n in range(16)] + [
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6)] + [(1 << n, n) for n in range(7, 17)]
MATCH_LENGTHS = [(n, 0) for n in range(3, 35)] + [
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5)] + [
    ((1 << n) + 3, n) for n in range(7, 17)]
USUAL = {"literals": (6, [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4),
         "offsets": (5, [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5),
         "matches": (6, [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7)}


class Backwards:
    """Bits of a stream from its end: the highest set bit marks their beginning."""

    def __init__(self, data):
        require(data and data[-1], "a stream of zstd without its end")
        self.data, self.left = bytes(8) + data, 8 * len(data) - 9 + data[-1].bit_length()

    def peek(self, count):
        """The next bits; after the end of the stream they are zero."""
        at = self.left - count + 64
        return int.from_bytes(self.data[at // 8:at // 8 + 8], "little") >> (at % 8) & ((1 << count) - 1) if at >= 0 else 0

    def take(self, count):
        value = self.peek(count)
        self.left -= count
        return value


def fse_table(accuracy, counts):
    """(symbol, bits, base) of each state; RFC 8878 4.1.1."""
    size, high, symbols = 1 << accuracy, (1 << accuracy) - 1, [0] * (1 << accuracy)
    for symbol, count in enumerate(counts):
        if count == -1:
            symbols[high], high = symbol, high - 1
    place = 0
    for symbol, count in enumerate(counts):
        for _ in range(count if count > 0 else 0):
            symbols[place] = symbol
            place = (place + (size >> 1) + (size >> 3) + 3) & (size - 1)
            while place > high:
                place = (place + (size >> 1) + (size >> 3) + 3) & (size - 1)
    following, table = [1 if count == -1 else count for count in counts], []
    for symbol in symbols:
        state = following[symbol]
        following[symbol] += 1
        bits = accuracy - state.bit_length() + 1
        table.append((symbol, bits, (state << bits) - size))
    return table


def fse_counts(data, most):
    """(accuracy, counts, bytes read)."""
    held, at = int.from_bytes(data[:512], "little"), 4
    accuracy = (held & 15) + 5
    require(accuracy <= most, "a table of zstd that is too large")
    remaining, counts = (1 << accuracy) + 1, []
    while remaining > 1 and len(counts) <= 255:
        bits = remaining.bit_length()
        value = held >> at & ((1 << bits) - 1)
        low, threshold = value & ((1 << (bits - 1)) - 1), (1 << bits) - 1 - remaining
        if low < threshold:
            value, at = low, at + bits - 1
        else:
            at += bits
            value -= threshold if value >= 1 << (bits - 1) else 0
        counts.append(value - 1)
        remaining -= abs(value - 1)
        while counts[-1] == 0:
            repeat, at = held >> at & 3, at + 2
            counts += [0] * repeat
            if repeat < 3:
                break
    require(remaining == 1 and len(counts) <= 256 and at <= 8 * len(data), "a table of zstd that does not add up")
    return accuracy, counts, -(-at // 8)


def huffman_weights(data):
    """(weights, bytes read); RFC 8878 4.2.1."""
    head = data[0]
    if head >= 128:
        count = head - 127
        return [data[1 + k // 2] >> (0 if k % 2 else 4) & 15 for k in range(count)], 1 + (count + 1) // 2
    accuracy, counts, used = fse_counts(data[1:1 + head], 6)
    table, bits, weights = fse_table(accuracy, counts), Backwards(data[1 + used:1 + head]), []
    states = [bits.take(accuracy), bits.take(accuracy)]
    while len(weights) < 256:
        for k in (0, 1):
            symbol, count, base = table[states[k]]
            weights.append(symbol)
            if bits.left < count:
                weights.append(table[states[1 - k]][0])
                return weights, 1 + head
            states[k] = base + bits.take(count)
    raise Damaged("malformed", "weights of zstd without an end")


def huffman_table(weights):
    """(bits, (symbol, bits) of each prefix)."""
    total = sum(1 << weight >> 1 for weight in weights)
    require(total > 0, "weights of zstd that are all zero")
    bits = total.bit_length()
    rest = (1 << bits) - total
    require(rest & (rest - 1) == 0 and bits <= 11, "weights of zstd that do not add up")
    weights, table = [*weights, rest.bit_length()], []
    for weight in range(1, bits + 1):
        for symbol, mine in enumerate(weights):
            if mine == weight:
                table += [(symbol, bits + 1 - weight)] * (1 << (weight - 1))
    return bits, table


def huffman_stream(data, count, bits, table):
    stream, left = Backwards(data), 0
    data, left, mask, symbols = stream.data, stream.left, (1 << bits) - 1, bytearray()
    unpack = struct.Struct("<Q").unpack_from
    data += bytes(8)
    for _ in range(count):
        at = left - bits + 64
        symbol, length = table[unpack(data, at >> 3)[0] >> (at & 7) & mask]
        left -= length
        require(left >= 0, "a stream of zstd that is too short", "truncated")
        symbols.append(symbol)
    require(left == 0, "a stream of zstd that is too long")
    return symbols


class Zstd:
    """The state of one frame."""

    def __init__(self, limit):
        self.output, self.limit, self.offsets, self.huffman, self.tables = bytearray(), limit, [1, 4, 8], None, {}

    def literals(self, data):
        """(literals, bytes read)."""
        kind, form = data[0] & 3, data[0] >> 2 & 3
        if kind < 2:
            wide, shift = {1: (2, 4), 3: (3, 4)}.get(form, (1, 3))
            count = int.from_bytes(data[:wide], "little") >> shift
            if kind == 1:
                return data[wide:wide + 1] * count, wide + 1
            return data[wide:wide + count], wide + count
        wide, each = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        head = int.from_bytes(data[:wide], "little") >> 4
        count, size = head & ((1 << each) - 1), head >> each
        body, used = data[wide:wide + size], 0
        require(len(body) == size and size, "a block of zstd ends in its literals", "truncated")
        if kind == 2:
            weights, used = huffman_weights(body)
            self.huffman = huffman_table(weights)
        require(self.huffman, "a block of zstd without its table")
        body = body[used:]
        if form == 0:
            return huffman_stream(body, count, *self.huffman), wide + size
        ends = np.cumsum((6, *struct.unpack("<3H", body[:6]))).tolist() + [len(body)]
        each, literals = (count + 3) // 4, bytearray()
        for k in range(4):
            literals += huffman_stream(body[ends[k]:ends[k + 1]], each if k < 3 else count - 3 * each, *self.huffman)
        return literals, wide + size

    def table(self, name, mode, data, most):
        """(accuracy, table) and bytes read, of literals, offsets or matches."""
        used = 0
        if mode == 0:
            self.tables[name] = USUAL[name][0], fse_table(*USUAL[name])
        elif mode == 1:
            self.tables[name], used = (0, [(data[0], 0, 0)]), 1
        elif mode == 2:
            accuracy, counts, used = fse_counts(data, most)
            self.tables[name] = accuracy, fse_table(accuracy, counts)
        require(name in self.tables, "a block of zstd repeats a table that is not there")
        return used

    def block(self, data):
        literals, at = self.literals(data)
        count, at = data[at], at + 1
        if count >= 255:
            count, at = int.from_bytes(data[at:at + 2], "little") + 0x7F00, at + 2
        elif count >= 128:
            count, at = ((count - 128) << 8) + data[at], at + 1
        taken = self.sequences(data, at, count, literals) if count else 0
        self.output += literals[taken:]

    def sequences(self, data, at, count, literals):
        modes, at = data[at], at + 1
        for name, shift, most in (("literals", 6, 9), ("offsets", 4, 8), ("matches", 2, 9)):
            at += self.table(name, modes >> shift & 3, data[at:], most)
        bits, output, taken = Backwards(data[at:]), self.output, 0
        (la, lengths), (oa, offsets), (ma, matches) = (self.tables[n] for n in ("literals", "offsets", "matches"))
        ls, os_, ms = bits.take(la), bits.take(oa), bits.take(ma)
        for k in range(count):
            (lc, lb, lbase), (oc, ob, obase), (mc, mb, mbase) = lengths[ls], offsets[os_], matches[ms]
            require(lc <= 35 and mc <= 52 and oc <= 31, "a symbol of zstd that is none")
            value = (1 << oc) + bits.take(oc)
            match = MATCH_LENGTHS[mc][0] + bits.take(MATCH_LENGTHS[mc][1])
            length = LITERAL_LENGTHS[lc][0] + bits.take(LITERAL_LENGTHS[lc][1])
            offset = self.offset(value, length)
            output += literals[taken:taken + length]
            taken += length
            require(0 < offset <= len(output) and taken <= len(literals) and len(output) + match <= self.limit,
                    "a sequence of zstd that refers to nothing")
            begin = len(output) - offset
            piece = output[begin:begin + match]
            while len(piece) < match:
                piece += piece[:match - len(piece)]
            output += piece
            if k + 1 < count:
                ls, ms, os_ = lbase + bits.take(lb), mbase + bits.take(mb), obase + bits.take(ob)
            require(bits.left >= 0, "a block of zstd ends in its sequences", "truncated")
        require(bits.left == 0, "a block of zstd with more than its sequences")
        return taken

    def offset(self, value, length):
        """RFC 8878 3.1.1.5: values of 1 to 3 repeat earlier ones."""
        earlier = self.offsets
        if value > 3:
            self.offsets = [value - 3, *earlier[:2]]
        else:
            which = value - 1 + (length == 0)
            chosen = earlier[which] if which < 3 else earlier[0] - 1
            self.offsets = [chosen, *(one for k, one in enumerate(earlier) if k != which)][:3]
        return self.offsets[0]


def zstd(data, limit):
    """The contents of complete zstd frames, at most `limit` bytes."""
    output, at = bytearray(), 0
    try:
        while at < len(data):
            piece, at = zstd_frame(data, at, limit - len(output))
            output += piece
    except (IndexError, struct.error):
        raise Damaged("malformed", "a frame of zstd that is cut or damaged") from None
    return bytes(output)


def zstd_frame(data, at, limit):
    magic, descriptor = struct.unpack_from("<IB", data, at)
    require(magic == 0xFD2FB528, "no frame of zstd")
    single, dictionary = descriptor >> 5 & 1, (0, 1, 2, 4)[descriptor & 3]
    require(dictionary == 0 or not any(data[at + 6 - single:at + 6 - single + dictionary]), "a frame of zstd with a dictionary",
            "unsupported")
    at += 5 + (1 - single) + dictionary + (single, 2, 4, 8)[descriptor >> 6]
    state, last = Zstd(limit), 0
    while not last:
        require(at + 3 <= len(data), "a frame of zstd without its end", "truncated")
        head = int.from_bytes(data[at:at + 3], "little")
        last, kind, size = head & 1, head >> 1 & 3, head >> 3
        body = data[at + 3:at + 3 + (1 if kind == 1 else size)]
        require(kind < 3 and len(body) == (1 if kind == 1 else size), "a block of zstd that is cut or of no kind", "truncated")
        require(kind == 2 or len(state.output) + size <= limit, "a frame of zstd with more bytes than there should be")
        if kind == 2:
            state.block(bytes(body))
        else:
            state.output += body * size if kind == 1 else body
        require(len(state.output) <= limit, "a frame of zstd with more bytes than there should be")
        at += 3 + len(body)
    return state.output, at + (4 if descriptor & 4 else 0)


def lz4(data, limit):
    """The contents of complete lz4 frames, at most `limit` bytes."""
    output, at = bytearray(), 0
    try:
        while at < len(data):
            magic, flags = struct.unpack_from("<IB", data, at)
            require(magic == 0x184D2204 and flags >> 6 == 1 and not flags & 1, "no frame of lz4")
            at, begin = at + 7 + (8 if flags & 8 else 0), len(output)
            while True:
                size, at = struct.unpack_from("<I", data, at)[0], at + 4
                if size == 0:
                    break
                stored, size = size >> 31, size & 0x7FFFFFFF
                body = bytes(data[at:at + size])
                require(len(body) == size, "a frame of lz4 that is cut", "truncated")
                if stored:
                    output += body
                else:
                    lz4_block(body, output, begin if not flags & 0x20 else len(output), limit)
                require(len(output) <= limit, "a frame of lz4 with more bytes than there should be")
                at += size + (4 if flags & 16 else 0)
            at += 4 if flags & 4 else 0
    except (IndexError, struct.error):
        raise Damaged("malformed", "a frame of lz4 that is cut or damaged") from None
    return bytes(output)


def lz4_block(body, output, begin, limit):
    at = 0

    def length(nibble):
        nonlocal at
        total = nibble
        while nibble == 15 or (nibble == 255 and total > 15):
            nibble, at = body[at], at + 1
            total += nibble
            if nibble != 255:
                break
        return total

    while at < len(body):
        token, at = body[at], at + 1
        count = length(token >> 4)
        require(at + count <= len(body), "a block of lz4 ends in its literals")
        output += body[at:at + count]
        at += count
        if at == len(body):
            return
        offset, at = body[at] | body[at + 1] << 8, at + 2
        match = length(token & 15) + 4
        require(0 < offset <= len(output) - begin and len(output) + match <= limit, "a match of lz4 that refers to nothing")
        piece = output[len(output) - offset:len(output) - offset + match]
        while len(piece) < match:
            piece += piece[:match - len(piece)]
        output += piece


# --- Multifiles and checkpoints: docs/formats/sion.md, sion-records.md -------------------------------------------------

class Physical:
    """One physical file of a set; sion.md 2 to 5."""

    def __init__(self, path, data=None):
        self.path, self.data = path, mapped(path) if data is None else data
        data = self.data
        require(bytes(data[:4]) == b"sion", f"{path}: no multifile", "unknown")
        require(len(data) >= 1104, f"{path}: the file ends in its header", "truncated")
        require(bytes(data[4:8]) in (b"\0\0\0\0", b"\0\1\1\0", b"\1\1\1\1", b"\1\0\0\1"), f"{path}: the byte order is none")
        self.order = ">" if data[4] else "<"
        version, self.block, self.tasks, self.files, self.number = self.numbers("i", 16, 5)
        require(version >= 2, f"{path}: version {version} of the format", "unsupported")
        shift = 20 if version == 2 else 0  # MB1 is shorter: no file number, no flags
        require(self.block >= 1 and self.tasks >= 1 and (version == 2 or self.files >= 1), f"{path}: block size, tasks or files below 1")
        if version == 2:
            self.files, self.number = 1, 0
        require(0 <= self.number < self.files or (self.files, self.number) == (1, 1), f"{path}: file {self.number} of {self.files}")
        self.keys = version >= 5 and self.numbers("i", 40 if self.order == "<" else 36, 1)[0] == 51
        self.name, at = bytes(data[52 - shift:1076 - shift]).split(b"\0")[0], 1076 - shift
        require(at + 16 * self.tasks + 12 <= len(data), f"{path}: the file ends in its tables", "truncated")
        self.ranks, self.widths = (np.array(self.numbers("q", at + 8 * self.tasks * k, self.tasks), np.int64) for k in (0, 1))
        blocks, tail = self.numbers("iq", at + 16 * self.tasks, 1)
        self.head_end = at + 16 * self.tasks + 12
        if version <= 3:
            self.widths = -(-self.widths // self.block) * self.block
        self.read_tables(blocks, tail, version)
        self.read_own_records(at)

    def numbers(self, kind, offset, count):
        form = f"{self.order}{kind}" if len(kind) > 1 else f"{self.order}{count}{kind}"
        size = struct.calcsize(form)
        require(0 <= offset and offset + size <= len(self.data), f"{self.path}: the file ends in its tables", "truncated")
        return struct.unpack(form, self.data[offset:offset + size])

    def read_tables(self, blocks, tail, version):
        """Chunks, and their used bytes; sections 4.1, 5.1."""
        path, tasks, widths = self.path, self.tasks, [int(w) for w in self.widths]
        require(min(widths) >= 0 and sum(widths) < 1 << 63, f"{path}: a negative width, or too large ones")
        require((blocks, tail) != (0, 0), f"{path}: it was not closed: its writer was interrupted. `lq repair` recovers it", "truncated")
        starts = {-(-end // self.block) * self.block for end in ({self.head_end, self.head_end + 20} if version == 2 else {self.head_end})}
        skip = sum(widths)
        fitting = [start for start in starts if tail == start + blocks * skip]
        require(blocks >= 1 and tail > 0 and fitting, f"{path}: the offset {tail} of metadata block 2 is not where {blocks} blocks end")
        start = fitting[0]
        counts = self.numbers("q", tail, tasks)
        require(all(1 <= count <= blocks for count in counts), f"{path}: a number of chunks outside 1 to {blocks}")
        used = np.array(self.numbers("q", tail + 8 * tasks, tasks * blocks), np.int64).reshape(blocks, tasks)
        starts = np.cumsum([start, *widths]).tolist()
        self.chunks = [[(starts[task] + k * skip, int(used[k, task])) for k in range(counts[task])] for task in range(tasks)]
        require(all(0 <= size <= widths[task] for task in range(tasks) for _, size in self.chunks[task]),
                f"{path}: more bytes of a chunk are used than it has")
        self.tail, self.table_end = tail, tail + 8 * tasks * (1 + blocks)

    def read_own_records(self, at):
        """sion-records.md 2 and 4: the additions of Limequat; None in files of other programs."""
        self.generation, self.compression, self.losses, self.sizes = None, 0, {}, None
        raw = bytes(self.data[self.head_end:self.head_end + 64])
        map_bytes = 0
        if self.files > 1 and self.number == 0:
            map_bytes = 4 + 8 * self.numbers("i", self.table_end, 1)[0]
        place = self.table_end + map_bytes
        tail = bytes(self.data[place:place + 64])
        if raw[:4] != b"LQms" and tail[:4] != b"LQmt":
            return
        for record, magic in ((raw, b"LQms"), (tail, b"LQmt")):
            require(len(record) == 64 and record[:4] == magic and zlib.crc32(record[:60]) == int.from_bytes(record[60:], "little"),
                    f"{self.path}: the record {magic.decode()} is damaged", "checksum")
            require(record[4:6] == b"\1\0", f"{self.path}: version {record[4]} of the record {magic.decode()}", "unsupported")
        generation, number, tasks, tables, self.kept = struct.unpack("<16s4I", raw[8:40])
        require((number, tasks) == (self.number, self.tasks) or self.files == 1, f"{self.path}: its set record is that of another file")
        require(zlib.crc32(self.data[at:at + 16 * self.tasks]) == tables, f"{self.path}: its tables of ranks and widths are damaged",
                "checksum")
        self.compression, self.has_sums, self.generation = raw[6], raw[7], generation
        self.read_tail(tail, place, generation)

    def read_tail(self, tail, place, generation):
        also, _, tasks, length, crc, sizes_crc, self.fields, losses, losses_crc = struct.unpack("<16sIIQ5I", tail[8:60])
        require((also, tasks) == (generation, self.tasks) and length == place - self.tail, f"{self.path}: its tail record is that of another set")
        require(zlib.crc32(self.data[self.tail:self.tail + length]) == crc, f"{self.path}: metadata block 2 is damaged", "checksum")
        place += 64
        if self.compression:
            raw = bytes(self.data[place:place + 8 * tasks])
            require(zlib.crc32(raw) == sizes_crc, f"{self.path}: the sizes of streams are damaged", "checksum")
            self.sizes = struct.unpack(f"<{tasks}Q", raw)
            place += 8 * tasks
        raw = bytes(self.data[place:place + 32 * losses])
        require(not losses or (len(raw) == 32 * losses and zlib.crc32(raw) == losses_crc), f"{self.path}: the losses are damaged", "checksum")
        self.losses = {task: missing for task, _, _, _, missing in struct.iter_unpack("<IIQQQ", raw)}

    def stream(self, task, verify):
        """The bytes of a task."""
        pieces = []
        for number, (place, used) in enumerate(self.chunks[task]):
            chunk = bytes(self.data[place:place + used])
            require(len(chunk) == used, f"{self.path}: the file ends in chunk {number} of task {task}", "truncated")
            if self.generation is not None and used:
                place_in_stream, size = self.compare(task, number, place, chunk, verify)
                if self.compression:
                    chunk = zstd(chunk, size) if self.compression == 2 else lz4(chunk, size)
                    require(len(chunk) == size, f"{self.path}: chunk {number} of task {task} has {len(chunk)} bytes, its record states {size}")
                require(not verify or sum(map(len, pieces)) == place_in_stream,
                        f"{self.path}: chunk {number} of task {task} belongs to byte {place_in_stream} of the stream")
            pieces.append(chunk)
        stream = b"".join(pieces)
        if self.sizes is not None and verify:
            require(len(stream) == self.sizes[task], f"{self.path}: the stream of task {task} has {len(stream)} bytes, "
                    f"{self.sizes[task]} are recorded")
        require(task not in self.losses or not verify, f"{self.path}: task {task} lost {self.losses.get(task)} bytes or more at its end; "
                "what is left is read without verification", "truncated")
        return stream

    def compare(self, task, number, place, chunk, verify):
        """Section 3: (byte of the stream, number of bytes) from the newer of the two records at the end of the chunk."""
        end, found = place + int(self.widths[task]), []
        for at in (end - 128, end - 64):
            raw = bytes(self.data[at:at + 64])
            if len(raw) == 64 and raw[:4] == b"LQck" and zlib.crc32(raw[:60]) == int.from_bytes(raw[60:], "little"):
                generation, file, mine, chunk_number, crc, used, begin, size = struct.unpack("<16s4IQQI", raw[8:60])
                if (generation, mine, chunk_number) == (self.generation, task, number) and file in (self.number, 0):
                    found.append((used, crc, begin, size))
        where = f"{self.path}: chunk {number} of task {task}"
        require(found or not (verify or self.compression), f"{where} has no record", "checksum")
        used, crc, begin, size = max(found, default=(len(chunk), 0, 0, 0))
        if verify:
            require(used == len(chunk), f"{where}: its record states {used} bytes, the table {len(chunk)}", "checksum")
            require(not self.has_sums or zlib.crc32(chunk) == crc, f"{where}: the bytes have another CRC-32", "checksum")
        return begin, size


def set_of(path):
    """(physical files, [(file, local task) of each task]); sion.md 5.2, 8."""
    first = Physical(path)
    if first.number and first.files > 1:
        match = re.fullmatch(r"(.*)\.(\d{6})", path, re.S)
        require(match and int(match[2]) == first.number, f"{path}: file {first.number} of a set under another name")
        path, first = match[1], Physical(match[1])
    require(first.files == 1 or first.number == 0, f"{path}: this is file {first.number} of its set")
    files = [first]
    for k in range(1, first.files):
        name = f"{path}.{k:06}"
        require(os.path.exists(name), f"{name}: a file of the set is missing", "missing")
        files.append(Physical(name))
        same = ("files", "order", "block", "keys", "name", "generation")
        require(files[-1].number == k and all(getattr(files[-1], s) == getattr(first, s) for s in same),
                f"{name}: it is not file {k} of this set, or was written at another time")
    if first.files == 1:
        return files, [(first, task) for task in range(first.tasks)]
    size = first.numbers("i", first.table_end, 1)[0]
    require(1 <= size <= sum(file.tasks for file in files), f"{path}: a map of {size} tasks")
    places = first.numbers("i", first.table_end + 4, 2 * size)
    tasks = list(zip(places[::2], places[1::2]))
    require(all(0 <= f < len(files) and 0 <= t < files[f].tasks and files[f].ranks[t] == rank for rank, (f, t) in enumerate(tasks)),
            f"{path}: an entry of the map names no task, or one of another rank")
    require(size == sum(int((file.ranks >= 0).sum()) for file in files), f"{path}: entries of the map are missing")
    return files, [(files[f], t) for f, t in tasks]


def keys_of(stream, order, name):
    """The data of each key; sion.md 6."""
    found, at = {}, 0
    while at < len(stream):
        require(at + 16 <= len(stream), f"{name}: the stream ends in the header of a record")
        key, length = struct.unpack_from(f"{order}QQ", stream, at)
        require(at + 16 + length <= len(stream), f"{name}: a record beyond the end of the stream")
        found[key] = found.get(key, b"") + stream[at + 16:at + 16 + length]
        at += 16 + length
    return found


def multifile_items(path):
    files, tasks = set_of(path)
    name = files[0].path
    items = []
    for number, (file, task) in enumerate(tasks):
        if files[0].keys:
            for key, data in keys_of(file.stream(task, True), file.order, f"task.{number}").items():
                items.append(Item(f"task.{number}.key.{key}", "stream", (len(data),), np.uint8,
                                  lambda verify, d=data: np.frombuffer(d, np.uint8)))
            continue
        size = file.sizes[task] if file.sizes else sum(used for _, used in file.chunks[task])
        text = ("compressed, " if file.compression else "") + ("CRC-32 of each chunk" if file.generation and file.has_sums else "no checksum")
        items.append(Item(f"task.{number}", "stream", (size,), np.uint8,
                          lambda verify, f=file, t=task: np.frombuffer(f.stream(t, verify), np.uint8), text))
    return items + (checkpoint_fields(name, files[0]) if files[0].generation and files[0].fields else [])


def checkpoint_fields(path, first):
    """NAME.fields; sion-records.md 8."""
    name = path + ".fields"
    require(os.path.exists(name), f"{name}: the fields of the checkpoint are missing", "missing")
    data = mapped(name)
    records = records_of(data)
    notes = [record.text().decode("utf-8") for record in records if record.type == "limequat-checkpoint"]
    items = fields_of(name, data)
    require(len(items) == len(notes) == first.fields, f"{name}: {len(items)} fields, the set states {first.fields}")
    for item, note in zip(items, notes):
        facts = dict(line.split(" = ", 1) for line in note.splitlines() if " = " in line)
        require(facts.get("version") == "1" and facts.get("generation") == first.generation.hex(),
                f"{name}: a field of another checkpoint")
        require(facts.get("lattice") == "x".join(map(str, item.facts["lattice"])), f"{name}: a field of another lattice")
        require("checksum " in item.text, f"{name}: field {facts.get('name')!r} was not completed", "truncated")
        item.name = facts.get("name", item.name)
    return items


# --- Files -------------------------------------------------------------------------------------------------------------

def mapped(path):
    """A file as bytes, mapped into memory."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise Damaged("unknown", f"{path}: the file is empty")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise Damaged("missing", f"{path}: {error.strerror}") from None


@contextlib.contextmanager
def naming(path):
    """Adds the name of the file to errors."""
    try:
        yield
    except Damaged as error:
        raise Damaged(error.kind, str(error) if str(error).startswith(os.fspath(path)) else f"{path}: {error}") from None


def items_of(path, data):
    if bytes(data[:4]) == b"sion":
        require(path is not None, "a multifile inside an archive", "unsupported")
        return multifile_items(path)
    require(bytes(data[:4]) == MAGIC, f"it begins with {bytes(data[:8])!r}: no file that this reader knows", "unknown")
    require(len(data) >= HEAD, f"the file ends {len(data)} bytes into a record header", "truncated")
    kind = Record(data, 0, 0).type
    if kind == "limequat-modes":
        return modes_items(data)
    return archive_items(data) if kind == "limequat-squeezed" else fields_of(path, data)


def contents(path):
    """Everything in a file that can be read: a list of Items."""
    path = os.fspath(path)
    data = mapped(path)
    with naming(path), no_surprises():
        items = items_of(path, data)
    seen = {}
    for item in items:
        item.index = seen.setdefault(item.name, 0)
        seen[item.name] += 1
    return items


def chosen(items, path, which):
    """The item with a number, a name, or "NAME:N"."""
    fields = [item for item in items if item.kind != "file"] or items
    require(fields, f"{path}: there is no field", "missing")
    if which is None:
        return fields[0]
    if isinstance(which, int) or re.fullmatch(r"\d+", which):
        require(int(which) < len(items), f"{path}: item {which} does not exist; there are {len(items)}", "missing")
        return items[int(which)]
    name, _, number = which.rpartition(":") if re.search(r":\d+$", which) else (which, "", "0")
    found = [item for item in items if (item.name, item.index) in ((which, 0), (name, int(number)))]
    require(found, f"{path}: there is no {which!r}; there are {', '.join(sorted({item.name for item in items}))}", "missing")
    return found[0]


def read(path, item=None, verify=True):
    """The numbers of an item, [t, z, y, x, ...] of a field.

    item    its number, its name, or "NAME:N" for the N-th of that name; default: the first field
    verify  False: checksums are not compared

    Raises Damaged.
    """
    item = chosen(contents(path), path, item)
    with naming(path):
        return item.read(verify)


def restore(path, folder):
    """Writes the files of an archive into a folder; returns their paths. No file is overwritten."""
    data, paths, step = mapped(path), [], 1 << 24
    with naming(path), no_surprises():
        require(bytes(data[:4]) == MAGIC and Record(data, 0, 0).type == "limequat-squeezed", "no squeezed archive", "unknown")
        original = Original(data)
        for name, begin, size in original.files:
            require(name not in ("", ".", ".."), "a file without a name")
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "xb") as file:
                for at in range(begin, begin + size, step):
                    file.write(original[at:min(at + step, begin + size)])
    return paths


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("file")
    parser.add_argument("-o", "--output", metavar="OUT.npy", help="write an item as an array of numpy")
    parser.add_argument("--item", metavar="N|NAME|NAME:N", help="which one (default: the first field)")
    parser.add_argument("--restore", metavar="FOLDER", help="write the files of an archive into a folder")
    parser.add_argument("--verify", action="store_true", help="read every item and compare its checksums")
    parser.add_argument("--no-verify", action="store_true", help="write numbers although their checksum may differ")
    given = parser.parse_args(arguments)
    try:
        if given.restore:
            print("\n".join(restore(given.file, given.restore)))
        elif given.output:
            np.save(given.output, read(given.file, given.item, not given.no_verify))
        else:
            for item in contents(given.file):
                verdict = f"  {len(item.read().tobytes())} bytes read" if given.verify else ""
                print(f"{item}{verdict}")
    except (Damaged, OSError) as error:
        print(f"read_limequat: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
