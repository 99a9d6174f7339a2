# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""openQCD's family beside plain gauge fields, against a writer and a reader in numpy from docs/formats/openqcd.md."""

import itertools

import numpy as np
import pytest

import limequat as lq

LATTICE = (4, 8, 4, 2)  # x, y, z, t
NX, NY, NZ, NT = LATTICE
DIRECTIONS = (3, 0, 1, 2)  # t, x, y, z as numbers of links


@pytest.fixture(scope="module")
def links():
    return lq.generate(list(LATTICE), sweeps=1, seed=5)


def random_field(*numbers):
    return np.random.default_rng(7).standard_normal((NT, NZ, NY, NX, *numbers))


def odd_points(u, lower=(0, 0, 0, 0), extents=(NT, NX, NY, NZ)):
    """The eight links of the odd points of a block (t, x, y, z), one behind the other."""
    shift = {mu: np.roll(u[..., mu, :], 1, axis=3 - mu) if u.ndim == 6 else np.roll(u[..., mu, :, :], 1, axis=3 - mu)
             for mu in range(4)}  # the link that ends at a site; axes t, z, y, x
    records = []
    for t, x, y, z in itertools.product(*(range(lo, lo + n) for lo, n in zip(lower, extents))):
        if (t + x + y + z) % 2 == 1:
            for mu in DIRECTIONS:
                records += [u[t, z, y, x, mu], shift[mu][t, z, y, x]]
    return np.array(records).tobytes()


def header(*numbers):
    return np.array(numbers, "<i4").tobytes()


def real(value):
    return np.array(value, "<f8").tobytes()


def blocks(block):
    """First sites t, x, y, z of the blocks of these extents, in openQCD's order."""
    return list(itertools.product(*(range(0, n, b) for n, b in zip((NT, NX, NY, NZ), block))))


@pytest.mark.parametrize("parts, block", [("1x1x1x1", (2, 4, 8, 4)), ("2x2x1x1", (2, 2, 4, 4)), ("1x4x2x1", (2, 4, 2, 2))])
def test_a_block_set_is_what_the_tables_say(tmp_path, links, parts, block):
    lq.write(tmp_path / "run1n10", links, format="openqcd", parts=parts)
    firsts = blocks(block)
    assert len(list(tmp_path.iterdir())) == len(firsts)
    plaquette = 3 * lq.plaquette(links).average
    for k, first in enumerate(firsts):
        data = (tmp_path / f"run1n10_b{k}").read_bytes()
        assert data[:48] == header(NT, NX, NY, NZ, *block, *first)
        assert abs(np.frombuffer(data[48:56], "<f8")[0] - plaquette) < 1e-13
        assert data[56:] == odd_points(links, first, block)
    for k in range(len(firsts)):
        assert np.array_equal(lq.read(tmp_path / f"run1n10_b{k}"), links)
    assert lq.verify(tmp_path / "run1n10_b0").ok


@pytest.mark.parametrize("nodes", [1, 2, 8])
def test_blocks_in_folders_of_openqcd_are_found(tmp_path, links, nodes):
    lq.write(tmp_path / "run1n10", links, format="openqcd", parts="2x2x2x1")
    each = 8 // nodes
    for k in range(8):
        folder = tmp_path / str(k // each) / str(k % each)
        folder.mkdir(parents=True)
        (tmp_path / f"run1n10_b{k}").rename(folder / f"run1n10_b{k}")
    for k in (0, 1, 7):
        path = tmp_path / str(k // each) / str(k % each) / f"run1n10_b{k}"
        assert np.array_equal(lq.read(path), links)
    missing = tmp_path / str(5 // each) / str(5 % each) / "run1n10_b5"
    missing.unlink()
    with pytest.raises(lq.Error, match="block 5 of 8 is missing.*run1n10_b5"):
        lq.read(path)


def test_spinors_and_momenta_lie_in_blocks_too(tmp_path):
    spinor = random_field(4, 3) + 1j * random_field(4, 3)
    momenta = random_field(32)
    for name, field in (("spinor", spinor), ("momenta", momenta)):
        kind = "generic" if name == "momenta" else None
        lq.write(tmp_path / name, field, kind=kind, format="openqcd", parts="1x2x1x1")
        lq.write(tmp_path / f"{name}.one", field, kind=kind, format="openqcd")
        for path in (tmp_path / f"{name}_b1", tmp_path / f"{name}.one"):
            assert np.array_equal(lq.read(path), field.reshape(lq.read(path).shape))
            assert lq.verify(path).ok
        assert lq.diff(tmp_path / f"{name}_b0", tmp_path / f"{name}.one").same
    norm = np.frombuffer((tmp_path / "spinor_b1").read_bytes()[52:60], "<f8")[0]
    assert abs(norm - np.sum(np.abs(spinor) ** 2)) < 1e-12 * norm
    data = (tmp_path / "momenta.one").read_bytes()
    c = momenta.reshape(-1, 8)
    action = 2 * (3 * (c[:, 0] ** 2 + c[:, 1] ** 2 - c[:, 0] * c[:, 1]).sum() + (c[:, 2:] ** 2).sum())
    assert abs(np.frombuffer(data[16:24], "<f8")[0] - action) < 1e-12 * action
    assert data[24:] == odd_points(momenta.reshape(NT, NZ, NY, NX, 4, 8))


def plaquette_sums(links):
    """Re tr U_P summed over the six planes, at each site [t, z, y, x]."""
    up = lambda mu, u: np.roll(u, -1, axis=3 - mu)
    return sum(np.einsum("...ab,...bc,...dc,...ad->...", links[..., mu, :, :], up(mu, links[..., nu, :, :]),
                         up(nu, links[..., mu, :, :]).conj(), links[..., nu, :, :].conj()).real
               for mu in range(4) for nu in range(mu))


def cut(extents, block, lower=(0, 0, 0, 0)):
    """First points of the blocks, z fastest."""
    for at in itertools.product(*(range(0, n, b) for n, b in zip(extents, block))):
        yield tuple(lo + x for lo, x in zip(lower, at))


def cache_block(extents):
    return (extents[0], *(4 if n % 4 == 0 else 3 if n % 3 == 0 else 2 for n in extents[1:]))


def local_points(local, threads):
    """Points t, x, y, z of a process in the order of its file (openqcd.md 9); `threads`: parts in each direction."""
    pieces = []
    if threads is None:
        pieces.append(((0, 0, 0, 0), local))
    else:
        part = tuple(n // c for n, c in zip(local, threads))
        for lower in cut(local, part):
            halves = [((0, n // 2 + n // 2 % 2), (n // 2 + n // 2 % 2, n - n // 2 - n // 2 % 2)) for n in part]
            for choice in itertools.product(*halves):
                pieces.append((tuple(lo + c[0] for lo, c in zip(lower, choice)), tuple(c[1] for c in choice)))
    for lower, extents in pieces:
        block = cache_block(extents)
        for first in cut(extents, block, lower):
            for point in itertools.product(*(range(lo, lo + n) for lo, n in zip(first, block))):
                if sum(point) % 2 == 1:
                    yield point


def write_local(folder, links, processes, threads, blocks=(1, 1, 1, 1), order="<"):
    """Files RUNn1_RANK as write_cnfg makes them: of 2.4 where there are threads, else of 1.x with 210 random numbers."""
    extents = links.shape[0], links.shape[3], links.shape[2], links.shape[1]
    local = tuple(n // p for n, p in zip(extents, processes))
    sums = plaquette_sums(links)
    ends_here = {mu: np.roll(links[..., mu, :, :], 1, axis=3 - mu) for mu in range(4)}
    for at in itertools.product(*map(range, processes)):
        of_block = in_block = 0
        for a, p, b in zip(at, processes, blocks):
            of_block, in_block = of_block * (p // b) + a // b, in_block * b + a % b
        rank = of_block * int(np.prod(blocks)) + in_block
        lower = [a * n for a, n in zip(at, local)]
        records = []
        for point in local_points(local, threads):
            t, x, y, z = (lo + p for lo, p in zip(lower, point))
            for mu in DIRECTIONS:
                records += [links[t, z, y, x, mu], ends_here[mu][t, z, y, x]]
        box = tuple(slice(lower[d], lower[d] + local[d]) for d in (0, 3, 2, 1))
        words = [*processes, *local, *blocks, *at, *([int(np.prod(threads))] if threads else range(210))]
        (folder / f"runn1_{rank}").write_bytes(np.array(words, order + "i4").tobytes()
                                               + np.array(sums[box].sum(), order + "f8").tobytes()
                                               + np.array(records).astype(order + "c16").tobytes())


@pytest.mark.parametrize("lattice, processes, threads, blocks, order", [
    ((8, 4, 4, 8), (2, 2, 1, 1), None, (1, 1, 1, 1), "<"), ((4, 4, 8, 8), (2, 1, 1, 2), None, (2, 1, 1, 1), ">"),
    ((8, 4, 4, 8), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), "<"), ((4, 8, 4, 8), (2, 1, 1, 1), (1, 1, 2, 1), (1, 1, 1, 1), ">"),
    ((8, 4, 4, 8), (1, 1, 1, 1), (2, 1, 1, 1), (1, 1, 1, 1), "<"), ((8, 4, 4, 8), (1, 1, 1, 1), (1, 2, 1, 1), (1, 1, 1, 1), "<"),
    ((4, 8, 4, 16), (2, 1, 1, 1), (2, 1, 1, 1), (1, 1, 1, 1), "<")])
def test_local_files_are_read_in_every_documented_order(tmp_path, lattice, processes, threads, blocks, order):
    links = lq.generate(list(lattice), sweeps=2, seed=9)
    write_local(tmp_path, links, processes, threads, blocks, order)
    ranks = len(list(tmp_path.iterdir()))
    for rank in (0, ranks - 1):
        path = tmp_path / f"runn1_{rank}"
        assert np.array_equal(lq.read(path), links)
        found = lq.verify(path)
        assert found.ok and found.fields[0].physics.plaquette is not None
    lq.convert(tmp_path / "runn1_0", tmp_path / "conf.openqcd")
    assert np.array_equal(lq.read(tmp_path / "conf.openqcd"), links)
    if ranks > 1:
        (tmp_path / "runn1_1").unlink()
        with pytest.raises(lq.Truncated, match="process 1 of .* is missing|block 1 is missing"):
            lq.read(tmp_path / "runn1_0")


@pytest.mark.parametrize("lattice, processes, threads", [
    ((8, 4, 4, 8), (2, 2, 1, 1), (1, 1, 1, 1)), ((4, 8, 4, 8), (1, 1, 2, 1), (2, 1, 1, 1)), ((8, 8, 4, 4), (1, 1, 1, 1), (1, 2, 1, 1))])
def test_local_files_are_written_as_openqcd_writes_them(tmp_path, lattice, processes, threads):
    links = lq.generate(list(lattice), sweeps=2, seed=9)
    (tmp_path / "theirs").mkdir()
    write_local(tmp_path / "theirs", links, processes, threads)
    xyzt = lambda four: "x".join(str(four[d]) for d in (1, 2, 3, 0))
    how = {"format": "openqcd", "layout": f"local:{xyzt(threads)}", "parts": xyzt(processes)}
    lq.write(tmp_path / "runn1", links, **how)
    lq.write(tmp_path / "conf.lime", links)
    lq.convert(tmp_path / "conf.lime", tmp_path / "converted", allow_loss=True, **how)
    for theirs in (tmp_path / "theirs").iterdir():
        expected = theirs.read_bytes()
        for mine in (tmp_path / theirs.name, tmp_path / theirs.name.replace("runn1", "converted")):
            found = mine.read_bytes()
            assert found[:68] == expected[:68] and found[76:] == expected[76:]
            assert abs(np.frombuffer(found[68:76])[0] / np.frombuffer(expected[68:76])[0] - 1) < 1e-13


def test_local_files_need_a_process_grid_and_an_order(tmp_path):
    links = lq.generate([4, 4, 6, 8], sweeps=0)
    for how, error, words in (({"layout": "local"}, lq.InvalidArgument, "process grid"),
                              ({"layout": "lokal", "parts": "1x1x1x2"}, lq.InvalidArgument, "local"),
                              ({"layout": "local", "parts": "1x1x1x2"}, lq.Unsupported, "odd or different"),
                              ({"layout": "local:1x1x1x4", "parts": "1x1x1x1"}, lq.Unsupported, "less than 4")):
        with pytest.raises(error, match=words):
            lq.write(tmp_path / "run", links, format="openqcd", **how)
    assert not list(tmp_path.iterdir())


def test_local_files_in_another_order_are_refused(tmp_path):
    links = lq.generate([4, 4, 4, 8], sweeps=2, seed=9)
    write_local(tmp_path, links, (1, 1, 1, 1), (1, 1, 1, 1))
    data = bytearray((tmp_path / "runn1_0").read_bytes())
    rest = bytes(data[76:])
    point = 8 * 144
    count = len(rest) // point
    data[76:] = b"".join(rest[point * (k * 37 % count):][:point] for k in range(count))
    (tmp_path / "runn1_0").write_bytes(data)
    with pytest.raises(lq.Malformed, match="wrong in all 1 orders that 1 threads allow"):
        lq.read(tmp_path / "runn1_0")
    links = lq.generate([6, 4, 4, 4], sweeps=0, seed=9)
    write_local(tmp_path, links, (1, 1, 1, 1), None)
    with pytest.raises(lq.Unsupported, match="odd or different"):
        lq.read(tmp_path / "runn1_0")


def test_even_points_of_spinors_are_a_field(tmp_path):
    spinor = random_field(4, 3) + 1j * random_field(4, 3)
    points = [spinor[t, z, y, x] for t, x, y, z in itertools.product(range(NT), range(NX), range(NY), range(NZ))
              if (t + x + y + z) % 2 == 0]
    norm = sum(float(np.sum(np.abs(point) ** 2)) for point in points)
    (tmp_path / "even").write_bytes(header(NT, NX, NY, NZ, 1) + real(norm) + np.array(points).tobytes())
    found = lq.read(tmp_path / "even")
    assert found.shape == (NT, NZ // 2, NY, NX, 4, 3)
    for t, h, y, x in itertools.product(range(NT), range(NZ // 2), range(NY), range(NX)):
        assert np.array_equal(found[t, h, y, x], spinor[t, 2 * h + (x + y + t) % 2, y, x])
    verdict = lq.verify(tmp_path / "even")
    assert verdict.ok and any(finding.rule == "openqcd-even-points" for finding in verdict.findings)


def plaquette_of_u1(angles):
    up = lambda mu, a: np.roll(a, -1, axis=3 - mu)
    return np.mean([np.cos(angles[..., mu] + up(mu, angles[..., nu]) - up(nu, angles[..., mu]) - angles[..., nu])
                    for mu in range(4) for nu in range(mu + 1, 4)])


def test_openqxd_files_hold_links_of_u1(tmp_path, links):
    angles = random_field(4)
    value = plaquette_of_u1(angles)
    records = odd_points(angles[..., None])
    lq.write(tmp_path / "u1.openqcd", angles, kind="generic")
    data = (tmp_path / "u1.openqcd").read_bytes()
    assert data[:16] == header(NT, NX, NY, NZ) and data[24:] == records
    assert abs(np.frombuffer(data[16:24], "<f8")[0] - value) < 1e-14
    assert np.array_equal(lq.read(tmp_path / "u1.openqcd"), angles)

    lq.write(tmp_path / "su3.openqcd", links)
    both = tmp_path / "both.openqcd"
    both.write_bytes((tmp_path / "su3.openqcd").read_bytes() + real(value) + records)
    assert lq.verify(both).ok
    with lq.open(both) as file:
        assert [field.name for field in file.fields] == ["gauge", "u1"]
        assert np.array_equal(file.fields["u1"].read(), angles)
        assert np.array_equal(file.fields["gauge"].read(), links)

    # Through a format that holds any fields, and back.
    lq.convert(both, tmp_path / "both.scidac")
    lq.convert(tmp_path / "both.scidac", tmp_path / "back.openqcd", allow_loss=True)
    back = (tmp_path / "back.openqcd").read_bytes()
    at = 24 + 576 * NX * NY * NZ * NT
    assert back[:at] == both.read_bytes()[:at] and back[at + 8:] == records
    assert abs(np.frombuffer(back[at:at + 8], "<f8")[0] - value) < 1e-14


def test_what_a_file_cannot_hold_is_refused(tmp_path, links):
    path = tmp_path / "conf.openqcd"
    with pytest.raises(lq.Error, match="blocks of"):
        lq.write(path, links, parts="4x1x1x1")
    with pytest.raises(lq.Error, match="writes no blocks"):
        lq.write(path, random_field(4), kind="generic", parts="1x2x1x1")
    with pytest.raises(lq.Error, match="real numbers per site"):
        lq.write(path, random_field(5), kind="generic")
    with pytest.raises(lq.Error, match="follow a gauge field"):
        with lq.create(path) as file:
            file.write("a", links)
            file.write("b", links)
    assert list(tmp_path.iterdir()) == []
