# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""An ensemble with faults of every kind: each is named by index, scrub and assess, and nothing else is."""

import gzip
import os
import pathlib
import shutil
import time

import numpy as np
import pytest

import limequat as lq
import plain_lime
from conftest import random_links

LONG_AGO = 1_700_000_000
NUMBERS = range(100, 700, 10)
GAPS = (440, 600, 610)


def settle(path, seconds=LONG_AGO):
    os.utime(path, (seconds, seconds), follow_symlinks=False)


def text(number, links=None, beta="6.0", kappa="0.125", charge=0.0, plaquette=None):
    facts = {"trajectory nr": number, "beta": beta, "kappa": kappa, "topological_charge": f"{charge:.3f}"}
    if links is not None:
        facts["plaquette"] = f"{lq.plaquette(links).average if plaquette is None else plaquette:.14f}"
        facts["linktr"] = f"{lq.link_trace(links):.14f}"
    return "\n".join(f"{name} = {value}" for name, value in facts.items())


def write(path, number, links=None, seed=None, states=None, **facts):
    links = random_links(shape=(4, 2, 2, 2, 4), seed=number if seed is None else seed) if links is None else links
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {name: facts.pop(name) for name in ("precision", "verify", "format") if name in facts}
    charge = facts.pop("charge", (number // 10) % 3 - 1)
    lq.write(path, links, metadata={"xlf-info": text(number if states is None else states, links, charge=charge, **facts)},
             overwrite=True, **options)
    settle(path)


def payload_at(path):
    return path.read_bytes().index(plain_lime.payload(path, "ildg-binary-data"))


def change(path, offset, new, quietly=False):
    """Bytes replaced; `quietly` without a new time stamp."""
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[offset:offset + len(new)] = new
    path.write_bytes(data)
    stamp = status.st_mtime_ns if quietly else status.st_mtime_ns + 5_000_000_000
    os.utime(path, ns=(stamp, stamp))


def flip(path, offset, quietly=False):
    change(path, offset, bytes([path.read_bytes()[offset] ^ 0x10]), quietly)


class Ensemble:
    """The faults of before the first index are made at once, those of after it by :meth:`later`."""

    def __init__(self, root):
        self.root, self.expected = root, {}
        for number in NUMBERS:
            if number not in GAPS:
                write(self.conf(number), number)
            write(self.other(number), number, seed=10_000 + number)
        self.make()

    def conf(self, number):
        return self.root / "r0" / f"conf.{number:04}.ildg"

    def other(self, number):
        return self.root / "r1" / f"conf.{number:04}.ildg"

    def folder(self, number):
        return self.root / "by" / f"{number:04}" / "links.ildg"

    def plant(self, rule, *paths):
        for path in paths:
            self.expected.setdefault(rule, set()).add(str(path))

    def make(self):
        conf, other, root, plant = self.conf, self.other, self.root, self.plant

        flip(conf(100), payload_at(conf(100)) + 77)
        plant("damaged", conf(100))
        conf(110).write_bytes(conf(110).read_bytes()[:9000])
        plant("incomplete", conf(110))
        conf(120).write_bytes(b"")
        conf(130).write_text("Mon: job 4711 was killed\n")
        conf(140).write_bytes(bytes(20_000))
        conf(150).write_text("<!DOCTYPE html><html><body>404 Not Found</body></html>")
        plant("unreadable", conf(120), conf(130), conf(140), conf(150))
        packed = root / "r0" / "conf.0160.ildg.gz"
        packed.write_bytes(gzip.compress(conf(160).read_bytes()))
        plant("duplicates", conf(160), packed)
        change(conf(170), 0, b"\0\0\0\0")
        plant("damaged", conf(170))
        change(conf(180), payload_at(conf(180)) + 800, np.full(4, np.nan, ">f8").tobytes())
        plant("damaged", conf(180))
        change(conf(190), payload_at(conf(190)) + 2304, bytes(2304))
        plant("damaged", conf(190))
        with open(conf(200), "ab") as file:
            file.write(b"\xa5" * 20_000)
        plant("warning", conf(200))
        where = conf(210).read_bytes().index(b"<suma>") + 6
        change(conf(210), where, b"0" if conf(210).read_bytes()[where:where + 1] != b"0" else b"1")
        plant("damaged", conf(210))

        # Numbers.
        write(root / "r0" / "conf.220.ildg", 220, seed=1220)
        plant("duplicate-trajectory", conf(220), root / "r0" / "conf.220.ildg")
        write(conf(230), 230, states=9230)
        plant("name-differs", conf(230))
        write(conf(240), 240, states=250)
        plant("name-differs", conf(240))
        plant("duplicate-trajectory", conf(240), conf(250))

        # Others than the rest of their series.
        write(conf(260), 260, links=random_links(shape=(6, 2, 2, 2, 4), seed=260))
        plant("lattice-differs", conf(260))
        write(conf(270), 270, precision="single")
        plant("precision-differs", conf(270))
        write(conf(280), 280, beta="6.2")
        write(conf(290), 290, kappa="0.126")
        plant("parameter-differs", conf(280), conf(290))
        lq.write(conf(300), spinor(300), kind="spinor", overwrite=True,
                 format="scidac", metadata={"xlf-info": text(300)})
        settle(conf(300))
        plant("kind-differs", conf(300))
        lq.write(conf(310), su2(310), overwrite=True, format="scidac", metadata={"xlf-info": text(310)})
        settle(conf(310))
        plant("group-differs", conf(310))
        plant("format-differs", conf(300), conf(310))  # SciDAC in a series of ILDG files

        # Observables.
        write(conf(320), 320, links=smooth(320))
        plant("plaquette-outlier", conf(320))
        write(conf(330), 330, charge=37.0)
        plant("charge-outlier", conf(330))
        write(conf(340), 340, plaquette=0.123456789)
        plant("damaged", conf(340))

        # The same data.
        shutil.copy2(other(100), root / "kept.ildg")
        plant("duplicates", other(100), root / "kept.ildg")
        write(other(120), 120, seed=10_110)
        plant("duplicates", other(110), other(120))
        (root / "copies").mkdir()
        lq.convert(other(130), root / "copies" / "first.nersc")
        lq.convert(other(140), root / "copies" / "second.h5")
        lq.convert(other(150), root / "copies" / "third.ildg", precision="single")
        for path in (root / "copies").iterdir():
            settle(path)
        plant("same-in-other-format", other(130), root / "copies" / "first.nersc", other(140), root / "copies" / "second.h5",
              other(150), root / "copies" / "third.ildg")

        # Two configurations in one file; a text that a keeper's editor has hurt.
        with open(other(250), "ab") as file:
            file.write(other(260).read_bytes())
        settle(other(250))
        plant("fields-differ", other(250))
        at = other(270).read_bytes().index(b"beta")
        change(other(270), at, b"\xff\xfe\xfa\x80")
        plant("parameter-differs", other(270))

        # A folder for each configuration.
        for number in range(10, 110, 10):
            if number != 50:
                write(self.folder(number), number, seed=20_000 + number, **({"precision": "single"} if number == 80 else {}))
        plant("precision-differs", self.folder(80))
        plant("gap in folders", 50)

        # Files under wrong names, with wrong times, and a folder in the place of a file.
        lq.write(conf(370), random_links(shape=(4, 2, 2, 2, 4), seed=370), format="nersc", overwrite=True,
                 metadata={"SEQUENCE_NUMBER": "370"})
        settle(conf(370))
        plant("format-differs", conf(370))
        lq.convert(other(160), root / "alone.nersc", allow_loss=True)
        (root / "alone.nersc").rename(root / "alone.ildg")
        settle(root / "alone.ildg")
        plant("format-differs", root / "alone.ildg")
        plant("same-in-other-format", other(160), root / "alone.ildg")
        plant("parameter-differs", conf(370))  # it states none of them
        capital = root / "r1" / "Conf.0290.ILDG"
        other(290).rename(capital)
        plant("name-differs", capital)
        settle(other(300), time.time() + 9 * 86400)
        plant("time-differs", other(300))
        (root / "r1" / "conf.0700.ildg").mkdir()
        plant("stranger", root / "r1" / "conf.0700.ildg")

        # Files of others, links, files of writers.
        (root / "README").write_text("an ensemble\n")
        (root / "r0" / "core.4711").write_bytes(b"\x7fELF" + bytes(range(256)))
        (root / "r2").symlink_to(root / "r1")
        (root / "r0" / "latest").symlink_to(root / "nowhere")
        os.mkfifo(root / "r0" / "pipe.0010.ildg")
        plant("stranger", root / "r0" / "pipe.0010.ildg")
        (root / "parity").mkdir()
        shutil.copy2(other(280), root / "parity" / "gone.ildg")
        lq.protect(root / "parity" / "gone.ildg")
        (root / "parity" / "gone.ildg").unlink()
        plant("stranger", root / "parity" / "gone.ildg.lq-parity")
        plant("stranger", root / "README", root / "r0" / "core.4711", root / "r2", root / "r0" / "latest")
        young, old = root / "r0" / ".conf.0700.ildg.1a2b3c4d", root / "r0" / ".conf.0710.ildg.5e6f7a8b"
        of_rsync, of_nfs = root / "r0" / ".conf.0360.ildg.Ab12Cd", root / "r0" / ".nfs000000000012ab3400000001"
        for path, seconds in ((young, time.time()), (old, LONG_AGO), (of_rsync, LONG_AGO), (of_nfs, LONG_AGO)):
            path.write_bytes(conf(360).read_bytes()[:5000])
            settle(path, seconds)
        plant("stranger", young, old, of_rsync, of_nfs)

        # A set that lost one of its files; entries of several files that lost none.
        (root / "sets").mkdir()
        for name in ("lost", "whole"):
            lq.repartition(other(170 if name == "lost" else 180), root / "sets" / f"{name}.set", to="t=block:2")
        parts = sorted(path for path in (root / "sets").iterdir() if path.name.startswith("lost.set") and path.name != "lost.set")
        parts[-1].unlink()
        for path in (root / "sets").iterdir():
            settle(path)
        # The whole one is a copy of its source, byte for byte.
        plant("duplicates", other(180), root / "sets" / "whole.set")
        plant("lost part", root / "sets" / "lost.set")
        plant("gap", *GAPS)
        # A name with a line feed and markup is no fault.
        write(root / "odd" / "<b>conf\n.ildg", 1)

    def later(self):
        """Faults of after the first scrub."""
        flip(self.other(200), payload_at(self.other(200)) + 40, quietly=True)
        flip(self.other(210), self.other(210).read_bytes().index(b"kappa") + 1, quietly=True)
        self.plant("bit rot", self.other(200), self.other(210))
        write(self.other(220), 220, seed=777)
        settle(self.other(220), LONG_AGO + 5000)
        self.plant("replaced", self.other(220))
        flip(self.other(230), payload_at(self.other(230)) + 99)
        self.plant("changed and damaged", self.other(230))
        self.other(240).unlink()
        self.plant("missing", self.other(240))


def spinor(seed):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(4, 2, 2, 2, 4, 3)) + 1j * generator.normal(size=(4, 2, 2, 2, 4, 3))


def su2(seed):
    generator = np.random.default_rng(seed)
    a = generator.normal(size=(4, 2, 2, 2, 4, 4)) * 0.2 + np.array([1, 0, 0, 0])
    a /= np.linalg.norm(a, axis=-1, keepdims=True)
    return np.stack([np.stack([a[..., 0] + 1j * a[..., 3], a[..., 2] + 1j * a[..., 1]], -1),
                     np.stack([-a[..., 2] + 1j * a[..., 1], a[..., 0] - 1j * a[..., 3]], -1)], -2)


def smooth(seed):
    """Links much nearer to 1 than those of the others."""
    generator = np.random.default_rng(seed)
    m = generator.normal(size=(4, 2, 2, 2, 4, 3, 3)) + 1j * generator.normal(size=(4, 2, 2, 2, 4, 3, 3))
    q, r = np.linalg.qr(np.eye(3) + 0.001 * m)
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    q = q * (diagonal / abs(diagonal))[..., None, :]
    return q / np.linalg.det(q)[..., None, None] ** (1 / 3)


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory):
    made = Ensemble(tmp_path_factory.mktemp("ensemble") / "run")
    db = str(made.root.parent / "all.db")
    made.index = lq.index(made.root, db=db)
    made.scrub = lq.scrub(db=db)
    made.assessment = lq.assess(db=db)
    made.first = {rule: set(paths) for rule, paths in made.expected.items()}
    made.later()
    made.again = lq.scrub(db=db)
    made.last = lq.index(made.root, db=db)
    return made


def told(remarks, rule):
    return {path for one in remarks if one.rule == rule for path in one.paths}


def test_enough_is_planted(ensemble):
    assert sum(map(len, ensemble.expected.values())) >= 40 and len(ensemble.expected) >= 18


@pytest.mark.parametrize("rule", ["duplicate-trajectory", "name-differs", "lattice-differs", "precision-differs", "kind-differs",
                                  "group-differs", "parameter-differs", "plaquette-outlier", "charge-outlier",
                                  "same-in-other-format", "warning", "fields-differ", "format-differs", "time-differs"])
def test_what_does_not_go_with_a_series_is_named_and_nothing_else(ensemble, rule):
    assert told(ensemble.assessment.remarks, rule) == ensemble.first[rule]


def test_there_are_no_other_rules(ensemble):
    assert {one.rule for one in ensemble.assessment.remarks} <= set(ensemble.first)


def test_sentences_say_how_outliers_are_judged(ensemble):
    for one in ensemble.assessment.remarks:
        if one.rule.endswith("outlier"):
            assert "Gamma method" in one.sentence and "autocorrelation time" in one.sentence


def test_duplicates_are_named_and_nothing_else(ensemble):
    assert {path for same in ensemble.assessment.duplicates for path in same.paths} == ensemble.first["duplicates"]


def test_gaps_are_named_and_nothing_else(ensemble):
    gaps = {str(pathlib.Path(one.series).relative_to(ensemble.root)): one.missing for one in ensemble.assessment.gaps}
    assert gaps == {"r0/conf.*.ildg": list(GAPS), "by/*/links.ildg": [50]}


def test_what_is_damaged_is_named_and_nothing_else(ensemble):
    failed = {one.path: one.verdict for one in ensemble.scrub.failed}
    expected = ensemble.first["damaged"] | ensemble.first["incomplete"] | ensemble.first["unreadable"] | ensemble.first["lost part"]
    assert set(failed) == expected
    for verdict in ("incomplete", "unreadable"):
        assert {path for path, found in failed.items() if found == verdict} - ensemble.first["lost part"] == ensemble.first[verdict]


def test_strangers_are_named_and_nothing_else(ensemble):
    assert {one.path for one in ensemble.index.strangers} == ensemble.first["stranger"]
    problems = {one.path for one in ensemble.index.problems}
    assert problems <= ensemble.first["unreadable"] | ensemble.first["incomplete"] | ensemble.first["damaged"] | ensemble.first["lost part"]
    assert ensemble.first["unreadable"] | ensemble.first["incomplete"] <= problems


def test_what_happened_since_is_named_and_nothing_else(ensemble):
    before = {one.path for one in ensemble.scrub.failed}
    verdicts = {}
    for one in ensemble.again.failed:
        if one.path not in before:
            verdicts.setdefault(one.verdict, set()).add(one.path)
    rules = ("bit rot", "replaced", "changed and damaged", "missing")
    assert verdicts == {rule: ensemble.expected[rule] for rule in rules}
    assert ensemble.expected["missing"] <= {one.path for one in ensemble.last.problems if one.state == "missing"}


def plain_gamma(values):
    """Mean, error and integrated autocorrelation time as Wolff's paper has them, with numpy."""
    a = np.asarray(values, float)
    n, d = len(a), a - a.mean()
    gamma = [float(d[:n - t] @ d[t:]) / (n - t) for t in range(n // 2 + 1)]
    total, w = gamma[0] / 2, 0
    for w in range(1, n // 2 + 1):
        total += gamma[w]
        tau = total / gamma[0]
        scale = 1.5 / np.log((2 * tau + 1) / (2 * tau - 1)) if tau > 0.5 else 1e-12
        if np.exp(-w / scale) - scale / np.sqrt(w * n) < 0:
            break
    bias = 2 * total / n
    gamma0, total = gamma[0] + bias, total + bias * (w + 0.5)
    return a.mean(), np.sqrt(2 * total / n), total / gamma0


def test_autocorrelation_is_that_of_plain_numpy(tmp_path):
    """A chain whose plaquettes drift slowly, with one far off."""
    generator = np.random.default_rng(3)
    noise, values = 0.0, []
    for _ in range(120):
        noise = 0.8 * noise + generator.normal() * 1e-3
        values.append(0.55 + noise)
    links = random_links(shape=(4, 2, 2, 2, 4), seed=1)
    for number, value in enumerate(values):
        path = tmp_path / "run" / f"conf.{number:04}.ildg"
        path.parent.mkdir(exist_ok=True)
        stated = 0.6 if number == 60 else value
        lq.write(path, links, metadata={"xlf-info": f"plaquette = {stated:.14f}\n"}, verify="none")
        settle(path)
    report = lq.index(tmp_path / "run", db=tmp_path / "all.db")
    sentence, = [one.sentence for one in report.assessment.remarks if one.rule == "plaquette-outlier"]
    mean, error, tau = plain_gamma(values[:60] + values[61:])
    assert "conf.0060.ildg" in sentence
    assert f"{mean:.8g} +- {error:.1g}, by the Gamma method with an integrated autocorrelation time of {tau:.2g} files" in sentence


def test_numbers_that_count_otherwise_are_no_fault(tmp_path):
    """Names that count configurations while texts count trajectories; only one that leaves the line is told."""
    for number in range(1, 13):
        write(tmp_path / "run" / f"conf.{number}.ildg", number, states=1000 + 10 * number if number != 7 else 1075)
    report = lq.index(tmp_path / "run", db=tmp_path / "all.db")
    remarks = [(one.rule, [os.path.basename(path) for path in one.paths]) for one in report.assessment.remarks]
    assert remarks == [("name-differs", ["conf.7.ildg"])]


def test_texts_that_all_state_one_number_are_told_once(tmp_path):
    for number in range(1, 7):
        write(tmp_path / "run" / f"conf.{number}.ildg", number, states=5)
    report = lq.index(tmp_path / "run", db=tmp_path / "all.db")
    remark, = report.assessment.remarks
    assert (remark.rule, len(remark.paths)) == ("name-differs", 6) and "state trajectory 5" in remark.sentence


def test_a_whole_ensemble_in_two_formats_is_one_remark(tmp_path):
    for number in range(1, 6):
        write(tmp_path / "run" / f"conf.{number}.ildg", number)
        (tmp_path / "nersc").mkdir(exist_ok=True)
        lq.convert(tmp_path / "run" / f"conf.{number}.ildg", tmp_path / "nersc" / f"conf.{number}.nersc")
    lq.index([tmp_path / "run", tmp_path / "nersc"], db=tmp_path / "all.db")
    assert lq.scrub(db=tmp_path / "all.db")
    answer = lq.assess(db=tmp_path / "all.db")
    remark, = answer.remarks
    assert (remark.rule, len(remark.paths)) == ("same-in-other-format", 10) and answer.duplicates == []


def remarks_of(report):
    """{rule: names of files} of an index."""
    found = {}
    for one in report.assessment.remarks:
        found.setdefault(one.rule, set()).update(os.path.basename(path) for path in one.paths)
    return found


def test_a_series_that_changes_in_the_middle_is_told(tmp_path):
    """No value is usual: half of the files are in single precision, and a third have another beta."""
    for number in range(12):
        write(tmp_path / "run" / f"conf.{number:02}.ildg", number, precision="double" if number < 6 else "single",
              beta="6.0" if number < 4 else "6.1" if number < 8 else "6.2")
    remarks = {one.rule: one for one in lq.index(tmp_path / "run", db=tmp_path / "all.db").assessment.remarks}
    assert set(remarks) == {"precision-differs", "parameter-differs"}
    assert [os.path.basename(path) for path in remarks["precision-differs"].paths] == [f"conf.{number:02}.ildg" for number in range(6, 12)]
    assert "double in 6 files (conf.00.ildg to conf.05.ildg), single in 6 files" in remarks["precision-differs"].sentence
    assert "6 in 4 files (conf.00.ildg to conf.03.ildg), 6.1 in 4 files" in remarks["parameter-differs"].sentence
    assert len(remarks["parameter-differs"].paths) == 8


def test_values_that_all_differ_are_no_fault(tmp_path):
    for number in range(8):
        write(tmp_path / "run" / f"conf.{number}.ildg", number, kappa=f"0.{125 + number}")
    assert remarks_of(lq.index(tmp_path / "run", db=tmp_path / "all.db")) == {}


def test_one_file_under_two_numbers_is_told_and_a_link_without_number_is_not(tmp_path):
    run = tmp_path / "run"
    for number in (100, 110, 120, 150):
        links = random_links(shape=(4, 2, 2, 2, 4), seed=number)
        path = run / f"conf.{number}.ildg"
        path.parent.mkdir(exist_ok=True)
        lq.write(path, links)
        settle(path)
    os.link(run / "conf.120.ildg", run / "conf.130.ildg")
    os.symlink("conf.120.ildg", run / "conf.140.ildg")
    os.symlink("conf.150.ildg", run / "newest.ildg")
    report = lq.index(run, db=tmp_path / "all.db")
    assert remarks_of(report) == {"same-file": {"conf.120.ildg", "conf.130.ildg", "conf.140.ildg"}}
    assert report.assessment.duplicates == []


def test_texts_that_lack_or_contradict_what_others_state_are_told(tmp_path):
    run = tmp_path / "run"
    for number in range(100, 400, 10):
        write(run / f"conf.{number}.ildg", number)
    lfn = "lfn://GRID/run/0200"
    for number in (200, 210):
        links = random_links(shape=(4, 2, 2, 2, 4), seed=number)
        lq.write(run / f"conf.{number}.ildg", links, overwrite=True, metadata={"xlf-info": text(number, links), "ildg-data-lfn": lfn})
    write(run / "conf.220.ildg", 220, states="220.5")
    links = random_links(shape=(4, 2, 2, 2, 4), seed=230)
    for number, more in ((230, "\nbeta = 6.1"), (240, "\ntrajectory = 250"), (250, "\nbeta = 6.000")):
        links = random_links(shape=(4, 2, 2, 2, 4), seed=number)
        lq.write(run / f"conf.{number}.ildg", links, overwrite=True, metadata={"xlf-info": text(number, links) + more})
    write(run / "conf.260.ildg", 260, verify="none")
    reflected = links.copy()
    reflected[1, 0, 1, 0, 2] = np.diag([1, 1, -1]) @ reflected[1, 0, 1, 0, 2]  # unitary, but of determinant -1
    write(run / "conf.250.ildg", 250, links=reflected)
    report = lq.index(run, db=tmp_path / "all.db")
    expected = {"same-logical-name": {"conf.200.ildg", "conf.210.ildg"}, "parameter-differs": {"conf.220.ildg"},
                "warning": {"conf.230.ildg", "conf.240.ildg"}, "no-checksum": {"conf.260.ildg"}}
    assert remarks_of(report) == expected
    assert any("its texts state trajectory 240 and 250" in one.sentence for one in report.assessment.remarks)
    assert lq.verify(run / "conf.250.ildg").ok
    lq.scrub(db=tmp_path / "all.db")
    expected["warning"].add("conf.250.ildg")
    remarks = lq.index(db=tmp_path / "all.db")
    assert remarks_of(remarks) == expected
    assert any("|det U - 1| is up to 2" in one.sentence for one in remarks.assessment.remarks)


def test_files_that_were_exchanged_are_no_bit_rot(tmp_path):
    """Their sizes and time stamps are the same; what a storage does to bytes keeps the inode."""
    run, db = tmp_path / "run", tmp_path / "all.db"
    for number in range(1, 6):
        write(run / f"conf.{number}.ildg", number, beta="6.0")
    lq.index(run, db=db)
    assert lq.scrub(db=db).ok
    (run / "conf.1.ildg").rename(run / "other")
    (run / "conf.2.ildg").rename(run / "conf.1.ildg")
    (run / "other").rename(run / "conf.2.ildg")
    flip(run / "conf.3.ildg", payload_at(run / "conf.3.ildg") + 40, quietly=True)
    failed = {os.path.basename(one.path): one for one in lq.scrub(db=db).failed}
    assert {name: one.verdict for name, one in failed.items()} == {"conf.1.ildg": "replaced", "conf.2.ildg": "replaced", "conf.3.ildg": "bit rot"}
    assert "files were exchanged" in failed["conf.1.ildg"].sentence
    assert remarks_of(lq.index(db=db)) == {"name-differs": {"conf.1.ildg", "conf.2.ildg"}}
    assert {one.path for one in lq.scrub(db=db).failed} == {str(run / "conf.3.ildg")}


def test_a_mistyped_number_is_told_instead_of_hundreds_of_gaps(tmp_path):
    for number in [*range(100, 400, 10), 3400]:
        path = tmp_path / "run" / f"conf.{number}.ildg"
        path.parent.mkdir(exist_ok=True)
        lq.write(path, random_links(shape=(4, 2, 2, 2, 4), seed=number))
        settle(path)
    (tmp_path / "run" / "conf.200.ildg").unlink()
    report = lq.index(tmp_path / "run", db=tmp_path / "all.db")
    assert remarks_of(report) == {"name-differs": {"conf.3400.ildg"}}
    assert [gaps.missing for gaps in report.assessment.gaps] == [[200]]


def gauge_transformed(links, seed):
    """g(x) U_mu(x) g(x+mu)^dagger with random g."""
    lattice = links.shape[:4]
    g = random_links(shape=lattice, seed=seed) @ random_links(shape=lattice, seed=seed + 1)
    turned = np.empty_like(links)
    for mu in range(4):  # x is the last axis of the lattice
        turned[..., mu, :, :] = g @ links[..., mu, :, :] @ np.roll(g, -1, axis=3 - mu).conj().swapaxes(-1, -2)
    return turned


def test_gauge_transformed_copies_are_told(tmp_path):
    for number in range(100, 400, 10):
        write(tmp_path / "run" / f"conf.{number}.ildg", number)
    links = gauge_transformed(random_links(shape=(4, 2, 2, 2, 4), seed=130), seed=5)
    write(tmp_path / "run" / "conf.250.ildg", 250, links=links)
    report = lq.index(tmp_path / "run", db=tmp_path / "all.db")
    assert remarks_of(report) == {"same-up-to-gauge": {"conf.130.ildg", "conf.250.ildg"}}
    assert report.assessment.duplicates == []
    lq.scrub(db=tmp_path / "all.db")
    assert remarks_of(lq.index(db=tmp_path / "all.db")) == {"same-up-to-gauge": {"conf.130.ildg", "conf.250.ildg"}}


def test_old_versions_are_told_and_belong_to_no_series(tmp_path):
    run = tmp_path / "run"
    for number in range(100, 200, 10):
        write(run / f"conf.{number}.ildg", number)
    for name, number in (("conf.100.ildg.bak", 1), ("conf.150_old.ildg", 2), ("conf.190.ildg~", 3), ("conf.500.ildg.old", 4)):
        write(run / name, number, format="ildg", beta="6.2")
    report = lq.index(run, db=tmp_path / "all.db")
    assert remarks_of(report) == {"old-version": {"conf.100.ildg.bak", "conf.150_old.ildg", "conf.190.ildg~", "conf.500.ildg.old"}}
    assert report.assessment.gaps == [] and not report.problems


def test_misspelt_names_and_numbers_that_were_in_single_precision_are_told(tmp_path):
    run = tmp_path / "run"
    for number in range(100, 600, 10):
        write(run / f"conf.{number}.ildg", number)
    (run / "conf.200.ildg").rename(run / "conf_200.ildg")
    (run / "conf.210.ildg").rename(run / "conf.210.ildg ")
    write(run / "conf.220.ildg", 220, links=random_links(shape=(4, 2, 2, 2, 4), seed=220).astype(np.complex64).astype(complex))
    lq.index(run, db=tmp_path / "all.db")
    assert lq.scrub(db=tmp_path / "all.db").ok
    report = lq.index(db=tmp_path / "all.db")
    assert remarks_of(report) == {"name-differs": {"conf_200.ildg", "conf.210.ildg "}, "warning": {"conf.220.ildg"}}
    assert report.assessment.gaps == []


def test_the_same_bytes_in_formats_with_other_sums_are_duplicates(tmp_path):
    run = tmp_path / "run"
    for number in range(100, 200, 10):
        run.mkdir(exist_ok=True)
        lq.write(run / f"lat.{number}.nersc", random_links(shape=(4, 2, 2, 2, 4), seed=number), metadata={"SEQUENCE_NUMBER": f"{number}"})
        settle(run / f"lat.{number}.nersc")
    shutil.copy2(run / "lat.110.nersc", tmp_path / "run" / "kept.nersc")
    lq.index(run, db=tmp_path / "all.db")
    lq.scrub(db=tmp_path / "all.db")
    duplicates, = lq.assess(db=tmp_path / "all.db").duplicates
    assert [os.path.basename(path) for path in duplicates.paths] == ["kept.nersc", "lat.110.nersc"]


@pytest.mark.parametrize("how", ["text", "attribute"])
def test_a_plaquette_that_an_hdf5_file_states_is_compared(tmp_path, how):
    links = random_links(shape=(4, 2, 2, 2, 4), seed=3)
    average = lq.plaquette(links).average
    for stated, ok in ((average, True), (average + 0.01, False)):
        metadata = {"xlf-info": f"plaquette = {stated:.12f}"} if how == "text" else {"plaquette": f"{stated:.12f}"}
        lq.write(tmp_path / "a.h5", links, metadata=metadata, overwrite=True, measure=False)
        verification = lq.verify(tmp_path / "a.h5")
        assert bool(verification) is ok
        assert any(claim.name == "plaquette" and claim.outcome == ("agrees" if ok else "differs") for claim in verification.claims)
