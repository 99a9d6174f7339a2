# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The names of PyQUDA, PyLatticeIO and AnalysisToolbox: against plain numpy on the bytes, and side by side where those are."""

import inspect
import struct

import limequat as lq
import numpy as np
import plain_lime
import pytest
from conftest import random_links
from limequat.compat import latqcdtools, pylatticeio, pyquda_io

LATTICE = [4, 6, 4, 8]  # x, y, z, t; x as long as z, because PyQUDA writes the extents of openQCD files in another order
SHAPE = tuple(LATTICE[::-1])
NAMES = """readIOGeneral writeIOGeneral readNPYGauge writeNPYGauge readNPYPropagator writeNPYPropagator readChromaQIOGauge
    readChromaQIOPropagator readChromaQIOStaggeredPropagator readILDGGauge readILDGBinGauge readMILCGauge writeMILCGauge
    readMILCQIOPropagator readMILCQIOStaggeredPropagator readKYUGauge writeKYUGauge readKYUPropagator writeKYUPropagator
    readXQCDPropagator writeXQCDPropagator readXQCDStaggeredPropagator writeXQCDStaggeredPropagator readXQCDPropagatorFast
    writeXQCDPropagatorFast readNERSCGauge writeNERSCGauge readOpenQCDGauge writeOpenQCDGauge""".split()


def noise(*site, seed=1):
    generator = np.random.default_rng(seed)
    return generator.normal(size=SHAPE + site) + 1j * generator.normal(size=SHAPE + site)


@pytest.fixture(scope="module")
def u():
    """Links [t, z, y, x, mu, row, column]; thermalised, as the plaquette tells files of openQCD and DDalphaAMG apart."""
    return lq.generate(LATTICE)


@pytest.fixture(scope="module")
def gauge(u):
    """The same as PyQUDA has them, [mu, t, z, y, x, row, column]."""
    return np.ascontiguousarray(np.moveaxis(u, 4, 0))


def test_all_names_are_there():
    assert len(NAMES) == 29
    for name in NAMES + ["init", "Lime", "IOGeneral"]:
        assert callable(getattr(pyquda_io, name)) and getattr(pyquda_io, name).__doc__ and name in pyquda_io.__all__
    for module in (pylatticeio, latqcdtools):
        assert all(getattr(module, name).__doc__ for name in module.__all__ if name != "LIMEMAGIC")


def test_gauge_fields_of_ildg_files(tmp_path, u, gauge, monkeypatch):
    lq.write(tmp_path / "conf.ildg", u)
    monkeypatch.setenv("CONFIGURATIONS", str(tmp_path))
    for read in (pyquda_io.readILDGGauge, pyquda_io.readChromaQIOGauge):
        latt_size, found = read("$CONFIGURATIONS/conf.ildg")
        assert latt_size == LATTICE and found.dtype == np.complex128 and np.array_equal(found, gauge)
    plain = plain_lime.gauge(tmp_path / "conf.ildg", u.shape)
    assert np.array_equal(found, np.moveaxis(plain, 4, 0))
    assert np.array_equal(pylatticeio.readQIOGauge(str(tmp_path / "conf.ildg")), gauge)
    (tmp_path / "bare").write_bytes(plain_lime.payload(tmp_path / "conf.ildg", "ildg-binary-data"))
    assert np.array_equal(pyquda_io.readILDGBinGauge(tmp_path / "bare", ">c16", LATTICE), gauge)


def test_links_in_single_precision_are_made_unitary(tmp_path, u, gauge):
    lq.write(tmp_path / "conf.ildg", u, precision="single")
    _, found = pyquda_io.readILDGGauge(tmp_path / "conf.ildg")
    assert np.allclose(found, gauge, atol=1e-6)
    product = found @ np.conj(np.swapaxes(found, -1, -2))
    assert abs(product - np.eye(3)).max() < 1e-14 and abs(np.linalg.det(found) - 1).max() < 1e-14
    stored = plain_lime.gauge(tmp_path / "conf.ildg", u.shape, ">c8")
    first = stored[..., 0, :].astype(complex)
    assert np.allclose(np.moveaxis(found, 0, 4)[..., 0, :], first / np.linalg.norm(first, axis=-1)[..., None], atol=1e-15)
    with pytest.raises(lq.Malformed, match="further away from SU.3."):
        pyquda_io.readILDGGauge(tmp_path / "conf.ildg", reunitarize_sigma=1e-9)
    assert pyquda_io.readILDGGauge(tmp_path / "conf.ildg", reunitarize_sigma=0)[0] == LATTICE


def test_damage_is_found_unless_it_is_not_asked_for(tmp_path, u, gauge):
    path = tmp_path / "conf.ildg"
    lq.write(path, u)
    data = bytearray(path.read_bytes())
    data[data.index(u.astype(">c16").tobytes()[:64]) + 5000] ^= 1
    path.write_bytes(data)
    with pytest.raises(lq.ChecksumError, match=str(path)):
        pyquda_io.readILDGGauge(path)
    assert np.sum(pyquda_io.readILDGGauge(path, checksum=False)[1] != gauge) == 1
    with pytest.raises(FileNotFoundError):
        pyquda_io.readILDGGauge(tmp_path / "nowhere")
    lq.write(tmp_path / "spinor.scidac", noise(4, 3))
    with pytest.raises(lq.InvalidArgument, match="expected links"):
        pyquda_io.readChromaQIOGauge(tmp_path / "spinor.scidac")


def test_milc_by_the_bytes(tmp_path, gauge):
    pyquda_io.writeMILCGauge(tmp_path / "conf.milc", LATTICE, gauge)
    data = (tmp_path / "conf.milc").read_bytes()
    assert struct.unpack("<5i", data[:20]) == (20103, *LATTICE) and struct.unpack("<i", data[84:88]) == (0,)
    words = np.frombuffer(data[96:], "<u4").astype(np.uint64)
    for stored, prime in zip(struct.unpack("<2I", data[88:96]), (29, 31)):
        turn = (np.arange(words.size) % prime).astype(np.uint64)
        turned = ((words << turn) | (words >> (np.uint64(32) - turn))) & np.uint64(0xFFFFFFFF)
        assert int(np.bitwise_xor.reduce(turned)) == stored
    numbers = np.frombuffer(data[96:], "<c8").reshape(SHAPE + (4, 3, 3))
    assert np.array_equal(numbers, np.moveaxis(gauge, 0, 4).astype("c8"))
    latt_size, found = pyquda_io.readMILCGauge(tmp_path / "conf.milc")
    assert latt_size == LATTICE and np.allclose(found, gauge, atol=1e-6)


@pytest.mark.parametrize("single", [False, True])
def test_nersc_by_the_bytes(tmp_path, gauge, single):
    pyquda_io.writeNERSCGauge(tmp_path / "c.nersc", LATTICE, gauge, use_fp32=single, ensemble_id="b6.0", sequence_number=7)
    head, _, data = (tmp_path / "c.nersc").read_bytes().partition(b"END_HEADER\n")
    lines = dict(line.split(" = ", 1) for line in head.decode().splitlines()[1:] if " = " in line)
    assert (lines["ENSEMBLE_ID"], lines["SEQUENCE_NUMBER"], lines["DATATYPE"]) == ("b6.0", "7", "4D_SU3_GAUGE_3x3")
    order = ">" if lines["FLOATING_POINT"].endswith("BIG") else "<"
    assert int(lines["CHECKSUM"], 16) == int(np.frombuffer(data, f"{order}u4").sum(dtype=np.uint64)) % 2**32
    numbers = np.frombuffer(data, f"{order}c{8 if single else 16}").reshape(SHAPE + (4, 3, 3))
    assert np.array_equal(numbers, np.moveaxis(gauge, 0, 4).astype("c8" if single else "c16"))
    latt_size, found = pyquda_io.readNERSCGauge(tmp_path / "c.nersc")
    assert latt_size == LATTICE and np.allclose(found, gauge, atol=1e-6 if single else 0)
    wrong = head.replace(b"PLAQUETTE = 0.", b"PLAQUETTE = 0.0") + b"END_HEADER\n" + data
    (tmp_path / "wrong.nersc").write_bytes(wrong)
    with pytest.raises(lq.ChecksumError, match="plaquette"):
        pyquda_io.readNERSCGauge(tmp_path / "wrong.nersc")
    pyquda_io.readNERSCGauge(tmp_path / "wrong.nersc", plaquette=False)


def test_openqcd_in_both_orders(tmp_path, gauge):
    pyquda_io.writeOpenQCDGauge(tmp_path / "a", LATTICE, gauge)
    latt_size, found = pyquda_io.readOpenQCDGauge(tmp_path / "a")
    assert latt_size == LATTICE and np.array_equal(found, gauge)
    by_parity = pyquda_io.readOpenQCDGauge(tmp_path / "a", lexico=False)[1]
    assert by_parity.shape == (4, 2, 8, 4, 6, 2, 3, 3)
    for t, z, y, x in np.ndindex(SHAPE):
        assert np.array_equal(by_parity[:, (t + z + y + x) % 2, t, z, y, x // 2], gauge[:, t, z, y, x])
    pyquda_io.writeOpenQCDGauge(tmp_path / "b", LATTICE, by_parity, lexico=False)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_kyu_and_xqcd_by_the_bytes(tmp_path, gauge):
    pyquda_io.writeKYUGauge(tmp_path / "u", LATTICE, gauge)
    numbers = np.fromfile(tmp_path / "u", ">f8").reshape(4, 3, 3, 2, *SHAPE)  # mu, column, row, re/im
    for mu, row, column in np.ndindex(4, 3, 3):
        assert np.array_equal(numbers[mu, column, row, 0] + 1j * numbers[mu, column, row, 1], gauge[mu, ..., row, column])
    assert np.array_equal(pyquda_io.readKYUGauge(tmp_path / "u", LATTICE), gauge)
    propagator, staggered = noise(4, 4, 3, 3), noise(3, 3)
    for write, read in ((pyquda_io.writeKYUPropagator, pyquda_io.readKYUPropagator),
                        (pyquda_io.writeXQCDPropagator, pyquda_io.readXQCDPropagator)):
        write(tmp_path / "p", LATTICE, propagator)
        assert np.allclose(read(tmp_path / "p", LATTICE), propagator, atol=1e-5)
    fast = pyquda_io.readXQCDPropagatorFast(tmp_path / "p", LATTICE)
    assert np.array_equal(fast, np.fromfile(tmp_path / "p", "<c8").reshape(4, 3, *SHAPE, 4, 3))
    pyquda_io.writeXQCDPropagatorFast(tmp_path / "q", LATTICE, fast)
    assert (tmp_path / "p").read_bytes() == (tmp_path / "q").read_bytes()
    pyquda_io.writeXQCDStaggeredPropagator(tmp_path / "s", LATTICE, staggered)
    padded = np.fromfile(tmp_path / "s", "<c8").reshape(3, *SHAPE, 4)
    assert np.array_equal(padded[..., :3], np.moveaxis(staggered, -1, 0).astype("c8")) and not padded[..., 3].any()
    assert np.allclose(pyquda_io.readXQCDStaggeredPropagator(tmp_path / "s", LATTICE), staggered, atol=1e-6)


def test_the_change_of_basis_turns_gamma_matrices(tmp_path):
    """gamma_4 is diagonal in the Dirac-Pauli basis, and the DeGrand-Rossi one exchanges the upper and the lower spins."""
    diagonal = np.zeros(SHAPE + (4, 4, 3, 3), complex)
    diagonal[...] = np.einsum("sq,cd->sqcd", np.diag([1, 1, -1, -1]), np.eye(3))
    pyquda_io.writeXQCDPropagatorFast(tmp_path / "p", LATTICE, diagonal.transpose(5, 7, 0, 1, 2, 3, 4, 6))
    turned = pyquda_io.readXQCDPropagator(tmp_path / "p", LATTICE)[0, 0, 0, 0, :, :, 0, 0]
    assert np.array_equal(abs(turned), np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]))
    assert np.array_equal(turned @ turned, np.eye(4))


def test_files_of_numpy(tmp_path, gauge):
    propagator = noise(4, 4, 3, 3)
    pyquda_io.writeNPYGauge(tmp_path / "u.npy", LATTICE, gauge)
    pyquda_io.writeNPYPropagator(tmp_path / "p.npy", LATTICE, propagator)
    assert np.array_equal(np.load(tmp_path / "u.npy"), gauge) and np.array_equal(np.load(tmp_path / "p.npy"), propagator)
    latt_size, found = pyquda_io.readNPYGauge(tmp_path / "u.npy")
    assert latt_size == LATTICE and np.array_equal(found, gauge)
    latt_size, found = pyquda_io.readNPYPropagator(tmp_path / "p.npy")
    assert latt_size == LATTICE and np.array_equal(found, propagator)
    np.save(tmp_path / "pickled.npy", np.array([{}], object), allow_pickle=True)
    np.save(tmp_path / "small.npy", gauge.astype("c8"))
    for name in ("pickled.npy", "small.npy", "p.npy"):
        with pytest.raises(lq.Malformed):
            pyquda_io.readNPYGauge(tmp_path / name)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "u.npy").read_bytes()[:-8])
    with pytest.raises(lq.Truncated, match="cut.npy"):
        pyquda_io.readNPYGauge(tmp_path / "cut.npy")


def test_propagators_of_chroma_and_milc(tmp_path):
    propagator, staggered = noise(4, 4, 3, 3), noise(3, 3)
    lq.write(tmp_path / "p", propagator, format="scidac")
    latt_size, found = pyquda_io.readChromaQIOPropagator(tmp_path / "p")
    assert latt_size == LATTICE and np.array_equal(found, propagator)
    lq.write(tmp_path / "s", staggered.reshape(SHAPE + (9,)), format="scidac", kind="generic")
    latt_size, found = pyquda_io.readChromaQIOStaggeredPropagator(tmp_path / "s")
    assert latt_size == LATTICE and np.array_equal(found, staggered)
    with pytest.raises(lq.InvalidArgument, match="numbers at a site"):
        pyquda_io.readChromaQIOPropagator(tmp_path / "s")
    with lq.create(tmp_path / "milc", format="scidac") as file:
        for spin, color in np.ndindex(4, 3):
            file.write("source", noise(seed=spin), kind="generic")
            file.write("solution", np.ascontiguousarray(propagator[..., spin, :, color]))
    latt_size, found = pyquda_io.readMILCQIOPropagator(tmp_path / "milc")
    assert latt_size == LATTICE and np.array_equal(found, propagator)
    with lq.create(tmp_path / "ks", format="scidac") as file:
        for color in range(3):
            file.write("source", noise(seed=color), kind="generic")
            file.write("solution", np.ascontiguousarray(staggered[..., None, :, color]), kind="spinor")
    assert np.array_equal(pyquda_io.readMILCQIOStaggeredPropagator(tmp_path / "ks")[1], staggered)
    with pytest.raises(lq.Malformed, match="pairs"):
        pyquda_io.readMILCQIOPropagator(tmp_path / "ks")


def test_files_of_iogeneral(tmp_path):
    """Two dimensions, t (4) and complex (9), of 3 and 2 indices, by the bytes."""
    head = np.zeros(25600, "<i4")
    head[0], head[1:6], head[1027:1031] = 2, (4, 3, 5, 6, 7), (9, 2, 0, 1)
    numbers = np.arange(6.0)
    (tmp_path / "a.dat").write_bytes(head.tobytes() + numbers.astype("<f8").tobytes())
    found, data = pyquda_io.readIOGeneral(tmp_path / "a.dat")
    assert (found.n_dimensions, found.dimensions_type, found.dimensions_n_indices) == (2, ("t", "complex"), (3, 2))
    assert found.dimensions[0].indices.tolist() == [5, 6, 7] and np.array_equal(data, numbers.reshape(3, 2)) and "dim_t" in repr(found)
    pyquda_io.writeIOGeneral(tmp_path / "b.dat", found, data)
    assert (tmp_path / "b.dat").read_bytes() == (tmp_path / "a.dat").read_bytes()
    file = pyquda_io.IOGeneral(tmp_path / "b.dat")
    file.read()
    file.data = 2 * file.data
    file.write()
    assert np.array_equal(pyquda_io.readIOGeneral(tmp_path / "b.dat")[1], 2 * data)
    with pytest.raises(lq.InvalidArgument, match="as the head states"):
        pyquda_io.writeIOGeneral(tmp_path / "b.dat", found, data.T)
    whole = (tmp_path / "a.dat").read_bytes()
    for name, content, kind in (("short", whole[:100], lq.Truncated), ("cut", whole[:-8], lq.Truncated), ("long", whole + b"\0", lq.Malformed),
                                ("zeros", bytes(102400), lq.Malformed), ("noise", b"\xff" * 102400, lq.Malformed)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(kind, match=name):
            pyquda_io.readIOGeneral(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        pyquda_io.readIOGeneral(tmp_path / "nowhere")


def test_records_of_lime(tmp_path, u):
    lq.write(tmp_path / "conf.ildg", u)
    lime = pyquda_io.Lime(tmp_path / "conf.ildg")
    plain = plain_lime.records(tmp_path / "conf.ildg")
    assert lime.keys() == [kind for kind, _ in plain]
    record, raw = lime.record("ildg-binary-data"), (tmp_path / "conf.ildg").read_bytes()
    assert raw[record.offset:record.offset + record.length] == dict(plain)["ildg-binary-data"]
    assert lime.loadXML("scidac-private-file-xml").find("dims").text.split() == [str(n) for n in LATTICE]
    with pytest.raises(IndexError):
        lime.record("nothing")
    with pytest.raises(lq.Malformed, match="not XML"):
        lime.loadXML("xlf-info")


def test_wrong_arguments_are_explained_and_leave_files_alone(tmp_path, gauge):
    path = tmp_path / "u"
    pyquda_io.writeKYUGauge(path, LATTICE, gauge)
    before = path.read_bytes()
    for latt_size, array in ((LATTICE, gauge[:3]), (LATTICE[:3], gauge), ([4, 4, 4, 8], gauge), (LATTICE, gauge.real)):
        for write in (pyquda_io.writeKYUGauge, pyquda_io.writeMILCGauge, pyquda_io.writeNPYGauge):
            with pytest.raises(lq.InvalidArgument):
                write(path, latt_size, array)
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["u"]
    with pytest.raises(lq.Malformed, match="latt_size"):
        pyquda_io.readKYUGauge(path, [2, 6, 4, 8])
    with pytest.raises(lq.Truncated, match="latt_size"):
        pyquda_io.readKYUGauge(path, [8, 6, 4, 8])
    with pytest.raises(FileNotFoundError):
        pyquda_io.writeKYUGauge(tmp_path / "missing" / "u", LATTICE, gauge)
    with pytest.raises((lq.InvalidArgument, ImportError)):
        pyquda_io.init([1, 1, 2, 2])


# AnalysisToolbox

def test_readers_of_latqcdtools(tmp_path):
    links = random_links((4, 6, 6, 6, 4))
    lq.write(tmp_path / "c.nersc", links)
    lq.write(tmp_path / "c.ildg", links, metadata={"plaquette": str(lq.plaquette(links).average)})
    for reader, name in ((latqcdtools.NERSCReader, "c.nersc"), (latqcdtools.ILDGReader, "c.ildg")):
        one = reader(Ns=6, Nt=4)
        field = one.readConf(str(tmp_path / name))
        assert field is one.gauge and np.array_equal(field.field, links)
        assert np.array_equal(field.getLink(5, 3, -1, 2, 1), links[2, 5, 3, 5, 1])
        assert (one.precision, one.endianness, one.rows, one.getByteSize()) == ("d", ">", 3, 8)
        assert one.plaquette == pytest.approx(lq.plaquette(links).average, abs=1e-12)
        assert (tmp_path / name).read_bytes()[one.offset:one.offset + 16] == links[0, 0, 0, 0, 0, 0, :1].astype(">c16").tobytes()
        with pytest.raises(lq.InvalidArgument, match="Ns and Nt"):
            reader(Ns=8, Nt=4).readConf(tmp_path / name)
    with pytest.raises(lq.Unsupported, match="nersc"):
        latqcdtools.ILDGReader(6, 4).readConf(tmp_path / "c.nersc")
    with pytest.raises(lq.InvalidArgument):
        latqcdtools.NERSCReader(0, 4)


def test_the_gauge_field_without_latqcdtools():
    links = random_links((4, 6, 6, 6, 4))
    field = latqcdtools.GaugeField(6, 4)
    field.field = links
    assert field.getPlaquette() == lq.plaquette(links).average and field.getLinkTrace() == lq.link_trace(links)
    field.checkSU3()
    field.setLink(2 * np.eye(3), 7, 0, 0, 4, 3)
    assert np.array_equal(links[0, 0, 0, 1, 3], 2 * np.eye(3))
    with pytest.raises(lq.Malformed, match="SU.3."):
        field.checkSU3()


def test_lime_of_latqcdtools(tmp_path, capsys):
    head = latqcdtools.limeHeader(1, 0, 123, b"test")
    assert len(head) == 144 and plain_lime.HEADER.unpack(head)[:5] == (0x456789AB, 1, 0x80, 0, 123)
    assert latqcdtools.trimNull(head) == b"Eg\x89\xab"
    assert latqcdtools.xmlFind(b"<a><suma>1f</suma></a>", "suma") == b"1f"
    with pytest.raises(lq.Malformed):
        latqcdtools.xmlFind(b"<a/>", "suma")
    data = np.random.default_rng(5).bytes(1000 * 24)
    assert "{:08x} {:08x}".format(*latqcdtools.scidacChecksum(data, 1000, 24)) == " ".join(plain_lime.checksum(data, 24))
    lq.write(tmp_path / "c.ildg", random_links((2, 2, 2, 2, 4)))
    latqcdtools.printLimeHeaders(tmp_path / "c.ildg")
    assert "ildg-binary-data: 9216 bytes" in capsys.readouterr().out


# Side by side

def originals():
    """pyquda_io for one process; it needs no GPU for files."""
    comm = pytest.importorskip("pyquda_comm", reason="PyQUDA is not installed")
    theirs = pytest.importorskip("pyquda_io", reason="PyQUDA is not installed")
    if comm.getGridSize.__doc__ is None or not getattr(originals, "is_ready", False):
        comm.initGrid("default", [1, 1, 1, 1], None, False)
        originals.is_ready = True
    return theirs


def close(one, other):
    if isinstance(one, tuple):
        assert one[0] == other[0]
        one, other = one[1], other[1]
    return one.dtype == other.dtype and one.shape == other.shape and np.allclose(one, other, rtol=0, atol=4e-16)


def test_arguments_are_those_of_pyquda():
    theirs = originals()
    for name in NAMES:
        mine, other = (inspect.signature(getattr(module, name)).parameters.values() for module in (pyquda_io, theirs))
        assert [(p.name, p.default) for p in mine] == [(p.name, p.default) for p in other], name


def test_files_of_each_are_read_by_the_other(tmp_path, u, gauge):
    theirs = originals()
    propagator, staggered = noise(4, 4, 3, 3), noise(3, 3)
    kinds = [("MILCGauge", gauge), ("NERSCGauge", gauge), ("OpenQCDGauge", gauge), ("KYUGauge", gauge), ("KYUPropagator", propagator),
             ("XQCDPropagator", propagator), ("XQCDStaggeredPropagator", staggered), ("NPYGauge", gauge), ("NPYPropagator", propagator)]
    for kind, array in kinds:
        for module in (theirs, pyquda_io):
            path = str(tmp_path / f"{kind}.{module.__name__}")
            getattr(module, "write" + kind)(path, LATTICE, array)
            sizes = [LATTICE] if kind.startswith(("KYU", "XQCD")) else []
            assert close(*(getattr(reader, "read" + kind)(path, *sizes) for reader in (theirs, pyquda_io))), (kind, module)
        if kind.startswith(("KYU", "XQCD", "NPY")):
            assert (tmp_path / f"{kind}.pyquda_io").read_bytes() == (tmp_path / f"{kind}.limequat.compat.pyquda_io").read_bytes()
    for precision in ("double", "single"):
        lq.write(tmp_path / "conf.ildg", u, precision=precision, overwrite=True)
        for name in ("readILDGGauge", "readChromaQIOGauge"):
            assert close(*(getattr(reader, name)(str(tmp_path / "conf.ildg")) for reader in (theirs, pyquda_io)))
    head = np.zeros(25600, "<i4")
    head[0], head[1:6], head[1027:1031] = 2, (4, 3, 5, 6, 7), (31, 2, 0, 1)
    (tmp_path / "general").write_bytes(head.tobytes() + np.arange(6.0).tobytes())
    (mine, data), (other, their_data) = (module.readIOGeneral(str(tmp_path / "general")) for module in (pyquda_io, theirs))
    assert np.array_equal(data, their_data) and bytes(mine) == bytes(other)
    assert (mine.dimensions_type, mine.dimensions_n_indices) == (other.dimensions_type, other.dimensions_n_indices)
    lq.write(tmp_path / "p", propagator, format="scidac")
    assert close(*(reader.readChromaQIOPropagator(str(tmp_path / "p")) for reader in (theirs, pyquda_io)))


@pytest.mark.parametrize("name, files", [
    ("readNERSCGauge", "nersc/[3t]*.nersc"), ("readMILCGauge", "milc/version_5_single_*.milc"), ("readILDGGauge", "ildg/qio_*.ildg"),
    ("readOpenQCDGauge", "openqcd/gauge.openqcd"), ("readChromaQIOPropagator", "scidac/propagator_*.scidac")])
def test_conformance_files_are_read_alike(name, files):
    theirs = originals()
    paths = sorted((plain_lime.pathlib.Path(__file__).resolve().parents[2] / "tests/conformance/files").glob(files))
    given = {"plaquette": False, "link_trace": False} if "NERSC" in name else {}  # it compares rounded numbers too strictly
    assert paths
    for path in paths:
        assert close(*(getattr(module, name)(str(path), **given) for module in (theirs, pyquda_io))), path
