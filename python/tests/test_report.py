# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The page about ensembles: what its data say, against numbers made here; what a browser shows of it, where there is one."""

import html
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

import limequat as lq

try:
    lq.find(db="/nowhere/x.db")
except lq.NotFound:
    pass
except lq.Unsupported as error:
    pytest.skip(str(error), allow_module_level=True)

LONG = "b6.20_l24t48_of_a_rather_long_name_for_a_folder_on_a_phone"


def links():
    u = np.zeros((2, 2, 2, 2, 4, 3, 3), np.complex64)
    u[..., range(3), range(3)] = 1
    return u


def chain(count, seed, mean):
    generator, x, found = np.random.default_rng(seed), 0.0, []
    for _ in range(count):
        x = 0.8 * x + generator.normal()
        found.append(mean + 2e-5 * x)
    return found


def write(folder, number, plaquette, beta):
    lq.write(folder / f"conf.{number:05}.ildg", links() * (1 + number * 1e-9), measure=False, sync="none", metadata={
        "xlf-info": f"plaquette = {plaquette:.10f}\n trajectory = {number}\n beta = {beta}\n kappa = 0.157\n seed = {number}"})


@pytest.fixture(scope="module")
def ensembles(tmp_path_factory):
    """Two ensembles below one folder, and the plaquettes of the first one."""
    root = tmp_path_factory.mktemp("ensembles")
    plaquettes = chain(400, 7, 0.5937)
    for name, beta, series in (("b6.00", 6.0, plaquettes), (LONG, 6.2, chain(60, 8, 0.6136))):
        (root / name).mkdir()
        for k, plaquette in enumerate(series):
            write(root / name, 10 * k, plaquette, beta)
    return root, [round(plaquette, 10) for plaquette in plaquettes]


def data_of(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def gamma_method(a):
    """Mean, its error and the integrated autocorrelation time, written from the paper (hep-lat/0306017), with numpy."""
    a, n = np.asarray(a), len(a)
    d = a - a.mean()
    gamma = np.array([np.dot(d[:n - t], d[t:]) / (n - t) for t in range(n // 2 + 1)])
    for w in range(1, n // 2 + 1):
        tau = 0.5 + gamma[1:w + 1].sum() / gamma[0]
        decay = 1.5 / np.log((2 * tau + 1) / (2 * tau - 1)) if tau > 0.5 else 1e-12
        if np.exp(-w / decay) - decay / np.sqrt(w * n) < 0:
            break
    c = gamma[0] + 2 * gamma[1:w + 1].sum()
    gamma = gamma + c / n
    c = gamma[0] + 2 * gamma[1:w + 1].sum()
    return a.mean(), np.sqrt(c / n), c / (2 * gamma[0])


def test_ensembles_below_a_folder_are_told_apart(ensembles, tmp_path):
    root, plaquettes = ensembles
    page = tmp_path / "page.html"
    lq.report_page(root, page)
    data = data_of(page.read_text())
    assert [one["name"] for one in data["ensembles"]] == ["b6.00", LONG]
    assert [dict(one["facts"])["beta"] for one in data["ensembles"]] == ["6.0", "6.2"]
    assert all("seed" not in dict(one["facts"]) and dict(one["facts"])["kappa"] == "0.157" for one in data["ensembles"])
    assert f"<title>b6.00, {LONG}</title>" in page.read_text()
    assert [row[15] for row in data["files"]].count(0) == len(plaquettes)
    lq.report_page(root / "b6.00", page, overwrite=True)
    assert "<title>b6.00</title>" in page.read_text()


def test_means_have_errors_with_autocorrelation(ensembles, tmp_path):
    root, plaquettes = ensembles
    page = tmp_path / "page.html"
    lq.report_page([root / "b6.00", root / LONG], page)
    data = data_of(page.read_text())
    history = next(one for one in data["histories"] if one["count"] == len(plaquettes))
    mean, error, tau = gamma_method(plaquettes)
    assert history["mean"] == pytest.approx(mean, rel=1e-13)
    assert history["error"] == pytest.approx(error, rel=1e-9) and history["tau"] == pytest.approx(tau, rel=1e-9)
    assert 2 < tau < 9  # of this chain 4.5
    stretches = history["stretches"]
    assert len(stretches) == 40 and stretches[0][0] == 0 and stretches[-1][1] == 3990
    part = np.array(plaquettes[:10])
    assert stretches[0][2] == pytest.approx(part.mean(), rel=1e-13)
    assert stretches[0][3] == pytest.approx(part.std(ddof=1) / np.sqrt(10) * np.sqrt(2 * tau), rel=1e-9)


def test_what_changed_since_the_page_that_is_replaced(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    for number in range(10, 80, 10):
        write(run, number, 0.59, 6.0)
    page, db = tmp_path / "page.html", tmp_path / "x.db"
    lq.index(run, db=db)
    lq.report_page(run, page, db=db)
    assert "changes" not in data_of(page.read_text())
    made = data_of(page.read_text())["made"]
    write(run, 80, 0.59, 6.0)
    (run / "conf.00010.ildg").unlink()
    (run / "conf.00020.ildg").unlink()
    write(run, 20, 0.58, 6.0)
    lq.write(run / "conf.00020.ildg", links().astype(complex), metadata={"xlf-info": "trajectory = 20"}, measure=False, overwrite=True)
    with open(run / "conf.00030.ildg", "r+b") as file:
        file.truncate(3000)
    for path in run.iterdir():  # of a file that was written just now the catalogue waits for the next look
        os.utime(path, (1.7e9, 1.7e9))
    lq.report_page(run, page, db=db, overwrite=True)
    changes = data_of(page.read_text())["changes"]
    names = {kind: [path.rsplit("/", 1)[1] for path in changes[kind]["paths"]] for kind in ("added", "gone", "rewritten", "failed", "verified")}
    assert changes["since"] == made
    assert names["added"] == ["conf.00080.ildg"] and names["gone"] == [] and names["verified"] == []
    assert names["failed"] == ["conf.00010.ildg", "conf.00030.ildg"]  # missing, and cut
    assert set(names["rewritten"]) == {"conf.00020.ildg", "conf.00030.ildg"}
    lq.scrub(db=db)
    lq.index(run, db=db, forget=True)
    lq.report_page(run, page, db=db, overwrite=True)
    changes = data_of(page.read_text())["changes"]
    assert changes["gone"]["paths"] == [str(run / "conf.00010.ildg")]
    assert changes["verified"]["paths"] == [str(run / "conf.00020.ildg")]
    assert changes["failed"]["count"] == 5  # those that state another plaquette than they have
    lq.report_page(run, page, db=db, overwrite=True)
    assert all(changes["count"] == 0 for kind, changes in data_of(page.read_text())["changes"].items() if kind != "since")
    # A text that is no page, and a page about other folders, say nothing.
    page.write_text('<script type="application/json" id="data">{"made": "x", "folders": [</script>')
    lq.report_page(run, page, db=db, overwrite=True)
    assert "changes" not in data_of(page.read_text())


def test_many_equal_files_are_counted(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    for number in range(300):
        lq.write(run / f"conf.{number:05}.ildg", links(), measure=False, sync="none")
    lq.report_page(run, tmp_path / "page.html")
    same, = data_of((tmp_path / "page.html").read_text())["duplicates"]
    assert same["count"] == 300 and len(same["paths"]) == 20


def browser():
    found = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
    return found or pytest.skip("there is no Chromium")


def run_browser(folder, *arguments):
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--allow-file-access-from-files", f"--user-data-dir={folder}", "--virtual-time-budget=20000", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.parametrize("width", (390, 1280))
def test_the_page_is_as_wide_as_the_window(ensembles, tmp_path, width):
    root, _ = ensembles
    page = tmp_path / "page.html"
    lq.report_page(root, page)
    frame = tmp_path / "frame.html"
    frame.write_text(f"""<!DOCTYPE html><body style="margin:0"><iframe id="f" src="page.html" style="width:{width}px;height:2000px;border:0">
</iframe><p id="said"></p><script>document.getElementById("f").onload = (event) => {{
  const inner = event.target.contentDocument;
  document.getElementById("said").textContent = inner.body.dataset.ready + " " + inner.documentElement.scrollWidth + " " +
    inner.querySelectorAll(".ensemble").length + " " + (inner.getElementById("errors") !== null);
}}</script>""")
    document = run_browser(tmp_path / "profile", "--dump-dom", f"file://{frame}")
    assert re.search(r'id="said">(.*?)<', document)[1] == f"yes {width} 2 true"


def test_the_page_shows_ensembles_and_filters_by_them(ensembles, tmp_path):
    root, plaquettes = ensembles
    page = tmp_path / "page.html"
    lq.report_page(root, page, title="A <b>title</b>")
    document = run_browser(tmp_path / "profile", "--dump-dom", f"file://{page}#ensemble={LONG}")
    assert 'data-found="60"' in document and f"<h3>{LONG}</h3>" in document
    mean, error, _ = gamma_method(plaquettes)
    digits = max(0, int(np.ceil(-np.log10(error))) + 1)
    assert f"{mean:.{digits}f}({round(error * 10 ** digits)}) from 400 configurations" in document
    assert html.escape("A <b>title</b>") in document


def test_the_page_becomes_a_document_of_pages(ensembles, tmp_path):
    root, _ = ensembles
    page, paper = tmp_path / "page.html", tmp_path / "paper.pdf"
    lq.report_page(root, page)
    run_browser(tmp_path / "profile", f"--print-to-pdf={paper}", f"file://{page}")
    content = paper.read_bytes()
    assert content.startswith(b"%PDF") and 3 < len(re.findall(rb"/Type */Page\b", content)) < 60
