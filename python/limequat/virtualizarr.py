# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A parser of VirtualiZarr for lattice files: it opens an ensemble as one virtual dataset.

    >>> import obstore.store, obspec_utils.registry, virtualizarr
    >>> from limequat.virtualizarr import LimequatParser
    >>> registry = obspec_utils.registry.ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
    >>> virtualizarr.open_virtual_mfdataset(urls, registry=registry, parser=LimequatParser(), combine="nested",
    ...                                     concat_dim="config")

Variables show the same, and the same is refused, as by :func:`limequat.references`.
"""

import os
import urllib.parse
import urllib.request

from limequat.errors import Unsupported
from limequat.needs import needed
from limequat.zarr_members import look
from limequat.zarr_references import step_of


class LimequatParser:
    """Reads the headers of a local lattice file; the numbers stay in place.

    field           name of the field, or (name, index), or a list of these; default: all fields
    slices          number of indices of the slowest axis in a chunk; None: a chunk is a whole field
    skip_variables  names of variables that are left out

    Virtual datasets have no coordinates, because VirtualiZarr stores no numbers: the attribute ``mu`` names the directions of links in
    their order, and ``first_site`` the first coordinates of the lattice. The call raises ImportError if virtualizarr is missing,
    Unsupported for addresses that are not local files, and what :func:`limequat.references` raises.
    """

    def __init__(self, field=None, slices=1, skip_variables=None):
        self.field, self.slices, self.skip_variables = field, slices, frozenset(skip_variables or ())

    def __call__(self, url, registry):
        """The ManifestStore of the file at ``url``."""
        manifests = needed("virtualizarr.manifests", "LimequatParser")
        seen = look(_local_path(url), self.field)
        arrays = {name: _array(placed, seen.path, self.slices, seen.facts[name]) for name, placed in seen.placed.items()
                  if name not in self.skip_variables}
        group = manifests.ManifestGroup(arrays=arrays, attributes={"format": seen.format})
        return manifests.ManifestStore(group=group, registry=registry)


def _local_path(url):
    """The path of a file that an address or a path names."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise Unsupported(f"{parts.scheme}://{parts.hostname or ''}{parts.path}: headers are read from local files; make references "
                          "to the files in place, lq.references(..., prefix=...)")
    if not parts.scheme:
        return os.path.abspath(url)
    return urllib.request.url2pathname("/" + url.split("://", 1)[1].partition("/")[2])


def _array(placed, path, slices, facts):
    """The ManifestArray of a field."""
    manifests = needed("virtualizarr.manifests", "LimequatParser")
    metadata = needed("virtualizarr.manifests.utils", "LimequatParser")
    step = step_of(placed, slices, path)
    count = placed.shape[0] // step
    length, tail = placed.length // count, ".0" * (len(placed.shape) - 1)
    if any(mark in path for mark in "#?"):
        raise Unsupported(f"{path}: VirtualiZarr does not find files with # or ? in their paths: rename it", path=path)
    address = "file://" + path  # it takes paths as they are, and does not decode %20
    chunks = {f"{k}{tail}": {"path": address, "offset": placed.offset + k * length, "length": length}
              for k in range(count)}
    about = {**facts, "first_site": [placed.lower[axis] for axis in placed.dims if axis in placed.lower]}
    if placed.directions:
        about["mu"] = " ".join(placed.directions)
    order = "big" if placed.dtype.str[0] == ">" else "little"
    described = metadata.create_v3_array_metadata(
        shape=placed.shape, data_type=placed.dtype.newbyteorder("="), chunk_shape=(step, *placed.shape[1:]),
        dimension_names=placed.dims, codecs=[{"name": "bytes", "configuration": {"endian": order}}], attributes=about)
    return manifests.ManifestArray(metadata=described, chunkmanifest=manifests.ChunkManifest(entries=chunks))
