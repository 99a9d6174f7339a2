# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Densities of gauge fields against loops over sites and exact values; planes of them; files for VTK."""

import errno
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from conftest import random_field, random_links

import killing
import limequat as lq


def matrix(u, site, mu, is_back=False):
    """The link from a site (x, y, z, t) along mu, or the one that leads back to where it came from."""
    x = list(site)
    if is_back:
        x[mu] -= 1
    extents = u.shape[:4][::-1]
    link = u[tuple(x[d] % extents[d] for d in (3, 2, 1, 0))][mu]
    return link.conj().T if is_back else link


def path(u, site, steps):
    """The product of links along a path; steps are 1 to 4 forwards, -1 to -4 back."""
    product, x = np.eye(u.shape[-1]), list(site)
    for step in steps:
        mu = abs(step) - 1
        product = product @ matrix(u, x, mu, step < 0)
        x[mu] += 1 if step > 0 else -1
    return product


def slow_charge(u, site):
    """epsilon_{mu nu rho sigma} Tr F_{mu nu} F_{rho sigma} / (32 pi^2), all 24 terms."""
    f = {}
    for a, b in itertools.permutations(range(1, 5), 2):
        clover = sum(path(u, site, loop) for loop in ((a, b, -a, -b), (b, -a, -b, a), (-a, -b, a, b), (-b, a, b, -a)))
        f[a, b] = (clover - clover.conj().T) / 8j
    total = 0
    for p in itertools.permutations((1, 2, 3, 4)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(4) for j in range(i + 1, 4))
        total += sign * np.trace(f[p[0], p[1]] @ f[p[2], p[3]])
    return total.real / (32 * np.pi ** 2)


@pytest.mark.parametrize("shape", [(2, 3, 4, 3), (3, 2, 1, 2), (1, 2, 3, 2)])
def test_densities_are_those_of_loops_over_sites(shape):
    u = random_links(shape + (4,), seed=5)
    charge, plaquettes = lq.charge_density(u), lq.plaquette_density(u)
    assert charge.shape == plaquettes.shape == shape and charge.dtype == plaquettes.dtype == np.float64
    for place in np.ndindex(shape):
        site = place[::-1]
        assert charge[place] == pytest.approx(slow_charge(u, site), abs=1e-14)
        means = [np.trace(path(u, site, (a, b, -a, -b))).real / 3 for a, b in itertools.combinations(range(1, 5), 2)]
        assert plaquettes[place] == pytest.approx(np.mean(means), abs=1e-14)
    assert abs(charge).max() > 1e-5
    assert plaquettes.mean() == pytest.approx(lq.plaquette(u).average, abs=1e-13)


def flux(extents, first, second, charges, planes=((0, 1), (2, 3))):
    """An abelian field of constant flux: 2 pi n over each of two planes, in the diagonal of SU(N) with these charges."""
    u = np.zeros((*extents[::-1], 4, len(charges), len(charges)), complex)
    coordinates = np.meshgrid(*[np.arange(n) for n in extents[::-1]], indexing="ij")[::-1]
    angles = np.zeros((4, *extents[::-1]))
    for (a, b), n in zip(planes, (first, second)):
        omega = 2 * np.pi * n / (extents[a] * extents[b])
        angles[b] += omega * coordinates[a]
        angles[a] -= np.where(coordinates[a] == extents[a] - 1, omega * extents[a] * coordinates[b], 0)
    for i, charge in enumerate(charges):
        u[..., i, i] = np.exp(1j * charge * np.moveaxis(angles, 0, -1))
    return u


@pytest.mark.parametrize("planes, sign", [(((0, 1), (2, 3)), 1), (((0, 2), (1, 3)), -1), (((0, 3), (1, 2)), 1)])
def test_the_charge_of_constant_abelian_fields_is_known(planes, sign):
    """Q = n m Tr(T^2) up to sin(w)/w of the two fluxes; the sign is that of the planes; constant over the lattice."""
    extents, charges = (6, 5, 4, 8), (1, -1, 0)
    for n, m in ((1, 1), (1, -2), (-1, 2), (0, 3)):
        u = flux(extents, n, m, charges, planes)
        w = [2 * np.pi * k / (extents[a] * extents[b]) for k, (a, b) in zip((n, m), planes)]
        wanted = sign * 2 * np.prod([np.sin(x) for x in w]) * np.prod(extents) / (4 * np.pi ** 2)
        density = lq.charge_density(u)
        assert lq.topological_charge(u) == pytest.approx(wanted, abs=1e-10) and np.ptp(density) < 1e-12
        assert wanted == pytest.approx(sign * 2 * n * m, rel=0.15)
        assert lq.unitarity(u).largest < 1e-12
    u = flux((12, 12, 12, 12), 1, 1, (1, -1))
    assert lq.topological_charge(u) == pytest.approx(2, abs=0.002) and lq.topological_charge(u.conj()) == pytest.approx(2, abs=0.002)


def test_the_charge_changes_sign_under_parity_and_not_under_gauge_transformations():
    u = random_links((3, 2, 4, 2, 4), seed=2)
    rotated = random_links((3, 2, 4, 2), seed=9)
    transformed = u.copy()
    for mu in range(4):
        ahead = np.roll(rotated, -1, 3 - mu)
        transformed[..., mu, :, :] = rotated @ u[..., mu, :, :] @ np.swapaxes(ahead, -1, -2).conj()
    assert np.allclose(lq.charge_density(transformed), lq.charge_density(u), atol=1e-14)
    mirrored = np.empty_like(u)
    flip = u[:, :, :, ::-1]  # x to -x: links along x lead back
    mirrored[..., 1:, :, :] = flip[..., 1:, :, :]
    mirrored[..., 0, :, :] = np.swapaxes(np.roll(flip[..., 0, :, :], -1, 3), -1, -2).conj()
    assert lq.topological_charge(mirrored) == pytest.approx(-lq.topological_charge(u), abs=1e-12)


def test_densities_of_files_are_read_slice_by_slice(gauge_file, links):
    with lq.open(gauge_file) as file:
        field = file.fields["gauge"]
        assert np.array_equal(lq.charge_density(field), lq.charge_density(links))
        assert np.array_equal(lq.plaquette_density(field.memmap()), lq.plaquette_density(links))
    single = links.astype(np.complex64)
    assert np.allclose(lq.charge_density(single), lq.charge_density(links), atol=1e-5) and lq.charge_density(single).dtype == np.float64


@pytest.mark.parametrize("slices", [1, 2, 3, 4, 5])
def test_densities_are_the_same_however_many_slices_are_measured_together(monkeypatch, slices):
    for times in (1, 2, 3, 5, 7):
        u = random_links((times, 2, 3, 2, 4), seed=times)
        whole = lq.charge_density(u), lq.plaquette_density(u)
        with monkeypatch.context() as context:
            context.setattr("limequat.densities._BYTES_AT_ONCE", slices * u[0].nbytes)
            assert np.array_equal(lq.charge_density(u), whole[0]) and np.array_equal(lq.plaquette_density(u), whole[1])


def test_links_of_u1_and_real_links_have_densities():
    angles = np.random.default_rng(4).normal(size=(3, 2, 4, 3, 4, 1, 1))
    u = np.exp(1j * angles)
    for place in ((0, 0, 0, 0), (2, 1, 3, 2)):
        assert lq.charge_density(u)[place] == pytest.approx(slow_charge(u, place[::-1]), abs=1e-14)
    assert np.allclose(lq.plaquette_density(np.ones((2, 2, 2, 2, 4, 1, 1), np.float32)), 1)


def test_lattices_of_fewer_dimensions_have_plaquettes():
    u = random_links((5, 4, 2), seed=4)
    found = lq.plaquette_density(u)
    t, x = 2, 3
    loop = u[t, x, 0] @ u[t, 0, 1] @ u[t + 1, x, 0].conj().T @ u[t, x, 1].conj().T
    assert found.shape == (5, 4) and found[t, x] == pytest.approx(np.trace(loop).real / 3)


@pytest.mark.parametrize("wrong", [np.zeros((2, 2, 2, 2, 3, 3, 3)), np.zeros((2, 2, 2, 2, 4, 3, 2)), np.zeros((2, 2, 2, 0, 4, 3, 3)), np.zeros(5), None, "u",
                                   np.zeros((2, 2, 2, 2, 4, 3, 3), int), np.zeros((2, 2, 2, 2, 4, 3, 3), object)], ids=lambda w: str(getattr(w, "shape", w)))
def test_what_is_no_gauge_field_is_refused(wrong):
    for density in (lq.charge_density, lq.plaquette_density, lq.topological_charge):
        with pytest.raises(lq.InvalidArgument):
            density(wrong)


# Planes

def shown(figure):
    return np.ma.getdata(figure.axes[0].images[0].get_array())


def test_planes_are_those_of_the_array(tmp_path):
    pytest.importorskip("matplotlib")
    values = np.random.default_rng(1).normal(size=(5, 4, 3, 6))  # t, z, y, x
    cases = {("xy", (("z", 2), ("t", 3))): values[3, 2], ("yx", (("z", 2), ("t", 3))): values[3, 2].T, ("xt", (("y", 1),)): values[:, 0, 1, :],
             ("tz", (("x", 5), ("y", 2))): values[:, :, 2, 5].T}
    for (plane, at), wanted in cases.items():
        figure = lq.plot.field(values, plane, at=dict(at), name="charge $q$")
        axes, image = figure.axes[0], figure.axes[0].images[0]
        assert np.array_equal(shown(figure), wanted) and (axes.get_xlabel(), axes.get_ylabel()) == tuple(plane)
        assert image.get_clim() == (-abs(wanted).max(), abs(wanted).max()) and image.origin == "lower" and len(figure.axes) == 2
        assert all(f"{name} = {where}" in axes.get_title(loc="left") for name, where in at)
    figure.savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG") and figure._repr_png_().startswith(b"\x89PNG")


def test_fields_are_shown_as_their_norm(gauge_file, links):
    pytest.importorskip("matplotlib")
    spinor = random_field((4, 3))
    assert np.allclose(shown(lq.plot.field(spinor, at={"t": 2})), (abs(spinor[2, 0]) ** 2).sum(axis=(-1, -2)))
    assert np.allclose(shown(lq.plot.field(spinor[..., 0, 0], "zt")), abs(spinor[:, :, 0, 0, 0, 0]) ** 2)
    with lq.open(gauge_file) as file:
        assert np.allclose(shown(lq.plot.field(file.fields["gauge"])), (abs(links[0, 0]) ** 2).sum(axis=(-1, -2, -3)))
    assert np.array_equal(shown(lq.plot.field(np.arange(12.0).reshape(3, 4))), np.arange(12.0).reshape(3, 4))
    assert lq.plot.field(np.ones((2, 3))).axes[0].images[0].cmap.name == "viridis"
    assert shown(lq.plot.field([[1, 2], [3, 4]])).tolist() == [[1, 2], [3, 4]]


def test_numbers_that_are_not_finite_are_counted():
    pytest.importorskip("matplotlib")
    values = np.ones((3, 4))
    values[1, 2], values[0, 0] = np.nan, np.inf
    assert "not finite (grey): 2" in lq.plot.field(values).axes[0].get_title(loc="left")
    assert lq.plot.field(np.full((2, 2), np.nan)).axes
    assert "not finite (grey): 1" in lq.plot.field(np.ma.masked_equal([[1, 2], [3, 4]], 3)).axes[0].get_title(loc="left")


@pytest.mark.parametrize("arguments", [{"plane": "xx"}, {"plane": "xw"}, {"plane": "x"}, {"plane": ("x", "y")}, {"at": {"x": 1}}, {"at": {"t": 5}},
                                       {"at": {"t": -1}}, {"at": {"t": 1.5}}, {"at": {"q": 1}}, {"dims": 5}, {"dims": 1}], ids=str)
def test_planes_that_are_none_are_refused(arguments):
    with pytest.raises(lq.InvalidArgument):
        lq.plot.field(np.zeros((5, 4, 3, 2)), **arguments)
    for wrong in (np.zeros(3), np.zeros((2, 0)), np.array([["a", "b"]]), 5):
        with pytest.raises(lq.InvalidArgument):
            lq.plot.field(wrong)


# VTK

def read_image(path):
    """Names and arrays [z, y, x, component] of an image, by the XML and the bytes."""
    data = path.read_bytes()
    head, _, tail = data.partition(b'<AppendedData encoding="raw">\n_')
    root = ElementTree.fromstring(head + b"</VTKFile>")
    extent = [int(n) for n in root.find("ImageData").get("WholeExtent").split()]
    shape = tuple(extent[2 * d + 1] - extent[2 * d] + 1 for d in (2, 1, 0))
    found = {}
    for array in root.iter("DataArray"):
        dtype = np.dtype({"Float64": "<f8", "Float32": "<f4", "Int32": "<i4", "UInt8": "u1"}[array.get("type")])
        at = int(array.get("offset"))
        size = int.from_bytes(tail[at:at + 8], "little")
        found[array.get("Name")] = np.frombuffer(tail[at + 8:at + 8 + size], dtype).reshape(*shape, int(array.get("NumberOfComponents")))
    assert tail[at + 8 + size:] == b"\n</AppendedData>\n</VTKFile>\n"
    return found


def test_a_series_has_an_image_for_each_time_slice(tmp_path):
    q, vector = np.random.default_rng(1).normal(size=(5, 4, 3, 2)), np.arange(5 * 4 * 3 * 2 * 3, dtype=">f4").reshape(5, 4, 3, 2, 3)
    written = lq.export_vtk(tmp_path / "q.pvd", {"charge": q, 'a "<&>': vector, "n": (q > 0).astype(np.uint8)})
    assert [os.path.basename(name) for name in written] == ["q.pvd", *(f"q_000{t}.vti" for t in range(5))]
    assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, written))
    series = ElementTree.parse(tmp_path / "q.pvd").getroot()
    assert [(d.get("timestep"), d.get("file")) for d in series.iter("DataSet")] == [(str(t), f"q_000{t}.vti") for t in range(5)]
    for t in range(5):
        found = read_image(tmp_path / f"q_000{t}.vti")
        assert list(found) == ["charge", 'a "<&>', "n"] and found["charge"].dtype == np.float64 and found[list(found)[1]].dtype == np.float32
        assert np.array_equal(found["charge"][..., 0], q[t]) and np.array_equal(found[list(found)[1]], vector[t])
        assert np.array_equal(found["n"][..., 0], q[t] > 0)


def test_vtk_opens_the_images(tmp_path):
    pytest.importorskip("vtkmodules")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader

    u = random_links((3, 4, 5, 6, 4), seed=7)
    q, p = lq.charge_density(u), lq.plaquette_density(u).astype(np.float32)
    lq.export_vtk(tmp_path / "u.pvd", {"charge density": q, "plaquette": p, "both": np.stack([q, q], axis=-1)}, spacing=(1, 1, 2.5))
    for t in range(3):
        reader = vtkXMLImageDataReader()
        reader.SetFileName(str(tmp_path / f"u_000{t}.vti"))
        reader.Update()
        assert reader.GetErrorCode() == 0
        image = reader.GetOutput()
        assert image.GetDimensions() == (6, 5, 4) and image.GetSpacing() == (1, 1, 2.5)
        points = image.GetPointData()
        assert np.array_equal(vtk_to_numpy(points.GetArray("charge density")).reshape(4, 5, 6), q[t])
        assert np.array_equal(vtk_to_numpy(points.GetArray("plaquette")).reshape(4, 5, 6), p[t]) and points.GetScalars().GetName() == "charge density"
        assert vtk_to_numpy(points.GetArray("both")).shape == (120, 2)
        z, y, x = 3, 2, 4  # a point has the number of its site, and lies there
        number = image.FindPoint(4.0, 2.0, 7.5)
        assert points.GetArray("charge density").GetValue(number) == q[t, z, y, x]


def test_one_image_is_of_three_dimensions_or_one_slice(tmp_path):
    q = np.random.default_rng(1).normal(size=(5, 4, 3, 2))
    assert lq.export_vtk(str(tmp_path / "a.vti"), {"q": q}, t=3) == [str(tmp_path / "a.vti")]
    assert np.array_equal(read_image(tmp_path / "a.vti")["q"][..., 0], q[3])
    lq.export_vtk(tmp_path / "b.vti", {"q": q[0], "v": np.stack([q[1], q[2]], axis=-1)})
    assert np.array_equal(read_image(tmp_path / "b.vti")["v"][..., 1], q[2])
    lq.export_vtk(tmp_path / "c.VTI", {"q": q[:1]})
    for name, fields, options in (("d.vti", {"q": q}, {}), ("d.vti", {"q": q}, {"t": 5}), ("d.vti", {"q": q}, {"t": -1}), ("d.vti", {"q": q}, {"t": True}),
                                  ("d.pvd", {"q": q[0]}, {}), ("d.vti", {"q": q[0]}, {"t": 0}), ("d.pvd", {"q": q}, {"t": 1}), ("d.vtk", {"q": q}, {}),
                                  ("d", {"q": q}, {}), ("d\0.pvd", {"q": q}, {}), ("d.pvd", {}, {}), ("d.pvd", [q], {}), ("d.pvd", {"q": q, "p": q[:4]}, {}), ("d.pvd", {"q": q * 1j}, {}),
                                  ("d.pvd", {"a\0b": q}, {}), ("d.pvd", {"": q}, {}), ("d.pvd", {1: q}, {}), ("d.pvd", {"q": q.tolist()}, {}),
                                  ("d.pvd", {"q": q[0, 0]}, {}), ("d.pvd", {"q": q[..., :0]}, {}), ("d.pvd", {"\ud800": q}, {}), ("d.pvd", {"q": np.ma.masked_less(q, 0)}, {}),
                                  ("d.pvd", {"q": q}, {"spacing": (1, 2)}), ("d.pvd", {"q": q}, {"spacing": (1, 0, 1)}), ("d.pvd", {"q": q}, {"spacing": 1})):
        with pytest.raises(lq.InvalidArgument):
            lq.export_vtk(tmp_path / name, fields, **options)
    assert sorted(os.listdir(tmp_path)) == ["a.vti", "b.vti", "c.VTI"]


def test_images_that_are_there_are_replaced_on_request_only(tmp_path):
    q = np.ones((2, 2, 2, 2))
    lq.export_vtk(tmp_path / "q.pvd", {"q": q})
    with pytest.raises(lq.Exists, match="overwrite=True"):
        lq.export_vtk(tmp_path / "q.pvd", {"q": 2 * q})
    with pytest.raises(lq.NotFound):
        lq.export_vtk(tmp_path / "no" / "q.pvd", {"q": q})

    class Broken(np.ndarray):
        """Whose second time slice cannot be read."""

        def __getitem__(self, t):
            if t == 1:
                raise KeyboardInterrupt
            return np.asarray(self)[t]

    with pytest.raises(KeyboardInterrupt):
        lq.export_vtk(tmp_path / "q.pvd", {"q": (3 * q).view(Broken)}, overwrite=True)
    assert (read_image(tmp_path / "q_0000.vti")["q"] == 1).all() and len(os.listdir(tmp_path)) == 3
    lq.export_vtk(tmp_path / "q.pvd", {"q": 2 * q}, overwrite=True)
    assert (read_image(tmp_path / "q_0001.vti")["q"] == 2).all()


def series_of(path):
    """The numbers of each image that a series names."""
    files = [one.get("file") for one in ElementTree.parse(path).getroot().iter("DataSet")]
    return [sorted(set(read_image(path.parent / name)["q"].ravel().tolist())) for name in files]


@pytest.mark.parametrize("slices", [3, 5])
def test_a_series_is_replaced_at_one_moment(tmp_path, slices):
    """Whoever reads a .pvd at any time, finds all images of the old series or all of the new one."""
    path = tmp_path / "q'&.pvd"
    seen = set()
    for number in range(1, 1000):
        for name in os.listdir(tmp_path):
            os.unlink(tmp_path / name)
        lq.export_vtk(path, {"q": np.zeros((4, 2, 2, 2))})
        os.chmod(path.with_name("q'&_0000.vti"), 0o600)
        is_killed = killing.is_killed(lambda: lq.export_vtk(path, {"q": np.ones((slices, 2, 2, 2))}, overwrite=True), number)
        found = series_of(path)
        assert found in ([[0.0]] * 4, [[1.0]] * slices)
        seen.add(found[0][0])
        assert lq.export_vtk(path, {"q": np.full((2, 2, 2, 2), 7.0)}, overwrite=True)[1:] == [str(path.with_name(f"q'&_000{t}.vti")) for t in (0, 1)]
        assert series_of(path) == [[7.0]] * 2 and not path.with_name("q'&_0002.vti").exists()
        if not is_killed:
            break
    assert number > 2 * slices and seen == {0.0, 1.0} and (tmp_path / "q'&_0000.vti").stat().st_mode & 0o777 == 0o600
    assert len(os.listdir(tmp_path)) == 3


def test_a_series_is_replaced_without_hard_links(tmp_path, monkeypatch):
    """On file systems such as FAT its images keep other names, until they are replaced again."""
    path = tmp_path / "q.pvd"
    lq.export_vtk(path, {"q": np.zeros((2, 2, 2, 2))})
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", lambda *names: (_ for _ in ()).throw(OSError(errno.EPERM, "no links")))
        made = lq.export_vtk(path, {"q": np.ones((3, 2, 2, 2))}, overwrite=True)
    assert series_of(path) == [[1.0]] * 3 and sorted(os.path.basename(name) for name in made) == sorted(os.listdir(tmp_path)) and len(made) == 4
    lq.export_vtk(path, {"q": np.zeros((2, 2, 2, 2))}, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["q.pvd", "q_0000.vti", "q_0001.vti"] and series_of(path) == [[0.0]] * 2


def test_lq_makes_the_images(tmp_path, gauge_file):
    lq_program = os.environ.get("LQ_PROGRAM") or shutil.which("lq")
    if lq_program is None:
        pytest.skip("lq is not built")
    folder = pathlib.Path(sys.executable).parent
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(lq.__file__).parent.parent), "PATH": f"{folder}:{os.environ['PATH']}"}

    def run(*words, code=0):
        done = subprocess.run([lq_program, "export", "--vtk", *map(str, words)], env=environment, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    with lq.open(gauge_file) as file:
        quantities = {"plaquette": lq.plaquette_density(file["gauge"]), "charge density": lq.charge_density(file["gauge"])}
    expected = lq.export_vtk(tmp_path / "expected.pvd", quantities)
    assert f"{len(expected)} files" in run(gauge_file, "-o", "made.pvd")
    for one in expected[1:]:
        made = pathlib.Path(one).with_name(pathlib.Path(one).name.replace("expected", "made"))
        assert made.read_bytes() == pathlib.Path(one).read_bytes()
    run(gauge_file, "-o", "one.vti", "--slice", "t=3", "--field", "gauge", "-q")
    assert (tmp_path / "one.vti").read_bytes() == pathlib.Path(expected[1 + 3]).read_bytes()
    assert "--overwrite" in run(gauge_file, "-o", "made.pvd", code=2)
    assert "--slice t=" in run(gauge_file, "-o", "two.vti", code=2) and "such as t=3" in run(gauge_file, "-o", "two.vti", "--slice", "x=3", code=2)
    lq.write(tmp_path / "psi.lime", np.zeros((2, 2, 2, 2, 4, 3), complex))
    assert "one gauge field" in run("psi.lime", "-o", "two.pvd", code=2) and not (tmp_path / "two.pvd").exists()
    assert "nowhere" in run("nowhere.ildg", "-o", "two.pvd", code=3)
    assert "requires --vtk" in subprocess.run([lq_program, "export", "--virtual", gauge_file, "-o", "v.h5", "--slice", "t=3"], env=environment,
                                                capture_output=True, text=True, cwd=tmp_path).stderr
