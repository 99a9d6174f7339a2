# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The formats of other programs, as arrays."""

import itertools
import pathlib

import numpy as np
import pytest
from conftest import random_field

import limequat as lq

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "good"
FORMATS = ["nersc", "milc", "fnal", "openqcd", "hirep", "ddalphaamg", "qlattice"]


@pytest.fixture(scope="module")
def links():
    """A configuration on 4x2x2x6, in double precision."""
    return lq.generate([4, 2, 2, 6], sweeps=1, seed=3)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_is_read(tmp_path, links, name):
    path = tmp_path / "conf"
    lq.write(path, links, format=name)
    with lq.open(path) as file:
        assert file.format == name
        assert list(file.lattice) == [4, 2, 2, 6]
    assert np.array_equal(lq.read(path), links)
    assert lq.verify(path).ok


def test_a_file_of_openqcd_is_what_its_bytes_say():
    """Odd points, t slowest and z fastest, +t -t +x -x +y -y +z -z, read here by numpy alone."""
    path = GOLDEN / "openqcd" / "periodic.openqcd"
    u = lq.read(path)  # [t, z, y, x, mu, row, column], mu = x, y, z, t
    nt, nx, ny, nz = np.fromfile(path, "<i4", 4)
    data = np.fromfile(path, "<c16", offset=24).reshape(-1, 8, 3, 3)
    record = 0
    for t, x, y, z in np.ndindex(nt, nx, ny, nz):
        if (t + x + y + z) % 2 == 0:
            continue
        for pair, mu in enumerate((3, 0, 1, 2)):
            behind = [x, y, z, t]
            behind[mu] = (behind[mu] - 1) % (nx, ny, nz, nt)[mu]
            assert np.array_equal(data[record, 2 * pair], u[t, z, y, x, mu])
            assert np.array_equal(data[record, 2 * pair + 1], u[behind[3], behind[2], behind[1], behind[0], mu])
        record += 1


def test_texts_are_lost_only_where_that_is_allowed(tmp_path, links):
    source, target = tmp_path / "conf.ildg", tmp_path / "conf.milc"
    lq.write(source, links, metadata={"note": "worth keeping"})
    with pytest.raises(lq.Error, match="allow_loss"):
        lq.convert(source, target)
    assert not target.exists()
    lq.convert(source, target, allow_loss=True)
    assert np.array_equal(lq.read(target), links)


@pytest.mark.parametrize("format", ["scidac", "hdf5"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_every_field_that_is_taken_comes_back_as_what_it_was(tmp_path, format, precision):
    """All kinds of 1, 2 and 4 spins and 1 to 4 colours: kind, shape and numbers."""
    if not any(one["name"] == format for one in lq.formats()):
        pytest.skip(f"this build has no {format}")
    written = 0
    for spins, colors in itertools.product((1, 2, 4), (1, 2, 3, 4)):
        sites = {"gauge": (4, colors, colors), "spinor": (spins, colors), "propagator": (spins, spins, colors, colors),
                 "generic": (spins * colors,)}
        for kind, site in sites.items():
            path = tmp_path / f"{kind}.{spins}.{colors}"
            numbers = random_field(site, np.complex64 if precision == "single" else np.complex128)
            try:
                lq.write(path, numbers, kind=kind, format=format)
            except (lq.InvalidArgument, lq.Unsupported):
                continue
            written += 1
            field = lq.open(path).fields[0]
            expected = numbers if kind != "generic" or site != (1,) else numbers[..., 0]
            assert (field.kind, field.shape, field.dtype) == (kind, expected.shape, numbers.dtype), (kind, spins, colors)
            assert np.array_equal(lq.read(path), expected), (kind, spins, colors)
    assert written >= 30


def with_zeros(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2:] = bytes(len(data) - len(data) // 2)
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["openqcd", "hirep", "ddalphaamg", "fnal"])
def test_data_that_look_damaged_are_warned_of_and_not_converted(tmp_path, links, name):
    path, target = tmp_path / "conf", tmp_path / "conf.ildg"
    lq.write(path, links, format=name)
    with_zeros(path)
    with pytest.warns(RuntimeWarning, match="only zeros"):
        lq.read(path)
    with pytest.raises(lq.ChecksumError, match="only zeros"):
        lq.convert(path, target)
    assert not target.exists()
    with pytest.warns(RuntimeWarning, match="only zeros"):
        lq.convert(path, target, accept_damage=True)
    assert np.array_equal(lq.read(target)[0], links[0])


def test_fields_of_one_name_are_numbered_where_names_must_differ(tmp_path):
    path, target = tmp_path / "ev.lime", tmp_path / "ev.h5"
    with lq.create(path) as writer:
        for i in range(12):
            writer.write("spinor", np.full((4, 2, 2, 2, 4, 3), i + 1.0 + 0j))
    lq.convert(path, target, dry_run=True)
    lq.convert(path, target)
    assert sorted(f["name"] for f in lq.info(target)["fields"]) == sorted(["spinor"] + [f"spinor.{i}" for i in range(1, 12)])
    assert lq.read(target, field="spinor.11").flat[0] == 12
    assert lq.read(path, field="spinor:3").flat[0] == lq.read(path, field=("spinor", 3)).flat[0] == 4
    lq.convert(path, tmp_path / "one.scidac", field="spinor:3")
    assert lq.read(tmp_path / "one.scidac").flat[0] == 4
    found = lq.diff(path, target)
    assert found["same"] and len(found["fields"]) == 12 and not found["unpaired"]
    lq.convert(path, target, field="spinor:3", overwrite=True, name="mine")
    found = lq.diff(path, target)
    assert not found["same"] and len(found["unpaired"]) == 13
