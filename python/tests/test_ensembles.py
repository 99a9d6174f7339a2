# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Catalogues of ensembles: their tables read by Python's sqlite3 and held against what plain Python finds in the files."""

import html
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

import numpy as np
import pytest

import limequat as lq
import plain_lime
from conftest import random_links

TRAJECTORIES = (10, 20, 30, 50, 60)  # 40 is missing
SITE_BYTES = 4 * 9 * 16


def cksum(data):
    """POSIX cksum, bit by bit as its text says."""
    crc, length = 0, len(data)
    tail = length.to_bytes((length.bit_length() + 7) // 8, "little")
    for byte in data + tail:
        crc ^= byte << 24
        for _ in range(8):
            crc = ((crc << 1) ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc ^ 0xFFFFFFFF


def settle(path, seconds=1_700_000_000):
    """A time stamp long ago, as files have that nobody writes to."""
    os.utime(path, (seconds, seconds))


def write(path, trajectory, beta="6.0", seed=None):
    links = random_links(shape=(4, 2, 2, 2, 4), seed=trajectory if seed is None else seed)
    text = f"plaquette = {lq.plaquette(links).average:.12f}\ntrajectory nr = {trajectory}\nbeta = {beta}, kappa = 0.125\n"
    lq.write(path, links, metadata={"xlf-info": text, "ildg-data-lfn": f"lfn://test/run/{path.name}"}, overwrite=True)
    settle(path, 1_700_000_000 + trajectory)


@pytest.fixture
def ensemble(tmp_path):
    """(folder, catalogue)."""
    folder = tmp_path / "run"
    (folder / "below").mkdir(parents=True)
    for trajectory in TRAJECTORIES:
        write(folder / f"conf.{trajectory:04}.lime", trajectory)
    (folder / "notes.txt").write_text("not a lattice file\n")
    settle(folder / "notes.txt")
    return folder, str(tmp_path / "catalogue.db")


@pytest.fixture
def indexed(ensemble):
    folder, db = ensemble
    report = lq.index(folder, db=db)
    assert (report.files, report.added, report.others) == (len(TRAJECTORIES), len(TRAJECTORIES), 1)
    return folder, db


def rows(db, sql, *values):
    with sqlite3.connect(db) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute(sql, values).fetchall()
    connection.close()
    return found


def kept(path):
    """As the catalogue beside the folder keeps it."""
    return f"run/{path.name}"


def change(db, sql, *values):
    with sqlite3.connect(db) as connection:
        connection.execute(sql, values)
    connection.close()


def flip(path, offset, mask=0x10):
    """A byte changes, and nobody has written to the file."""
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[offset] ^= mask
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def data_offset(path):
    return path.read_bytes().index(plain_lime.payload(path, "ildg-binary-data"))


def test_tables_are_what_plain_python_finds(indexed):
    folder, db = indexed
    assert rows(db, "PRAGMA user_version")[0][0] == 3
    assert rows(db, "PRAGMA application_id")[0][0] == int.from_bytes(b"lqct", "big")
    found = rows(db, "SELECT * FROM files ORDER BY path")
    paths = sorted(folder.glob("conf.*"))
    assert [row["path"] for row in found] == [f"run/{path.name}" for path in paths]
    for row, path, trajectory in zip(found, paths, TRAJECTORIES):
        status = path.stat()
        assert (row["size"], row["modified_ns"], row["inode"]) == (status.st_size, status.st_mtime_ns, status.st_ino)
        assert row["modified"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(status.st_mtime))
        assert (row["format"], row["kind"], row["lattice"], row["precision"], row["gauge_group"]) == (
            "ildg", "gauge", "2x2x2x4", "double", "SU(3)")
        data = plain_lime.payload(path, "ildg-binary-data")
        assert row["checksum"] == "/".join(plain_lime.checksum(data, SITE_BYTES))
        text = plain_lime.payload(path, "xlf-info").decode()
        assert row["plaquette"] == float(re.search(r"plaquette = (\S+)", text)[1])
        assert (row["trajectory"], row["trajectory_from"]) == (trajectory, "metadata")
        assert row["series"] == "run/conf.*.lime" and row["state"] == "indexed" and row["settled"] == 1
        field = rows(db, "SELECT * FROM fields WHERE file_id = ?", row["id"])
        assert [(f["number"], f["offset"], f["length"]) for f in field] == [(0, data_offset(path), len(data))]
        facts = {p["name"]: p for p in rows(db, "SELECT * FROM properties WHERE file_id = ?", row["id"])}
        assert facts["beta"]["value"] == "6.0" and facts["beta"]["number"] == 6.0 and facts["beta"]["source"] == "xlf-info"
        assert facts["ildg-data-lfn"]["value"] == f"lfn://test/run/{path.name}"
    assert [row["path"] for row in rows(db, "SELECT path FROM others")] == ["run/notes.txt"]
    assert [row["path"] for row in rows(db, "SELECT path FROM folders")] == ["run"]
    assert [row["folder"] for row in rows(db, "SELECT folder FROM place")] == [str(folder.parent)]


def test_only_what_has_changed_is_read_again(indexed):
    folder, db = indexed
    before = rows(db, "SELECT id, path, indexed_at FROM files ORDER BY path")
    # Were the file read, its damage would be seen.
    flip(folder / "conf.0010.lime", 0)
    report = lq.index(folder, db=db)
    assert (report.added, report.changed, report.unchanged, report.damaged) == (0, 0, len(TRAJECTORIES), 0)
    flip(folder / "conf.0010.lime", 0)
    write(folder / "conf.0020.lime", 20, beta="6.2")
    settle(folder / "conf.0020.lime", 1_700_000_999)
    write(folder / "below" / "conf.0070.lime", 70)
    report = lq.index(db=db)  # the folders of before
    assert (report.added, report.changed, report.unchanged) == (1, 1, len(TRAJECTORIES) - 1)
    after = rows(db, "SELECT id, path FROM files ORDER BY path")
    assert {row["path"]: row["id"] for row in before}.items() <= {row["path"]: row["id"] for row in after}.items()
    assert [one.path for one in lq.find("beta=6.2", db=db)] == [str(folder / "conf.0020.lime")]


# A file that was written to a moment ago may change again within one tick of the clock of the file system.
def test_fresh_files_are_not_trusted(ensemble):
    folder, db = ensemble
    fresh = folder / "conf.0010.lime"
    now = time.time_ns()
    os.utime(fresh, ns=(now, now))
    lq.index(folder, db=db)
    row = rows(db, "SELECT settled, indexed_at FROM files WHERE path = ?", kept(fresh))[0]
    if row["settled"]:
        pytest.skip("this machine took longer than a tick")
    assert lq.index(folder, db=db).changed == 1


def test_files_that_vanish_are_missing_until_they_are_forgotten(indexed):
    folder, db = indexed
    path = folder / "conf.0030.lime"
    kept = folder.parent / "kept"
    path.rename(kept)
    report = lq.index(folder, db=db)
    assert (report.files, report.missing) == (len(TRAJECTORIES) - 1, 1)
    assert [one.path for one in lq.find("missing", db=db)] == [str(path)]
    kept.rename(path)
    assert lq.index(folder, db=db).missing == 0 and len(lq.find("missing", db=db)) == 0
    path.unlink()
    report = lq.index(folder, db=db, forget=True)
    assert (report.forgotten, report.missing) == (1, 0)
    assert len(rows(db, "SELECT * FROM files")) == len(TRAJECTORIES) - 1
    assert rows(db, "SELECT count(*) FROM properties WHERE file_id NOT IN (SELECT id FROM files)")[0][0] == 0


def test_find_agrees_with_a_filter_of_python(indexed):
    _, db = indexed
    everything = lq.find(db=db)
    assert [one.trajectory for one in everything] == list(TRAJECTORIES)
    for expression, fits in [("trajectory>=30", lambda one: one.trajectory >= 30),
                             ("beta=6 and not trajectory=20", lambda one: one.trajectory != 20),
                             ("plaquette<0", lambda one: one.plaquette < 0),
                             ("trajectory<20 or trajectory>50", lambda one: not 20 <= one.trajectory <= 50),
                             ("path~*0.lime format!=hdf5", lambda one: True),
                             ("kappa>0.2", lambda one: False)]:
        assert [one.path for one in lq.find(expression, db=db)] == [one.path for one in everything if fits(one)], expression
    by_plaquette = [one.plaquette for one in lq.find(sort="-plaquette", most=3, db=db)]
    assert by_plaquette == sorted((one.plaquette for one in everything), reverse=True)[:3]
    assert everything[0].properties["beta"] == "6.0" and everything[0].verified is None
    assert "conf.0010.lime" in everything._repr_html_()


def test_find_gives_a_data_frame(indexed):
    pandas = pytest.importorskip("pandas")
    frame = lq.find(db=indexed[1]).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["trajectory"]) == list(TRAJECTORIES)
    assert set(frame["properties.beta"]) == {"6.0"}


def test_find_says_what_is_wrong(indexed, tmp_path):
    _, db = indexed
    with pytest.raises(lq.InvalidArgument, match="at character 13"):
        lq.find("trajectory>=", db=db)
    with pytest.raises(lq.InvalidArgument, match="no column \"plaquete\", perhaps plaquette"):
        lq.find(sort="plaquete", db=db)
    with pytest.raises(lq.NotFound, match="lq index"):
        lq.find(db=str(tmp_path / "none.db"))
    assert lq.find("path=\"'; DROP TABLE files; --\"", db=db) == []
    assert len(lq.find(db=db)) == len(TRAJECTORIES)


def test_scrub_tells_bit_rot_from_replacement(indexed):
    folder, db = indexed
    report = lq.scrub(db=db)
    assert report and (report.due, report.sound, report.failed) == (len(TRAJECTORIES), len(TRAJECTORIES), [])
    for row in rows(db, "SELECT * FROM files"):
        data = (folder.parent / row["path"]).read_bytes()
        assert row["cksum"] == cksum(data) and row["state"] == "sound" and row["verified_at"]
        links = plain_lime.gauge(folder.parent / row["path"], (4, 2, 2, 2, 4, 3, 3))
        assert row["measured_plaquette"] == pytest.approx(plain_plaquette(links), abs=1e-12)
    assert lq.scrub(db=db, since="1h").due == 0

    rotten, header, replaced, broken, gone = (folder / f"conf.{t:04}.lime" for t in TRAJECTORIES)
    flip(rotten, data_offset(rotten) + SITE_BYTES * 8 + 5)  # time slice 1
    flip(header, header.read_bytes().index(b"lfn://test") + 7)  # no checksum covers it
    write(replaced, 30, seed=77)
    settle(replaced, 1_700_001_000)
    flip(broken, data_offset(broken) + 40)
    settle(broken, 1_700_001_000)
    gone.unlink()
    report = lq.scrub(db=db)
    assert not report
    assert {pathlib.Path(one.path): one.verdict for one in report.failed} == {
        rotten: "bit rot", header: "bit rot", replaced: "replaced", broken: "changed and damaged", gone: "missing"}
    assert (report.sound, report.replaced, report.bit_rot, report.damaged, report.missing) == (1, 1, 2, 1, 1)
    assert [one.path for one in lq.find("damaged", db=db)] == [str(path) for path in sorted((rotten, header, broken))]
    slices = rows(db, "SELECT slice FROM damaged_slices d JOIN files f ON f.id = d.file_id WHERE f.path = ?", kept(rotten))
    assert [row["slice"] for row in slices] == [1]
    assert [row["verdict"] for row in rows(db, "SELECT verdict FROM verifications v JOIN files f ON f.id = v.file_id "
                                               "WHERE f.path = ? ORDER BY v.id", kept(replaced))] == ["sound", "replaced"]
    # What rots stays rotten, until the file of before is back.
    assert lq.scrub(db=db).bit_rot == 2
    flip(rotten, data_offset(rotten) + SITE_BYTES * 8 + 5)
    assert [one.path for one in lq.scrub(db=db).failed if one.verdict == "bit rot"] == [str(header)]


def plain_plaquette(u):
    """Average of Re Tr U_P / 3 of links [t, z, y, x, mu, 3, 3]."""
    axis = {0: 3, 1: 2, 2: 1, 3: 0}
    total, count = 0.0, 0
    for mu in range(4):
        for nu in range(mu):
            a, b = u[..., mu, :, :], u[..., nu, :, :]
            loop = a @ np.roll(b, -1, axis[mu]) @ np.conj(np.swapaxes(np.roll(a, -1, axis[nu]), -1, -2)) @ np.conj(
                np.swapaxes(b, -1, -2))
            total += np.trace(loop, axis1=-2, axis2=-1).real.sum() / 3
            count += loop[..., 0, 0].size
    return total / count


def test_damage_that_was_always_there_is_no_rot(ensemble):
    folder, db = ensemble
    path = folder / "conf.0020.lime"
    flip(path, data_offset(path) + 99)
    short = folder / "conf.0030.lime"
    short.write_bytes(short.read_bytes()[:-900])
    settle(short)
    report = lq.index(folder, db=db)
    assert (report.incomplete, report.damaged) == (1, 0)
    report = lq.scrub(db=db)
    assert {pathlib.Path(one.path).name: one.verdict for one in report.failed} == {
        path.name: "damaged", short.name: "incomplete"}
    assert {pathlib.Path(one.path).name: one.state for one in lq.find("not sound", db=db)} == {
        path.name: "damaged", short.name: "incomplete"}


def test_gaps_duplicates_and_outliers(indexed):
    folder, db = indexed
    assert [(g.series, g.first, g.last, g.step, g.missing) for g in lq.assess(db=db).gaps] == [
        (str(folder / "conf.*.lime"), 10, 60, 10, [40])]
    shutil.copy(folder / "conf.0010.lime", folder / "below" / "copy.lime")
    (folder / "below" / "link.lime").symlink_to(folder / "conf.0020.lime")  # no copy
    report = lq.index(folder, db=db)
    assert [sorted(pathlib.Path(p).name for p in same.paths) for same in report.assessment.duplicates] == [
        ["conf.0010.lime", "copy.lime"]]
    with sqlite3.connect(db) as connection:
        for k in range(20):
            connection.execute("INSERT INTO files (path, size, modified_ns, settled, modified, device, inode, fields, plaquette, "
                               "trajectory, series, state, indexed_at) VALUES (?, 1, 1, 1, '', 0, ?, 1, ?, ?, 's', 'indexed', '')",
                               (f"/elsewhere/{k}", k, 0.59 + 1e-4 * (k % 4) if k != 13 else 0.6, k))
    connection.close()
    numbers = [0.59 + 1e-4 * (k % 4) if k != 13 else 0.6 for k in range(20)]
    median = statistics.median(numbers)
    spread = 1.4826022185 * statistics.median(abs(x - median) for x in numbers)
    outlier, = lq.assess(db=db).outliers
    assert outlier.path == "/elsewhere/13" and outlier.median == pytest.approx(median)
    assert outlier.deviation == pytest.approx((0.6 - median) / spread)


def test_a_catalogue_that_is_none_of_ours_is_refused(indexed, tmp_path):
    folder, db = indexed
    text = tmp_path / "text.db"
    text.write_text("SELECT * FROM files" * 300)
    other = tmp_path / "other.db"
    change(other, "CREATE TABLE files (x)")
    later = tmp_path / "later.db"
    shutil.copy(db, later)
    change(later, "PRAGMA user_version = 4")
    for path, error, sentence in [(text, lq.Malformed, "not an SQLite database"), (other, lq.Malformed, "not a Limequat catalogue"),
                                  (later, lq.Unsupported, "version 4, made by a later Limequat")]:
        before = path.read_bytes()
        for call in (lambda: lq.find(db=path), lambda: lq.index(folder, db=path), lambda: lq.scrub(db=path)):
            with pytest.raises(error, match=sentence) as raised:
                call()
            assert raised.value.path == str(path)
        assert path.read_bytes() == before


def test_a_damaged_catalogue_is_said_to_be(indexed):
    _, db = indexed
    data = bytearray(pathlib.Path(db).read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    pathlib.Path(db).write_bytes(data)
    with pytest.raises(lq.Malformed, match="damaged.*index again"):
        lq.find(db=db)


def test_a_locked_catalogue_is_said_to_be(indexed):
    folder, db = indexed
    connection = sqlite3.connect(db, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(lq.IoError, match="locked: another process"):
            lq.find(db=db)
    finally:
        connection.execute("ROLLBACK")
        connection.close()
    assert lq.index(folder, db=db).unchanged == len(TRAJECTORIES)


def test_folders_and_files_that_are_not_there(indexed, tmp_path):
    _, db = indexed
    with pytest.raises(lq.NotFound, match="nowhere"):
        lq.index(tmp_path / "nowhere", db=db)
    with pytest.raises(lq.InvalidArgument, match="since"):
        lq.scrub(db=db, since="a month")


# Killed in between: what was committed is there, the rest comes with the next run.
def test_an_index_that_is_killed_goes_on(tmp_path):
    folder, db = tmp_path / "many", tmp_path / "many.db"
    folder.mkdir()
    one = folder / "conf.0000"
    write(one, 0)
    count = 4000
    data = one.read_bytes()
    for k in range(1, count):
        (folder / f"conf.{k:04}").write_bytes(data)
    for path in folder.iterdir():
        settle(path)
    code = f"import limequat as lq; lq.index({str(folder)!r}, db={str(db)!r}, threads=2)"
    process = subprocess.Popen([sys.executable, "-c", code])
    while process.poll() is None:
        if db.exists() and db.stat().st_size > 200_000:  # the tables, and a batch
            process.send_signal(signal.SIGKILL)
        time.sleep(0.005)
    assert rows(db, "PRAGMA integrity_check")[0][0] == "ok"
    there = rows(db, "SELECT count(*) FROM files")[0][0]
    report = lq.index(folder, db=str(db))
    assert (report.added, report.unchanged, report.files) == (count - there, there, count)


HOSTILE = 'beta = <script>alert("1")</script>\nname = \x1b[31m\x07\u2028</script><!--\n'


def hostile_file(folder):
    path = folder / "conf.<b>&.0099.lime"
    lq.write(path, random_links(shape=(4, 2, 2, 2, 4)), metadata={"xlf-info": HOSTILE})
    settle(path)
    return path


def test_names_that_are_no_text_are_kept_as_bytes(ensemble):
    folder, db = ensemble
    path = os.fsencode(folder) + b"/conf.\xff\xfe.lime"
    os.rename(folder / "conf.0010.lime", path)
    lq.index(folder, db=db)
    assert b"run/conf.\xff\xfe.lime" in [row["path"] for row in rows(db, "SELECT path FROM files")]
    assert lq.index(folder, db=db).unchanged == len(TRAJECTORIES)
    json.dumps(lq.find(db=db))


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_page_holds_the_files_and_no_markup_of_theirs(indexed):
    folder, db = indexed
    path = hostile_file(folder)
    flip(folder / "conf.0020.lime", data_offset(folder / "conf.0020.lime") + 8 * SITE_BYTES)
    lq.scrub(db=db)
    page = folder.parent / "report.html"
    report = lq.report_page(folder, page, db=db, title='<img src="x">')
    text = page.read_text()
    assert report.bytes == len(text.encode()) and report.files == len(TRAJECTORIES) + 1
    assert "<img" not in text and text.count("<script") == 2 and text.count("</script") == 2
    assert html.escape('<img src="x">') in text
    data = data_of(text)
    words = data["words"]
    assert sorted(words[f[0]] + "/" + f[1] for f in data["files"]) == sorted(one.path for one in lq.find(db=db))
    assert str(path) in [words[f[0]] + "/" + f[1] for f in data["files"]]
    damaged, = data["damage"]
    assert damaged["path"] == str(folder / "conf.0020.lime") and damaged["slices"] == [1]
    begin, length = damaged["payloads"][0]
    assert (begin, length) == (data_offset(folder / "conf.0020.lime"), 32 * SITE_BYTES)
    assert all(begin <= offset < begin + length for offset, _ in damaged["hurt"]) and damaged["hurt"]
    assert data["gaps"][0]["missing"] == [40]
    with pytest.raises(lq.Exists):
        lq.report_page(folder, page, db=db)
    lq.report_page(folder, page, db=db, overwrite=True)


def test_page_without_a_catalogue_keeps_nothing(ensemble, monkeypatch):
    folder, _ = ensemble
    monkeypatch.chdir(folder.parent)
    assert lq.report_page("run", "page.html").files == len(TRAJECTORIES)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["page.html", "run"]


def without_write_permission(program, *arguments):
    """What a colleague's program prints, whom the rights of files bind; root is above them unless it gives that up."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *command]
    result = subprocess.run(command, text=True, capture_output=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="setpriv is not there")
@pytest.mark.parametrize("what", ("file", "folder"))
def test_a_colleague_reads_a_catalogue(indexed, tmp_path, what):
    folder, db = indexed
    place = tmp_path / "theirs"
    place.mkdir()
    db = shutil.move(db, place / "catalogue.db")
    write(folder / "conf.9999.lime", 9999)
    before = pathlib.Path(db).read_bytes()
    (pathlib.Path(db) if what == "file" else place).chmod(0o444 if what == "file" else 0o555)
    printed = without_write_permission("""
import sys, limequat as lq
db, folder, page = sys.argv[1:]
print(len(lq.find(db=db)), lq.assess(db=db) is not None, lq.report_page(folder, page, db=db).files)
for change in (lambda: lq.index(folder, db=db), lambda: lq.scrub(db=db)):
    try:
        change()
    except lq.NoPermission as error:
        print(error)
""", db, folder, tmp_path / "page.html")
    refusal = (f"{db}: no permission to write to the catalogue or its folder; `lq index DIR --db FILE` makes one of "
               "your own\n")
    assert printed == f"{len(TRAJECTORIES)} True {len(TRAJECTORIES) + 1}\n" + 2 * refusal
    assert pathlib.Path(db).read_bytes() == before and os.listdir(place) == ["catalogue.db"]


def test_a_group_shares_the_catalogue_of_files_that_it_shares(ensemble):
    folder, db = ensemble
    for path in folder.glob("*.lime"):
        path.chmod(0o664)
    before = os.umask(0o002)
    try:
        lq.index(folder, db=db)
    finally:
        os.umask(before)
    assert os.stat(db).st_mode & 0o777 == 0o664


def test_page_of_ten_thousand_files_is_small(indexed):
    folder, db = indexed
    with sqlite3.connect(db) as connection:
        connection.executemany(
            "INSERT INTO files (path, size, modified_ns, settled, modified, device, inode, format, kind, lattice, precision, fields, "
            "checksum, plaquette, trajectory, series, state, indexed_at, verified_at) VALUES (?, 382205952, 1, 1, '2026-01-01T00:00:00Z', "
            "0, ?, 'ildg', 'gauge', '24x24x24x48', 'double', 1, ?, ?, ?, '/e/*', 'sound', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')",
            [(f"/elsewhere/ensemble/run{k % 7}/configuration_b6.0_l24t48.{k:06}.lime", k, f"{k:08x}/{k * 7:08x}",
              0.59 + 1e-9 * (k * 7919 % 100003), k) for k in range(10_000)])
    connection.close()
    page = folder.parent / "many.html"
    assert lq.report_page((), page, db=db).files >= 5
    text = page.read_text()
    assert len(data_of(text)["files"]) == 10_000 + len(TRAJECTORIES) and len(text) < 5_000_000


def in_browser(page, address, folder, *more):
    """The document after its script has run; skips where there is no browser."""
    browser = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
    if browser is None:
        pytest.skip("there is no Chromium")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}",
               "--virtual-time-budget=20000", *more, f"file://{page}{address}"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def test_page_works_in_a_browser(indexed, tmp_path):
    folder, db = indexed
    hostile_file(folder)
    flip(folder / "conf.0020.lime", data_offset(folder / "conf.0020.lime") + 8 * SITE_BYTES)
    lq.scrub(db=db)
    page = tmp_path / "report.html"
    lq.report_page(folder, page, db=db)
    document = in_browser(page, "#sort=-trajectory", tmp_path / "one", "--dump-dom")
    assert 'data-ready="yes"' in document and f'data-found="{len(TRAJECTORIES) + 1}"' in document
    table = document[document.index('id="rows"'):]
    shown = [int(number) for number in re.findall(r'<td>[^<]*</td><td class="number">(\d+)</td>', table)]
    assert shown == sorted((*TRAJECTORIES, 99), reverse=True)
    assert "conf.&lt;b&gt;&amp;.0099.lime" in table
    assert re.search(r'<svg viewBox="0 0 \d+ 260"', document) and 'class="hurt"' in document and "damaged time slices: 1" in document
    filtered = in_browser(page, "#state=damaged&q=conf.0020", tmp_path / "two", "--dump-dom")
    assert 'data-found="1"' in filtered


def test_ildg_documents_are_written_and_checked(gauge_file, tmp_path):
    from xml.etree import ElementTree

    path = tmp_path / "conf.lime"
    write(path, 70)
    data, whole = plain_lime.payload(path, "ildg-binary-data"), path.read_bytes()
    for schema, space in (("1.3", "config1.3"), ("2.0", "config2.0")):
        made = lq.ildg.document(path, schema=schema, metadata={"markovChainURI": "mc://test/run", "series": "2",
                                                               "algorithm/parameters/tau": "0.5"})
        assert (made.cksum.data, made.cksum.file) == (cksum(data), cksum(whole))
        root = ElementTree.fromstring(made.text)
        name = "{http://www.lqcd.org/ildg/QCDml/" + space + "}"
        assert root.tag == name + "gaugeConfiguration"
        text = {one.tag.removeprefix(name): one.text for one in root.iter() if one.text and one.text.strip()}
        assert (text["crcCheckSum"], text["update"], text["precision"], text["series"]) == (str(cksum(data)), "70", "double", "2")
        assert text["dataLFN"] == "lfn://test/run/conf.lime" and text["markovChainURI"] == "mc://test/run"
        assert float(text["avePlaquette"]) == pytest.approx(plain_plaquette(plain_lime.gauge(path, (4, 2, 2, 2, 4, 3, 3))))
        assert str(cksum(whole)) in made.text and "tau" in made.text
        assert "implementation/code/name" in made.missing and not any("series" in one for one in made.missing)
        document = tmp_path / f"{schema}.xml"
        document.write_text(made.text)
        assert lq.ildg.check(path, document).schema == schema
        errors = [one.rule for one in lq.ildg.check(path, document).findings if one.severity == "error"]
        assert errors == []
        for old, new, rule in [(str(cksum(data)), "12345", "qcdml-crc"), ("<series>2</series>", "", "qcdml-missing"),
                               ("<precision>double", "<precision>quad", "qcdml-value"),
                               ("lfn://test/run/conf.lime", "lfn://test/run/other", "qcdml-lfn"),
                               ("<algorithm>", "<algorithm/><algorithm>", "qcdml-unexpected"),
                               ("generate", "make", "qcdml-value"), ("</gaugeConfiguration>", "", "qcdml-xml"),
                               (space, "config9", "qcdml-root")]:
            assert old in made.text
            document.write_text(made.text.replace(old, new))
            checked = lq.ildg.check(path, document)
            assert not checked and rule in [one.rule for one in checked.findings], (old, checked.findings)
        document.write_text(lq.ildg.document(path, schema=schema, crc="file").text)
        assert "qcdml-crc-of-file" in [one.rule for one in lq.ildg.check(path, document).findings]
        assert bool(lq.ildg.check(path, document)) == (schema == "1.3")
    with pytest.raises(lq.InvalidArgument, match="schema"):
        lq.ildg.document(path, schema="1.4")
    with pytest.raises(lq.InvalidArgument, match="several elements"):
        lq.ildg.document(path, metadata={"name": "x"})
    with pytest.raises(lq.InvalidArgument, match="has no element of that name"):
        lq.ildg.document(path, metadata={"markovStep/colour": "x"})


def test_ildg_logical_names(gauge_file, tmp_path):
    path = tmp_path / "conf.lime"
    write(path, 1)
    assert lq.ildg.lfn(path).lfn == "lfn://test/run/conf.lime" and lq.ildg.lfn(path).findings == []
    found = lq.ildg.lfn(gauge_file)
    assert found.lfn.startswith("lfn://unregistered/") and [one.rule for one in found.findings] == ["ildg-lfn-unregistered"]
    scidac = tmp_path / "conf.scidac"
    lq.write(scidac, random_links(shape=(4, 2, 2, 2, 4)))
    found = lq.ildg.lfn(scidac)
    assert found.lfn is None and [one.rule for one in found.findings] == ["ildg-lfn-missing"]
    wrong = tmp_path / "wrong.lime"
    lq.write(wrong, random_links(shape=(4, 2, 2, 2, 4)), metadata={"ildg-data-lfn": "conf 1"})
    assert {one.rule for one in lq.ildg.lfn(wrong).findings} == {"ildg-lfn-form"}
