# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Parity next to files: against a reader of sidecars that is written from docs/formats/parity.md alone, and every damage
in every format, with and without a sidecar."""

import contextlib
import os
import pathlib
import random
import shutil
import struct
import subprocess
import time
import zlib

import numpy as np
import pytest
from conftest import random_links
from plain_parity import Sidecar, block_sum, xxh64

import limequat as lq


def flip(path, offset, value=0x40):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ value]))


def random_file(path, size, seed=0):
    path.write_bytes(random.Random(seed).randbytes(size))
    return path


def test_the_plain_reader_has_the_published_sums():
    assert xxh64(b"") == 0xEF46DB3751D8E999 and xxh64(b"abc") == 0x44BC2CF5AD770999
    assert xxh64(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1
    assert block_sum(b"123456789")[0] == 0xCBF43926


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 60_000, 200_001])
@pytest.mark.parametrize("parity", ["1%", "3%", "20%"])
def test_a_second_decoder_restores_a_file(tmp_path, size, parity):
    path = random_file(tmp_path / "blob.bin", size)
    original = path.read_bytes()
    answer = lq.protect(path, parity=parity)
    assert answer["sidecars"] == [f"{path}.lq-parity"] and answer["ok"]
    assert answer["sidecar_bytes"] == os.path.getsize(answer["sidecars"][0])
    sidecar = Sidecar(answer["sidecars"][0])
    assert sidecar.restore([original]) == [original]
    damaged = bytearray(original)
    stretch = min(answer["stretch_bytes"], size // 2)  # a file of which most is another one was written anew
    begin = (size - stretch) // 2
    damaged[begin:begin + stretch] = bytes(byte ^ 0xFF for byte in damaged[begin:begin + stretch])
    assert sidecar.restore([bytes(damaged)]) == [original]
    assert sidecar.restore([bytes(damaged[:begin + stretch])]) == [original] or begin + stretch < size
    if stretch:
        path.write_bytes(damaged)
        assert lq.repair(path, tmp_path / "again.bin")["needed"]
        assert (tmp_path / "again.bin").read_bytes() == original


@pytest.mark.parametrize("count", [2, 5, 63])
def test_a_second_decoder_restores_any_two_lost_files(tmp_path, count):
    folder = tmp_path / "set"
    folder.mkdir()
    for i in range(count):
        random_file(folder / f"f{i:02}.bin", 2000 + 37 * i, seed=i)
    answer = lq.protect(folder)
    assert answer["sidecars"] == [f"{folder}/files.set.lq-parity"]
    sidecar = Sidecar(answer["sidecars"][0])
    originals = [(folder / file["name"]).read_bytes() for file in sidecar.files]
    assert len(originals) == count
    for lost in ((0, 1), (count - 1, count // 2)):
        contents = [None if i in lost else data for i, data in enumerate(originals)]
        assert sidecar.restore(contents) == originals
    names = [folder / sidecar.files[i]["name"] for i in (0, count - 1)]
    for name in names:
        name.rename(tmp_path / name.name)
    assert not lq.protect(folder, check=True)["ok"]
    for name in names:
        lq.repair(name, "")
        assert name.read_bytes() == (tmp_path / name.name).read_bytes()
    assert lq.protect(folder, check=True)["ok"]


FORMATS = {"exact.ildg": {}, "weak.nersc": {"format": "nersc"}, "value.openqcd": {"format": "openqcd"},
           "value.hirep": {"format": "hirep"}, "none.fnal": {"format": "fnal"}, "hdf5.h5": {}, "plain.h5": {"verify": "none"}}


def write_formats(folder):
    """A file of each sort of sums, by name."""
    for name, options in FORMATS.items():
        lq.write(folder / name, random_links((6, 4, 4, 4, 4)), **options)
    return {name: folder / name for name in FORMATS}


def older_bytes(folder, name):
    """The file that had the name before, of the same form."""
    lq.write(folder / f"older.{name}", random_links((6, 4, 4, 4, 4), seed=2), **{"format": name.rsplit(".")[1].replace("h5", "hdf5"), **FORMATS[name]})
    return (folder / f"older.{name}").read_bytes()


def sites_of(path):
    field = lq.inspect(path)["fields"][0]
    return field["offset"], field["length"]


DAMAGES = {
    "a bit flips in the data": lambda d, b, n, o: d[:b + n // 2] + bytes([d[b + n // 2] ^ 1]) + d[b + n // 2 + 1:],
    "two sites are exchanged": lambda d, b, n, o: d[:b] + d[b + 576:b + 1152] + d[b:b + 576] + d[b + 1152:],
    "two words are exchanged": lambda d, b, n, o: d[:b] + d[b + 8:b + 16] + d[b:b + 8] + d[b + 16:],
    "slices are exchanged": lambda d, b, n, o: d[:b] + d[b + n // 2:b + n // 2 + n // 4] + d[b + n // 4:b + n // 2] + d[b:b + n // 4] + d[b + 3 * n // 4:],
    "bytes are repeated": lambda d, b, n, o: d[:b + 4096] + d[b:b + 1000] + d[b + 5096:],
    "an old block comes back": lambda d, b, n, o: d[:b + 4096] + o[b + 4096:b + 5120] + d[b + 5120:],
    "a block of zeros": lambda d, b, n, o: d[:b + 2048] + bytes(512) + d[b + 2560:],
    "the end is lost": lambda d, b, n, o: d[:-700],
    "bytes behind the end": lambda d, b, n, o: d + b"\0" * 13,
    "a bit flips in the header": lambda d, b, n, o: d[:40] + bytes([d[40] ^ 4]) + d[41:],
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_damage_is_found_with_a_sidecar_and_comes_back(tmp_path, name):
    path = write_formats(tmp_path)[name]
    original = path.read_bytes()
    begin, length = sites_of(path)
    old = older_bytes(tmp_path, name)
    lq.protect(path, parity="60%")
    answer = lq.verify(path)
    assert answer.ok and answer.verdict == "sound", answer
    for number, (damage, change) in enumerate(DAMAGES.items()):
        changed = change(original, begin, length, old)
        assert changed != original, damage
        path.write_bytes(changed)
        try:
            assert not lq.verify(path).ok, damage
        except lq.Error as error:  # the header does not say any more what it is
            assert "can be restored from" in str(error), damage
        report = lq.protect(path, check=True)
        assert [file["state"] for file in report["files"]] == ["damaged"], damage
        back = tmp_path / f"back{number}{path.suffix}"
        lq.repair(path, back)
        assert back.read_bytes() == original, damage
        path.write_bytes(original)
    assert lq.verify(path).verdict == "sound"


def documented():
    """The table of docs/guide/verifying.md: {damage: [word of each format, with a sidecar]}."""
    page = (pathlib.Path(__file__).parents[2] / "docs/guide/verifying.md").read_text()
    rows = page[page.index("### With a sidecar"):].split("\n\n")[2].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]
    return {row[0]: row[1:] for row in cells}


def test_the_table_of_the_guide_is_what_happens_without_a_sidecar(tmp_path):
    table = documented()
    assert list(table) == list(DAMAGES)
    for number, (name, path) in enumerate(write_formats(tmp_path).items()):
        original = path.read_bytes()
        begin, length = sites_of(path)
        old = older_bytes(tmp_path, name)
        for damage, change in DAMAGES.items():
            path.write_bytes(change(original, begin, length, old))
            try:
                verdict = lq.verify(path).verdict
            except lq.UnknownFormat:
                verdict = "foreign"
            assert {"sound": "not seen", "consistent": "not seen"}.get(verdict, verdict) == table[damage][number], (name, damage)
        path.write_bytes(original)


def test_a_file_that_was_written_anew_is_told_from_a_damaged_one(tmp_path):
    path = tmp_path / "conf.ildg"
    lq.write(path, random_links(seed=1))
    lq.protect(path)
    lq.write(path, random_links(seed=2), overwrite=True)
    report = lq.protect(path, check=True)
    assert report["files"][0]["state"] == "changed" and not report["ok"]
    answer = lq.verify(path)
    assert answer.ok and any(finding.rule == "parity-changed" for finding in answer.findings)
    assert not lq.repair(path, tmp_path / "old.ildg")["needed"]
    assert not (tmp_path / "old.ildg").exists()
    with pytest.raises(lq.Exists):
        lq.protect(path)
    lq.protect(path, overwrite=True)
    assert lq.protect(path, check=True)["ok"]


def test_one_link_changed_on_purpose_is_no_damage(tmp_path):
    """Nearly all blocks are as they were, but the file's own checksum is another one, and agrees."""
    links = random_links((8, 8, 4, 4, 4))
    path = tmp_path / "conf.ildg"
    lq.write(path, links)
    lq.protect(path)
    links[3, 2, 1, 0, 2] = links[0, 0, 0, 0, 0]
    lq.write(path, links, overwrite=True)
    report = lq.protect(path, check=True)
    assert report["files"][0]["state"] == "changed"
    # And the same damage without a new checksum is damage.
    lq.protect(path, overwrite=True)
    begin, _ = sites_of(path)
    flip(path, begin + 100)
    assert lq.protect(path, check=True)["files"][0]["state"] == "damaged"


@pytest.mark.parametrize("name", ["exact.ildg", "hdf5.h5", "plain.h5"])
def test_bytes_behind_the_end_do_not_hide_other_damage(tmp_path, name):
    """No sum of the file sees either; both together are no new file."""
    path = write_formats(tmp_path)[name]
    original = path.read_bytes()
    begin, length = sites_of(path)
    lq.protect(path, parity="60%")
    place = 40 if name == "exact.ildg" else begin + length // 2 + 7
    path.write_bytes(original[:place] + bytes([original[place] ^ 4]) + original[place + 1:] + bytes(13))
    answer = lq.verify(path)
    assert answer.verdict == "damaged", answer
    lq.repair(path, tmp_path / f"back{path.suffix}")
    assert (tmp_path / f"back{path.suffix}").read_bytes() == original


def test_more_damage_than_parity_is_named_exactly(tmp_path):
    path = random_file(tmp_path / "blob.bin", 100_000)
    original = path.read_bytes()
    lq.protect(path)
    sidecar = Sidecar(f"{path}.lq-parity")
    column = sidecar.rows * sidecar.block
    hit = [5, 5 + column, 5 + 2 * column, 70_000 + sidecar.block]
    for offset in hit:
        flip(path, offset)
    assert sidecar.restore([path.read_bytes()]) == [None]
    report = lq.protect(path, check=True)["files"][0]
    assert report["state"] == "lost"
    blocks = [offset // sidecar.block * sidecar.block for offset in hit]
    named = [offset for item in report["damaged"] for offset in range(item["offset"], item["offset"] + item["length"], sidecar.block)]
    lost = [offset for item in report["lost"] for offset in range(item["offset"], item["offset"] + item["length"], sidecar.block)]
    assert named == blocks and lost == blocks[:3]
    with pytest.raises(lq.ChecksumError, match=f"bytes {blocks[0]} to {blocks[0] + sidecar.block - 1}"):
        lq.repair(path, tmp_path / "out.bin")
    assert not (tmp_path / "out.bin").exists()
    for offset in hit[1:]:
        flip(path, offset)
    lq.repair(path, tmp_path / "out.bin")
    assert (tmp_path / "out.bin").read_bytes() == original


def test_no_parity_is_made_of_damaged_data(tmp_path, gauge_file):
    begin, length = sites_of(gauge_file)
    flip(gauge_file, begin + length // 2)
    with pytest.raises(lq.ChecksumError, match="no sidecar is written"):
        lq.protect(gauge_file)
    assert not os.path.exists(f"{gauge_file}.lq-parity")
    os.truncate(gauge_file, begin + length // 2)
    with pytest.raises(lq.Error):
        lq.protect(gauge_file)
    assert not os.path.exists(f"{gauge_file}.lq-parity")


def test_files_that_nothing_proves_are_protected_and_named(tmp_path):
    path = random_file(tmp_path / "blob.bin", 3000)
    answer = lq.protect(path)
    assert [finding["rule"] for finding in answer["findings"]] == ["protect-unproven"]


def test_a_damaged_sidecar_is_named_and_serves(tmp_path, gauge_file):
    original = open(gauge_file, "rb").read()
    lq.protect(gauge_file)
    sidecar = f"{gauge_file}.lq-parity"
    whole = open(sidecar, "rb").read()
    begin, length = sites_of(gauge_file)
    for offset in (0, 70, len(whole) // 2, len(whole) - 3):
        flip(sidecar, offset)
        answer = lq.verify(gauge_file)
        assert answer.ok and any(finding.rule == "parity-sidecar-damaged" for finding in answer.findings)
        assert not lq.protect(gauge_file, check=True)["ok"]
        flip(gauge_file, begin + length // 3)
        lq.repair(gauge_file, tmp_path / f"back{offset}")
        assert (tmp_path / f"back{offset}").read_bytes() == original
        open(sidecar, "wb").write(whole)
        open(gauge_file, "wb").write(original)
    open(sidecar, "wb").write(b"\0" * len(whole))
    answer = lq.verify(gauge_file)
    assert answer.ok and any(finding.rule == "parity-unreadable" for finding in answer.findings)


def test_a_sidecar_goes_with_its_file(tmp_path, gauge_file):
    lq.protect(gauge_file)
    copy = tmp_path / "elsewhere" / "renamed.ildg"
    copy.parent.mkdir()
    answer = lq.copy(gauge_file, copy)
    assert sorted(answer["files"]) == [str(copy), f"{copy}.lq-parity"]
    begin, length = sites_of(copy)
    flip(copy, begin + length // 2)
    lq.repair(copy, tmp_path / "back.ildg")
    assert (tmp_path / "back.ildg").read_bytes() == open(gauge_file, "rb").read()
    shutil.copytree(copy.parent, tmp_path / "third")
    assert lq.protect(tmp_path / "third", check=True)["files"][0]["state"] == "damaged"


def test_the_files_of_a_set_have_one_sidecar(tmp_path, gauge_file):
    """Any two of a description and its subfiles may be lost."""
    lq.repartition(gauge_file, tmp_path / "conf.set", to="x=block:2")
    names = sorted(name for name in os.listdir(tmp_path) if name.startswith("conf.set"))
    assert len(names) == 3
    answer = lq.protect(tmp_path / "conf.set")
    assert answer["sidecars"] == [str(tmp_path / "conf.set.set.lq-parity")] and len(answer["files"]) == 3
    assert lq.verify(tmp_path / "conf.set").ok
    originals = {name: (tmp_path / name).read_bytes() for name in names}
    for name in names:
        flip(tmp_path / name, len(originals[name]) // 2)
        try:
            assert not lq.verify(tmp_path / "conf.set").ok
        except lq.Error:
            pass
        (tmp_path / name).write_bytes(originals[name])
    sidecar = Sidecar(answer["sidecars"][0])
    contents = [None, None, originals[sidecar.files[2]["name"]]]
    assert sidecar.restore(contents) == [originals[file["name"]] for file in sidecar.files]


def test_options_that_cannot_be(tmp_path):
    path = random_file(tmp_path / "blob.bin", 3000)
    for parity in ("0%", "200%", "much", "%", "-3%", "nan"):
        with pytest.raises(lq.InvalidArgument):
            lq.protect(path, parity=parity)
    with pytest.raises(lq.NotFound):
        lq.protect(tmp_path / "none")
    with pytest.raises(lq.InvalidArgument):
        lq.protect([])
    lq.protect(path)
    with pytest.raises(lq.InvalidArgument, match="sidecar"):
        lq.protect(f"{path}.lq-parity")
    (tmp_path / "empty").mkdir()
    with pytest.raises(lq.NotFound):
        lq.protect(tmp_path / "empty")
    (tmp_path / "other").mkdir()
    other = random_file(tmp_path / "other" / "x.bin", 10)
    with pytest.raises(lq.InvalidArgument, match="folder"):
        lq.protect([path, other], together=True)


def test_several_files_by_name_have_their_own_sidecars_or_one_together(tmp_path):
    paths = [random_file(tmp_path / f"{i}.bin", 4000 + i, seed=i) for i in range(4)]
    assert lq.protect(paths)["sidecars"] == [f"{path}.lq-parity" for path in paths]
    for path in paths:
        os.remove(f"{path}.lq-parity")
    answer = lq.protect(paths[:3], together=True, lost_files=1)
    assert answer["sidecars"] == [str(tmp_path / "files.set.lq-parity")]
    assert Sidecar(answer["sidecars"][0]).parities == 1
    original = paths[1].read_bytes()
    os.remove(paths[1])
    lq.repair(paths[1], "")
    assert paths[1].read_bytes() == original
    assert lq.protect(paths[3], check=True)["files"][0]["state"] == "unprotected"


def test_damage_alone_costs_no_more_for_several_files(tmp_path):
    paths = [random_file(tmp_path / f"{i}.bin", 40_000, seed=i) for i in range(4)]
    lq.protect(paths, together=True, lost_files=0)
    sidecar = tmp_path / "files.set.lq-parity"
    assert sidecar.stat().st_size < 0.09 * 160_000
    originals = [path.read_bytes() for path in paths]
    flip(paths[2], 12345)
    contents = [(tmp_path / file["name"]).read_bytes() for file in Sidecar(str(sidecar)).files]
    assert Sidecar(str(sidecar)).restore(contents) == originals
    lq.repair(paths[2], tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == originals[2]


def test_hundreds_of_damages_come_back_or_are_named(tmp_path):
    """The second decoder and the library say the same of each."""
    path = random_file(tmp_path / "blob.bin", 30_000)
    original = path.read_bytes()
    lq.protect(path, parity="10%")
    whole = open(f"{path}.lq-parity", "rb").read()
    rng = np.random.default_rng(5)
    restored = lost = 0
    for number in range(150):
        for _ in range(rng.integers(1, 12)):
            offset = int(rng.integers(0, len(original)))
            for at in range(offset, min(len(original), offset + int(rng.choice([1, 1, 500, 3000])))):
                flip(path, at) if rng.random() < 0.2 else None
        if rng.random() < 0.5:
            flip(f"{path}.lq-parity", int(rng.integers(200, len(whole) - 200)))
        now = path.read_bytes()
        (expected,) = Sidecar(f"{path}.lq-parity").restore([now])
        out = tmp_path / f"out{number}"
        try:
            lq.repair(path, out)
            assert expected == original == (out.read_bytes() if out.exists() else now)
            restored += 1
        except lq.ChecksumError:  # or so much of it that it was written anew
            assert expected is None and not out.exists()
            lost += 1
        path.write_bytes(original)
        open(f"{path}.lq-parity", "wb").write(whole)
    assert restored > 20 and lost > 5


def test_a_killed_protect_leaves_the_old_sidecar_or_the_new_one(tmp_path):
    """Whenever it is killed, what has the name is whole."""
    path = random_file(tmp_path / "blob.bin", 6_000_000)
    lq.protect(path, parity="5%")
    sidecar = f"{path}.lq-parity"
    old = open(sidecar, "rb").read()
    program = os.environ.get("LQ_PROGRAM", "lq")
    command = [program, "protect", "--overwrite", "--parity", "50%", "-q", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    new = open(sidecar, "rb").read()
    assert old != new
    seen = set()
    for number in range(25):
        open(sidecar, "wb").write(old)
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.004 * number)
        running.kill()
        running.wait()
        seen.add(open(sidecar, "rb").read() == new)
        assert open(sidecar, "rb").read() in (old, new)
        assert lq.protect(path, check=True)["ok"]
    assert False in seen


def test_index_scrub_and_report_know_sidecars(tmp_path):
    folder, db = tmp_path / "run", tmp_path / "a.db"
    folder.mkdir()
    for i in range(3):
        lq.write(folder / f"conf.{i}.ildg", random_links(seed=i))
    lq.protect([folder / "conf.0.ildg", folder / "conf.1.ildg"])
    answer = lq.index(folder, db=db)
    assert answer["files"] == 3 and not answer["strangers"]
    protected = [os.path.basename(row["path"]) for row in lq.find("parity", db=db)]
    assert sorted(protected) == ["conf.0.ildg", "conf.1.ildg"]
    os.remove(folder / "conf.1.ildg.lq-parity")
    lq.protect(folder)
    lq.index(folder, db=db)
    assert len(list(lq.find("parity", db=db))) == 3
    lq.report_page(folder, tmp_path / "page.html", db=db)
    assert "protected by parity" in (tmp_path / "page.html").read_text()
    assert not lq.scrub(db=db)["failed"]
    flip(folder / "conf.0.ildg.lq-parity", 3000)
    failed = lq.scrub(db=db)["failed"]
    assert len(failed) == 1 and "sidecar" in failed[0]["sentence"]
    flip(folder / "conf.0.ildg.lq-parity", 3000)
    begin, length = sites_of(folder / "conf.2.ildg")
    flip(folder / "conf.2.ildg", begin + length // 2)
    failed = lq.scrub(db=db)["failed"]
    assert [os.path.basename(one["path"]) for one in failed] == ["conf.2.ildg"]
    os.remove(folder / "files.set.lq-parity")
    lq.index(folder, db=db)
    assert [os.path.basename(row["path"]) for row in lq.find("parity", db=db)] == ["conf.0.ildg"]
    assert not lq.verify_below(folder)["strangers"]


def subfiles(folder, name):
    return sorted(entry for entry in os.listdir(folder) if entry.startswith(f"{name}.") and "lq-parity" not in entry)


def test_lost_and_damaged_parts_of_a_set_come_back(tmp_path, gauge_file):
    """By the name of the set, and by their own."""
    path = tmp_path / "conf.set"
    lq.repartition(gauge_file, path, to="x=block:2")
    parts = subfiles(tmp_path, "conf.set")
    originals = {name: (tmp_path / name).read_bytes() for name in parts}
    lq.protect(path)
    for name in parts:
        (tmp_path / name).unlink()
        with pytest.raises(lq.NotFound, match="restores it"):
            lq.verify(path)
        assert [file["state"] for file in lq.protect(path, check=True)["files"] if file["missing"]] == ["damaged"]
        with pytest.raises(lq.NotFound, match="conf.set"):
            lq.repair(path, tmp_path / "other.ildg")
        assert not (tmp_path / "other.ildg").exists()
        lq.repair(tmp_path / name, "")
        assert (tmp_path / name).read_bytes() == originals[name]
        flip(tmp_path / name, 1000)
        assert [file["state"] for file in lq.protect(path, check=True)["files"]].count("damaged") == 1
        lq.repair(tmp_path / name, tmp_path / "back")
        assert (tmp_path / "back").read_bytes() == originals[name]
        (tmp_path / "back").rename(tmp_path / name)
    for name in parts:
        (tmp_path / name).unlink()
    assert sorted(lq.repair(path, "")["files"]) == [str(tmp_path / name) for name in parts]
    assert {name: (tmp_path / name).read_bytes() for name in parts} == originals
    assert lq.verify(path).verdict == "sound"


def test_a_set_that_was_written_anew_is_changed_and_not_damaged(tmp_path, gauge_file):
    path = tmp_path / "conf.set"
    lq.repartition(gauge_file, path, to="x=block:2")
    lq.protect(path)
    other = tmp_path / "other.ildg"
    lq.write(other, random_links(seed=77))
    for source, pieces in ((other, "x=block:2"), (other, "y=block:4")):  # other numbers, and the same in other pieces
        lq.repartition(source, path, to=pieces, overwrite=True)
        answer = lq.verify(path)
        assert answer.ok and all(finding.rule == "parity-changed" for finding in answer.findings), answer
        assert {file["state"] for file in lq.protect(path, check=True)["files"]} == {"changed"}
        assert not lq.repair(path, tmp_path / "old")["needed"]
        lq.protect(path, overwrite=True)
        assert lq.protect(path, check=True)["ok"] and lq.verify(path).verdict == "sound"
        # The same set damaged is damaged.
        flip(tmp_path / subfiles(tmp_path, "conf.set")[1], 1000)
        assert "damaged" in {file["state"] for file in lq.protect(path, check=True)["files"]}
        flip(tmp_path / subfiles(tmp_path, "conf.set")[1], 1000)


@pytest.mark.parametrize("format", ["openqcd", "hirep", "fnal", "nersc", "blob"])
@pytest.mark.parametrize("keeps_time", [True, False])
def test_no_new_sidecar_takes_damage_for_what_is_right(tmp_path, format, keeps_time):
    """Of files without sums of their own, or with weak ones that miss it, the old sidecar alone knows."""
    path = tmp_path / f"conf.{format}"
    if format == "blob":
        random_file(path, 50_000)
    else:
        links = random_links((4, 4, 4, 4, 4))
        links[:, :, :, :, :, 0, 1] = 0.25  # no links that physics would know
        lq.write(path, links, format=format)
    original, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    lq.protect(path)
    sidecar = open(f"{path}.lq-parity", "rb").read()
    flip(path, 30_003, 1)
    if keeps_time:
        os.utime(path, ns=times)
    with pytest.raises(lq.ChecksumError, match="accept_damage=True|checksum"):
        lq.protect(path, overwrite=True)
    with pytest.raises(lq.ChecksumError):  # a new one for the folder would be as wrong
        lq.protect([path, random_file(tmp_path / "other.bin", 100)], together=True)
    assert open(f"{path}.lq-parity", "rb").read() == sidecar
    lq.repair(path, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == original
    if format != "nersc":
        answer = lq.protect(path, overwrite=True, accept_damage=True)
        assert "protect-differs" in [finding["rule"] for finding in answer["findings"]]
        assert lq.protect(path, check=True)["ok"]


def test_missing_files_that_come_back_are_not_forgotten(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    paths = [random_file(folder / f"{i}.bin", 3000, seed=i) for i in range(4)]
    lq.protect(folder)
    original = paths[0].read_bytes()
    paths[0].unlink()
    with pytest.raises(lq.ChecksumError, match="accept_damage=True"):
        lq.protect(folder, overwrite=True)
    lq.repair(paths[0], "")
    assert paths[0].read_bytes() == original
    paths[0].unlink()
    answer = lq.protect(folder, overwrite=True, accept_damage=True)
    assert [finding["rule"] for finding in answer["findings"]].count("protect-dropped") == 1
    answer = lq.protect(paths[1:3], together=True, overwrite=True)
    assert [finding["message"] for finding in answer["findings"] if finding["rule"] == "protect-dropped"] == [
        f"{paths[3]}: {folder}/files.set.lq-parity protected this file, and no longer will"]


def test_a_text_that_was_edited_in_a_proven_file_is_protected_again(tmp_path):
    """Its numbers are those of its checksum, and it was written to; as rot of the same text it is refused."""
    path = tmp_path / "conf.ildg"
    lq.write(path, random_links(), metadata={"xlf-info": "beta = 6.0, date = 1"})
    times = path.stat().st_mtime_ns
    lq.protect(path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"date = 1", b"date = 2"))
    os.utime(path, ns=(times, times))
    with pytest.raises(lq.ChecksumError):
        lq.protect(path, overwrite=True)
    os.utime(path)
    assert "protect-differs" in [finding["rule"] for finding in lq.protect(path, overwrite=True)["findings"]]
    assert lq.verify(path).verdict == "sound"


def test_protecting_a_rescued_part_does_not_make_it_sound(tmp_path, gauge_file):
    begin, length = sites_of(gauge_file)
    os.truncate(gauge_file, begin + length // 2 + 100)
    part = tmp_path / "part.scidac"
    lq.repair(gauge_file, part)
    verdict = lq.verify(part).verdict
    assert verdict != "sound"
    lq.protect(part)
    answer = lq.verify(part)
    assert answer.verdict == verdict
    with pytest.raises(lq.Error) if verdict == "unproven" else contextlib.nullcontext():
        assert not lq.verify(part, require="sound").ok


def test_fewer_lost_files_than_asked_for_are_said(tmp_path):
    paths = [random_file(tmp_path / f"{i}.bin", 4000, seed=i) for i in range(3)]
    for many, had, rules in ((3, 3, []), (5, 3, ["protect-lost-files"])):
        answer = lq.protect(paths, together=True, lost_files=many, overwrite=True)
        assert answer["lost_files"] == had
        assert [finding["rule"] for finding in answer["findings"] if finding["severity"] == "warning"][3:] == rules
    answer = lq.protect(paths[0], lost_files=1)
    assert answer["lost_files"] == 0
    assert "protect-lost-files" in [finding["rule"] for finding in answer["findings"]]
    assert lq.protect(tmp_path, check=True)["lost_files"] == 0
    assert lq.protect(tmp_path / "files.set.lq-parity", check=True)["lost_files"] == 3


def test_a_copy_says_which_sidecar_stays_behind(tmp_path, gauge_file):
    folder, there = tmp_path / "run", tmp_path / "there"
    folder.mkdir(), there.mkdir()
    for i in range(3):
        random_file(folder / f"{i}.bin", 3000, seed=i)
    lq.protect(folder)
    def left(answer):
        return [finding["message"].split(" is omitted")[0] for finding in answer["findings"] if finding["rule"] == "copy-parity"]
    assert left(lq.copy(folder / "1.bin", there / "1.bin")) == [f"{folder}/files.set.lq-parity"]
    assert left(lq.copy([folder / "1.bin", folder / "2.bin"], there, overwrite=True)) == [f"{folder}/files.set.lq-parity"]
    assert left(lq.copy(folder, there, recursive=True)) == []
    assert (there / "run/files.set.lq-parity").exists()
    lq.repartition(gauge_file, tmp_path / "conf.set", to="x=block:2")
    lq.protect(tmp_path / "conf.set")
    part = subfiles(tmp_path, "conf.set")[0]
    assert left(lq.copy(tmp_path / part, there / part)) == [f"{tmp_path}/conf.set.set.lq-parity"]
    lq.protect(folder / "1.bin")  # its own sidecar goes along, and is as good
    assert left(lq.copy(folder / "1.bin", there / "own.bin")) == []


@pytest.mark.parametrize("name", ["a.ildg", "a.h5", "a.nersc", "a.openqcd", "parts.scidac", "a.fnal"])
def test_writing_protects_as_protect_does(tmp_path, name):
    """The same bytes, and what is damaged afterwards comes back."""
    path = tmp_path / name
    format = {"nersc": "nersc", "openqcd": "openqcd", "fnal": "fnal"}.get(name.split(".")[1])
    options = {"parts": "1x1x1x2", "format": "scidac"} if name.startswith("parts") else {"format": format} if format else {}
    lq.write(path, random_links((4, 4, 4, 4, 4)), protect="5%", **options)
    sidecars = [entry for entry in tmp_path.iterdir() if entry.name.endswith(".lq-parity")]
    assert len(sidecars) == 1
    whole = sidecars[0].read_bytes()
    files = sorted(entry for entry in tmp_path.iterdir() if entry not in sidecars)
    assert len(files) == (2 if name.startswith("parts") else 1)
    first = files[0]
    assert lq.verify(first).verdict == "sound" and lq.protect(first, check=True)["ok"]
    lq.protect(first, parity="5%", overwrite=True)
    assert sidecars[0].read_bytes() == whole
    originals = {file: file.read_bytes() for file in files}
    flip(files[-1], files[-1].stat().st_size // 2)
    lq.repair(files[-1], tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == originals[files[-1]]


def test_everything_that_writes_protects(tmp_path):
    links = random_links()
    ok = lambda path: lq.protect(path, check=True)["ok"]
    first = tmp_path / "first.ildg"
    lq.write(first, links, protect="3%")
    lq.convert(first, tmp_path / "second.h5", protect="10%")
    assert ok(tmp_path / "second.h5")
    with lq.create(tmp_path / "third.scidac", protect="3%") as file:
        file.write("u", links)
        file.write("v", links)
    assert ok(tmp_path / "third.scidac") and lq.verify(tmp_path / "third.scidac").verdict == "sound"
    lq.write_async(tmp_path / "fourth.ildg", links, protect="3%").wait()
    assert ok(tmp_path / "fourth.ildg")
    # A file that is replaced gets another sidecar, and is no longer what the first one says.
    lq.write(first, random_links(seed=9), overwrite=True, protect="3%")
    assert ok(first) and lq.verify(first).verdict == "sound"
    lq.write(first, links, overwrite=True)
    assert lq.protect(first, check=True)["files"][0]["state"] == "changed"


def test_what_cannot_be_protected_is_not_written(tmp_path):
    path, links = tmp_path / "conf.ildg", random_links()
    for parity in ("0%", "much", "101%"):
        with pytest.raises(lq.InvalidArgument, match="parity"):
            lq.write(path, links, protect=parity)
    (tmp_path / "conf.ildg.lq-parity").write_bytes(b"of a file that was lost")
    with pytest.raises(lq.Exists):
        lq.write(path, links, protect="3%")
    assert os.listdir(tmp_path) == ["conf.ildg.lq-parity"]
    with pytest.raises(TypeError, match="protect"):
        lq.modes.create(tmp_path / "set.modes", (4, 4, 4, 4), protect="3%")


def test_a_full_disk_leaves_the_file_and_no_half_a_sidecar(tmp_path):
    """By the limit on the size of files: the sidecar of 100% is larger than the file."""
    program = os.environ.get("LQ_PROGRAM", "lq")
    lq.write(tmp_path / "in.ildg", random_links((8, 4, 4, 4, 4)))
    size = (tmp_path / "in.ildg").stat().st_size
    limited = ["bash", "-c", f"ulimit -f {size // 1024 + 4}; exec {program} convert --protect 100% in.ildg out.ildg"]
    answer = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True)
    assert answer.returncode == 4 and "out.ildg is complete, but has no sidecar" in answer.stderr, answer
    assert sorted(os.listdir(tmp_path)) == ["in.ildg", "out.ildg"]
    assert lq.verify(tmp_path / "out.ildg").verdict == "sound"


def test_an_interrupted_append_is_recovered_before_the_sidecar_is_asked(tmp_path):
    """As tests/cli/repair_recovers_an_interrupted_append.sh makes it (docs/formats/journal.md)."""
    path = tmp_path / "conf.ildg"
    lq.write(path, random_links(), protect="3%")
    old = path.read_bytes()
    head = b"LQJOURN1" + struct.pack("<QI", len(old), zlib.crc32(old[:4096]))
    journal = tmp_path / ".conf.ildg.lq-journal"
    journal.write_bytes(head + struct.pack("<I", zlib.crc32(head)))
    with open(path, "ab") as file:
        file.write(b"half of a fie")
    assert lq.verify(path).verdict == "sound"
    lq.repair(path, tmp_path / "other.ildg")  # what readers see
    assert not (tmp_path / "other.ildg").exists() or (tmp_path / "other.ildg").read_bytes() == old
    assert lq.repair(path, "")["verdict"] == "sound"
    assert path.read_bytes() == old and not journal.exists() and lq.protect(path, check=True)["ok"]
    # One that was complete is kept, and the file is another one now.
    body = b"LQJOURN1" + struct.pack("<QI", len(old), zlib.crc32(old[:4096]))
    body += struct.pack("<I", zlib.crc32(body)) + struct.pack("<QQQQ", len(old) + 8, 1, 0, 4) + old[:4] + old[:4]
    journal.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    with open(path, "ab") as file:
        file.write(b"appended")
    lq.repair(path, "")
    assert path.read_bytes() == old + b"appended" and not journal.exists()


def test_links_that_are_off_in_their_last_digits_are_not_laundered(tmp_path):
    """Convert does not write a right checksum over links that verify doubts, as far as the length of their rows shows it."""
    rng = np.random.default_rng(8)
    for format in ("openqcd", "hirep", "ddalphaamg"):
        path = tmp_path / f"conf.{format}"
        lq.write(path, random_links((4, 4, 4, 4, 4)), format=format)
        original = path.read_bytes()
        doubted = passed = 0
        for number in range(60):
            begin, length = sites_of(path) if number == 0 else (begin, length)
            offset = begin + int(rng.integers(length // 8)) * 8 + (2 if format == "hirep" else 5)  # 2^-16 of it or more
            path.write_bytes(original[:offset] + bytes([original[offset] ^ 1 << int(rng.integers(8))]) + original[offset + 1:])
            try:
                verdict = lq.verify(path).verdict
            except lq.Error:
                continue
            if verdict == "consistent":
                continue
            doubted += 1
            out = tmp_path / f"{format}{number}.scidac"
            try:
                lq.convert(path, out)
            except lq.Error:
                continue
            passed += lq.verify(out).ok
        assert doubted > 10 and passed < doubted / 8, (format, doubted, passed)


def test_bytes_behind_the_end_of_an_hdf5_file_are_named(tmp_path):
    path = tmp_path / "conf.h5"
    lq.write(path, random_links())
    assert not lq.verify(path).findings
    with open(path, "ab") as file:
        file.write(b"old bytes")
    assert [finding.rule for finding in lq.verify(path).findings] == ["hdf5-trailing-bytes"]


def test_links_that_are_no_matrices_of_su3_are_read_as_they_were_written(tmp_path):
    """Headers of openQCD and of DDalphaAMG are alike, and so are the plaquettes of smooth links in both orders."""
    links = random_links((4, 4, 4, 4, 4))
    links[:, :, :, :, :, 0, 1] = 0.25
    for format in ("openqcd", "ddalphaamg", "hirep"):
        lq.write(tmp_path / f"conf.{format}", links, format=format)
        assert lq.inspect(tmp_path / f"conf.{format}")["format"] == format
        assert np.array_equal(lq.read(tmp_path / f"conf.{format}"), links)
