# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The parser for VirtualiZarr, by that package itself."""

import pathlib

import numpy as np
import pytest
from conftest import SHAPE, random_links

import limequat as lq
from limequat.virtualizarr import LimequatParser

try:
    import virtualizarr
    import xarray
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr.parsers.typing import Parser
except Exception as error:
    pytest.skip(f"virtualizarr: {error}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def registry():
    return ObjectStoreRegistry({"file://": LocalStore()})


@pytest.fixture
def ensemble(tmp_path):
    """Addresses of a few configurations, and their links."""
    fields = [random_links(seed=seed) for seed in range(1, 4)]
    paths = [tmp_path / f"conf {number}.ildg" for number in range(len(fields))]
    for path, links in zip(paths, fields):
        lq.write(path, links)
    return [path.as_uri() for path in paths], np.stack(fields)


def test_it_is_a_parser():
    assert isinstance(LimequatParser(), Parser)


def test_its_store_is_read_bit_by_bit(ensemble, registry):
    addresses, links = ensemble
    store = LimequatParser(slices=None)(addresses[0], registry)
    data = xarray.open_zarr(store, consolidated=False, zarr_format=3)
    assert data.gauge.dims == ("t", "z", "y", "x", "mu", "row", "column") and np.array_equal(data.gauge.values, links[0])
    assert data.gauge.attrs["mu"] == "x y z t" and list(data.gauge.attrs["first_site"]) == [0, 0, 0, 0]
    assert data.attrs["format"] == "ildg"


@pytest.mark.parametrize("format", ["nersc", "milc", "hirep", "hdf5"])
def test_byte_orders_and_axes_are_those_of_the_file(tmp_path, registry, format):
    path = tmp_path / "conf.file"
    lq.write(path, random_links((4, 2, 6, 2, 4)), format=format)
    data = xarray.open_zarr(LimequatParser()(path.as_uri(), registry), consolidated=False, zarr_format=3)
    array = next(iter(data.data_vars.values()))
    order = [array.attrs["mu"].split().index(direction) for direction in "xyzt"]
    found = array.transpose("t", "z", "y", "x", "mu", "row", "column").values[..., order, :, :]
    assert np.array_equal(found, lq.read(path))


def test_an_ensemble_is_one_virtual_dataset_and_becomes_references(ensemble, registry, tmp_path):
    addresses, links = ensemble
    fsspec, zarr = pytest.importorskip("fsspec"), pytest.importorskip("zarr")
    virtual = virtualizarr.open_virtual_mfdataset(addresses, registry=registry, parser=LimequatParser(), combine="nested",
                                                  concat_dim="config")
    assert virtual.gauge.dims[:2] == ("config", "t") and virtual.gauge.shape == links.shape
    assert virtual.gauge.data.manifest.shape_chunk_grid[:2] == (len(links), SHAPE[0]) and len(virtual.gauge.data.manifest.dict()) == len(links) * SHAPE[0]
    virtual.vz.to_kerchunk(str(tmp_path / "all.json"), format="json")
    system = fsspec.filesystem("reference", fo=str(tmp_path / "all.json"), asynchronous=True, skip_instance_cache=True)
    data = xarray.open_zarr(zarr.storage.FsspecStore(system, read_only=True), consolidated=False)
    assert np.array_equal(data.gauge.values, links)


def test_variables_are_chosen_and_skipped(tmp_path, registry):
    path = tmp_path / "a.lime"
    with lq.create(path, format="scidac") as file:
        for name in ("one", "two", "three"):
            file.write(name, random_links())
    address = path.as_uri()
    assert set(LimequatParser(skip_variables=["two"])(address, registry)._group.arrays) == {"one", "three"}
    assert set(LimequatParser(field="two")(address, registry)._group.arrays) == {"two"}


def test_what_references_refuse_is_refused(tmp_path, registry, ensemble):
    lq.write(tmp_path / "conf.sqz", random_links())
    with pytest.raises(lq.Unsupported, match="conf.sqz.*archive"):
        LimequatParser()((tmp_path / "conf.sqz").as_uri(), registry)
    with pytest.raises(lq.NotFound):
        LimequatParser()((tmp_path / "absent.ildg").as_uri(), registry)
    for address in ("https://user:secret@host/conf.ildg", "s3://bucket/conf.ildg"):
        with pytest.raises(lq.Unsupported, match="local files") as refusal:
            LimequatParser()(address, registry)
        assert "secret" not in str(refusal.value)
    pathlib.Path(tmp_path / "a#b.ildg").write_bytes((tmp_path / "conf 0.ildg").read_bytes())
    with pytest.raises(lq.Unsupported, match="rename"):
        LimequatParser()((tmp_path / "a#b.ildg").as_uri(), registry)
    with pytest.raises(lq.InvalidArgument, match="slices"):
        LimequatParser(slices=3)(ensemble[0][0], registry)
