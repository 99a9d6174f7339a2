# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets of modes, and their bytes as a second reader finds them: one that knows docs/formats/modes.md and nothing else."""

import math
import struct

import numpy as np
import pytest

import limequat as lq

LATTICE = (4, 2, 2, 6)
SHAPE = LATTICE[::-1] + (4, 3)


def vector(k, shape=SHAPE, dtype=np.complex128):
    """Numbers that differ, also in their size."""
    n = np.arange(np.prod(shape)).reshape(shape)
    return ((1 + k + n / 7) * np.exp(1j * n)).astype(dtype)


@pytest.fixture
def path(tmp_path):
    """A set of five modes."""
    path = tmp_path / "low.modes"
    with lq.modes.create(path, LATTICE, operator="hermitian Wilson", room=2,
                         parameters={"kappa": 0.125, "steps": 30, "shift": 1 - 2j, "solver": "Lanczos"}) as writer:
        for k in range(5):
            writer.append(vector(k), eigenvalue=0.1 * k, residual=None if k == 2 else 1e-9)
            assert len(writer) == k + 1
    return path


class PlainReader:
    """A set of modes read by struct and numpy alone."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        self.records = list(self._records())
        head, index = self.records[:2]
        assert (head[0], index[0]) == ("limequat-modes", "limequat-modes-index")
        self.document = self.bytes[head[1]:head[1] + head[2]].decode()
        self.entries, place = [], index[1]
        while place:
            entry_bytes, room, first, count, following = self._numbers(place, 5)
            assert self._sum(place, 40) == self._numbers(place + 40, 1)[0]
            assert first == len(self.entries) and count <= room
            for k in range(count):
                at = place + 48 + k * entry_bytes
                assert self._sum(at, entry_bytes - 8) == self._numbers(at + entry_bytes - 8, 1)[0]
                self.entries.append(struct.unpack_from(">QQddd", self.bytes, at))
            place = following

    def _records(self):
        at = 0
        while at < len(self.bytes):
            magic, _, _, length = struct.unpack_from(">IHHQ", self.bytes, at)
            assert magic == 0x456789AB
            yield self.bytes[at + 16:at + 144].split(b"\0")[0].decode(), at + 144, length
            at += 144 + length + -length % 8

    def _numbers(self, at, count):
        return struct.unpack_from(f">{count}Q", self.bytes, at)

    def _sum(self, at, length):
        value = 0xCBF29CE484222325
        for byte in self.bytes[at:at + length]:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return value

    def data(self, k, dtype):
        """The numbers of mode k."""
        offset = self.entries[k][1]
        assert ("limequat-mode-data", offset) in [record[:2] for record in self.records]
        return np.frombuffer(self.bytes, dtype, int(np.prod(SHAPE)) * 2, offset)


def test_what_was_added_is_read(path):
    with lq.modes.open(path) as modes:
        assert len(modes) == 5 and modes.lattice == LATTICE and modes.sites == LATTICE
        assert modes.operator == "hermitian Wilson" and modes.storage == "double" and modes.ls == 1
        assert modes.parameters == {"kappa": 0.125, "steps": 30, "shift": 1 - 2j, "solver": "Lanczos"}
        assert modes.eigenvalues.tolist() == [0.1 * k for k in range(5)]
        assert np.isnan(modes.residuals[2]) and modes.residuals[1] == 1e-9
        for k in (4, 0, -2):
            assert np.array_equal(modes[k], vector(k % 5))
        assert modes.read(1, dtype="complex64").dtype == np.complex64
        with pytest.raises(lq.NoSuchRecord):
            modes[5]
    with pytest.raises(lq.WrongState):
        modes[0]


def test_a_plain_reader_finds_the_same(path):
    plain = PlainReader(path)
    assert len(plain.entries) == 5
    for k, (number, _, re, im, residual) in enumerate(plain.entries):
        assert (number, re, im) == (k, 0.1 * k, 0)
        assert np.isnan(residual) if k == 2 else residual == 1e-9
        assert np.array_equal(plain.data(k, ">f8"), vector(k).view(np.float64).ravel())
    assert "<operator>hermitian Wilson</operator>" in plain.document


def test_fixed_point_is_that_of_the_page(tmp_path):
    path = tmp_path / "small.modes"
    with lq.modes.create(path, LATTICE, storage="fixed16") as writer:
        writer.append(vector(3), eigenvalue=1)
    plain = PlainReader(path)
    raw = np.frombuffer(plain.bytes, np.dtype([("m", ">f4"), ("i", ">i2", 24)]), int(np.prod(LATTICE)),
                        plain.entries[0][1])
    decoded = raw["m"].astype(np.float64)[:, None] * raw["i"] / 32767
    with lq.modes.open(path) as modes:
        read = modes.read(0, dtype="complex128")
        assert modes[0].dtype == np.complex64
    assert np.array_equal(read.view(np.float64).reshape(-1, 24), decoded)
    sites = vector(3).view(np.float64).reshape(-1, 24)
    assert (abs(decoded - sites) <= abs(sites).max(axis=1)[:, None] / 65000).all()
    assert (raw["m"].astype(np.float64) >= abs(sites).max(axis=1)).all()


def coherent_vector(k):
    """Of modes 0 and 1 for k > 1, weighted anew in each block of 2 x 2 x 1 x 2 sites."""
    if k < 2:
        return vector(k)
    weights = np.random.default_rng(k).normal(size=(2,) + tuple(n // b for n, b in zip(SHAPE[:4], (2, 1, 2, 2))))
    for axis, extent in enumerate((2, 1, 2, 2)):
        weights = weights.repeat(extent, axis + 1)
    complex_weights = (weights[0] + 1j * weights[1])[..., None, None]
    return vector(0) * complex_weights + vector(1) * complex_weights.conj()


def test_coefficients_are_those_of_the_page(tmp_path):
    path = tmp_path / "small.modes"
    assert all(n % b == 0 for n, b in zip(LATTICE, (2, 2, 1, 2)))
    with lq.modes.create(path, LATTICE, storage="single", basis=2, block=(2, 2, 1, 2), tolerance=1e-3) as writer:
        for k in range(4):
            writer.append(coherent_vector(k), eigenvalue=k)
        writer.append(np.random.default_rng(7).normal(size=SHAPE).astype(complex), eigenvalue=4)
    data = path.read_bytes()
    with lq.modes.open(path) as modes:
        assert (modes.basis, modes.block, modes.tolerance) == (2, (2, 2, 1, 2), 1e-3)
        assert (modes.errors[[0, 1, 4]] == 0).all() and (modes.errors[2:4] > 0).all() and modes.errors.max() <= 1e-3
        ahead = list(modes.ahead(1, 5))
        assert [k for k, v in ahead] == [1, 2, 3, 4] and all(np.array_equal(v, modes.read(k)) for k, v in ahead)
        for k in (2, 3):
            read = modes.read(k, dtype="complex128")
            wrong = np.linalg.norm(read - coherent_vector(k)) / np.linalg.norm(coherent_vector(k))
            assert wrong <= modes.errors[k]
            # From the bytes: behind the header of the record the coefficients, x fastest, two for each block.
            at = -1
            for _ in range(k - 1):
                at = data.index(b"limequat-mode-coefficients\0", at + 1)
            blocks = tuple(n // b for n, b in zip(SHAPE[:4], (2, 1, 2, 2)))
            coefficients = np.frombuffer(data, ">f4", 4 * math.prod(blocks), at + 128).astype(float).view(complex)
            coefficients = coefficients.reshape(*blocks, 2)
            for axis, extent in enumerate((2, 1, 2, 2)):
                coefficients = coefficients.repeat(extent, axis)
            made = sum(coefficients[..., i, None, None] * modes.read(i, dtype="complex128") for i in range(2))
            assert np.allclose(read, made, rtol=1e-12)
    large, again = tmp_path / "large.modes", tmp_path / "again.modes"
    lq.modes.convert(path, large)
    lq.modes.convert(large, again, basis=2, block=(2, 2, 1, 2))
    with lq.modes.open(large) as whole, lq.modes.open(again) as modes:
        assert whole.basis == 0 and whole.block is None and (whole.errors == 0).all()
        assert modes.basis == 2 and (modes.errors[2:4] > 0).all() and modes.errors[4] == 0
    with pytest.raises(lq.InvalidArgument):
        lq.modes.create(tmp_path / "none.modes", LATTICE, basis=2)
    with pytest.raises(lq.InvalidArgument):
        lq.modes.convert(large, tmp_path / "none.modes", basis=2, block=(3, 2, 1, 2))
    lq.modes.convert(large, again, basis=2, block=(2, 2, 1, 2), first=1, overwrite=True, strategy="messages")
    with lq.modes.open(again) as modes:
        assert modes.basis == 2 and len(modes) == 4
    with pytest.raises(lq.InvalidArgument):
        lq.modes.convert(large, tmp_path / "none.modes", strategy="quick")


def test_numbers_that_are_not_finite_are_warned_of(path):
    broken = vector(5)
    broken[1, 0, 1, 2, 0, 0] = np.nan
    with lq.modes.append(path) as writer, pytest.warns(RuntimeWarning, match="1 sites.*NaN or infinite"):
        writer.append(broken, eigenvalue=5)
    verdict = lq.verify(path)
    assert not verdict.ok and [finding["rule"] for finding in verdict["findings"]] == ["not-finite"]


@pytest.mark.parametrize("eigenvalue", [float("nan"), float("inf"), complex(1, float("nan"))])
def test_eigenvalues_that_are_not_finite_are_reported(path, eigenvalue):
    with lq.modes.append(path) as writer:
        writer.append(vector(5), eigenvalue=eigenvalue)
    verdict = lq.verify(path)
    assert verdict.verdict == "unproven" and [finding["rule"] for finding in verdict["findings"]] == ["not-finite"]
    assert "the eigenvalue of mode 5 is NaN or infinite" in verdict["findings"][0]["message"]


def test_modes_arrive_ahead(path):
    with lq.modes.open(path) as modes:
        seen = [(k, np.array_equal(v, vector(k))) for k, v in modes.ahead(1, 4)]
        assert seen == [(1, True), (2, True), (3, True)]
        assert list(modes.ahead(3, 3)) == []


def test_a_later_program_goes_on(path):
    with lq.modes.append(path) as writer:
        assert len(writer) == 5
        writer.append(vector(5), eigenvalue=0.5 + 1j)
    with lq.modes.open(path) as modes:
        assert modes.eigenvalues[5] == 0.5 + 1j and np.array_equal(modes[5], vector(5))


def test_a_set_stays_until_the_next_one_has_a_mode(path):
    def size():
        with lq.modes.open(path) as modes:
            return len(modes)

    with pytest.raises(ZeroDivisionError), lq.modes.create(path, LATTICE, overwrite=True):
        1 / 0
    assert size() == 5
    with lq.modes.create(path, LATTICE, overwrite=True) as writer:
        with pytest.raises(lq.IoError, match="another program"):
            lq.modes.append(path)
        assert size() == 5
        writer.append(vector(0), eigenvalue=0)
        assert size() == 1
        with pytest.raises(lq.IoError, match="appending to this file"):
            lq.modes.create(path, LATTICE, overwrite=True)
    with lq.modes.create(path, LATTICE, overwrite=True):
        pass
    assert size() == 0


def test_a_set_that_was_replaced_is_left_alone(path, tmp_path):
    with lq.modes.create(tmp_path / "other.modes", LATTICE) as other:
        other.append(vector(1), eigenvalue=7)
    with lq.modes.append(path) as writer:
        (tmp_path / "other.modes").rename(path)
        for _ in range(2):
            with pytest.raises(lq.IoError, match="another program has replaced it"):
                writer.append(vector(2), eigenvalue=2)
    with lq.modes.open(path) as modes:
        assert list(modes.eigenvalues) == [7]


def test_a_set_is_converted(path, tmp_path):
    target = tmp_path / "single.modes"
    lq.modes.convert(path, target, storage="single", first=1, last=3)
    with lq.modes.open(target) as modes:
        assert len(modes) == 2 and modes.storage == "single"
        assert np.array_equal(modes[0], vector(1, dtype=np.complex64))
    with pytest.raises(lq.Exists):
        lq.modes.convert(path, target)


def test_other_vectors(tmp_path):
    path = tmp_path / "five.modes"
    half = (6, 2, 2, 2, 3, 4, 3)
    with lq.modes.create(path, LATTICE, ls=3, parity="odd") as writer:
        writer.append(vector(1, half), eigenvalue=-1)
    with lq.modes.open(path) as modes:
        assert modes.ls == 3 and modes.parity == "odd" and modes.sites == (2, 2, 2, 6)
        assert np.array_equal(modes[0], vector(1, half))
    path = tmp_path / "real.modes"
    with lq.modes.create(path, (4, 4), kind="generic", shape=(3,), dtype="float64") as writer:
        writer.append(np.arange(48.0).reshape(4, 4, 3), eigenvalue=0)
    with lq.modes.open(path) as modes:
        assert np.array_equal(modes[0], np.arange(48.0).reshape(4, 4, 3))


def test_what_is_wrong_is_said(path, tmp_path):
    with lq.modes.append(path) as writer, pytest.raises(lq.InvalidArgument, match="have the lattice"):
        writer.append(vector(0)[:2], eigenvalue=0)
    for wrong in ({"storage": "half"}, {"parity": "none"}, {"kind": "gauge"}, {"kind": "generic"}, {"ls": 0},
                  {"parameters": {"a": []}}):
        with pytest.raises(lq.InvalidArgument):
            lq.modes.create(tmp_path / "wrong.modes", LATTICE, **wrong)
    with pytest.raises(lq.NotFound):
        lq.modes.open(tmp_path / "missing.modes")


def test_damage_is_named_by_mode_and_slice(path):
    plain = PlainReader(path)
    data = bytearray(plain.bytes)
    at = plain.entries[3][1] + 4 * (4 * 2 * 2 * 24 * 8) + 99
    data[at:at + 9] = b"xxxxxxxxx"
    path.write_bytes(data)
    verdict = lq.verify(path)
    assert not verdict.ok
    assert [(field["index"], field["damaged_slices"]) for field in verdict["fields"]
            if field["checksum_status"] == "mismatch"] == [(3, [4])]
    with lq.modes.open(path) as modes, pytest.raises(lq.ChecksumError):
        modes[3]
