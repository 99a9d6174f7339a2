# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""One process with h5py and Limequat, whose libhdf5 may be two of different versions: neither disturbs the other,
whichever is imported first."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import limequat as lq

if not any(one["name"] == "hdf5" for one in lq.formats()):
    pytest.skip("this build has no HDF5", allow_module_level=True)
pytest.importorskip("h5py")

BOTH = """
import pathlib, sys
import numpy as np
folder = pathlib.Path(sys.argv[1])
numbers = np.arange(600.0).reshape(20, 30)
plan = dict(chunks=(5, 10), compression="gzip", shuffle=True)

def use_h5py():
    import h5py
    with h5py.File(folder / "first-theirs.h5", "w") as file:
        file["own"] = numbers

def use_limequat():
    import limequat as lq
    with lq.hdf5.open(folder / "first-ours.h5", "x") as file:
        file.write("/own", numbers)

for use in {order}:
    use()

import h5py, limequat as lq
theirs = h5py.File(folder / "theirs.h5", "w")
theirs.create_dataset("zipped", data=numbers, **plan)
theirs.attrs["text"] = "by h5py"
theirs.flush()
ours = lq.hdf5.open(folder / "ours.h5", "x")
ours.write("/numbers", numbers + 1)
ours.set_attr("/", "text", "by limequat")
ours.flush()

# Both are open and go on; each reads a file of the other, and fails on what is none.
with h5py.File(folder / "first-ours.h5") as file:
    assert np.array_equal(file["own"][()], numbers)
with lq.hdf5.open(folder / "first-theirs.h5") as file:
    assert np.array_equal(file["own"], numbers)
(folder / "text.h5").write_text("no HDF5 file at all")
for opened, failure in ((h5py.File, OSError), (lq.hdf5.open, lq.Error)):
    try:
        opened(folder / "text.h5")
        raise SystemExit("a text was opened")
    except failure:
        pass
theirs["more"] = numbers * 2
ours.write("/more", numbers * 3)
assert np.array_equal(theirs["zipped"][()], numbers) and np.array_equal(ours["numbers"], numbers + 1)
theirs.close()
ours.close()

with h5py.File(folder / "ours.h5") as file:
    assert np.array_equal(file["numbers"][()], numbers + 1) and np.array_equal(file["more"][()], numbers * 3)
    text = file.attrs["text"]
    assert (text.decode() if isinstance(text, bytes) else text) == "by limequat"
with lq.hdf5.open(folder / "theirs.h5") as file:
    assert np.array_equal(file["zipped"], numbers) and np.array_equal(file["more"], numbers * 2)
    assert file.attr("/", "text") == "by h5py"

loaded = set()
if sys.platform == "linux":
    for line in open("/proc/self/maps"):
        if "/libhdf5" in line and "_hl" not in line: loaded.add(line.split()[-1])
print(h5py.version.hdf5_version, *sorted(loaded))
"""


def soname(library):
    return re.search(r"\(SONAME\).*\[(.*)\]", subprocess.run(["readelf", "-d", library], check=True, text=True,
                                                             stdout=subprocess.PIPE).stdout)[1]


@pytest.mark.parametrize("order", ["use_h5py, use_limequat", "use_limequat, use_h5py"])
def test_each_reads_what_the_other_wrote_while_both_are_open(tmp_path, order):
    done = subprocess.run([sys.executable, "-c", BOTH.replace("{order}", f"({order})"), str(tmp_path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "neither library complains, also not when the program ends"
    version, *libraries = done.stdout.split()
    print(version, *(pathlib.Path(library).name for library in libraries))
    if shutil.which("readelf"):
        names = [soname(library) for library in libraries]
        assert len(set(names)) == len(names), f"two libhdf5 of one soname: {libraries}"
