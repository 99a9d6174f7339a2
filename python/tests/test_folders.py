# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Folders with every fault that configurations have: what `lq verify -r`, a catalogue and `lq.verify` say of them."""

import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time

import numpy as np
import pytest

import limequat as lq
from conftest import random_field, random_links

LQ = os.environ.get("LQ_PROGRAM") or shutil.which("lq")
needs_lq = pytest.mark.skipif(LQ is None, reason="there is no lq")
LINKS = random_links(shape=(4, 2, 2, 2, 4))
WEB_PAGE = b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n"
OK = ("sound", "consistent")


def has(name):
    return name in [one["name"] for one in lq.formats()]


def settle(path, age=30 * 86400):
    """A time stamp long ago, as files have that nobody writes to."""
    stamp = int(time.time()) - age
    os.utime(path, (stamp, stamp), follow_symlinks=False)


def verify_below(*paths):
    """(exit code, {path: verdict}, summary) of lq verify -r, and the library says the same."""
    done = subprocess.run([LQ, "verify", "-r", "--json", *map(str, paths)], capture_output=True, text=True, timeout=250)
    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    answer = lq.verify_below(paths)
    assert answer.summary == last["summary"] and bool(answer) == answer.ok == (done.returncode == 0)
    assert answer.files == lines
    assert len(answer.strangers) == answer.summary["foreign"] - sum(one.verdict == "foreign" for one in answer.files)
    assert [bool(one) for one in answer.files] == [line["ok"] for line in lines]
    return done.returncode, {line["path"]: line["verdict"] for line in lines}, last["summary"]


def states(db):
    return {one.path: one.state for one in lq.find(db=db)}


def catalogued(folder, db):
    """{path: state} after the files were indexed and verified, and the answers of both."""
    report = lq.index(folder, db=db)
    scrubbed = lq.scrub(db=db)
    return states(db), report, scrubbed


# --- one file with a fault ---------------------------------------------------------------------------------------------

FORMATS = {"ildg": ".ildg", "scidac": ".scidac", "nersc": "", "milc": "", "openqcd": "", "hirep": "", "fnal": "", "qlattice": ".field",
           "hdf5": ".h5"}


def zeroed(data, begin, end):
    return data[:begin] + bytes(len(data[begin:end])) + data[end:]


# What becomes of the bytes of a file.
FAULTS = {
    "empty": lambda data: b"",
    "all zeros": lambda data: bytes(len(data)),
    "zeros and longer": lambda data: bytes(len(data) + 4096),
    "zeros in front": lambda data: zeroed(data, 0, 4096),
    "few zeros in front": lambda data: zeroed(data, 0, 64),
    "no beginning": lambda data: data[700:],
    "first byte lost": lambda data: data[1:],
    "other magic": lambda data: bytes(b ^ 0xFF for b in data[:8]) + data[8:],
    "web page": lambda data: WEB_PAGE,
    "web page in capitals": lambda data: b"\n <HTML><HEAD>502</HEAD></HTML>",
    "text": lambda data: b"scp: connection lost\n",
    "json": lambda data: b'{"error": "expired token"}\n',
    "noise": lambda data: np.random.default_rng(5).bytes(len(data)),
    "short noise": lambda data: np.random.default_rng(5).bytes(700),
    "half": lambda data: data[:len(data) // 2],
    "one page": lambda data: data[:4096],
    "ten bytes": lambda data: data[:10],
    "no end": lambda data: data[:-100],
    "compressed": lambda data: gzip.compress(data),
    "pointer": lambda data: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
    "link to nothing": None,
}


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    """{format: folder}, in each three good configurations and one with each fault."""
    top = tmp_path_factory.mktemp("faults")
    folders = {}
    for name, suffix in FORMATS.items():
        if not has(name):
            continue
        folder = folders[name] = top / name
        folder.mkdir()
        for number in (100, 110, 120):
            lq.write(folder / f"conf.{number}{suffix}", random_links(shape=(4, 2, 2, 2, 4), seed=number), format=name)
        data = (folder / f"conf.100{suffix}").read_bytes()
        for number, make in enumerate(FAULTS.values(), 200):
            path = folder / f"conf.{number}{suffix}"
            path.write_bytes(make(data)) if make else path.symlink_to("/nowhere/conf")
        for path in folder.iterdir():
            settle(path)
    return folders


def fault_of(path):
    number = int(path.name.split(".")[1])
    return "none" if number < 200 else list(FAULTS)[number - 200]


def alone(path):
    """The verdict of a file by itself."""
    try:
        return lq.verify(path).verdict
    except lq.UnknownFormat:
        return "foreign"
    except (lq.Error, OSError):
        return "unreadable"


@needs_lq
@pytest.mark.parametrize("name", FORMATS)
def test_no_fault_is_passed_over(faults, name, tmp_path):
    if name not in faults:
        pytest.skip("built without it")
    folder = faults[name]
    code, told, summary = verify_below(folder)
    state, report, scrubbed = catalogued(folder, str(tmp_path / "all.db"))
    for path in sorted(folder.iterdir()):
        verdict, fault = told[str(path)], fault_of(path)
        # What no format recognises is foreign by itself, and ought to be a configuration here.
        single = alone(path)
        assert verdict == ("unreadable" if single == "foreign" else single), (path, fault)
        assert state[str(path)] == verdict, (path, fault)
        assert (verdict in OK) == (fault == "none"), (path, fault, verdict)
    assert code == (5 if summary["incomplete"] else 3)
    assert summary["foreign"] == 0 and sum(summary.values()) == len(FAULTS) + 3
    assert report.files == len(FAULTS) + 3 and not scrubbed
    assert len(scrubbed.failed) == len(FAULTS)


@needs_lq
def test_faults_are_named_for_people(faults):
    folder = faults["ildg"]
    told = subprocess.run([LQ, "verify", "-r", "-q", str(folder)], capture_output=True, text=True, timeout=250)
    for number, fault in enumerate(FAULTS, 200):
        assert f"{folder}/conf.{number}.ildg: " in told.stdout, fault
    assert "conf.100.ildg" not in told.stdout
    assert "its name has the suffix .ildg), found an empty file" in told.stdout
    assert "found a web page, perhaps a server's error message: download the file again" in told.stdout
    assert 'found a text that begins with "scp: connection lost"'[:40] in told.stdout
    assert "found a file that begins with zeros" in told.stdout and "found a link to a file that does not exist" in told.stdout
    assert told.stdout.splitlines()[-1].startswith("3 sound, ")


# --- by what it is known ----------------------------------------------------------------------------------------------


@pytest.fixture
def ensemble(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for number in (100, 110, 120):
        lq.write(folder / f"conf.{number}", random_links(shape=(4, 2, 2, 2, 4), seed=number), format="ildg")
    return folder


@needs_lq
def test_strangers_are_counted_and_members_missed(ensemble):
    size = (ensemble / "conf.100").stat().st_size
    strangers = {"README": b"how it was made\n", "job.log": b"step 1\n", "job.err": b"", ".lock": b"", "run.py": b"import os\n",
                 "conf.100.md5": b"0" * 32, "conf.100.xml": b"<?xml version='1.0'?><markovChain/>", "table.dat": b"\x01\x02" * 40,
                 "data.npy": b"\x93NUMPY\x01\0" + bytes(100), "confs.tar.gz": gzip.compress(b"x")}
    missed = {"conf.130": b"not found", "conf.140.gz": gzip.compress(b"x"), "anything": np.random.default_rng(1).bytes(size), "x.lime": b"\x01",
              "y.h5": b"text", "nothing": b"", "zeros": bytes(100), "headless": b"\x01" * 16 + (ensemble / "conf.100").read_bytes()[:2000]}
    for name, data in {**strangers, **missed}.items():
        (ensemble / name).write_bytes(data)
    code, told, summary = verify_below(ensemble)
    assert code == 3
    assert {pathlib.Path(path).name: verdict for path, verdict in told.items() if verdict not in OK} == dict.fromkeys(missed, "unreadable")
    assert summary["foreign"] == len(strangers) and summary["sound"] == 3
    for name in missed:
        (ensemble / name).unlink()
    assert verify_below(ensemble)[0] == 0
    text = subprocess.run([LQ, "verify", "-r", "-v", str(ensemble)], capture_output=True, text=True, timeout=100).stdout
    assert all(f"{ensemble}/{name}: FOREIGN" in text for name in strangers)
    quiet = subprocess.run([LQ, "verify", "-r", "-q", str(ensemble)], capture_output=True, text=True, timeout=100).stdout
    assert quiet == ""
    # Named by himself a stranger is none that may be passed over.
    assert subprocess.run([LQ, "verify", "-r", str(ensemble / "README")], capture_output=True, timeout=100).returncode == 3
    assert subprocess.run([LQ, "verify", str(ensemble / "README")], capture_output=True, timeout=100).returncode == 3


@needs_lq
def test_files_of_one_name_in_folders_side_by_side(tmp_path):
    for number in (100, 110, 120):
        (tmp_path / str(number)).mkdir()
        lq.write(tmp_path / str(number) / "lattice", LINKS, format="ildg")
    (tmp_path / "120" / "lattice").write_bytes(WEB_PAGE)
    code, told, _ = verify_below(tmp_path)
    assert code == 3 and told[str(tmp_path / "120" / "lattice")] == "unreadable"


@needs_lq
def test_writers_are_no_members(ensemble, tmp_path):
    data = (ensemble / "conf.100").read_bytes()
    young = [".conf.130.1a2b3c4d", "conf.140.0123abcd.part", ".conf.150.lq-copy", ".conf.150.lq-copied", "conf.160.ildg.part"]
    for name in young:
        (ensemble / name).write_bytes(data[:5000])
    code, told, summary = verify_below(ensemble)
    assert code == 5 and summary["being_written"] == len(young) and summary["sound"] == 3
    db = str(tmp_path / "all.db")
    report = lq.index(ensemble, db=db)
    assert (report.files, report.being_written, report.leftovers, report.others) == (3, len(young), 0, 0)
    assert sorted(pathlib.Path(one.path).name for one in report.strangers) == sorted(young)
    assert lq.scrub(db=db)
    for name in young:
        settle(ensemble / name, 2 * 86400)
    code, told, summary = verify_below(ensemble)
    assert code == 5 and summary["being_written"] == 0 and summary["incomplete"] == len(young)
    report = lq.index(ensemble, db=db)
    assert (report.files, report.being_written, report.leftovers) == (3, 0, len(young))


@needs_lq
def test_sound_can_be_required(tmp_path):
    lq.write(tmp_path / "a.ildg", LINKS)
    lq.write(tmp_path / "b.ildg", LINKS, verify="none")
    assert verify_below(tmp_path)[0] == 0
    done = subprocess.run([LQ, "verify", "-r", "--require", "sound", str(tmp_path)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == f"1 sound, 1 consistent: {tmp_path}/b.ildg"
    assert lq.verify_below(tmp_path) and not lq.verify_below([tmp_path], require="sound", threads=1)


# --- a catalogue forgets nothing ---------------------------------------------------------------------------------------


def test_what_was_lost_stays_in_the_catalogue(ensemble, tmp_path):
    db = str(tmp_path / "all.db")
    faults = {"emptied": lambda path: path.write_bytes(b""), "web page": lambda path: path.write_bytes(WEB_PAGE),
              "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)), "vanished": lambda path: path.unlink(),
              "cut": lambda path: path.write_bytes(path.read_bytes()[:-3000]),
              "another kind": lambda path: lq.write(path, random_field((4, 3)), kind="spinor", format="scidac", overwrite=True),
              "link to nothing": lambda path: (path.unlink(), path.symlink_to("/nowhere/conf"))}
    expected = {"emptied": "unreadable", "web page": "unreadable", "zeros": "unreadable", "vanished": "missing", "cut": "incomplete",
                "another kind": "indexed", "link to nothing": "unreadable"}
    for name in faults:
        lq.write(ensemble / f"lattice of {name}", random_links(shape=(4, 2, 2, 2, 4)), format="ildg")
    lq.index(ensemble, db=db)
    before = {one.path: one.lattice for one in lq.find(db=db)}
    for name, damage in faults.items():
        damage(ensemble / f"lattice of {name}")
    time.sleep(0.1)  # files written just now are read again
    report = lq.index(ensemble, db=db)
    found = {pathlib.Path(one.path).name: one for one in lq.find(db=db)}
    assert {name: found[f"lattice of {name}"].state for name in faults} == expected
    assert found["lattice of emptied"].lattice == before[str(ensemble / "lattice of emptied")] == "2x2x2x4"  # what is known of it stays
    assert (report.unreadable, report.missing, report.incomplete) == (4, 1, 1)
    for name in ("emptied", "web page", "zeros", "cut", "another kind", "link to nothing"):
        assert any(f"lattice of {name}" in one for one in report.warnings), (name, report.warnings)
    assert any("held gauge 2x2x2x4" in one and "holds spinor" in one for one in report.warnings)
    scrubbed = lq.scrub(db=db)
    verdicts = {pathlib.Path(one.path).name: one.verdict for one in scrubbed.failed}
    assert verdicts == {**{f"lattice of {name}": state for name, state in expected.items() if state != "indexed"}}
    again = lq.index(ensemble, db=db)
    assert again.changed == 0 and again.warnings == []
    # It comes back as it was.
    lq.write(ensemble / "lattice of emptied", LINKS, format="ildg", overwrite=True)
    assert lq.index(ensemble, db=db).changed == 1 and states(db)[str(ensemble / "lattice of emptied")] == "indexed"


def test_files_of_a_folder_that_vanished_are_missing(ensemble, tmp_path):
    db = str(tmp_path / "all.db")
    for path in ensemble.iterdir():
        settle(path)
    lq.index(ensemble, db=db)
    assert lq.scrub(db=db)
    ensemble.rename(tmp_path / "elsewhere")
    report = lq.index(db=db)
    assert (report.files, report.missing) == (0, 3) and "no longer exists" in report.warnings[0]
    assert set(states(db).values()) == {"missing"} and not lq.scrub(db=db)
    (tmp_path / "elsewhere").rename(ensemble)
    assert lq.index(db=db).missing == 0 and set(states(db).values()) == {"sound"}


@needs_lq
def test_verify_asks_the_catalogue_of_the_folder(ensemble):
    lq.write(ensemble / "one", LINKS, format="ildg")
    lq.write(ensemble / "two", LINKS, format="ildg")
    assert verify_below(ensemble)[0] == 0
    lq.index(ensemble, db=ensemble / "lq-catalogue.db")
    (ensemble / "one").write_bytes(b"some text")
    (ensemble / "two").unlink()
    code, told, summary = verify_below(ensemble)
    assert code == 3 and summary["unreadable"] == 2 and summary["foreign"] == 1
    assert told[str(ensemble / "one")] == told[str(ensemble / "two")] == "unreadable"


def test_strangers_become_members_when_neighbours_say_so(tmp_path):
    folder, db = tmp_path / "run", str(tmp_path / "all.db")
    folder.mkdir()
    (folder / "conf.130").write_bytes(b"text")
    settle(folder / "conf.130")
    report = lq.index(folder, db=db)
    assert (report.files, report.others) == (0, 1)
    lq.write(folder / "conf.100", LINKS, format="ildg")
    report = lq.index(folder, db=db)
    assert (report.files, report.others, report.unreadable) == (2, 0, 1)
    assert states(db)[str(folder / "conf.130")] == "unreadable"


def test_ildg_takes_no_damaged_file(tmp_path):
    path = tmp_path / "conf.ildg"
    lq.write(path, LINKS, metadata={"ildg-data-lfn": "lfn://test/run/conf"})
    checked = lq.ildg.check(path)
    assert checked and checked.verdict == "sound"
    flip(path, path.stat().st_size // 2)
    checked = lq.ildg.check(path)
    assert not checked and checked.verdict == "damaged" and any(one.rule == "checksum" for one in checked.findings)


# --- entries of several files ------------------------------------------------------------------------------------------


def write_checkpoint(path, checksums):
    with lq.multifile.create(path, tasks=4, checksums=checksums) as writer:
        for task in range(4):
            writer[task].write(np.random.default_rng(task).bytes(3000))
        writer.write_field("gauge", LINKS)


def write_set(path, verify):
    lq.write(path.with_name("source"), LINKS, format="ildg", verify=verify)
    lq.repartition(path.with_name("source"), path, to="t=block:2")
    path.with_name("source").unlink()


def write_modes(path):
    with lq.modes.create(path, (2, 2, 2, 4)) as writer:
        for k in range(2):
            writer.append(random_field((4, 3), seed=k)[:4, :2, :2, :2], eigenvalue=0.1 * (k + 1))


ENTRIES = {
    "one": (lambda path, verify: lq.write(path, LINKS, format="ildg", verify=verify), 1),
    "raw": (lambda path, verify: lq.write(path, LINKS, format="raw", verify=verify), 2),
    "volumes": (lambda path, verify: lq.write(path, LINKS, format="scidac", parts="1x1x1x2", verify=verify), 2),
    "blocks": (lambda path, verify: lq.write(path, LINKS, format="openqcd", parts="1x1x1x2", verify=verify), 2),
    "subfiles": (write_set, 3),
    "checkpoint": (lambda path, verify: write_checkpoint(path, verify == "checksum"), 2),
    "hdf5": (lambda path, verify: lq.write(path, LINKS, format="hdf5", verify=verify), 1),
    "modes": (lambda path, verify: write_modes(path), 1),
}


def flip(path, offset):
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("verify", ["checksum", "none"])
@pytest.mark.parametrize("kind", ENTRIES)
def test_bit_rot_is_found_in_every_file_of_an_entry(tmp_path, kind, verify):
    if kind == "hdf5" and not has("hdf5"):
        pytest.skip("built without it")
    make, count = ENTRIES[kind]
    folder, db = tmp_path / "run", str(tmp_path / "all.db")
    folder.mkdir()
    make(folder / "entry", verify)
    files = sorted(folder.iterdir())
    assert len(files) == count, files
    for path in files:
        settle(path)
    report = lq.index(folder, db=db)
    assert (report.files, report.unreadable, report.incomplete, report.damaged) == (1, 0, 0, 0), states(db)
    assert lq.scrub(db=db), lq.scrub(db=db).failed
    entry, = lq.find(db=db)
    assert entry.state in OK
    with sqlite3.connect(db) as connection:
        sums = connection.execute("SELECT path, size FROM sums ORDER BY path").fetchall()
    connection.close()
    assert sums == [(os.path.relpath(path, os.path.dirname(db)), path.stat().st_size) for path in files]
    for path in files:
        for offset in (path.stat().st_size * 3 // 4, path.stat().st_size - 1):
            flip(path, offset)
            scrubbed = lq.scrub(db=db)
            assert [(one.path, one.verdict) for one in scrubbed.failed] == [(entry.path, "bit rot")], (path, offset, scrubbed.failed)
            assert count == 1 or str(path) in scrubbed.failed[0].sentence
            assert scrubbed.bit_rot == 1 and not scrubbed and lq.find(db=db)[0].state not in OK
            flip(path, offset)
            assert lq.scrub(db=db)
    assert lq.index(folder, db=db).unchanged == 1


@needs_lq
@pytest.mark.parametrize("kind", [kind for kind, (_, count) in ENTRIES.items() if count > 1])
def test_parts_answer_with_their_entry(tmp_path, kind):
    """Each part lost in turn: the entry is told, and nothing else."""
    folder = tmp_path / "run"
    folder.mkdir()
    ENTRIES[kind][0](folder / "entry", "checksum")
    files = sorted(folder.iterdir())
    code, told, summary = verify_below(folder)
    assert code == 0 and len(told) == 1 and summary["foreign"] == 0, told
    db = str(tmp_path / "all.db")
    lq.index(folder, db=db)
    lq.scrub(db=db)
    entry, = lq.find(db=db)
    for path in files:
        if str(path) == entry.path:
            continue
        data, stamp = path.read_bytes(), path.stat().st_mtime_ns
        path.unlink()
        code, told, _ = verify_below(folder)
        assert code != 0 and told[entry.path] not in OK, (path, told)
        report = lq.index(folder, db=db)
        assert report.damaged + report.incomplete + report.unreadable + len(lq.scrub(db=db).failed) > 0, path
        assert states(db)[entry.path] not in (*OK, "indexed"), path
        path.write_bytes(data)
        os.utime(path, ns=(stamp, stamp))
        lq.index(folder, db=db)
        assert lq.scrub(db=db).sound + lq.scrub(db=db).consistent == 1, path


# --- catalogues of version 1 -------------------------------------------------------------------------------------------


def test_a_catalogue_of_version_1_goes_on(tmp_path):
    """Its tables as they were, with a set of which it knew the first file alone."""
    folder, db = tmp_path / "run", str(tmp_path / "all.db")
    folder.mkdir()
    lq.write(folder / "raw.raw", LINKS, verify="none")
    lq.write(folder / "conf.7.ildg", LINKS)
    for path in folder.iterdir():
        settle(path)
    lq.index(folder, db=db)
    lq.scrub(db=db)
    (folder / ".conf.8.ildg.1a2b3c4d").write_bytes(b"")
    with sqlite3.connect(db) as connection:
        connection.execute("DROP TABLE sums")
        connection.execute("DROP TABLE further_files")
        connection.execute("UPDATE files SET state = 'sound'")
        connection.execute("UPDATE verifications SET verdict = 'sound'")
        connection.execute("INSERT INTO files (path, size, modified_ns, settled, modified, device, inode, fields, series, state, "
                           "indexed_at) VALUES (?, 0, 1, 1, '', 0, 0, 0, 's', 'incomplete', '')", (str(folder / ".conf.8.ildg.1a2b3c4d"),))
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    report = lq.index(db=db)
    assert (report.files, report.being_written, report.missing) == (2, 1, 0)
    assert states(db) == {str(folder / "raw.raw"): "consistent", str(folder / "conf.7.ildg"): "sound"}
    flip(folder / "raw.raw", 5)
    assert [one.verdict for one in lq.scrub(db=db).failed] == ["bit rot"]  # its sum was kept
    flip(folder / "raw.raw", 5)
    assert lq.scrub(db=db)
    flip(folder / "raw.raw.data", 5)
    assert [one.verdict for one in lq.scrub(db=db).failed] == ["bit rot"]
