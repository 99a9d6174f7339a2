# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Memory by description, against numpy's own way to lay the same numbers out."""

import numpy as np
import pytest

import limequat as lq

LATTICE = [4, 6, 2, 8]  # x, y, z, t
SHAPE = tuple(LATTICE[::-1])


@pytest.fixture
def links():
    random = np.random.default_rng(16)
    shape = (*SHAPE, 4, 3, 3)
    return random.standard_normal(shape) + 1j * random.standard_normal(shape)


def by_parity(field):
    """Sites [2, volume/2, ...] of each parity, in the order of all sites."""
    odd = np.indices(SHAPE).sum(axis=0).reshape(-1) % 2 == 1
    flat = field.reshape(-1, *field.shape[4:])
    return np.stack([flat[~odd], flat[odd]])


def quda_host(links):
    return [np.ascontiguousarray(by_parity(links)[:, :, mu]) for mu in range(4)]


def quda_native(links):
    # [parity][mu][pair of numbers][site][2]
    sites = by_parity(links).reshape(2, -1, 4, 9)
    return np.ascontiguousarray(sites.transpose(0, 2, 3, 1))


def tmlqcd(links):
    # [t][x][y][z], directions t, x, y, z
    return np.ascontiguousarray(links.transpose(0, 3, 2, 1, 4, 5, 6)[..., [3, 0, 1, 2], :, :])


def grid(links):
    # [outer site][mu][row][column][lane], lanes being the halves of t
    lanes = links.reshape(2, SHAPE[0] // 2, *SHAPE[1:], 4, 3, 3)
    return np.ascontiguousarray(np.moveaxis(lanes, 0, -1))


def with_halo(links):
    wide = np.full((10, 2, 6, 8, 4, 3, 3), 7 + 7j)
    wide[1:9, :, :, 2:6] = links
    return wide


LAYOUTS = {
    "quda_host": quda_host,
    "qdp": quda_host,
    "quda_native": quda_native,
    "milc": by_parity,
    "tmlqcd": tmlqcd,
    "grid": grid,
    "halo=2,0,0,1": with_halo,
    "matrix=columns": lambda links: np.ascontiguousarray(links.swapaxes(-1, -2)),
}


def points_of_openqcd():
    """ipt[t, x, y, z]: even points first, through blocks of 4 (or 3, 2, 1) points in x, y and z."""
    sizes = [LATTICE[3], *LATTICE[:3]]
    block = [sizes[0]] + [next(b for b in (4, 3, 2, 1) if size % b == 0) for size in sizes[1:]]
    points = np.indices(sizes).reshape(4, -1)
    inner = [x % b for x, b in zip(points, block)]
    outer = [x // b for x, b in zip(points, block)]
    ranks = np.empty(points.shape[1], np.int64)
    ranks[np.lexsort((*inner[::-1], *outer[::-1], points.sum(axis=0) % 2))] = np.arange(points.shape[1])
    return ranks.reshape(sizes)


def links_of_openqcd(ipt):
    """[t, x, y, z, mu]: where U(x, mu) stands among the eight links of each odd point."""
    odd = np.indices(ipt.shape).sum(axis=0) % 2 == 1
    first = ipt.size // 2
    return np.stack([np.where(odd, 8 * (ipt - first) + 2 * mu, 8 * (np.roll(ipt, -1, axis=mu) - first) + 2 * mu + 1)
                     for mu in range(4)], axis=-1)


def test_openqcd_and_hirep_by_their_tables(tmp_path, links):
    ipt = points_of_openqcd()
    by_points = tmlqcd(links).reshape(-1, 4, 3, 3)
    tables = {"openqcd": (links_of_openqcd(ipt), by_points.reshape(-1, 3, 3)), "hirep": (ipt + ipt // 16 * 7, by_points)}
    lq.write(tmp_path / "plain.lime", links)
    for layout, (table, values) in tables.items():
        truth = np.zeros((table.max() + 1, *values.shape[1:]), complex)
        truth[table.reshape(-1)] = values
        lq.write(tmp_path / "described.lime", lq.Memory(truth, layout, LATTICE, places=table), overwrite=True)
        assert np.array_equal(lq.read(tmp_path / "described.lime"), links)
        filled = np.zeros_like(truth)
        lq.read(tmp_path / "plain.lime", out=lq.Memory(filled, layout, LATTICE, places=table))
        assert np.array_equal(filled, truth)


def test_a_table_that_is_none_is_told(tmp_path, links):
    def refused(places, layout="hirep"):
        with pytest.raises(lq.InvalidArgument) as error:
            lq.write(tmp_path / "never.lime", lq.Memory(links, layout, LATTICE, places=places))
        return str(error.value)

    points = np.arange(links.size // 36)
    assert "twice" in refused(points // 2)
    assert "entry 0" in refused(points - 1)
    assert "entries" in refused(points[:-1])
    assert "float" in refused(points / 2)
    assert "no table is given" in refused(None)
    assert "numbers" in refused(points + 1)
    assert "does not state of what" in refused(points, "milc")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_writes_the_file_of_plain_memory(tmp_path, links, layout):
    memory = lq.Memory(LAYOUTS[layout](links), layout, LATTICE)
    plain = lq.write(tmp_path / "plain.lime", links)
    report = lq.write(tmp_path / "described.lime", memory)
    assert report["checksum"] == plain["checksum"]
    assert np.array_equal(lq.read(tmp_path / "described.lime"), links)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reads_into_it(tmp_path, links, layout):
    lq.write(tmp_path / "conf.lime", links)
    truth = LAYOUTS[layout](links)
    arrays = truth if isinstance(truth, list) else [truth]
    filled = [np.where(array == 7 + 7j, array, 0) for array in arrays]
    memory = lq.Memory(filled, layout, LATTICE)
    assert lq.read(tmp_path / "conf.lime", out=memory) is memory
    for array, expected in zip(filled, arrays):
        assert np.array_equal(array, expected)


def test_single_precision_spinors_and_the_background(tmp_path):
    random = np.random.default_rng(17)
    field = random.standard_normal((*SHAPE, 4, 3, 2)).astype(np.float32).view(np.complex64)[..., 0]
    # [parity][four numbers][site][4]
    native = by_parity(field).reshape(2, -1, 12).view(np.float32).reshape(2, -1, 6, 4).transpose(0, 2, 1, 3)
    memory = lq.Memory(np.ascontiguousarray(native), "quda_native_spinor block=4", LATTICE, "spinor")
    lq.write_async(tmp_path / "spinor.scidac", memory).wait()
    assert np.array_equal(lq.read(tmp_path / "spinor.scidac"), field)


def in_half_precision(field, block):
    """Integers [parity][block of numbers][site][numbers of a block] and norms [parity][site], as QUDA has them."""
    sites = by_parity(field.view(np.float32).reshape(*SHAPE, -1))
    norms = (np.abs(sites).max(axis=-1).astype(float) / 32767).astype(np.float32)
    integers = np.round(sites.astype(float) / norms[..., None].astype(float)).astype(np.int16)
    return np.ascontiguousarray(integers.reshape(2, integers.shape[1], -1, block).transpose(0, 2, 1, 3)), norms


def test_half_precision_is_read_and_written(tmp_path):
    layout = "quda_native_spinor block=4 norms=in-array"
    random = np.random.default_rng(18)
    field = random.standard_normal((*SHAPE, 4, 3, 2)).astype(np.float32).view(np.complex64)[..., 0]
    integers, norms = in_half_precision(field, 4)
    lq.write(tmp_path / "single.scidac", field)
    read = np.zeros_like(integers), np.zeros_like(norms)
    lq.read(tmp_path / "single.scidac", out=lq.Memory(read, layout, LATTICE, "spinor"))
    assert np.array_equal(read[0], integers) and np.array_equal(read[1], norms)
    lq.write(tmp_path / "half.scidac", lq.Memory((integers, norms), layout, LATTICE, "spinor"))
    back = by_parity(lq.read(tmp_path / "half.scidac").view(np.float32).reshape(*SHAPE, -1))
    sites = integers.transpose(0, 2, 1, 3).reshape(back.shape)
    assert np.array_equal(back, sites.astype(np.float32) * norms[..., None])


def test_half_precision_that_does_not_fit_is_told(tmp_path):
    layout = "quda_native_spinor norms=in-array"
    integers, norms = np.zeros(24 * 384, np.int16), np.zeros(384, np.float32)

    def refused(arrays):
        with pytest.raises(lq.InvalidArgument) as error:
            lq.write(tmp_path / "never.scidac", lq.Memory(arrays, layout, LATTICE, "spinor"))
        return str(error.value)

    assert "1 arrays" in refused(integers)
    assert "expected float32" in refused([integers, norms.astype(float)])
    assert "expected int16" in refused([integers.astype(np.int32), norms])
    assert "numbers" in refused([integers, norms[1:].copy()])
    assert "numbers" in refused([integers[1:].copy(), norms])


def test_the_plaquette_is_that_of_plain_memory():
    u = lq.generate(LATTICE, sweeps=2)
    assert lq.plaquette(lq.Memory(quda_host(u), "quda_host", LATTICE)).average == lq.plaquette(u).average


def test_what_does_not_fit_is_told(tmp_path, links):
    def refused(*arguments, **words):
        with pytest.raises(lq.InvalidArgument) as error:
            lq.write(tmp_path / "never.lime", lq.Memory(*arguments, **words))
        return str(error.value)

    assert "milk" in refused(links, "milk", LATTICE)
    assert "lanes" in refused(links, "lanes=1,1,1,3", LATTICE)
    assert "expected an array" in refused([1], "milc", LATTICE)
    assert "i8" in refused(np.zeros(links.shape, np.int64), "milc", LATTICE)
    assert "C-contiguous" in refused(links.swapaxes(0, 1), "milc", LATTICE)
    assert "numbers" in refused(links[:4].copy(), "milc", LATTICE)
    assert "complex64" in refused([links, links.astype(np.complex64), links, links], "qdp", LATTICE)
    assert "2 arrays" in refused([links, links], "milc", LATTICE)
    lq.write(tmp_path / "conf.lime", links)
    read_only = by_parity(links)
    read_only.flags.writeable = False
    for out, words in ((lq.Memory(read_only, "milc", LATTICE), "read-only"),
                       (lq.Memory(by_parity(links), "milc", [4, 6, 2, 4]), "lattice"),
                       (lq.Memory(by_parity(links), "milc", LATTICE, "spinor"), "spinor")):
        with pytest.raises(lq.InvalidArgument) as error:
            lq.read(tmp_path / "conf.lime", out=out)
        assert words in str(error.value)
    assert not (tmp_path / "never.lime").exists()
