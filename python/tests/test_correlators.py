# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Stores of correlators: what is appended comes back, by labels, and nothing else does."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

import limequat as lq
from limequat import correlator_directory, correlator_file, hdf5_bytes

store_of = lq.correlators.open


def numbers(configuration, k, shape=(6,), dtype=np.float64):
    """The numbers of correlator k on a configuration: no two are the same."""
    values = np.random.default_rng([configuration, k]).normal(size=(2, *shape))
    return (values[0] + 1j * values[1]).astype(dtype) if np.dtype(dtype).kind == "c" else values[0].astype(dtype)


def pions(configuration, count=3):
    return [("pion", {"momentum": (0, 0, k), "smearing": "SS", "mass": 0.1 * k}, numbers(configuration, k)) for k in range(count)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.h5"


@pytest.fixture
def filled(path):
    """Five configurations, of which number 30 lacks the third pion, and a rho of another shape on the first two."""
    with store_of(path, "a", sync=False) as store:
        for c in (10, 20, 30, 40, 50):
            rho = [("rho", {"momentum": (0, 0, 0)}, numbers(c, 9, (2, 4), complex), {"gamma": ["x", "y"], "t": None})]
            store.append(c, pions(c, 2 if c == 30 else 3) + rho * (c <= 20), labels={"stream": "a" if c < 40 else "b"})
    return path


def test_what_was_appended_is_read_by_labels(filled):
    with store_of(filled) as store:
        assert [c.value for c in store.configurations] == [10, 20, 30, 40, 50] and len(store) == 5 and 30 in store and 31 not in store
        for c in (10, 50):
            for k in range(3):
                found = store.read(c, "pion", momentum=(0, 0, k))
                assert found.dtype == np.float64 and np.array_equal(found, numbers(c, k)) and found.flags.writeable
        rho = store.read(20, "rho")
        assert rho.dtype == np.complex128 and np.array_equal(rho, numbers(20, 9, (2, 4), complex))
        assert store.select("rho").correlators[0].axes == {"gamma": ("x", "y"), "t": None}
        found = store.ensemble("pion", momentum=(0, 0, 1))
        assert np.array_equal(found, np.stack([numbers(c, 1) for c in (10, 20, 30, 40, 50)]))


def test_missing_combinations_are_told_and_never_filled_silently(filled):
    with store_of(filled) as store:
        pions_of_all = store.select("pion")
        assert [(c, s.labels["momentum"]) for c, s in pions_of_all.missing] == [(30, (0, 0, 2))]
        with pytest.raises(lq.NoSuchRecord, match=r"1 of 15 arrays.*'pion' \(momentum=\(0, 0, 2\).*of configuration 30.*complete\(\)"):
            pions_of_all.array()
        with pytest.raises(lq.NoSuchRecord, match="configuration 30"):
            store.read(30, "pion", momentum=(0, 0, 2))
        filled_in = pions_of_all.array(fill=np.nan)
        assert np.isnan(filled_in[2, 2]).all() and np.isnan(filled_in).sum() == 6
        for wrong in ("x", 1j, [1.0], b"", True, object()):
            with pytest.raises(lq.InvalidArgument, match="fill is"):
                pions_of_all.array(fill=wrong)
        whole = pions_of_all.complete()
        assert whole.configurations == [10, 20, 40, 50] and whole.array().shape == (4, 3, 6) and not whole.missing
        rows = list(pions_of_all)
        assert len(rows) == 15 and [(c, s.number) for c, s, values in rows if values is None] == [(30, 2)]
        assert all(np.array_equal(v, numbers(c, s.labels["momentum"][2])) for c, s, v in rows if v is not None)


def test_integers_are_not_filled_with_what_they_cannot_represent(path):
    with store_of(path, "a", sync=False) as store:
        store.append(1, [("c", {"k": k}, np.arange(3, dtype=np.int32)) for k in range(2)])
        store.append(2, [("c", {"k": 0}, np.arange(3, dtype=np.int32))])
        for wrong in (np.nan, 0.5, 1 << 40, float("inf")):
            with pytest.raises(lq.InvalidArgument, match="int32"):
                store.select().array(fill=wrong)
        assert (store.select().array(fill=-1)[1, 1] == -1).all() and store.ensemble("c", k=1, fill=-1.0).dtype == np.int32


def test_conditions_are_values_sets_ranges_and_functions(filled):
    with store_of(filled) as store:
        def momenta(**conditions):
            return [s.labels["momentum"][2] for s in store.select("pion", **conditions).correlators]

        assert momenta(momentum={(0, 0, 0), (0, 0, 2)}) == [0, 2]
        assert momenta(momentum=lambda p: p[2] > 0) == [1, 2] and momenta(mass=lambda m: 0.05 < m < 0.15) == [1]
        assert momenta(smearing="SP") == [] and momenta(labels={"smearing": "SS"}, mass=0.2) == [2]
        assert momenta(mass=range(0, 1)) == [0]  # 0.0 is in it by value
        assert len(store.select({"pion", "rho"})) == 4 and len(store.select(lambda name: name.startswith("r"))) == 1
        assert len(store.select(mass=lambda m: True)) == 3  # the rho has no mass
        select = store.select("pion", configurations=range(0, 45, 20), momentum=(0, 0, 0))
        assert select.configurations == [20, 40]
        assert store.select(configurations=lambda c: c.labels["stream"] == "b").configurations == [40, 50]
        assert store.select(configurations=[50, 10]).configurations == [50, 10]
        with pytest.raises(lq.NoSuchRecord, match="no configuration 11"):
            store.select(configurations=[11])
        with pytest.raises(lq.InvalidArgument, match="3 correlators satisfy"):
            store.read(10, "pion")
        with pytest.raises(lq.NoSuchRecord, match="no correlator satisfies"):
            store.ensemble("kaon")
        with pytest.raises(lq.InvalidArgument, match=r"list.*tuple\("):
            store.select(momentum=[0, 0, 0])


def test_labels_are_compared_by_value(path):
    with store_of(path, "a", sync=False) as store:
        store.append(1, [("c", {"m": 1}, [1.0]), ("c", {"m": True}, [2.0]), ("c", {"m": "1"}, [3.0]), ("c", {"m": (1,)}, [4.0]), ("c", {}, [5.0])])
        with pytest.raises(lq.Exists):
            store.append(1, [("c", {"m": 1.0}, [9.0])])
        with pytest.raises(lq.InvalidArgument, match="twice"):
            store.append(2, [("d", {"m": 2, "n": 0}, [1.0]), ("d", {"n": -0.0, "m": 2.0}, [1.0])])
    with store_of(path) as store:
        values = [store.read(1, "c", m=m)[0] for m in (1.0, True, "1", (1.0,))]
        assert values == [1, 2, 3, 4] and len(store.select("c", m=False)) == 0 and len(store.select("c", m=0)) == 0
        assert [type(s.labels["m"]) for s in store.correlators[:4]] == [int, bool, str, tuple]


HOSTILE = ["'; DROP TABLE correlators; --", '"', "<script>alert(1)</script>", "a\0b", "../../etc/passwd", "/", ".", "x" * 20000, "\u202eabc",
           "\U0001f600", "e\u0301", "\u00e9", "%s {} $HOME `id`", "\n\r\t\x1b[31m", " ", "NaN", "null", "\ufeff", "\\"]


def test_hostile_texts_are_kept_exactly(path):
    entries = [(text, {text: text, "t": (text, 1, (True, 0.1))}, [float(n)]) for n, text in enumerate(HOSTILE)]
    entries = [entry for entry in entries if len(entry[0]) < 9000] + [("x" * 20000, {}, [-1.0])]
    with store_of(path, "a", sync=False) as store:
        for text in HOSTILE:
            store.append(text, entries, labels={text[:5]: text[:9000]})
    with store_of(path) as store:
        assert [c.value for c in store.configurations] == HOSTILE and [c.labels for c in store.configurations] == [{t[:5]: t[:9000]} for t in HOSTILE]
        assert [(s.name, s.labels) for s in store.correlators] == [(name, labels) for name, labels, _ in entries]
        for name, labels, values in entries:
            assert store.read(HOSTILE[0], name, labels=labels)[0] == values[0]
        assert store.verify()


@pytest.mark.parametrize("value", [b"x", None, [1], {"a": 1}, {1}, np.arange(2), 1j, 1 << 63, -(1 << 63) - 1, float("nan"), float("inf"),
                                   "\ud800", object(), ((((((((((1,),),),),),),),),),), "y" * 40000, np.complex128(1)], ids=lambda v: repr(v)[:12])
def test_labels_that_cannot_be_kept_are_refused(path, value):
    with store_of(path, "a", sync=False) as store:
        for attempt in (lambda: store.append(1, [("c", {"label": value}, [1.0])]), lambda: store.append(value, [("c", {}, [1.0])]),
                        lambda: store.append(1, [("c", {}, [1.0])], labels={"label": value})):
            with pytest.raises(lq.InvalidArgument):
                attempt()
        assert len(store) == 0 and store.correlators == [] and os.path.getsize(path) == store.sizes.file


def test_numbers_of_numpy_are_labels(path):
    with store_of(path, "a", sync=False) as store:
        store.append(np.int32(7), [(np.str_("c"), {"i": np.int8(3), "f": np.float32(0.5), "b": np.bool_(True)}, np.float64(2.5))])
        labels = store.correlators[0].labels
        assert {name: type(v) for name, v in labels.items()} == {"i": int, "f": float, "b": bool} and store.read(7, "c").shape == ()
        assert store.read(7, "c") == 2.5 and store.read(7, "c", i=3, f=0.5, b=True) == 2.5
        big = (1 << 63) - 1
        store.append(-big - 1, [("c", {"i": big, "f": 0.1 + 0.2}, 1.0)])
    with store_of(path) as store:
        assert store.read(-big - 1, "c", i=big, f=0.30000000000000004) == 1


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">c16", "<c16", "<c8", "<i4", ">i8"])
def test_every_type_and_stride_is_kept_bit_for_bit(path, dtype):
    values = numbers(1, 2, (3, 4, 5), complex if "c" in dtype else float)
    values = (1e6 * values.real).astype(dtype) if "i" in dtype else values.astype(dtype)
    if "i" not in dtype:
        values.real[0, 0, 0], values.real[0, 0, 1], values.real[0, 0, 2] = np.nan, -np.inf, -0.0
    with store_of(path, "a", sync=False) as store:
        store.append(1, [("a", {}, values), ("b", {}, values[::-1, :, ::2]), ("c", {}, values.T)])
    with store_of(path) as store:
        for name, wanted in (("a", values), ("b", values[::-1, :, ::2]), ("c", values.T)):
            found = store.read(1, name)
            assert found.dtype == np.dtype(dtype).newbyteorder("=") and found.tobytes() == wanted.astype(found.dtype).tobytes()


@pytest.mark.parametrize("values", [np.zeros(3, bool), np.zeros(3, np.float16), np.zeros(3, np.uint8), np.zeros(3, np.longdouble), ["a"], [[1.0], [1.0, 2.0]],
                                    np.zeros((3, 0)), [], None, np.zeros((1,) * 17), np.ma.masked_array([1.0, 2.0], [0, 1]), np.zeros(2, "M8[s]")],
                         ids=lambda v: str(getattr(v, "dtype", v))[:10])
def test_values_that_are_no_arrays_of_known_numbers_are_refused(path, values):
    with store_of(path, "a", sync=False) as store:
        with pytest.raises(lq.InvalidArgument, match="'c'"):
            store.append(1, [("good", {}, [1.0]), ("c", {}, values)])
        assert len(store) == 0


def test_shape_type_and_axes_of_a_correlator_stay(filled):
    with store_of(filled, "a", sync=False) as store:
        for wrong in (numbers(60, 0, (7,)), numbers(60, 0).astype(np.float32), numbers(60, 0, dtype=complex)):
            with pytest.raises(lq.InvalidArgument, match="in this store it is float64"):
                store.append(60, [("pion", pions(60)[0][1], wrong)])
        with pytest.raises(lq.InvalidArgument, match="other axes"):
            store.append(60, [("rho", {"momentum": (0, 0, 0)}, numbers(60, 9, (2, 4), complex), ("a", "b"))])
        for axes in (("t", "t"), 5, {"t": [1, 2, 3]}, {"": None}, {"t": range(5)}):
            with pytest.raises(lq.InvalidArgument):
                store.append(60, [("new", {}, np.zeros((2, 4)) if axes == ("t", "t") else np.zeros(4), axes)])
        store.append(60, [("rho", {"momentum": (0, 0, 0)}, numbers(60, 9, (2, 4), complex))])  # nothing is said about axes
        with pytest.raises(lq.InvalidArgument, match="labels"):
            store.append(60, [("new", {}, [1.0])], labels={"stream": "c"})
        with pytest.raises(lq.InvalidArgument, match="has the labels"):
            store.append(10, [("new", {}, [1.0])], labels={"stream": "c"})
        store.append(10, [("new", {}, [1.0])], labels={"stream": "a"})
        for nothing in ([], {}, iter(())):
            with pytest.raises(lq.InvalidArgument, match="no correlators"):
                store.append(70, nothing)
        for wrong in (5, None, [3], [("a",)], ["abcd"], [("a", {}, [1.0], None, 1)], [(1, {}, [1.0])], [("a", [], [1.0])]):
            with pytest.raises(lq.InvalidArgument):
                store.append(70, wrong)


def test_duplicates_are_refused_or_replaced_explicitly(filled):
    with store_of(filled, "a", sync=False) as store:
        before = os.path.getsize(filled)
        with pytest.raises(lq.Exists, match=r"configuration 10 has 1 of these correlators already: 'pion'.*replace=True") as caught:
            store.append(10, [("new", {}, [1.0]), ("pion", pions(10)[1][1], [0.0] * 6)])
        assert isinstance(caught.value, FileExistsError) and os.path.getsize(filled) == before and len(store.select("new")) == 0
        store.append(10, [("pion", pions(10)[1][1], [7.0] * 6), ("new", {}, [1.0])], replace=True)
        store.append(10, [("kaon", {}, [3.0])])  # more correlators of a configuration that is there
        assert store.sizes.replaced == 48
    with store_of(filled) as store:
        assert (store.read(10, "pion", momentum=(0, 0, 1)) == 7).all() and len(store) == 5
        assert np.array_equal(store.read(10, "pion", momentum=(0, 0, 0)), numbers(10, 0)) and store.read(10, "kaon") == 3
        assert np.array_equal(store.read(20, "pion", momentum=(0, 0, 1)), numbers(20, 1)) and store.verify()
        assert store.sizes.numbers == 8 * (6 * 14 + 1 + 1) + 16 * 8 * 2


def test_pairs_of_series_and_values_are_appended(filled):
    with store_of(filled, "a", sync=False) as store:
        chosen = store.select("pion").correlators
        store.append(60, [(series, numbers(60, k)) for k, series in enumerate(chosen)])
        assert np.array_equal(store.select("pion", configurations=[60]).array()[0], np.stack([numbers(60, k) for k in range(3)]))
        with pytest.raises(lq.InvalidArgument, match="Series of this store"):
            store.append(70, [(chosen[0]._replace(number=1), numbers(60, 0))])
        store.append(70, {"w0": 1.5, "plaquette": np.float64(0.6)})
        assert store.read(70, "w0") == 1.5


def test_different_orders_and_subsets_come_back(path):
    """Configurations with random subsets in random orders, compared with a dict."""
    rng, wanted = np.random.default_rng(3), {}
    with store_of(path, "a", sync=False) as store:
        for step in range(150):
            c = int(rng.integers(40))
            chosen = [(c, int(k)) for k in rng.permutation(30)[:rng.integers(1, 30)]]
            values = [rng.normal(size=2 + k % 3) for _, k in chosen]
            store.append(c, [("c", {"k": k}, v) for (_, k), v in zip(chosen, values)], replace=True)
            wanted.update(zip(chosen, values))
    with store_of(path) as store:
        assert store.verify()
        found = {(c, s.labels["k"]): v for c, s, v in store.select() if v is not None}
        assert found.keys() == wanted.keys() and all(np.array_equal(found[key], wanted[key]) for key in wanted)
        assert len(store.select().missing) == len(store) * len(store.correlators) - len(wanted)
        for k in (0, 7, 29):
            whole = store.select(k=k).complete()
            assert whole.configurations and np.array_equal(whole.array()[:, 0], np.stack([wanted[c, k] for c in whole.configurations]))
        assert store.sizes.numbers == sum(v.nbytes for v in wanted.values())


def test_many_kinds_of_arrays_in_one_append(path):
    with store_of(path, "a", sync=False) as store:
        for c in range(2):
            store.append(c, [("c", {"n": n}, np.arange(n + 1.0) + c) for n in range(1500)] + [("large", {}, np.arange(300_000.0) + c)])
    with store_of(path) as store:
        assert store.verify() and all(np.array_equal(store.read(1, "c", n=n), np.arange(n + 1.0) + 1) for n in range(0, 1500, 7))
        assert store.read(configuration=1, name="large")[-1] == 300_000 and len(store.select(name="c")) == 1500
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "r") as file:
        assert len(file["appends/000000/01"]) == 2 * 1501 + 1 and file["appends/000000/01/numbers_1500"].shape == (1, 300_000)


def test_a_selection_is_copied_to_a_store_of_its_own(filled, tmp_path):
    with store_of(filled, "a", sync=False) as store:
        for c in (10, 20):
            store.append(c, [("pion", pions(c)[1][1], numbers(c, 77))], replace=True)
        store.select().copy(tmp_path / "all.h5", sync=False)
        store.select("pion", momentum=(0, 0, 1), configurations=range(20, 41)).copy(tmp_path / "part.h5", sync=False)
        with pytest.raises(lq.Exists):
            store.select().copy(tmp_path / "part.h5")
    with store_of(tmp_path / "all.h5") as store:
        assert store.sizes.replaced == 0 and contents(tmp_path / "all.h5") == contents(filled)
    with store_of(tmp_path / "part.h5") as store:
        assert [c.value for c in store.configurations] == [20, 30, 40] and store.configurations[2].labels == {"stream": "b"}
        assert np.array_equal(store.ensemble("pion"), [numbers(20, 77), numbers(30, 1), numbers(40, 1)])


def test_threads_read_the_same_store(filled):
    """Each its own correlators; nothing of one ends up with another."""
    with store_of(filled, "a", sync=False) as store:
        for c in range(100, 160):
            store.append(c, pions(c, 8))
    with store_of(filled) as store, concurrent.futures.ThreadPoolExecutor(8) as pool:
        wanted = {k: np.stack([numbers(c, k) for c in range(100, 160)]) for k in range(8)}

        def work(n):
            k = n % 8
            found = store.ensemble("pion", momentum=(0, 0, k), configurations=range(100, 160))
            return np.array_equal(found, wanted[k]) and np.array_equal(store.read(100 + k, "pion", momentum=(0, 0, k)), numbers(100 + k, k))

        assert all(pool.map(work, range(100)))


def test_a_store_opened_for_reading_is_a_snapshot(filled):
    with store_of(filled) as reader, store_of(filled, "a", sync=False) as writer:
        writer.append(60, pions(60, 4))
        assert len(reader) == 5 and len(reader.correlators) == 4
        assert reader.refresh() == 1 and len(reader) == 6 and reader.refresh() == 0
        assert np.array_equal(reader.read(60, "pion", momentum=(0, 0, 3)), numbers(60, 3))
        with pytest.raises(lq.WrongState, match="opened for reading"):
            reader.append(70, pions(70))
    for call in (lambda: reader.read(10, "pion"), lambda: reader.correlators, lambda: writer.append(70, pions(70)), lambda: reader.select()):
        with pytest.raises(lq.WrongState, match="closed"):
            call()


def test_a_program_may_change_its_folder(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    with store_of("run.h5", "a", sync=False) as store:
        monkeypatch.chdir(tmp_path / "below")
        store.append(1, {"a": 1.0})
        assert store.path == "run.h5"
    with pytest.raises(lq.InvalidArgument):
        store_of("a\0b", "a")


def test_modes_and_missing_files(path, tmp_path):
    with pytest.raises(lq.NotFound):
        store_of(path)
    for mode in ("w", "r+", "", None, 1):
        with pytest.raises(lq.InvalidArgument, match="expected 'r', 'a' or 'x'"):
            store_of(path, mode)
    with pytest.raises(lq.InvalidArgument):
        store_of(path, "a", wait="long")
    store_of(path, "x").close()
    with pytest.raises(lq.Exists):
        store_of(path, "x")
    with store_of(str(path), "a") as store:
        assert len(store) == 0 and store.correlators == [] and store.verify() and store.select().array is not None
        with pytest.raises(lq.NoSuchRecord):
            store.select().array()
    with pytest.raises(lq.NotFound):
        store_of(tmp_path / "no" / "folder.h5", "a")
    with pytest.raises(lq.Error):
        store_of(tmp_path, "r")
    assert sorted(os.listdir(tmp_path)) == ["run.h5"]
    with store_of(os.fsencode(path) + b"\xff", "a") as store:  # a name that is no UTF-8
        store.append(1, {"a": 1.0})


def test_the_file_is_an_hdf5_file_that_others_read(filled):
    h5py = pytest.importorskip("h5py")
    with store_of(filled, "a", sync=False) as store:
        for c in range(100, 230):
            store.append(c, pions(c))
    with h5py.File(filled, "r") as file:
        assert [len(folder) for folder in file["appends"].values()] == [64, 64, 7]
        group = file["appends/000000/01"]
        assert np.array_equal(group["numbers_0"][()], np.stack([numbers(20, k) for k in range(3)])) and json.loads(group.attrs["configuration"]) == 20
        assert group["numbers_1"].dtype == np.complex128 and np.array_equal(group["numbers_1"][0], numbers(20, 9, (2, 4), complex))
        assert group["sums_0"][1] == zlib.crc32(numbers(20, 1).tobytes())
        assert np.array_equal(file["appends/000002/06/numbers_0"][2], numbers(229, 2))
        table = json.loads(zlib.decompress(file["appends/000000/00/correlators"][()].tobytes()))
        assert table[1][:2] == ["pion", {"momentum": [0, 0, 1], "smearing": "SS", "mass": 0.1}]
        assert json.loads(zlib.decompress(group["directory"][()].tobytes()))["configuration"] == 20


def test_a_new_store_has_the_bytes_of_the_page_of_its_format(path):
    page = pathlib.Path(lq.__file__).resolve().parents[2] / "docs/formats/correlators.md"
    if not page.exists():
        pytest.skip("the package is here without its pages")
    lines = re.findall(r"^    [0-9a-f]{4}  ([0-9a-f ]+)$", page.read_text(encoding="utf-8"), re.M)
    store_of(path, "x").close()
    assert path.read_bytes() == bytes.fromhex("".join(lines)) and len(lines) == 13


def test_what_another_program_added_is_not_lost(filled, tmp_path):
    h5py = pytest.importorskip("h5py")
    good = contents(filled)
    with h5py.File(filled, "a"):
        pass
    with store_of(filled, "a", sync=False) as store:
        store.append(60, pions(60))
    with h5py.File(filled, "a") as file:
        file["notes"] = "mine"
    with store_of(filled, "a", sync=False) as store:
        assert np.array_equal(store.read(60, "pion", momentum=(0, 0, 1)), numbers(60, 1))
        with pytest.raises(lq.Malformed, match=r"a program other than Limequat.*select\(\).copy"):
            store.append(70, pions(70))
        store.select(configurations=range(10, 51)).copy(tmp_path / "copy.h5")
    assert contents(tmp_path / "copy.h5") == good
    with h5py.File(filled, "r") as file:
        assert file["notes"][()] == b"mine" and len(file["appends/000000"]) == 6


def test_the_checksum_of_headers_is_that_of_hdf5():
    assert hdf5_bytes.lookup3(b"") == 0xdeadbeef and hdf5_bytes.lookup3(b"Four score and seven years ago") == 0x17770551  # published


def test_the_file_is_little_more_than_its_numbers(path):
    """50,000 correlators of 96 numbers; what an append adds beyond them does not depend on how many were before, but for links."""
    count, sizes = 50_000, []
    values = np.random.default_rng(1).normal(size=(count, 96))
    labels = [{"momentum": (n % 7, n // 7 % 7, n // 49 % 7), "smearing": "SP"[n % 2], "source": n // 343} for n in range(count)]
    with store_of(path, "a", sync=False) as store:
        for c in range(3):
            store.append(c, zip([f"meson {n % 13}" for n in range(count)], labels, values) if not c else zip(store.correlators, values))
            sizes.append(os.path.getsize(path))
        seconds = [first_read(store, 1, values)]
        for n in range(100, 50_000, 499):
            start = time.perf_counter()
            store.read(2, f"meson {n % 13}", labels=labels[n])
            seconds.append(time.perf_counter() - start)
    added = sizes[2] - sizes[1] - values.nbytes
    assert added < 0.01 * values.nbytes and sizes[0] < 1.1 * values.nbytes
    with store_of(path) as store:  # the first look-up is as fast as the others
        seconds.append(first_read(store, 2, values))
    assert np.median(seconds) < 0.005 and max(seconds[0], seconds[-1]) < 0.05, seconds


def first_read(store, configuration, values):
    """Processor seconds of reading one correlator of many, by all of its labels."""
    start = time.process_time()
    found = store.read(configuration, "meson 8", momentum=(4, 6, 6), smearing="P", source=35)
    seconds = time.process_time() - start
    assert np.array_equal(found, values[12345])
    return seconds


def test_a_name_among_fifty_thousand_is_found_at_once(path):
    with store_of(path, "a", sync=False) as store:
        store.append(1, [(f"c{n}", {}, [1.0 * n]) for n in range(50_000)])
    with store_of(path) as store:
        store.read(1, "c0")
        seconds = []
        for n in range(0, 50_000, 997):
            start = time.perf_counter()
            assert store.read(1, f"c{n}") == n
            seconds.append(time.perf_counter() - start)
    assert np.median(seconds) < 0.005, seconds


def test_one_name_over_a_thousand_configurations_is_read_in_a_second(path):
    with store_of(path, "a", sync=False) as store:
        for c in range(1000):
            store.append(c, [("c", {"k": k}, numbers(0, k, (96,)) + c) for k in range(8)])
    start = time.perf_counter()
    with store_of(path) as store:
        found = store.ensemble("c", k=3)
    assert time.perf_counter() - start < 1 and np.array_equal(found, numbers(0, 3, (96,)) + np.arange(1000.0)[:, None])


# Damage

def contents(path):
    with store_of(path) as store:
        assert store.verify()
        return ([tuple(c) for c in store.configurations], [s[:2] + s[4:] for s in store.correlators],
                [None if v is None else v.tobytes() for _, _, v in store.select()])


def test_no_flipped_byte_gives_other_numbers_or_labels(filled):
    good, data = contents(filled), filled.read_bytes()
    seen, places = 0, [*range(0, 48, 9), *range(48, len(data), 5)]
    for at in places:
        filled.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1:])
        try:
            assert contents(filled) == good, at
        except (lq.Error, AssertionError) as error:
            if isinstance(error, AssertionError):
                with store_of(filled) as store:
                    assert not store.verify(), at
            else:
                assert str(filled) in str(error), at
            seen += 1
    assert seen > 0.75 * len(places)  # others are in headers that an append left behind, or between arrays


def test_no_cut_gives_other_numbers(filled):
    good, data = contents(filled), filled.read_bytes()
    for size in [*range(60), *range(60, len(data), 17), len(data) - 1]:
        filled.write_bytes(data[:size])
        with pytest.raises((lq.Truncated, lq.UnknownFormat), match="run.h5"):
            contents(filled)
    filled.write_bytes(data + b"left by a killed append")
    assert contents(filled) == good


def test_a_damaged_array_is_named_with_its_place(filled):
    data = filled.read_bytes()
    at = data.index(numbers(40, 1).tobytes()) + 20
    filled.write_bytes(data[:at] + b"\xff" + data[at + 1:])
    with store_of(filled) as store:
        with pytest.raises(lq.ChecksumError, match=r"'pion' \(momentum=\(0, 0, 1\).* of configuration 40 at byte \d+: the CRC-32") as caught:
            store.ensemble("pion", momentum=(0, 0, 1))
        assert caught.value.offset == at - 20 and caught.value.path == str(filled)
        assert np.array_equal(store.read(40, "pion", momentum=(0, 0, 0)), numbers(40, 0))  # others are read
        verdict = store.verify()
        assert not verdict and verdict.verdict == "damaged" and [f["offset"] for f in verdict.findings] == [at - 20]


def rewritten(path, change):
    """The newest directory with other contents and correct checksums."""
    with store_of(path, "a", sync=False) as store:
        file = store._file
        count, piece = file._head
        content = json.loads(file.text(piece, file.end, ""))
        change(content)
        packed = zlib.compress(json.dumps(content).encode())
        data = path.read_bytes() + packed
        head = [1, count, file.end, len(packed), zlib.crc32(packed), len(data) + 148]
        root = hdf5_bytes.group([], [(correlator_file.ATTRIBUTE, np.array(head, "<u8"))])
        whole = data + root
        assert len(whole) == head[-1]
    path.write_bytes(hdf5_bytes.superblock(len(whole), len(data)) + whole[48:])


CHANGES = {
    "itself before": lambda d: d.update(previous=[1 << 40, 10, 0]), "no one before": lambda d: d.update(previous=None),
    "far away": lambda d: d["blocks"][0].__setitem__(3, 1 << 50), "negative": lambda d: d["blocks"][0].__setitem__(3, -8),
    "many": lambda d: d["blocks"][0].__setitem__(2, 1 << 60), "another kind": lambda d: d["blocks"][0].__setitem__(0, 77),
    "another order": lambda d: d["blocks"][0].__setitem__(1, 5), "huge": lambda d: d["kinds"].append(["<f8", [1 << 62, 1 << 62]]) or d["blocks"][0].__setitem__(0, 2),
    "no type": lambda d: d["kinds"].append(["|O", [1]]), "descending": lambda d: d.update(orders=[[[5, 1], [2, 1]]]),
    "labels": lambda d: d.update(labels={"a": {"b": 1}}), "configuration": lambda d: d.update(configuration={}), "a list": lambda d: d.update(blocks=None),
    "no number": lambda d: d.update(append="x"), "another number": lambda d: d.update(append=2), "version": lambda d: d.update(version=2),
    "not there": lambda d: d.pop("orders"), "correlators": lambda d: d.update(first_correlator=0), "deep": lambda d: d.update(configuration=[[[[[[[[[[[1]]]]]]]]]]]),
    "nan": lambda d: d.update(configuration=float("nan")), "labels are a list": lambda d: d.update(labels=[1]), "empty order": lambda d: d.update(orders=[[]]),
    "a million correlators": lambda d: d.update(correlators=[48, 10, 0], new_correlators=1 << 40), "negative correlators": lambda d: d.update(new_correlators=-1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_directories_that_lie_are_malformed(filled, change):
    rewritten(filled, CHANGES[change])
    with pytest.raises((lq.Malformed, lq.Truncated), match="run.h5"):
        store_of(filled)


def test_texts_that_grow_without_end_are_refused(filled, monkeypatch):
    monkeypatch.setattr(correlator_directory, "_MOST_RATIO", 1)
    monkeypatch.setattr(correlator_directory, "_MOST_TEXT", 100)
    with pytest.raises(lq.Malformed, match=r"has more than \d+ bytes"):
        store_of(filled)
    monkeypatch.undo()
    rewritten(filled, lambda d: d.update(padding=" " * (17 << 20)))  # 17 kB in the file
    with pytest.raises(lq.Malformed, match="has more than 16777216 bytes"):
        store_of(filled)


def test_labels_that_repeat_are_kept_however_well_they_compress(path, monkeypatch):
    monkeypatch.setattr(correlator_directory, "_MOST_TEXT", 1000)
    with store_of(path, "a", sync=False) as store:
        store.append(1, [("c", {"k": k, "text": "x" * 10000}, [1.0 * k]) for k in range(50)])
    with store_of(path) as store:
        assert store.read(1, "c", k=7) == 7 and store.correlators[7].labels["text"] == "x" * 10000


def test_names_that_are_links_fifos_and_folders(tmp_path):
    (tmp_path / "link.h5").symlink_to(tmp_path / "real.h5")
    with store_of(tmp_path / "link.h5", "a") as store:
        store.append(1, {"a": 1.0})
    with store_of(tmp_path / "real.h5") as store:
        assert store.read(1, "a") == 1
    (tmp_path / "dead.h5").symlink_to(tmp_path / "none" / "real.h5")
    os.mkfifo(tmp_path / "fifo")
    for name, mode, error in (("dead.h5", "a", lq.NotFound), ("dead.h5", "r", lq.NotFound), ("fifo", "r", lq.UnknownFormat), ("fifo", "a", lq.UnknownFormat),
                              (".", "r", lq.UnknownFormat), ("real.h5/a", "r", lq.Error), ("n" * 300, "a", lq.Error)):
        with pytest.raises(error, match="store"):
            store_of(tmp_path / name, mode)


@pytest.mark.parametrize("data", [b"", b"\x89HDF\r\n\x1a\n", b"text\n" * 100, bytes(200)])
def test_files_that_are_no_stores_are_said_to_be_none(path, data):
    path.write_bytes(data)
    for mode in ("r", "a"):
        with pytest.raises((lq.UnknownFormat, lq.Truncated), match="not a correlator store"):
            store_of(path, mode)
    assert path.read_bytes() == data


def test_other_hdf5_files_are_no_stores(path):
    h5py = pytest.importorskip("h5py")
    for version in ("earliest", "latest"):
        with h5py.File(path, "w", libver=version) as file:
            file["a"] = [1.0]
        data = path.read_bytes()
        for mode in ("r", "a"):
            with pytest.raises(lq.UnknownFormat, match="not a correlator store"):
                store_of(path, mode)
        assert path.read_bytes() == data


# The program

def test_the_program_lists_verifies_and_imports(filled, tmp_path):
    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "limequat.correlators", *map(str, arguments)], text=True, capture_output=True,
                              env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(lq.__file__))})

    listed = run("ls", filled, "--missing")
    assert listed.returncode == 0 and "4 correlators, 5 configurations" in listed.stdout and "4 of 20 arrays are not in the store" in listed.stdout
    assert "30: 'pion' (momentum=(0, 0, 2)" in listed.stdout and not listed.stderr
    assert run("verify", filled).stdout.startswith("OK")
    for c in (1000, 1004):
        (tmp_path / f"onlinemeas.00{c}").write_text(f"1 1 0 {c} 0\n1 1 1 2 3\n1 1 2 4 0\n")
    assert run("import", tmp_path / "new.h5", *sorted(tmp_path.glob("onlinemeas*"))).returncode == 0
    with store_of(tmp_path / "new.h5") as store:
        assert np.array_equal(store.ensemble("pion"), [[1000, 2, 4, 3], [1004, 2, 4, 3]])
    data = filled.read_bytes()
    at = data.index(numbers(40, 1).tobytes())
    filled.write_bytes(data[:at] + b"\x01" + data[at + 1:])
    assert run("verify", filled).returncode == 1 and run("ls", tmp_path / "none").returncode == 1
