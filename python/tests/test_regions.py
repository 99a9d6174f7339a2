# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A part of the lattice becomes a lattice of its own: the numbers are those of numpy's slice, whatever the formats."""


import numpy as np
import pytest

import limequat as lq

RANDOM = np.random.default_rng(5)


def near_one(shape):
    """Links of SU(3) near 1, [t, z, y, x, mu, row, column]."""
    noise = 0.2 * (RANDOM.normal(size=(*shape, 4, 3, 3)) + 1j * RANDOM.normal(size=(*shape, 4, 3, 3)))
    links, _ = np.linalg.qr(np.eye(3) + noise)
    # Columns as Gram-Schmidt has them, with determinant 1.
    diagonal = np.einsum("...ii->...i", np.conj(np.swapaxes(links, -1, -2)) @ (np.eye(3) + noise))
    links *= (diagonal / abs(diagonal))[..., None, :]
    links[..., :, 0] /= np.linalg.det(links)[..., None]
    return links


LINKS = near_one((8, 2, 4, 4))
CUTS = [("t=0:3", np.s_[0:3]), ("t=5:", np.s_[5:]), ("t=-2:", np.s_[6:]), ("x=1:3,t=2:6", np.s_[2:6, :, :, 1:3]),
        ("y=:1,2=1:2", np.s_[:, 1:2, :1])]


@pytest.mark.parametrize("region, part", CUTS)
@pytest.mark.parametrize("source", ["ildg", "scidac", "nersc", "hdf5", "openqcd", "hirep", "milc"])
@pytest.mark.parametrize("target", ["ildg", "hdf5", "nersc"])
def test_a_part_is_that_of_numpy(tmp_path, region, part, source, target):
    old, new = tmp_path / "old", tmp_path / "new"
    lq.write(old, LINKS, format=source)
    lq.convert(old, new, format=target, region=region, allow_loss=True)
    # Two rows, or single precision, are what some of the sources hold; what they hold is what the part has.
    assert np.allclose(lq.read(new), LINKS[part], rtol=0, atol=1e-7)
    assert np.allclose(lq.read(new), lq.read(old)[part], rtol=0, atol=1e-14)
    assert lq.verify(new)


def test_slices_are_taken_as_by_read(tmp_path):
    old, new = tmp_path / "old.ildg", tmp_path / "new.ildg"
    lq.write(old, LINKS)
    region = {"t": slice(2, 6), "x": slice(None, -1)}
    lq.convert(old, new, region=region)
    assert np.array_equal(lq.read(new), LINKS[2:6, :, :, :-1])
    assert np.array_equal(lq.read(new), lq.read(old, region=region))
    for one in ({"t": -2}, "t=-2"):
        lq.convert(old, new, region=one, overwrite=True)
        assert np.array_equal(lq.read(new), LINKS[-2:-1])
    for wrong in ({"t": slice(0, 4, 2)}, {"t": 99}, {"t": 3.0}, 5):
        with pytest.raises(lq.InvalidArgument):
            lq.convert(old, tmp_path / "no.ildg", region=wrong)
    assert not (tmp_path / "no.ildg").exists()


def test_what_was_said_of_the_whole_is_left_out(tmp_path):
    old, new = tmp_path / "old.ildg", tmp_path / "new.ildg"
    lq.write(old, LINKS, metadata={"ildg-data-lfn": "lfn://A/1", "xlf-info": f"plaquette = {lq.plaquette(LINKS).average:.12f}\n beta = 6\n",
                                  "note": "mine"})
    lq.convert(old, new, region="t=:4")
    texts = dict((m["name"], m["text"]) for m in lq.info(new)["fields"][0]["metadata"])
    assert texts["note"] == "mine" and "plaquette" not in str(texts) and "lfn://A/1" not in str(texts)


def test_all_fields_are_cut(tmp_path):
    old, new = tmp_path / "old.h5", tmp_path / "new.h5"
    fields = {name: RANDOM.normal(size=(8, 2, 4, 4, 4, 3)) + 0j for name in ("a", "b")}
    with lq.create(old, (4, 4, 2, 8)) as writer:
        for name, array in fields.items():
            writer.write(name, array)
    lq.convert(old, new, region="t=1:3")
    for name, array in fields.items():
        assert np.array_equal(lq.read(new, name), array[1:3])


@pytest.mark.parametrize("source", ["ildg", "scidac", "hdf5", "nersc"])
@pytest.mark.parametrize("region", ["t=0:2", "x=0:1"])
def test_damage_is_not_given_new_sums(tmp_path, source, region):
    old, new = tmp_path / "old", tmp_path / "new"
    lq.write(old, LINKS, format=source)
    data = bytearray(old.read_bytes())
    at = data.find(LINKS[0, 0, 0, 0].tobytes() if source == "hdf5" else LINKS[0, 0, 0, 0].astype(">c16").tobytes()[:60])
    assert at > 0
    data[at + 4] ^= 1  # a low bit of the first number
    old.write_bytes(data)
    with pytest.raises(lq.Error):
        lq.convert(old, new, format="hdf5", region=region, allow_loss=True)
    assert not new.exists()


def test_a_rescued_part_can_be_converted_and_stays_a_part(tmp_path):
    old, rescued, new = tmp_path / "old.ildg", tmp_path / "rescued.scidac", tmp_path / "new.h5"
    lq.write(old, LINKS)
    cut = old.read_bytes()
    old.write_bytes(cut[: len(cut) - LINKS[0].nbytes * 4])
    lq.repair(old, rescued)
    kept = lq.read(rescued)
    lq.convert(rescued, new)
    assert np.array_equal(lq.read(new), kept) and np.array_equal(kept, LINKS[:len(kept)])
    assert lq.verify(new).verdict != "sound"


def test_errors_name_what_is_expected(tmp_path):
    old = tmp_path / "old.ildg"
    lq.write(old, LINKS)
    for wrong in ("t=0:9", "t=4:4", "u=0:1", "t", "4=0:1", "t=0:1,t=1:2"):
        with pytest.raises(lq.InvalidArgument, match="region"):
            lq.convert(old, tmp_path / "new.ildg", region=wrong)
