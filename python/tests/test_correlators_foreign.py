# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Correlators of other programs, in files made here byte by byte or by h5py from what is known of their layouts; and exports."""

import hashlib
import math
import random

import numpy as np
import pytest

import limequat as lq

read_files = lq.correlators.read_files
T = 8


def h5py_where_hdf5_is_read():
    """h5py, to make files; skips where it is missing, or the component of Limequat that reads them."""
    if "hdf5" not in {one["name"] for one in lq.formats()}:
        pytest.skip("a library without the component hdf5")
    return pytest.importorskip("h5py")


def curve(seed, count=T):
    generator = np.random.default_rng(seed)
    return generator.normal(size=count) + 1j * generator.normal(size=count)


def compound(values, names, real="<f8"):
    pairs = np.empty(values.shape, [(name, real) for name in names])
    pairs[names[0]], pairs[names[1]] = values.real, values.imag
    return pairs


@pytest.fixture
def file(tmp_path):
    h5py = h5py_where_hdf5_is_read()
    path = tmp_path / "pt_ll.1500.h5"
    with h5py.File(path, "w") as file:
        yield file
    assert path.exists()


def found_in(file, layout=None):
    file.flush()
    path = file.filename
    file.close()
    automatic, named = read_files(path), read_files([path], layout)
    for a, b in zip(automatic, named):
        assert a[:2] == b[:2] and np.array_equal(a.values, b.values)
    return {(c.name, *sorted((k, v) for k, v in c.labels.items() if k not in ("path", "kind"))): c for c in automatic}


def test_hadrons(file):
    """Groups meson/meson_N with texts as arrays of one element, and {re, im} for each time."""
    for n, (snk, src) in enumerate([("Gamma5", "Gamma5"), ("GammaX", "Gamma5")]):
        group = file.create_group(f"meson/meson_{n}")
        group.attrs.create("gamma_snk", np.array([snk.encode()], "S20"))
        group.attrs.create("gamma_src", np.array([src.encode()], "S20"))
        group["corr"] = compound(curve(n), ("re", "im"))
    found = found_in(file, "hadrons")
    one = found["meson", ("gamma_snk", "GammaX"), ("gamma_src", "Gamma5")]
    assert len(found) == 2 and one.values.dtype == complex and np.array_equal(one.values, curve(1)) and one.labels["path"] == "meson/meson_1/corr"


def test_lalibe_and_chroma(file):
    """PATH/PARTICLE/spin_S/xX_yY_zZ_tT/pxX_pyY_pzZ with complex numbers {r, i} of all times, by QDP++."""
    base = "run7/ml0p1/proton/spin_up/x1_y2_z3_t-4"
    for n, momentum in enumerate(["px0_py0_pz0", "px0_py-1_pz2"]):
        file[f"{base}/{momentum}"] = compound(curve(n).astype(np.complex64), ("r", "i"), "<f4")
        file[f"{base}/{momentum}"].attrs["is_shifted"] = np.int32(1)
    file["run7/ml0p1/piplus/x1_y2_z3_t4/px0_py0_pz1"] = compound(curve(5), ("r", "i"))
    found = found_in(file, "lalibe")
    proton = found["proton", ("is_shifted", 1), ("momentum", (0, -1, 2)), ("source", (1, 2, 3, -4)), ("spin", "up")]
    assert len(found) == 3 and np.array_equal(proton.values, curve(1).astype(np.complex64)) and proton.labels["path"] == "run7/ml0p1"
    assert np.array_equal(found["piplus", ("momentum", (0, 0, 1)), ("source", (1, 2, 3, 4))].values, curve(5))


def qlua_vector(file, path, values, digest=None):
    """A vector as one element of a type that has its name in the root group (docs/formats/hdf5.md, section 5)."""
    h5py = h5py_where_hdf5_is_read()
    pairs = np.dtype([("r", ">f8"), ("i", ">f8")])
    data = np.empty(values.shape, pairs)
    data["r"], data["i"] = values.real, values.imag
    array = h5py.h5t.array_create(h5py.h5t.py_create(pairs), values.shape)
    if f".VectorComplexDouble<{len(values)}>" not in file:
        array.commit(file.id, f".VectorComplexDouble<{len(values)}>".encode())
    group, _, name = path.rpartition("/")
    place = file.require_group(group)
    dataset = h5py.h5d.create(place.id, name.encode(), array, h5py.h5s.create(h5py.h5s.SCALAR))
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, data, array)
    attributes = file[path].attrs
    attributes[".kind"] = np.bytes_("VectorComplex")
    attributes[".sha256"] = np.frombuffer(digest or hashlib.sha256(values.astype("<c16").tobytes()).digest(), np.uint8)
    attributes[".time"] = 1_700_000_000_000_000


def test_qlua(file):
    qlua_vector(file, "c2pt/proton/PX0_PY0_PZ1", curve(1))
    qlua_vector(file, "c2pt/proton/PX0_PY-1_PZ1", curve(2))
    file["c2pt/note"] = np.bytes_("text")
    file["c2pt/note"].attrs[".kind"] = np.bytes_("String")
    found = found_in(file, "qlua")
    assert len(found) == 2 and np.array_equal(found["proton", ("P", (0, -1, 1))].values, curve(2))
    assert found["proton", ("P", (0, 0, 1))].labels["kind"] == "VectorComplex"


def test_a_digest_of_qlua_that_differs_is_refused(file):
    qlua_vector(file, "c2pt/proton", curve(1), bytes(32))
    path = file.filename
    file.close()
    with pytest.raises(lq.ChecksumError, match="c2pt/proton"):
        read_files(path, "qlua")


def test_vectors_that_sessions_write_in_the_layout_of_qlua_are_read(tmp_path):
    h5py_where_hdf5_is_read()
    with lq.hdf5.open(tmp_path / "a.h5", "x", layout="qlua") as session:
        session.push("/c2pt")
        session.write("pion", curve(1))
        session.write("norms", curve(2).real)
    found = {c.name: c.values for c in read_files(tmp_path / "a.h5")}
    assert np.array_equal(found["pion"].ravel(), curve(1)) and np.array_equal(found["norms"].ravel(), curve(2).real)


def test_cvc(file):
    """Flavours, source time, gammas and momenta as parts of the path; real and imaginary parts in turn."""
    for n, k in enumerate((0, -1)):
        file[f"u+-g-u-g/t10/gf5/pfx0pfy{k}pfz1/gi15/pix0piy0piz0"] = curve(n).view(float)
    file["sud+-g-u-g/t10/dt12/gf5/pfx0pfy0pfz0/gc0/Ddim0_dir1/gi5/pix0piy0piz0"] = curve(7).view(float).reshape(T, 2)
    found = found_in(file, "cvc")
    two = found["u+-g-u-g", ("gf", 5), ("gi", 15), ("pf", (0, -1, 1)), ("pi", (0, 0, 0)), ("t", 10)]
    assert len(found) == 3 and np.array_equal(two.values, curve(1))
    three = next(c for c in found.values() if "dt" in c.labels)
    assert three.name == "sud+-g-u-g" and np.array_equal(three.values, curve(7))
    assert three.labels["dt"] == 12 and three.labels["gc"] == 0 and three.labels["Ddim"] == 0 and three.labels["dir"] == 1


def test_cvc_with_other_spellings(file):
    file["u-gf-u-gi/mu0.0040/mu-0.0040/t3/s0/g4/px1py-2pz0"] = curve(1).view(float)
    file["loop/istoch_0012/g5/PX0_PY0_PZ-1"] = curve(2).view(float)
    found = {c.name: c for c in found_in(file, "cvc").values()}
    assert found["u-gf-u-gi"].labels == {"mu": 0.004, "mu'": -0.004, "t": 3, "s": 0, "g": 4, "p": (1, -2, 0)}
    assert found["loop"].labels == {"istoch": 12, "g": 5, "P": (0, 0, -1)}


def test_tmlqcd(tmp_path):
    """Type, smearing, t, C(t), C(T - t): as its online measurements print them, T/2 + 1 rows for each type."""
    values, lines = {}, []
    for kind in (1, 2, 6):
        c = values[kind] = curve(kind).real
        for t in range(T // 2 + 1):
            back = 0.0 if t in (0, T // 2) else c[T - t]
            lines.append(f"{kind}  1  {t}  {c[t]:.17e}  {back:.17e}")
    (tmp_path / "onlinemeas.001234").write_text("\n".join(lines) + "\n")
    found = {c.name: c for c in read_files(tmp_path / "onlinemeas.001234")}
    assert sorted(found) == ["PA", "PV", "pion"] and found["PV"].labels == {"type": 6, "smearing": 1}
    assert all(np.array_equal(found[name].values, values[kind]) for name, kind in (("pion", 1), ("PA", 2), ("PV", 6)))
    (tmp_path / "all").write_text("".join(f"{line} {c}\n" for c in (10, 20) for line in lines))
    both = read_files(tmp_path / "all", "tmlqcd")
    assert len(both) == 6 and {c.labels["configuration"] for c in both} == {10, 20}


def test_plain_tables(tmp_path):
    c = curve(1)
    (tmp_path / "pion.dat").write_text("# t re im\n" + "".join(f"{t}, {v.real!r}, {v.imag!r}  # {t}\n" for t, v in enumerate(c.tolist())))
    (tmp_path / "rho.txt").write_text("".join(f"{t} {v.real!r}\n\n" for t, v in enumerate(c.tolist(), 1)))
    (tmp_path / "many").write_text("".join(f"{t} {v.real!r} {v.imag!r} 1e3\n" for t, v in enumerate(c.tolist())))
    pion, rho, *many = read_files([tmp_path / name for name in ("pion.dat", "rho.txt", "many")])
    assert pion.name == "pion" and np.array_equal(pion.values, c) and pion.axes == {"t": list(range(T))}
    assert rho.name == "rho" and np.array_equal(rho.values, c.real) and rho.axes["t"][0] == 1
    assert [m.labels for m in many] == [{"column": 1}, {"column": 2}, {"column": 3}] and np.array_equal(many[1].values, c.imag)


@pytest.mark.parametrize("text, where", [("0 1\n1 2 3\n", "line 2"), ("0 1\n1 x\n", "line 2"), ("0 1\n2 1\n", "is not the time"), ("words\n", "line 1"),
                                         ("", "no numbers"), ("# nothing\n", "no numbers"), ("5\n6\n", "is not the time"), ("0 1_000\n", "line 1"),
                                         ("0 1\n\xff\xfe\n", "line 2"), ("1e400 1\n", "is not the time"), ("nan 1\n", "is not the time")])
def test_tables_that_are_none_are_refused_with_their_place(tmp_path, text, where):
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="latin-1")
    with pytest.raises((lq.Malformed, lq.UnknownFormat), match=where) as caught:
        read_files(path)
    assert "bad.txt" in str(caught.value)


@pytest.mark.parametrize("text, where", [("1 1 0 5 0\n1 1 2 5 0\n", "line 2"), ("1 1 0.5 5 0\n", "line 1"), ("1 1 0\n", "line 1"), ("1 1 0 5 0\n", "at least 2"),
                                         ("nan 1 0 5 0\n", "line 1"), ("inf 1 0 5 0\n", "line 1")])
def test_tables_of_tmlqcd_that_are_none_are_refused(tmp_path, text, where):
    (tmp_path / "onlinemeas.000001").write_text(text)
    with pytest.raises(lq.Malformed, match=where):
        read_files(tmp_path / "onlinemeas.000001", "tmlqcd")


def test_hostile_hdf5_files_are_refused(tmp_path):
    h5py = h5py_where_hdf5_is_read()
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["meson/meson_0/corr"] = compound(curve(0), ("re", "im"))
    data = path.read_bytes()
    for size in (9, 100, len(data) // 2, len(data) - 10):
        path.write_bytes(data[:size])
        with pytest.raises(lq.Error, match="a.h5"):
            read_files(path)
    with h5py.File(path, "w") as file:
        file["text"] = "words"
    for layout in (None, "hadrons", "cvc"):
        with pytest.raises(lq.UnknownFormat, match="no correlators"):
            read_files(path, layout)
    with h5py.File(path, "w") as file:
        file["u-g/t1/gf5/px0py0pz0"] = np.zeros(7)
    with pytest.raises(lq.Malformed, match="u-g/t1/gf5/px0py0pz0: .7. real numbers"):
        read_files(path)
    for name, layout, error in ((tmp_path / "none", None, lq.NotFound), (path, "tmlqcd", lq.UnknownFormat), (path, "ascii", lq.InvalidArgument),
                                (tmp_path, None, lq.Error)):
        with pytest.raises(error):
            read_files(name, layout)


def test_numbers_of_other_files_and_numbers_without_end_are_refused(tmp_path):
    h5py = h5py_where_hdf5_is_read()
    (tmp_path / "secret").write_bytes(bytes(160))
    path, name = tmp_path / "a.h5", "u-g/t1/gf5/px0py0pz0"
    with h5py.File(path, "w") as file:
        file.create_dataset(name, (20,), "<f8", external=[(str(tmp_path / "secret"), 0, 160)])
    with pytest.raises(lq.Error, match=name):
        read_files(path)
    with h5py.File(path, "w", libver="latest") as file:
        layout = h5py.VirtualLayout((20,), "<f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "b.h5"), "x", (20,))
        file.create_virtual_dataset(name, layout)
    with pytest.raises(lq.Error, match=name):
        read_files(path)
    with h5py.File(path, "w") as file:
        file.create_dataset(name, (1 << 40,), "<f8", chunks=(1 << 10,))
    with pytest.raises(lq.Error, match=name):
        read_files(path)
    with h5py.File(path, "w") as file:
        file["real"] = h5py.ExternalLink(str(tmp_path / "b.h5"), "/")
        file["soft"] = h5py.SoftLink("/")
    with pytest.raises(lq.UnknownFormat):
        read_files(path)
    with h5py.File(path, "w") as file:
        group = file.create_group("a")
        group["b"] = group["c"] = group
    with pytest.raises(lq.Malformed, match="contain itself"):
        read_files(path)


def test_damaged_hdf5_files_give_an_error_and_never_a_crash(tmp_path):
    h5py = h5py_where_hdf5_is_read()
    path, rng = tmp_path / "a.h5", random.Random(2)
    with h5py.File(path, "w") as file:
        for n in range(2):
            group = file.create_group(f"meson/meson_{n}")
            group.attrs.create("gamma_snk", np.array([b"Gamma5"], "S20"))
            group["corr"] = compound(curve(n), ("re", "im"))
    data = path.read_bytes()
    for _ in range(500):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            found = read_files(path)
            assert all(isinstance(c.values, np.ndarray) for c in found)
        except lq.Error as error:
            assert "a.h5" in str(error)


def test_imported_files_are_one_append(tmp_path):
    with lq.correlators.open(tmp_path / "run.h5", "a", sync=False) as store:
        for c in (4, 8):
            for name in ("pion", "rho"):
                (tmp_path / f"{name}.{c}.txt").write_text(f"0 {c}\n1 2\n")
            assert store.import_files(c, [tmp_path / f"{name}.{c}.txt" for name in ("pion", "rho")], labels={"stream": "a"}) == 2
        with pytest.raises(lq.Exists):
            store.import_files(4, tmp_path / "pion.4.txt")
        assert np.array_equal(store.ensemble("rho"), [[4, 2], [8, 2]]) and store.configurations[1].labels == {"stream": "a"}


# Exports

@pytest.fixture
def store(tmp_path):
    with lq.correlators.open(tmp_path / "run.h5", "a", sync=False) as store:
        for c in (30, 10, 20, 40):  # not in their order
            pions = [("pion", {"p": (0, 0, k), "name": "x"}, np.arange(4.0) + c + 0.1 * k, {"t": range(1, 5)}) for k in range(2 if c != 20 else 1)]
            store.append(c, [*pions, ("loop", {}, curve(c, 4))])
        yield store


def test_pandas(store):
    pandas = pytest.importorskip("pandas")
    frame = store.select("pion").to_pandas()
    assert list(frame.columns) == ["configuration", "name", "p", "name_", "t", "value"] and len(frame) == 7 * 4
    row = frame[frame.p.map(lambda p: p == (0, 0, 1)) & (frame.configuration == 40) & (frame.t == 2)]
    assert row["value"].item() == pytest.approx(41.1) and row["name"].item() == "pion"
    assert len(frame[(frame.configuration == 20)]) == 4 and isinstance(frame, pandas.DataFrame)
    assert len(store.select("none").to_pandas()) == 0
    both = store.select().to_pandas()
    assert both.value.dtype == complex and len(both) == 7 * 4 + 4 * 4


def test_xarray(store):
    pytest.importorskip("xarray")
    with pytest.raises(lq.NoSuchRecord):
        store.select("pion").to_xarray()
    array = store.select("pion").complete().to_xarray()
    assert array.dims == ("configuration", "correlator", "t") and array.configuration.values.tolist() == [30, 10, 40]
    assert array.p.values.tolist() == [(0, 0, 0), (0, 0, 1)] and array.name_.values.tolist() == ["x", "x"]
    assert array.sel(configuration=10, t=3).isel(correlator=1).item() == pytest.approx(12.1)
    assert math.isnan(store.select("pion").to_xarray(fill=np.nan).sel(configuration=20, t=1).values[1])


def test_pyerrors(tmp_path):
    pyerrors = pytest.importorskip("pyerrors")
    configurations = [50, 10, 20, 40, 30, 60]  # pyerrors wants them in their order
    with lq.correlators.open(tmp_path / "run.h5", "a", sync=False) as store:
        for c in configurations:
            store.append(c, [("pion", {"k": k}, np.arange(4.0) + c + 0.1 * k) for k in range(2 if c != 20 else 1)] + [("loop", {}, curve(c, 4))])
        first, second = store.select("pion").to_pyerrors("A654r000")
        (loop,) = store.select("loop").to_pyerrors("A654r000")
        with pytest.raises(lq.InvalidArgument, match="is on 4 of the selected configurations"):
            store.select("loop", configurations=range(20, 51)).to_pyerrors("A654r000")
        store.append("text", {"loop": curve(1, 4)})
        with pytest.raises(lq.InvalidArgument, match="not an integer"):
            store.select("pion").to_pyerrors("A654r000")
    assert first.shape == (4,) and first[2].value == pytest.approx(35 + 2)
    assert list(first[0].idl["A654r000"]) == [10, 20, 30, 40, 50, 60] and list(second[0].idl["A654r000"]) == [10, 30, 40, 50, 60]
    assert first[0].deltas["A654r000"] == pytest.approx(np.arange(10, 70, 10) - 35.0)
    assert isinstance(loop[0], pyerrors.CObs)
    assert loop[1].imag.value == pytest.approx(np.mean([curve(c, 4)[1].imag for c in configurations]))
    pyerrors.input.json.dump_to_json(list(first), str(tmp_path / "a"))
    back = pyerrors.input.json.load_json(str(tmp_path / "a"), verbose=False)
    assert [o.value for o in back] == pytest.approx([o.value for o in first])
    pyerrors.input.dobs.write_dobs(list(first), str(tmp_path / "b"), "pion")
    assert [o.value for o in pyerrors.input.dobs.read_dobs(str(tmp_path / "b"))] == pytest.approx([o.value for o in first])


def test_files_for_pyerrors(tmp_path):
    pyerrors = pytest.importorskip("pyerrors")
    values = {c: curve(c, 4) for c in range(10, 80, 10)}
    means = np.mean(list(values.values()), axis=0)
    with lq.correlators.open(tmp_path / "run.h5", "a", sync=False) as store:
        for c, v in values.items():
            store.append(c, [("pion", {"p": (0, 0, 1)}, v.real), ("loop", {"flavour": "u & <d>"}, v)])
        selection = store.select()
        for name in ("a.json", "a.json.gz", "a.xml.gz"):
            selection.write_pyerrors(tmp_path / name, "A654r000")
            with pytest.raises(lq.Exists, match="overwrite=True"):
                selection.write_pyerrors(tmp_path / name, "A654r000")
        selection.write_pyerrors(tmp_path / "a.json", "A654r000", overwrite=True)
        for name, error in (("a.txt", lq.InvalidArgument), ("a.xml", lq.InvalidArgument), ("a", lq.InvalidArgument), ("no/a.json", lq.NotFound)):
            with pytest.raises(error):
                selection.write_pyerrors(tmp_path / name, "A654r000")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.json.gz", "a.xml.gz", "run.h5"]
    for zipped in (False, True):
        found = pyerrors.input.json.load_json(str(tmp_path / "a"), verbose=False, full_output=True, gz=zipped)
        assert found["description"]["correlators"][1:] == [{"name": "loop", "labels": {"flavour": "u & <d>"}, "part": part} for part in ("real", "imag")]
        assert [[o.value for o in array] for array in found["obsdata"]] == [pytest.approx(means.real), pytest.approx(means.real), pytest.approx(means.imag)]
        assert list(found["obsdata"][2][1].idl["A654r000"]) == list(values)
    found = pyerrors.input.dobs.read_dobs(str(tmp_path / "a"))
    assert [o.value for o in found] == pytest.approx([*means.real, *means.real, *means.imag])
