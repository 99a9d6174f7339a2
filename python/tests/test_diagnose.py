# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""diagnose of raw numbers in all that programs do with them: the numbers come back, or it is said that they cannot be told.

The fields and the files are made by numpy alone. LIMEQUAT_DIAGNOSE_CASES=N draws so many cases in place of the usual ones.
"""

import itertools
import os
import struct

import numpy as np
import pytest

import limequat as lq

LATTICES = [(4, 6, 2, 8), (4, 4, 4, 6), (2, 6, 3, 4), (6, 4, 4, 4)]
NUMBER_AXES = ("mu", "row", "column", "reim")


def unitary(random, shape, colors, size):
    """exp(i size H) with H hermitian and traceless."""
    a = random.normal(size=(*shape, colors, colors)) + 1j * random.normal(size=(*shape, colors, colors))
    h = a + a.conj().swapaxes(-1, -2)
    h -= np.trace(h, axis1=-2, axis2=-1)[..., None, None] / colors * np.eye(colors)
    values, vectors = np.linalg.eigh(h)
    return (vectors * np.exp(1j * size * values)[..., None, :]) @ vectors.conj().swapaxes(-1, -2)


def gauge_field(lattice, colors, seed):
    """Links [t, z, y, x, mu, row, column] that vary little but for a gauge, which hides all but plaquettes."""
    random = np.random.default_rng(seed)
    shape = lattice[::-1]
    gauge = unitary(random, shape, colors, 3)
    links = unitary(random, (*shape, 4), colors, 0.14)
    for mu in range(4):
        ahead = np.roll(gauge, -1, axis=3 - mu)
        links[..., mu, :, :] = gauge @ links[..., mu, :, :] @ ahead.conj().swapaxes(-1, -2)
    return links


class Case:
    """One way to write such a field, drawn."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        pick = lambda *values: values[random.integers(len(values))]
        self.lattice = LATTICES[random.integers(len(LATTICES))]
        self.colors = pick(3, 3, 3, 2, 4)
        self.sites = pick("tzyx", "tzyx", "".join(random.permutation(list("tzyx"))))  # slowest first
        self.parity = pick("", "", "even", "odd")
        numbers = pick(NUMBER_AXES, tuple(random.permutation(NUMBER_AXES)))
        place = pick(0, 0, *range(5))
        self.axes = (*numbers[:place], "site", *numbers[place:])
        self.links = pick("xyzt", "xyzt", "txyz")
        self.single = pick(False, False, True)
        self.single_in_double = not self.single and pick(*[False] * 7, True)
        self.order = pick("<", ">")
        self.words_exchanged = not self.single and pick(*[False] * 5, True)
        self.two_rows = self.colors == 3 and numbers == NUMBER_AXES and pick(*[False] * 4, True)
        self.header = pick(0, 0, 1, 8, 100, 4096)
        self.trailer = pick(0, 0, 0, 24)
        self.marks = pick("", "", "whole", "slices", "sites")
        self.mark_form = pick("<i", "<q", ">i", ">q")
        self.told = pick(self.lattice, self.lattice, self.lattice, tuple(random.permutation(self.lattice)))
        self.header_bytes = random.bytes(self.header) if pick(False, True) else bytes(self.header)

    def __repr__(self):
        return ", ".join(f"{name}={value}" for name, value in vars(self).items() if name != "header_bytes")

    def is_usual(self):
        """Nothing about it needs to be guessed: the lattice is told rightly, sites and links stand as in ILDG files. Where
        x has two places, even and odd ones are exchanged by a translation."""
        is_parity_told = not self.parity or self.lattice[0] > 2
        return (self.told == self.lattice and self.sites == "tzyx" and self.links == "xyzt" and self.colors % 4 != 0
                and is_parity_told)

    def numbers(self, links):
        """As they are in the file, in its order."""
        u = links if self.links == "xyzt" else links[..., [3, 0, 1, 2], :, :]
        u = u.transpose(*["tzyx".index(d) for d in self.sites], 4, 5, 6)
        if self.two_rows:
            u = u[..., :2, :]
        sites = int(np.prod(self.lattice))
        coordinates = np.indices(u.shape[:4]).sum(axis=0).ravel() % 2
        u = u.reshape(sites, *u.shape[4:])
        if self.parity:
            first = 0 if self.parity == "even" else 1
            u = np.concatenate([u[coordinates == first], u[coordinates != first]])
        real = np.stack([u.real, u.imag], axis=-1)
        return real.transpose(*[("site", *NUMBER_AXES).index(axis) for axis in self.axes])

    def data(self, links):
        numbers = self.numbers(links)
        if self.single_in_double:
            numbers = numbers.astype("f4")
        data = numbers.astype(self.order + ("f4" if self.single else "f8")).tobytes()
        if self.words_exchanged:
            data = np.frombuffer(data, "V4").reshape(-1, 2)[:, ::-1].tobytes()
        return data

    def file(self, links, data=None):
        data = self.data(links) if data is None else data
        records = {"whole": 1, "slices": self.lattice["xyzt".index(self.sites[0])], "sites": int(np.prod(self.lattice))}
        if self.marks:
            length = len(data) // records[self.marks]
            mark = struct.pack(self.mark_form, length)
            data = b"".join(mark + data[k:k + length] + mark for k in range(0, len(data), length))
        return self.header_bytes + data + bytes(self.trailer)

    def kept(self, links):
        """What of the numbers the file holds."""
        if self.two_rows:
            third = np.cross(links[..., 0, :], links[..., 1, :]).conj()
            links = np.concatenate([links[..., :2, :], third[..., None, :]], axis=-2)
        return links.astype("c8").astype("c16") if self.single or self.single_in_double else links


CASES = range(int(os.environ.get("LIMEQUAT_DIAGNOSE_CASES", "24")))


def is_right(new, case, links):
    read = lq.read(new)
    return read.shape == links.shape and np.abs(read - case.kept(links)).max() < (1e-6 if case.single else 1e-14)


def is_one_right(path, told, new, case, links, readings):
    """Whether it is among those that are named."""
    for number in range(1, readings + 1):
        try:
            lq.diagnose(path, lattice=told, rewrite=new, overwrite=True, reading=number)
        except lq.WrongState:
            continue
        if is_right(new, case, links):
            return True
    return False


@pytest.mark.parametrize("seed", CASES)
def test_what_is_written_anew_is_right(tmp_path, seed):
    case = Case(seed)
    links = gauge_field(case.lattice, case.colors, seed)
    path, new = tmp_path / "u.dat", tmp_path / "u.ildg"
    path.write_bytes(case.file(links))
    told = "x".join(map(str, case.told))
    diagnosis = lq.diagnose(path, lattice=told)
    if diagnosis.ok:
        assert diagnosis.readings[0].proven, case
        assert lq.diagnose(path, lattice=told, rewrite=new).ok and lq.verify(new), case
        assert is_right(new, case, links), (case, diagnosis.verdict)
    else:
        assert not case.is_usual(), (case, diagnosis.verdict)
        assert not any(reading.proven for reading in diagnosis.readings), case
        with pytest.raises(lq.WrongState):
            lq.diagnose(path, lattice=told, rewrite=new)
        assert not new.exists()
        # Where the extents are right, so is one of those that are named.
        is_named = is_one_right(path, told, new, case, links, len(diagnosis.readings))
        assert is_named or case.told != case.lattice, (case, diagnosis.verdict)


@pytest.mark.parametrize("seed", CASES)
def test_damage_is_never_overlooked(tmp_path, seed):
    case = Case(seed)
    links = gauge_field(case.lattice, case.colors, seed)
    data = bytearray(case.data(links))
    random = np.random.default_rng(seed)
    begin = random.integers(len(data))
    kind = seed % 3
    if kind == 0:  # a block that was never written
        begin = min(begin, len(data) - 2048)
        data[begin:begin + 2048] = bytes(2048)
    elif kind == 1:  # other bytes
        data[begin:begin + 300] = random.bytes(len(data[begin:begin + 300]))
    else:  # a part is exchanged with another one
        half, some = len(data) // 2, len(data) // 8
        data[:some], data[half:half + some] = data[half:half + some], data[:some]
    path, new = tmp_path / "u.dat", tmp_path / "u.ildg"
    path.write_bytes(case.file(links, bytes(data)))
    told = "x".join(map(str, case.told))
    assert not lq.diagnose(path, lattice=told).ok, case
    with pytest.raises(lq.WrongState):
        lq.diagnose(path, lattice=told, rewrite=new)
    assert not new.exists()


@pytest.mark.parametrize("parity, axes", itertools.product(["", "even", "odd"], [
    "site mu row column reim", "mu site row column reim", "reim site mu row column", "site mu reim row column",
    "row column mu reim site", "site mu column row reim"
]))
def test_every_usual_order_is_found(tmp_path, parity, axes):
    case = Case(0)
    vars(case).update(lattice=(4, 6, 2, 8), told=(4, 6, 2, 8), colors=3, sites="tzyx", parity=parity, links="xyzt",
                      axes=tuple(axes.split()), single=False, single_in_double=False, words_exchanged=False,
                      two_rows=False, marks="", header_bytes=b"", trailer=0)
    links = gauge_field(case.lattice, 3, 1)
    path, new = tmp_path / "u.dat", tmp_path / "u.ildg"
    path.write_bytes(case.file(links))
    diagnosis = lq.diagnose(path, lattice="4x6x2x8", rewrite=new)
    assert diagnosis.ok and diagnosis.readings[0].parity == parity
    assert diagnosis.readings[0].axes == axes.replace("site", "t z y x")
    assert is_right(new, case, links)


def test_extents_in_another_order_are_asked_about(tmp_path):
    links = gauge_field((4, 6, 2, 8), 3, 2)
    path, new = tmp_path / "u.dat", tmp_path / "u.ildg"
    path.write_bytes(links.astype(">c16").tobytes())
    diagnosis = lq.diagnose(path, lattice="8x2x6x4")
    lattices = [reading.lattice for reading in diagnosis.readings]
    assert not diagnosis.ok and [4, 6, 2, 8] in lattices and [8, 2, 6, 4] in lattices
    assert "--reading" in diagnosis.remedy
    number = lattices.index([4, 6, 2, 8]) + 1
    assert lq.diagnose(path, lattice="8x2x6x4", reading=number, rewrite=new).rewritten
    assert np.array_equal(lq.read(new), links)
    with pytest.raises(lq.InvalidArgument):
        lq.diagnose(path, lattice="8x2x6x4", reading=99)


def test_a_flipped_byte_of_a_nersc_file_is_wrong(tmp_path):
    links = gauge_field((4, 4, 4, 6), 3, 3)
    path = tmp_path / "u.nersc"
    lq.write(path, links)
    assert lq.verify(path) and lq.diagnose(path)
    data = bytearray(path.read_bytes())
    data[-100007] ^= 1
    path.write_bytes(data)
    assert not lq.verify(path) and not lq.diagnose(path)
    with pytest.raises(lq.WrongState):
        lq.diagnose(path, rewrite=tmp_path / "new.ildg")


def test_what_the_lattice_replaces_is_no_reason_not_to_write(tmp_path):
    links = gauge_field((4, 6, 2, 8), 3, 4)
    data = links.astype(">c16").tobytes()
    path, new = tmp_path / "bare.ildg", tmp_path / "new.ildg"
    head = b"\x45\x67\x89\xab" + struct.pack(">HHQ", 1, 0xc000, len(data)) + b"ildg-binary-data".ljust(128, b"\0")
    path.write_bytes(head + data)
    assert "--rewrite" in lq.diagnose(path, lattice="4x6x2x8").remedy
    lq.diagnose(path, lattice="4x6x2x8", rewrite=new)
    assert lq.verify(new) and np.array_equal(lq.read(new), links)
