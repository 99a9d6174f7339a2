# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Large HDF5 datasets: more sites than 32 bits count, made by h5py; and the memory that chunks take."""

import subprocess
import sys

import numpy as np
import pytest

import limequat as lq

if not any(one["name"] == "hdf5" for one in lq.formats()):
    pytest.skip("this build has no HDF5", allow_module_level=True)
h5py = pytest.importorskip("h5py")


def make_sparse(path, extents):
    """A native dataset of a spinor in single precision, all of it a hole."""
    with h5py.File(path, "w") as file:
        file.attrs["limequat"] = np.bytes_("native 1")
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_layout(h5py.h5d.CONTIGUOUS)
        plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        space = h5py.h5s.create_simple(extents[::-1] + (4, 3))
        kind = h5py.h5t.py_create(np.dtype("c8"))
        data = h5py.Dataset(h5py.h5d.create(file.id, b"spinor", kind, space, plan))
        texts = {"kind": "spinor", "precision": "single", "site_order": "x fastest", "dimensions": "t,z,y,x,spin,color"}
        for name, text in texts.items():
            data.attrs[name] = np.bytes_(text)
        data.attrs["extents"] = np.array(extents, np.int32)
        for name, number in {"colors": 3, "spins": 4, "limequat_layout": 1}.items():
            data.attrs[name] = np.int32(number)


def test_sites_beyond_32_bits_are_read_where_they_are(tmp_path):
    path, extents = tmp_path / "sparse.h5", (512, 512, 512, 64)  # 2^33 sites, 825 GB
    try:
        make_sparse(path, extents)
    except OSError as error:
        pytest.skip(f"no sparse files of 825 GB here: {error}")
    with h5py.File(path, "r+") as file:
        file["spinor"][63, 511, 510, 509, 3, 2] = 1.5 - 2j
        file["spinor"][40, 1, 2, 3, 1, 1] = 7
    with lq.open(path) as file:
        assert file.fields["spinor"].shape == extents[::-1] + (4, 3)
    corner = {"t": slice(63, 64), "z": slice(510, 512), "y": slice(500, 512), "x": slice(500, 512)}
    sites = lq.read(path, region=corner)
    assert np.count_nonzero(sites) == 1 and sites[0, 1, 10, 9, 3, 2] == 1.5 - 2j
    middle = {"t": slice(40, 41), "z": slice(0, 3), "y": slice(0, 4), "x": slice(0, 5)}
    sites = lq.read(path, region=middle)
    assert np.count_nonzero(sites) == 1 and sites[0, 1, 2, 3, 1, 1] == 7


PEAK_OF_A_WRITE = """
import resource, sys
import numpy as np
import limequat as lq
values = np.random.default_rng(1).normal(size=(24, 16, 16, 16, 4, 3, 6)).view(complex)  # slices of 2.25 MiB
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
lq.write(sys.argv[1], values, kind="gauge", **eval(sys.argv[2]))
print(peak() - before, values[0].nbytes // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counted in KiB there only")
def test_filtered_chunks_take_the_memory_of_two_more_of_them(tmp_path):
    def peak(**options):
        command = [sys.executable, "-c", PEAK_OF_A_WRITE, tmp_path / "out.h5", repr(options | {"overwrite": True})]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [int(word) for word in out.split()]

    plain, chunk = peak(threads=1)
    filtered, _ = peak(threads=1, dataset_chunk="slice", filters="deflate:1")
    waiting = 2 * 1024  # small chunks that wait until their places are known
    assert filtered <= plain + 2 * chunk + waiting + 1024
