# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of examples/notebooks: their cells run in order, as plain Python and, where it is there, in Jupyter."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture(autouse=True)
def ranks_anywhere(monkeypatch):
    """More ranks than cores, as root: all right for a test."""
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe",
                 "OMPI_MCA_mpi_yield_when_idle"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none")


def cells(name):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return notebook["cells"]


def test_there_are_the_three():
    assert NAMES == ["ensemble", "first_steps", "parallel_checkpoint"]


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_committed_without_results(name):
    code = [cell for cell in cells(name) if cell["cell_type"] == "code"]
    assert code and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.parametrize("name", NAMES)
def test_the_cells_run_as_a_program(tmp_path, name):
    program = "\n\n".join("".join(cell["source"]) for cell in cells(name) if cell["cell_type"] == "code")
    result = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, text=True, capture_output=True,
                            env={**os.environ, "MPLBACKEND": "agg"})
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", NAMES)
def test_jupyter_runs_and_shows_them(tmp_path, name, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    for folder in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(folder, str(tmp_path / "home"))
    kernel = tmp_path / "home" / "kernels" / "this"  # the interpreter of the tests, whatever kernels there are
    kernel.mkdir(parents=True)
    kernel.joinpath("kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "this",
        "language": "python"}))
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="this",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    wanted = {"first_steps": {"text/html", "image/png"}, "ensemble": {"image/png"}}.get(name, set())
    assert shown >= (wanted if importlib.util.find_spec("matplotlib") else wanted - {"image/png"})
