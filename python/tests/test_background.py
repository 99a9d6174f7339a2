# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Transfers in the background and strategies, against transfers in the foreground."""

import gc

import numpy as np
import pytest
from conftest import random_links

import limequat as lq

STRATEGIES = ["direct", "shared", "pull", "messages"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_write_the_same_bytes(tmp_path, gauge_file, links, strategy):
    how = {"strategy": strategy, "chunk_bytes": 8192, "aggregators": 1}
    report = lq.write(tmp_path / "a.ildg", links, metadata={"xlf-info": f"plaquette = {lq.plaquette(links).average:.12f}"}, **how)
    assert report.strategy == strategy
    assert (tmp_path / "a.ildg").read_bytes() == gauge_file.read_bytes()
    assert np.array_equal(lq.read(gauge_file, **how), links)
    assert np.array_equal(lq.read_async(gauge_file, **how).wait(), links)


@pytest.mark.parametrize("arguments, word", [({"strategy": "fast"}, '"fast"'), ({"aggregators": -1}, "-1"),
                                             ({"chunk_bytes": 0.5}, "0.5")])
def test_impossible_routes_are_explained(tmp_path, gauge_file, links, arguments, word):
    for move in (lambda: lq.write(tmp_path / "a.ildg", links, **arguments), lambda: lq.read(gauge_file, **arguments),
                 lambda: lq.write_async(tmp_path / "a.ildg", links, **arguments),
                 lambda: lq.read_async(gauge_file, **arguments)):
        with pytest.raises(lq.InvalidArgument) as caught:
            move()
        assert word in str(caught.value)
    assert links.flags.writeable


def test_several_fields_are_in_flight(tmp_path, gauge_file, links):
    other = random_links(seed=2)
    writes = [lq.write_async(tmp_path / f"{i}.ildg", u) for i, u in enumerate((links, other, links))]
    reading = lq.read_async(gauge_file)
    while not writes[2].test():
        pass
    assert not (tmp_path / "2.ildg").exists()  # it appears when it is waited for
    reports = [pending.wait() for pending in writes]
    assert reports[0].direction == "write" and writes[0].report is reports[0]
    assert np.array_equal(reading.wait(), links)
    assert reading.report.direction == "read" and reading.report.checksum_status == "ok"
    assert np.array_equal(lq.read(tmp_path / "1.ildg"), other)
    assert np.array_equal(lq.read(tmp_path / "2.ildg"), links)


def test_an_array_is_read_only_while_it_is_written(tmp_path, links):
    first = lq.write_async(tmp_path / "a.ildg", links)
    second = lq.write_async(tmp_path / "b.ildg", links)
    with pytest.raises(ValueError):
        links[0] = 0
    first.wait()
    with pytest.raises(ValueError):
        links[0] = 0
    second.cancel()
    links[0] = 0


def test_what_was_read_only_stays_so(tmp_path, links):
    links.flags.writeable = False
    lq.write_async(tmp_path / "a.ildg", links).wait()
    assert not links.flags.writeable


def test_a_view_is_given_back_with_its_owner(tmp_path, links):
    view = links[:]
    of_view = lq.write_async(tmp_path / "a.ildg", view)
    of_owner = lq.write_async(tmp_path / "b.ildg", links)
    of_view.wait()
    of_owner.wait()
    assert view.flags.writeable and links.flags.writeable


def test_what_has_to_be_copied_may_change(tmp_path, links):
    swapped = links.astype(">c16")
    pending = lq.write_async(tmp_path / "a.ildg", swapped)
    swapped[...] = 0
    pending.wait()
    assert np.array_equal(lq.read(tmp_path / "a.ildg"), links)


def test_the_array_lives_as_long_as_the_transfer(tmp_path, links):
    pending = lq.write_async(tmp_path / "a.ildg", links.copy())
    gc.collect()
    pending.wait()
    assert np.array_equal(lq.read(tmp_path / "a.ildg"), links)


def test_a_with_block_waits(tmp_path, links):
    with lq.write_async(tmp_path / "a.ildg", links) as pending:
        pass
    assert pending.report.bytes == links.nbytes and (tmp_path / "a.ildg").exists()
    with lq.write_async(tmp_path / "b.ildg", links) as pending:
        pending.wait()


def test_an_exception_in_a_with_block_cancels(tmp_path, links):
    with pytest.raises(ZeroDivisionError):
        with lq.write_async(tmp_path / "a.ildg", links):
            1 / 0
    assert not list(tmp_path.iterdir()) and links.flags.writeable


def test_cancelled_and_dropped_writes_leave_no_file(gauge_file, tmp_path, links):
    before = gauge_file.read_bytes()
    lq.write_async(gauge_file, links * 2, force=True).cancel()
    pending = lq.write_async(tmp_path / "a.ildg", links)
    del pending
    gc.collect()
    assert gauge_file.read_bytes() == before and list(tmp_path.iterdir()) == [gauge_file]
    assert links.flags.writeable


def test_a_transfer_is_waited_for_once(tmp_path, links):
    pending = lq.write_async(tmp_path / "a.ildg", links)
    pending.wait()
    for again in (pending.wait, pending.test, pending.cancel):
        with pytest.raises(lq.WrongState):
            again()


def test_errors_come_when_they_are_known(tmp_path, gauge_file, links):
    with pytest.raises(FileNotFoundError):
        lq.read_async(tmp_path / "no.ildg")
    with pytest.raises(FileExistsError):
        lq.write_async(gauge_file, links)
    assert links.flags.writeable
    data = bytearray(gauge_file.read_bytes())
    data[len(data) // 2] ^= 1
    gauge_file.write_bytes(data)
    reading = lq.read_async(gauge_file)
    with pytest.raises(lq.ChecksumError):
        reading.wait()


def test_regions_and_types_are_obeyed(gauge_file, links):
    part = lq.read_async(gauge_file, region={"t": slice(1, 3)}, dtype="complex64").wait()
    assert part.dtype == np.complex64 and np.array_equal(part, links[1:3].astype(np.complex64))
