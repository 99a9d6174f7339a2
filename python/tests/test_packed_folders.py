# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Packed files get one verdict from everything that judges files: alone, below folders, in catalogues, on pages."""

import json
import os
import random
import re
import subprocess

import numpy as np
import pytest
from test_packed import PACK

import limequat as lq

LQ = os.environ.get("LQ_PROGRAM", "lq")
SUFFIXES = {"ildg": "ildg", "scidac": "scidac", "nersc": "nersc", "milc": "milc", "hdf5": "h5"}


def has_catalogues(tmp_path):
    try:
        lq.index(tmp_path, db=tmp_path / "try.db")
    except lq.Unsupported:
        pytest.skip("built without SQLite")
    os.remove(tmp_path / "try.db")


def contents_of_formats(folder, links):
    """{suffix: bytes of a sound file}"""
    found = {}
    for name, suffix in SUFFIXES.items():
        if name not in [one["name"] for one in lq.formats()]:
            continue
        path = folder / f"conf.{suffix}"
        lq.write(path, links, format=name)
        found[suffix] = path.read_bytes()
        path.unlink()
    return found


def damaged(data, pack, how, draw):
    """A packed file of `data`, in which something is damaged."""
    if how == "payload":
        data = bytearray(data)
        at = draw.randrange(len(data) // 2, len(data) * 3 // 4)
        data[at] ^= 1 << draw.randrange(8)
        return pack(bytes(data))
    if how == "cut payload":
        return pack(data[:draw.randrange(len(data))])
    packed = bytearray(pack(data))
    if how == "stream":
        packed[draw.randrange(len(packed) // 4, len(packed))] ^= 1 << draw.randrange(8)
    if how == "cut":
        del packed[draw.randrange(len(packed)):]
    if how == "other":
        return pack(b"a text that is no lattice file\n" * 40)
    if how == "plain":
        return bytes(data)
    if how == "empty":
        return b""
    if how == "followed":
        packed += bytes(draw.randrange(256) for _ in range(100))
    return bytes(packed)


def alone(path):
    """The verdict of lq.verify, or unreadable, which it raises as an error: all of these should be lattice files by name."""
    try:
        return lq.verify(path).verdict
    except lq.Error:
        return "unreadable"


def by_lq(folder, db):
    """{path: verdict} of lq verify -r, and {path: state} of lq index, scrub and find."""
    done = subprocess.run([LQ, "verify", "-r", "--json", folder], capture_output=True, text=True, timeout=250)
    below = {line["path"]: line["verdict"] for line in map(json.loads, done.stdout.splitlines()) if "path" in line}
    for words in (["index", folder], ["scrub"]):
        subprocess.run([LQ, *words, "-q", "--db", db], capture_output=True, timeout=250)
    found = subprocess.run([LQ, "find", "--json", "--db", db], capture_output=True, text=True, timeout=250)
    return below, {line["path"]: line["state"] for line in map(json.loads, found.stdout.splitlines())}


@pytest.mark.parametrize("kind", PACK)
def test_verdicts_of_packed_files_are_equal(tmp_path, links, kind):
    has_catalogues(tmp_path)
    draw, folder = random.Random(int(os.environ.get("LQ_SEED", "38"))), tmp_path / "run"
    folder.mkdir()
    ways = ("sound", "payload", "payload", "cut payload", "stream", "stream", "stream", "cut", "cut", "other", "plain", "empty", "followed")
    expected = {}
    for suffix, data in contents_of_formats(tmp_path, links).items():
        for number, how in enumerate(ways):
            path = folder / f"conf.{number}.{suffix}.{kind}"
            path.write_bytes(damaged(data, PACK[kind], how, draw))
            expected[str(path)] = alone(path), how
    (folder / f"job.log.{kind}").write_bytes(PACK[kind](b"a log"))
    assert all(verdict in ("sound", "consistent") for verdict, how in expected.values() if how in ("sound", "plain"))
    assert {"sound", "consistent", "damaged", "unreadable"} <= {verdict for verdict, _ in expected.values()}
    verdicts = {path: verdict for path, (verdict, _) in expected.items()}
    answer = lq.verify_below(folder)
    assert {one.path: one.verdict for one in answer.files} == verdicts
    assert [one["path"] for one in answer.strangers] == [str(folder / f"job.log.{kind}")]
    assert answer.ok is False and all(bool(one) == (one.verdict in ("sound", "consistent")) for one in answer.files)
    assert sum(answer.summary.values()) == len(verdicts) + 1
    db = tmp_path / "catalogue.db"
    lq.index(folder, db=db)
    scrubbed = lq.scrub(db=db)
    states = {one.path: one.state for one in lq.find(db=db)}
    assert states == verdicts
    assert {one["path"]: one["verdict"] for one in scrubbed["failed"]} == {
        path: verdict for path, verdict in verdicts.items() if verdict not in ("sound", "consistent")}
    # Nothing changes when nothing has changed.
    again = lq.index(folder, db=db)
    assert again["added"] == again["changed"] == 0 and {one.path: one.state for one in lq.find(db=db)} == verdicts
    assert {one.path: one.verdict for one in lq.verify_below(folder).files} == verdicts
    page = tmp_path / "page.html"
    lq.report_page([folder], page, db=db)
    assert {state: re.search(f'"{state}":([0-9]+)', page.read_text())[1] for state in set(verdicts.values())} == {
        state: str(list(verdicts.values()).count(state)) for state in set(verdicts.values())}
    if kind == "gz":  # of one format: lq starts Python for each file
        for path in folder.iterdir():
            if ".ildg." not in path.name:
                path.unlink()
        of_ildg = {path: verdict for path, verdict in verdicts.items() if ".ildg." in path}
        assert by_lq(folder, tmp_path / "lq.db") == (of_ildg, of_ildg)


def test_a_catalogue_holds_the_facts_of_packed_files_and_sees_bit_rot(tmp_path, links, gauge_file):
    has_catalogues(tmp_path)
    folder, db = tmp_path / "run", tmp_path / "catalogue.db"
    folder.mkdir()
    data = gauge_file.read_bytes()
    for number in range(10, 15):
        (folder / f"conf.{number}.ildg.gz").write_bytes(PACK["gz"](data))
        os.utime(folder / f"conf.{number}.ildg.gz", (1_700_000_000, 1_700_000_000))
    report = lq.index(folder, db=db, observables=True)
    assert report["added"] == report["measured"] == 5 and report
    first = lq.find("trajectory=10", db=db)[0]
    info = lq.info(gauge_file)
    assert first["lattice"] == "4x2x3x5" and first["kind"] == "gauge" and first["state"] == "indexed"
    assert first["plaquette"] == pytest.approx(info["fields"][0]["plaquette"]) and first["series"].endswith("conf.*.ildg.gz")
    assert first["size"] == (folder / "conf.10.ildg.gz").stat().st_size
    assert lq.scrub(db=db)["sound"] == 5
    # One bit of the stream, size and time stamp unchanged; another file is replaced by a sound one.
    rotten, replaced = folder / "conf.11.ildg.gz", folder / "conf.12.ildg.gz"
    packed = bytearray(rotten.read_bytes())
    packed[len(packed) // 2] ^= 4
    rotten.write_bytes(packed)
    os.utime(rotten, (1_700_000_000, 1_700_000_000))
    lq.write(gauge_file, np.conj(links), overwrite=True)
    replaced.write_bytes(PACK["gz"](gauge_file.read_bytes()))
    (folder / "conf.13.ildg.gz").write_bytes(b"\0" * 1000)
    (folder / "conf.14.ildg.gz").unlink()
    scrubbed = lq.scrub(db=db)
    found = {os.path.basename(one["path"]): one["verdict"] for one in scrubbed["failed"]}
    assert found == {"conf.11.ildg.gz": "bit rot", "conf.12.ildg.gz": "replaced", "conf.13.ildg.gz": "unreadable",
                     "conf.14.ildg.gz": "missing"}
    assert not scrubbed and scrubbed["sound"] == 2
    assert not lq.index(folder, db=db)



@pytest.mark.parametrize("kind", PACK)
def test_copies_and_manifests_name_damaged_packed_files(tmp_path, gauge_file, kind):
    draw, data = random.Random(int(os.environ.get("LQ_SEED", "38"))), gauge_file.read_bytes()
    for number, how in enumerate(("sound", "payload", "cut payload", "stream", "stream", "cut end", "other", "plain", "followed")):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / f"conf.ildg.{kind}"
        path.write_bytes(PACK[kind](data)[:-3] if how == "cut end" else damaged(data, PACK[kind], how, draw))
        is_good = how == "other" or alone(path) in ("sound", "consistent")
        answer = lq.copy(path, f"{tmp_path}/copies/{number}/")
        assert (tmp_path / "copies" / str(number) / path.name).read_bytes() == path.read_bytes()
        errors = [one["message"] for one in answer["findings"] if one["severity"] == "error"]
        assert (not errors) == is_good, (how, errors)
        if is_good:
            assert lq.manifest(folder)["verified"] == (how != "other")
        else:
            with pytest.raises(lq.ChecksumError, match="conf.ildg"):
                lq.manifest(folder)
        if kind == "gz" and how in ("sound", "cut end"):
            codes = [subprocess.run([LQ, *words], capture_output=True, timeout=250).returncode
                     for words in (["copy", path, f"{tmp_path}/by-lq/{number}/"], ["verify", path], ["verify", "-r", folder])]
            assert codes == ([0, 0, 0] if is_good else [3, 3, 3])
