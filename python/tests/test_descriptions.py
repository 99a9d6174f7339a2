# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Texts and tables that say what the numbers of a file are: no byte of them can change so that other numbers, shapes or labels
are read from a file that is called sound, or consistent where it was sound. LQ_MUTANTS sets how many bytes are drawn of each file."""

import os
import random
import shutil

import numpy as np
import pytest

import limequat as lq


MUTANTS = int(os.environ.get("LQ_MUTANTS", "250"))
LATTICE = (4, 2, 2, 2)  # x, y, z, t
SHAPE = LATTICE[::-1]
OK = ("sound", "consistent")


def noise(shape, seed=1):
    generator = np.random.default_rng(seed)
    return generator.normal(size=shape) + 1j * generator.normal(size=shape)


def make_modes(path, **options):
    with lq.modes.create(path, LATTICE, operator="hermitian Wilson", parameters={"kappa": 0.125, "steps": 3}, **options) as writer:
        for k in range(2):
            writer.append(noise(SHAPE + (4, 3), k), eigenvalue=0.1 * k, residual=1e-9)


def read_modes(path):
    with lq.modes.open(path) as modes:
        facts = (modes.lattice, modes.storage, modes.parity, modes.ls, modes.operator, modes.parameters, modes.eigenvalues)
        return [modes.read(k) for k in range(len(modes))], repr(facts)


def make_session(path):
    with lq.hdf5.open(path, "w") as file:
        file.write("pion", np.arange(12) + 0.25j, axes=["t"])
        file.write("kaon/mass", np.linspace(0, 1, 6).reshape(2, 3))
        file.set_attr("kaon", "beta", 6.25)


def read_session(path):
    with lq.hdf5.open(path) as file:
        return [file.read("pion"), file.read("kaon/mass"), file.attr("kaon", "beta"), sorted(file.axes("pion"))]


def make_multifile(path):
    with lq.multifile.create(path, tasks=2) as file:
        for task in range(2):
            file[task].write(np.arange(20 * (task + 1), dtype=np.float64))


def read_multifile(path):
    with lq.multifile.open(path) as file:
        return [file[task].read() for task in range(len(file))]


def make_set(path):
    one = path.with_name("one.scidac")
    lq.write(one, noise(SHAPE + (4, 3)))
    lq.repartition(one, path, to="t=block:2")
    one.unlink()


def make_correlators(path):
    generator = np.random.default_rng(2)
    with lq.correlators.open(path, "a") as store:
        for configuration in range(2):
            store.append(configuration, [("pion", {"p": (0, 0, p)}, generator.normal(size=8), ("t",)) for p in range(2)])


def read_correlators(path):
    with lq.correlators.open(path) as store:
        return [(repr(c), repr(k), v) for c, k, v in store.select()]


def make_protected(path):
    lq.write(path, noise(SHAPE + (4, 3)))
    lq.protect(path)


def read_field(path):
    return lq.read(path)


FILES = {
    "double.modes": (make_modes, read_modes),
    "fixed16.modes": (lambda path: make_modes(path, storage="fixed16"), read_modes),
    "axes.scidac": (lambda path: lq.write(path, noise(SHAPE + (2, 3)), kind="generic"), read_field),
    "real.scidac": (lambda path: lq.write(path, noise(SHAPE + (6,)).real.copy(), kind="generic"), read_field),
    "spinor.scidac": (lambda path: lq.write(path, noise(SHAPE + (4, 3))), read_field),
    "axes.h5": (lambda path: lq.write(path, noise(SHAPE + (2, 3)), kind="generic"), read_field),
    "session.h5": (make_session, read_session),
    "a.sion": (make_multifile, read_multifile),
    "set.scidac": (make_set, read_field),
    "store.h5": (make_correlators, read_correlators),
    "protected.scidac": (make_protected, read_field),
}


def frozen(value):
    """Comparable: numbers with their type and shape."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(map(frozen, value))
    return value


def verdict_of(path):
    try:
        return lq.verify(path)["verdict"]
    except lq.Error as error:
        return "foreign" if error.code == lq.UnknownFormat.code else "unreadable"


@pytest.mark.parametrize("name", FILES)
def test_no_byte_of_a_description_changes_unseen_what_is_read(name, tmp_path):
    make, read = FILES[name]
    path = tmp_path / name
    make(path)
    before = frozen(read(path))
    assert verdict_of(path) == "sound"
    generator = random.Random(f"{name} {os.environ.get('LQ_SEED', '1')}")
    files = sorted(one for one in tmp_path.rglob("*") if one.is_file())
    for file in files:
        good = file.read_bytes()
        # Heads, tails and texts are bytes of letters, or near an end of the file.
        likely = [at for at, byte in enumerate(good) if 32 <= byte < 127 or at < 200 or at + 200 > len(good)]
        for at in generator.sample(likely, min(MUTANTS // len(files) + 1, len(likely))):
            bad = bytearray(good)
            while bad[at] == good[at]:
                bad[at] = generator.choice([good[at] ^ 1, good[at] ^ 0x80, generator.choice(b" 0123456789abcxyz<"), generator.randrange(256)])
            file.write_bytes(bad)
            verdict = verdict_of(path)
            if verdict not in OK:
                continue
            what = f"{file.name}, byte {at} of {len(good)}: {good[at]:#x} became {bad[at]:#x}, and it is called {verdict}"
            assert verdict == "sound", what
            assert frozen(read(path)) == before, what
        file.write_bytes(good)


def test_the_axes_of_a_site_are_proven(tmp_path):
    """Words that change places have the same product."""
    path = tmp_path / "a.scidac"
    lq.write(path, noise(SHAPE + (2, 3)), kind="generic")
    data = path.read_bytes()
    assert data.count(b"2 3\0") == 1
    path.write_bytes(data.replace(b"2 3\0", b"3 2\0"))
    assert lq.verify(path)["verdict"] == "damaged"
    with pytest.raises(lq.Malformed):
        lq.read(path)


@pytest.mark.parametrize("name", ["double.modes", "axes.scidac"])
def test_a_description_without_a_sum_is_read_but_not_called_sound(name, tmp_path):
    """As versions before 1.0 wrote it."""
    path = tmp_path / name
    FILES[name][0](path)
    before, data = frozen(FILES[name][1](path)), path.read_bytes()
    if name.endswith(".modes"):
        old = tmp_path / "old.modes"
        shutil.copy(os.path.join(os.path.dirname(__file__), "../../tests/golden/good/modes/three_modes_of_version_1.0.modes"), old)
        with lq.modes.open(old) as modes:
            assert len(modes) == 3
        assert lq.verify(old)["verdict"] == "consistent"
        assert not lq.verify(old, require="sound")
        return
    path.write_bytes(data.replace(b"limequat-description", b"some-text-of-a-user!"))
    assert frozen(FILES[name][1](path)) == before
    assert lq.verify(path)["verdict"] == "consistent"


def test_verify_judges_stores_of_correlators_as_they_judge_themselves(tmp_path):
    path = tmp_path / "store.h5"
    make_correlators(path)
    answer = lq.verify(path)
    assert answer["verdict"] == "sound" and any(claim["name"] == "crc32" for claim in answer["claims"])
    with lq.correlators.open(path) as store:
        assert store.verify()["verdict"] == "sound"
    data = path.read_bytes()
    with lq.correlators.open(path) as store:
        number = store.read(1, "pion", p=(0, 0, 1)).tobytes()
    at = data.index(number)
    path.write_bytes(data[:at + 3] + bytes([data[at + 3] ^ 4]) + data[at + 4:])
    answer = lq.verify(path)
    assert answer["verdict"] == "damaged"
    assert any(f"{at}" in str(one["offset"]) for one in answer["findings"] if one["severity"] == "error")
    with lq.correlators.open(path) as store:
        assert store.verify()["verdict"] == "damaged"


@pytest.mark.parametrize("change", ["renamed", "removed", "cut", "of another type"])
def test_an_array_whose_digest_is_damaged_is_not_read(change, tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "session.h5"
    with lq.hdf5.open(path, "w", time_stamps=True) as file:
        file.write("pion", np.arange(12.0))
    with h5py.File(path, "r+") as file:
        attributes = file["pion"].attrs
        digest = attributes["sha256"]
        del attributes["sha256"]
        if change == "renamed":
            attributes["sha25v"] = digest
        elif change == "cut":
            attributes["sha256"] = digest[:20]
        elif change == "of another type":
            attributes["sha256"] = 5.0
    assert lq.verify(path)["verdict"] == "damaged"
    with lq.hdf5.open(path) as file, pytest.raises(lq.ChecksumError):
        file.read("pion")
    with lq.hdf5.open(path, digests="ignore") as file:
        assert np.array_equal(file.read("pion"), np.arange(12.0))


def test_a_repair_that_can_do_nothing_names_all_errors(tmp_path):
    path = tmp_path / "session.h5"
    arrays = {f"array{k}": np.arange(40.0) + 1000 * k for k in range(12)}
    with lq.hdf5.open(path, "w") as file:
        for name, array in arrays.items():
            file.write(name, array)
    data = bytearray(path.read_bytes())
    for array in list(arrays.values())[:10]:
        data[data.index(array.tobytes()) + 100] ^= 4
    path.write_bytes(data)
    with pytest.raises(lq.Error) as told:
        lq.repair(path, output=tmp_path / "good.h5")
    message = str(told.value)
    named = [name for name in list(arrays)[:10] if f"/{name}:" in message]
    assert len(named) == 8 and "; and 2 more errors" in message, message
    assert not (tmp_path / "good.h5").exists()
