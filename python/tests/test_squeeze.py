# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Archives, and the second decoder of them, which is written from docs/formats/squeezed.md alone."""

import numpy as np
import plain_lime  # noqa: F401  (makes tools importable)
import pytest
from read_limequat import originals_of

import limequat as lq


def restored(archive):
    """The original file out of an archive."""
    ((_, original),) = originals_of(archive)
    return original


@pytest.fixture(name="links")
def links_fixture():
    return lq.generate([4, 4, 4, 4], sweeps=2, hot_start=True)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_second_decoder_restores_the_original(tmp_path, links, precision):
    lq.write(tmp_path / "conf.ildg", links, precision=precision)
    original = (tmp_path / "conf.ildg").read_bytes()
    answer = lq.squeeze(tmp_path / "conf.ildg", tmp_path / "conf.sqz")
    assert answer["original_bytes"] == len(original)
    archive = (tmp_path / "conf.sqz").read_bytes()
    assert answer["archive_bytes"] == len(archive) < 0.5 * len(original)
    assert restored(archive) == original


def test_links_that_are_not_in_the_group_and_third_rows_that_are_missing(tmp_path, links):
    damaged = np.array(links)
    damaged.reshape(-1, 3, 3)[17] = 0
    damaged.reshape(-1, 3, 3)[400, 1, 1] += 0.25
    damaged.reshape(-1, 3, 3)[600, 2, 0] = float("nan")
    lq.write(tmp_path / "damaged.ildg", damaged)
    lq.squeeze(tmp_path / "damaged.ildg", tmp_path / "damaged.sqz")
    assert restored((tmp_path / "damaged.sqz").read_bytes()) == (tmp_path / "damaged.ildg").read_bytes()

    lq.write(tmp_path / "conf.nersc", links, layout="two-rows")
    answer = lq.squeeze(tmp_path / "conf.nersc", tmp_path / "conf.sqz")
    assert answer["format"] == "nersc"
    original = (tmp_path / "conf.nersc").read_bytes()
    assert restored((tmp_path / "conf.sqz").read_bytes()) == original
    assert len(original) < 1024 * 12 * 8 + 4096


def test_an_archive_is_read_like_its_original_and_restored(tmp_path, links):
    lq.write(tmp_path / "conf.ildg", links)
    lq.squeeze(tmp_path / "conf.ildg", tmp_path / "conf.sqz")
    assert np.array_equal(lq.read(tmp_path / "conf.sqz"), links)
    lq.unsqueeze(tmp_path / "conf.sqz", tmp_path / "back.ildg", verify="read_back")
    assert (tmp_path / "back.ildg").read_bytes() == (tmp_path / "conf.ildg").read_bytes()
    with pytest.raises(lq.Exists):
        lq.unsqueeze(tmp_path / "conf.sqz", tmp_path / "back.ildg")
    with pytest.raises(lq.Unsupported):
        lq.squeeze(tmp_path / "conf.sqz", tmp_path / "twice.sqz")


@pytest.mark.parametrize("name", ["conf.hirep", "conf.openqcd"])
def test_damaged_links_that_no_sum_covers_are_refused(tmp_path, links, name):
    """The archive would have sums over the damage, and stay for good."""
    lq.write(tmp_path / name, links)
    damaged = bytearray((tmp_path / name).read_bytes())
    damaged[len(damaged) // 2 // 8 * 8 + 8] ^= 0x7f
    damaged[len(damaged) // 2 // 8 * 8 + 15] ^= 0x7f
    (tmp_path / name).write_bytes(damaged)
    with pytest.raises(lq.Error, match="Nothing was squeezed"):
        lq.squeeze(tmp_path / name, tmp_path / "conf.sqz")
    assert not (tmp_path / "conf.sqz").exists()
    lq.squeeze(tmp_path / name, tmp_path / "conf.sqz", verify="none")
    assert restored((tmp_path / "conf.sqz").read_bytes()) == bytes(damaged)
    assert not lq.verify(tmp_path / "conf.sqz")
