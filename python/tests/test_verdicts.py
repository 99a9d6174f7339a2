# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""One examination: files of all formats are damaged at random, and all verbs must give one verdict, in Python and in lq.
More of them, in C++, and what is read of each: tests/verdicts. LQ_MUTANTS sets how many files are drawn for each
format."""

import json
import os
import random
import shutil
import subprocess

import numpy as np
import pytest

import limequat as lq


MUTANTS = int(os.environ.get("LQ_MUTANTS", "12"))
LATTICE = (4, 2, 4, 6)  # x, y, z, t
SHAPE = LATTICE[::-1]
MODES_LATTICE = (4, 2, 2, 4)


def thermalised():
    """Links near 1, so that their plaquette is far above noise."""
    generator = np.random.default_rng(3)
    m = generator.normal(size=SHAPE + (4, 3, 3)) + 1j * generator.normal(size=SHAPE + (4, 3, 3))
    q, r = np.linalg.qr(np.eye(3) + 0.15 * m)
    q = q * (np.diagonal(r, axis1=-2, axis2=-1) / abs(np.diagonal(r, axis1=-2, axis2=-1)))[..., None, :]
    return q / np.linalg.det(q)[..., None, None] ** (1 / 3)


def gauge(path, **options):
    lq.write(path, thermalised(), **options)


def spinor(path, **options):
    generator = np.random.default_rng(5)
    lq.write(path, generator.normal(size=SHAPE + (4, 3)) + 1j * generator.normal(size=SHAPE + (4, 3)), **options)


def propagator(path, **options):
    generator = np.random.default_rng(6)
    shape = SHAPE + (4, 4, 3, 3)
    lq.write(path, generator.normal(size=shape) + 1j * generator.normal(size=shape), kind="propagator", **options)


def session(path):
    with lq.hdf5.open(path, "w") as h:
        h.write("pion", np.arange(48) + 0.25j)
        h.write("kaon/masses", np.linspace(0, 1, 30))
        h.write("text", "beta = 6.0")


def modes(path):
    with lq.modes.create(path, MODES_LATTICE) as writer:
        generator = np.random.default_rng(7)
        for k in range(3):
            shape = MODES_LATTICE[::-1] + (4, 3)
            writer.append(generator.normal(size=shape) + 1j * generator.normal(size=shape), eigenvalue=0.1 * k)


def multifile(path):
    with lq.multifile.create(path, tasks=3) as m:
        for task in range(3):
            m[task].write(np.arange(500 * (task + 1), dtype=np.float64))


def archive(path):
    gauge(path.with_suffix(".tmp.ildg"))
    lq.squeeze(path.with_suffix(".tmp.ildg"), path)
    path.with_suffix(".tmp.ildg").unlink()


# Name of the file: how it is made.
FORMATS = {
    "a.ildg": gauge,
    "single.ildg": lambda path: gauge(path, precision="single"),
    "bare.ildg": lambda path: gauge(path, verify="none"),
    "gauge.scidac": gauge,
    "spinor.scidac": spinor,
    "propagator.scidac": propagator,
    "a.nersc": gauge,
    "a.milc": lambda path: gauge(path, precision="single"),
    "a.openqcd": gauge,
    "a.hirep": gauge,
    "a.fnal": lambda path: gauge(path, precision="single"),
    "a.field": gauge,
    "a.raw": gauge,
    "spinor.raw": spinor,
    "native.h5": gauge,
    "chunked.h5": lambda path: gauge(path, filters="shuffle,deflate,fletcher32", dataset_chunk="slice"),
    "qlua.h5": lambda path: gauge(path, layout="qlua"),
    "qdp.h5": lambda path: gauge(path, layout="qdp"),
    "session.h5": session,
    "a.modes": modes,
    "a.sion": multifile,
    "a.sqz": archive,
}


def mutate(generator, data):
    """Another file: bits, bytes, pages and ends as storage and transfers change them."""
    data = bytearray(data)
    at = generator.randrange(len(data))
    kind = generator.choice(["bit", "bit", "bit", "byte", "zeros", "cut", "insert", "delete", "swap", "junk", "nan", "head"])
    if kind == "bit":
        data[at] ^= 1 << generator.randrange(8)
    elif kind == "byte":
        data[at] = generator.randrange(256)
    elif kind == "head":
        data[generator.randrange(min(len(data), 512))] ^= 1 << generator.randrange(8)
    elif kind == "zeros":
        length = generator.choice([4, 64, 512, 4096])
        data[at:at + length] = bytes(len(data[at:at + length]))
    elif kind == "cut":
        del data[at:]
    elif kind == "insert":
        data[at:at] = bytes(generator.randrange(256) for _ in range(generator.choice([1, 8, 64])))
    elif kind == "delete":
        del data[at:at + generator.choice([1, 8, 64])]
    elif kind == "swap":
        other = generator.randrange(len(data) - 8)
        at = min(at, len(data) - 8)
        data[at:at + 4], data[other:other + 4] = data[other:other + 4], data[at:at + 4]
    elif kind == "nan":
        at -= at % 8
        data[at:at + 8] = b"\xff" * len(data[at:at + 8])
    else:
        data += bytes(generator.randrange(256) for _ in range(generator.choice([1, 100, 1000])))
    return bytes(data), f"{kind} at {at}"


def companions(path):
    """A file and those that belong to it."""
    return sorted(one for one in path.parent.iterdir() if one.name == path.name or one.name.startswith(path.name + "."))


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    for name, make in FORMATS.items():
        make(folder / name)
    return folder


def mutants_of(name, folder, originals, count):
    """(path, what was done) of damaged files, each in a folder of its own."""
    generator = random.Random(f"{name} {os.environ.get('LQ_SEED', '1')}")
    sources = companions(originals / name)
    for k in range(count):
        below = folder / f"{k:05d}"
        below.mkdir()
        for source in sources:
            shutil.copy(source, below / source.name)
        victim = below / generator.choice(sources).name
        before = victim.read_bytes()
        after, what = mutate(generator, before)
        victim.write_bytes(after)
        if after != before:
            yield below / name, f"{victim.name}: {what}"


def verdict_of(path):
    """As lq.verify says; files that are not even looked into are unreadable or foreign."""
    try:
        return lq.verify(path)["verdict"]
    except lq.Error as error:
        return "foreign" if error.code == lq.UnknownFormat.code else "unreadable"


OK = ("sound", "consistent")
# Of lq verify: data that differ are 1, a broken structure is 3; what cannot be read may be cut.
EXIT_CODES = {"sound": (0,), "consistent": (0,), "unproven": (1,), "damaged": (1, 3), "incomplete": (5,), "unreadable": (1, 3, 5),
              "foreign": (3,)}


@pytest.mark.parametrize("name", FORMATS)
def test_all_verbs_give_one_verdict(name, originals, tmp_path):
    if "LQ_PROGRAM" not in os.environ:
        pytest.skip("there is no lq")
    paths = dict(mutants_of(name, tmp_path, originals, MUTANTS))
    verdicts = {path: verdict_of(path) for path in paths}

    run = subprocess.run([os.environ["LQ_PROGRAM"], "verify", "-r", "--json", str(tmp_path)], capture_output=True, text=True,
                         check=False)
    below = {}
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        if "path" in answer:
            below[answer["path"]] = answer["verdict"]
    for path, verdict in verdicts.items():
        what = f"{path}: {paths[path]}: verify says {verdict}"
        is_ok = verdict in OK
        # Whose name says that it should be one of ours is foreign to no folder.
        unknown = ("unreadable", "foreign")
        found = below.get(str(path), "foreign")
        assert found == verdict or (found in unknown and verdict in unknown), what
        exit_code = subprocess.run([os.environ["LQ_PROGRAM"], "verify", "-q", str(path)], capture_output=True, check=False).returncode
        assert exit_code in EXIT_CODES[verdict], f"{what}, lq verify ends with {exit_code}"
        try:
            findings = lq.validate(path)
            assert is_ok == all(one["severity"] != "error" for one in findings), f"{what}, validate otherwise"
        except lq.Error:
            assert not is_ok, f"{what}, validate otherwise"
        if verdict not in ("unreadable", "foreign"):
            fields = lq.info(path)["fields"]
            if fields and fields[0]["spec"]["kind"] == "gauge" and not is_ok:
                try:
                    assert not lq.diagnose(path), f"{what}, diagnose otherwise"
                except lq.Error:
                    pass  # it cannot even be read
