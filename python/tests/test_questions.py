# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""verify, info, validate, explain, convert, diff."""

import numpy as np
import plain_lime
import pytest

import limequat as lq


def damaged(path, slice_number, links):
    """Flips a bit in a time slice of the payload."""
    data = bytearray(path.read_bytes())
    payload = plain_lime.payload(path, "ildg-binary-data")
    data[data.index(payload) + slice_number * len(payload) // links.shape[0] + 11] ^= 1
    path.write_bytes(data)


def test_a_whole_file_is_fine(gauge_file):
    verification = lq.verify(gauge_file, physics=False)
    assert verification and verification.ok and verification.fields[0].checksum_status == "ok"


def test_damage_is_found_and_where(gauge_file, links):
    damaged(gauge_file, 3, links)
    verification = lq.verify(gauge_file)
    assert not verification
    assert verification.fields[0].damaged_slices == [3]
    assert any(finding.severity == "error" for finding in verification.findings)


def test_a_list_of_files_has_an_answer_for_each_in_its_order(gauge_file, links, tmp_path):
    """Whatever the number of threads, as single calls would give it."""
    paths = []
    for number in range(9):
        paths.append(tmp_path / f"conf.{number}.lime")
        paths[-1].write_bytes(gauge_file.read_bytes())
    damaged(paths[4], 2, links)
    for threads in (0, 1, 4, 40):
        told = []
        answers = lq.verify(paths, threads=threads, progress=lambda done, files: told.append((done, files)))
        assert [bool(answer) for answer in answers] == [number != 4 for number in range(9)]
        assert [answer.path for answer in answers] == [str(path) for path in paths]
        assert told == [(number + 1, 9) for number in range(9)]
    assert answers == [lq.verify(path) for path in paths]
    assert lq.verify([]) == [] and lq.verify((paths[0],))[0].ok
    with pytest.raises(lq.NotFound, match="nowhere.3"):
        lq.verify([*paths, tmp_path / "nowhere.3", tmp_path / "nowhere.2"])


def test_physics_is_measured_on_demand(gauge_file, links):
    physics = lq.verify(gauge_file, physics=True).fields[0].physics
    assert physics.plaquette.average == lq.plaquette(links).average
    assert lq.verify(gauge_file, physics="always").fields[0].physics == physics
    with pytest.raises(lq.InvalidArgument):
        lq.verify(gauge_file, physics="sometimes")


def test_info_agrees_with_a_plain_reader(gauge_file):
    info = lq.info(gauge_file)
    records = [(entry.type, entry.data_length) for entry in info.records]
    assert records == [(name, len(data)) for name, data in plain_lime.records(gauge_file)]
    assert info.format == "ildg" and info.complete and info.fields[0].spec.kind == "gauge"


def test_a_member_that_is_not_there_lists_what_is(gauge_file):
    with pytest.raises(AttributeError, match="records"):
        lq.info(gauge_file).nonsense


def test_our_own_file_keeps_the_rules(gauge_file):
    rules = lq.validate(gauge_file)
    assert [finding for finding in rules if finding.severity != "note"] == [] and isinstance(rules, list)


def test_every_byte_is_explained(gauge_file):
    annotations = lq.explain(gauge_file)
    place = 0
    for annotation in annotations:
        assert annotation.offset == place
        place += annotation.length
    assert place == gauge_file.stat().st_size


def test_conversion_keeps_the_numbers(gauge_file, tmp_path, links):
    target = tmp_path / "copy.lime"
    assert lq.convert(gauge_file, target, format="scidac", dry_run=True) is not None
    assert not target.exists()
    report = lq.convert(gauge_file, target, format="scidac")
    assert report.format == "scidac"
    assert np.array_equal(lq.read(target), links)
    with pytest.raises(FileExistsError):
        lq.convert(gauge_file, target)


def test_differences_are_measured(gauge_file, tmp_path, links):
    other = tmp_path / "other.ildg"
    changed = links.copy()
    changed[2, 1, 0, 3, 1, 0, 2] += 0.25
    lq.write(other, changed)
    difference = lq.diff(gauge_file, other)
    assert not difference.same and difference.differing_numbers == 1
    assert difference.site == [3, 0, 1, 2]
    assert difference.largest_absolute == pytest.approx(0.25)
    assert lq.diff(gauge_file, other, tolerance=0.3).same
    assert lq.diff(gauge_file, gauge_file).same


@pytest.fixture
def sound_file(tmp_path):
    """An ILDG file of links that look like a configuration."""
    lq.write(tmp_path / "sound.ildg", lq.generate((4, 4, 4, 4), sweeps=2))
    return tmp_path / "sound.ildg"


def test_an_answer_is_true_when_nothing_is_wrong(sound_file, tmp_path):
    whole = sound_file.read_bytes()
    place = lq.info(sound_file).fields[0].offset + 1000
    damaged, cut, other, mended = (tmp_path / name for name in ("damaged.ildg", "cut.ildg", "other.ildg", "mended.ildg"))
    damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1:])
    cut.write_bytes(whole[:place + len(whole) // 2])
    lq.write(other, -lq.read(sound_file))
    for question in (lq.info, lq.validate, lq.verify, lq.diagnose, lq.ildg.check):
        assert question(sound_file), question.__name__
    for question in (lq.verify, lq.diagnose):
        assert not question(damaged), question.__name__
    for question in (lq.info, lq.validate, lq.verify):
        assert not question(cut), question.__name__
    assert lq.diff(sound_file, sound_file) and not lq.diff(sound_file, other) and lq.diff(sound_file, other, tolerance=10)
    assert lq.repair(damaged, mended) and lq.verify(mended)
    folder = tmp_path / "ensemble"
    folder.mkdir()
    catalogue = {"db": tmp_path / "c.db"}
    (folder / "a.ildg").write_bytes(whole)
    assert lq.index(folder, **catalogue) and lq.scrub(**catalogue) and lq.assess(**catalogue)
    (folder / "a.ildg").unlink()
    assert not lq.index(folder, **catalogue)


def test_findings_that_are_no_errors_leave_a_list_true(sound_file, tmp_path):
    trailing = tmp_path / "trailing.ildg"
    trailing.write_bytes(sound_file.read_bytes() + b"\n")
    assert lq.validate(trailing) == list(lq.validate(trailing)) != []
    assert lq.validate(trailing) and lq.info(trailing)


def test_a_verdict_shows_its_word(sound_file):
    verdict = lq.verify(sound_file)
    assert verdict.verdict in repr(verdict) and f">{verdict.verdict}<" in verdict._repr_html_()
    assert dict(verdict)["ok"] is True


def test_a_damaged_byte_is_put_right_in_a_new_file(gauge_file, tmp_path):
    whole = gauge_file.read_bytes()
    broken = tmp_path / "broken.ildg"
    place = lq.info(gauge_file)["fields"][0]["offset"] + 1000
    broken.write_bytes(whole[:1] + b"?" + whole[2:place] + bytes([whole[place] ^ 8]) + whole[place + 1:])
    plan = lq.repair(broken, tmp_path / "mended.ildg", dry_run=True)
    assert not (tmp_path / "mended.ildg").exists()
    report = lq.repair(broken, tmp_path / "mended.ildg")
    assert {finding["rule"] for finding in report["findings"]} == {"repair-header", "repair-byte"}
    assert report["findings"] == plan["findings"] and report["format"] == "ildg"
    assert (tmp_path / "mended.ildg").read_bytes() == whole
    assert report["needed"] and report["verdict"] == "sound"
    whole_report = lq.repair(gauge_file, tmp_path / "again.ildg")
    assert not whole_report["needed"] and whole_report["files"] == [] and not (tmp_path / "again.ildg").exists()


def test_the_formats_there_are(gauge_file):
    there = {entry["name"]: entry for entry in lq.formats()}
    assert there[lq.info(gauge_file)["format"]]["holds"] == "one gauge field in four dimensions"
    assert ".scidac" in there["scidac"]["suffixes"] and there["sion"]["contents"] == "streams"


def test_a_wrong_order_is_found_and_put_right(tmp_path):
    links = lq.generate((4, 4, 4, 8), sweeps=5)
    good, bad, new = tmp_path / "good.ildg", tmp_path / "bad.ildg", tmp_path / "new.ildg"
    lq.write(good, links)
    payload = plain_lime.payload(good, "ildg-binary-data")
    wrong = np.frombuffer(payload, "V576").reshape(8, 4, 4, 4).transpose(3, 2, 1, 0).tobytes()
    bad.write_bytes(good.read_bytes().replace(payload, wrong))
    diagnosis = lq.diagnose(bad, rewrite=new)
    assert not diagnosis and not diagnosis.ok and "t fastest, then z, then y, then x" in diagnosis.verdict
    assert diagnosis.grid.sites == [3, 2, 1, 0] and diagnosis.readings[0].sites == [3, 2, 1, 0]
    assert plain_lime.payload(new, "ildg-binary-data") == payload
    assert lq.diagnose(new).ok
    with pytest.raises(lq.WrongState):
        lq.diagnose(good, rewrite=tmp_path / "again.ildg")
    with pytest.raises(lq.InvalidArgument):
        lq.diagnose(good, sums="1 2")


@pytest.mark.parametrize("basis, gamma5", [("chiral", np.diag([1, 1, -1, -1])),
                                           ("dirac", np.kron([[0, 1], [1, 0]], np.eye(2)))])
def test_the_spinor_basis_is_told_at_the_source(tmp_path, basis, gamma5):
    random = np.random.default_rng(5)
    sites = random.normal(size=(4, 2, 2, 2, 12, 12, 2)).view(complex)[..., 0] * 0.1
    hermitian = random.normal(size=(12, 12)) + 1j * random.normal(size=(12, 12))
    sites[1, 0, 1, 0] = np.kron(gamma5, np.eye(3)) @ (hermitian + hermitian.conj().T)
    # Rows are sink spin and colour, columns source spin and colour.
    numbers = sites.reshape(4, 2, 2, 2, 4, 3, 4, 3).swapaxes(5, 6)
    lq.write(tmp_path / "p.scidac", np.ascontiguousarray(numbers))
    diagnosis = lq.diagnose(tmp_path / "p.scidac")
    assert diagnosis and diagnosis.basis == basis and "the source (0,1,0,1)" in diagnosis.verdict
