# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Loops, charge and energy along the gradient flow: against plain numpy, and against exact values."""

import json
import os
import subprocess

import numpy as np
import plain_flow as plain
import pytest
from conftest import random_links
from test_ensembles import in_browser
from test_pictures import flux

import limequat as lq


def links_of(n, shape, spread=0.3, seed=3):
    """Random SU(n) links around 1."""
    generator = np.random.default_rng(seed)
    m = generator.normal(size=shape + (n, n)) + 1j * generator.normal(size=shape + (n, n))
    h = spread * (m + plain.dagger(m)) / 2
    h -= np.einsum("...aa->...", h)[..., None, None] * np.eye(n) / n
    return plain.exponential(1j * h)


def configurations():
    """Three configurations that have flown for a while, or have not: hot SU(3), thermalised SU(2), uneven."""
    return [(lq.generate((4, 4, 4, 4), beta=6.0, sweeps=15, seed=1), 12, 0.02),
            (lq.generate((4, 6, 2, 4), beta=2.4, colors=2, sweeps=10, seed=2), 10, 0.05),
            (links_of(3, (3, 5, 2, 4, 4)), 8, 0.01)]


@pytest.mark.parametrize("number", range(3))
def test_flow_and_charge_are_those_of_the_plain_program(number):
    u, steps, step = configurations()[number]
    found = lq.observables(u, flow_steps=steps, flow_step=step)
    assert len(found.flow) == steps + 1
    v = u
    for k, point in enumerate(found.flow):
        clover, plaquette = plain.energies(v)
        assert point.time == pytest.approx(k * step, abs=1e-15)
        assert point.charge == pytest.approx(plain.charge(v).sum(), abs=1e-10)
        assert point.energy == pytest.approx(clover, abs=1e-10) and point.energy_plaquette == pytest.approx(plaquette, abs=1e-10)
        v = plain.flow_step(v, step)
    assert found.charge == found.flow[0].charge and found.energy == found.flow[0].energy and abs(found.charge) > 1e-5
    assert found.flow[-1].energy < 0.8 * found.energy  # it flows down


@pytest.mark.parametrize("number", range(3))
def test_loops_are_those_of_the_plain_program(number):
    u = configurations()[number][0]
    found = lq.observables(u)
    wanted = plain.wilson_loops(u)
    assert {(w.r, w.s) for w in found.wilson_loops} == set(wanted) and len(found.wilson_loops) == 4
    for w in found.wilson_loops:
        assert (w.average, w.spatial, w.temporal) == pytest.approx(wanted[w.r, w.s], abs=1e-13)
    assert found.polyakov_loop == pytest.approx(plain.polyakov_loop(u), abs=1e-13)
    assert found.wilson_loops[0].average == pytest.approx(lq.plaquette(u).average, abs=1e-14)
    assert len(found.flow) == 1 and found.t0 is None and not found.open_boundary
    assert found.charge == pytest.approx(lq.topological_charge(u), abs=1e-12)


@pytest.mark.parametrize("n", [2, 4, 5])
def test_any_group(n):
    u = links_of(n, (3, 2, 4, 3, 4), seed=n)
    found = lq.observables(u, flow_steps=2, flow_step=0.05)
    v = plain.flow_step(plain.flow_step(u, 0.05), 0.05)
    assert found.flow[-1].charge == pytest.approx(plain.charge(v).sum(), abs=1e-11)
    assert found.flow[-1].energy == pytest.approx(plain.energies(v)[0], abs=1e-11)
    assert found.polyakov_loop == pytest.approx(plain.polyakov_loop(u), abs=1e-13)


@pytest.mark.parametrize("shape", [(4, 3, 2), (3, 4, 2, 3), (2, 1, 3, 1, 4), (1, 1, 1, 1, 4), (6, 2, 3, 2, 3, 5)])
def test_any_dimension_and_extent(shape):
    u = links_of(3, shape)
    found = lq.observables(u, flow_steps=1, flow_step=0.1)
    assert found.flow[-1].energy == pytest.approx(plain.energies(plain.flow_step(u, 0.1))[0], abs=1e-12)
    for w in found.wilson_loops:
        assert (w.average, w.spatial, w.temporal) == pytest.approx(plain.wilson_loops(u)[w.r, w.s], abs=1e-13)
    assert found.polyakov_loop == pytest.approx(plain.polyakov_loop(u), abs=1e-13)
    assert (found.charge is None) == (len(shape) != 5) and found.t0 is None


def test_single_precision_is_measured_in_double():
    u = lq.generate((4, 4, 4, 4), sweeps=5).astype(np.complex64)
    wide = lq.observables(u.astype(np.complex128), flow_steps=2)
    assert lq.observables(u, flow_steps=2) == wide


def test_t0_and_w0_are_where_the_energy_says():
    u = lq.generate((4, 4, 4, 4), beta=5.0, sweeps=20, seed=4)
    step, steps = 0.025, 50
    found = lq.observables(u, flow_steps=steps, flow_step=step)
    for energy, t0, w0 in (("energy", found.t0, found.w0), ("energy_plaquette", found.t0_plaquette, found.w0_plaquette)):
        assert (t0, w0) == pytest.approx(plain.scales([getattr(p, energy) for p in found.flow], step), abs=1e-12)
        near = [p for p in found.flow if abs(p.time - t0) <= step]
        assert min(p.time ** 2 * getattr(p, energy) for p in near) <= 0.3 <= max(p.time ** 2 * getattr(p, energy) for p in near)
    finer = lq.observables(u, flow_steps=2 * steps, flow_step=step / 2)
    assert finer.t0 == pytest.approx(found.t0, rel=5e-3) and finer.w0 == pytest.approx(found.w0, rel=5e-3)


def test_the_integrator_is_of_third_order():
    u = lq.generate((4, 4, 4, 4), beta=6.0, sweeps=5, seed=8)
    energy = {n: lq.observables(u, flow_steps=n, flow_step=0.4 / n).flow[-1].energy for n in (4, 8, 16, 64)}
    errors = [abs(energy[n] - energy[64]) for n in (4, 8, 16)]
    assert errors[0] / errors[1] > 6 and errors[1] / errors[2] > 6


# Exact values

@pytest.mark.parametrize("n", [2, 3, 4])
def test_unit_links_and_their_gauge_transforms_have_no_charge_and_no_energy(n):
    unit = np.broadcast_to(np.eye(n), (4, 2, 3, 4, 4, n, n)).astype(complex)
    rotations = links_of(n, (4, 2, 3, 4), spread=2)
    pure = np.empty_like(unit)
    for mu in range(4):
        pure[..., mu, :, :] = rotations @ plain.dagger(plain.at(rotations, unit, mu, 1))
    for u, tolerance in ((unit, 0), (pure, 1e-13)):
        found = lq.observables(u, flow_steps=3, flow_step=0.1)
        for w in found.wilson_loops:
            assert (w.average, w.spatial, w.temporal) == pytest.approx((1, 1, 1), abs=tolerance)
        assert found.polyakov_loop == pytest.approx(1, abs=tolerance)
        for point in found.flow:
            assert (point.energy, point.energy_plaquette, point.charge) == pytest.approx((0, 0, 0), abs=100 * tolerance)
        assert found.t0 is None and found.w0 is None


@pytest.mark.parametrize("planes, sign", [(((0, 1), (2, 3)), 1), (((0, 2), (1, 3)), -1), (((0, 3), (1, 2)), 1)])
def test_constant_abelian_fields_are_known_and_do_not_flow(planes, sign):
    """With angles w per plaquette: charge 2 sin(w) sin(w') V / (4 pi^2), energies 2 sum sin^2 and 4 sum (1 - cos)."""
    extents = (6, 5, 4, 8)
    for n, m in ((1, 1), (2, -1), (0, 1)):
        u = flux(extents, n, m, (1, -1, 0), planes)
        w = [2 * np.pi * k / (extents[a] * extents[b]) for k, (a, b) in zip((n, m), planes)]
        found = lq.observables(u, flow_steps=4, flow_step=0.1)
        for point in found.flow:
            assert point.charge == pytest.approx(sign * 2 * np.prod(np.sin(w)) * np.prod(extents) / (4 * np.pi ** 2), abs=1e-10)
            assert point.energy == pytest.approx(2 * sum(np.sin(w) ** 2), abs=1e-12)
            assert point.energy_plaquette == pytest.approx(4 * sum(1 - np.cos(w)), abs=1e-12)
        for loop in found.wilson_loops:  # each r s plaquettes
            area = loop.r * loop.s
            mean = sum((2 * np.cos(area * x) + 1) / 3 for x in w) + 4
            assert loop.average == pytest.approx(mean / 6, abs=1e-12)
    u = flux((4, 4, 4, 4), 1, 2, (2, -1, -1))  # F has a trace, which the energy leaves out, and the charge does not
    w, charges = 2 * np.pi / 16 * np.array([1, 2]), np.array([2, -1, -1])
    found = lq.observables(u)
    sines = np.sin(np.outer(w, charges))
    assert found.energy == pytest.approx(sum((s ** 2).sum() - s.sum() ** 2 / 3 for s in sines), abs=1e-12)
    assert found.charge == pytest.approx((sines[0] * sines[1]).sum() * 256 / (4 * np.pi ** 2), abs=1e-10)


def test_a_center_element_turns_the_polyakov_loop_alone():
    u = lq.generate((3, 4, 2, 5), sweeps=3)
    z = np.exp(2j * np.pi / 3)
    turned = u.copy()
    turned[2, ..., 3, :, :] *= z
    a, b = lq.observables(u), lq.observables(turned)
    assert b.polyakov_loop == pytest.approx(z * a.polyakov_loop, abs=1e-14) and abs(a.polyakov_loop) > 1e-4
    assert b.charge == pytest.approx(a.charge, abs=1e-13)
    assert b.wilson_loops[3].temporal == pytest.approx(a.wilson_loops[3].temporal, abs=1e-14)


# Input that has no such observables

def test_what_cannot_be_measured_is_refused():
    u = random_links()
    broken = u.copy()
    broken[1, 0, 0, 0, 2, 1, 1] = np.nan
    with pytest.raises(lq.InvalidArgument, match="1 numbers .* NaN or infinite"):
        lq.observables(broken)
    far = u.copy()
    far[1, 0, 1, 0, 2] *= 1.1
    with pytest.raises(lq.InvalidArgument, match=r"1 links are not in SU\(3\), most of all link 2 of site 0, ?1, ?0, ?1|1 links are not in SU"):
        lq.observables(far)
    zero = u.copy()
    zero[0, ..., 0, :, :] = 0
    with pytest.raises(lq.InvalidArgument, match="links are zero"):
        lq.observables(zero)
    with pytest.raises(lq.InvalidArgument, match="flow_step"):
        lq.observables(u, flow_step=0)
    for wrong in ({"flow_steps": -1}, {"flow_step": 1.0}, {"flow_step": float("nan")}, {"flow_steps": "many"}):
        with pytest.raises(lq.InvalidArgument):
            lq.observables(u, **wrong)
    with pytest.raises(lq.InvalidArgument):
        lq.observables(u[..., 0, :, :])


def test_open_boundaries_have_loops_inside_alone():
    u = random_links((5, 2, 3, 2, 4))
    u[-1, ..., 3, :, :] = 0
    found = lq.observables(u)
    assert found.open_boundary and found.polyakov_loop is None and found.charge is None and found.flow == []
    for w in found.wilson_loops:
        def inside(r, s):
            return [np.einsum("...aa->...", plain.walk(u, [a] * r + [4] * s + [-a] * r + [-4] * s)).real[:5 - s] / 3 for a in (1, 2, 3)]
        assert w.temporal == pytest.approx(np.mean(inside(w.r, w.s)), abs=1e-13)
    with pytest.raises(lq.Unsupported, match="open boundaries"):
        lq.observables(u, flow_steps=1)


# Files

def verified(path, *options):
    run = subprocess.run([os.environ.get("LQ_PROGRAM", "lq"), "verify", "--json", *options, str(path)], capture_output=True, text=True, check=False)
    return json.loads(run.stdout), run


def test_verify_measures_what_python_does(tmp_path):
    u = lq.generate((4, 4, 4, 4), sweeps=8, seed=3)
    path = tmp_path / "conf.lime"
    lq.write(path, u)
    wanted = lq.observables(u, flow_steps=3, flow_step=0.02)
    answer, run = verified(path, "--observables", "--flow-steps", "3", "--flow-step", "0.02")
    found = answer["fields"][0]["observables"]
    assert run.returncode == 0 and found["charge"] == wanted.charge and complex(*found["polyakov_loop"].values()) == wanted.polyakov_loop
    assert [p["energy"] for p in found["flow"]] == [p.energy for p in wanted.flow]
    assert lq.verify(path, observables=True, flow_steps=3, flow_step=0.02).fields[0].observables == found
    assert "observables" not in lq.verify(path).fields[0]


@pytest.mark.parametrize("text, agrees", [("polyakov_loop = {p.real:.10f} {p.imag:.10f}", True), ("PolyakovLoop = ({p.real:.8f},{p.imag:.8f})", True),
                                          ("polyakov_loop = 0.123", False), ("topological_charge = {q:.9f}", True), ("top_charge = 17", False)])
def test_verify_compares_with_what_the_file_states(tmp_path, text, agrees):
    u = lq.generate((4, 4, 4, 4), sweeps=8, seed=3)
    measured = lq.observables(u)
    path = tmp_path / "conf.lime"
    lq.write(path, u, metadata={"xlf-info": text.format(p=measured.polyakov_loop, q=measured.charge)})
    answer = lq.verify(path, observables=True)
    findings = [f for f in answer.findings if f.rule == "observables"]
    claims = [c for c in answer.claims if c.name in ("Polyakov loop", "topological charge")]
    assert answer.ok and (len(findings) == 0) == agrees
    assert [c.outcome for c in claims] == (["agrees"] if agrees else [])


def test_verify_compares_scales_and_says_what_may_explain_another_value(tmp_path):
    u = lq.generate((4, 4, 4, 4), beta=5.0, sweeps=10, seed=4)
    measured = lq.observables(u, flow_steps=30, flow_step=0.05)
    text = f"t0_over_a2 = {measured.t0:.6f}\nw0_over_a = {2 * measured.w0:.6f}\npolyakov_loop = {3 * measured.polyakov_loop.real:.9f}\n"
    path = tmp_path / "conf.lime"
    lq.write(path, u, metadata={"xlf-info": text})
    answer = lq.verify(path, flow_steps=30, flow_step=0.05)
    assert [(c.name, c.outcome) for c in answer.claims if c.name in ("t0", "w0", "Polyakov loop")] == [("t0", "agrees")]
    messages = [f.message for f in answer.findings if f.rule == "observables"]
    assert len(messages) == 2 and "another normalisation" in messages[0] and "other units" in messages[1] and answer.ok
    assert answer.verdict == lq.verify(path).verdict


def test_anisotropic_lattices_do_not_flow(tmp_path):
    u = lq.generate((2, 2, 2, 4), sweeps=2)
    for text, flows in (("xi_0 = 2.38", False), ("xi_0 = 1.0", True), ("anisotropy = 3", False)):
        path = tmp_path / "conf.lime"
        lq.write(path, u, metadata={"xlf-info": text}, overwrite=True)
        answer = lq.verify(path, flow_steps=2)
        assert len(answer.fields[0].observables.flow) == (3 if flows else 1)
        assert any("anisotropic" in f.message for f in answer.findings) != flows and answer.ok


def test_files_that_cannot_be_measured_say_so(tmp_path):
    u = random_links()
    u[-1, ..., 3, :, :] = 0
    path = tmp_path / "open.lime"
    lq.write(path, u)
    answer = lq.verify(path, flow_steps=2)
    assert answer.ok and answer.fields[0].observables.open_boundary and any("open boundaries" in f.message and f.rule == "observables" for f in answer.findings)
    u = random_links()
    u[0, 0, 0, 0, 0, 0, 0] = np.inf
    lq.write(path, u, overwrite=True)
    answer = lq.verify(path, observables=True)
    assert "observables" not in answer.fields[0] and any("NaN" in f.message and f.rule == "observables" for f in answer.findings)
    lq.write(path, random_links(), overwrite=True)
    answer = lq.verify(path, observables=True, memory_bytes=1000)
    assert any("memory_bytes" in f.message for f in answer.findings)
    with pytest.raises(lq.InvalidArgument, match="flow_step"):
        lq.verify(path, flow_steps=1, flow_step=0)


# Catalogues

def test_the_catalogue_keeps_observables_of_files_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    charges = {}
    for k in range(4):
        u = lq.generate((4, 4, 4, 4), sweeps=4, seed=k + 1)
        lq.write(f"conf.{k}.lime", u)
        charges[f"conf.{k}.lime"] = lq.observables(u, flow_steps=2, flow_step=0.05)
    lq.index(["."])
    assert all("observables" not in f for f in lq.find("")) and lq.find("charge > -1000") == []
    report = lq.index(["."], flow_steps=2, flow_step=0.05)
    assert report.measured == 4
    for entry in lq.find(""):
        wanted = charges[os.path.basename(entry.path)]
        assert entry.observables.charge == wanted.charge and entry.observables.flow_charge == wanted.flow[-1].charge
        assert entry.observables.polyakov_re == wanted.polyakov_loop.real and entry.observables.wilson_2x2 == wanted.wilson_loops[3].average
    middle = sorted(w.charge for w in charges.values())[1]
    found = {os.path.basename(f.path) for f in lq.find(f"charge>{middle!r} wilson_1x1>0")}
    assert found == {name for name, w in charges.items() if w.charge > middle}
    order = [os.path.basename(f.path) for f in lq.find("", sort="-charge")]
    assert order == sorted(charges, key=lambda name: -charges[name].charge)
    assert "measured" not in lq.index(["."], observables=True)  # known already
    u = lq.generate((4, 4, 4, 4), sweeps=4, seed=77)
    lq.write("conf.1.lime", u, overwrite=True)
    lq.index(["."])
    assert all(("observables" in f) == (os.path.basename(f.path) != "conf.1.lime") for f in lq.find(""))
    assert lq.index(["."], observables=True).measured == 1
    assert [f.observables.charge for f in lq.find("path~*conf.1.lime")] == [lq.observables(u).charge]


def test_the_page_shows_histories_of_observables(tmp_path):
    for k in range(3):
        lq.write(tmp_path / f"conf.{k}.lime", lq.generate((2, 2, 2, 4), sweeps=2, seed=k + 1))
    db, page = tmp_path / "lq-catalogue.db", tmp_path / "page.html"
    lq.index([tmp_path], db=db)
    lq.report_page((), page, db=db)
    assert '"files":[]}' in page.read_text()  # no observables
    lq.index((), db=db, observables=True)
    lq.report_page((), page, db=db, overwrite=True)
    charges = sorted(f.observables.charge for f in lq.find("", db=db))
    document = in_browser(page, "#quantity=charge", tmp_path / "browser", "--dump-dom")
    assert 'aria-label="charge by trajectory"' in document and f"3 configurations, median {charges[1]:.8f}" in document
    other = in_browser(page, "#quantity=nothing", tmp_path / "other", "--dump-dom")
    assert "charge by trajectory" not in other and 'data-ready="yes"' in other
