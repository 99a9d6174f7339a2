# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""References of kerchunk: assembled by numpy from the bytes of the files, read by zarr and xarray, and refused where they would lie."""

import base64
import contextlib
import gzip
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import warnings

import numpy as np
import pytest
from conftest import LATTICE, SHAPE, random_field, random_links

import limequat as lq
from limequat import zarr_files, zarr_members, zarr_references
from limequat.trajectories import trajectory_of

GOOD = pathlib.Path(__file__).parents[2] / "tests" / "golden" / "good"


def optional(name):
    """A package that may be missing, or broken for the numpy of this Python."""
    try:
        return __import__(name)
    except Exception as error:
        pytest.skip(f"{name}: {error}")


def assembled(found, name="gauge"):
    """(array, names of its axes) by numpy alone: what any reader of the format makes of references."""
    refs = found["refs"]
    array, about = json.loads(refs[f"{name}/.zarray"]), json.loads(refs[f"{name}/.zattrs"])
    assert (array["zarr_format"], array["compressor"], array["filters"], array["order"]) == (2, None, None, "C")
    result = np.full(array["shape"], np.nan).astype(array["dtype"])
    for key, value in refs.items():
        if key.startswith(f"{name}/") and not key.endswith(("/.zarray", "/.zattrs")):
            place = [int(part) for part in key[len(name) + 1:].split(".")]
            if isinstance(value, str):
                data = base64.b64decode(value[len("base64:"):])
            else:
                path, offset, length = value
                with open(path, "rb") as file:
                    file.seek(offset)
                    data = file.read(length)
            chunk = np.frombuffer(data, array["dtype"]).reshape(array["chunks"])
            result[tuple(slice(p * c, (p + 1) * c) for p, c in zip(place, array["chunks"]))] = chunk
    return result, about["_ARRAY_DIMENSIONS"]


def labels(found, axis):
    """Labels of an axis; "U1" has no NaN to be filled with."""
    array = json.loads(found["refs"][f"{axis}/.zarray"])
    return list(np.frombuffer(base64.b64decode(found["refs"][f"{axis}/0"][len("base64:"):]), array["dtype"]))


def usual(found, name="gauge"):
    """The array as lq.read returns it, by the names and labels of its axes."""
    array, dims = assembled(found, name)
    wanted = [dim for dim in ("config", "x5", "t", "z", "y", "x") if dim in dims]
    array = array.transpose([dims.index(dim) for dim in wanted + [dim for dim in dims if dim not in wanted]])
    dims = wanted + [dim for dim in dims if dim not in wanted]
    if "mu/0" in found["refs"] and "mu" in dims:
        said = labels(found, "mu")
        array = np.take(array, [said.index(direction) for direction in "xyzt"[:len(said)]], dims.index("mu"))
        array = np.moveaxis(array, [dims.index("mu"), dims.index("row"), dims.index("column")], [-3, -2, -1])
    return array


@pytest.fixture
def ensemble(tmp_path):
    """A folder of three configurations, and their links by trajectory."""
    folder = tmp_path / "ensemble"
    folder.mkdir()
    fields = {number: random_links(seed=number) for number in (8, 90, 100)}
    for number, links in fields.items():
        lq.write(folder / f"conf.{number}.ildg", links)
    return folder, fields


def test_an_ensemble_is_one_array_with_the_bytes_of_its_files(ensemble):
    folder, fields = ensemble
    found = lq.references(folder)
    assert found["version"] == 1
    array, dims = assembled(found)
    assert dims == ["config", "t", "z", "y", "x", "mu", "row", "column"] and array.dtype.str == ">c16"
    assert labels(found, "config") == [8, 90, 100] and labels(found, "mu") == list("xyzt")
    assert labels(found, "t") == list(range(LATTICE[3])) and labels(found, "x") == list(range(LATTICE[0]))
    for row, links in zip(array, fields.values()):
        assert np.array_equal(row, links)
    assert json.loads(found["refs"]["gauge/.zattrs"])["kind"] == "gauge"
    assert json.loads(found["refs"][".zattrs"])["format"] == "ildg"
    json.dumps(found)  # no numbers of numpy


def test_a_chunk_is_a_time_slice_several_or_all(ensemble, tmp_path):
    folder, fields = ensemble
    path = folder / "conf.8.ildg"
    whole = fields[8].nbytes
    one = lq.references([path])["refs"]
    assert [value[2] for value in one.values() if isinstance(value, list)] == [whole // SHAPE[0]] * SHAPE[0]
    found = lq.references([path], slices=None)
    assert [value[2] for value in found["refs"].values() if isinstance(value, list)] == [whole]
    assert np.array_equal(assembled(found)[0][0], fields[8])
    lq.write(tmp_path / "long.ildg", random_links((6, 2, 2, 2, 4)))
    found = lq.references([tmp_path / "long.ildg"], slices=3)
    assert json.loads(found["refs"]["gauge/.zarray"])["chunks"] == [1, 3, 2, 2, 2, 4, 3, 3]
    assert np.array_equal(assembled(found)[0][0], lq.read(tmp_path / "long.ildg"))


@pytest.mark.parametrize("slices", [0, -1, 2, True, 1.0, "all", 10])
def test_chunks_of_other_sizes_are_refused(ensemble, slices):
    with pytest.raises(lq.InvalidArgument, match="slices is .*one of 1, 5, or None"):
        lq.references(ensemble[0], slices=slices)


def test_one_file_may_be_without_an_axis_of_files(ensemble):
    folder, fields = ensemble
    found = lq.references(folder / "conf.90.ildg", config=False)
    array, dims = assembled(found)
    assert dims[0] == "t" and np.array_equal(array, fields[90]) and "config/.zarray" not in found["refs"]
    with pytest.raises(lq.InvalidArgument, match="3 files"):
        lq.references(folder, config=False)


def test_labels_are_given_or_found_in_texts_or_names(tmp_path):
    links = random_links()
    for number, text in ((3, "trajectory = 77"), (4, "plaquette = 0.5\n trajectory nr = 66\n beta = 6.0, kappa = 0.1")):
        lq.write(tmp_path / f"conf.{number}.ildg", links, metadata={"xlf-info": text})
    assert labels(lq.references(tmp_path), "config") == [66, 77]  # a folder is in their order
    paths = [tmp_path / "conf.3.ildg", tmp_path / "conf.4.ildg"]
    assert labels(lq.references(paths), "config") == [77, 66]  # a list is as it is
    assert labels(lq.references(paths, config=[-1, np.int64(5)]), "config") == [-1, 5]
    lq.write(tmp_path / "last.ildg", links)
    assert labels(lq.references(tmp_path), "config") == [0, 1, 2]  # one has no number
    for config in ([1], [1, 2, 3, 4], "abc", [1, 2, 2.5], 7, [1, 2, 1 << 70]):
        with pytest.raises(lq.InvalidArgument, match="config"):
            lq.references(tmp_path, config=config)


def test_equal_numbers_are_no_labels(tmp_path):
    for stream in "ab":
        (tmp_path / stream).mkdir()
        lq.write(tmp_path / stream / "conf.10.ildg", random_links())
    assert labels(lq.references(tmp_path), "config") == [0, 1]


def test_numbers_in_names_are_those_of_the_catalogue(tmp_path):
    """The rule is that of lq.index."""
    names = ["conf.0010.lime", "l24t48b6.0_1000.ildg", "traj120.h5x", "ckpoint_lat.500", "last.lime", "run1.h5",
             "a.99999999999999999999999", "b7.v2.ILDG"]
    for name in names:
        lq.write(tmp_path / name, random_links((2, 2, 2, 2, 4)), format="ildg")
    try:
        lq.index(tmp_path, db=tmp_path / "all.db", progress=False)
    except lq.Unsupported as error:
        pytest.skip(str(error))
    expected = {os.path.basename(one["path"]): one["trajectory"] for one in lq.find("", db=tmp_path / "all.db")}
    assert {name: trajectory_of(name, {}, {}) for name in names} == expected


@pytest.mark.parametrize("format", sorted({one.name for one in lq.formats()} - {"sion", "lime", "modes", "mod", "eigen-comp"}))
@pytest.mark.parametrize("precision", ["double", "single"])
def test_what_is_shown_of_any_format_is_what_is_read(tmp_path, format, precision):
    links = random_links((4, 2, 6, 2, 4))
    path = tmp_path / f"conf.1.{format}"
    try:
        lq.write(path, links, format=format, precision=precision)
    except lq.Error:
        pytest.skip(f"{format} does not write that")
    if format in ("squeezed", "openqcd"):
        with pytest.raises(lq.Unsupported, match=f"{path}.*not stored as an array: .*(archive|openQCD)"):
            lq.references(path)
        return
    found = lq.references(path, config=False)
    array, dims = assembled(found)
    assert array.dtype.newbyteorder("=") == lq.read(path).dtype
    assert np.array_equal(usual(found), lq.read(path))
    expected = {"hirep": ["t", "x", "y", "z"]}.get(format, ["t", "z", "y", "x"])
    assert dims == [*expected, "mu", "row", "column"]
    assert labels(found, "mu") == list({"hirep": "txyz", "ddalphaamg": "tzyx"}.get(format, "xyzt"))


def golden():
    """(file, number of a field) of the files of other programs."""
    for path in sorted(GOOD.glob("*/*")):
        if path.suffix == ".expect" or path.is_dir():
            continue
        with contextlib.suppress(lq.Error):
            for number in range(len(lq.info(path)["fields"])):
                yield pytest.param(path, number, id=f"{path.parent.name}/{path.name}:{number}")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("path, number", golden())
def test_files_of_other_programs_are_shown_as_they_are_read_or_refused(path, number):
    try:
        found = lq.references(path, field=number, config=False)
    except lq.Unsupported as error:
        assert str(path) in str(error) and "not stored as an array: " in str(error)
        assert path.parent.name in ("openqcd", "hdf5", "squeezed", "modes", "vectors", "volumes", "raw", "hirep")
        return
    name, = {key.split("/")[0] for key, value in found["refs"].items() if isinstance(value, list)}
    array, expected = usual(found, name), lq.read(path, number, verify=False)
    if path.name.startswith("two_rows"):
        assert array.shape[-2:] == (2, 3) and "third row" in json.loads(found["refs"][f"{name}/.zattrs"])["rows"]
        expected = expected[..., :2, :]
    assert array.shape == expected.shape and np.array_equal(array, expected)


@pytest.mark.parametrize("layout, dims, mu", [
    ("little t z y x mu row column reim", "t z y x mu row column", "xyzt"),
    ("big x y z t mu_txyz column row reim", "x y z t mu column row", "txyz"),
    ("big mu t z y x row column reim", "mu t z y x row column", "xyzt"),
    ("big row t y z x column mu reim", "row t y z x column mu", "xyzt")])
def test_raw_numbers_have_the_axes_of_their_description(tmp_path, layout, dims, mu):
    path, links = tmp_path / "conf.raw", random_links((4, 2, 6, 2, 4))
    lq.write(path, links, layout=layout)
    found = lq.references(path, config=False)
    assert assembled(found)[1] == dims.split() and labels(found, "mu") == list(mu)
    assert np.array_equal(usual(found), links)
    data, = {value[0] for value in found["refs"].values() if isinstance(value, list)}
    assert data == f"{path}.data"


@pytest.mark.parametrize("layout", ["big reim t z y x mu row column", "big t z y x mu row reim column", "text"])
def test_raw_numbers_that_are_no_complex_array_are_refused(tmp_path, layout):
    lq.write(tmp_path / "conf.raw", random_links(), layout=layout if layout != "text" else "text t z y x mu row column reim")
    with pytest.raises(lq.Unsupported, match="conf.raw.*description gives an order"):
        lq.references(tmp_path)


def test_datasets_of_hdf5_are_shown_where_they_are_contiguous(tmp_path):
    h5py = optional("h5py")
    links = random_links()
    lq.write(tmp_path / "a.h5", links)
    assert np.array_equal(usual(lq.references(tmp_path / "a.h5", config=False)), links)
    for name, options in (("chunked", {"chunks": (1, 3, 2, 4, 4, 3, 3)}), ("gzip", {"compression": "gzip"})):
        shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
        with h5py.File(tmp_path / "b.h5", "r+") as file:
            array, about = file["gauge"][...], dict(file["gauge"].attrs)
            del file["gauge"]
            file.create_dataset("gauge", data=array, **options)
            for key, value in about.items():
                if key not in ("DIMENSION_LIST",):
                    file["gauge"].attrs[key] = value
        with pytest.raises(lq.Unsupported, match=r"b\.h5: .*'gauge' \(hdf5\).*chunked, compressed"):
            lq.references(tmp_path / "b.h5")
        assert name
    with h5py.File(tmp_path / "b.h5", "w") as file:  # no bytes were ever allocated
        file.create_dataset("gauge", shape=links.shape, dtype=links.dtype)
    with contextlib.suppress(lq.Error):
        lq.references(tmp_path / "b.h5")
        pytest.fail("numbers that are in no file were referred to")


def test_fields_of_a_file_are_variables(tmp_path):
    path = tmp_path / "a.lime"
    fields = [random_field((4, 3)), random_field((4, 3), seed=2), random_field((7,), np.float64), random_field((2,), np.float64)]
    with lq.create(path) as file:
        for name, field in zip(("quark", "quark", "t", "other"), fields):
            file.write(name, field, kind="generic" if field.dtype.kind == "f" else None)
    found = lq.references(path, config=False)
    names = sorted({key.split("/")[0] for key, value in found["refs"].items() if isinstance(value, list)})
    assert names == ["field_t", "other", "quark[0]", "quark[1]"]  # "t" is an axis
    for name, field in zip(("quark[0]", "quark[1]", "field_t", "other"), fields):
        assert np.array_equal(assembled(found, name)[0], field)
    assert assembled(found, "quark[1]")[1][-2:] == ["spin", "color"]
    assert assembled(found, "field_t")[1][-1] == "n" and assembled(found, "other")[1][-1] == "n of other"
    one = lq.references(path, field=("quark", 1))
    assert np.array_equal(assembled(one, "quark")[0][0], fields[1])
    two = lq.references(path, field=["other", ("quark", 0)])
    assert {"other/.zarray", "quark/.zarray"} < set(two["refs"]) and "t/.zattrs" in two["refs"]
    with pytest.raises(lq.NoSuchRecord, match="gluon"):
        lq.references(path, field="gluon")


def test_names_of_fields_lead_to_no_other_group(tmp_path):
    optional("h5py")
    with lq.hdf5.open(tmp_path / "a.h5", "w") as file:
        file.write_field("runs/0010/gauge", random_links())
    found = lq.references(tmp_path / "a.h5")
    assert np.array_equal(assembled(found, "runs.0010.gauge")[0][0], lq.read(tmp_path / "a.h5"))
    assert json.loads(found["refs"]["runs.0010.gauge/.zattrs"])["field"] == "runs/0010/gauge"


def test_a_part_of_a_lattice_has_its_coordinates():
    found = lq.references(GOOD / "lime" / "hypercube.lime", config=False)
    assert labels(found, "x") == [1, 2] and labels(found, "t") == [2]


@pytest.mark.parametrize("what, change", [
    ("shape", {"shape": (6, 3, 2, 4, 4)}), ("precision", {"precision": "single"}), ("byte order", {"format": "hdf5"}),
    ("axes", {"format": "hirep"}), ("order of directions", {"format": "ddalphaamg"}), ("fields", {"name": "smeared"})])
def test_files_with_other_bytes_are_refused_by_name(tmp_path, what, change):
    shape = change.pop("shape", SHAPE + (4,))
    lq.write(tmp_path / "conf.1.ildg", random_links())
    other = tmp_path / "conf.2.file"
    if "name" in change:
        with lq.create(other, format="ildg") as file:
            file.write("smeared", random_links())
    else:
        try:
            lq.write(other, random_links(shape), **{"format": "ildg", **change})
        except lq.Error as error:
            pytest.skip(str(error))
    if lq.info(other)["fields"][0]["name"] == "gauge" and what == "fields":
        pytest.skip("this format has no names")
    if what in ("order of directions", "byte order"):  # the first difference may be another one
        what = f"({what}|byte order)"
    with pytest.raises(lq.InvalidArgument, match=rf"conf\.2\.file: it does not fit into one array with .*conf\.1\.ildg: {what}"):
        lq.references([tmp_path / "conf.1.ildg", other])


def test_formats_with_the_same_bytes_go_into_one_array(tmp_path):
    a, b = random_links(), random_links(seed=2)
    lq.write(tmp_path / "conf.1.ildg", a)
    lq.write(tmp_path / "conf.2.nersc", b, format="nersc")
    found = lq.references(tmp_path)
    assert np.array_equal(assembled(found)[0], np.stack([a, b]))
    assert json.loads(found["refs"][".zattrs"])["format"] == "ildg, nersc"


def test_packed_files_are_refused_and_not_looked_for_in_folders(tmp_path):
    lq.write(tmp_path / "conf.1.ildg", random_links())
    with gzip.open(tmp_path / "conf.2.ildg.gz", "wb") as packed:
        packed.write((tmp_path / "conf.1.ildg").read_bytes())
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        archive.add(tmp_path / "conf.1.ildg", "conf.3.ildg")
    for name in ("conf.2.ildg.gz", "all.tar", "all.tar/conf.3.ildg"):
        with pytest.raises(lq.Unsupported, match="compressed or in an archive.*unpack"):
            lq.references(tmp_path / name)
    assert json.loads(lq.references(tmp_path)["refs"]["gauge/.zarray"])["shape"][0] == 1


def test_sets_of_subfiles_are_refused(tmp_path):
    lq.write(tmp_path / "conf.ildg", random_links((4, 2, 2, 2, 4)))
    lq.repartition(tmp_path / "conf.ildg", tmp_path / "conf.set", to="t=block:2", progress=False)
    with pytest.raises(lq.Unsupported, match=r"conf\.set: .*set of subfiles.*repartition"):
        lq.references([tmp_path / "conf.set"])
    with lq.open(tmp_path / "conf.set") as file, pytest.raises(lq.Unsupported, match="cannot be mapped"):
        file.fields[0].memmap()


def test_incomplete_and_damaged_files_are_refused(tmp_path):
    path = tmp_path / "conf.1.ildg"
    lq.write(path, random_links())
    whole = path.read_bytes()
    path.write_bytes(whole[:len(whole) // 2])
    with pytest.raises(lq.Error) as refusal:
        lq.references(path)
    assert "conf.1.ildg" in str(refusal.value) and isinstance(refusal.value, (lq.Truncated, lq.WrongState, lq.Malformed))
    path.write_bytes(b"")
    with pytest.raises(lq.Error, match="conf.1.ildg"):
        lq.references(tmp_path)  # it has the name of a lattice file


def test_damage_that_hides_no_numbers_is_a_warning():
    with pytest.warns(RuntimeWarning, match="no_checksum.nersc.*CHECKSUM"):
        lq.references(GOOD / "nersc" / "no_checksum.nersc")


def test_a_folder_is_looked_through_and_strangers_are_left_out(ensemble, tmp_path):
    folder, fields = ensemble
    (folder / "README").write_text("three configurations")
    (folder / ".conf.110.ildg.x7").write_bytes((folder / "conf.8.ildg").read_bytes())  # of a writer
    (folder / "more").mkdir()
    shutil.move(folder / "conf.100.ildg", folder / "more" / "conf.100.ildg")
    (folder / "latest.ildg").symlink_to("more/conf.100.ildg")
    made = lq.references(folder, tmp_path / "all.json")
    assert made.files == 4 and [os.path.basename(path) for path in made.skipped] == ["README"]
    with pytest.raises(lq.NotFound, match="no lattice file"):
        lq.references(folder / "nothing") if (folder / "nothing").mkdir() is None else None
    with pytest.raises(lq.NotFound, match="no file was named"):
        lq.references([])
    with pytest.raises(lq.NotFound, match="absent"):
        lq.references(folder / "absent.ildg")
    with pytest.raises(lq.InvalidArgument, match="conf.8.ildg: this file is named twice"):
        lq.references([folder, folder / "conf.8.ildg"])
    with pytest.raises(lq.UnknownFormat):
        lq.references([folder / "README"])
    os.mkfifo(tmp_path / "pipe.ildg")
    with pytest.raises(lq.InvalidArgument, match="pipe.ildg: this is not a regular file"):
        lq.references([tmp_path / "pipe.ildg"])
    (folder / "lost.ildg").symlink_to("nowhere")
    with pytest.raises(lq.NotFound, match="lost.ildg: this symbolic link"):
        lq.references(folder)


def test_files_of_a_catalogue_are_taken(ensemble, tmp_path):
    folder, fields = ensemble
    try:
        lq.index(folder, db=tmp_path / "all.db", progress=False)
    except lq.Unsupported as error:
        pytest.skip(str(error))
    found = lq.references(lq.find("trajectory>50", db=tmp_path / "all.db", sort="-trajectory"))
    assert labels(found, "config") == [100, 90] and np.array_equal(assembled(found)[0][0], fields[100])


@pytest.mark.parametrize("name", ["a b.ildg", "50%25.ildg", "{{u}} {x}.ildg", "q?x=1#y.ildg", "*.ildg", "-o.ildg",
                                  "é文.ildg", "a\\b'\"c.ildg", "line\nend.ildg", "~x.ildg"])
def test_odd_names_are_found_again(tmp_path, name, monkeypatch):
    fsspec = optional("fsspec")
    links = random_links()
    lq.write(tmp_path / name, links)
    monkeypatch.chdir(tmp_path)
    lq.references([name], tmp_path / "refs.json")  # relative here, absolute there
    found = json.loads((tmp_path / "refs.json").read_text())
    assert np.array_equal(assembled(found)[0][0], links)
    assert lq.check_references(tmp_path / "refs.json")
    monkeypatch.chdir("/")
    system = fsspec.filesystem("reference", fo=str(tmp_path / "refs.json"), skip_instance_cache=True)
    assert np.array_equal(np.frombuffer(system.cat("gauge/0.2.0.0.0.0.0.0"), ">c16"), links[2].ravel())


def test_names_that_are_no_text_are_refused(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.ildg"
    lq.write(tmp_path / "a.ildg", random_links())
    try:
        os.rename(tmp_path / "a.ildg", path)
    except OSError:
        pytest.skip("this file system takes no such name")
    with pytest.raises(lq.Unsupported, match="not UTF-8"):
        lq.references([path])


def test_a_prefix_takes_the_place_of_the_folder(ensemble):
    folder, _ = ensemble
    (folder / "b c").mkdir()
    shutil.move(folder / "conf.90.ildg", folder / "b c" / "conf#90.ildg")
    for given, prefix, expected in ((folder, "https://host/x", "https://host/x/b%20c/conf%2390.ildg"),
                                    (folder, "https://host/x/", "https://host/x/b%20c/conf%2390.ildg"),
                                    (folder, "s3://bucket", "s3://bucket/b c/conf#90.ildg"), (folder, "", "b c/conf#90.ildg"),
                                    ([folder / "b c" / "conf#90.ildg"], "/other", "/other/conf#90.ildg")):
        refs = lq.references(given, prefix=prefix)["refs"]
        assert expected in {value[0] for value in refs.values() if isinstance(value, list)}
    with pytest.raises(lq.InvalidArgument, match="prefix"):
        lq.references(folder, prefix=7)


def test_references_are_written_as_a_whole_or_not(ensemble, tmp_path, monkeypatch):
    folder, _ = ensemble
    path = tmp_path / "refs.json"
    made = lq.references(folder, path)
    assert (made.files, made.variables, made.references) == (3, ["gauge"], 3 * SHAPE[0])
    assert json.loads(path.read_text()) == lq.references(folder)
    with pytest.raises(lq.Exists, match="refs.json"):
        lq.references(folder, path)
    before = path.read_bytes()

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zarr_files.os, "fsync", fails)
    with pytest.raises(OSError, match="refs.json"):
        lq.references(folder, path, overwrite=True)
    assert path.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["ensemble", "refs.json"]
    monkeypatch.undo()
    (tmp_path / "precious").mkdir()
    with pytest.raises(lq.Exists, match="not one of references"):
        lq.references(folder, tmp_path / "precious", overwrite=True)
    with pytest.raises(lq.NotFound, match="nowhere"):
        lq.references(folder, tmp_path / "nowhere" / "refs.json")


def test_files_that_moved_or_changed_are_named(ensemble, tmp_path):
    folder, _ = ensemble
    for output in ("refs.json", "refs.parq"):
        if output.endswith("parq"):
            optional("pyarrow")
        lq.references(folder, tmp_path / output)
    assert lq.check_references(lq.references(folder)).files == 3
    changed = folder / "conf.90.ildg"
    kept = changed.stat()
    (folder / "conf.8.ildg").rename(folder / "moved.ildg")
    with open(folder / "conf.100.ildg", "ab") as file:
        file.write(b"x")
    changed.write_bytes(changed.read_bytes())
    os.utime(changed, ns=(kept.st_atime_ns, kept.st_mtime_ns + 1_000_000))
    for output in (tmp_path / name for name in os.listdir(tmp_path) if name.startswith("refs")):
        answer = lq.check_references(output)
        assert not answer and not answer.ok
        said = {os.path.basename(one.path): one.problem for one in answer.changed}
        assert set(said) == {"conf.8.ildg", "conf.90.ildg", "conf.100.ildg"}
        assert "no longer exists" in said["conf.8.ildg"] and "time stamp" in said["conf.90.ildg"] and "bytes, before it had" in said["conf.100.ildg"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"refs": 7}', '{"version": 1, "refs": {}}',
                                  '{"refs": {".zattrs": "{}"}}', "[" * 100000])
def test_other_files_are_no_references(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(lq.Malformed, match="a.json"):
        lq.check_references(tmp_path / "a.json")
    with pytest.raises(lq.NotFound):
        lq.check_references(tmp_path / "b.json")


def test_a_file_that_vanishes_or_is_written_meanwhile_is_named(ensemble, monkeypatch):
    folder, _ = ensemble
    path, place = folder / "conf.90.ildg", zarr_members.place

    def vanishes(catalog, entry):
        if str(catalog["path"]) == str(path):
            path.unlink()
        return place(catalog, entry)

    def grows(catalog, entry):
        with open(catalog["path"], "ab") as file:
            file.write(b"x")
        return place(catalog, entry)

    monkeypatch.setattr(zarr_members, "place", grows)
    with pytest.raises((lq.WrongState, lq.Unsupported), match="conf.8.ildg"):
        lq.references([folder / "conf.8.ildg"])
    monkeypatch.setattr(zarr_members, "place", vanishes)
    with pytest.raises(lq.WrongState, match="conf.90.ildg.*vanished"):
        lq.references([path])


# --- readers ----------------------------------------------------------------------------------------------------------------


def opened(found):
    """References as zarr of either version takes them."""
    zarr, fsspec = optional("zarr"), optional("fsspec")
    if zarr.__version__.startswith("2."):
        return fsspec.filesystem("reference", fo=found, skip_instance_cache=True).get_mapper("")
    system = fsspec.filesystem("reference", fo=found, asynchronous=True, skip_instance_cache=True)
    return zarr.storage.FsspecStore(system, read_only=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("output", ["all.json", "all.parq"])
def test_zarr_and_xarray_read_them_bit_by_bit(ensemble, tmp_path, output, monkeypatch):
    folder, fields = ensemble
    zarr, xarray = optional("zarr"), optional("xarray")
    if output.endswith("parq"):
        optional("pyarrow")
        optional("pandas"), optional("fastparquet")
        monkeypatch.setattr(zarr_files, "_RECORD", 4)  # several tables
    lq.references(folder, tmp_path / output)
    store = opened(str(tmp_path / output))
    array = zarr.open_group(store, mode="r")["gauge"]
    assert np.dtype(array.dtype).str == ">c16" and array.chunks[:2] == (1, 1)
    assert np.array_equal(array[:], np.stack(list(fields.values())))
    data = xarray.open_zarr(store, consolidated=False, chunks=None)
    assert data.gauge.dims == ("config", "t", "z", "y", "x", "mu", "row", "column")
    assert list(data.config.values) == [8, 90, 100] and list(data.mu.values) == list("xyzt")
    assert np.array_equal(data.gauge.sel(config=90, mu="t", t=slice(1, 2)).values, fields[90][1:3, ..., 3, :, :])


def test_they_are_read_without_limequat(ensemble, tmp_path):
    folder, fields = ensemble
    optional("zarr"), optional("xarray"), optional("fsspec")
    lq.references(folder, tmp_path / "all.json")
    np.save(tmp_path / "expected.npy", np.stack(list(fields.values())))
    code = """
import sys, numpy, fsspec, xarray, zarr
sys.modules["limequat"] = None
if zarr.__version__.startswith("2."):
    store = fsspec.filesystem("reference", fo="all.json").get_mapper("")
else:
    store = zarr.storage.FsspecStore(fsspec.filesystem("reference", fo="all.json", asynchronous=True), read_only=True)
found = xarray.open_zarr(store, consolidated=False, chunks=None).gauge.values
print(numpy.array_equal(found, numpy.load("expected.npy")))
"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, text=True, capture_output=True, env=environment)
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.filterwarnings("ignore")
def test_texts_of_a_file_do_not_change_its_numbers(tmp_path):
    xarray = optional("xarray")
    links = random_links()
    texts = {"scale_factor": "2.0", "add_offset": "1.0", "units": "days since 2000-01-01", "_FillValue": "1", "_ARRAY_DIMENSIONS": "a b", "kind": "x"}
    lq.write(tmp_path / "conf.1.lime", links, format="scidac", metadata=texts)
    found = lq.references(tmp_path)
    about = json.loads(found["refs"]["gauge/.zattrs"])
    assert about["text scale_factor"] == "2.0" and about["kind"] == "gauge" and len(about["_ARRAY_DIMENSIONS"]) == 8
    data = xarray.open_zarr(opened(found), consolidated=False, chunks=None)
    assert np.array_equal(data.gauge[0].values, links)


@pytest.mark.filterwarnings("ignore")
def test_a_missing_file_is_an_error_of_the_reader_and_no_zeros(ensemble):
    folder, _ = ensemble
    zarr = optional("zarr")
    store = opened(lq.references(folder))
    (folder / "conf.90.ildg").unlink()
    array = zarr.open_group(store, mode="r")["gauge"]
    array[0]
    with pytest.raises(Exception, match="conf.90.ildg|gauge/1"):
        array[1]


def test_a_thousand_configurations_take_less_than_a_second(tmp_path):
    links = random_links((4, 2, 2, 2, 4))
    lq.write(tmp_path / "conf.0.ildg", links)
    whole = (tmp_path / "conf.0.ildg").read_bytes()
    for number in range(1, 1000):
        (tmp_path / f"conf.{number}.ildg").write_bytes(whole)
    seconds = []
    for attempt in range(3):
        begin = time.process_time()  # of a machine that others use, too
        made = lq.references(tmp_path, tmp_path.parent / f"all{attempt}.json")
        seconds.append(time.process_time() - begin)
    print(f"{min(seconds):.2f} s")
    assert made.files == 1000 and made.references == 4000
    assert min(seconds) < 1, seconds


def test_the_verb_of_lq_answers_as_a_program(ensemble, tmp_path, capsys):
    folder, _ = ensemble
    output = str(tmp_path / "all.json")
    assert zarr_references.main([f"--output={output}", "--", str(folder)]) == 0
    assert capsys.readouterr().out == f"{output}: 15 references to gauge of 3 files\n"
    assert zarr_references.main([f"--output={output}", "--", str(folder)]) == 2
    assert capsys.readouterr().err.endswith("choose another name, or replace it with --overwrite\n")
    words = [f"--output={output}", "--overwrite", "--json", "--slices=0", "--field=gauge"]
    assert zarr_references.main([*words, "--", str(folder / "conf.8.ildg")]) == 0
    assert json.loads(capsys.readouterr().out)["references"] == 1
    assert zarr_references.main([f"--output={tmp_path / 'b.json'}", "--", str(folder / "absent.ildg")]) == 3
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        assert zarr_references.main([f"--output={tmp_path / 'no' / 'b.json'}", "--", str(folder)]) == 3


class Ranges(http.server.SimpleHTTPRequestHandler):
    """A server that gives ranges of files, and counts."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        first, last = map(int, self.headers["Range"].split("=")[1].split("-"))
        self.server.asked.append((path.name, last + 1 - first))
        self.send_response(206)
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Content-Range", f"bytes {first}-{last}/{path.stat().st_size}")
        self.end_headers()
        self.wfile.write(path.read_bytes()[first:last + 1])


@pytest.mark.filterwarnings("ignore")
def test_a_slice_from_elsewhere_is_one_request_of_its_bytes(ensemble, monkeypatch):
    folder, fields = ensemble
    zarr, fsspec = optional("zarr"), optional("fsspec")
    optional("aiohttp")
    if zarr.__version__.startswith("2."):
        pytest.skip("zarr 3")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: Ranges(*given, directory=folder))
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        found = lq.references(folder, prefix=f"http://127.0.0.1:{server.server_port}")
        system = fsspec.filesystem("reference", fo=found, remote_protocol="http", remote_options={"asynchronous": True},
                                   asynchronous=True, skip_instance_cache=True)
        array = zarr.open_group(zarr.storage.FsspecStore(system, read_only=True), mode="r")["gauge"]
        assert np.array_equal(array[1, 2], fields[90][2])
        assert server.asked == [("conf.90.ildg", fields[90].nbytes // SHAPE[0])]
        assert lq.check_references(found)
        (folder / "conf.8.ildg").unlink()
        with open(folder / "conf.100.ildg", "ab") as file:
            file.write(b"x")
        said = {os.path.basename(one.path): one.problem for one in lq.check_references(found).changed}
        assert set(said) == {"conf.8.ildg", "conf.100.ildg"} and "no longer exists" in said["conf.8.ildg"] and "before it had" in said["conf.100.ildg"]
    finally:
        server.shutdown()
        server.server_close()


def test_hdf5_files_without_fields_in_a_folder_are_no_lattice_files(tmp_path, links):
    h5py = pytest.importorskip("h5py")
    lq.write(tmp_path / "conf.10.ildg", links)
    with h5py.File(tmp_path / "results.h5", "w") as file:
        file["pion"] = [1.0, 2.0]
    assert lq.references(tmp_path, tmp_path / "all.json").skipped == [str(tmp_path / "results.h5")]
    with pytest.raises(lq.NoSuchRecord, match="results.h5"):
        lq.references(tmp_path / "results.h5")


@pytest.mark.parametrize("address", ["https://me:hidden@example.org/conf.ildg?token=hidden", "s3://bucket/conf.ildg"])
def test_addresses_are_not_referred_to(address):
    with pytest.raises(lq.Unsupported, match="prefix=") as caught:
        lq.references(address)
    assert "hidden" not in str(caught.value)
