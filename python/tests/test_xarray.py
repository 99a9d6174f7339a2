# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The engine of xarray and the writing of its arrays, against the arrays that were written and plain numpy on the bytes."""

import concurrent.futures
import filecmp
import io
import os
import pathlib
import pickle
import re
import resource
import subprocess
import sys

import numpy as np
import pytest
from conftest import LATTICE, SHAPE, random_field, random_links
from plain_lime import gauge
from range_server import serving

import limequat as lq
from limequat import labelled_writing

try:
    import xarray
except Exception as error:
    pytest.skip(f"xarray: {error}", allow_module_level=True)

from limequat.xarray_backend import LimequatBackendEntrypoint

ENGINE = LimequatBackendEntrypoint  # the name belongs to installed packages
PYTHON = pathlib.Path(lq.__file__).resolve().parent.parent


@pytest.fixture
def dask():
    return pytest.importorskip("dask.array")


@pytest.fixture
def ensemble(tmp_path):
    """Paths of a few configurations, and their links."""
    fields = [random_links(seed=seed) for seed in range(1, 5)]
    paths = [tmp_path / f"conf.{number}.ildg" for number in range(len(fields))]
    for path, links in zip(paths, fields):
        lq.write(path, links)
    return paths, np.stack(fields)


def reads(monkeypatch):
    """The regions that are read from now on."""
    asked, read = [], lq.FieldView.read
    monkeypatch.setattr(lq.FieldView, "read", lambda self, region=None, **more: asked.append(region) or read(self, region, **more))
    return asked


def test_a_file_is_a_dataset_that_is_read_lazily(gauge_file, links, monkeypatch):
    asked = reads(monkeypatch)
    data = xarray.open_dataset(gauge_file, engine=ENGINE)
    assert data.gauge.dims == ("t", "z", "y", "x", "mu", "row", "column") and data.gauge.shape == links.shape
    assert list(data.mu.values) == list("xyzt") and list(data.t.values) == list(range(SHAPE[0]))
    assert data.attrs["format"] == "ildg" and data.gauge.attrs["kind"] == "gauge" and "plaquette" in data.gauge.attrs["xlf-info"]
    assert not asked
    assert np.array_equal(data.gauge[3].values, links[3])
    assert [(region[3], region[0]) for region in asked] == [(slice(3, 4), slice(0, LATTICE[0]))]
    assert np.array_equal(data.gauge.values, gauge(gauge_file, links.shape))


@pytest.mark.parametrize("key", [
    np.s_[1], np.s_[-1, ..., 0], np.s_[1:4:2, ::-1, 0, -3:], np.s_[::-2], np.s_[2:2], np.s_[[3, 0, 3]], np.s_[:, :, :, [1, 0], [0, 3]],
    np.s_[..., [2, 0], 1], np.s_[np.array([True, False, True, False, True])], np.s_[4, 1, 1, 3, 3, 2, 2]])
def test_any_index_is_that_of_the_array(gauge_file, links, key):
    data = xarray.open_dataset(gauge_file, engine=ENGINE, cache=False)
    in_memory = xarray.DataArray(links, dims=data.gauge.dims)
    assert np.array_equal(data.gauge[key].values, in_memory[key].values)


def test_labels_select(gauge_file, links):
    data = xarray.open_dataset(gauge_file, engine=ENGINE)
    assert np.array_equal(data.gauge.sel(mu=["t", "x"], t=slice(1, 3)).values, links[1:4][..., [3, 0], :, :])


def test_a_slice_is_verified_where_the_file_has_its_sum(tmp_path, gauge_file, links):
    place = gauge_file.read_bytes().index(np.ascontiguousarray(links[2], ">c16").tobytes())
    damaged = bytearray(gauge_file.read_bytes())
    damaged[place + 5] ^= 1
    gauge_file.write_bytes(damaged)
    data = xarray.open_dataset(gauge_file, engine=ENGINE, cache=False)
    assert np.array_equal(data.gauge[1].values, links[1])
    with pytest.raises(lq.ChecksumError):
        data.gauge[2].load()
    trusting = xarray.open_dataset(gauge_file, engine=ENGINE, cache=False, verify=False)
    assert not np.array_equal(trusting.gauge[2].values, links[2]) and np.array_equal(trusting.gauge[3].values, links[3])


def test_variables_are_dropped_or_chosen(tmp_path):
    path = tmp_path / "a.lime"
    fields = [random_field((4, 3)), random_field((4, 3), seed=2), random_field((7,), np.float64), random_field((2,), np.float64)]
    with lq.create(path) as file:
        for name, field in zip(("quark", "quark", "a", "b"), fields):
            file.write(name, field, kind="generic" if field.dtype.kind == "f" else None)
    data = xarray.open_dataset(path, engine=ENGINE)
    assert set(data.data_vars) == {"quark[0]", "quark[1]", "a", "b"}
    for name, field in zip(("quark[0]", "quark[1]", "a", "b"), fields):
        assert np.array_equal(data[name].values, field)
    assert set(xarray.open_dataset(path, engine=ENGINE, drop_variables=["a", "b", "none"]).data_vars) == {"quark[0]", "quark[1]"}
    assert "a" not in xarray.open_dataset(path, engine=ENGINE, drop_variables="a")
    one = xarray.open_dataset(path, engine=ENGINE, field=("quark", 1))
    assert list(one.data_vars) == ["quark"] or list(one.data_vars) == ["quark[1]"]
    assert np.array_equal(next(iter(one.data_vars.values())).values, fields[1])
    assert len(xarray.open_dataset(path, engine=ENGINE, field=["a", ("quark", 0)]).data_vars) == 2
    with pytest.raises(lq.NoSuchRecord, match="gluon"):
        xarray.open_dataset(path, engine=ENGINE, field="gluon")


def test_files_of_fields_are_guessed_by_their_content(tmp_path, gauge_file):
    guess = LimequatBackendEntrypoint().guess_can_open
    odd = tmp_path / "no suffix"
    odd.write_bytes(gauge_file.read_bytes())
    (tmp_path / "text.ildg").write_text("no configuration")
    os.mkfifo(tmp_path / "pipe.ildg")
    assert guess(gauge_file) and guess(str(odd)) and guess(os.path.relpath(odd))
    for other in (tmp_path / "text.ildg", tmp_path / "absent.ildg", tmp_path, tmp_path / "pipe.ildg",
                  "https://host/conf.ildg", 7, object(), None, "a\0b"):
        assert guess(other) is False


def test_data_that_are_no_field_are_left_to_other_engines(tmp_path):
    try:
        import h5py
    except Exception as error:
        pytest.skip(f"h5py: {error}")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["temperature"] = np.arange(3.0)
    assert not LimequatBackendEntrypoint().guess_can_open(tmp_path / "a.h5")


def test_a_url_is_opened_once_and_read_by_slices(tmp_path):
    links = random_links((8, 8, 8, 8, 4))
    lq.write(tmp_path / "conf.ildg", links)
    with serving(conf__ildg=(tmp_path / "conf.ildg").read_bytes()) as (address, served):
        served["conf__ildg"].password = "me:secret"
        url = address.replace("://", "://me:secret@") + "/conf.ildg?signature=hidden"
        data = xarray.open_dataset(url, engine=ENGINE)
        assert data.encoding["source"] == f"{address}/conf.ildg"
        assert served["conf__ildg"].sent <= 131072
        for t in (5, 2):
            requests, sent = served["conf__ildg"].requests, served["conf__ildg"].sent
            assert np.array_equal(data.gauge[t].values, links[t])
            assert served["conf__ildg"].requests <= requests + 3
            assert served["conf__ildg"].sent <= sent + links[t].nbytes + 65536
        again = pickle.loads(pickle.dumps(data))
        assert np.array_equal(again.gauge[7].values, links[7])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            slices = list(pool.map(lambda t: data.gauge[t].values, range(8)))
        assert np.array_equal(np.stack(slices), links)
        assert "secret" not in repr(data) and "hidden" not in repr(data)


@pytest.mark.parametrize("made", [lambda path: io.BytesIO(path.read_bytes()), lambda path: path.open("rb"),
                                  lambda path: lq.Source(io.BytesIO(path.read_bytes()), name="mine.ildg")])
def test_a_file_object_is_read_by_slices(gauge_file, links, made):
    given = made(gauge_file)
    data = xarray.open_dataset(given, engine=ENGINE)
    assert data.gauge.dims[0] == "t" and np.array_equal(data.gauge[3].values, links[3])
    assert np.array_equal(data.gauge.isel(t=slice(None, None, -2)).values, links[::-2])
    if isinstance(given, io.BytesIO):
        assert np.array_equal(pickle.loads(pickle.dumps(data)).gauge.values, links)


def test_a_url_in_chunks_of_dask_is_the_array(tmp_path, dask, links, gauge_file):
    with serving(conf__ildg=gauge_file.read_bytes()) as (address, served):
        data = xarray.open_dataset(f"{address}/conf.ildg", engine=ENGINE, chunks={})
        assert np.array_equal(data.gauge.mean("t").values, links.mean(0))


def test_what_changes_on_the_server_is_refused(gauge_file):
    with serving(conf__ildg=gauge_file.read_bytes()) as (address, served):
        data = xarray.open_dataset(f"{address}/conf.ildg", engine=ENGINE)
        kept = pickle.dumps(data)
        served["conf__ildg"].data += b"more"
        served["conf__ildg"].etag = None
        with pytest.raises(lq.WrongState, match="not the file that was opened as a dataset"):
            pickle.loads(kept).gauge[0].load()


def test_addresses_that_cannot_be_opened_are_named_without_their_passwords():
    with serving() as (address, _), pytest.raises(lq.NotFound, match="absent.ildg") as refusal:
        xarray.open_dataset(address.replace("://", "://me:secret@") + "/absent.ildg", engine=ENGINE)
    assert "secret" not in str(refusal.value)


def test_a_file_url_is_the_local_file(gauge_file, links):
    data = xarray.open_dataset(f"file://{gauge_file}", engine=ENGINE)
    assert data.encoding["source"] == str(gauge_file) and np.array_equal(data.gauge.values, links)


@pytest.mark.parametrize("given", [7, object(), None])
def test_what_is_no_path_is_refused(given):
    with pytest.raises((lq.InvalidArgument, TypeError)):
        LimequatBackendEntrypoint().open_dataset(given)


@pytest.mark.parametrize("slices", [0, -1, 1.5, True, "all"])
def test_chunks_of_no_slices_are_refused(gauge_file, slices):
    with pytest.raises(lq.InvalidArgument, match="the number of time slices"):
        xarray.open_dataset(gauge_file, engine=ENGINE, slices=slices)


def test_chunks_are_time_slices(gauge_file, links, dask):
    assert xarray.open_dataset(gauge_file, engine=ENGINE, chunks={}).gauge.chunks[0] == (1,) * SHAPE[0]
    two = xarray.open_dataset(gauge_file, engine=ENGINE, chunks={}, slices=2)
    assert two.gauge.chunks[0] == (2, 2, 1) and np.array_equal(two.gauge.values, links)


def test_an_ensemble_is_one_dataset(ensemble, dask, monkeypatch):
    paths, links = ensemble
    data = xarray.open_mfdataset(paths, engine=ENGINE, combine="nested", concat_dim="config")
    assert data.gauge.dims[:2] == ("config", "t") and data.gauge.chunks[:2] == ((1,) * len(paths), (1,) * SHAPE[0])
    asked = reads(monkeypatch)
    assert np.array_equal(data.gauge[2, 1].values, links[2, 1]) and len(asked) == 1
    assert np.array_equal(data.gauge.values, links)
    assert np.allclose(data.gauge.mean("config").compute(), links.mean(0), rtol=1e-14)


def test_more_files_than_handles_are_opened(tmp_path, dask):
    links = random_links((2, 2, 2, 2, 4))
    lq.write(tmp_path / "conf.0.ildg", links)
    for number in range(1, 120):
        (tmp_path / f"conf.{number}.ildg").symlink_to("conf.0.ildg")
    code = """
import glob, resource, sys, xarray
from limequat.xarray_backend import LimequatBackendEntrypoint
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
data = xarray.open_mfdataset(sorted(glob.glob(sys.argv[1] + "/*.ildg")), engine=LimequatBackendEntrypoint, combine="nested",
                             concat_dim="config")
print(data.gauge.shape[0], abs(data.gauge - data.gauge[0]).max().values)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, tmp_path], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(PYTHON)})
    assert done.stdout.split() == ["120", "0.0"], done.stderr
    assert resource.getrlimit(resource.RLIMIT_NOFILE)


def test_a_file_that_was_replaced_or_changed_is_noticed(ensemble):
    paths, links = ensemble
    data = [xarray.open_dataset(path, engine=ENGINE, cache=False) for path in paths]
    lq.write(paths[0], links[1], overwrite=True)  # another file of the same size
    with open(paths[1], "r+b") as file:  # the same file, changed in place
        file.seek(5000)
        file.write(b"x")
    paths[2].unlink()
    for one, path in zip(data[:3], paths):
        with pytest.raises(lq.WrongState, match=re.escape(str(path))):
            one.gauge[0].load()
    assert np.array_equal(data[3].gauge.values, links[3])


def test_a_file_that_is_replaced_while_it_is_read_is_noticed(gauge_file, links, monkeypatch):
    data = xarray.open_dataset(gauge_file, engine=ENGINE, cache=False)
    part = lq.FieldView.part

    def replaced(self, key, verify=True):
        numbers = part(self, key, verify)
        lq.write(gauge_file, 2 * links, overwrite=True)
        return numbers

    monkeypatch.setattr(lq.FieldView, "part", replaced)
    with pytest.raises(lq.WrongState, match="open the dataset again"):
        data.gauge[0].load()


def test_several_threads_read_one_file_and_several_processes_get_it(gauge_file, links):
    data = xarray.open_dataset(gauge_file, engine=ENGINE, cache=False)
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: data.gauge[number % SHAPE[0]].values, range(64)))
    assert all(np.array_equal(slice_, links[number % SHAPE[0]]) for number, slice_ in enumerate(found))
    again = pickle.loads(pickle.dumps(data))
    assert np.array_equal(again.gauge.values, links)


def test_parts_of_hdf5_and_other_formats_are_read(tmp_path, links):
    for name in ("a.h5", "a.nersc", "a.milc"):
        try:
            lq.write(tmp_path / name, links)
        except lq.Error:
            continue
        data = xarray.open_dataset(tmp_path / name, engine=ENGINE)
        assert np.array_equal(next(iter(data.data_vars.values()))[1:3].values, lq.read(tmp_path / name)[1:3])
    lq.write(tmp_path / "a.raw", links)
    data = xarray.open_dataset(tmp_path / "a.raw", engine=ENGINE, cache=False)
    assert np.array_equal(data.gauge[0].values, links[0])
    os.utime(tmp_path / "a.raw.data", (1, 1))  # its numbers are in another file
    with pytest.raises(lq.WrongState, match=r"a\.raw\.data"):
        data.gauge[0].load()


def test_the_package_names_the_engine():
    tomllib = pytest.importorskip("tomllib")
    project = PYTHON / "pyproject.toml"
    if not project.exists():
        pytest.skip("the package is here without its sources")
    named = tomllib.loads(project.read_text())["project"]["entry-points"]["xarray.backends"]
    assert named == {"limequat": f"{LimequatBackendEntrypoint.__module__}:{LimequatBackendEntrypoint.__qualname__}"}


def test_an_installed_package_is_found_by_xarray(tmp_path, gauge_file):
    facts = tmp_path / "limequat-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: limequat\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[xarray.backends]\nlimequat = limequat.xarray_backend:LimequatBackendEntrypoint\n")
    code = """
import sys, xarray
data = xarray.open_dataset(sys.argv[1], engine='limequat')
print(data.gauge.limequat is not None, data.gauge.shape[0])
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, gauge_file], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PYTHON)])})
    assert done.stdout.split() == ["True", str(SHAPE[0])], done.stderr


# --- writing ----------------------------------------------------------------------------------------------------------------

FULL = ("t", "z", "y", "x", "mu", "row", "column")
SPINOR = ("t", "z", "y", "x", "spin", "color")


def computed(dask, values, slices, function):
    """An array of dask in chunks of time slices, each of which ``function`` computes."""
    array = dask.from_array(values, chunks=(slices, *values.shape[1:]))
    return array.map_blocks(function, dtype=values.dtype, meta=np.empty((0,) * values.ndim, values.dtype))


KINDS = {"gauge": (("mu", "row", "column"), (4, 3, 3)), "spinor": (("spin", "color"), (4, 3)),
         "propagator": (("sink_spin", "source_spin", "sink_color", "source_color"), (4, 4, 3, 3)), "n": (("n",), (5,)), "one": ((), ())}


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_are_written_by_the_names_of_their_axes(tmp_path, kind, lazy, request):
    names, site = KINDS[kind]
    values = random_field(site)
    array = xarray.DataArray(values, dims=("t", "z", "y", "x", *names), name="mine")
    array = array.transpose(*sorted(array.dims))
    if lazy:
        request.getfixturevalue("dask")
        array = array.chunk({"t": 2, "x": 1})
    report = lq.to_limequat(array, tmp_path / "a.lime")
    assert report.bytes == values.nbytes
    with lq.open(tmp_path / "a.lime") as file:
        view = file.fields[0]
        assert (view.name, view.kind) == ("mine", kind if kind in ("gauge", "spinor", "propagator") else "generic")
        assert view.checksum is not None and np.array_equal(view.read(), values)


@pytest.mark.parametrize("format", sorted({one.name for one in lq.formats()} - {"sion", "lime", "modes", "mod", "eigen-comp"}))
def test_a_dask_array_gives_the_file_of_its_numbers(tmp_path, dask, format):
    links = random_links((4, 2, 6, 2, 4))
    try:
        lq.write(tmp_path / "expected", links, format=format, metadata=None)
    except lq.Error as error:
        pytest.skip(str(error))
    made = []
    array = computed(dask, links, 1, lambda part: made.append(part.shape) or part)
    lq.to_limequat(xarray.DataArray(array, dims=FULL, name="gauge"), tmp_path / "found", format=format)
    assert np.array_equal(lq.read(tmp_path / "found"), links)
    assert set(made) == {(1, *links.shape[1:])} and len(made) <= 3 * len(links)
    if format not in ("hdf5", "raw"):  # times and the name of the data are in these
        assert filecmp.cmp(tmp_path / "expected", tmp_path / "found", shallow=False)


def test_a_dask_array_is_never_in_memory_as_a_whole(tmp_path, dask, monkeypatch):
    kept = []
    fill = labelled_writing._ComputedRows._fill

    def watched(self, *arguments):
        fill(self, *arguments)
        kept.append((len(self._kept), self._whole is None))

    monkeypatch.setattr(labelled_writing._ComputedRows, "_fill", watched)
    values = random_field((4, 3))
    array = xarray.DataArray(dask.from_array(values, chunks=(1, *values.shape[1:])), dims=SPINOR)
    lq.to_limequat(array, tmp_path / "a.lime")
    assert max(count for count, _ in kept) <= 3 and all(is_open for _, is_open in kept)


def test_a_chunk_of_several_slices_is_computed_once(tmp_path, dask, monkeypatch):
    values, made = random_field((4, 3)), []
    array = xarray.DataArray(computed(dask, values, (2, 2, 1), lambda part: made.append(len(part)) or part), dims=SPINOR)
    lq.to_limequat(array, tmp_path / "a.lime")
    assert made == [2, 2, 1] and np.array_equal(lq.read(tmp_path / "a.lime"), values)
    monkeypatch.setattr(labelled_writing, "_BLOCK_BYTES", values[0].nbytes)  # larger chunks are computed slice by slice
    lq.to_limequat(array, tmp_path / "b.lime")
    assert np.array_equal(lq.read(tmp_path / "b.lime"), values)


def test_orders_with_t_inside_are_written_too(tmp_path, dask):
    values = random_field((5,), np.float64)
    array = xarray.DataArray(dask.from_array(values, chunks=2), dims=("t", "z", "y", "x", "n"))
    lq.to_limequat(array, tmp_path / "a.raw", layout="little x y z t component")
    found = np.fromfile(tmp_path / "a.raw.data", "<f8").reshape(*LATTICE, 5)
    assert np.array_equal(found, values.transpose(3, 2, 1, 0, 4))


def test_precision_texts_and_names_are_those_of_the_options(tmp_path, links):
    array = xarray.DataArray(links, dims=("t", "z", "y", "x", "mu", "row", "column"), attrs={"xlf-info": "not this"})
    array.limequat.to_file(tmp_path / "a.lime", precision="single", metadata={"xlf-info": "mine"}, name="smeared")
    with lq.open(tmp_path / "a.lime") as file:
        assert (file.fields[0].name, file.fields[0].dtype, file.fields[0].metadata["xlf-info"]) == ("smeared", np.complex64, "mine")
    with pytest.raises(lq.Exists):
        array.limequat.to_file(tmp_path / "a.lime")
    dask = pytest.importorskip("dask.array")
    lq.to_limequat(xarray.DataArray(dask.from_array(links), dims=array.dims), tmp_path / "c.lime")
    assert lq.open(tmp_path / "c.lime").fields.names() == ["gauge"]  # not the one that dask made up
    with pytest.raises(TypeError, match="nonsense"):
        array.limequat.to_file(tmp_path / "b.lime", nonsense=1)


def test_labels_of_directions_say_which_link_is_which(tmp_path, links, dask):
    array = xarray.DataArray(links[..., [3, 0, 1, 2], :, :], dims=FULL, coords={"mu": list("txyz")})
    for number, one in enumerate((array, array.chunk({"t": 1}))):
        lq.to_limequat(one, tmp_path / f"{number}.ildg")
        assert np.array_equal(gauge(tmp_path / f"{number}.ildg", links.shape), links)
    with pytest.raises(lq.InvalidArgument, match="labels of dimension mu are t, x, y, y"):
        lq.to_limequat(array.assign_coords(mu=list("txyy")), tmp_path / "b.ildg")


def test_what_the_engine_gives_is_written_as_it_was(gauge_file, tmp_path, links, dask):
    data = xarray.open_dataset(gauge_file, engine=ENGINE, chunks={})
    lq.to_limequat(data.gauge, tmp_path / "copy.ildg")
    assert np.array_equal(gauge(tmp_path / "copy.ildg", links.shape), links)
    lq.to_limequat(data.gauge.isel(t=slice(1, 4)), tmp_path / "part.ildg")
    assert np.array_equal(lq.read(tmp_path / "part.ildg"), links[1:4])


@pytest.mark.parametrize("change, sentence", [
    (lambda array: array.isel(z=0), "not z: a field has all of t, z, y, x"),
    (lambda array: array.isel(z=0, x=0), "not z, x"),
    (lambda array: array.isel(row=0), "row missing"),
    (lambda array: array.rename(mu="nu"), "mu missing; nu too many"),
    (lambda array: array.expand_dims(config=2), "config too many: select one of each"),
    (lambda array: array.isel(mu=0, row=0, column=0).expand_dims(beta=2), "beta do not fit any field"),
    (lambda array: array.isel(mu=[0, 1]), "2 links, the lattice 4 directions"),
    (lambda array: array.isel(t=slice(None, None, -1)), "labels of dimension t are not consecutive"),
    (lambda array: array.isel(x=[0, 2]), "labels of dimension x are not consecutive"),
    (lambda array: array.astype(int), "the array holds int64"),
    (lambda array: array.real, "a gauge field is complex"),
    (lambda array: array.isel(row=slice(0, 2)), "is not a gauge field"),
    (lambda array: array.isel(t=slice(0, 0)), "empty|extent"),
    (lambda array: array.values, "a ndarray was given"),
    (lambda array: 7, "a int was given"),
    (lambda array: xarray.DataArray(1.0), "was given, expected an xarray.DataArray with named dimensions")])
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_arrays_that_are_no_field_are_refused(tmp_path, links, change, sentence, lazy, request):
    array = xarray.DataArray(links, dims=FULL, coords={name: np.arange(extent) for name, extent in zip("tzyx", SHAPE)})
    if lazy:
        request.getfixturevalue("dask")
        array = array.chunk({"t": 1})
    with pytest.raises(lq.InvalidArgument, match=sentence):
        lq.to_limequat(change(array), tmp_path / "a.ildg")
    assert os.listdir(tmp_path) == []


class Mine(BaseException):
    pass


@pytest.mark.parametrize("failure", [ZeroDivisionError("mine"), KeyboardInterrupt(), Mine()])
@pytest.mark.parametrize("format", ["ildg", "nersc", "openqcd"])
def test_a_failure_while_numbers_are_computed_leaves_no_file(tmp_path, dask, failure, format):
    links = random_links((4, 2, 6, 2, 4))

    def fails(part):
        if part.shape[0] and part.flat[0] == links[2].flat[0]:
            raise failure
        return part

    array = computed(dask, links, 1, fails)
    lq.write(tmp_path / "there", links, format=format)
    before = (tmp_path / "there").read_bytes()
    import dask as settings

    with settings.config.set(scheduler="synchronous"):
        for name, options in (("new", {}), ("there", {"overwrite": True})):
            with pytest.raises(type(failure)):
                lq.to_limequat(xarray.DataArray(array, dims=FULL), tmp_path / name, format=format, **options)
    assert os.listdir(tmp_path) == ["there"] and (tmp_path / "there").read_bytes() == before


def test_numbers_of_another_shape_than_promised_are_refused(tmp_path, dask):
    array = computed(dask, random_field((4, 3)), 1, lambda part: part[:, :1])
    with pytest.raises(lq.InvalidArgument, match="promised"):
        lq.to_limequat(xarray.DataArray(array, dims=SPINOR), tmp_path / "a.lime")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("promised, change, words", [
    ("c16", lambda part: np.ma.masked_less(part.real, 0) + 0j, "masked numbers"),
    ("c8", lambda part: part, "complex128 do not fit complex64 without loss"),
])
def test_numbers_that_would_change_are_refused(tmp_path, dask, promised, change, words):
    array = computed(dask, random_field((4, 3)).astype(promised), 1, lambda part: change(part.astype("c16")))
    with pytest.raises(lq.InvalidArgument, match=words):
        lq.to_limequat(xarray.DataArray(array, dims=SPINOR), tmp_path / "a.lime")
    assert os.listdir(tmp_path) == []


def test_without_xarray_the_package_works_and_says_what_is_missing():
    code = """
import sys
sys.modules["xarray"] = None
import limequat as lq
try:
    lq.to_limequat(7, "a")
except lq.InvalidArgument as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(PYTHON)})
    assert "expected an xarray.DataArray" in done.stdout, done.stderr
