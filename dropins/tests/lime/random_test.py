# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# C-LIME's interface against the layout of docs/formats/lime.md in plain Python: random programs of calls go to a driver
# (driver.c) and to a model of a few lines, which must agree on every code, every position and every byte of the file.
import argparse
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
SUCCESS, PARAM, HEADER_NEXT, EOR, EOF, READ, SEEK, MBME = 0, -2, -3, -6, -7, -8, -9, -10


def header(mb, me, kind, length):
    flags = (0x80 if mb else 0) | (0x40 if me else 0)
    return struct.pack(">IHBBQ128s", 0x456789AB, 1, flags, 0, length, kind.encode())


def padding(length):
    return -length % 8


class Writer:
    """The calls that write, as the documentation of lime_writer.h has them."""

    def __init__(self):
        self.file, self.position = bytearray(), 0
        self.begun = self.open = self.ended = False
        self.start = self.length = self.at = self.due = 0

    def put(self, data):
        if not data:
            return  # a place without bytes does not make a file longer
        self.file.extend(bytes(max(0, self.position + len(data) - len(self.file))))
        self.file[self.position:self.position + len(data)] = data
        self.position += len(data)

    @property
    def end(self):
        return self.start + self.length

    def pad(self):
        self.position = self.end
        self.put(bytes(padding(self.length)))
        self.open = False

    def close(self):
        if self.open:
            self.pad()
        if self.begun:
            self.position, self.at = self.end + padding(self.length), self.length
        return [SUCCESS, self.position]

    def head(self, mb, me, kind, length):
        if self.open and self.length:
            return [HEADER_NEXT, self.position]
        if self.begun and self.ended != bool(mb):
            return [MBME, self.position]
        if self.open or self.at != self.length:
            self.close()
        self.put(header(mb, me, kind, length))
        self.begun = self.open = True
        self.ended, self.start, self.length, self.at, self.due = bool(me), self.position, length, 0, length
        return [SUCCESS, self.position]

    def data(self, count, byte):
        if not self.open and self.at == self.length:
            return [0, PARAM, self.position]
        was_open = self.open
        if not was_open:
            self.position = self.start + self.at
        count = min(count, self.length - self.at)
        self.put(bytes([byte]) * count)
        self.at += count
        self.due -= min(count, self.due)
        if was_open and self.due == 0:
            self.pad()
        elif not was_open:
            self.position = self.end + padding(self.length)
        return [count, SUCCESS, self.position]

    def seek(self, offset, relative):
        target = offset + (self.at if relative else 0)
        inside = 0 <= target <= self.length
        if self.begun:
            self.at = min(max(target, 0), self.length)
            closed_end = not self.open and self.at == self.length
            self.position = self.start + self.at + (padding(self.length) if closed_end else 0)
        return [SUCCESS if inside else SEEK, self.position]


class Reader:
    """The calls that read, as the documentation of lime_reader.h has them."""

    def __init__(self, file):
        self.file, self.position, self.record, self.first = bytes(file), 0, None, True
        self.start = self.length = self.at = 0

    @property
    def next_header(self):
        return self.start + self.length + padding(self.length)

    def stand_at(self, at):
        self.at = at
        self.position = self.next_header if at == self.length else self.start + at

    def next(self):
        if not self.first:
            self.stand_at(self.length)
        head = self.file[self.position:self.position + 144]
        code = SUCCESS
        if len(head) < 144:
            self.record, code = None, EOF
        else:
            _, _, flags, _, self.length, kind = struct.unpack(">IHBBQ128s", head)
            self.position += 144
            self.start, self.at, self.first = self.position, 0, False
            self.record = [kind.rstrip(b"\0").decode(), flags >> 7, flags >> 6 & 1, self.length, padding(self.length)]
        return (self.record or ["-", -1, -1, 0, 0]) + [code, self.position]

    def data(self, count):
        if self.at >= self.length:
            return [count, ".", EOR, self.position]
        wanted = self.file[self.position:self.position + min(count, self.length - self.at)]
        self.at += len(wanted)
        self.position += len(wanted)
        return [len(wanted), wanted.hex() + ".", SUCCESS, self.position]

    def seek(self, offset, relative):
        target = offset + (self.at if relative else 0)
        if not self.first:
            self.stand_at(min(max(target, 0), self.length))
        return [SUCCESS if 0 <= target <= self.length else SEEK, self.position]

    def close(self):
        if not self.first:
            self.stand_at(self.length)
        return [SUCCESS, self.position]

    def set_pointer(self, offset):
        self.__init__(self.file)
        self.position = offset
        return [SUCCESS, offset]

    def pointer(self):
        return [self.position if self.first else self.next_header, self.position]


def writing_program(rng, model):
    """Lines for the driver, with what they must answer; mostly sensible, sometimes not."""
    for _ in range(rng.randrange(1, 40)):
        choice = rng.random()
        if choice < 0.3:
            mb = model.ended if model.begun and rng.random() < 0.9 else rng.random() < 0.5
            call = (int(mb), rng.randrange(2), rng.choice(["a", "xlf-info", "t" * 127]), rng.choice([0, 1, 5, 8, 9, 40]))
            yield "H %d %d %s %d" % call, model.head(*call)
        elif choice < 0.65:
            call = (rng.choice([0, 1, 3, 8, 50]), rng.randrange(1, 256))
            yield "D %d %d" % call, model.data(*call)
        elif choice < 0.85:
            call = (rng.randrange(-10, 45), rng.randrange(2))
            yield "S %d %d" % call, model.seek(*call)
        else:
            yield "C", model.close()


def reading_program(rng, model, starts):
    for _ in range(rng.randrange(1, 60)):
        choice = rng.random()
        if choice < 0.35:
            yield "n", model.next()
        elif choice < 0.65:
            call = rng.choice([0, 1, 3, 8, 50])
            yield f"d {call}", model.data(call)
        elif choice < 0.8:
            call = (rng.randrange(-10, 45), rng.randrange(2))
            yield "s %d %d" % call, model.seek(*call)
        elif choice < 0.88:
            yield "c", model.close()
        elif choice < 0.94:
            yield "g", model.pointer()
        else:
            call = rng.choice(starts)
            yield f"p {call}", model.set_pointer(call)


def random_file(rng):
    """A file of whole records, and where they begin."""
    file, starts, begins = b"", [], True
    for number in range(rng.randrange(1, 6)):
        starts.append(len(file))
        length, ends = rng.choice([0, 1, 7, 8, 30]), rng.random() < 0.5
        payload = bytes(rng.randrange(256) for _ in range(length))
        file += header(begins, ends, f"type-{number}", length) + payload + bytes(padding(length))
        begins = ends
    return file, starts


class RandomPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-lime-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "file.lime"

    def agree(self, seed, mode, program):
        lines, expected = [f"{mode} {self.path}"], [[0, 0]]
        for line, answer in program:
            lines.append(line)
            expected.append(answer)
        done = subprocess.run([OPTIONS.driver], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")  # the library never prints
        found = done.stdout.splitlines()
        for number, (line, answer) in enumerate(zip(lines, expected)):
            self.assertEqual(found[number], " ".join(map(str, answer)), f"seed {seed}: {lines[:number + 1]}")
        self.assertEqual(len(found), len(lines))

    def test_writers_do_what_is_documented(self):
        for seed in range(OPTIONS.programs):
            rng, model = random.Random(seed), Writer()
            self.agree(seed, "W", writing_program(rng, model))
            self.assertEqual(self.path.read_bytes().hex(" ", 8), model.file.hex(" ", 8), f"seed {seed}")

    def test_readers_do_what_is_documented(self):
        for seed in range(OPTIONS.programs):
            rng = random.Random(seed)
            file, starts = random_file(rng)
            self.path.write_bytes(file)
            self.agree(seed, "R", reading_program(rng, Reader(file), starts))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True)
    parser.add_argument("--programs", type=int, default=300)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
