# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Catalogues that are moved, mounted elsewhere, shared and read only: held against what lies in the folders."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time

import pytest

import limequat as lq
from conftest import random_links

LQ = os.environ.get("LQ_PROGRAM", "lq")


def settle(path, seconds=1_700_000_000):
    os.utime(path, (seconds, seconds))


def write(path, trajectory, **options):
    links = random_links(shape=(4, 2, 2, 2, 4), seed=trajectory)
    path.parent.mkdir(parents=True, exist_ok=True)
    lq.write(path, links, metadata={"xlf-info": f"trajectory nr = {trajectory}\nbeta = 6.0\n"}, **options)
    settle(path)


@pytest.fixture
def ensemble(tmp_path):
    """A folder with files and a catalogue beside it, in a folder that moves."""
    home = tmp_path / "home"
    for trajectory in (10, 20, 30):
        write(home / "run" / f"conf.{trajectory}.ildg", trajectory)
    lq.index(home / "run", db=home / "all.db")
    assert lq.scrub(db=home / "all.db")
    return home


def query(db, sql):
    with contextlib.closing(sqlite3.connect(db)) as connection:
        return connection.execute(sql).fetchall()


def change(db, *statements):
    with contextlib.closing(sqlite3.connect(db)) as connection:
        for one in statements:
            connection.execute(one)
        connection.commit()


def paths_of(db, expression=""):
    return [one.path for one in lq.find(expression, db=db)]


def below(folder):
    return sorted(str(path) for path in folder.rglob("conf*"))


def as_version_2(db, folder):
    """The catalogue as version 2 kept it: whole paths, and nothing of its own place."""
    with contextlib.closing(sqlite3.connect(db)) as connection:
        for table, column in [("folders", "path"), ("files", "path"), ("files", "series"), ("further_files", "path"),
                              ("sums", "path"), ("others", "path")]:
            connection.execute(f"UPDATE {table} SET {column} = ? || '/' || {column}", (str(folder),))
        for statement in ("DROP TABLE place", "ALTER TABLE files DROP COLUMN measured_link_trace",
                          "ALTER TABLE folders DROP COLUMN left_out", "PRAGMA user_version = 2"):
            connection.execute(statement)
        connection.commit()


def assert_is_as_it_was(db, folder):
    """Found, not read again, and with its history."""
    assert paths_of(db, "sound") == below(folder)
    report = lq.index(db=db)
    assert (report.files, report.unchanged, report.added, report.changed, report.missing) == (3, 3, 0, 0, 0)
    assert query(db, "SELECT count(*) FROM files") == [(3,)]
    assert lq.scrub(db=db) and query(db, "SELECT count(*) FROM verifications") == [(6,)]


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("from_inside", [False, True])
def test_an_ensemble_that_moves_with_its_catalogue_is_found(ensemble, tmp_path, monkeypatch, old, from_inside):
    if old:
        as_version_2(ensemble / "all.db", ensemble)
    new = tmp_path / "elsewhere" / "deep" / "home"
    new.parent.mkdir(parents=True)
    ensemble.rename(new)
    if from_inside:
        monkeypatch.chdir(new / "run")
        assert_is_as_it_was("../all.db", new / "run")
    else:
        assert_is_as_it_was(str(new / "all.db"), new / "run")
    assert {row[0] for row in query(new / "all.db", "SELECT path FROM files")} == {f"run/conf.{t}.ildg" for t in (10, 20, 30)}


def test_a_catalogue_inside_its_folder_moves_with_it(tmp_path):
    for trajectory in (10, 20, 30):
        write(tmp_path / "run" / f"conf.{trajectory}.ildg", trajectory)
    db = tmp_path / "run" / "lq-catalogue.db"
    lq.index(tmp_path / "run", db=db)
    lq.scrub(db=db)
    assert query(db, "SELECT path FROM folders") == [(".",)]
    (tmp_path / "run").rename(tmp_path / "walk")
    assert_is_as_it_was(str(tmp_path / "walk" / "lq-catalogue.db"), tmp_path / "walk")


@pytest.mark.parametrize("inside", [False, True])
def test_a_catalogue_that_moves_alone_still_finds_its_files(ensemble, tmp_path, inside):
    db = ensemble / "all.db"
    if inside:
        db = ensemble / "run" / "lq-catalogue.db"
        lq.index(ensemble / "run", db=db)
        lq.scrub(db=db)
    new = tmp_path / "desk" / "all.db"
    new.parent.mkdir()
    db.rename(new)
    assert_is_as_it_was(str(new), ensemble / "run")
    assert query(new, "SELECT path FROM folders") == [("../home/run",)]


def test_a_copy_of_both_means_the_copy(ensemble, tmp_path):
    shutil.copytree(ensemble, tmp_path / "copy")
    assert paths_of(tmp_path / "copy" / "all.db") == below(tmp_path / "copy" / "run")
    assert paths_of(ensemble / "all.db") == below(ensemble / "run")


def test_another_mount_of_the_same_folder(ensemble, tmp_path):
    (tmp_path / "mount").symlink_to(ensemble)
    db = str(tmp_path / "mount" / "all.db")
    assert paths_of(db) == below(ensemble / "run")
    report = lq.index(tmp_path / "mount" / "run", db=db)
    assert (report.unchanged, report.added) == (3, 0)


def test_files_that_are_moved_take_their_history_along(ensemble, tmp_path):
    """Alone, within their folder or to another one, and with the catalogue where it is."""
    db = ensemble / "all.db"
    (ensemble / "run" / "deep").mkdir()
    (ensemble / "run" / "conf.10.ildg").rename(ensemble / "run" / "deep" / "conf.10.ildg")
    report = lq.index(db=db)
    assert (report.files, report.added, report.changed, report.missing) == (3, 0, 1, 0)
    (ensemble / "run").rename(tmp_path / "walk")
    report = lq.index(tmp_path / "walk", db=db)
    assert (report.files, report.added, report.changed) == (3, 0, 3) and query(db, "SELECT count(*) FROM files") == [(3,)]
    data = bytearray((tmp_path / "walk" / "conf.20.ildg").read_bytes())
    data[-400] ^= 1
    (tmp_path / "walk" / "conf.20.ildg").write_bytes(data)
    settle(tmp_path / "walk" / "conf.20.ildg")
    assert [(os.path.basename(one.path), one.verdict) for one in lq.scrub(db=db).failed] == [("conf.20.ildg", "bit rot")]
    # A copy is another file.
    shutil.copytree(tmp_path / "walk", tmp_path / "copy")
    assert lq.index(tmp_path / "copy", db=db).added == 3


def test_a_folder_that_is_not_mounted_is_no_other_folder(ensemble, tmp_path):
    (ensemble / "desk").mkdir()
    db = ensemble / "desk" / "all.db"
    (ensemble / "all.db").rename(db)
    away = tmp_path / "away"
    (ensemble / "run").rename(away)
    assert lq.index(db=db).missing == 3
    away.rename(ensemble / "run")
    assert lq.index(db=db).missing == 0 and paths_of(db, "sound") == below(ensemble / "run")


@pytest.mark.parametrize("mount_point", [True, False])
def test_a_copy_does_not_take_the_place_of_what_is_out_of_sight(ensemble, tmp_path, mount_point):
    """Its mount point is empty, or not there at all."""
    db, run, away = ensemble / "all.db", ensemble / "run", tmp_path / "away"
    run.rename(away)
    if mount_point:
        run.mkdir()
    shutil.copytree(away, tmp_path / "copy")
    report = lq.index(tmp_path / "copy", db=db)
    assert (report.added, report.changed) == (3, 0)
    if mount_point:
        run.rmdir()
    away.rename(run)
    report = lq.index(run, db=db)
    assert (report.unchanged, report.added, report.missing) == (3, 0, 0)
    assert query(db, "SELECT count(*) FROM files") == [(6,)]
    assert query(db, "SELECT count(*) FROM verifications JOIN files ON files.id = file_id WHERE path LIKE 'run/%'") == [(3,)]


def test_a_file_that_is_copied_and_removed_was_moved(ensemble, tmp_path):
    """Others are left in its folder, which is there, then."""
    (tmp_path / "desk").mkdir()
    shutil.copy2(ensemble / "run" / "conf.10.ildg", tmp_path / "desk")
    (ensemble / "run" / "conf.10.ildg").unlink()
    report = lq.index(tmp_path / "desk", db=ensemble / "all.db")
    assert (report.added, report.changed) == (0, 1)


def test_an_old_catalogue_may_hold_a_folder_at_its_old_and_at_its_new_place(ensemble, tmp_path):
    """Version 2 kept whole paths: whoever moved an ensemble indexed it again."""
    db, new = ensemble / "all.db", tmp_path / "elsewhere" / "home"
    as_version_2(db, ensemble)
    new.parent.mkdir()
    ensemble.rename(new)
    with contextlib.closing(sqlite3.connect(new / "all.db")) as connection:
        for table in ("folders", "files"):
            there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            columns = ", ".join(sorted(there - {"id", "path"}))
            connection.execute(f"INSERT INTO {table} (path, {columns}) SELECT replace(path, '{ensemble}', '{new}'), {columns} FROM {table}")
        connection.commit()
    db = str(new / "all.db")
    report = lq.index(new / "run", db=db)
    assert (report.unchanged, report.added, report.changed) == (3, 0, 0)
    assert [path for path in paths_of(db) if path.startswith(str(new))] == below(new / "run")
    assert query(db, "PRAGMA user_version") == [(3,)]


# The superuser may write anywhere.
def as_nobody(folder, *words, **options):
    if os.geteuid() != 0:
        return subprocess.run([LQ, *words], cwd=folder, capture_output=True, text=True, timeout=120, **options)
    nobody = 65534
    environment = {**os.environ, "TMPDIR": "/tmp"}
    return subprocess.run([LQ, *words], cwd=folder, capture_output=True, text=True, timeout=120, user=nobody, group=nobody,
                          extra_groups=[], env=environment, **options)


def open_to_all(folder):
    for path in [folder, *folder.parents]:
        if path.stat().st_uid == os.geteuid():
            with contextlib.suppress(PermissionError):
                path.chmod(path.stat().st_mode | 0o055)


def test_a_folder_that_may_not_be_read_is_a_problem(ensemble, tmp_path):
    """Also one below the folder that is named: what it contains is not known to be sound."""
    open_to_all(tmp_path)
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o777)
    closed = ensemble / "run" / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        for folder in ("run", "run/closed"):
            done = as_nobody(ensemble, "index", "--db", str(place / "new.db"), folder)
            assert done.returncode == 3 and f"{closed}: unreadable: cannot read the folder: Permission denied" in done.stdout, done.stderr
    finally:
        closed.chmod(0o755)


def test_a_folder_that_may_not_be_written_to_is_read(ensemble, tmp_path):
    open_to_all(tmp_path)
    before = (ensemble / "all.db").read_bytes()
    page = tmp_path / "page"
    page.mkdir()
    page.chmod(0o777)
    folders = [ensemble, ensemble / "run"]
    try:
        for folder in folders:
            folder.chmod(0o555)
        (ensemble / "all.db").chmod(0o444)
        db = ["--db", "all.db"]
        found = as_nobody(ensemble, "find", "--paths", "sound", *db)
        assert (found.returncode, found.stdout.split()) == (0, below(ensemble / "run")), found.stderr
        report = as_nobody(ensemble, "report", "run", "-o", str(page / "page.html"), *db)
        assert report.returncode == 0 and (page / "page.html").exists(), report.stderr
        verified = as_nobody(ensemble, "verify", "-r", "run")
        assert verified.returncode == 0, verified.stderr
        for verb in ("index", "scrub"):
            refused = as_nobody(ensemble, verb, *db)
            assert refused.returncode == 4 and "no permission to write" in refused.stderr
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (ensemble / "all.db").read_bytes() == before and not (ensemble / "all.db-journal").exists()


def test_none_is_made_where_a_link_points(tmp_path):
    """The link may be another user's."""
    write(tmp_path / "run" / "conf.1.ildg", 1)
    (tmp_path / "all.db").symlink_to("elsewhere")
    with pytest.raises(lq.InvalidArgument, match="all.db: .*no target"):
        lq.index(tmp_path / "run", db=tmp_path / "all.db")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("of_file", [0o664, 0o444])
@pytest.mark.parametrize("mask, rights", [(0o002, 0o664), (0o022, 0o644), (0o077, 0o600)])
def test_its_rights_are_those_of_the_umask(tmp_path, mask, rights, of_file):
    before = os.umask(mask)
    try:
        write(tmp_path / "run" / "conf.1.ildg", 1)
        (tmp_path / "run" / "conf.1.ildg").chmod(of_file)
        lq.index(tmp_path / "run", db=tmp_path / "all.db")
    finally:
        os.umask(before)
    assert (tmp_path / "all.db").stat().st_mode & 0o777 == rights


NO_LOCKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
static int refuse(int command) { return command == F_SETLK || command == F_SETLKW || command == F_GETLK; }
#define DEFINE(name) \
  int name(int file, int command, ...) { \
    va_list arguments; \
    va_start(arguments, command); \
    void* argument = va_arg(arguments, void*); \
    va_end(arguments); \
    if (refuse(command)) { errno = ENOLCK; return -1; } \
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, #name); \
    return real(file, command, argument); \
  }
DEFINE(fcntl)
DEFINE(fcntl64)
"""


def test_a_file_system_without_locks_can_be_read(ensemble, tmp_path):
    """As NFS without a lock manager answers."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "locks.c").write_text(NO_LOCKS)
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", tmp_path / "locks.so", tmp_path / "locks.c", "-ldl"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "locks.so")}

    def run(*words):
        begun = time.monotonic()
        done = subprocess.run([LQ, *words], cwd=ensemble, env=environment, capture_output=True, text=True, timeout=120)
        assert time.monotonic() - begun < 60
        return done

    found = run("find", "--paths", "--db", "all.db")
    assert (found.returncode, found.stdout.split()) == (0, below(ensemble / "run")), found.stderr
    assert run("report", "-o", "page.html", "--db", "all.db").returncode == 0
    before = (ensemble / "all.db").read_bytes()
    for words in (("index", "run", "--db", "all.db"), ("scrub", "--db", "all.db"), ("index", "run", "--db", "new.db")):
        refused = run(*words)
        assert refused.returncode == 4 and "has no locks" in refused.stderr and "--db" in refused.stderr, refused
    assert (ensemble / "all.db").read_bytes() == before
    # Half of a transaction is no catalogue.
    (ensemble / "all.db-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
    assert "has no locks" in run("find", "--db", "all.db").stderr


def test_files_and_folders_are_left_out(tmp_path):
    root, db = tmp_path / "run", tmp_path / "all.db"
    for name in ("conf.1.ildg", "conf.2.ildg", "old/conf.3.ildg", "deep/old/conf.4.ildg", "scratch/a/conf.5.ildg", "b,c/conf.6.ildg"):
        write(root / name, 1)
    (root / "x.tmp").write_text("nothing")

    def names():
        return sorted(os.path.relpath(path, root) for path in paths_of(db, "not missing"))

    report = lq.index(root, db=db, exclude="*.tmp,old/,scratch/*,./conf.2*,b?c")
    assert names() == ["conf.1.ildg"] and report.others == 0
    assert lq.index(db=db).files == 1  # the folders of before, as before
    assert lq.index(root, db=db).files == 1
    lq.index(root, db=db, exclude=",")
    assert len(names()) == 6
    # What is known stays, until it is to be forgotten.
    assert lq.index(root, db=db, exclude="old").missing == 0 and len(names()) == 6
    assert lq.index(root, db=db, exclude="old", forget=True).forgotten == 2 and len(names()) == 4
    page = tmp_path / "page.html"
    lq.report_page(root, page, db=tmp_path / "other.db") if (tmp_path / "other.db").exists() else None
    done = subprocess.run([LQ, "index", "run", "--db", "two.db", "--exclude", "old", "--exclude", "scratch", "-q"], cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(os.path.basename(path) for path in paths_of(tmp_path / "two.db")) == ["conf.1.ildg", "conf.2.ildg", "conf.6.ildg"]


def test_links_to_folders_are_told(tmp_path):
    write(tmp_path / "run" / "conf.1.ildg", 1)
    write(tmp_path / "away" / "conf.2.ildg", 2)
    (tmp_path / "run" / "more.ildg").symlink_to(tmp_path / "away")
    (tmp_path / "run" / "gone").symlink_to(tmp_path / "nothing")
    db = tmp_path / "all.db"
    for _ in range(2):
        report = lq.index(tmp_path / "run", db=db)
        told = {pathlib.Path(one["path"]).name: one["what"] for one in report.strangers}
        assert "more.ildg" in told and f"a link to the folder {tmp_path / 'away'}" in told["more.ildg"]
        assert report.files == 1
    verified = lq.verify_below(tmp_path / "run")
    assert any("a link to the folder" in (one.problem or "") for one in map(lq_dict, verified.strangers))
    (tmp_path / "run" / "more.ildg").unlink()
    assert "more.ildg" not in str(lq.index(tmp_path / "run", db=db).strangers)


def lq_dict(one):
    return type("Stranger", (), {"problem": one.get("problem")})


def test_two_indexes_at_once_make_one_catalogue(tmp_path):
    for number in range(40):
        write(tmp_path / "run" / f"conf.{number}.ildg", number)
    running = [subprocess.Popen([LQ, "index", "run", "--db", "all.db", "-q", "-j", "1"], cwd=tmp_path) for _ in range(4)]
    assert [process.wait(timeout=240) for process in running] == [0] * 4
    assert query(tmp_path / "all.db", "SELECT count(*) FROM files") == [(40,)]
    assert query(tmp_path / "all.db", "PRAGMA integrity_check") == [("ok",)]
    assert lq.index(tmp_path / "run", db=tmp_path / "all.db").unchanged == 40


def test_scrub_takes_folders_expressions_and_a_rate(tmp_path):
    root, db = tmp_path / "run", tmp_path / "all.db"
    for number in (1, 2, 3):
        write(root / "a" / f"conf.{number}.ildg", number)
    write(root / "b" / "conf.1.ildg", 7)
    lq.index(root, db=db)
    assert lq.scrub(root / "a", db=db).due == 3
    assert lq.scrub(root / "b" / "conf.1.ildg", db=db).due == 1
    assert lq.scrub("trajectory>=2", db=db).due == 3
    assert lq.scrub(f"below={root / 'a'} trajectory>=2", db=db).due == 2
    assert lq.scrub(f"below!={root / 'a'}", db=db).due == 1
    assert lq.scrub("indexed", db=db).due == 0 and lq.scrub(db=db, since="1h").due == 0
    with pytest.raises(lq.InvalidArgument, match="did you mean \"trajectory\""):
        lq.scrub("trajectry>1", db=db)
    for rate in ("", "0", "-1", "M", "1X", "nan", "1e30"):
        if rate:
            with pytest.raises(lq.InvalidArgument, match="expected bytes in a second"):
                lq.scrub(db=db, rate=rate)
    size = (root / "b" / "conf.1.ildg").stat().st_size
    begun = time.monotonic()
    assert lq.scrub(root / "a", db=db, rate=f"{size * 3}B/s", threads=3)
    assert time.monotonic() - begun > 0.6  # three files, each of a third of a second, the last of which is waited for in part


def test_a_file_that_was_being_written_gives_no_warning_when_it_is_whole(tmp_path):
    root, db = tmp_path / "run", tmp_path / "all.db"
    write(root / "conf.1.ildg", 1)
    whole = (root / "conf.1.ildg").read_bytes()
    (root / "conf.1.ildg").write_bytes(whole[:-3000])
    assert lq.index(root, db=db).incomplete == 1
    (root / "conf.1.ildg").write_bytes(whole)
    report = lq.index(db=db)
    assert report.changed == 1 and report.warnings == []


def test_find_puts_unknown_values_last_and_ends_paths_with_nul(tmp_path):
    root, db = tmp_path / "run", tmp_path / "all.db"
    for number in (1, 2):
        write(root / f"conf.{number}.ildg", number)
    lq.write(root / "odd\nname.ildg", random_links(shape=(4, 2, 2, 2, 4)))
    settle(root / "odd\nname.ildg")
    lq.index(root, db=db)
    for sort in ("trajectory", "-trajectory"):
        assert lq.find(db=db, sort=sort)[-1].trajectory is None
    for flag in ("-0", "--null"):
        done = subprocess.run([LQ, "find", flag, "--db", db], capture_output=True, check=True)
        assert done.stdout.split(b"\0") == [os.fsencode(path) for path in paths_of(db)] + [b""]
    with pytest.raises(lq.InvalidArgument, match='no file of the catalogue has a "bta"; did you mean "beta"'):
        lq.find("bta=6.0", db=db)
    with pytest.raises(lq.InvalidArgument, match='did you mean "damaged"'):
        lq.find("not damged", db=db)
    done = subprocess.run([LQ, "find", "plaqette>0.1", "--db", db], capture_output=True, text=True)
    assert done.returncode == 2 and 'did you mean "plaquette"' in done.stderr and done.stdout == ""
    with pytest.raises(lq.InvalidArgument, match='has a "run2", nor is there such a file or folder'):
        lq.scrub("run2", db=db)
