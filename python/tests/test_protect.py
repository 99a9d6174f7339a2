# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Parity next to files: against a reader of sidecars that is written from docs/formats/parity.md alone, and every damage
in every format, with and without a sidecar."""

import os
import pathlib
import random
import shutil
import subprocess
import time

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


def write_formats(folder):
    """A file of each sort of sums, by name."""
    links = random_links()
    made = {}
    for name, options in {"exact.ildg": {}, "weak.nersc": {"format": "nersc"}, "value.openqcd": {"format": "openqcd"},
                          "none.fnal": {"format": "fnal"}, "hdf5.h5": {}}.items():
        try:
            lq.write(folder / name, random_links((6, 4, 4, 4, 4)), **options)
        except (lq.Unsupported, lq.InvalidArgument):
            lq.write(folder / name, links, **options)
        made[name] = folder / name
    return made


FORMATS = ["exact.ildg", "weak.nersc", "value.openqcd", "none.fnal", "hdf5.h5"]


def sites_of(path):
    field = lq.inspect(path)["fields"][0]
    return field["offset"], field["length"]


DAMAGES = {
    "a bit flips in the data": lambda d, b, n: d[:b + n // 2] + bytes([d[b + n // 2] ^ 1]) + d[b + n // 2 + 1:],
    "two sites are exchanged": lambda d, b, n: d[:b] + d[b + 576:b + 1152] + d[b:b + 576] + d[b + 1152:],
    "two words are exchanged": lambda d, b, n: d[:b] + d[b + 8:b + 16] + d[b:b + 8] + d[b + 16:],
    "slices are exchanged": lambda d, b, n: d[:b] + d[b + n // 2:b + n // 2 + n // 4] + d[b + n // 4:b + n // 2] + d[b:b + n // 4] + d[b + 3 * n // 4:],
    "bytes are repeated": lambda d, b, n: d[:b + 4096] + d[b:b + 1000] + d[b + 5096:],
    "a block of zeros": lambda d, b, n: d[:b + 2048] + bytes(512) + d[b + 2560:],
    "the end is lost": lambda d, b, n: d[:-700],
    "bytes behind the end": lambda d, b, n: d + b"\0" * 13,
    "a bit flips in the header": lambda d, b, n: d[:40] + bytes([d[40] ^ 4]) + d[41:],
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_damage_is_found_with_a_sidecar_and_comes_back(tmp_path, name):
    path = write_formats(tmp_path)[name]
    original = path.read_bytes()
    begin, length = sites_of(path)
    lq.protect(path, parity="60%")
    answer = lq.verify(path)
    assert answer.ok and answer.verdict == "sound", answer
    for number, (damage, change) in enumerate(DAMAGES.items()):
        changed = change(original, begin, length)
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
        for damage, change in DAMAGES.items():
            path.write_bytes(change(original, begin, length))
            try:
                verdict = lq.verify(path).verdict
            except lq.UnknownFormat:
                verdict = "foreign"
            assert {"sound": "not seen", "consistent": "not seen"}.get(verdict, verdict) == table[damage][number], (name, damage)
        path.write_bytes(original)


@pytest.mark.parametrize("name", FORMATS)
def test_an_old_block_that_comes_back_is_found(tmp_path, name):
    """A lost write: a block of the file that had the name before."""
    old = write_formats(tmp_path)[name].read_bytes()
    path = tmp_path / name
    new = random_links((6, 4, 4, 4, 4), seed=2)
    lq.write(path, new, overwrite=True, **({} if name.endswith(("ildg", "h5")) else {"format": name.split(".")[1]}))
    written = path.read_bytes()
    assert len(written) == len(old)
    lq.protect(path)
    begin, _ = sites_of(path)
    path.write_bytes(written[:begin + 4096] + old[begin + 4096:begin + 5120] + written[begin + 5120:])
    assert not lq.verify(path).ok
    lq.repair(path, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == written


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
