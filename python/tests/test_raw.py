# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Raw numbers beside a description, against numpy (docs/formats/raw.md)."""

import numpy as np
import pytest

import limequat as lq

LATTICE = [4, 2, 6, 2]  # x, y, z, t


@pytest.fixture(scope="module")
def links():
    return lq.generate(LATTICE, sweeps=1, seed=11)


def describe(path, *lines, lattice="4x2x6x2"):
    path.write_text("\n".join(("BEGIN_RAW_FIELD", f"lattice = {lattice}", *lines, "END_RAW_FIELD", "")))
    return path


def random_propagator(dtype):
    numbers = np.random.default_rng(1).standard_normal((2, 6, 2, 4, 4, 4, 3, 3, 2))
    return (numbers[..., 0] + 1j * numbers[..., 1]).astype(dtype)  # t z y x, sink spin, source spin, sink, source colour


@pytest.mark.parametrize("order, axes", [
    ("t z y x mu row column reim", (0, 1, 2, 3, 4, 5, 6, 7)),
    ("mu t z y x row column reim", (4, 0, 1, 2, 3, 5, 6, 7)),
    ("reim x y z t column row mu", (7, 3, 2, 1, 0, 6, 5, 4)),
    ("mu row column reim z x t y", (4, 5, 6, 7, 1, 3, 0, 2))])
@pytest.mark.parametrize("dtype, byte_order", [("f8", ">"), ("f4", "<")])
def test_numbers_in_any_order_are_read_and_written(tmp_path, links, order, axes, dtype, byte_order):
    u = links.astype("c16" if dtype == "f8" else "c8")
    data = np.stack((u.real, u.imag), -1).transpose(axes).astype(byte_order + dtype).tobytes()
    word = "big" if byte_order == ">" else "little"
    (tmp_path / "theirs.bin").write_bytes(b"head" + data)
    path = describe(tmp_path / "theirs.raw", "data = theirs.bin", "kind = gauge", f"order = {order}", "offset = 4",
                    f"precision = {'double' if dtype == 'f8' else 'single'}", f"byte_order = {word}")
    assert np.array_equal(lq.read(path), u)
    assert lq.verify(path).ok

    lq.write(tmp_path / "ours.raw", u, layout=f"{word} {order}", verify="checksum")
    assert (tmp_path / "ours.raw.data").read_bytes() == data
    assert np.array_equal(lq.read(tmp_path / "ours.raw"), u)
    assert lq.verify(tmp_path / "ours.raw").fields[0].checksum_status == "ok"
    assert lq.diff(path, tmp_path / "ours.raw").same
    damaged = bytearray(data)
    damaged[1000] ^= 1
    (tmp_path / "ours.raw.data").write_bytes(damaged)
    assert not lq.verify(tmp_path / "ours.raw").ok


def test_bridge_is_the_payload_of_ildg(tmp_path, links):
    lq.write(tmp_path / "conf.ildg", links)
    lq.convert(tmp_path / "conf.ildg", tmp_path / "conf.raw", layout="bridge++", allow_loss=True)
    data = (tmp_path / "conf.raw.data").read_bytes()
    assert data == lq.open(tmp_path / "conf.ildg").records["ildg-binary-data"]
    (tmp_path / "bridge.bin").write_bytes(data)
    path = describe(tmp_path / "bridge.raw", "data = bridge.bin", "layout = bridge++", "precision = double")
    lq.convert(path, tmp_path / "back.ildg")
    assert np.array_equal(lq.read(tmp_path / "back.ildg"), links)


@pytest.mark.parametrize("axes, order", [((0, 1, 2, 3, 4, 5, 6, 7), "t z y x mu row column reim"),
                                         ((4, 0, 1, 2, 3, 5, 6, 7), "mu t z y x row column reim")])
@pytest.mark.parametrize("dtype, digits", [("f8", 16), ("f4", 8)])
def test_texts_are_read_and_written_bit_for_bit(tmp_path, axes, order, dtype, digits):
    lattice = [8, 8, 8, 2]  # several tiles
    u = lq.generate(lattice, sweeps=1, seed=12).astype("c16" if dtype == "f8" else "c8")
    numbers = np.stack((u.real, u.imag), -1).transpose(axes).ravel()
    text = "".join(f"{v:.{digits}e}\n" for v in numbers)
    is_bridge = order.startswith("t")
    lq.write(tmp_path / "conf.raw", u, layout="bridge++-text" if is_bridge else f"text {order}")
    assert (tmp_path / "conf.raw.data").read_text() == text
    assert np.array_equal(lq.read(tmp_path / "conf.raw"), u)
    assert lq.verify(tmp_path / "conf.raw").fields[0].checksum_status == "ok"

    (tmp_path / "theirs.txt").write_text("".join(f"{v:.14e}\n" for v in numbers))
    lines = ("layout = bridge++-text",) if is_bridge else ("kind = gauge", "numbers = text", f"order = {order}")
    path = describe(tmp_path / "theirs.raw", "data = theirs.txt", f"precision = {'double' if dtype == 'f8' else 'single'}",
                    *lines, lattice="8x8x8x2")
    rounded = np.array([float(f"{v:.14e}") for v in numbers]).astype(dtype)
    expected = rounded.reshape(np.stack((u.real, u.imag), -1).transpose(axes).shape).transpose(np.argsort(axes))
    assert np.array_equal(lq.read(path), expected[..., 0] + 1j * expected[..., 1])
    lq.convert(path, tmp_path / "conf.ildg")
    lq.convert(tmp_path / "conf.ildg", tmp_path / "again.raw", layout="bridge++-text", allow_loss=True)
    assert np.array_equal(lq.read(tmp_path / "again.raw"), lq.read(path))


def test_what_is_wrong_with_a_text_is_said(tmp_path, links):
    lq.write(tmp_path / "conf.raw", links, layout="bridge++-text")
    data = tmp_path / "conf.raw.data"
    lines = data.read_text().splitlines()
    data.write_text("\n".join(lines[:-1]))
    with pytest.raises(lq.Error, match=f"are {len(lines) - 1} numbers, but the description states {len(lines)}"):
        lq.read(tmp_path / "conf.raw")
    data.write_text("\n".join(lines[:-1] + ["half"]))
    with pytest.raises(lq.Error, match='"half" is not a number of double precision'):
        lq.read(tmp_path / "conf.raw")
    data.write_text("\n".join(lines[:-1] + ["0.25"]))
    assert lq.verify(tmp_path / "conf.raw").fields[0].checksum_status == "mismatch"


def test_propagators_of_kyu_and_xqcd_keep_their_basis(tmp_path):
    prop = random_propagator("c16")
    t, z, y, x, ks, cs, kc, cc, reim = range(9)  # sink spin, source spin, sink colour, source colour
    parts = np.stack((prop.real, prop.imag), -1)
    kyu = parts.transpose(cs, cc, reim, ks, kc, t, z, y, x).astype(">f8").tobytes()
    xqcd = parts.transpose(cs, cc, t, z, y, x, ks, kc, reim).astype("<f4").tobytes()
    for name, data in (("kyu", kyu), ("xqcd", xqcd)):
        (tmp_path / f"{name}.raw.data").write_bytes(data)
        path = describe(tmp_path / f"{name}.raw", f"layout = {name}")
        expected = prop if name == "kyu" else prop.astype("c8")
        assert np.array_equal(lq.read(path), expected)
        assert lq.open(path).fields[0].metadata["basis"] == "Dirac-Pauli"
        with pytest.raises(lq.Error, match="allow_loss|basis"):
            lq.convert(path, tmp_path / "prop.fnal")
        lq.convert(path, tmp_path / f"{name}_again.raw", layout=name)
        assert (tmp_path / f"{name}_again.raw.data").read_bytes() == data
        assert "basis = Dirac-Pauli" in (tmp_path / f"{name}_again.raw").read_text()
    with pytest.raises(lq.Error, match="single precision"):
        lq.write(tmp_path / "no.raw", prop, layout="xqcd")
    with pytest.raises(lq.Error, match="propagator fields"):
        lq.write(tmp_path / "no.raw", lq.generate(LATTICE, sweeps=0, seed=1), layout="kyu")


def test_what_is_wrong_with_a_description_is_said(tmp_path, links):
    (tmp_path / "a.raw.data").write_bytes(bytes(10))
    good = ("kind = spinor", "precision = double", "byte_order = big")
    for lines, message in (((*good, "order = t z y x spin color"), "named once"), ((*good, "ofset = 3"), "offset"),
                           (good, "has 10 bytes"), (good[1:], "kind")):
        with pytest.raises(lq.Error, match=message):
            lq.read(describe(tmp_path / "a.raw", *lines))
    with pytest.raises(FileNotFoundError, match="b.raw.data"):
        lq.read(describe(tmp_path / "b.raw", *good))
    with pytest.raises(lq.Error, match="named once"):
        lq.write(tmp_path / "c.raw", links, layout="t z y x mu")
    assert not list(tmp_path.glob("c*"))
    lq.write(tmp_path / "d.raw", links, verify="none")
    assert "checksum" not in (tmp_path / "d.raw").read_text()
