#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes tests/golden/bad/sion: multifiles of tests/golden/good/sion with one defect each. NAME.expect contains the expected
# result of a reader:
#   rule NAME    the first error is of this rule
#   code NAME    and has this code
# Offsets follow docs/formats/sion.md and are computed here from the header only.
"""usage: make_golden_sion.py [--check]"""
import pathlib
import struct
import sys

from made_files import keep

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
GOOD, BAD = GOLDEN / "good" / "sion", GOLDEN / "bad" / "sion"
SINGLE, SET, KEYS = "v09_serial.sion", "v02_2files_5tasks.sion", "v05_keyval.sion"


class File:
    """A physical file of the good ones, to be damaged."""

    def __init__(self, name):
        self.bytes = bytearray((GOOD / name).read_bytes())
        self.big = self.bytes[4] == 1
        self.tasks = self.get("i", 24)
        self.closing = 1076 + 16 * self.tasks
        self.blocks = self.get("i", self.closing)
        self.mb2 = self.get("q", self.closing + 4)
        self.map = self.mb2 + 8 * self.tasks * (1 + self.blocks)

    def get(self, kind, offset):
        return struct.unpack_from((">" if self.big else "<") + kind, self.bytes, offset)[0]

    def put(self, kind, offset, value):
        struct.pack_into((">" if self.big else "<") + kind, self.bytes, offset, value)
        return self

    def cut(self, size):
        del self.bytes[size:]
        return self

    def width(self, task):
        return 1076 + 8 * self.tasks + 8 * task

    def used(self, chunk, task):
        return self.mb2 + 8 * self.tasks * (1 + chunk) + 8 * task


def single():
    return File(SINGLE)


def defects():
    """name, rule, code, file (and the other files of its set)."""
    f = single()
    yield "magic_only", "sion-head-truncated", "truncated", f.cut(4)
    yield "cut_in_the_prefix", "sion-head-truncated", "truncated", single().cut(500)
    yield "cut_in_the_tables", "sion-head-truncated", "truncated", single().cut(1100)
    yield "order_of_no_machine", "sion-byte-order", "malformed", single().put("B", 5, 1)
    yield "order_2", "sion-byte-order", "malformed", single().put("I", 4, 0x02020202)
    yield "version_1", "sion-version", "unsupported", single().put("i", 16, 1)
    yield "block_size_0", "sion-block-size", "malformed", single().put("i", 20, 0)
    yield "block_size_negative", "sion-block-size", "malformed", single().put("i", 20, -512)
    yield "no_task", "sion-tasks", "malformed", single().put("i", 24, 0)
    yield "tasks_near_2_31", "sion-head-truncated", "truncated", single().put("i", 24, 2**31 - 1)
    yield "no_file", "sion-files", "malformed", single().put("i", 28, 0)
    yield "file_number_beyond_the_set", "sion-file-number", "malformed", single().put("i", 32, 2)
    yield "files_near_2_31", "sion-set-missing", "not_found", File(SET).put("i", 28, 2**31 - 1)
    f = single()
    yield "width_negative", "sion-chunk-width", "malformed", f.put("q", f.width(1), -1)
    f = single()
    yield "width_2_63", "sion-geometry", "malformed", f.put("q", f.width(1), 2**63 - 1)
    f = single()
    yield "width_other_than_written", "sion-tail-offset", "malformed", f.put("q", f.width(2), 2048)
    f = single()
    yield "not_closed", "sion-unclosed", "truncated", f.put("i", f.closing, 0).put("q", f.closing + 4, 0)
    f = single()
    yield "cut_before_the_closing_fields", "sion-unclosed", "truncated", f.cut(f.closing)
    f = single()
    yield "chunks_negative", "sion-max-chunks", "malformed", f.put("i", f.closing, -2)
    f = single()
    yield "chunks_near_2_31", "sion-tail-offset", "malformed", f.put("i", f.closing, 2**31 - 1)
    f = single()
    yield "tail_negative", "sion-tail-offset", "malformed", f.put("q", f.closing + 4, -1)
    f = single()
    yield "tail_elsewhere", "sion-tail-offset", "malformed", f.put("q", f.closing + 4, f.mb2 + 512)
    f = single()
    yield "tail_is_cut_off", "sion-tail-truncated", "truncated", f.cut(f.mb2)
    f = single()
    yield "tail_is_cut_short", "sion-tail-truncated", "truncated", f.cut(len(f.bytes) - 8)
    f = single()
    yield "count_0", "sion-chunk-count", "malformed", f.put("q", f.mb2, 0)
    f = single()
    yield "count_above_the_maximum", "sion-chunk-count", "malformed", f.put("q", f.mb2, f.blocks + 1)
    f = single()
    yield "count_2_62", "sion-chunk-count", "malformed", f.put("q", f.mb2, 2**62)
    f = single()
    yield "used_negative", "sion-chunk-used", "malformed", f.put("q", f.used(0, 0), -1)
    f = single()
    yield "used_more_than_the_width", "sion-chunk-used", "malformed", f.put("q", f.used(1, 1), 769)
    f = File(KEYS)
    yield "record_longer_than_the_stream", "sion-key-value", "malformed", f.put("q", 0x508, 2**63 - 1)
    f = File(KEYS)
    yield "stream_ends_in_a_header", "sion-key-value", "malformed", f.put("q", f.used(1, 0), 0).put("q", f.used(0, 0), 70)
    yield "set_without_its_second_file", "sion-set-missing", "not_found", File(SET)
    second = File(SET + ".000001")
    f = File(SET)
    yield "map_too_short", "sion-map", "malformed", (f.put("i", f.map, 4), second)
    f = File(SET)
    yield "map_of_nothing", "sion-map-size", "malformed", (f.put("i", f.map, 0), second)
    f = File(SET)
    yield "map_of_2_31", "sion-tail-truncated", "truncated", (f.put("i", f.map, 2**31 - 1), second)
    f = File(SET)
    yield "map_names_a_task_twice", "sion-map", "malformed", (f.put("i", f.map + 4 + 8 + 4, 0), second)
    f = File(SET)
    yield "map_names_no_file", "sion-map", "malformed", (f.put("i", f.map + 4 + 16, 2), second)
    f = File(SET)
    yield "map_names_no_task", "sion-map", "malformed", (f.put("i", f.map + 4 + 32 + 4, -1), second)
    yield "first_file_twice", "sion-set-order", "malformed", (File(SET), File(SET))
    yield "second_file_of_another_block_size", "sion-set-generation", "malformed", (
        File(SET), File(SET + ".000001").put("i", 20, 768))
    yield "second_file_of_another_name", "sion-set-generation", "malformed", (
        File(SET), File(SET + ".000001").put("B", 52, ord("w")))
    yield "second_file_of_other_ranks", "sion-map", "malformed", (
        File(SET), File(SET + ".000001").put("q", 1076, 7))


def outputs():
    """{file name: bytes}"""
    made = {}
    for name, rule, code, files in defects():
        for k, file in enumerate(files if isinstance(files, tuple) else (files,)):
            made[name + ".sion" + (f".{k:06}" if k else "")] = bytes(file.bytes)
        made[name + ".expect"] = f"rule {rule}\ncode {code}\n".encode()
    return made


def main():
    return keep(outputs(), BAD, BAD.iterdir() if BAD.is_dir() else [])


if __name__ == "__main__":
    sys.exit(main())
