# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Whole ensembles in one command: converted, compared, cut, summed, changed; held against plain numpy and sha256sum."""

import fcntl
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess

import numpy as np
import pytest

import killing
import limequat as lq
import limequat.changing
import limequat.publishing
from conftest import random_links

LQ = os.environ.get("LQ_PROGRAM", "lq")


def links_of(number):
    return random_links(shape=(4, 2, 2, 2, 4), seed=number)


def write(path, number, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    lq.write(path, links_of(number), metadata={"xlf-info": f"trajectory nr = {number}\nbeta = 6.0\n"}, **options)


def run(folder, *words, **options):
    return subprocess.run([LQ, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=240, **options)


@pytest.fixture
def tree(tmp_path):
    """A folder of six configurations, a README and a link to a folder."""
    for stream in ("r0", "r1/deep"):
        for number in (1, 2, 3):
            write(tmp_path / "run" / stream / f"conf.{number}.ildg", number + 10 * (stream != "r0"))
    (tmp_path / "run" / "README").write_text("text")
    (tmp_path / "run" / "link").symlink_to("r0")
    return tmp_path


def spoil(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


PLACES = [f"{stream}/conf.{number}" for stream in ("r0", "r1/deep") for number in (1, 2, 3)]


def number_of(place):
    return int(place[-1]) + 10 * place.startswith("r1")


@pytest.mark.parametrize("threads", [1, 3])
def test_a_folder_is_converted_as_a_tree(tree, threads):
    done = run(tree, "convert", "run", "out", "--to", "nersc", "-j", threads)
    assert done.returncode == 0, done.stderr
    found = sorted(str(path.relative_to(tree / "out")) for path in (tree / "out").rglob("*.nersc"))
    assert found == sorted(f"{place}.nersc" for place in PLACES)
    for place in PLACES:
        assert np.array_equal(lq.read(tree / "out" / f"{place}.nersc"), links_of(number_of(place)))
    assert done.stdout.splitlines()[-1].startswith("out: 6 files written, 0 failed")
    log = (tree / "out" / "lq-convert.log").read_text().splitlines()
    assert sorted(line.split("\t")[0].split(" ", 1)[1] for line in log) == found


def test_what_is_there_is_skipped_and_what_is_not_whole_is_not(tree):
    assert run(tree, "convert", "run", "out", "--to", "nersc").returncode == 0
    stamps = {path: path.stat().st_mtime_ns for path in (tree / "out").rglob("*.nersc")}
    gone, cut = tree / "out" / "r0" / "conf.2.nersc", tree / "out" / "r0" / "conf.3.nersc"
    gone.unlink()
    cut.write_bytes(cut.read_bytes()[:5000])
    again = run(tree, "convert", "run", "out", "--to", "nersc", "--skip-existing", "--overwrite")
    assert again.returncode == 0 and "2 files written, 4 skipped, 0 failed" in again.stdout, again
    assert np.array_equal(lq.read(gone), links_of(2)) and np.array_equal(lq.read(cut), links_of(3))
    for path, stamp in stamps.items():
        if path not in (gone, cut):
            assert path.stat().st_mtime_ns == stamp
    os.utime(tree / "run" / "r0" / "conf.1.ildg")
    younger = run(tree, "convert", "run", "out", "--to", "nersc", "--skip-existing")
    assert "its source is newer" in younger.stderr


def test_a_conversion_that_is_killed_goes_on(tree):
    for number in range(100, 140):
        write(tree / "run" / "r2" / f"conf.{number}.ildg", number)
    process = subprocess.Popen([LQ, "convert", "run", "out", "--to", "nersc", "-j", "2"], cwd=tree, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    done = run(tree, "convert", "run", "out", "--to", "nersc", "--skip-existing")
    assert done.returncode == 0, done.stderr
    assert len(list((tree / "out").rglob("*.nersc"))) == 46 and lq.verify_below(tree / "out").ok is not None
    assert run(tree, "diff", "run", "out").returncode == 0


def test_a_dry_run_finds_what_would_fail(tree):
    spoil(tree / "run" / "r0" / "conf.1.ildg")
    (tree / "run" / "r0" / "conf.4.ildg").write_bytes(b"")
    dry = run(tree, "convert", "run", "out", "--to", "nersc", "--dry-run")
    assert not (tree / "out").exists()
    real = run(tree, "convert", "run", "out", "--to", "nersc")
    assert dry.returncode == real.returncode == 3
    for name in ("conf.1.ildg", "conf.4.ildg"):
        assert name in dry.stderr and name in real.stderr
    assert "5 files would be written, 2 failed" in dry.stdout and "5 files written, 2 failed" in real.stdout
    # Options that cannot be.
    assert run(tree, "convert", "run", "out2", "--to", "milc", "--dry-run").returncode == run(tree, "convert", "run", "out2", "--to", "milc").returncode
    # What is there already.
    (tree / "run" / "r0" / "conf.4.ildg").unlink()
    blocked = run(tree, "convert", "run/r1", "out/r1", "--to", "nersc", "--dry-run")
    assert blocked.returncode == 2 and "already" in blocked.stderr


def test_folders_are_refused_where_they_cannot_be(tree):
    assert "--format" in run(tree, "convert", "run", "out").stderr
    assert run(tree, "convert", "nothing", "out/", "--to", "nersc").returncode == 3
    shutil.copy(tree / "run" / "r0" / "conf.1.ildg", tree / "run" / "r0" / "conf.1.lime")
    clash = run(tree, "convert", "run", "out", "--to", "nersc")
    assert clash.returncode == 2 and "would both become" in clash.stderr
    # A target within the source is none of its files.
    (tree / "run" / "r0" / "conf.1.lime").unlink()
    for _ in range(2):
        assert run(tree, "convert", "run", "run/nersc", "--to", "nersc", "--overwrite").returncode == 0
    assert len(list((tree / "run").rglob("*.nersc"))) == 6


def test_several_folders_and_files_go_into_one(tree):
    done = run(tree, "convert", "run/r0", "run/r1", "run/r0/conf.1.ildg", "out", "--to", "scidac")
    assert done.returncode == 0, done.stderr
    found = sorted(str(path.relative_to(tree / "out")) for path in (tree / "out").rglob("*.scidac"))
    assert found == sorted(["conf.1.scidac", *(f"r0/conf.{n}.scidac" for n in (1, 2, 3)), *(f"r1/deep/conf.{n}.scidac" for n in (1, 2, 3))])


def test_json_has_each_file_and_a_summary(tree):
    spoil(tree / "run" / "r0" / "conf.1.ildg")
    done = run(tree, "convert", "run", "out", "--to", "nersc", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1]["summary"] == {"folder": "out", "converted": 5, "skipped": 0, "failed": 1, "foreign": 2,
                                    "bytes": lines[-1]["summary"]["bytes"], "dry_run": False}
    assert sum("source" in line for line in lines) == 5 and sum("error" in line for line in lines) == 1


def test_two_folders_are_compared(tree):
    shutil.copytree(tree / "run", tree / "copy", symlinks=True)
    assert run(tree, "diff", "run", "copy").returncode == 0
    changed = links_of(2)
    changed[1, 0, 1, 0, 2, 1, 1] += 1e-3
    lq.write(tree / "copy" / "r0" / "conf.2.ildg", changed, overwrite=True)
    (tree / "copy" / "r0" / "conf.3.ildg").unlink()
    write(tree / "copy" / "r0" / "conf.9.ildg", 9)
    for threads in (1, 3):
        done = run(tree, "diff", "run", "copy", "-j", threads)
        assert done.returncode == 1
        assert "run/r0/conf.2.ildg and copy/r0/conf.2.ildg: 1 of" in done.stdout
        assert "run/r0/conf.3.ildg: exists only there" in done.stdout and "copy/r0/conf.9.ildg: exists only there" in done.stdout
        assert done.stdout.splitlines()[-1].endswith("4 pairs of the same numbers, 1 different, 2 without a partner, 0 failed")
    assert "3 pairs" not in run(tree, "diff", "run", "copy", "--tolerance", "1e-2").stdout
    summary = json.loads(run(tree, "diff", "run", "copy", "--json").stdout.splitlines()[-1])["summary"]
    assert (summary["same"], summary["different"], len(summary["unpaired"])) == (4, 1, 2)
    spoil(tree / "run" / "r0" / "conf.1.ildg")
    assert "conf.1.ildg" in run(tree, "diff", "run", "copy").stdout + run(tree, "diff", "run", "copy").stderr
    refused = run(tree, "diff", "run", "copy/r0/conf.1.ildg")
    assert refused.returncode == 2 and "folder" in refused.stderr


@pytest.mark.parametrize("text, slices", [("t=1", slice(1, 2)), ("t=-1", slice(3, 4)), ("t=-2", slice(2, 3)), ("t=1:3", slice(1, 3))])
def test_a_time_slice_of_many_files(tree, text, slices):
    done = run(tree, "extract", "--slice", text, "run")
    assert done.returncode == 0, done.stderr
    out = tree / f"run.{text.replace('=', '')}"
    for place in PLACES:
        assert np.array_equal(lq.read(out / f"{place}.ildg"), links_of(number_of(place))[slices])
    assert run(tree, "extract", "--slice", text, "run/r0/conf.1.ildg", "one", "--to", "scidac").returncode == 0
    assert np.array_equal(lq.read(tree / "one" / "conf.1.scidac"), links_of(1)[slices])


def test_slices_that_are_not_there_are_refused(tree):
    done = run(tree, "extract", "--slice", "t=4", "run/r0", "out")
    assert done.returncode == 2 and "not a part of the 4 sites" in done.stderr and not list((tree / "out").rglob("*.ildg"))
    assert run(tree, "extract", "run/r0/conf.1.ildg").returncode == 2
    assert run(tree, "extract", "run/r0/conf.1.ildg", "xlf-info", "text").returncode == 0
    assert "trajectory nr = 1" in (tree / "text").read_text()


@pytest.mark.parametrize("box, index", [("t=1", np.s_[1:2]), ("t=1:3,x=1", np.s_[1:3, :, :, 1:2]), ("y=:1,z=-1", np.s_[:, 1:2, 0:1, :]),
                                        ("t=:", np.s_[:])])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_box_is_printed_and_saved(tmp_path, box, index, precision):
    path = tmp_path / "conf.ildg"
    write(path, 5, precision=precision)
    expected = lq.read(path)[index]
    done = run(tmp_path, "dump", path, "--box", box, "-o", "box.npy")
    assert done.returncode == 0, done.stderr
    array = np.load(tmp_path / "box.npy")
    assert array.dtype == (np.complex128 if precision == "double" else np.complex64) and np.array_equal(array, expected)
    columns = np.loadtxt(run(tmp_path, "dump", path, "--box", box).stdout.splitlines(), ndmin=2)
    numbers = columns[:, 4::2] + 1j * columns[:, 5::2]
    assert np.array_equal(numbers.astype(expected.dtype), expected.reshape(len(columns), -1))
    t, z, y, x = (columns[:, axis].astype(int) for axis in (3, 2, 1, 0))
    assert np.array_equal(lq.read(path)[t, z, y, x].reshape(len(columns), -1), numbers.astype(expected.dtype))
    answer = json.loads(run(tmp_path, "dump", path, "--box", box, "--json").stdout)
    assert np.array_equal(np.array(answer["numbers"]).reshape(answer["shape"])[..., 0].astype(expected.real.dtype), expected.real)
    assert run(tmp_path, "dump", path, "--box", box, "-o", "box.npy").returncode == 2  # it exists
    assert run(tmp_path, "dump", path, "--box", box, "-o", "box.npy", "--overwrite").returncode == 0


def test_boxes_that_cannot_be_are_refused(tmp_path):
    write(tmp_path / "conf.ildg", 5)
    for words in ((), ("--box", "t=4"), ("--box", "u=1"), ("--box", "t=1", "--site", "0,0,0,0"), ("--site", "0,0,0,0", "-o", "x.npy")):
        done = run(tmp_path, "dump", "conf.ildg", *words)
        assert done.returncode == 2 and done.stderr, words
    spoil(tmp_path / "conf.ildg")
    assert run(tmp_path, "dump", "conf.ildg", "--box", "t=:", "-o", "x.npy").returncode == 1 and not (tmp_path / "x.npy").exists()


# --- manifests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["md5", "sha256", "sha512"])
def test_a_manifest_is_that_of_coreutils(tree, algorithm):
    (tree / "run" / "odd\nname\\.txt").write_text("x")
    answer = lq.manifest(tree / "run", algorithm=algorithm)
    assert answer and (answer.files, answer.verified) == (8, 6) and answer.links == ["link"]
    program = shutil.which(f"{algorithm}sum")
    if program:
        done = subprocess.run([program, "--strict", "-c", f"manifest-{algorithm}.txt"], cwd=tree / "run", capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.count("OK") == 8, done.stderr
    for line in (tree / "run" / f"manifest-{algorithm}.txt").read_text().splitlines():
        if not line.startswith("\\"):
            digest, name = line.split("  ", 1)
            assert hashlib.new(algorithm, (tree / "run" / name).read_bytes()).hexdigest() == digest
    checked = lq.check_manifest(tree / "run")
    assert checked and (checked.sound, checked.files) == (8, 8) and checked.added == []


def test_a_manifest_may_lie_above_its_folder_or_elsewhere(tree):
    lq.manifest(tree / "run", tree / "sums.md5", algorithm="md5")
    places = [line.split("  ", 1)[1] for line in (tree / "sums.md5").read_text().splitlines()]
    assert len(places) == 7 and all(place.startswith("run/") and (tree / place).exists() for place in places)
    checked = lq.check_manifest(tree / "sums.md5")
    assert checked and checked.sound == 7 and checked.added == []
    (tree / "else").mkdir()
    lq.manifest(tree / "run", tree / "else" / "sums")
    assert lq.check_manifest(tree / "else" / "sums", folder=tree / "run")
    assert len(lq.check_manifest(tree / "else" / "sums").missing) == 7


def test_a_manifest_is_written_over_nothing_that_is_damaged(tree):
    spoil(tree / "run" / "r0" / "conf.1.ildg")
    with pytest.raises(lq.ChecksumError, match="conf.1.ildg"):
        lq.manifest(tree / "run")
    assert not (tree / "run" / "manifest-sha256.txt").exists()
    assert run(tree, "manifest", "run").returncode == 1
    answer = lq.manifest(tree / "run", accept_damage=True)
    assert [pathlib.Path(one.path).name for one in answer.damaged] == ["conf.1.ildg"]
    checked = lq.check_manifest(tree / "run")  # the digest agrees, the file is damaged all the same
    assert not checked and checked.changed == [] and [one.path for one in checked.damaged] == ["r0/conf.1.ildg"]
    assert lq.check_manifest(tree / "run", verify=False)


def test_files_that_go_while_a_manifest_is_made(tree):
    """They were read; what is wrong with their lines is said by whoever checks them."""
    names = sorted(path for path in (tree / "run").rglob("*") if path.is_file())
    sizes = sum(path.stat().st_size for path in names)

    def remove(done, _):
        if done == 1:
            names[0].unlink()

    answer = lq.manifest(tree / "run", threads=1, progress=remove)
    assert (answer.files, answer.bytes) == (len(names), sizes)
    assert lq.check_manifest(tree / "run").missing == [str(names[0].relative_to(tree / "run"))]


def test_a_name_that_another_program_takes_meanwhile_stays_its_own(tree, monkeypatch):
    target = tree / "run" / "manifest-sha256.txt"

    def take(done, files):
        if done == files:
            target.write_text("of another program")

    with pytest.raises(lq.Exists, match="manifest-sha256.txt"):
        lq.manifest(tree / "run", progress=take)
    new = limequat.publishing.NewFiles(False)
    with pytest.raises(lq.Exists, match="in the meantime.*overwrite"), new:
        new.write(str(tree / "one.txt"), [b"ours"])
        (tree / "one.txt").write_text("theirs")
    assert (tree / "one.txt").read_text() == "theirs" and target.read_text() == "of another program"

    def compare(*words, **options):
        (tree / "changed.ildg").write_text("theirs")
        return lq.diff(*words, **options)

    monkeypatch.setattr(limequat.changing, "diff", compare)
    source = next((tree / "run").rglob("*.ildg"))
    with pytest.raises(lq.Exists, match="changed.ildg"):
        lq.set_metadata(source, {"beta": 6.1}, output=tree / "changed.ildg")
    assert (tree / "changed.ildg").read_text() == "theirs"
    assert not [path for path in tree.rglob(".*") if path.is_file()]
    lq.set_metadata(source, {"beta": 6.1}, output=tree / "changed.ildg", overwrite=True)
    assert lq.info(tree / "changed.ildg")["format"] == "ildg"


def test_what_has_changed_is_told(tree):
    lq.manifest(tree / "run")
    spoil(tree / "run" / "r0" / "conf.1.ildg")
    (tree / "run" / "README").write_text("another")
    (tree / "run" / "r0" / "conf.2.ildg").unlink()
    (tree / "run" / "new").write_text("new")
    checked = lq.check_manifest(tree / "run")
    assert not checked and sorted(checked.changed) == ["README", "r0/conf.1.ildg"]
    assert checked.missing == ["r0/conf.2.ildg"] and checked.added == ["new"]
    done = run(tree, "manifest", "--check", "run")
    assert done.returncode == 1 and "r0/conf.2.ildg: missing" in done.stdout
    with pytest.raises(lq.Exists):
        lq.manifest(tree / "run")


def test_what_shows_a_private_file_is_private(tmp_path):
    write(tmp_path / "conf.ildg", 1)
    os.chmod(tmp_path / "conf.ildg", 0o600)
    for words in (("--vtk", "-o", "a.pvd"), ("--vtk", "-o", "a.pvd", "--overwrite"), ("--virtual", "-o", "a.h5"), ("--references", "-o", "a.json")):
        run(tmp_path, "export", "conf.ildg", *words, check=True)
    made = [path for path in tmp_path.iterdir() if path.name.startswith("a")]
    assert len(made) == 7 and all(path.stat().st_mode & 0o777 == 0o600 for path in made)


def test_files_of_a_set_are_verified_with_it(tmp_path):
    """A subfile alone looks like a file that was cut; what is damaged is the set."""
    write(tmp_path / "conf.ildg", 1)
    lq.repartition(tmp_path / "conf.ildg", tmp_path / "conf.set", to="t=block:2")
    parts = sorted(tmp_path.glob("conf.set.*"))
    assert len(parts) == 2 and lq.verify(parts[0]).verdict == "incomplete"
    answer = lq.manifest(tmp_path)
    assert answer.files == 4 and answer.verified == 2 and answer.damaged == [] and lq.check_manifest(tmp_path)
    spoil(parts[1])
    with pytest.raises(lq.ChecksumError, match="conf.set: damaged"):
        lq.manifest(tmp_path, overwrite=True)
    parts[0].rename(tmp_path / "conf.set.0123abcd.0000")  # belongs to no set
    (tmp_path / "conf.set").unlink()
    with pytest.raises(lq.ChecksumError, match="0123abcd.0000: incomplete"):
        lq.manifest(tmp_path, overwrite=True)


def test_a_bag_is_one(tree):
    bag = tree / "bag"
    bag.mkdir()
    (tree / "run").rename(bag / "data")
    answer = lq.manifest(bag, bag=True)
    assert answer.files == 7
    assert (bag / "bagit.txt").read_text() == "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    sums = dict(reversed(line.split("  ", 1)) for line in (bag / "manifest-sha256.txt").read_text().splitlines())
    payload = [path for path in (bag / "data").rglob("*") if path.is_file() and "link" not in path.parts]
    assert sums == {str(path.relative_to(bag)): hashlib.sha256(path.read_bytes()).hexdigest() for path in payload}
    size = sum(path.stat().st_size for path in payload)
    assert f"Payload-Oxum: {size}.{len(payload)}\n" in (bag / "bag-info.txt").read_text()
    tags = dict(reversed(line.split("  ", 1)) for line in (bag / "tagmanifest-sha256.txt").read_text().splitlines())
    assert tags == {name: hashlib.sha256((bag / name).read_bytes()).hexdigest() for name in ("bagit.txt", "bag-info.txt", "manifest-sha256.txt")}
    assert lq.check_manifest(bag)
    (bag / "data" / "extra").write_text("x")
    assert not lq.check_manifest(bag)
    (bag / "data" / "extra").unlink()
    with open(bag / "bag-info.txt", "a") as file:
        file.write("Contact-Name: nobody\n")
    assert lq.check_manifest(bag).changed == ["bag-info.txt"]
    with pytest.raises(lq.InvalidArgument, match='folder "data"'):
        lq.manifest(tree / "bag" / "data", bag=True)


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
def test_a_bag_is_replaced_at_one_moment(tmp_path, algorithm):
    """At any time it is the old bag or the new one, and whole: tag manifests are optional."""
    bag = tmp_path / "bag"
    seen = set()
    for number in range(1, 100):
        shutil.rmtree(bag, ignore_errors=True)
        (bag / "data").mkdir(parents=True)
        (bag / "data" / "a").write_text("payload")
        lq.manifest(bag, bag=True)
        with open(bag / "bag-info.txt", "a") as file:
            file.write("Contact-Name: nobody\n  at home\n")
        (bag / "tagmanifest-sha256.txt").unlink()
        is_killed = killing.is_killed(lambda: lq.manifest(bag, bag=True, algorithm=algorithm, overwrite=True), number)
        assert lq.check_manifest(bag), (number, os.listdir(bag))
        seen.add(len([path for path in bag.glob("*manifest-*")]))
        lq.manifest(bag, bag=True, algorithm=algorithm, overwrite=True)
        assert lq.check_manifest(bag) and "Contact-Name: nobody\n  at home\n" in (bag / "bag-info.txt").read_text()
        if not is_killed:
            break
    assert number > 8 and len(seen) > 1
    names = [path.name for path in bag.iterdir() if path.suffix == ".txt"]
    assert sorted(names) == sorted({"bagit.txt", "bag-info.txt", "manifest-sha256.txt", f"manifest-{algorithm}.txt", f"tagmanifest-{algorithm}.txt"})
    tags = dict(reversed(line.split("  ", 1)) for line in (bag / f"tagmanifest-{algorithm}.txt").read_text().splitlines())
    assert tags == {name: hashlib.new(algorithm, (bag / name).read_bytes()).hexdigest() for name in names if not name.startswith("tag")}


@pytest.mark.parametrize("line", ["0" * 64 + "  /etc/passwd", "0" * 64 + "  ../x", "zz  x", "0" * 63 + "  x", "\\" + "0" * 64 + "  a/../../x"])
def test_manifests_that_lead_elsewhere_are_refused(tmp_path, line):
    (tmp_path / "manifest-sha256.txt").write_text(line + "\n")
    with pytest.raises(lq.Malformed):
        lq.check_manifest(tmp_path)
    assert run(tmp_path, "manifest", "--check", ".").returncode == 3


def test_one_pass_reads_each_file_once(tree, monkeypatch):
    """What is read of a sound file is its size and little more, though it is verified and summed."""
    read = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda file, count, at: read.append(len(data := pread(file, count, at))) or data)
    lq.manifest(tree / "run" / "r0", threads=1)
    size = sum(path.stat().st_size for path in (tree / "run" / "r0").glob("conf*"))
    assert size <= sum(read) < 3 * size  # small files: headers are read more than once


# --- texts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["ildg", "scidac", "nersc", "h5"])
def test_a_text_is_changed_and_nothing_else(tmp_path, suffix):
    path = tmp_path / f"conf.{suffix}"
    write(path, 7)
    path.chmod(0o640)
    before = lq.read(path)
    made = lq.set_metadata(path, {"beta": 6.25})
    assert made.path == str(path) and np.array_equal(lq.read(path), before) and lq.verify(path)
    assert "beta = 6.25" in run(tmp_path, "info", path).stdout.replace("6.250", "6.25")
    assert path.stat().st_mode & 0o777 == 0o640 and os.listdir(tmp_path) == [path.name]
    done = run(tmp_path, "set", path.name, "beta=5.5", "-o", f"new.{suffix}")
    assert done.returncode == 0, done.stderr
    assert np.array_equal(lq.read(tmp_path / f"new.{suffix}"), before) and "beta = 6.25" in run(tmp_path, "info", path).stdout


def test_a_field_gets_another_name(tmp_path):
    path = tmp_path / "links.scidac"
    write(path, 7, name="gauge")
    assert run(tmp_path, "set", "links.scidac", "--name", "smeared").returncode == 0
    assert [field.name for field in lq.info(path).fields] == ["smeared"] and np.array_equal(lq.read(path, field="smeared"), links_of(7))


def test_changes_that_cannot_be_leave_the_file(tmp_path):
    path = tmp_path / "conf.ildg"
    write(path, 7)
    before = path.read_bytes()
    for words in ((), ("beta",), ("=6",)):
        assert run(tmp_path, "set", "conf.ildg", *words).returncode == 2
    assert run(tmp_path, "set", "none.ildg", "beta=1").returncode == 3
    (tmp_path / "there.ildg").write_text("x")
    assert run(tmp_path, "set", "conf.ildg", "beta=1", "-o", "there.ildg").returncode == 2
    assert path.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["conf.ildg", "there.ildg"]
    spoil(path)
    damaged = path.read_bytes()
    assert run(tmp_path, "set", "conf.ildg", "beta=1").returncode != 0
    assert path.read_bytes() == damaged and len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("suffix", ["ildg", "scidac"])
def test_the_system_is_asked_to_share_blocks(tmp_path, monkeypatch, suffix):
    """On a file system that can, as Linux describes the call; all blocks of the data but the first and the last."""
    path = tmp_path / f"conf.{suffix}"
    lq.write(path, random_links(shape=(8, 4, 4, 4, 4)), metadata={"xlf-info": "beta = 6.0"})
    shared = []

    def ioctl(source, request, argument):
        at, length, count, _, _, target, target_at, _, _, _ = struct.unpack("=QQHHIqQQiI", bytes(argument))
        block = os.fstatvfs(source).f_bsize
        assert request == 0xC0189436 and count == 1 and (at % block, target_at % block, length % block) == (0, 0, 0)
        is_same = os.pread(source, length, at) == os.pread(target, length, target_at)
        shared.append(length if is_same else 0)
        argument[:] = struct.pack("=QQHHIqQQiI", at, length, count, 0, 0, target, target_at, shared[-1], 0 if is_same else 1, 0)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    made = lq.set_metadata(path, {"beta": 6.54321, "note": "x" * 100}, output=tmp_path / f"new.{suffix}")
    data = 8 * 4**3 * 4 * 9 * 16
    assert made.shared == sum(shared) and data - 2 * os.statvfs(tmp_path).f_bsize < made.shared <= data
    assert np.array_equal(lq.read(tmp_path / f"new.{suffix}"), lq.read(path)) and lq.verify(tmp_path / f"new.{suffix}")
    monkeypatch.setattr(fcntl, "ioctl", lambda *words: (_ for _ in ()).throw(OSError(95, "not supported")))
    assert lq.set_metadata(path, {"beta": 6.5}).shared == 0


@pytest.mark.parametrize("state", ["whole", "cut", "catalogue"])
def test_texts_never_replace_lattice_files_and_catalogues(tmp_path, links, state):
    source, target = tmp_path / "in" / "conf.ildg", tmp_path / "kept.ildg"
    source.parent.mkdir()
    for path in (source, target):
        lq.write(path, links)
    if state == "cut":
        target.write_bytes(target.read_bytes()[:5000])
    elif state == "catalogue":
        target.unlink()
        lq.index(source.parent, db=str(target))
    before = target.read_bytes()
    image = shutil.copy(target, tmp_path / "x.vti")
    picture = shutil.copy(target, tmp_path / "x.svg")
    view = shutil.copy(target, tmp_path / "x.h5")
    for write in (lambda: lq.references([source], target, overwrite=True), lambda: lq.manifest(source.parent, target, overwrite=True),
                  lambda: lq.report_page(source.parent, target, overwrite=True),
                  lambda: lq.extract(source, "ildg-format", target, overwrite=True), lambda: lq.hdf5.open(target, "w").close(),
                  lambda: lq.export_vtk(image, {"q": np.zeros((2, 2, 2))}, overwrite=True)):
        with pytest.raises(lq.InvalidArgument, match="must not replace it"):
            write()
    for words in (("dump", source, "--box", "t=0", "-o", target, "--overwrite"), ("bench", "lattice", "--lattice", "4x4x4x4", "--runs", "1", "--path",
                  tmp_path, "--json", target, "--overwrite"), ("doctor", "--path", tmp_path, "--save-profile", "--profile", target),
                  ("export", "--virtual", source, "-o", view, "--overwrite"), ("ildg", "document", source, "-o", target, "--overwrite"), ("extract", source, "ildg-format", target, "--overwrite")):
        done = run(tmp_path, *words)
        assert done.returncode == 2 and "must not replace" in done.stderr, (words, done.stderr)
    if importlib.util.find_spec("matplotlib"):
        run(tmp_path, "bench", "lattice", "--lattice", "4x4x4x4", "--runs", "1", "--path", tmp_path, "--json", "rates.json", check=True)
        done = run(tmp_path, "plot", "rates.json", "-o", picture, "--overwrite")
        assert done.returncode == 2 and "must not replace" in done.stderr
    assert all(pathlib.Path(path).read_bytes() == before for path in (target, image, picture, view))


@pytest.mark.parametrize("suffix", ["ildg", "scidac"])
def test_texts_that_contradict_the_data_are_refused(tmp_path, suffix):
    """A wrong plaquette would make an intact file fail; a file that fails already may be corrected, or changed otherwise."""
    path = tmp_path / f"conf.{suffix}"
    lq.write(path, links_of(3), metadata={"xlf-info": "beta = 6.0\n"})
    right = f"{lq.plaquette(links_of(3)).average:.12f}"
    before = path.read_bytes()
    with pytest.raises(lq.InvalidArgument, match="would fail verification: .*the file states 0.9.*nothing was changed"):
        lq.set_metadata(path, {"plaquette": 0.9})
    assert path.read_bytes() == before and os.listdir(tmp_path) == [path.name]
    lq.set_metadata(path, {"plaquette": right})
    assert lq.verify(path).ok
    data = path.read_bytes()
    assert right.encode() in data
    path.write_bytes(data.replace(right.encode(), b"0.9" + right[3:].encode()))
    assert not lq.verify(path).ok
    with pytest.warns(RuntimeWarning, match="the file states 0.9"):
        lq.set_metadata(path, {"beta": "6.1"})
    assert not lq.verify(path).ok
    with pytest.warns(RuntimeWarning):
        lq.set_metadata(path, {"plaquette": right})
    assert lq.verify(path).ok


def test_set_refuses_damage_that_no_checksum_proves_until_it_is_accepted(tmp_path):
    path = tmp_path / "conf.ildg"
    lq.write(path, links_of(3), verify="none", metadata={"xlf-info": "beta = 6.0\n"})
    data = bytearray(path.read_bytes())
    at = len(data) // 2 // 8 * 8
    data[at:at + 8] = b"\x7f\xf8" + bytes(6)
    path.write_bytes(data)
    refused = run(tmp_path, "set", "conf.ildg", "beta=6.1")
    assert refused.returncode == 1 and "--accept-damage" in refused.stderr and path.read_bytes() == data
    assert run(tmp_path, "set", "conf.ildg", "beta=6.1", "--accept-damage").returncode == 0
    assert b"beta = 6.1" in path.read_bytes()


def test_messages_of_verbs_in_python_are_those_of_lq(tmp_path):
    """Options as arguments, warnings in one line, the path once."""
    for name in ("a", "b"):
        write(tmp_path / "run" / f"conf.{name}.ildg", 1)
        spoil(tmp_path / "run" / f"conf.{name}.ildg")
    said = run(tmp_path, "manifest", "run").stderr
    assert said.startswith("lq: run/conf.a.ildg: damaged: \"ildg-binary-data\"") and said.count("conf.a.ildg") == 1
    assert "set --accept-damage to record it" in said and "(1 more such files)" in said and "=True" not in said
    said = run(tmp_path, "manifest", "run/conf.a.ildg").stderr
    assert said == "lq: run/conf.a.ildg: this is a file, expected a folder; name the folder that it is in\n"
    (tmp_path / "sums").write_text("x")
    assert "replace it with --overwrite" in run(tmp_path, "manifest", "run", "-o", "sums").stderr
    path = tmp_path / "conf.ildg"
    lq.write(path, links_of(1), metadata={"xlf-info": "plaquette = 0.9\n"})
    answer = run(tmp_path, "set", "conf.ildg", "beta=6.1")
    assert answer.stdout.startswith("conf.ildg: written, ildg, ") and answer.stderr.startswith("lq: warning: conf.ildg: \"gauge\": the plaquette")
